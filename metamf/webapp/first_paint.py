"""Puts the frame of a page into Streamlit's HTML, so that nothing moves when the page arrives.

Streamlit's own page comes first, and our style with the first answer of its server. Without this, a page that opens
shifts by 0.29 (the browser's measure; 0.1 is called good), with it by less than 0.1 (tests/browser/test_stillness.py).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import parse_qs

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

WITH_SIDEBAR = ("", "watch", "compare", "inside")  # pages that open with it, by their names in addresses
_FRAME = b""".stApp .stMainBlockContainer.stMainBlockContainer { width: 100%; max-width: 92rem; margin: 0 auto;
  padding: 4.25rem 3rem 3rem; }
@media (max-width: 640px) { .stApp .stMainBlockContainer.stMainBlockContainer { padding: 4rem 1rem 3rem; } }
@media (min-width: 1800px) { .stApp .stMainBlockContainer.stMainBlockContainer { max-width: 101.25rem; } }
/* Parts of Streamlit's script arrive one by one, each in place of a grey bar. Nothing is shown before all are there,
   but for what the browser draws, whose place is kept. */
.stMainBlockContainer:is(:not(:has(.stHtml)), :has([data-testid="stSkeleton"]:not(:is([class*="st-key-figure-"],
  [class*="st-key-drawn-"], .st-key-player, .st-key-training) *))),
.stSidebar:has([data-testid="stSkeleton"]) { visibility: hidden; animation: mf-at-last 0s 6s forwards; }
@keyframes mf-at-last { to { visibility: visible; } }
"""
PARTS = (  # pieces of Streamlit's script that the browser asks for before it knows that it needs them
    *("Html", "BidiComponent", "Button", "ButtonGroup", "Checkbox", "DownloadButton"),
    *("NumberInput", "Radio", "Selectbox", "Slider"),
)
_PLACE_OF_SIDEBAR = b"""@media (min-width: 768px) {
  .stAppViewContainer:not(:has(> .stSidebar)) { padding-left: 300px; }
}
"""


class FirstPaint:
    """ASGI middleware that adds a style to the pages of HTML that ``app`` answers with."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        page = scope["path"].strip("/").rpartition("/")[2]
        asked = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        sidebar = page in WITH_SIDEBAR and "lecture" not in asked
        style = _ahead() + b"<style>\n" + _FRAME + (_PLACE_OF_SIDEBAR if sidebar else b"") + b"</style></head>"
        started: list[Message] = []  # the head of an answer of HTML, until its length is known

        async def insert(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html") and "content-length" in headers:
                    started.append(message)
                    return
            elif started and message["type"] == "http.response.body":
                start, body = started.pop(), message.get("body", b"").replace(b"</head>", style, 1)
                headers = MutableHeaders(scope=start)
                for name in ("etag", "last-modified"):  # of Streamlit's file
                    if name in headers:
                        del headers[name]
                headers["content-length"] = str(len(body))
                await send(start)
                message = {**message, "body": body}
            await send(message)

        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        await self._app({**scope, "headers": plain}, receive, insert)


@cache
def _ahead() -> bytes:
    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    files = [file.name for part in PARTS for file in folder.glob(f"{part}.*.js")]
    links = (f'<link rel="modulepreload" crossorigin href="./static/js/{file}">' for file in files)
    return "".join(links).encode()


MIDDLEWARE = Middleware(FirstPaint)
