"""Two replicas behind nginx as ``deploy`` sets it up: a visitor stays with one, and lands on the other when it dies."""

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from served import server_process

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
pytestmark = pytest.mark.browser


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


FIGURES = free_port()  # of the first replica


class Proxy:
    """nginx in a folder of its own, in front of ``replicas`` (name -> address)."""

    def __init__(self, folder, replicas):
        ports = {"8080": free_port(), "9001": free_port(), "9002": free_port()}
        text = (DEPLOY / "nginx.conf").read_text()
        for before, after in {
            "listen 8080": "listen 127.0.0.1:8080",
            **{f":{port}": f":{free}" for port, free in ports.items()},
            **{f"http://{name}:8501": address for name, address in replicas.items()},
            "/tmp/": f"{folder}/",
        }.items():
            assert before in text
            text = text.replace(before, after)
        self.text, self.file = text, folder / "nginx.conf"
        self.file.write_text(text)
        shutil.copy(DEPLOY / "inner.conf", folder)
        folder.chmod(0o777)  # nginx gives up being root
        self._command = ["nginx", "-p", str(folder), "-c", str(self.file), "-e", "stderr"]
        self._server = subprocess.Popen([*self._command, "-g", "daemon off;"])
        self.address = f"http://127.0.0.1:{ports['8080']}"
        self.wait_for(lambda: self.ask("/healthz")[0] == 200)

    def ask(self, path="/_stcore/health", replica=""):
        """Status of an answer, and the replica that the visitor belongs to from then on."""
        cookie = {"Cookie": f"metamf_replica={replica}"} if replica else {}
        try:
            answer = urllib.request.urlopen(urllib.request.Request(self.address + path, headers=cookie), timeout=10)
        except urllib.error.HTTPError as error:
            answer = error
        except OSError:
            return 0, ""
        cookies = SimpleCookie("; ".join(answer.headers.get_all("Set-Cookie") or []))
        return answer.status, cookies["metamf_replica"].value if "metamf_replica" in cookies else ""

    def drain(self, name, other):
        """Nobody new comes to a replica."""
        self.file.write_text(
            self.text.replace(f"50% {name};", f"50% {other};").replace(f"*   {name};", f"*   {other};")
        )
        subprocess.run([*self._command, "-s", "reload"], check=True)

    @staticmethod
    def wait_for(state):
        end = time.monotonic() + 120
        while not state():
            assert time.monotonic() < end
            time.sleep(0.05)

    def stop(self):
        self._server.terminate()
        self._server.wait(20)


@pytest.fixture(scope="module")
def replicas(tmp_path_factory):
    """Two replicas, by name: address and process."""
    with ExitStack() as stack:
        figures = {"one": {"METAMF_METRICS": str(FIGURES)}, "two": {}}
        yield {
            name: stack.enter_context(server_process(tmp_path_factory.mktemp(name), **said))
            for name, said in figures.items()
        }


@pytest.fixture
def proxy(replicas, tmp_path):
    if shutil.which("nginx") is None:
        pytest.skip("needs nginx (Debian: apt-get install nginx-light)")
    proxy = Proxy(tmp_path, {name: address for name, (address, _) in replicas.items()})
    yield proxy
    proxy.stop()


def test_new_visitors_are_spread_and_stay_where_they_are_and_a_replica_can_be_drained(proxy):
    figures = urllib.request.urlopen(f"http://127.0.0.1:{FIGURES}/metrics", timeout=10).read().decode()
    assert "\nmetamf_visitors 0.0\n" in figures  # before the first visit, also without `metamf app`
    assert {proxy.ask() for _ in range(30)} == {(200, "one"), (200, "two")}
    assert {proxy.ask(replica="one") for _ in range(10)} == {(200, "one")}
    assert proxy.ask("/_stcore/metrics")[0] == proxy.ask("/_stcore/metrics/?families=session_events")[0] == 404
    assert {proxy.ask(replica="nonsense\\") for _ in range(30)} == {(200, "one"), (200, "two")}
    proxy.drain("one", "two")
    proxy.wait_for(lambda: {proxy.ask() for _ in range(30)} == {(200, "two")})
    assert {proxy.ask(replica="one") for _ in range(10)} == {(200, "one")}


def test_a_visitor_of_a_replica_that_is_killed_lands_on_the_other_with_the_address(proxy, replicas, browser):
    with browser.new_context() as context:
        context.add_cookies([{"name": "metamf_replica", "value": "one", "url": proxy.address}])
        page, refused = context.new_page(), []
        page.on("console", lambda said: "Security Policy" in said.text and refused.append(said.text))
        page.goto(f"{proxy.address}/watch?keep=40&t=3")
        page.get_by_text("3 of 10").first.wait_for(timeout=180_000)
        assert not refused
        [cookie] = [cookie for cookie in context.cookies() if cookie["name"] == "metamf_replica"]
        assert cookie["value"] == "one" and cookie["httpOnly"] and cookie["sameSite"] == "Lax"
        replicas["one"][1].kill()
        page.reload()
        page.get_by_text("3 of 10").first.wait_for(timeout=180_000)
        assert [cookie["value"] for cookie in context.cookies() if cookie["name"] == "metamf_replica"] == ["two"]
        assert not refused
    assert {proxy.ask(replica="one") for _ in range(5)} == {(200, "two")}
