"""Who visits the server, and what happens when they have left: their session ends, and their memory
comes back.

Streamlit keeps the session of a browser that is away, so that it can come back, and forgets it only
when the next visitor comes. On a quiet server that is never, so the server looks for sessions whose
time is over.
"""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from typing import NamedTuple

import psutil
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from metamf.wording import MIB

AWAY = 100.0  # seconds after which a session ends; Streamlit itself lets nobody come back after 120
_LOOK = 5.0  # seconds between two looks
_GROWN = 64 * MIB  # by which the server grows before garbage is collected
_seen: dict[str, float] = {}  # session -> when its browser was last seen
MOST_FILES = 2  # of a session that no page has read
_files: dict[str, set[str]] = {}  # session -> files that have arrived and may still be there
_arriving: Counter[str] = Counter()  # session -> files that arrive now


class Visitor(NamedTuple):
    """The owner of jobs: a session, and the address that it comes from."""

    session: str
    address: str = ""


def visitor() -> Visitor:
    """The visitor for whom the page runs; without a session, as in a function that a button calls,
    it is nobody."""
    import streamlit as st

    context = get_script_run_ctx(suppress_warning=True)
    return (
        Visitor("")
        if context is None
        else Visitor(context.session_id, st.context.ip_address or "this machine")
    )


def present(owner: Visitor) -> bool:
    """Whether the visitor's browser is connected."""
    return not Runtime.exists() or Runtime.instance().is_active_session(owner.session)


def register() -> None:
    """Notes that the visitor is here; the session ends ``AWAY`` seconds after the browser has
    left."""
    _seen[visitor().session] = time.monotonic()


def new_folder() -> tempfile.TemporaryDirectory:
    """A folder for what a visitor's jobs have made: gone with what holds it, or with the server, by
    SIGTERM as well."""
    return tempfile.TemporaryDirectory(dir=_folder().name)


@contextmanager
def uploading(session: str, file: str) -> Iterator[bool]:
    """Counts the file of a session while it arrives; whether it may.

    A session has ``MOST_FILES`` that arrive or that no page has read, at the most.
    """
    if not Runtime.exists() or not Runtime.instance().is_active_session(session):
        yield True  # which Streamlit refuses
        return
    files = Runtime.instance().uploaded_file_mgr
    for other, known in list(_files.items()):
        _files[other] = {kept.file_id for kept in files.get_files(other, list(known))}
        if not _files[other]:
            del _files[other]
    others = _files.get(session, set()) - {file}
    if len(others) + _arriving[session] >= MOST_FILES:
        yield False
        return
    _arriving[session] += 1
    try:
        yield True
    finally:
        _files.setdefault(session, set()).add(file)
        _arriving[session] -= 1
        if not _arriving[session]:
            del _arriving[session]


def drop_files() -> None:
    """Lets Streamlit forget the visitor's files, once a page has read them."""
    if Runtime.exists():
        Runtime.instance().uploaded_file_mgr.remove_session_files(visitor().session)


def use_own_folder() -> None:
    """Lets the processes that this server starts, and torch and Dask where they are imported from
    now on, write to a temporary folder that is gone with the server."""
    for variable in ("TMPDIR", "TORCHINDUCTOR_CACHE_DIR", "DASK_TEMPORARY_DIRECTORY"):
        os.environ[variable] = _folder().name


@cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="metamf-")


@asynccontextmanager
async def watching(app: object) -> AsyncIterator[None]:
    """Ends sessions as long as the server runs, in its event loop; in the end removes what
    visitors' jobs have made."""
    with _folder():
        watch = asyncio.create_task(_watch())
        yield
        watch.cancel()
    _folder.cache_clear()


async def _watch() -> None:
    """Ends sessions, and collects garbage where one has ended or the server has grown: a session,
    and what was made for a large table, are full of cycles, which Python alone finds late."""
    # what is there at the start, such as torch, is never garbage, and a collection need not look at
    # it
    gc.freeze()
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
