"""Adds the security headers to every response of the app, on a laptop as well as on a server.

The Content-Security-Policy admits scripts of this server and the inline script of Streamlit's own index.html. The
digest of that script is computed when the server starts, so that another version of Streamlit needs no change here.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FRAME_ANCESTORS = "METAMF_FRAME_ANCESTORS"  # sites that may show the app in a frame, such as https://moodle.example.org
_INDEX = Path(streamlit.__file__).parent / "static" / "index.html"


def inline_scripts(page: str) -> list[str]:
    """Returns the CSP sources ('sha256-...') of the inline scripts of an HTML page."""
    scripts = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", page, re.S)
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return [f"'sha256-{digest}'" for digest in digests]


def security_headers(page: str, frame_ancestors: str = "") -> dict[str, str]:
    """Returns the headers for an app whose HTML is ``page``, which ``frame_ancestors`` may embed beside itself."""
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


def _with_headers(app: ASGIApp) -> ASGIApp:
    """Returns ``app`` with ``security_headers`` on all of its HTTP responses."""
    headers = security_headers(_INDEX.read_text("utf-8"), os.environ.get(FRAME_ANCESTORS, ""))

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(headers)
            await send(message)

        await app(scope, receive, send_with_headers)

    return answer


MIDDLEWARE = Middleware(_with_headers)
