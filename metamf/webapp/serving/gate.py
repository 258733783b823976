"""The gate before the sessions: where descriptors are nearly gone, a connection is refused before it takes a session.

A browser that is refused (status 503) tries again by itself, until there is room.
"""

from __future__ import annotations

from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from metamf.webapp.monitoring import observing
from metamf.webapp.serving import descriptors


class Gate:
    """Lets websockets, each of which is going to have a session, through to ``app``, Streamlit, while there is room."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket" or descriptors.room_for_a_session():
            await self._app(scope, receive, send)
            return
        observing.refused("descriptors short", most=descriptors.most())
        if "websocket.http.response" in scope.get("extensions", {}):
            refusal = PlainTextResponse("This server is full: try again later.", 503, {"Retry-After": "10"})
            await refusal(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1013})  # "try again later"


MIDDLEWARE = Middleware(Gate)
