"""The frame of a page, where it is going to stand: a browser draws it before the first run of the page is answered.

Streamlit's own page comes first, and the style of ours with the answer of its server; what was on the screen by then
would be pushed to and fro (layout shift). So the server puts the style into Streamlit's page: ``first_paint.css`` for
as long as the page is open, and what the page brings with it (``look``) until it has come. ``until_then.css``
hides what is not all there yet.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import parse_qs

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BEFORE = "mf-before"  # id of the style that js/corner.js takes out again
WITH_SIDEBAR = ("", "watch", "compare", "inside")  # pages that open with it, by their names in addresses
_FOLDER = Path(__file__).parent
_PAGES = {  # style sheets of pages, by the same names
    "room": "rooms/room.css",
    "your_table": "your_table/style.css",
}
PARTS = (  # pieces of Streamlit's script that come when a page first needs them: then they move what stands below
    *("Html", "BidiComponent", "Button", "ButtonGroup", "Checkbox", "DownloadButton"),
    *("NumberInput", "Radio", "Selectbox", "Slider"),
)
_HTML, _HEAD = b'<html lang="en">', b"</head>"


class FirstPaint:
    """Puts the style of the first paint into the pages of HTML that ``app``, Streamlit, answers with."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or b"text/html" not in _header(scope, b"accept"):
            await self._app(scope, receive, send)
            return
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        held: list[Message] = []  # the head of an answer of HTML, until its length is known

        async def insert(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html") and "content-length" in headers:
                    held.append(message)
                    return
            elif held and message["type"] == "http.response.body":
                message = message | {"body": styled(message.get("body", b""), scope["path"], scope["query_string"])}
                start = held.pop()
                headers = MutableHeaders(scope=start)
                for name in ("etag", "last-modified"):  # of the file as it lies there
                    if name in headers:
                        del headers[name]
                headers["content-length"] = str(len(message["body"]))
                await send(start)
            await send(message)

        await self._app(scope | {"headers": plain}, receive, insert)


def _header(scope: Scope, wanted: bytes) -> bytes:
    return b", ".join(value for name, value in scope["headers"] if name == wanted)


def styled(page: bytes, path: str, query: bytes) -> bytes:
    """Streamlit's page with the style of the first paint of the page at ``path``."""
    name = path.strip("/").rpartition("/")[2]
    lecture = "lecture" in parse_qs(query.decode("latin-1"), keep_blank_values=True)
    opened = b'<html lang="en" class="mf-aside">' if name in WITH_SIDEBAR and not lecture else _HTML
    return page.replace(_HTML, opened, 1).replace(_HEAD, _styles(name if name in _PAGES else "", lecture) + _HEAD, 1)


@cache
def _styles(name: str, lecture: bool) -> bytes:
    """The style sheets of a page of ``_PAGES``, or of any other, whose name is ''; those of ``look`` in ``:root``, so
    that they are stronger than Streamlit's."""
    sheets = ["style.css", *([_PAGES[name]] if name else [])]
    brought, larger = "\n".join(map(_text, sheets)), _text("lecture.css") if lecture else ""
    before = f":root {{\n{brought}}}\n{larger}{_text('until_then.css')}"
    return f'{_ahead()}<style>\n{_text("first_paint.css")}</style><style id="{BEFORE}">\n{before}</style>'.encode()


def _text(sheet: str) -> str:
    return (_FOLDER / sheet).read_text("utf-8")


def _ahead() -> str:
    """Asks the browser for the parts of Streamlit's script before it knows that it needs them."""
    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    files = [file.name for part in PARTS for file in folder.glob(f"{part}.*.js")]
    return "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{file}">' for file in files)


MIDDLEWARE = Middleware(FirstPaint)
