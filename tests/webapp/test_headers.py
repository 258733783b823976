"""Security headers: every response of a real server has them; `served.visit` sees that no page violates the policy."""

import urllib.error
import urllib.request

import pytest
from served import FRAMED_BY

from metamf.webapp.headers import FRAME_ANCESTORS, inline_scripts, security_headers

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
