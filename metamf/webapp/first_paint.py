"""Serves Streamlit's HTML with the frame of the page in it, so that nothing moves when the page arrives.

Streamlit's own page comes first, and our style with the first answer of its server. Without this, a page that opens
shifts by 0.29 (the browser's measure; 0.1 is called good), with it by less than 0.1 (tests/browser/test_stillness.py).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from metamf.webapp import address

WITH_SIDEBAR = ("", "compare", "inside")  # pages whose figures obey it, by their names in addresses
_WITHOUT = ("train", "lesson", "room", "results", "teach", "your_table")
_STATIC = Path(st.__file__).parent / "static"
_PLACE_OF_SIDEBAR = """@media (min-width: 768px) {
  .stAppViewContainer:not(:has(> .stSidebar)) { padding-left: 300px; }
}
"""


def routes() -> list[Route]:
    return [Route(address.path(page), _answer) for page in (*WITH_SIDEBAR, *_WITHOUT)]


def _answer(request: Request) -> Response:
    page = request.url.path.rpartition("/")[2]
    sidebar = page in WITH_SIDEBAR and "lecture" not in request.query_params
    return HTMLResponse(html(sidebar), headers={"Cache-Control": "no-cache"})


@cache
def html(sidebar: bool) -> str:
    """Returns Streamlit's HTML with the frame of a page, and with the place of the sidebar where it opens with one."""
    frame = Path(__file__).with_suffix(".css").read_text("utf-8") + (_PLACE_OF_SIDEBAR if sidebar else "")
    page = (_STATIC / "index.html").read_text("utf-8")
    return page.replace("</head>", f"<style>\n{frame}</style></head>", 1)
