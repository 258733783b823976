"""Refuses requests of other sites, and adds the security headers to every response of the app, on a laptop as well.

The Content-Security-Policy admits scripts of this server and the inline script of Streamlit's own index.html. The
digest of that script is computed when the server starts, so that another version of Streamlit needs no change here.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = ("localhost", "127.0.0.1", "::1")  # names by which a machine's own programs reach it
FRAME_ANCESTORS = "METAMF_FRAME_ANCESTORS"  # sites that may show the app in a frame, such as https://moodle.example.org
_INDEX = Path(streamlit.__file__).parent / "static" / "index.html"


def inline_scripts(page: str) -> list[str]:
    """Returns the CSP sources ('sha256-...') of the inline scripts of an HTML page."""
    scripts = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", page, re.S)
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return [f"'sha256-{digest}'" for digest in digests]


def security_headers(page: str, frame_ancestors: str = "") -> dict[str, str]:
    """Returns the headers for an app whose HTML is ``page``, which ``frame_ancestors`` may embed next to itself."""
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
    """Whether a request comes from a page of the host that it asks, from this machine, or from no page at all."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        where = urlsplit(origin)
        return where.netloc == headers.get("host") or where.hostname in LOCAL
    except ValueError:
        return False


def _guarded(app: ASGIApp) -> ASGIApp:
    """Returns ``app`` with ``security_headers`` on its HTTP responses, which requests of other sites do not reach.

    Streamlit asks the Internet for this server's address to judge an Origin, while everybody waits. So it sees none.
    """
    headers = security_headers(_INDEX.read_text("utf-8"), os.environ.get(FRAME_ANCESTORS, ""))

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(headers)
            await send(message)

        if scope["type"] not in ("http", "websocket"):
            await app(scope, receive, send)
        elif of_this_site(Headers(scope=scope)):
            others = [(name, value) for name, value in scope["headers"] if name != b"origin"]
            await app({**scope, "headers": others}, receive, send_with_headers)
        elif scope["type"] == "http":
            refused = PlainTextResponse("This page belongs to another site.", 403)
            await refused(scope, receive, send_with_headers)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    return answer


MIDDLEWARE = Middleware(_guarded)
