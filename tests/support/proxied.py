"""nginx as ``deploy`` sets it up, in a folder of its own, in front of replicas of the app that tests start."""

import asyncio
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager, suppress
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from served import server_process

from benchmarks.load.session import form, visit

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")  # folders that nginx wants
FIGURES = free_port()  # of the first replica


class Proxy:
    """nginx in a folder of its own, in front of ``replicas`` (name -> address).

    ``before``: words before its command, of a program that makes a place for it.
    """

    def __init__(self, folder, replicas, before=()):
        ports = {"8080": free_port(), "9001": free_port(), "9002": free_port()}
        text = (DEPLOY / "nginx.conf").read_text()
        for kept, here in {
            "listen 8080": "listen 127.0.0.1:8080",
            **{f":{port}": f":{free}" for port, free in ports.items()},
            **{f"http://{name}:8501": address for name, address in replicas.items()},
            "/tmp/": f"{folder}/",
        }.items():
            assert kept in text
            text = text.replace(kept, here)
        for name in ("inner.conf", "headers.conf"):
            shutil.copy(DEPLOY / name, folder)
        self.address = f"http://127.0.0.1:{ports['8080']}"
        self.replicas = replicas
        self.start(folder, text, before)

    def start(self, folder, text, before=()):
        """Starts nginx with a configuration."""
        self.folder, self.text, self.file = folder, text, folder / "nginx.conf"
        self.file.write_text(text)
        folder.chmod(0o777)  # nginx gives up being root
        self._command = ["nginx", "-p", str(folder), "-c", str(self.file), "-e", "stderr"]
        self.log = folder / "log"
        with open(self.log, "w") as stream:
            self.server = subprocess.Popen([*before, *self._command, "-g", "daemon off;"], stderr=stream)
        self.wait_for(lambda: self.ask()[0] == 200)

    def ask(self, path="/", replica=""):
        """Status of an answer, and the replica that the visitor belongs to from then on, "" if none is named."""
        cookie = {"Cookie": f"metamf_replica={replica}"} if replica else {}
        return self.send(urllib.request.Request(self.address + path, headers=cookie))

    def send(self, request):
        """The same of any request."""
        try:
            answer = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        except OSError:
            return 0, ""
        return answer.status, named(answer.headers.get_all("Set-Cookie"))

    def upload(self, session, replica):
        """The same of an upload to a session."""
        headers, body = form(self.address, "a.csv", b"1,2\n" * 10**6)
        headers["Cookie"] += f"; metamf_replica={replica}"
        path = f"{self.address}/_stcore/upload_file/{session.id}/a-file"
        return self.send(urllib.request.Request(path, body, headers, method="PUT"))

    async def visit(self, replica):
        """A visitor of one of the replicas."""
        return await visit(self.address, Cookie=f"metamf_replica={replica}")

    def drain(self, name, other):
        """Nobody new comes to a replica."""
        (self.folder / "drained").mkdir()
        (self.folder / "drained" / name).write_text(f"{name} {other};\n")
        self.reload()

    def point(self, name, address):
        """A replica is to be asked elsewhere from now on."""
        mine = self.replicas[name]
        self.file.write_text(self.text.replace(f"set $address {mine};", f"set $address {address};"))
        self.reload()

    def reload(self):
        before = self.workers()
        subprocess.run([*self._command, "-s", "reload"], check=True)
        self.wait_for(lambda: (now := self.workers()) and not now & before)

    def workers(self):
        """Ids of the processes that take new connections: those of an earlier configuration keep what they have."""
        pid = self.server.pid
        found = set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        return {child for child in found if "shutting down" not in title(child)}

    @staticmethod
    def wait_for(state):
        end = time.monotonic() + 120
        while not state():
            assert time.monotonic() < end
            time.sleep(0.05)

    def stop(self):
        self.server.terminate()
        self.server.wait(20)


def title(pid):
    with suppress(OSError):  # it has ended
        return Path(f"/proc/{pid}/cmdline").read_text()
    return "shutting down"


def named(cookies):
    """The replica that an answer's cookies name, or ""."""
    cookies = SimpleCookie("; ".join(cookies or []))
    return cookies["metamf_replica"].value if "metamf_replica" in cookies else ""


class Site(Proxy):
    """nginx of a small server, in a folder of its own, in front of one process."""

    def __init__(self, folder, server):
        port, site = free_port(), (DEPLOY / "site.conf").read_text()
        for before, after in {"listen 80;": f"listen 127.0.0.1:{port};", "http://127.0.0.1:8501": server}.items():
            assert before in site
            site = site.replace(before, after)
        (folder / "site.conf").write_text(site)
        (folder / "metamf").mkdir()
        shutil.copy(DEPLOY / "headers.conf", folder / "metamf")
        paths = " ".join(f"{name}_temp_path {folder}/{name};" for name in TEMPORARY)
        self.address = f"http://127.0.0.1:{port}"
        self.start(folder, f"pid {folder}/pid;\nevents {{}}\nhttp {{ {paths} include site.conf; }}\n")


@contextmanager
def beside():
    """Runs coroutines in a loop that goes on all the time, so that their connections live while a browser is asked."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result(180)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture(scope="module")
def replicas(tmp_path_factory):
    """Two replicas, by name: address and process."""
    with ExitStack() as stack:
        figures = {"one": {"METAMF_METRICS": str(FIGURES)}, "two": {}}
        yield {
            name: stack.enter_context(server_process(tmp_path_factory.mktemp(name), **said))
            for name, said in figures.items()
        }


@pytest.fixture(autouse=True)
def nginx():
    if shutil.which("nginx") is None:
        pytest.skip("needs nginx (Debian: apt-get install nginx-light)")


@pytest.fixture
def proxy(replicas, tmp_path):
    proxy = Proxy(tmp_path, {name: address for name, (address, _) in replicas.items()})
    yield proxy
    proxy.stop()
