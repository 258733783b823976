"""The app as deploy/Dockerfile runs it, without Docker: its command and variables, as a user who can write nothing.

One server, which takes two visitors, for all tests; what badly mannered ones send leaves the others what they have.
"""

import asyncio
import contextlib
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from as_the_image import AS_NOBODY, NOBODY, REPOSITORY, Served, until
from served import in_a_loop
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from websockets.exceptions import ConnectionClosedError

from benchmarks.load.session import form, put, uploader, visit
from benchmarks.load.visits import small_table, taken
from metamf.webapp.matrix.choices import BLOCK
from metamf.webapp.player.component import NAME
from metamf.wording import MIB

pytestmark = pytest.mark.slow


def sources():
    """When each file of the program was changed last."""
    folders = (REPOSITORY / name for name in ("metamf", "pages", "pretrained", "deploy", ".streamlit"))
    return {path: path.stat().st_mtime_ns for folder in folders for path in folder.rglob("*") if path.suffix != ".pyc"}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    before, server = sources(), Served(tmp_path_factory.mktemp("served"))
    until(lambda: server.process.poll() is not None or server.answers())
    yield server
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(30) in (0, -signal.SIGTERM), server.log.read_text()  # it ends when it is asked to
    assert sources() == before


def test_figures_and_log_begin_before_the_first_visit(served):
    assert served.figure("metamf_visitors") == 0 and served.figure("process_resident_memory_bytes") > 10**7
    [started] = [event for event in served.events() if event["event"] == "started"]
    assert started["visitors"] == 2 and started["threads"] == "1"
    libraries = Path(f"/proc/{served.process.pid}/maps")
    until(lambda: "libtorch_cpu" in libraries.read_text())  # an idle server makes ready for the first one who computes
    assert "uvloop" in libraries.read_text()  # Streamlit has taken the faster event loop
    if served.is_nobody:
        status = Path(f"/proc/{served.process.pid}/status").read_text()
        assert f"\nUid:\t{NOBODY}\t" in status


def test_two_visitors_see_the_first_page_and_the_third_waits_until_one_leaves(served):
    async def visits():
        one, two = await visit(served.address), await visit(served.address)
        assert one.kinds["bidi_component"] and two.kinds["bidi_component"]
        three = await visit(served.address)
        assert "This server is full" in "".join(three.html) and "You are next" in "".join(three.html)
        assert "bidi_component" not in three.kinds
        assert served.figure("metamf_visitors") == 3 and served.figure("metamf_visitors_waiting") == 1
        await one.close()
        until(lambda: served.figure("metamf_visitors") == 2)
        await three.run()
        assert three.kinds["bidi_component"]
        await two.close()
        await three.close()

    in_a_loop(visits())
    assert served.figure("metamf_run_seconds_count") >= 3 and served.figure("metamf_refused_total") >= 1


def test_no_visitors_click_lets_the_server_fetch_a_data_set(served):
    async def visits():
        session = await visit(served.address, query="data=MovieLens+100K" + BLOCK.replace(" ", "+"))
        assert "MovieLens 100K is not on this server" in "".join(session.html)
        assert not [label for kind, label in session.widgets if label.startswith("Download ")]
        await session.close()

    in_a_loop(visits())
    until(lambda: served.figure("metamf_visitors") == 0)


def test_an_upload_that_breaks_off_or_is_nobodys_leaves_nothing_and_disturbs_nobody(served):
    async def visits():
        session = await visit(served.address, query="data=Your+own+file")
        uploader = session.of_key("file")
        with pytest.raises(urllib.error.HTTPError, match="400"):  # for a session that there is not
            put(served.address, "/_stcore/upload_file/nobody/a-file", "a.csv", b"a,b\n1,2\n")
        headers, body = form(served.address, "Ada Lovelace.csv", b"name,a,b\nAda Lovelace,1,5\n" * 20_000)
        head = [f"PUT /_stcore/upload_file/{session.id}/a-file HTTP/1.1", "Host: x", f"Content-Length: {len(body)}"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        with socket.create_connection(("127.0.0.1", served.port)) as broken:
            broken.sendall("\r\n".join([*head, "", ""]).encode() + body[: len(body) // 2])
            broken.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: broken.recv(4096), b""))  # until the server has noticed it
        assert not answer or b" 400 " in answer
        file = UploadedFileInfo(file_id="a-file", name="Ada Lovelace.csv", size=len(body))
        await session.run(**{uploader: FileUploaderState(uploaded_file_info=[file])})
        assert NAME not in session.components
        await session.upload(uploader, "Ada Lovelace.csv", b"name,a,b\nAda Lovelace,1,5\nBen,,4\nCleo,2,\n")
        assert NAME in session.components
        await session.go_to("paper")
        runs = served.figure("metamf_run_seconds_count")
        await session.run(**{session.of_key("scale"): ["absolute error"]})  # redraws one fragment of the page
        assert served.figure("metamf_fragment_seconds_count") == 1
        assert served.figure("metamf_run_seconds_count") == runs
        await session.close()

    in_a_loop(visits())
    assert "Lovelace" not in served.log.read_text()  # neither the file's name nor what is in it


def test_slow_uploads_take_so_much_memory_and_no_more_and_hinder_nobody_else(served):
    async def visits():
        one, two = await visit(served.address), await visit(served.address, query="data=Your+own+file")
        headers, body = form(served.address, "slow.csv", b"a,b\n")
        size = 32 * MIB  # of which little ever comes
        with contextlib.ExitStack() as stack:
            for number in range(3):
                head = [f"PUT /_stcore/upload_file/{one.id}/{number} HTTP/1.1", "Host: x", f"Content-Length: {size}"]
                head += [f"{name}: {value}" for name, value in headers.items()]
                slow = stack.enter_context(socket.create_connection(("127.0.0.1", served.port)))
                slow.sendall("\r\n".join([*head, "", ""]).encode() + body)
            until(lambda: sent(served, one.id) == 503)  # as soon as the server has read the heads of all three
            await two.upload(two.of_key("file"), "a.csv", b"name,a,b\nAda,1,5\nBen,,4\nCleo,2,\n")
            assert NAME in two.components
        until(lambda: sent(served, one.id) == 204)  # they broke off
        await one.close()
        await two.close()

    in_a_loop(visits())


def sent(served, session):
    """The status of the answer to a small upload; 503 also where the server had closed before it was all sent."""
    try:
        return put(served.address, f"/_stcore/upload_file/{session}/small", "a.csv", b"a,b\n1,2\n")
    except urllib.error.HTTPError as error:
        return error.code
    except urllib.error.URLError as error:
        if isinstance(error.reason, ConnectionResetError):
            return 503
        raise


def address_space(served):
    """Bytes of it that the server has taken."""
    text = Path(f"/proc/{served.process.pid}/status").read_text()
    return 1024 * int(re.search(r"VmSize:\s+(\d+) kB", text)[1])


def test_where_memory_is_short_a_large_file_is_refused_with_a_sentence_and_the_server_lives_on(served):
    until(lambda: "libtorch_cpu" in Path(f"/proc/{served.process.pid}/maps").read_text())
    until(lambda: address_space(served) == (time.sleep(1), address_space(served))[1])  # all is imported
    taken = address_space(served)
    large = b"name,a,b\n" + b"Ada Lovelace,1,5\n" * 10**6  # 17 MB, for which 560 are reckoned

    def leave(memory):
        as_whom = AS_NOBODY if served.is_nobody else []  # who may change the limits of a process of their own
        subprocess.run([*as_whom, "prlimit", "--pid", str(served.process.pid), f"--as={memory}:"], check=True)

    async def visits():
        session = await visit(served.address, query="data=Your+own+file")
        leave(taken + 480 * MIB)
        await session.upload(session.of_key("file"), "large.csv", large)
        assert "takes about 535 MB of memory" in "".join(session.html) and NAME not in session.components
        leave(taken + 100 * MIB)  # less than uploads leave to others
        assert sent(served, session.id) == 503
        leave("unlimited")
        await session.upload(session.of_key("file"), "a.csv", b"name,a,b\nAda,1,5\nBen,,4\nCleo,2,\n")
        assert NAME in session.components
        await session.close()

    try:
        in_a_loop(visits())
    finally:
        leave("unlimited")


def test_two_train_at_once_and_one_whose_session_is_cut_costs_the_other_nothing(served):
    async def visits():
        one, two = await visit(served.address, "train"), await visit(served.address, "train")
        for session in (one, two):
            await session.run(trigger=session.of_key("train_start"))
        assert served.figure("metamf_jobs_running") == 2 and served.figure("metamf_jobs_waiting") == 0
        await one.close()
        [follow] = two.every  # the fragment that follows the training
        end = time.monotonic() + 180
        while two.widget("train_stop").disabled:  # until the first report of its process
            assert time.monotonic() < end
            await asyncio.sleep(0.2)
            await two.run(fragment=follow, auto=True)
        await two.run(trigger=two.of_key("train_stop"), fragment=follow)
        while not any(id.endswith("-train_download") for ids in two.widgets.values() for id in ids):
            assert time.monotonic() < end, two.widgets.keys()
            await asyncio.sleep(0.2)
            await two.run()
        await two.close()

    in_a_loop(visits())
    until(lambda: served.figure("metamf_visitors") == 0)


def test_a_session_that_is_cut_while_its_table_is_tuned_disturbs_nobody(served):
    async def visits():
        one, two = await visit(served.address, "your_table"), await visit(served.address)
        short = b"\n".join(small_table(0).splitlines()[:13])  # its verdict, after which tuning begins, is there soon
        await one.upload(uploader(one), "a.csv", short)
        await one.look_again()
        end = time.monotonic() + 180
        while ("button", "Stop tuning") not in one.widgets or not served.figure("metamf_jobs_running"):
            assert time.monotonic() < end, one.widgets.keys()
            await asyncio.sleep(0.2)
        await one.close()
        await two.run(**{two.of_key("keep"): [40.0]})
        assert NAME in two.components
        await two.close()

    in_a_loop(visits())
    until(lambda: served.figure("metamf_visitors") == 0)
    assert served.figure("metamf_errors_total") == 0


def test_a_file_that_was_made_for_a_slow_phone_is_there_until_its_page_is_drawn_anew(served):
    async def visits():
        slow, others = await visit(served.address), await visit(served.address)
        address = await slow.address_of_file(slow.of_key("take_away"))
        for _ in range(5):
            await others.run()
        assert b"MetaMF</title>" in urllib.request.urlopen(address, timeout=60).read()
        await slow.run()
        for _ in range(3):
            await others.run()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(address, timeout=60)
        await asyncio.gather(slow.close(), others.close())

    in_a_loop(visits())


def test_a_session_that_is_cut_while_a_file_is_made_for_it_disturbs_nobody(served):
    async def visits():
        one, two = await visit(served.address), await visit(served.address)
        taking = asyncio.create_task(one.take_away(one.of_key("take_away")))
        while not one.is_asking():
            await asyncio.sleep(0)
        await one.close()
        taking.cancel()
        await taken(two)
        await two.close()

    in_a_loop(visits())
    until(lambda: served.figure("metamf_visitors") == 0)
    assert served.figure("metamf_errors_total") == 0


def test_a_message_that_no_browser_sends_ends_its_own_connection_alone(served):
    async def visits():
        one, two = await visit(served.address), await visit(served.address)
        with pytest.raises(ConnectionClosedError, match="1009"):  # too big
            await one.run(**{one.of_key("seed"): "x" * 1_000_001})
        await two.run()
        await two.close()
        await one.close()

    in_a_loop(visits())


def test_absurd_requests_are_refused_and_reach_no_file(served):
    assert served.ask("/_stcore/health", Cookie="x" * 200_000)[0] in (0, 400, 431)
    for path in (
        "/../pyproject.toml",
        "/..%2f..%2fpyproject.toml",
        "/media/..%2f..%2fetc/passwd",
        "/%00",
        "/static//etc",
    ):
        status, text = served.ask(path)
        assert "[project]" not in text and "root:" not in text and status < 500, (path, status)
    assert served.ask("/_stcore/agent/interact")[0] >= 400  # Streamlit's door for programs is shut
    assert served.ask("/_stcore/health")[0] == 200


def test_every_line_of_the_log_is_an_event_without_an_error(served):
    lines = served.log.read_text().splitlines()
    assert not [line for line in lines if "Traceback" in line]
    runs = [event for event in served.events() if event["event"] == "run"]
    assert {run["page"] for run in runs} <= {"Fill in", "Paper", "Train", "Your table"}
    assert runs and all(run["seconds"] > 0 for run in runs)
    assert not [event for event in served.events() if event["level"] in ("error", "critical")]
