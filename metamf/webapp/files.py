"""Files that a click makes and takes away, by an address of their own.

Streamlit's download button with a function keeps the file that it made until the runs of any two
pages have ended. In a class that is less time than a browser takes to ask for the file. Here the
button is a link to an address, the file is made when the browser asks for that, and nothing of it
stays on the server. The address holds a secret; it is good for as long as the visitor's session,
and gives what the button stood for last.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote
from weakref import WeakValueDictionary

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from metamf.webapp import address, jobs
from metamf.webapp.engine import EngineError, Job

ADDRESS = "file"  # first part of the addresses
_OFFERED = "files"  # in the session: key of a button -> what it offers
_GONE = "This file is no longer offered: open the page again and click the button there."
_FAILED = "This file could not be made: try again, or another format."
_TYPES = {  # by the ending of the name
    "csv": "text/csv",
    "html": "text/html",
    "ipynb": "application/x-ipynb+json",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}
_LOG = logging.getLogger("metamf.webapp")


class File(NamedTuple):
    """A file that can be made."""

    make: Callable[[], bytes | str | Job]
    name: str


class Offer:
    """What a button stands for now."""

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(16)
        self.file: File | None = None


_by_secret: WeakValueDictionary[str, Offer] = WeakValueDictionary()  # they are kept by the sessions


def offer(
    label: str, make: Callable[[], bytes | str | Job], name: str, *, key: str, **look: Any
) -> None:
    """Draws a button that takes a file away; ``make`` is called for each click, outside of a run of
    the page. It returns the file, or a job that makes it."""
    offers = st.session_state.setdefault(_OFFERED, {})
    found = offers.setdefault(key, Offer())
    found.file = File(make, name)
    _by_secret[found.secret] = found
    st.link_button(label, f"{ADDRESS}/{found.secret}", key=key, **look)


def routes() -> list[Route]:
    """The addresses of the files."""
    return [Route(address.path(f"{ADDRESS}/{{secret}}"), _send)]


async def _send(request: Request) -> Response:
    """Makes a file and sends it, or says in a sentence why there is none."""
    found = _by_secret.get(request.path_params["secret"])
    if found is None or found.file is None:
        return PlainTextResponse(_GONE, 404)
    file = found.file
    try:
        content = await asyncio.to_thread(file.make)
        if isinstance(content, Job):
            await jobs.ended(content)
            content = content.outcome()
    except EngineError as error:
        return PlainTextResponse(str(error), 503)
    except Exception:
        _LOG.exception("a file could not be made")
        return PlainTextResponse(_FAILED, 500)
    name = f"attachment; filename*=UTF-8''{quote(file.name)}"
    kind = _TYPES[file.name.rpartition(".")[2]]
    return Response(
        content, media_type=kind, headers={"Content-Disposition": name, "Cache-Control": "no-store"}
    )
