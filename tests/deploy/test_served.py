"""The app as deploy/Dockerfile runs it, without Docker: its command and variables, as a user who can write nothing.

One server, which takes two visitors, for all tests; what badly mannered ones send leaves the others what they have.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from served import in_a_loop

from benchmarks.load.session import put, visit

REPOSITORY = Path(__file__).resolve().parents[2]
DOCKERFILE = (REPOSITORY / "deploy" / "Dockerfile").read_text("utf-8")
NOBODY = 65534
# May read every folder, since a clone may stand in one that is root's alone, and write to none.
AS_NOBODY = (
    f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups --bounding-set -all,+dac_read_search "
    "--inh-caps -all,+dac_read_search --ambient-caps -all,+dac_read_search"
).split()
pytestmark = pytest.mark.slow


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Served:
    """The server, its addresses and its log."""

    def __init__(self, folder, port=None):
        self.port, self.metrics, self.log = port or free_port(), free_port(), folder / "log"
        said = re.search(r"^ENV (.*?)\nUSER", DOCKERFILE, re.M | re.S)[1].replace("\\\n", " ").split()
        variables = dict(word.split("=", 1) for word in said if not word.startswith("PATH="))
        variables |= {"HOME": str(folder), "TMPDIR": str(folder), "METAMF_DATA": str(folder / "data")}
        variables |= {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "METAMF_METRICS": f"127.0.0.1:{self.metrics}"}
        variables |= {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "METAMF_VISITORS": "2"}
        program, *words = json.loads(re.search(r"^CMD (.*)$", DOCKERFILE, re.M)[1])
        assert program == "metamf"
        command = [sys.executable, "-m", "metamf", *words, "--port", str(self.port)]
        if os.getuid() == 0 and shutil.which("setpriv"):
            command = AS_NOBODY + command
            os.chown(folder, NOBODY, NOBODY)
        with open(self.log, "w") as stream:
            self.process = subprocess.Popen(command, cwd=folder, env=variables, stdout=stream, stderr=stream)
        self.address = f"http://127.0.0.1:{self.port}"

    def ask(self, path, port=None, **headers):
        """Status and text of an answer; 0 as long as nobody answers."""
        address = f"http://127.0.0.1:{port or self.port}{path}"
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10) as answer:
                return answer.status, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            with contextlib.suppress(OSError):  # refused before all was sent
                return error.code, error.read().decode(errors="replace")
            return error.code, ""
        except OSError:
            return 0, ""

    def figure(self, name):
        """The value of a figure, the sum over its labels."""
        text = self.ask("/metrics", self.metrics)[1]
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.M))

    def events(self):
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def answers(self):
        return self.ask("/_stcore/health")[0] == 200


def until(state, patience=60):
    end = time.monotonic() + patience
    while not state():
        assert time.monotonic() < end
        time.sleep(0.05)


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
    if os.getuid() == 0 and shutil.which("setpriv"):
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


def test_an_upload_that_breaks_off_or_is_nobodys_leaves_nothing_and_disturbs_nobody(served):
    async def visits():
        session = await visit(served.address, query="data=Your+own+file")
        uploader = session.of_key("file")
        with pytest.raises(urllib.error.HTTPError, match="400"):  # for a session that there is not
            put(served.address, "/_stcore/upload_file/nobody/a-file", "a.csv", b"a,b\n1,2\n")
        half = f"PUT /_stcore/upload_file/{session.id}/a-file HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\n\r\n"
        with socket.create_connection(("127.0.0.1", served.port)) as broken:
            broken.sendall(half.encode() + b"name,Ada" * 1000)
        await session.upload(uploader, "Ada Lovelace.csv", b"name,a,b\nAda Lovelace,1,5\nBen,,4\nCleo,2,\n")
        assert session.kinds["bidi_component"]
        await session.go_to("paper")
        runs = served.figure("metamf_run_seconds_count")
        await session.run(**{session.of_key("scale"): ["absolute error"]})  # redraws one fragment of the page
        assert served.figure("metamf_fragment_seconds_count") == 1
        assert served.figure("metamf_run_seconds_count") == runs
        await session.close()

    in_a_loop(visits())
    assert "Lovelace" not in served.log.read_text()  # neither the file's name nor what is in it


def test_two_train_at_once_and_one_whose_session_is_cut_costs_the_other_nothing(served):
    async def visits():
        one, two = await visit(served.address, "train"), await visit(served.address, "train")
        for session in (one, two):
            await session.run(trigger=session.of_key("train_start"))
        assert served.figure("metamf_jobs_running") == 2 and served.figure("metamf_jobs_waiting") == 0
        await one.close()
        [follow] = two.every  # the fragment that follows the training
        end = time.monotonic() + 60
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


def test_a_session_that_is_cut_while_a_file_is_made_for_it_disturbs_nobody(served):
    async def visits():
        one, two = await visit(served.address), await visit(served.address)
        taking = asyncio.create_task(one.take_away(one.of_key("take_away")))
        await asyncio.sleep(0.02)  # asked for
        await one.close()
        taking.cancel()
        assert b"<html" in (await two.take_away(two.of_key("take_away")))[:2000].lower()
        await two.close()

    in_a_loop(visits())
    until(lambda: served.figure("metamf_visitors") == 0)
    assert served.figure("metamf_errors_total") == 0


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
    assert runs and all(run["page"] in ("Fill in", "Paper", "Train") and run["seconds"] > 0 for run in runs)
    assert not [event for event in served.events() if event["level"] in ("error", "critical")]


def test_a_server_that_is_killed_while_it_works_comes_back_with_what_stands_in_the_addresses(tmp_path, request):
    first = Served(tmp_path)
    request.addfinalizer(first.process.kill)
    until(first.answers)

    async def visits():
        session = await visit(first.address, "watch", "lecture=1&top=1")
        assert session.widget("lecture").value
        working = asyncio.create_task(session.run())
        await asyncio.sleep(0.05)
        first.process.kill()
        first.process.wait()
        again = Served(tmp_path, first.port)
        try:
            until(again.answers)
            back = await visit(again.address, "watch", session.query)
            assert back.widget("lecture").value
            assert back.kinds["bidi_component"]
            await back.close()
        finally:
            again.process.kill()
            again.process.wait()
            working.cancel()
            await session.close()

    in_a_loop(visits())
    assert not list(tmp_path.glob("metamf-*"))  # nothing of the killed one is left in its temporary folder
