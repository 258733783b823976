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
    assert body.count(b"</head>") == 1 and b"modulepreload" in body


@pytest.mark.parametrize(
    "path, query, place",
    [
        ("/compare", "mf_t=3&mf=mine&keep=40", "./inside?experiment=MF+alone&mf_t=3&mf=mine&keep=40"),
        ("/compare", "mf_t=3&maps_cell=1%2C1", None),
        ("/inside", "mf_t=3", None),
        ("/watch", "", "./?factors=true"),
        ("/watch", "t=3&edits=9_10_1", "./?factors=true&t=3&edits=9_10_1"),
    ],
)
def test_an_older_address_leads_to_the_place_of_today_with_all_that_it_asks_for(path, query, place):
    assert answered(path, query).headers.get("location") == place
