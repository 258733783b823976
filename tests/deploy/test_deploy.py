"""deploy/: its files fit together, and proxy, two replicas, Redis, scheduler and worker run as they say."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path

import psutil
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from playwright.sync_api import expect

from benchmarks.browser import free_port

REPOSITORY = Path(__file__).resolve().parents[2]
DEPLOY = REPOSITORY / "deploy"
DOCKERFILE, PROXY, LOCK = ((DEPLOY / n).read_text("utf-8") for n in ("Dockerfile", "haproxy.cfg", "requirements.lock"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
SERVICES = COMPOSE["services"]
COPIED = [line.split()[1:] for line in DOCKERFILE.splitlines() if line.startswith("COPY ")]
PROGRAMS = pytest.mark.skipif(
    not shutil.which("haproxy") or not shutil.which("redis-server"),
    reason="needs haproxy and redis-server (Debian: the packages of these names)",
)

# -- the files --------------------------------------------------------------------------------------------------------


def test_compose_has_what_the_proxy_and_the_replicas_ask_for():
    assert SERVICES.keys() == {"one", "two", "scheduler", "worker", "redis", "proxy"}
    assert SERVICES["one"] == SERVICES["two"] and re.findall(r"^ +server (\w+) \1:8501", PROXY, re.M) == ["one", "two"]
    variables = SERVICES["one"]["environment"]
    assert variables["METAMF_REDIS"] == "redis://redis:6379/0" and variables["FORWARDED_ALLOW_IPS"] == "*"
    assert variables["METAMF_SCHEDULER"] == "tcp://scheduler:8786" in SERVICES["worker"]["command"]
    for name, service in SERVICES.items():
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["restart"] == "unless-stopped"
        assert service["networks"] == (["inside", "outside"] if name == "proxy" else ["inside"])
        assert all((DEPLOY / volume.split(":")[0] / "haproxy.cfg").is_file() for volume in service.get("volumes", ()))
    assert COMPOSE["networks"]["inside"] == {"internal": True}


def test_the_image_is_made_of_files_that_exist():
    assert all((REPOSITORY / source).exists() for source, _ in COPIED)
    assert "--require-hashes -r requirements.lock" in DOCKERFILE and "\nUSER 10001\n" in DOCKERFILE
    assert '\nCMD ["streamlit", "run", "app.py", ' in DOCKERFILE and "METAMF_DOWNLOADS=off" in DOCKERFILE


def test_every_package_of_the_image_is_locked_by_digest_in_the_version_of_the_tests():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    left, needed = [*project["dependencies"], *extras["app"], *extras["served"]], set()
    while left:
        requirement = Requirement(left.pop())
        name = canonicalize_name(requirement.name)
        if (requirement.marker is None or requirement.marker.evaluate({"extra": ""})) and name not in needed:
            needed.add(name)
            left += metadata.requires(name) or ()
    locked = dict(re.findall(r"^([\w.-]+)==([^\s;+]+)", LOCK, re.M))
    assert {name for name in needed if not name.startswith(("nvidia-", "cuda-", "triton"))} <= locked.keys()
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=[\w.-]+==)", LOCK)[1:])
    requirements = "".join((REPOSITORY / f"requirements{name}.txt").read_text("utf-8") for name in ("", "-dev"))
    pinned = dict(re.findall(r"^([\w-]+)==([^\s;]+)", requirements, re.M))
    assert {name: pinned[name] for name in locked.keys() & pinned.keys()}.items() <= locked.items()


@PROGRAMS
def test_the_proxy_accepts_its_configuration():
    done = subprocess.run(["haproxy", "-c", "-f", DEPLOY / "haproxy.cfg"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    limit = int(re.search(r"content-length\) gt (\d+)", PROXY)[1])
    settings = (REPOSITORY / ".streamlit" / "config.toml").read_text("utf-8")
    assert limit == (int(re.search(r"maxUploadSize = (\d+)", settings)[1]) + 1) * 2**20


# -- a real run -------------------------------------------------------------------------------------------------------


class Cluster:
    """The services of compose.yaml as processes of this machine; the app has the files that the image copies."""

    def __init__(self, folder):
        self.folder, self.processes = folder, {}
        self.ports = {name: free_port() for name in ("one", "two", "scheduler", "redis", "proxy")}
        self.address = f"http://127.0.0.1:{self.ports['proxy']}"
        for source, target in COPIED:
            if target != ".":
                (folder / source).parent.mkdir(parents=True, exist_ok=True)
                (folder / source).symlink_to(REPOSITORY / source)
        given = re.search(r"^ENV (.*?)\nUSER", DOCKERFILE, re.M | re.S)[1].replace("\\\n", " ").split()
        self.variables = os.environ | dict(word.split("=", 1) for word in given)
        self.variables |= {"PYTHONPATH": str(folder), "HOME": str(folder), "METAMF_DATA": str(folder)}

    def begin(self):
        self.start("redis", *SERVICES["redis"]["command"], "--port", str(self.ports["redis"]))
        dask = Path(sys.executable).with_name("dask")
        at = ["--host", "127.0.0.1", "--port", str(self.ports["scheduler"])]
        self.start("scheduler", dask, *SERVICES["scheduler"]["command"][1:], *at)
        self.start("worker", dask, *map(self.here, SERVICES["worker"]["command"][1:]))
        self.start_replica("one")
        self.start_replica("two")
        self.file = self.folder / "haproxy.cfg"
        text = (
            PROXY.partition("\nresolvers")[0]
            .replace(" resolvers docker", "")
            .replace(":8080", f":{self.ports['proxy']}")
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
        """Status of an answer, and the replica that the visitor belongs to from then on; '' if it names none."""
        cookie = {"Cookie": f"metamf_replica={replica}"} if replica else {}
        try:
            answer = urllib.request.urlopen(urllib.request.Request(self.address + path, headers=cookie), timeout=10)
        except urllib.error.HTTPError as error:
            answer = error
        except OSError:
            return 0, ""
        return answer.status, "".join(re.findall(r"metamf_replica=(\w*)", str(answer.headers.get_all("Set-Cookie"))))

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
def test_visitors_stay_on_their_replica_and_a_room_on_two_loses_no_rating_when_one_is_killed(cluster, browser):
    assert [cluster.ask(replica="two") for _ in range(4)] == [(200, "")] * 4, "they stay, without a new cookie"
    for path in ("/_stcore/metrics", "//_stcore/metrics", "/_stcore/%6detrics", "/_stcore/metrics/?a"):
        assert cluster.ask(path)[0] == 404
    with ExitStack() as stack:

        def visitor(replica):
            context = stack.enter_context(browser.new_context(viewport={"width": 390, "height": 844}))
            context.add_cookies([{"name": "metamf_replica", "value": replica, "url": cluster.address}])
            page = context.new_page()
            page.set_default_timeout(120_000)
            return page

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
        cluster.until(lambda: cluster.ask(replica="one") == (200, ""))  # once the proxy has found it well again


@PROGRAMS
@pytest.mark.browser
def test_replicas_compute_on_the_workers_of_the_scheduler(cluster, browser):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{cluster.address}/your_table")
        page.locator(".st-key-table_example button").click(timeout=120_000)
        page.locator(".st-key-table_get_csv").wait_for(timeout=240_000)
        assert not [cluster.processes[name] for name in ("one", "two") if children(cluster.processes[name])]
        assert children(cluster.processes["worker"])


def children(process):
    return psutil.Process(process.pid).children()
