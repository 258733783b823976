"""One visitor that speaks Streamlit's own websocket protocol, without a browser."""

from __future__ import annotations

import asyncio
import urllib.request
import uuid
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

PATIENCE = 60  # seconds to wait for an answer


class Session:
    """One visitor: ``received`` counts bytes, ``exceptions`` has the types of exceptions that a page has shown."""

    def __init__(self, address: str, socket: Any, page: str = "") -> None:
        self.received, self.exceptions = 0, []
        self._address, self._socket, self._page, self._script, self._query, self._id = address, socket, page, "", "", ""
        self._widgets: dict[str, Any] = {}  # id -> the server's description of it
        self._fragments: dict[str, str] = {}  # id of a widget -> the fragment that draws it
        self._states: dict[str, WidgetState] = {}
        self._answers: dict[str, asyncio.Future] = {}
        self._cached: dict[str, ForwardMsg] = {}  # messages that the server may refer to, as a browser caches them
        self._finished = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def run(self, **values: Any) -> None:
        """Runs the page, or the fragment of the widgets that have new values, until it has finished.

        Raises ``TimeoutError`` if that takes too long, and the connection's own error if it has ended.
        """
        fragment = next((self._fragments[id] for id in values), "")
        if not fragment:
            self._widgets = {}
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash, state.fragment_id = self._query, self._script, fragment
        state.page_name = "" if self._script else self._page
        state.cached_message_hashes.extend(self._cached)
        self._states |= {id: _state(id, value) for id, value in values.items()}
        state.widget_states.widgets.extend(self._states.values())
        self._finished.clear()
        await self._socket.send(message.SerializeToString())
        finished = asyncio.create_task(self._finished.wait())
        await asyncio.wait((finished, self._reading), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not self._finished.is_set():
            finished.cancel()
            if self._reading.done():
                self._reading.result()  # raises the error that ended the connection
            raise TimeoutError(f"a run did not finish within {PATIENCE} s")

    async def go_to(self, page: str) -> None:
        self._page, self._script = page, ""
        await self.run()

    async def upload(self, key: str, name: str, content: bytes) -> None:
        message = BackMsg()
        message.file_urls_request.file_names.append(name)
        urls = (await self._ask(message, message.file_urls_request)).file_urls[0]
        await asyncio.to_thread(_put, self._address, urls.upload_url, name, content)
        info = UploadedFileInfo(file_id=urls.file_id, name=name, size=len(content), file_urls=urls)
        await self.run(**{self.of_key(key): FileUploaderState(uploaded_file_info=[info])})

    async def download(self, key: str) -> bytes:
        """The file of a download button, which the server may only now make."""
        url, button = "", self._widgets[self.of_key(key)]
        if button.HasField("deferred_file_id"):
            message = BackMsg()
            message.backend_operation_request.deferred_file.file_id = button.deferred_file_id
            answer = await self._ask(message, message.backend_operation_request)
            if answer.error_msg:
                raise RuntimeError(f"the server does not give the file: {answer.error_msg}")
            url = answer.deferred_file.url
        return await asyncio.to_thread(_open, self._address + (url or button.url))

    async def close(self) -> None:
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        await self._socket.close()

    def of_key(self, key: str) -> str:
        """The id of the widget with a key; KeyError if it is not on the page."""
        for id in self._widgets:
            if id.endswith(f"-{key}"):
                return id
        raise KeyError(key)

    async def _ask(self, message: BackMsg, request: Any) -> Any:
        request.request_id, request.session_id = uuid.uuid4().hex, self._id
        self._answers[request.request_id] = answer = asyncio.get_running_loop().create_future()
        await self._socket.send(message.SerializeToString())
        return await asyncio.wait_for(answer, PATIENCE)

    async def _read(self) -> None:
        async for content in self._socket:
            self.received += len(content)
            message = ForwardMsg()
            message.ParseFromString(content)
            if message.WhichOneof("type") == "ref_hash":
                message = self._cached[message.ref_hash]
            elif message.metadata.cacheable:
                self._cached[message.hash] = message
            kind = message.WhichOneof("type")
            if kind == "delta":
                self._draw(message.delta.new_element, message.delta.fragment_id)
            elif kind == "new_session":
                self._id = message.new_session.initialize.session_id or self._id
            elif kind == "navigation":
                self._script = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                self._query = message.page_info_changed.query_string
            elif kind == "file_urls_response":
                self._answers.pop(message.file_urls_response.response_id).set_result(message.file_urls_response)
            elif kind == "backend_operation_response":
                answer = message.backend_operation_response
                self._answers.pop(answer.request_id).set_result(answer)
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._finished.set()

    def _draw(self, element: Any, fragment: str) -> None:
        if (kind := element.WhichOneof("type")) == "exception":
            self.exceptions.append(element.exception.type)
        elif kind is not None:
            widget = getattr(element, kind)
            if hasattr(widget, "id") and hasattr(widget, "label"):
                self._fragments[widget.id], self._widgets[widget.id] = fragment, widget


async def visit(address: str) -> Session:
    """Opens the first page; the session once its first run has finished."""
    options = {"subprotocols": ["streamlit"], "origin": address, "max_size": None, "open_timeout": PATIENCE}
    socket = await websockets.connect(address.replace("http", "ws") + "/_stcore/stream", **options)
    session = Session(address, socket)
    await session.run()
    return session


def _put(address: str, url: str, name: str, content: bytes) -> None:
    """Sends a file to its upload address as a browser does."""
    with urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE) as answer:
        cookie = next(text for text in answer.headers.get_all("Set-Cookie") if "xsrf" in text).split(";")[0]
    boundary, token = uuid.uuid4().hex, cookie.partition("=")[2].strip('"')
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Cookie": cookie, "X-Xsrftoken": token}
    _open(urllib.request.Request(address + url, body, headers, method="PUT"))


def _open(request: urllib.request.Request | str) -> bytes:
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.read()


def _state(id: str, value: Any) -> WidgetState:
    state = WidgetState(id=id)
    if isinstance(value, FileUploaderState):
        state.file_uploader_state_value.CopyFrom(value)
    elif isinstance(value, str):
        state.string_value = value
    elif isinstance(value, float):
        state.double_value = value
    else:
        state.double_array_value.data[:] = value
    return state
