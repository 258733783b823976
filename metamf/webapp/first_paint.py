"""Serves Streamlit's HTML with the frame of the page in it, so that nothing moves when the page arrives.

Streamlit's own page comes first, and our style with the first answer of its server. Without this, a page that opens
shifts by 0.29 (the browser's measure; 0.1 is called good), with it by less than 0.1 (tests/browser/test_stillness.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

WITH_SIDEBAR = ("", "compare", "inside")  # pages whose figures obey it, by their names in addresses
_WITHOUT = ("train", "lesson", "room", "results", "teach", "your_table", "watch")
_STATIC = Path(st.__file__).parent / "static"
_PARTS = (  # pieces of Streamlit's script that the browser asks for before it knows that it needs them
    *("Html", "BidiComponent", "Button", "ButtonGroup", "Checkbox", "DownloadButton"),
    *("NumberInput", "Radio", "Selectbox", "Slider"),
)
_PLACE_OF_SIDEBAR = """@media (min-width: 768px) {
  .stAppViewContainer:not(:has(> .stSidebar)) { padding-left: 300px; }
}
"""


def routes() -> list[Route]:
    base = st.get_option("server.baseUrlPath").strip("/")
    return [Route(f"{base and '/'}{base}/{page}", _answer) for page in (*WITH_SIDEBAR, *_WITHOUT)]


def _answer(request: Request) -> Response:
    page = request.url.path.rpartition("/")[2]
    if place := _moved(page, request.query_params):
        return RedirectResponse(f"./{place}&{request.url.query}".rstrip("&"))
    sidebar = page in WITH_SIDEBAR and "lecture" not in request.query_params
    return HTMLResponse(html(sidebar), headers={"Cache-Control": "no-cache"})


def _moved(page: str, query: Mapping[str, str]) -> str:
    """Where an older address leads: its page, and what its parameters lack; '' for an address of today."""
    of_mf = any(name == "mf" or name.startswith("mf_") for name in query)
    if page == "compare" and of_mf and not any(name.startswith(("maps", "map_", "methods")) for name in query):
        return "inside?experiment=MF+alone"
    return "?factors=true" if page == "watch" else ""


@cache
def html(sidebar: bool) -> str:
    """Returns Streamlit's HTML with the frame of a page, and with the place of the sidebar where it opens with one."""
    files = [file.name for part in _PARTS for file in (_STATIC / "static" / "js").glob(f"{part}.*.js")]
    links = "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{file}">' for file in files)
    frame = Path(__file__).with_suffix(".css").read_text("utf-8") + (_PLACE_OF_SIDEBAR if sidebar else "")
    page = (_STATIC / "index.html").read_text("utf-8")
    return page.replace("</head>", f"{links}<style>\n{frame}</style></head>", 1)
