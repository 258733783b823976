"""deploy/: proxy, two replicas, Redis, scheduler and worker run as its files say."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections import Counter
from contextlib import ExitStack
from http.client import HTTPConnection
from importlib import metadata
from pathlib import Path

import psutil
import pytest
import websockets_of_visitors
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from playwright.sync_api import expect
from websockets_of_visitors import visiting

from benchmarks.browser import free_port

REPOSITORY = Path(__file__).resolve().parents[2]
DEPLOY = REPOSITORY / "deploy"
FILES = "Dockerfile", "haproxy.cfg", "requirements.lock"
DOCKERFILE, PROXY, LOCK = ((DEPLOY / name).read_text("utf-8") for name in FILES)
SERVICES = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
COPIED = [line.split()[1:] for line in DOCKERFILE.splitlines() if line.startswith("COPY ")]
PROGRAMS = pytest.mark.skipif(
    not shutil.which("haproxy") or not shutil.which("redis-server"),
    reason="needs haproxy and redis-server (Debian: the packages of these names)",
)


def test_every_package_of_the_image_is_locked_by_digest_in_the_version_of_the_tests():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    left, needed = [*project["dependencies"], *extras["app"], *extras["served"]], set()
    while left:
        requirement = Requirement(left.pop())
        name, marker = canonicalize_name(requirement.name), requirement.marker
        if name not in needed and (marker is None or marker.evaluate({"extra": ""})):
            needed.add(name)
            left += metadata.requires(name) or ()
    locked = dict(re.findall(r"^([\w.-]+)==([^\s;+]+)", LOCK, re.M))
    of_gpus = ("nvidia-", "cuda-", "triton")
    assert {name for name in needed if not name.startswith(of_gpus)} <= locked.keys()
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=[\w.-]+==)", LOCK)[1:])
    files = (REPOSITORY / f"requirements{name}.txt" for name in ("", "-dev"))
    requirements = "".join(file.read_text("utf-8") for file in files)
    pinned = dict(re.findall(r"^([\w-]+)==([^\s;]+)", requirements, re.M))
    assert {name: pinned[name] for name in locked.keys() & pinned.keys()}.items() <= locked.items()


@PROGRAMS
def test_the_proxy_accepts_its_configuration():
    command = ["haproxy", "-c", "-f", DEPLOY / "haproxy.cfg"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    limit = int(re.search(r"content-length\) gt (\d+)", PROXY)[1])
    settings = tomllib.loads((REPOSITORY / ".streamlit" / "config.toml").read_text("utf-8"))
    assert limit == (settings["server"]["maxUploadSize"] + 1) * 2**20


class Cluster:
    """The services of compose.yaml as processes of this machine; the app has the files that the
    image copies."""

    def __init__(self, folder):
        self.folder, self.processes = folder, {}
        self.ports = {name: free_port() for name in ("one", "two", "scheduler", "redis", "proxy")}
        self.address = f"http://127.0.0.1:{self.ports['proxy']}"
        for source, target in COPIED:
            if target != ".":
                (folder / source).parent.mkdir(parents=True, exist_ok=True)
                (folder / source).symlink_to(REPOSITORY / source)
        given = re.search(r"^ENV (.*?)\nUSER", DOCKERFILE, re.M | re.S)[1].replace("\\\n", " ")
        self.variables = os.environ | dict(word.split("=", 1) for word in given.split())
        self.variables |= dict.fromkeys(("PYTHONPATH", "HOME", "METAMF_DATA"), str(folder))

    def begin(self):
        self.start("redis", *SERVICES["redis"]["command"], "--port", str(self.ports["redis"]))
        dask = Path(sys.executable).with_name("dask")
        at = ["--host", "127.0.0.1", "--port", str(self.ports["scheduler"])]
        self.start("scheduler", dask, *SERVICES["scheduler"]["command"][1:], *at)
        self.start("worker", dask, *map(self.here, SERVICES["worker"]["command"][1:]))
        self.start_replica("one")
        self.start_replica("two")
        self.file = self.folder / "haproxy.cfg"
        text = PROXY.partition("\nresolvers")[0].replace(" resolvers docker", "")
        text = text.replace(":8080", f":{self.ports['proxy']}").replace(
            "http-request 10s", "http-request 2s"
        )
        for name in ("one", "two"):
            text = text.replace(f"{name}:8501", f"127.0.0.1:{self.ports[name]}")
        self.file.write_text(f"{text}\n")
        self.start("proxy", "haproxy", "-W", "-db", "-f", self.file)
        self.until(lambda: self.answer_first() == {"one", "two"})

    def here(self, text):
        """An address of compose.yaml, on this machine."""
        return re.sub(r"//(\w+):\d+", lambda found: f"//127.0.0.1:{self.ports[found[1]]}", text)

    def start(self, name, *command, **variables):
        with open(self.folder / f"{name}.log", "a") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=self.folder, env=self.variables | variables, stdout=log, stderr=log
            )

    def start_replica(self, name):
        given = {key: self.here(value) for key, value in SERVICES[name]["environment"].items()}
        options = ["--server.port", str(self.ports[name]), "--server.address", "127.0.0.1"]
        self.start(name, sys.executable, "-m", "streamlit", "run", "app.py", *options, **given)

    def ask(self, path="/", replica=""):
        """Status of an answer, and the replica that the visitor belongs to from then on; '' if it
        names none."""
        cookie = {"Cookie": f"metamf_replica={replica}"} if replica else {}
        request = urllib.request.Request(self.address + path, headers=cookie)
        try:
            answer = urllib.request.urlopen(request, timeout=10)
        except urllib.error.HTTPError as error:
            answer = error
        except OSError:
            return 0, ""
        named = re.findall(r"metamf_replica=(\w*)", str(answer.headers.get_all("Set-Cookie")))
        return answer.status, "".join(named)

    def answer_first(self):
        """The replicas that new visitors come to."""
        return {self.ask()[1] for _ in range(6)}

    def until(self, state):
        end = time.monotonic() + 120
        while not state():
            assert time.monotonic() < end, [log.read_text() for log in self.folder.glob("*.log")]
            time.sleep(0.2)

    def stop(self):
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            process.wait(30)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.begin()
        yield cluster
    finally:
        cluster.stop()


@PROGRAMS
@pytest.mark.browser
def test_visitors_stay_on_their_replica_and_a_room_on_two_loses_no_rating_when_one_is_killed(
    cluster, browser
):
    stayed = {cluster.ask(replica="two") for _ in range(4)}
    assert stayed == {(200, "")}, "they stay, without a new cookie"
    hidden = "/_stcore/metrics", "//_stcore/metrics", "/_stcore/%6detrics", "/_stcore/metrics/?a"
    assert {cluster.ask(path)[0] for path in hidden} == {404}
    with ExitStack() as stack:

        def visitor(replica):
            context = browser.new_context(viewport={"width": 390, "height": 844})
            cookie = {"name": "metamf_replica", "value": replica, "url": cluster.address}
            context.add_cookies([cookie])
            context.set_default_timeout(120_000)
            return stack.enter_context(context).new_page()

        lecturer = visitor("one")
        lecturer.goto(f"{cluster.address}/room")
        lecturer.get_by_role("button", name="Open the room").click()
        code = lecturer.locator(".room-code").text_content()
        phones = [visitor(replica) for replica in ("one", "two")]
        names = ["Student 0", "Student 1"]
        for name, phone in zip(names, phones):
            phone.goto(f"{cluster.address}/room?room={code}")
            phone.get_by_label("Your name").fill(name)
            phone.get_by_role("button", name="Join").click()
            phone.locator(".room-me").wait_for()
        lecturer.get_by_role("button", name="Start rating").click()
        for phone in phones:
            phone.locator(".st-key-room_card_0").get_by_text("4 ★").click()
        for phone in phones:
            expect(phone.locator(".room-done")).to_have_text("1 of 14 rated", timeout=120_000)
        expect(lecturer.locator(".room-count")).to_contain_text("2 ratings", timeout=60_000)
        cluster.processes["one"].kill()
        cluster.until(lambda: cluster.ask(replica="one") == (200, "two"))
        lecturer.reload()
        expect(lecturer.locator(".room-table tbody th")).to_have_text(names, timeout=60_000)
        expect(lecturer.locator(".room-count")).to_contain_text("2 ratings")
        expect(phones[1].locator(".room-me")).to_have_text("You are Student 1")
        [cookie] = [one for one in lecturer.context.cookies() if one["name"] == "metamf_replica"]
        assert cookie["value"] == "two" and cookie["httpOnly"] and cookie["sameSite"] == "Lax"
    cluster.start_replica("one")
    cluster.until(lambda: cluster.answer_first() == {"one", "two"})


@PROGRAMS
@pytest.mark.slow
def test_a_drained_replica_keeps_its_visitors_and_gets_no_new_ones(cluster):
    text = cluster.file.read_text()
    for new, replicas in ((" cookie one weight 0", {"two"}), (" cookie one", {"one", "two"})):
        cluster.file.write_text(text.replace(" cookie one", new))
        cluster.processes["proxy"].send_signal(signal.SIGUSR2)
        cluster.until(lambda replicas=replicas: cluster.answer_first() == replicas)
        # once the proxy has found it well again
        cluster.until(lambda: cluster.ask(replica="one") == (200, ""))


@PROGRAMS
@pytest.mark.browser
def test_replicas_compute_on_the_workers_of_the_scheduler(cluster, browser):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{cluster.address}/your_table")
        page.locator(".st-key-table_example button").click(timeout=120_000)
        page.locator(".st-key-table_get_csv").wait_for(timeout=240_000)
        computes = {
            name: bool(psutil.Process(cluster.processes[name].pid).children())
            for name in ("one", "two", "worker")
        }
        assert computes == {"one": False, "two": False, "worker": True}


def asked(cluster, source, path="/_stcore/health"):
    """Seconds of an answer to a visitor with an address of their own, and its status."""
    began = time.monotonic()
    connection = HTTPConnection("127.0.0.1", cluster.ports["proxy"], 60, (source, 0))
    try:
        connection.request("GET", path)
        return time.monotonic() - began, connection.getresponse().status
    finally:
        connection.close()


@PROGRAMS
@pytest.mark.slow
def test_a_flood_of_one_address_is_refused_by_the_proxy_and_others_are_served(cluster):
    """More requests, half requests and connections than a school has, all from 127.0.0.2."""
    flood = "127.0.0.2"
    other = "127.0.0.3"
    assert asked(cluster, other)[1] == 200
    with ExitStack() as stack:
        halves = []
        for _ in range(401):
            half = socket.create_connection(("127.0.0.1", cluster.ports["proxy"]), 60, (flood, 0))
            stack.callback(half.close)
            half.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
            halves.append(half)
        found = [asked(cluster, other) for _ in range(5)]
        assert {status for _, status in found} == {200}
        assert max(seconds for seconds, _ in found) < 5
        assert halves[0].recv(100).startswith(b"HTTP/1.1 408")  # after timeout http-request
    connection = HTTPConnection("127.0.0.1", cluster.ports["proxy"], 60, (flood, 0))
    statuses = Counter()
    for _ in range(2_200):
        connection.request("GET", "/_stcore/metrics")
        answer = connection.getresponse()
        answer.read()
        statuses[answer.status] += 1
    connection.close()
    assert statuses[429] > 0
    assert asked(cluster, other)[1] == 200


@PROGRAMS
@pytest.mark.slow
def test_a_flood_of_runs_behind_the_proxy_takes_no_replica_from_others(cluster):
    with visiting(cluster.address) as one, visiting(cluster.address) as two:
        for visitor in (one, two):  # one for each replica, whose first run takes long
            visitor.run()
    command = [sys.executable, websockets_of_visitors.__file__, cluster.address, "0"]
    flood = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    statuses = set()
    while flood.poll() is None:
        statuses |= {cluster.ask(replica=name) for name in ("one", "two")}
        time.sleep(0.2)
    assert flood.stdout.read() == "1008\n"
    assert statuses == {(200, "")}  # nobody was moved to the other replica
