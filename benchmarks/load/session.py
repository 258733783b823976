"""One visitor by Streamlit's own websocket protocol, without a browser: what the server sends, and how to answer."""

from __future__ import annotations

import asyncio
import time
import urllib.request
import uuid
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

PATIENCE = 60  # seconds for an answer


class Session:
    """One visitor of a page.

    Attributes
    ----------
    page : the page's name in addresses; '' for the first page
    query : the query of the address
    html : the latest texts of the page
    kinds : number of elements of each kind that have come
    components : names of the page's own components, such as that of the player
    widgets : (kind, label) -> ids, in the order of the page
    every : fragment -> seconds between two runs
    received : bytes
    progress : the latest text of a bar
    exceptions : kinds of errors that the page has shown instead of something
    """

    def __init__(self, address: str, socket, page: str = "", query: str = "") -> None:
        self.page, self.query, self.received, self.widgets, self.html = page, query, 0, {}, []
        self.every: dict[str, float] = {}
        self.kinds: dict[str, int] = {}
        self.components: set[str] = set()
        self.id, self.progress, self.exceptions = "", "", []
        self._address, self._socket, self._states, self._page = address, socket, {}, ""
        self._fragments: dict[str, str] = {}  # widget -> the fragment that it is drawn by
        self._elements: dict[str, Any] = {}  # widget -> what the server said of it
        self._finished, self._one = asyncio.Event(), asyncio.Lock()
        self._answers: dict[str, asyncio.Future] = {}
        self._kept: dict[str, ForwardMsg] = {}  # what need not be sent again, as a browser keeps it
        self._tasks = [asyncio.create_task(self._read())]

    async def run(self, trigger: str = "", fragment: str = "", auto: bool = False, **values) -> float:
        """Runs the page or a fragment, with values of widgets; the seconds until it is done.

        Raises ``TimeoutError`` if that takes too long, and what ended the connection if there is none any more.
        """
        start = time.perf_counter()
        async with self._one:  # one run after the other, so that each has its own end
            await self._run(trigger, fragment, auto, values)
        return time.perf_counter() - start

    async def _run(self, trigger: str, fragment: str, auto: bool, values: dict) -> None:
        message = BackMsg()
        fragment = fragment or next((self._fragments[id] for id in values if not trigger), "")
        if not fragment:
            self.widgets, self.html, self.every, self.components = {}, [], {}, set()
        state = message.rerun_script
        state.query_string, state.page_script_hash = self.query, self._page
        state.page_name = "" if self._page else self.page
        state.fragment_id, state.is_auto_rerun = fragment, auto
        state.cached_message_hashes.extend(self._kept)
        self._states |= {id: _state(id, value) for id, value in values.items()}
        state.widget_states.widgets.extend(self._states.values())
        if trigger:
            state.widget_states.widgets.append(WidgetState(id=trigger, trigger_value=True))
        self._finished.clear()
        await self._send(message)
        finished, reading = asyncio.create_task(self._finished.wait()), self._tasks[0]
        await asyncio.wait((finished, reading), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not self._finished.is_set():
            finished.cancel()
            if reading.done():
                reading.result()  # raises what ended the connection
            raise TimeoutError(f"no end of a run within {PATIENCE} s")

    async def go_to(self, page: str) -> float:
        """Goes to another page; the seconds until it is there."""
        self.page, self._page = page, ""
        return await self.run()

    async def upload(self, id: str, name: str, content: bytes) -> float:
        """Brings a file to an uploader; the seconds until the page that follows is done."""
        start = time.perf_counter()
        asked = BackMsg()
        asked.file_urls_request.request_id = number = uuid.uuid4().hex
        asked.file_urls_request.file_names.append(name)
        asked.file_urls_request.session_id = self.id
        self._answers[number] = answer = asyncio.get_running_loop().create_future()
        await self._send(asked)
        urls = await asyncio.wait_for(answer, PATIENCE)
        await asyncio.to_thread(put, self._address, urls.upload_url, name, content)
        info = UploadedFileInfo(file_id=urls.file_id, name=name, size=len(content), file_urls=urls)
        await self.run(**{id: FileUploaderState(uploaded_file_info=[info])})
        return time.perf_counter() - start

    async def take_away(self, id: str) -> bytes:
        """The file behind a download button, which may be made when it is asked for."""
        return await asyncio.to_thread(_get, await self.address_of_file(id))

    async def address_of_file(self, id: str) -> str:
        """The address from which the file behind a download button is fetched, once it is made."""
        element = self._elements[id]
        url = element.url
        if element.HasField("deferred_file_id"):
            asked = BackMsg()
            asked.backend_operation_request.deferred_file.file_id = element.deferred_file_id
            asked.backend_operation_request.session_id = self.id
            asked.backend_operation_request.request_id = number = uuid.uuid4().hex
            self._answers[number] = answer = asyncio.get_running_loop().create_future()
            await self._send(asked)
            answered = await asyncio.wait_for(answer, PATIENCE)
            if answered.error_msg:
                raise RuntimeError(f"the server does not give the file: {answered.error_msg}")
            url = answered.deferred_file.url
        return self._address + url

    async def look_again(self) -> None:
        """Begins to run the fragments that run by themselves, as a browser does."""

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
        """The id of the widget that has a key in the program; KeyError if it is not on the page."""
        for ids in self.widgets.values():
            for id in ids:
                if id.endswith(f"-{key}"):
                    return id
        raise KeyError(key)

    def widget(self, key: str) -> Any:
        """Message of the server on the widget that has a key in the program."""
        return self._elements[self.of_key(key)]

    def is_asking(self) -> bool:
        """Whether a question other than a run was sent and has no answer yet."""
        return bool(self._answers)

    def button(self, label: str) -> str:
        """The id of the one button with a label."""
        [id] = self.widgets["button", label]
        return id

    async def _send(self, message: BackMsg) -> None:
        await self._socket.send(message.SerializeToString())

    async def _read(self) -> None:
        async for content in self._socket:
            self.received += len(content)
            message = ForwardMsg()
            message.ParseFromString(content)
            if message.WhichOneof("type") == "ref_hash":
                message = self._kept[message.ref_hash]
            elif message.metadata.cacheable:
                self._kept[message.hash] = message
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
                self._answers.pop(message.file_urls_response.response_id).set_result(
                    message.file_urls_response.file_urls[0]
                )
            elif kind == "backend_operation_response":
                answer = message.backend_operation_response
                self._answers.pop(answer.request_id).set_result(answer)
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._finished.set()

    def _draw(self, element, fragment: str) -> None:
        kind = element.WhichOneof("type")
        if kind is None:
            return
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if kind == "html":
            self.html.append(element.html.body)
            del self.html[:-60]
            return
        if kind == "progress":
            self.progress = element.progress.text
        if kind == "exception":
            self.exceptions.append(element.exception.type)
        if kind == "bidi_component":
            self.components.add(element.bidi_component.component_name)
        widget = getattr(element, kind)
        if hasattr(widget, "id") and hasattr(widget, "label"):
            self._fragments[widget.id], self._elements[widget.id] = fragment, widget
            ids = self.widgets.setdefault((kind, widget.label), [])
            if widget.id not in ids:
                ids.append(widget.id)


async def visit(address: str, page: str = "", query: str = "", **headers: str) -> Session:
    """Opens a page, with headers of the connection; the session once the page's first run is done."""
    url = address.replace("http", "ws") + "/_stcore/stream"
    options = {"subprotocols": ["streamlit"], "origin": address, "max_size": None, "open_timeout": PATIENCE}
    connection = await websockets.connect(url, additional_headers=headers, **options)
    session = Session(address, connection, page, query)
    await session.run()
    return session


def put(address: str, url: str, name: str, content: bytes) -> int:
    """Sends a file to the place that the server named for it, as a browser does; the status of the answer."""
    headers, body = form(address, name, content)
    asked = urllib.request.Request(address + url, body, headers, method="PUT")
    with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
        return answer.status


def form(address: str, name: str, content: bytes) -> tuple[dict[str, str], bytes]:
    """Headers and body of the request by which a browser sends a file."""
    with urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE) as answer:
        cookie = next(text for text in answer.headers.get_all("Set-Cookie") if "xsrf" in text).split(";")[0]
    bound = uuid.uuid4().hex
    head = f'--{bound}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    headers = {
        "Content-Type": f"multipart/form-data; boundary={bound}",
        "Cookie": cookie,
        "X-Xsrftoken": cookie.partition("=")[2].strip('"'),
    }
    return headers, head.encode() + content + f"\r\n--{bound}--\r\n".encode()


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read()


def _state(id: str, value) -> WidgetState:
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
