"""Security headers: every response of a real server has them; `served.visit` sees that no page
violates the policy."""

import asyncio
import contextlib
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
import websockets_of_visitors
from served import FRAMED_BY, in_a_loop, served
from websockets_of_visitors import visiting

from metamf.webapp.headers import MIDDLEWARE, inline_scripts, security_headers

EMPTY = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"  # the digest of no bytes


def test_inline_scripts_are_named_by_their_digest_and_no_site_may_embed_the_app_unless_named():
    page = (
        '<script></script><script src="./a.js"></script><script type="module" crossorigin '
        'src="b.js"></script>'
    )
    assert inline_scripts(page) == [EMPTY] and inline_scripts("<p>") == []
    policy = security_headers(page)["Content-Security-Policy"]
    assert f" {EMPTY}" in policy
    assert policy.endswith("frame-ancestors 'self'")


def headers_of(address):
    try:
        return urllib.request.urlopen(address, timeout=10).headers
    except urllib.error.HTTPError as error:
        return error.headers


@pytest.mark.slow
def test_every_response_of_a_real_server_has_them(app):
    for path in (
        "",
        "room?room=BCDFGHJK",
        "_stcore/health",
        "_stcore/stream",
        "_stcore/upload_file/nobody/a-file",
        "media/none.csv",
        "static/none.js",
        "nowhere/at/all",
        "..%2f..%2fpyproject.toml",
    ):
        headers = headers_of(f"{app}/{path}")
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Referrer-Policy"] == "no-referrer", path
        assert headers["Permissions-Policy"] == "camera=(), microphone=(), geolocation=()", path
        policy = dict(
            part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";")
        )
        assert policy["default-src"] == "'self'" and policy["object-src"] == "'none'"
        assert policy["frame-ancestors"] == f"'self' {FRAMED_BY}", path
        assert "'unsafe" not in policy["script-src"], path


def asked(origin, host="app.example", kind="http"):
    """What the app and the visitor get of a request."""
    reached, sent = [], []

    async def app(scope, receive, send):
        reached.append(dict(scope["headers"]))

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    headers = [(b"host", host.encode()), *([(b"origin", origin.encode())] if origin else [])]
    scope = {"type": kind, "method": "GET", "path": "/", "headers": headers}
    in_a_loop(MIDDLEWARE.cls(app)(scope, receive, send))
    return reached, sent


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_request_of_another_site_never_reaches_streamlit_and_no_origin_does(kind):
    for origin in (
        "http://evil.example",
        "null",
        "http://app.example.evil",
        "http://[",
        "http://app.example:1",
    ):
        reached, sent = asked(origin, kind=kind)
        assert not reached and (
            sent[0].get("status") == 403 or sent[0]["type"] == "websocket.close"
        ), origin
    for origin in ("", "https://app.example", "http://localhost:3000"):
        reached, _ = asked(origin, kind=kind)
        assert [headers.keys() for headers in reached] == [{b"host"}], origin


@pytest.mark.slow
def test_nobody_outside_makes_the_server_call_anybody(app, silent_proxy):
    """Requests of other sites are answered at once; nothing that any test did made the server ask
    the proxy."""
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    for path in ("_stcore/health", "_stcore/host-config"):
        for host in ({}, {"Host": "evil.example"}):
            began = time.monotonic()
            headers = {"Origin": "http://evil.example"} | host
            with contextlib.suppress(urllib.error.HTTPError):
                ask(urllib.request.Request(f"{app}/{path}", headers=headers), timeout=10)
            assert time.monotonic() - began < 1
    silent_proxy.settimeout(0.1)
    with pytest.raises(TimeoutError):
        silent_proxy.accept()


def test_messages_of_a_flood_count_when_they_arrive_however_slow_the_app_is():
    reached, sent = [], []

    async def slow_app(scope, receive, send):
        while (message := await receive())["type"] != "websocket.disconnect":
            reached.append(message)
            await asyncio.sleep(0.01)
        reached.append(message)

    async def receive():
        await asyncio.sleep(0)
        return {"type": "websocket.receive", "bytes": b"run"}

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": "/", "headers": []}
    in_a_loop(MIDDLEWARE.cls(slow_app)(scope, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]
    assert len(reached) < 10  # what waited when the flood was seen never reaches the app
    assert reached[-1] == {"type": "websocket.disconnect", "code": 1008}


@pytest.mark.slow
def test_a_flood_of_one_visitor_is_closed_and_another_is_served_at_once(tmp_path):
    """Runs are asked for at 500 a second."""
    with served(tmp_path, flooded=True) as address, visiting(address) as other:
        other.run()
        alone = statistics.median(other.run() for _ in range(5))
        command = [sys.executable, websockets_of_visitors.__file__, address, "0.002"]
        flood = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        seconds = []
        while flood.poll() is None:
            seconds.append(other.run())
            time.sleep(0.1)
        assert flood.stdout.read() == "1008\n"
        assert statistics.median(seconds) < max(0.2, 2 * alone), seconds


@pytest.mark.slow
def test_a_visitor_has_two_files_at_most_that_no_page_has_read(app):
    with visiting(app) as visitor, visiting(app) as other:
        visitor.run("your_table")
        other.run()
        for n in range(4):  # which the page reads, and that go with it
            [key] = [key for key in visitor.widgets if key.startswith("table_file_")]
            content = f"a,b\n1,{n}\n2,\n".encode()
            assert visitor.upload("your_table", key, f"{n}.csv", content, "table_forget") == 204
            visitor.widgets.pop(key)
            visitor.press("your_table", "table_forget")
            visitor.run("your_table")
        assert [visitor.put(f"{n}.csv", content) for n in range(4)] == [204, 204, 429, 429]
        assert visitor.put("1.csv", content) == 204  # in place of itself
        assert other.put("1.csv", content) == 204
        with ThreadPoolExecutor() as pool:
            many = list(pool.map(lambda n: other.put(f"{n}.csv", content), range(2, 12)))
        assert sorted(many) == [204, *[429] * 9]
