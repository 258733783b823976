"""Downloads from a server of our own on 127.0.0.1 that cuts connections, ignores ranges and changes its file."""

import contextlib
import errno
import hashlib
import importlib
import io
import random
import threading
import time
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from metamf import datasets
from metamf.datasets import DownloadError, archives

downloading = importlib.import_module("metamf.datasets.download")  # the package's name "download" is the function
U_DATA = "1\t1\t4\t0\n1\t2\t5\t0\n2\t1\t3\t0\n"
FILE = "ml-100k.zip"


def make_zip(seed=0, **replaced) -> bytes:
    """A tiny ml-100k, made a few hundred kilobytes long by a member that nobody reads."""
    members = {"u.data": U_DATA, "u.item": "1|One|\n2|Two|\n", "u1.base": U_DATA[:8], "u1.test": U_DATA[8:]}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for member, text in (members | {name.replace("_", "."): text for name, text in replaced.items()}).items():
            if text is not None:
                file.writestr(zipfile.ZipInfo(f"ml-100k/{member}"), text, zipfile.ZIP_DEFLATED)
        file.writestr(zipfile.ZipInfo("filler"), random.Random(seed).randbytes(400_000))
    return content.getvalue()


class Server(ThreadingHTTPServer):
    """Serves ``content``; the other attributes are what can go wrong. ``requests``: the headers of each request."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = []
        self.content, self.etag, self.status = make_zip(), '"first"', 200
        self.ranges, self.cuts, self.range_shift, self.declare_length = True, [], 0, True
        self.drips = False  # sends a few bytes now and then, often enough that the connection does not count as lost

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802
        server, content = self.server, self.server.content
        server.requests.append(self.headers)
        start = 0
        wanted = self.headers.get("Range")
        if wanted and server.ranges and self.headers.get("If-Range") in (None, server.etag):
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) + server.range_shift
        self.send_response(206 if start else server.status)
        if server.etag:
            self.send_header("ETag", server.etag)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if server.declare_length:
            self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        stop = server.cuts.pop(0) if server.cuts else len(content)
        with contextlib.suppress(ConnectionError):
            while server.drips and start < stop:
                self.wfile.write(content[start : start + 100])
                start += 100
                time.sleep(0.02)
            self.wfile.write(content[start:stop])

    def log_message(self, *message):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    server = Server()
    content = server.content
    archive = replace(
        archives.ARCHIVES["ml-100k"],
        size=len(content),
        digest=md5(content),
        shape=(2, 2),
        ratings=3,
        mirror="http://127.0.0.1:1/",
    )
    monkeypatch.setitem(archives.ARCHIVES, "ml-100k", archive)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("METAMF_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(downloading, "PAUSE", 0.0)
    monkeypatch.setenv("no_proxy", "*")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def md5(content: bytes) -> str:
    return f"md5:{hashlib.md5(content).hexdigest()}"


def get(server, progress=None):
    return datasets.download("ml-100k", progress=progress, base_url=server.address)


def left(tmp_path) -> set[str]:
    return {path.name for path in (tmp_path / "data").iterdir()}


def test_a_whole_download_is_put_in_place_and_can_be_loaded(server, tmp_path):
    seen = []
    path = get(server, lambda done, total: seen.append((done, total)))
    size = len(server.content)
    assert path == tmp_path / "data" / FILE
    assert path.read_bytes() == server.content
    assert left(tmp_path) == {FILE}
    assert seen[0] == (0, size) and seen[-1] == (size, size) and seen == sorted(seen) and len(seen) > 3
    assert datasets.load("ml-100k").nnz == 3


def test_an_archive_that_is_there_is_not_fetched_again(server):
    assert get(server) == get(server)
    assert len(server.requests) == 1


def test_a_cut_connection_is_resumed_where_it_stopped(server):
    server.cuts = [100_000, 250_000]
    path = get(server)
    assert [headers.get("Range") for headers in server.requests] == [None, "bytes=100000-", "bytes=250000-"]
    assert [headers.get("If-Range") for headers in server.requests] == [None, '"first"', '"first"']
    assert path.read_bytes() == server.content


def test_a_connection_that_keeps_breaking_leaves_its_part_for_the_next_call(server, tmp_path):
    server.cuts = [1000, 2000, 3000]
    with pytest.raises(DownloadError, match="ended after 3,000 of"):
        get(server)
    assert left(tmp_path) == {f"{FILE}.part", f"{FILE}.part.validator"}
    assert get(server).read_bytes() == server.content
    assert server.requests[-1]["Range"] == "bytes=3000-"


def test_a_stop_half_way_leaves_only_the_part_and_the_next_call_resumes(server, tmp_path):
    def stop(done, total):
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(server, stop)
    part = tmp_path / "data" / f"{FILE}.part"
    half = part.stat().st_size
    assert FILE not in left(tmp_path)
    assert server.content[:half] == part.read_bytes() and len(server.content) / 2 < half < len(server.content)
    assert get(server).read_bytes() == server.content
    assert server.requests[-1]["Range"] == f"bytes={half}-"
    assert left(tmp_path) == {FILE}


def test_a_disk_that_is_full_half_way_gets_its_room_back(server, tmp_path):
    def fill(done, total):
        if done > total / 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        get(server, fill)
    assert left(tmp_path) == set()
    assert get(server).read_bytes() == server.content


def test_a_server_that_ignores_ranges_sends_the_whole_file_once_more(server):
    server.cuts, server.ranges = [100_000], False
    assert get(server).read_bytes() == server.content
    assert len(server.requests) == 2 and server.requests[1]["Range"] == "bytes=100000-"


def test_a_file_that_changed_between_the_halves_is_not_glued_together(server, monkeypatch):
    server.cuts = [1000, 2000, 3000]
    with pytest.raises(DownloadError):
        get(server)
    changed = make_zip(seed=1)
    server.content, server.etag = changed, '"second"'
    assert len(changed) == archives.find("ml-100k").size
    monkeypatch.setitem(archives.ARCHIVES, "ml-100k", replace(archives.find("ml-100k"), digest=md5(changed)))
    assert get(server).read_bytes() == changed
    assert server.requests[-1]["If-Range"] == '"first"' and len(server.requests) == 4


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_without_a_strong_validator_a_download_starts_over(server, etag):
    server.cuts, server.etag = [100_000], etag
    assert get(server).read_bytes() == server.content
    assert [headers.get("Range") for headers in server.requests] == [None, None]


def test_a_validator_never_outlives_the_bytes_that_it_belongs_to(server, tmp_path):
    server.cuts = [1000, 2000, 3000, 4000, 5000, 6000]
    with pytest.raises(DownloadError):
        get(server)
    server.etag, server.ranges = None, False
    with pytest.raises(DownloadError):
        get(server)
    assert left(tmp_path) == {f"{FILE}.part"}
    assert server.requests[-1]["Range"] is None


def test_a_server_that_sends_another_range_is_not_believed(server):
    server.cuts, server.range_shift = [100_000], 7
    assert get(server).read_bytes() == server.content
    assert [headers.get("Range") for headers in server.requests] == [None, "bytes=100000-", None]


def test_a_complete_part_is_checked_without_asking_again(server, tmp_path):
    (tmp_path / "data" / f"{FILE}.part").write_bytes(server.content)
    assert get(server).read_bytes() == server.content
    assert not server.requests


WRONG = {
    "digest": (lambda content: make_zip(seed=1), None, "md5 is"),
    "size": (lambda content: b"<html>Please sign in</html>", None, "offers 27 bytes"),
    "no zip": (lambda content: b"x" * len(content), md5, "not a readable zip"),
    "a member missing": (lambda content: make_zip(u_item=None), md5, "does not hold ml-100k/u.item"),
    "a rating missing": (lambda content: make_zip(u_data=U_DATA[:8]), md5, "holds 1 ratings"),
    "a zip bomb": (lambda content: make_zip(u1_base=bytes(archives.MAX_MEMBER_BYTES + 1)), md5, "would unpack to"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_file_is_refused_and_nothing_is_left(server, tmp_path, monkeypatch, wrong):
    make, digest, message = WRONG[wrong]
    server.content = make(server.content)
    if digest:  # so that size and digest agree, and the next check has to find it
        archive = replace(archives.find("ml-100k"), size=len(server.content), digest=digest(server.content))
        monkeypatch.setitem(archives.ARCHIVES, "ml-100k", archive)
    with pytest.raises(DownloadError, match=message):
        get(server)
    assert left(tmp_path) == set()
    assert not datasets.available("ml-100k")
    assert len(server.requests) == 1


def test_a_server_that_never_stops_sending_is_cut_off(server, tmp_path):
    server.declare_length = False
    server.content += b"x" * 200_000
    seen = []
    with pytest.raises(DownloadError, match="more than the archive's"):
        get(server, lambda done, total: seen.append(done))
    assert max(seen) <= archives.find("ml-100k").size
    assert left(tmp_path) == set()


def test_a_file_that_is_not_there_names_the_address_and_the_way_by_hand(server, tmp_path):
    server.status = 404
    with pytest.raises(DownloadError, match="answered 404") as caught:
        get(server)
    assert f"{server.address}/{FILE}" in str(caught.value)
    assert "https://grouplens.org/datasets/movielens/100k/" in str(caught.value)
    assert len(server.requests) == 1


def test_a_server_in_trouble_is_asked_three_times(server):
    server.status = 503
    with pytest.raises(DownloadError, match="answered 503"):
        get(server)
    assert len(server.requests) == downloading.ATTEMPTS


def test_the_mirror_is_asked_where_the_publisher_does_not_answer(server, monkeypatch):
    nowhere = "http://127.0.0.1:1/ml-100k.zip"
    archive = replace(archives.find("ml-100k"), url=nowhere, mirror=f"{server.address}/ml-100k.zip")
    monkeypatch.setitem(archives.ARCHIVES, "ml-100k", archive)
    assert datasets.download("ml-100k").read_bytes() == server.content
    monkeypatch.setitem(archives.ARCHIVES, "ml-100k", replace(archive, mirror=nowhere, file_name="other.zip"))
    with pytest.raises(DownloadError, match="no connection.*no connection"):
        datasets.download("ml-100k")


def test_two_visitors_at_once_share_one_download(server):
    paths = []
    threads = [threading.Thread(target=lambda: paths.append(get(server))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paths) == 2 and paths[0] == paths[1]
    assert len(server.requests) == 1


def test_a_publisher_who_sends_for_ever_is_left_and_the_next_call_goes_on(server, tmp_path, monkeypatch):
    server.drips = True
    monkeypatch.setattr(downloading, "LIMIT", 0.3)
    begun = time.monotonic()
    with pytest.raises(DownloadError, match="took longer"):
        get(server)
    assert time.monotonic() - begun < 10  # all of it would take more than a minute
    assert len(server.requests) == 1 and FILE not in left(tmp_path)
    server.drips = False
    monkeypatch.setattr(downloading, "LIMIT", 60.0)
    assert get(server).read_bytes() == server.content
    assert server.requests[1]["Range"] not in (None, "bytes=0-")


def test_who_waits_for_another_download_is_told_and_does_not_wait_for_ever(server, monkeypatch):
    monkeypatch.setattr(downloading, "_LOOK", 0.01)
    begun, goes_on, paths = threading.Event(), threading.Event(), []

    def hold(done, total):
        begun.set()
        goes_on.wait(60)

    def leave():
        raise InterruptedError

    def first():
        paths.append(get(server, hold))

    thread = threading.Thread(target=first)
    thread.start()
    assert begun.wait(60)
    with pytest.raises(InterruptedError):
        datasets.download("ml-100k", waits=leave, base_url=server.address)  # a visitor who leaves waits no longer
    with monkeypatch.context() as short:
        short.setattr(downloading, "LIMIT", 0.1)
        with pytest.raises(DownloadError, match="another download has not ended"):
            get(server)
    assert datasets.download("ml-100k", waits=goes_on.set, base_url=server.address).read_bytes() == server.content
    thread.join()
    assert len(paths) == 1 and len(server.requests) == 1


def test_only_http_addresses_and_known_names(server, tmp_path):
    with pytest.raises(ValueError, match="http or https"):
        datasets.download("ml-100k", base_url=tmp_path.as_uri())
    with pytest.raises(ValueError, match="'ml-2k'"):
        datasets.download("ml-2k", base_url=server.address)


@pytest.mark.parametrize("name", datasets.NAMES)
def test_the_real_archives_have_https_addresses_and_a_digest_of_the_right_length(name):
    archive = datasets.ARCHIVES[name]
    algorithm, hexadecimal = archive.digest.split(":")
    assert len(bytes.fromhex(hexadecimal)) == hashlib.new(algorithm).digest_size
    assert archive.url.startswith("https://") and archive.url.endswith("/" + archive.file_name)
    assert archive.mirror.startswith("https://web.archive.org/") and archive.mirror.endswith(archive.url)
