"""One visitor that speaks Streamlit's own websocket protocol, without a browser."""

from __future__ import annotations

import asyncio
import time
import urllib.request
import uuid
from collections import Counter
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

PATIENCE = 60  # seconds to wait for an answer


class Session:
    """One visitor of a page.

    Attributes
    ----------
    page, query : the page's name in addresses ('' for the first page), and the address's query
    html, progress, exceptions : latest HTML texts, latest text of a progress bar, types of exceptions shown
    kinds, components : number of elements of each kind, names of the app's own components
    widgets : (kind, label) -> ids in the order of the page
    every : fragment -> seconds between two automatic runs
    received : bytes
    """

    def __init__(self, address: str, socket: Any, page: str = "", query: str = "") -> None:
        self.page, self.query, self.received, self.id, self.progress = page, query, 0, "", ""
        self.html: list[str] = []
        self.exceptions: list[str] = []
        self.widgets: dict[tuple[str, str], list[str]] = {}
        self.every: dict[str, float] = {}
        self.kinds: Counter[str] = Counter()
        self.components: set[str] = set()
        self._address, self._socket, self._page = address, socket, ""
        self._states: dict[str, WidgetState] = {}
        self._fragments: dict[str, str] = {}  # widget -> the fragment that draws it
        self._elements: dict[str, Any] = {}  # widget -> the server's description of it
        self._answers: dict[str, asyncio.Future] = {}
        self._cached: dict[str, ForwardMsg] = {}  # messages that the server may refer to, as a browser caches them
        self._finished, self._one_run = asyncio.Event(), asyncio.Lock()
        self._tasks = [asyncio.create_task(self._read())]

    async def run(self, trigger: str = "", fragment: str = "", auto: bool = False, **values: Any) -> float:
        """Runs the page or a fragment with new values of widgets, and returns the seconds until it has finished.

        Raises ``TimeoutError`` if that takes too long, and the connection's own error if it has ended.
        """
        start = time.perf_counter()
        async with self._one_run:
            fragment = fragment or next((self._fragments[id] for id in values if not trigger), "")
            if not fragment:
                self.widgets, self.html, self.every, self.components = {}, [], {}, set()
            message = BackMsg()
            state = message.rerun_script
            state.query_string, state.page_script_hash = self.query, self._page
            state.page_name = "" if self._page else self.page
            state.fragment_id, state.is_auto_rerun = fragment, auto
            state.cached_message_hashes.extend(self._cached)
            self._states |= {id: _state(id, value) for id, value in values.items()}
            state.widget_states.widgets.extend(self._states.values())
            if trigger:
                state.widget_states.widgets.append(WidgetState(id=trigger, trigger_value=True))
            self._finished.clear()
            await self._socket.send(message.SerializeToString())
            finished, reading = asyncio.create_task(self._finished.wait()), self._tasks[0]
            await asyncio.wait((finished, reading), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
            if not self._finished.is_set():
                finished.cancel()
                if reading.done():
                    reading.result()  # raises the error that ended the connection
                raise TimeoutError(f"a run did not finish within {PATIENCE} s")
        return time.perf_counter() - start

    async def go_to(self, page: str) -> float:
        """Goes to another page, and returns the seconds until its run has finished."""
        self.page, self._page = page, ""
        return await self.run()

    async def upload(self, id: str, name: str, content: bytes) -> float:
        """Uploads a file, and returns the seconds until the run that follows has finished."""
        start, message = time.perf_counter(), BackMsg()
        message.file_urls_request.file_names.append(name)
        urls = (await self._ask(message, message.file_urls_request)).file_urls[0]
        await asyncio.to_thread(put, self._address, urls.upload_url, name, content)
        info = UploadedFileInfo(file_id=urls.file_id, name=name, size=len(content), file_urls=urls)
        await self.run(**{id: FileUploaderState(uploaded_file_info=[info])})
        return time.perf_counter() - start

    async def take_away(self, id: str) -> bytes:
        """Downloads the file of a download button."""
        return await asyncio.to_thread(_get, await self.address_of_file(id))

    async def address_of_file(self, id: str) -> str:
        """The address of a download button's file, which the server may only now make."""
        element = self._elements[id]
        if not element.HasField("deferred_file_id"):
            return self._address + element.url
        message = BackMsg()
        message.backend_operation_request.deferred_file.file_id = element.deferred_file_id
        answer = await self._ask(message, message.backend_operation_request)
        if answer.error_msg:
            raise RuntimeError(f"the server does not give the file: {answer.error_msg}")
        return self._address + answer.deferred_file.url

    async def look_again(self) -> None:
        """Starts the fragments that run on a timer, as a browser does."""

        async def again(fragment: str, seconds: float) -> None:
            while fragment in self.every:
                await asyncio.sleep(seconds)
                await self.run(fragment=fragment, auto=True)

        self._tasks += [asyncio.create_task(again(*item)) for item in self.every.items()]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._socket.close()

    def of_key(self, key: str) -> str:
        """The id of the widget with a key; KeyError if it is not on the page."""
        for ids in self.widgets.values():
            for id in ids:
                if id.endswith(f"-{key}"):
                    return id
        raise KeyError(key)

    def widget(self, key: str) -> Any:
        """The server's description of the widget with a key."""
        return self._elements[self.of_key(key)]

    def button(self, label: str) -> str:
        """The id of the only button with a label."""
        [id] = self.widgets["button", label]
        return id

    def is_asking(self) -> bool:
        """Whether a request other than a run has no answer yet."""
        return bool(self._answers)

    async def _ask(self, message: BackMsg, request: Any) -> Any:
        request.request_id, request.session_id = uuid.uuid4().hex, self.id
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
                self.id = message.new_session.initialize.session_id or self.id
            elif kind == "navigation":
                self._page = message.navigation.page_script_hash
            elif kind == "auto_rerun":
                self.every[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "file_urls_response":
                self._answers.pop(message.file_urls_response.response_id).set_result(message.file_urls_response)
            elif kind == "backend_operation_response":
                answer = message.backend_operation_response
                self._answers.pop(answer.request_id).set_result(answer)
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._finished.set()

    def _draw(self, element: Any, fragment: str) -> None:
        kind = element.WhichOneof("type")
        if kind is None:
            return
        self.kinds[kind] += 1
        if kind == "html":
            self.html = [*self.html[-59:], element.html.body]
        elif kind == "progress":
            self.progress = element.progress.text
        elif kind == "exception":
            self.exceptions.append(element.exception.type)
        elif kind == "bidi_component":
            self.components.add(element.bidi_component.component_name)
        widget = getattr(element, kind)
        if hasattr(widget, "id") and hasattr(widget, "label"):
            self._fragments[widget.id], self._elements[widget.id] = fragment, widget
            ids = self.widgets.setdefault((kind, widget.label), [])
            if widget.id not in ids:
                ids.append(widget.id)


def uploader(session: Session) -> str:
    """The id of the page's only file uploader."""
    [[id]] = [ids for (kind, _), ids in session.widgets.items() if kind == "file_uploader"]
    return id


async def visit(address: str, page: str = "", query: str = "", **headers: str) -> Session:
    """Opens a page, with headers of the connection, and returns the session once its first run has finished."""
    url = address.replace("http", "ws") + "/_stcore/stream"
    options = {"subprotocols": ["streamlit"], "origin": address, "max_size": None, "open_timeout": PATIENCE}
    session = Session(address, await websockets.connect(url, additional_headers=headers, **options), page, query)
    await session.run()
    return session


def put(address: str, url: str, name: str, content: bytes) -> int:
    """Sends a file to its upload address as a browser does, and returns the status of the answer."""
    headers, body = form(address, name, content)
    with urllib.request.urlopen(
        urllib.request.Request(address + url, body, headers, method="PUT"), timeout=PATIENCE
    ) as answer:
        return answer.status


def form(address: str, name: str, content: bytes) -> tuple[dict[str, str], bytes]:
    """Headers and body of the request by which a browser sends a file."""
    with urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE) as answer:
        cookie = next(text for text in answer.headers.get_all("Set-Cookie") if "xsrf" in text).split(";")[0]
    boundary, token = uuid.uuid4().hex, cookie.partition("=")[2].strip('"')
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Cookie": cookie, "X-Xsrftoken": token}
    return headers, head.encode() + content + f"\r\n--{boundary}--\r\n".encode()


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read()


def _state(id: str, value: Any) -> WidgetState:
    state = WidgetState(id=id)
    if isinstance(value, FileUploaderState):
        state.file_uploader_state_value.CopyFrom(value)
    elif isinstance(value, bool):
        state.bool_value = value
    elif isinstance(value, str):
        state.string_value = value
    elif isinstance(value, (int, float)):
        state.double_value = value
    elif all(isinstance(part, str) for part in value):
        state.string_array_value.data[:] = value
    else:
        state.double_array_value.data[:] = value
    return state
