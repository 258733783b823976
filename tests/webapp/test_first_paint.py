"""The frame of a page is in Streamlit's HTML, and the place of the sidebar where the page opens with one."""

import pytest
from starlette.requests import Request

from metamf.webapp import first_paint


def answered(path, query):
    [route] = [route for route in first_paint.routes() if route.path == path]
    scope = {"type": "http", "path": path, "query_string": query.encode(), "headers": [], "server": ("host", 80)}
    return route.endpoint(Request(scope))


@pytest.mark.parametrize(
    "path, query, sidebar",
    [("/", "", True), ("/compare", "t=3", True), ("/", "lecture=1", False), ("/train", "", False)],
)
def test_a_page_has_its_frame_and_the_place_of_its_sidebar(path, query, sidebar):
    body = answered(path, query).body
    assert b"max-width: 92rem" in body and (b"padding-left: 300px" in body) == sidebar
    assert body.count(b"</head>") == 1
