"""Who visits the server, and what happens when they have left: their session ends, and their memory comes back.

Streamlit keeps the session of a browser that is away, so that it can come back, and forgets it only when the next
visitor comes. On a quiet server that is never, so the server looks for sessions whose time is over.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psutil
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from metamf.wording import MIB

AWAY = 100.0  # seconds after which a session ends; Streamlit itself lets nobody come back after 120
_LOOK = 5.0  # seconds between two looks
_GROWN = 64 * MIB  # by which the server grows before garbage is collected
_seen: dict[str, float] = {}  # session -> when its browser was last seen


class Visitor(NamedTuple):
    """The owner of jobs: a session, and the address that it comes from."""

    session: str
    address: str = ""


def visitor() -> Visitor:
    """The visitor for whom the page runs; without a session, as in a function that a button calls, it is nobody."""
    import streamlit as st

    context = get_script_run_ctx(suppress_warning=True)
    return Visitor("") if context is None else Visitor(context.session_id, st.context.ip_address or "this machine")


def present(owner: Visitor) -> bool:
    """Whether the visitor's browser is connected."""
    return not Runtime.exists() or Runtime.instance().is_active_session(owner.session)


def register() -> None:
    """Notes that the visitor is here; the session ends ``AWAY`` seconds after the browser has left."""
    _seen[visitor().session] = time.monotonic()


def new_folder() -> TemporaryDirectory:
    """A folder for what a visitor's jobs have made: gone with what holds it, or with the server, by SIGTERM as well."""
    return TemporaryDirectory(dir=_folder().name)


@cache
def _folder() -> TemporaryDirectory:
    return TemporaryDirectory(prefix="metamf-")


@asynccontextmanager
async def watching(app: object) -> AsyncIterator[None]:
    """Ends sessions as long as the server runs, in its event loop; in the end removes what visitors' jobs have made."""
    with _folder():
        watch = asyncio.create_task(_watch())
        yield
        watch.cancel()
    _folder.cache_clear()


async def _watch() -> None:
    """Ends sessions, and collects garbage where one has ended or the server has grown: a session, and what was made
    for a large table, are full of cycles, which Python alone finds late."""
    gc.freeze()  # what is there at the start, such as torch, is never garbage, and a collection need not look at it
    server = psutil.Process()
    usual = server.memory_info().rss
    while True:
        await asyncio.sleep(_LOOK)
        ended = Runtime.exists() and end_sessions(Runtime.instance(), time.monotonic())
        if ended or server.memory_info().rss - usual > _GROWN:
            await asyncio.to_thread(gc.collect)
            usual = server.memory_info().rss


def end_sessions(runtime: Runtime, now: float) -> list[str]:
    """Ends the sessions of browsers that have been away for ``AWAY`` seconds, and returns them."""
    known = list(_seen)
    _seen.update({session: now for session in known if runtime.is_active_session(session)})
    over = [session for session in known if now - _seen[session] > AWAY]
    for session in over:
        del _seen[session]
        runtime.close_session(session)
    return over
