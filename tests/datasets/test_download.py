"""Downloads from a server of our own on 127.0.0.1 that cuts connections and lies."""

import contextlib
import errno
import hashlib
import io
import random
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tiny_archives import describe

from metamf import datasets
from metamf.datasets import DownloadError

U_DATA = "1\t1\t4\t0\n1\t2\t5\t0\n2\t1\t3\t0\n"
FILE = "ml-100k.zip"


def make_zip(seed=0) -> bytes:
    """A tiny ml-100k, made a few hundred kilobytes long by a member that nobody reads."""
    members = {"u.data": U_DATA, "u.item": "1|One|\n2|Two|\n"}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for member, text in members.items():
            file.writestr(zipfile.ZipInfo(f"ml-100k/{member}"), text, zipfile.ZIP_DEFLATED)
        file.writestr(zipfile.ZipInfo("filler"), random.Random(seed).randbytes(400_000))
    return content.getvalue()


class Server(ThreadingHTTPServer):
    """Serves ``content``; ``status``, ``cut`` and ``declare_length`` are what can go wrong."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content, self.status, self.requests = make_zip(), 200, 0
        self.cut, self.declare_length = None, True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/{FILE}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802
        server, content = self.server, self.server.content
        server.requests += 1
        self.send_response(server.status)
        if server.declare_length:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(content[: server.cut])

    def log_message(self, *message):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    server = Server()
    facts = {"url": server.address, "mirror": "http://127.0.0.1:1/", "shape": (2, 2), "ratings": 3}
    announce(monkeypatch, server.content, **facts)
    monkeypatch.setenv("no_proxy", "*")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def announce(monkeypatch, content, **facts):
    """As the archive of ml-100k."""
    digest = f"md5:{hashlib.md5(content).hexdigest()}"
    describe(monkeypatch, "ml-100k", size=len(content), digest=digest, **facts)


def left(tmp_path) -> set[str]:
    return {path.name for path in (tmp_path / "data").iterdir()}


def test_a_whole_download_is_put_in_place_and_can_be_loaded(server, tmp_path):
    seen = []
    path = datasets.download("ml-100k", progress=lambda done, total: seen.append((done, total)))
    size = len(server.content)
    assert path == tmp_path / "data" / FILE and path.read_bytes() == server.content
    assert left(tmp_path) == {FILE}
    assert (seen[0], seen[-1]) == ((0, size), (size, size))
    assert seen == sorted(seen) and len(seen) > 3
    assert datasets.load("ml-100k").nnz == 3
    assert datasets.download("ml-100k") == path and server.requests == 1  # it is there


def test_a_cut_connection_leaves_nothing_and_names_both_addresses(server, tmp_path):
    server.cut = 100_000
    said = rf"{server.address}: .*onnection broken.*127.0.0.1:1/: no connection.*fetch it by hand"
    with pytest.raises(DownloadError, match=said):
        datasets.download("ml-100k")
    assert left(tmp_path) == set()


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")]
)
def test_a_stop_or_a_full_disk_half_way_leaves_nothing(server, tmp_path, error):
    def stop(done, total):
        if done > total / 2:
            raise error

    with pytest.raises(type(error)):
        datasets.download("ml-100k", progress=stop)
    assert left(tmp_path) == set()
    assert datasets.download("ml-100k").read_bytes() == server.content


@pytest.mark.parametrize("content", [make_zip(seed=1), b"<html>Please sign in</html>"])
def test_a_wrong_file_is_refused_and_nothing_is_left(server, tmp_path, content):
    server.content = content
    with pytest.raises(DownloadError, match="hash of downloaded file"):
        datasets.download("ml-100k")
    assert left(tmp_path) == set() and not datasets.available("ml-100k")


def test_a_server_that_never_stops_sending_is_cut_off(server, tmp_path):
    server.declare_length = False
    server.content += b"x" * 400_000
    with pytest.raises(DownloadError, match="more than the archive's"):
        datasets.download("ml-100k")
    assert left(tmp_path) == set()


@pytest.mark.parametrize("status", [404, 503])
def test_an_error_of_the_server_is_named(server, status):
    server.status = status
    with pytest.raises(DownloadError, match=f"the server answered {status}"):
        datasets.download("ml-100k")


def test_the_mirror_is_asked_where_the_publisher_does_not_answer(server, monkeypatch):
    announce(monkeypatch, server.content, url="http://127.0.0.1:1/", mirror=server.address)
    assert datasets.download("ml-100k").read_bytes() == server.content


def test_two_who_ask_at_once_share_one_download(server):
    threads = [threading.Thread(target=datasets.download, args=("ml-100k",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert datasets.available("ml-100k") and server.requests == 1
