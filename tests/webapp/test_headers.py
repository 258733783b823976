"""Security headers: every response of a real server has them; `served.visit` sees that no page violates the policy."""

import contextlib
import time
import urllib.error
import urllib.request

import pytest
from served import FRAMED_BY, in_a_loop

from metamf.webapp.headers import FRAME_ANCESTORS, MIDDLEWARE, inline_scripts, security_headers

EMPTY = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"  # the digest of no bytes


def test_inline_scripts_are_named_by_their_digest_and_others_are_not():
    page = '<script></script><script src="./a.js"></script><script type="module" crossorigin src="b.js"></script>'
    assert inline_scripts(page) == [EMPTY] and inline_scripts("<p>") == []
    assert f" {EMPTY}" in security_headers(page)["Content-Security-Policy"]


def test_other_sites_may_embed_the_app_only_if_they_are_named():
    assert security_headers("")["Content-Security-Policy"].endswith("frame-ancestors 'self'")
    named = security_headers("", "https://moodle.example.org")["Content-Security-Policy"]
    assert named.endswith("frame-ancestors 'self' https://moodle.example.org") and FRAME_ANCESTORS.startswith("METAMF_")


def headers_of(address):
    try:
        return urllib.request.urlopen(address, timeout=10).headers
    except urllib.error.HTTPError as error:
        return error.headers


@pytest.mark.slow
def test_every_response_of_a_real_server_has_them(app):
    paths = ("", "room?room=BCDFGHJK", "_stcore/health", "_stcore/stream", "media/none.csv", "static/none.js")
    for path in (*paths, "_stcore/upload_file/nobody/a-file", "nowhere/at/all", "..%2f..%2fpyproject.toml"):
        headers = headers_of(f"{app}/{path}")
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Referrer-Policy"] == "no-referrer", path
        assert headers["Permissions-Policy"] == "camera=(), microphone=(), geolocation=()", path
        policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
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
    for origin in ("http://evil.example", "null", "http://app.example.evil", "http://[", "http://app.example:1"):
        reached, sent = asked(origin, kind=kind)
        assert not reached and (sent[0].get("status") == 403 or sent[0]["type"] == "websocket.close"), origin
    for origin in ("", "https://app.example", "http://localhost:3000"):
        reached, _ = asked(origin, kind=kind)
        assert [headers.keys() for headers in reached] == [{b"host"}], origin


@pytest.mark.slow
def test_nobody_outside_makes_the_server_call_anybody(app, silent_proxy):
    """Requests of other sites are answered at once; nothing that any test did made the server ask the proxy."""
    for path in ("_stcore/health", "_stcore/host-config"):
        for origin, host in (("http://evil.example", None), ("http://evil.example", "evil.example")):
            began = time.monotonic()
            request = urllib.request.Request(f"{app}/{path}", headers={"Origin": origin})
            if host:
                request.add_header("Host", host)
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10)
            assert time.monotonic() - began < 1
    silent_proxy.settimeout(0.1)
    with pytest.raises(TimeoutError):
        silent_proxy.accept()
