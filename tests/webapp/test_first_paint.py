"""The frame of a page is in Streamlit's HTML, and nothing else of what it sends is touched."""

import pytest
from served import in_a_loop

from metamf.webapp.first_paint import FirstPaint

HTML = b"<html><head><title>x</title></head><body></body></html>"


def get(path, query="", accept="text/html", kind="text/html"):
    """Headers and body of the answer of an app that answers everything with HTML."""
    sent = []

    async def app(scope, receive, send):
        headers = [(b"content-type", kind.encode()), (b"content-length", str(len(HTML)).encode()), (b"etag", b"1")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": HTML})

    async def send(message):
        sent.append(message)

    headers = [(b"accept", accept.encode()), (b"accept-encoding", b"gzip")]
    scope = {"type": "http", "path": path, "query_string": query.encode(), "headers": headers}
    in_a_loop(FirstPaint(app)(scope, None, send))
    return dict(sent[0]["headers"]), sent[1]["body"]


@pytest.mark.parametrize(
    "path, query, sidebar",
    [("/", "", True), ("/watch", "t=3", True), ("/watch", "lecture=1", False), ("/train", "", False)],
)
def test_a_page_has_its_frame_and_the_place_of_its_sidebar(path, query, sidebar):
    headers, body = get(path, query)
    assert b"max-width: 92rem" in body and (b"padding-left: 300px" in body) == sidebar
    assert headers[b"content-length"] == str(len(body)).encode() and b"etag" not in headers


@pytest.mark.parametrize("other", [{"accept": "*/*"}, {"kind": "text/plain"}])
def test_everything_else_passes_as_it_is(other):
    headers, body = get("/", **other)
    assert body == HTML and headers[b"etag"] == b"1"
