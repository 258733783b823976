"""The style of the first paint, put into Streamlit's own page by the app's server."""

from pathlib import Path

import pytest
import streamlit
from opened import APP
from served import in_a_loop
from streamlit.web.server.app_discovery import discover_asgi_app

from metamf.webapp import first_paint

STATIC = Path(streamlit.__file__).parent / "static"
PAGE = b'<html lang="en"><head></head><body></body></html>'


def answered(body, kind="text/html; charset=utf-8", path="/watch", query=b"", accept=b"text/html,*/*", form="http"):
    """What a browser gets of an answer of Streamlit's, and what Streamlit was asked."""
    asked, sent = [], []

    async def inner(scope, receive, send):
        asked.append(scope)
        headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body)), (b"etag", b"old")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def send(message):
        sent.append(message)

    headers = [(b"accept", accept), (b"accept-encoding", b"gzip")]
    scope = {"type": form, "method": "GET", "path": path, "query_string": query, "headers": headers}
    in_a_loop(first_paint.FirstPaint(inner)(scope, None, send))
    return dict(sent[0]["headers"]), sent[1]["body"], dict(asked[0]["headers"])


def test_a_page_comes_with_the_place_of_its_frame_and_says_how_long_it_is():
    headers, body, asked = answered(PAGE)
    assert b'<html lang="en" class="mf-aside">' in body and b".stMainBlockContainer" in body.split(b"</head>")[0]
    assert headers[b"content-length"] == b"%d" % len(body) and b"etag" not in headers
    assert b"accept-encoding" not in asked  # nothing can be put into what is compressed


@pytest.mark.parametrize(
    "other",
    [{"kind": "text/javascript"}, {"accept": b"*/*"}, {"form": "websocket"}],
    ids=lambda other: next(iter(other)),
)
def test_what_is_not_a_page_stays_as_it_is(other):
    headers, body, asked = answered(PAGE, **other)
    assert body == PAGE and headers[b"etag"] == b"old"
    assert (b"accept-encoding" in asked) == ("kind" not in other)


def test_a_place_is_kept_for_the_sidebar_only_where_it_opens():
    opened = {
        path: b"mf-aside" in answered(PAGE, path=path)[1].split(b"<head>")[0] for path in ("/", "/a/compare", "/room")
    }
    assert opened == {"/": True, "/a/compare": True, "/room": False}
    assert b"mf-aside" not in answered(PAGE, query=b"lecture=1")[1].split(b"<head>")[0]
    assert b".mf-lesson h1" in answered(PAGE, path="/lesson")[1]


def test_streamlit_has_the_places_and_the_parts_and_finds_the_middleware():
    page = (STATIC / "index.html").read_bytes()
    assert page.count(b'<html lang="en">') == page.count(b"</head>") == 1
    styled = first_paint.styled(page, "/", b"").decode()
    ahead = [part.split('"')[0] for part in styled.split('<link rel="modulepreload" crossorigin href="./')[1:]]
    assert len(ahead) - page.count(b"modulepreload") == len(first_paint.PARTS)
    assert all((STATIC / file).is_file() for file in ahead)
    assert discover_asgi_app(APP).import_string == "app:app"


def test_addresses_of_nothing_are_not_kept():
    before = first_paint._styles.cache_info().currsize
    for number in range(20):
        answered(PAGE, path=f"/nowhere-{number}")
    assert first_paint._styles.cache_info().currsize <= before + 1
