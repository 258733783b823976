"""Two replicas behind nginx as ``deploy`` sets it up: a visitor stays with one, and lands on the other when it dies."""

import asyncio
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from playwright.sync_api import expect
from served import in_a_loop, server_process

from benchmarks.load.session import form, visit
from benchmarks.screens import SCREENS

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
pytestmark = pytest.mark.browser


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")  # folders that nginx wants
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
        for name in ("inner.conf", "headers.conf"):
            shutil.copy(DEPLOY / name, folder)
        self.address = f"http://127.0.0.1:{ports['8080']}"
        self.start(folder, text)

    def start(self, folder, text):
        """Starts nginx with a configuration."""
        self.text, self.file = text, folder / "nginx.conf"
        self.file.write_text(text)
        folder.chmod(0o777)  # nginx gives up being root
        self._command = ["nginx", "-p", str(folder), "-c", str(self.file), "-e", "stderr"]
        self.log = folder / "log"
        with open(self.log, "w") as stream:
            self._server = subprocess.Popen([*self._command, "-g", "daemon off;"], stderr=stream)
        self.wait_for(lambda: self.ask()[0] == 200)

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

    async def visit(self, replica):
        """A visitor of one of the replicas."""
        return await visit(self.address, Cookie=f"metamf_replica={replica}")

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


def test_new_visitors_are_spread_and_stay_where_they_are_and_a_replica_can_be_drained(proxy):
    figures = urllib.request.urlopen(f"http://127.0.0.1:{FIGURES}/metrics", timeout=10).read().decode()
    assert "\nmetamf_visitors 0.0\n" in figures  # before the first visit, also without `metamf app`
    assert {proxy.ask() for _ in range(30)} == {(200, "one"), (200, "two")}
    assert {proxy.ask(replica="one") for _ in range(10)} == {(200, "one")}
    assert proxy.ask("/_stcore/metrics")[0] == proxy.ask("/_stcore/metrics/?families=session_events")[0] == 404
    assert {proxy.ask(replica="nonsense\\") for _ in range(30)} == {(200, "one"), (200, "two")}


def test_a_visitor_of_a_replica_that_is_drained_goes_on_there(proxy):
    async def visits():
        session = await proxy.visit("one")
        proxy.drain("one", "two")
        proxy.wait_for(lambda: {proxy.ask() for _ in range(30)} == {(200, "two")})
        assert {proxy.ask(replica="one") for _ in range(10)} == {(200, "one")}
        await session.run()  # on the connection that it had
        number = session.id
        await session.go_to("paper")
        assert session.id == number and session.of_key("scale")
        await session.close()

    in_a_loop(visits())


def test_an_upload_passes_through_and_lies_in_no_file_of_the_proxy(proxy):
    async def visits():
        session = await proxy.visit("one")
        headers, body = form(proxy.address, "a.csv", b"1,2\n" * 10**6)
        headers["Cookie"] += "; metamf_replica=one"
        path = f"{proxy.address}/_stcore/upload_file/{session.id}/a-file"
        with urllib.request.urlopen(urllib.request.Request(path, body, headers, method="PUT"), timeout=60) as answer:
            assert answer.status == 204
        await session.close()

    in_a_loop(visits())
    assert "temporary file" not in proxy.log.read_text()


def test_the_usual_headers_come_with_every_answer(proxy):
    for path in ("/", "/_stcore/health", "/nowhere/at/all", "/_stcore/metrics"):
        try:
            headers = urllib.request.urlopen(proxy.address + path, timeout=10).headers
        except urllib.error.HTTPError as error:
            headers = error.headers
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert headers["Permissions-Policy"] == "camera=(), microphone=(), geolocation=()"
        said = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
        assert said["default-src"] == said["frame-ancestors"] == "'self'" and said["object-src"] == "'none'"
        scripts = {word for word in said["script-src"].split() if not re.fullmatch(r"'sha256-[\w+/]{43}='", word)}
        assert scripts == {"'self'", "blob:", "'wasm-unsafe-eval'"}


def test_every_page_keeps_the_policy_and_a_file_of_your_table_arrives(app, browser, request, tmp_path):
    site = Site(tmp_path, app)
    request.addfinalizer(site.stop)
    assert site.ask("/_stcore/metrics")[0] == 404
    with browser.new_context() as context:
        page, refused = context.new_page(), []
        page.on("console", lambda said: "Security Policy" in said.text and refused.append(said.text))
        for screen in SCREENS:
            page.goto(f"{site.address}/{screen.address}")
            if screen.name != "your-table":
                expect(page.locator(screen.sign).first).to_be_visible(timeout=180_000)
        table = b"name,Tea,Coffee,Juice\nAda,4,,2\nBen,1,2,\nCleo,,5,3\nDev,3,4,1\n"
        page.locator(".st-key-table_example").wait_for()
        page.locator(".stFileUploader:visible input").set_input_files(
            {"name": "drinks.csv", "mimeType": "text/csv", "buffer": table}
        )
        for _ in range(2):
            with page.expect_download(timeout=180_000) as caught:
                page.locator(".st-key-table_get_csv button").click(timeout=180_000)
            assert caught.value.suggested_filename == "drinks-filled.csv"
            assert caught.value.path().read_bytes().startswith(b"name,Tea,Coffee,Juice\nAda,4,")
        assert not refused


def test_a_replica_that_is_killed_costs_its_own_sessions_alone(proxy, replicas, browser):
    with browser.new_context() as context, beside() as run:
        staying = run(proxy.visit("two"))
        context.add_cookies([{"name": "metamf_replica", "value": "one", "url": proxy.address}])
        page, refused = context.new_page(), []
        page.on("console", lambda said: "Security Policy" in said.text and refused.append(said.text))
        page.goto(f"{proxy.address}/watch?keep=40&t=3")
        page.get_by_text("3 of 10").first.wait_for(timeout=180_000)
        [cookie] = [cookie for cookie in context.cookies() if cookie["name"] == "metamf_replica"]
        assert cookie["value"] == "one" and cookie["httpOnly"] and cookie["sameSite"] == "Lax"
        replicas["one"][1].kill()
        number = staying.id
        run(staying.go_to("paper"))
        assert staying.id == number and staying.of_key("scale")
        page.reload()
        page.get_by_text("3 of 10").first.wait_for(timeout=180_000)
        assert [cookie["value"] for cookie in context.cookies() if cookie["name"] == "metamf_replica"] == ["two"]
        assert not refused
        run(staying.close())
    assert {proxy.ask(replica="one") for _ in range(5)} == {(200, "two")}
