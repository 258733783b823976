"""What a server that is killed, a full disk and a data folder that is shut or gone cost its visitors.

The server is the one of ``as_the_image``; its disk is a real one, small, and its own.
"""

import asyncio
import contextlib
import hashlib
import http.server
import io
import re
import socket
import threading
import time
import zipfile

import numpy as np
import pytest
from as_the_image import REPOSITORY, Served, until
from playwright.sync_api import expect
from served import PATIENCE, in_a_loop
from small_disk import SmallDisk
from tiny_archives import U_ITEM

from benchmarks.load.session import form, put, uploader, visit
from benchmarks.load.visits import taken
from metamf.datasets import ARCHIVES
from metamf.webapp.matrix.choices import BLOCK
from metamf.webapp.player.component import NAME
from metamf.wording import MIB

WANTED = "data=MovieLens+100K" + BLOCK.replace(" ", "+")
HALF_WRITTEN = ("*.tmp", "*.partial", "*.part", "*.part.validator", "metamf-*")


def everything(folder):
    """Path -> size and time of each file."""
    found = [(path, path.stat()) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {path: (about.st_size, about.st_mtime_ns) for path, about in found}


# -- the server is killed ---------------------------------------------------------------------------------------------


ADDRESSES = [(page, "lecture=1") for page in ("", "watch", "compare", "paper", "", "watch", "train", "your_table")]


async def load_until_killed(server):
    """Eight sessions, killed with the server: seven in the middle of runs, one of them trains; an upload half done."""

    async def moves(session):
        while True:
            await session.run()

    sessions = [await visit(server.address, *address) for address in ADDRESSES]
    assert all(session.widget("lecture").value for session in sessions)
    *moved, brings = sessions
    await moved[-1].run(trigger=moved[-1].of_key("train_start"))
    assert list((server.log.parent).glob("metamf-jobs-*/*/"))
    seen = [session.received for session in moved]
    moving = [asyncio.create_task(moves(session)) for session in moved]
    headers, body = form(server.address, "half.csv", b"name,a,b\nAda,1,5\n" * 200_000)
    head = [f"PUT /_stcore/upload_file/{brings.id}/half HTTP/1.1", "Host: x", f"Content-Length: {len(body)}"]
    head += [f"{name}: {value}" for name, value in headers.items()]
    with socket.create_connection(("127.0.0.1", server.port)) as half:
        half.sendall("\r\n".join([*head, "", ""]).encode() + body[: len(body) // 2])
        while any(session.received == before for session, before in zip(moved, seen)):
            await asyncio.sleep(0.001)
        server.process.kill()
        server.process.wait()
    for task in moving:
        task.cancel()
    await asyncio.gather(*moving, *(session.close() for session in sessions), return_exceptions=True)


async def come_back(server):
    """The same eight visitors, with what stood in their addresses; the one with the upload brings it again."""
    back = [await visit(server.address, *address) for address in ADDRESSES]
    assert all(session.widget("lecture").value and not session.exceptions for session in back)
    await back[-1].upload(uploader(back[-1]), "a.csv", b"name,a,b\nAda,1,5\nBen,,4\nCleo,2,\n")
    assert not back[-1].exceptions and is_open(back[-1], "table_get_csv")()
    await asyncio.gather(*(session.close() for session in back))


@pytest.mark.slow
@pytest.mark.browser
def test_a_server_that_is_killed_under_load_leaves_nothing_half_written_and_a_browser_comes_back_by_itself(
    tmp_path, request, browser
):
    data = tmp_path / "data"
    data.mkdir()
    (data / ARCHIVES["ml-100k"].file_name).write_bytes(b"not touched")
    folders = [data, REPOSITORY / "pretrained"]
    before = [everything(folder) for folder in folders]
    first = Served(tmp_path, visitors=20)
    request.addfinalizer(first.process.kill)
    until(first.answers)
    page, loads = browser.new_page(), []
    request.addfinalizer(page.close)
    page.on("load", lambda page: loads.append(page.url))
    page.set_default_timeout(PATIENCE)
    page.goto(f"{first.address}/watch?keep=40&t=3&seed=77")
    shown, seed = page.get_by_text("3 of 10").first, page.locator(".st-key-seed input").first
    expect(shown).to_be_visible()
    away = "/connecting|connection error/i.test(document.body.innerText)"
    in_a_loop(load_until_killed(first))
    page.wait_for_function(away)
    again = Served(tmp_path, first.port, visitors=20)
    request.addfinalizer(again.process.kill)
    until(again.answers)
    in_a_loop(come_back(again))
    page.wait_for_function(f"!{away}")
    expect(shown).to_be_visible()
    expect(seed).to_have_value("77")
    runs = again.figure("metamf_run_seconds_count")
    seed.fill("78")
    seed.press("Enter")
    page.wait_for_url("**seed=78*")
    until(lambda: again.figure("metamf_run_seconds_count") > runs)
    expect(shown).to_be_visible()
    assert {"t=3", "keep=40", "seed=78"} <= set(page.url.partition("?")[2].split("&"))
    assert not page.locator(".stException").count()
    assert len(loads) == 1  # nobody has loaded the page again
    again.process.terminate()
    again.process.wait()
    until(lambda: not list(tmp_path.glob("metamf-*")))  # a worker that outlives its server removes what it made
    assert not [path for end in HALF_WRITTEN for folder in (tmp_path, *folders) for path in folder.rglob(end)]
    assert [everything(folder) for folder in folders] == before


# -- the disk is full, shut, or gone ----------------------------------------------------------------------------------


def archive():
    """A zip in the layout of MovieLens 100K, with made-up ratings."""
    about, rng, stream = ARCHIVES["ml-100k"], np.random.default_rng(0), io.BytesIO()
    cells = rng.choice(about.shape[0] * about.shape[1], about.ratings, replace=False)
    rows, cols = np.unravel_index(cells, about.shape)
    lines = [f"{n}\t{m}\t{x}\t0\n" for n, m, x in zip(rows + 1, cols + 1, rng.integers(1, 6, len(rows)))]
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for member in about.members:
            file.writestr(member, U_ITEM if member.endswith("item") else "".join(lines))
    return stream.getvalue()


@contextlib.contextmanager
def publisher(content):
    """The address of a file that is served."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("ETag", '"one"')
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/ml-100k.zip"
    server.shutdown()
    server.server_close()


ANOTHER_PUBLISHER = """
from dataclasses import replace
from metamf.datasets.archives import ARCHIVES
ARCHIVES["ml-100k"] = replace(ARCHIVES["ml-100k"], url={0!r}, mirror={0!r}, size={1}, digest={2!r})
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server and its disk; MovieLens 100K comes from this machine."""
    folder, content = tmp_path_factory.mktemp("small"), archive()
    disk = SmallDisk(folder / "disk")
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    with publisher(content) as address:
        (folder / "sitecustomize.py").write_text(ANOTHER_PUBLISHER.format(address, len(content), digest))
        places = {"HOME": str(disk.folder), "TMPDIR": str(disk.folder), "METAMF_DATA": str(disk.folder / "data")}
        places |= {"PYTHONPATH": f"{folder}:{REPOSITORY}", "METAMF_PLACES": "3"}  # a verdict goes on beside a tuning
        places |= {"METAMF_DOWNLOADS": "on"}  # unlike the image
        server = Served(folder, visitors=4, before=disk.before, **places)
        disk.belongs_to(server.process.pid)
        until(lambda: server.process.poll() is not None or server.answers())
        yield server, disk
        server.process.terminate()
        server.process.wait(30)


async def follow(session, sign):
    """Runs what runs by itself on a page, and the page, until ``sign`` says that it is there."""
    end = time.monotonic() + 180
    while not sign():
        assert time.monotonic() < end, ("".join(session.html)[-2000:], session.widgets.keys())
        await asyncio.sleep(0.2)
        for fragment in list(session.every):
            await session.run(fragment=fragment, auto=True)
        if not session.every:
            await session.run()


def says(session, sentence):
    return lambda: sentence in "".join(session.html)


def is_open(session, key):
    """Whether a button can be pressed."""

    def look():
        try:
            return not session.widget(key).disabled
        except KeyError:
            return False

    return look


def table_that_tuning_helps():
    """A CSV of a table of rank 2."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2)) @ rng.normal(size=(2, 8))
    lines = [",".join(["name", *(f"thing {m}" for m in range(8))])]
    for n, row in enumerate(X):
        lines.append(",".join([f"person {n}", *(f"{x:.3f}" if rng.random() < 0.7 else "" for x in row)]))
    return "\n".join(lines).encode()


@pytest.mark.slow
def test_a_full_disk_costs_a_training_a_tuning_and_a_download_a_sentence_and_nobody_else_anything(small):
    server, disk = small

    async def visits():
        trains, tunes = await visit(server.address, "train"), await visit(server.address, "your_table")
        wants, other = await visit(server.address, query=WANTED), await visit(server.address)
        await trains.run(trigger=trains.of_key("train_start"))
        await tunes.upload(uploader(tunes), "a.csv", table_that_tuning_helps())
        await follow(tunes, is_open(tunes, "table_tune"))
        await tunes.run(trigger=tunes.of_key("table_tune"))
        await follow(tunes, lambda: re.search(r"has changed by −[1-9]", tunes.progress))
        await follow(trains, is_open(trains, "train_stop"))
        before = disk.files()
        disk.leave(72 * 1024)  # for the checkpoint of a training and not for its card, and not for a tuned network
        await trains.run(trigger=trains.of_key("train_stop"))
        await follow(trains, says(trains, "The disk of this server is full"))
        await tunes.run(trigger=tunes.of_key("table_tune_stop"))
        await follow(tunes, says(tunes, "The disk of this server is full"))
        assert disk.files() == before  # there is as much room as before
        await wants.run(trigger=wants.button("Download MovieLens 100K"))
        assert says(wants, "could not be downloaded now")()
        assert disk.files() == before
        await taken(other)
        assert put(server.address, f"/_stcore/upload_file/{other.id}/large", "a.csv", b"a,b\n1,2\n" * 400_000) == 204
        disk.leave(16 * MIB)
        await asyncio.gather(*(session.close() for session in (trains, tunes, wants, other)))

    in_a_loop(visits())
    until(lambda: server.figure("metamf_visitors") == 0)
    assert server.figure("metamf_errors_total") == 0 and "Traceback" not in server.log.read_text()


@pytest.mark.slow
def test_a_data_folder_that_is_shut_or_gone_while_it_is_served_costs_a_sentence(small):
    server, disk = small

    async def visits():
        trains, wants = await visit(server.address, "train"), await visit(server.address, query=WANTED)
        other, before = await visit(server.address), disk.files()
        disk.shut()
        await trains.run(trigger=trains.of_key("train_start"))
        assert says(trains, "no room on its disk for a computation")()
        await wants.run(trigger=wants.button("Download MovieLens 100K"))
        assert says(wants, "could not be downloaded now")()
        await other.run(**{other.of_key("keep"): [40.0]})
        assert NAME in other.components and disk.files() == before
        disk.open()
        await wants.run(trigger=wants.button("Download MovieLens 100K"))
        assert NAME in wants.components
        disk.shut()
        await wants.run(**{wants.of_key("block"): 5.0})
        assert NAME in wants.components  # to read it nothing has to be written
        disk.open()
        data = disk.path / "data"
        data.rename(data.with_name("elsewhere"))
        for session in (wants, await visit(server.address, query=WANTED)):
            await session.run()
            assert says(session, "not on this machine yet")() and NAME not in session.components
        await other.run(**{other.of_key("keep"): [60.0]})
        assert NAME in other.components
        data.with_name("elsewhere").rename(data)
        await wants.run()
        assert NAME in wants.components
        await asyncio.gather(*(visitor.close() for visitor in (trains, wants, other, session)))

    in_a_loop(visits())
    until(lambda: server.figure("metamf_visitors") == 0)
    assert server.figure("metamf_errors_total") == 0 and "Traceback" not in server.log.read_text()
