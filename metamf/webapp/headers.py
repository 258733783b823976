"""Refuses requests of other sites, floods of messages and files that no page reads, and adds the
security headers to every response of the app, on a laptop as well.

The Content-Security-Policy admits scripts of this server and the inline script of Streamlit's own
index.html. The digest of that script is computed when the server starts, so that another version of
Streamlit needs no change here.

Streamlit's page finds its server by trying its own address first, which fails on every page but the
first one, and waits a tenth of a second. So it is told where the server is, by its own setting for
hosts.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import re
import time
from pathlib import Path
from urllib.parse import urlsplit

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from metamf.webapp import address, visits

LOCAL = ("localhost", "127.0.0.1", "::1")  # names by which a machine's own programs reach it
# sites that may show the app in a frame, such as https://moodle.example.org
FRAME_ANCESTORS = "METAMF_FRAME_ANCESTORS"
# messages that a page sends: after each click or key, and some at its start
RATE = 30  # a second
BURST = 100
_UPLOAD = re.compile("/_stcore/upload_file/([^/]+)/([^/]+)$")  # of a session, a file
_INDEX = Path(streamlit.__file__).parent / "static" / "index.html"
_PAGES = Path(__file__).parents[2] / "pages"
# each page is one step below the place at which the app is served
_SERVER = "<script>window.__streamlit = {BACKEND_BASE_URL: new URL('.', location).href}</script>"


def inline_scripts(page: str) -> list[str]:
    """Returns the CSP sources ('sha256-...') of the inline scripts of an HTML page."""
    scripts = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", page, re.S)
    digests = (
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    )
    return [f"'sha256-{digest}'" for digest in digests]


def routes() -> list[Route]:
    """Returns the routes of all pages but the first one, whose HTML is Streamlit's own and says
    where the server is."""
    page = _index()

    def send(request: Request) -> HTMLResponse:
        return HTMLResponse(page, headers={"Cache-Control": "no-cache"})

    return [Route(address.path(script.stem), send) for script in _PAGES.glob("*.py")]


def _index() -> str:
    return _INDEX.read_text("utf-8").replace("<head>", f"<head>{_SERVER}", 1)


def security_headers(page: str, frame_ancestors: str = "") -> dict[str, str]:
    """Returns the headers for an app whose HTML is ``page``, which ``frame_ancestors`` may embed
    next to itself."""
    policy = {
        "default-src": "'self'",
        "script-src": " ".join(["'self' blob: 'wasm-unsafe-eval'", *inline_scripts(page)]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' data: blob:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": f"'self' {frame_ancestors}".strip(),
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",  # addresses hold the codes of rooms
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    }


def of_this_site(headers: Headers) -> bool:
    """Whether a request comes from a page of the host that it asks, from this machine, or from no
    page at all."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        where = urlsplit(origin)
        return where.netloc == headers.get("host") or where.hostname in LOCAL
    except ValueError:
        return False


async def _paced(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Serves a websocket, and closes it (1008) where it sends more than ``RATE`` messages a second,
    beyond the first ``BURST``: each may be a run of a page.

    Messages count when they arrive, since the app takes them the slower the more there are.
    """
    arrived: asyncio.Queue[Message] = asyncio.Queue()
    closed = False

    async def count() -> None:
        nonlocal closed
        left = float(BURST)
        last = time.monotonic()
        while not closed:
            message = await receive()
            if message["type"] == "websocket.receive":
                now = time.monotonic()
                left = min(BURST, left + RATE * (now - last)) - 1
                last = now
            if left >= 0:
                closed = message["type"] == "websocket.disconnect"
                arrived.put_nowait(message)
                continue
            closed = True
            while not arrived.empty():
                arrived.get_nowait()
            try:
                await send({"type": "websocket.close", "code": 1008})
            finally:
                arrived.put_nowait({"type": "websocket.disconnect", "code": 1008})

    async def send_while_open(message: Message) -> None:
        if not closed:
            await send(message)

    counting = asyncio.create_task(count())
    try:
        await app(scope, arrived.get, send_while_open)
    finally:
        counting.cancel()


def _guarded(app: ASGIApp) -> ASGIApp:
    """Returns ``app`` with ``security_headers`` on its HTTP responses, which neither requests of
    other sites reach, nor floods of messages, nor more files than a visitor's page reads.

    Streamlit asks the Internet for this server's address to judge an Origin, while everybody waits.
    So it sees none.
    """
    headers = security_headers(_index(), os.environ.get(FRAME_ANCESTORS, ""))

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(headers)
            await send(message)

        if scope["type"] not in ("http", "websocket"):
            await app(scope, receive, send)
            return
        if not of_this_site(Headers(scope=scope)):
            if scope["type"] == "http":
                refused = PlainTextResponse("This page belongs to another site.", 403)
                await refused(scope, receive, send_with_headers)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            return
        others = [(name, value) for name, value in scope["headers"] if name != b"origin"]
        seen = {**scope, "headers": others}
        if scope["type"] == "websocket":
            await _paced(app, seen, receive, send_with_headers)
            return
        upload = _UPLOAD.search(scope["path"]) if scope["method"] == "PUT" else None
        if upload is None:
            await app(seen, receive, send_with_headers)
            return
        with visits.uploading(*upload.groups()) as admitted:
            if admitted:
                await app(seen, receive, send_with_headers)
            else:
                refused = PlainTextResponse("Two files of yours are here already.", 429)
                await refused(scope, receive, send_with_headers)

    return answer


MIDDLEWARE = Middleware(_guarded)
