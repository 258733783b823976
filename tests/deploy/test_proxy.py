"""Two replicas behind nginx as ``deploy`` sets it up: a visitor stays with one, and lands on the other when it dies."""

import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import websockets
from playwright.sync_api import expect
from proxied import DEPLOY, FIGURES, Proxy, Site, beside, free_port, named, nginx, proxy, replicas  # noqa: F401  fixtures
from served import in_a_loop

from benchmarks.load.visits import taken
from benchmarks.screens import SCREENS
from metamf.webapp.serving.door import MOST_VISITORS

DOCS = DEPLOY.parent / "docs"
pytestmark = pytest.mark.browser


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
        assert proxy.upload(session, "one") == (204, "")
        await session.close()

    in_a_loop(visits())
    assert "temporary file" not in proxy.log.read_text()


OWN = ["/_stcore/upload_file/a/b", "/media/a.csv", "/component/a/b.js", "/_stcore/bidi-components/a/b.js"]
ANYBODYS = ["/favicon.png", "/_stcore/health", "/_stcore/host-config", "/watch/_stcore/health"]


def test_a_replica_that_does_not_answer_for_a_moment_costs_a_request_and_no_session(proxy, monkeypatch):
    def get(url):
        request = urllib.request.Request(url, headers={"Cookie": "metamf_replica=one"})
        return urllib.request.urlopen(request, timeout=60).read()

    async def visits():
        session = await proxy.visit("one")
        [script] = re.findall(r'src="\.(/static/js/.*?)"', get(f"{proxy.address}/").decode())
        assert proxy.ask(script, "one") == (200, "")
        proxy.point("one", f"http://127.0.0.1:{free_port()}")
        assert {proxy.ask(path, "one") for path in OWN} == {(502, "")}
        assert proxy.upload(session, "one") == (502, "")
        with pytest.raises(urllib.error.HTTPError, match="502"):
            await session.take_away(session.of_key("take_away"))
        assert [proxy.ask(path, "one") for path in (script, *ANYBODYS[:-1])] == [(200, "")] * 4
        assert proxy.ask(ANYBODYS[-1], "one") == (404, "")  # where a browser looks for the app's first folder
        await session.run()  # on the connection that it had
        proxy.point("one", proxy.replicas["one"])
        assert proxy.upload(session, "one") == (204, "")
        await taken(session)
        await session.close()

    monkeypatch.setattr("benchmarks.load.session._get", get)
    in_a_loop(visits())


@contextmanager
def silence():
    """The port of a machine that is not there: nobody takes up a connection, and nobody refuses it."""
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(8):
            waits = stack.enter_context(socket.socket())
            waits.setblocking(False)
            waits.connect_ex(server.getsockname())
        yield server.getsockname()[1]


@pytest.mark.parametrize("replica", ["refuses", "is not there"])
def test_where_a_session_begins_another_replica_stands_in_and_is_named(proxy, replica):
    async def answered():
        connection = await websockets.connect(
            f"{proxy.address.replace('http', 'ws')}/_stcore/stream",
            additional_headers={"Cookie": "metamf_replica=one"},
            subprotocols=["streamlit"],
            origin=proxy.address,
        )
        await connection.close()
        return connection.response.headers.get_all("Set-Cookie")

    assert named(in_a_loop(answered())) == "one"
    with silence() as port:
        proxy.point("one", f"http://127.0.0.1:{free_port() if replica == 'refuses' else port}")
        assert proxy.ask("/watch", "one") == (200, "two")
        assert named(in_a_loop(answered())) == "two"
        assert proxy.ask("/media/a.csv", "one") == (502 if replica == "refuses" else 504, "")


# -- as many as come -------------------------------------------------------------------------------------------------


AT_ONCE = 1 + 6  # a visitor's websocket, and what a browser asks for beside it while a page is loaded


def numbers(text):
    """How many connections nginx has, and how many descriptors each of its processes may open."""
    return [
        int(re.search(rf"^\s*{name} (\d+);", text, re.M)[1]) for name in ("worker_connections", "worker_rlimit_nofile")
    ]


def test_the_proxy_has_connections_and_descriptors_for_all_visitors_and_the_line():
    connections, descriptors = numbers((DEPLOY / "nginx.conf").read_text())
    layers, replicas, line = 2, 2, 2
    assert descriptors - 1000 >= connections >= MOST_VISITORS * replicas * line * AT_ONCE * 2 * layers
    assert f"nofile: {descriptors}" in (DEPLOY / "compose.yaml").read_text()


def test_a_usual_limit_of_descriptors_is_raised_for_the_proxy(proxy, tmp_path_factory):
    other = Proxy(tmp_path_factory.mktemp("other"), proxy.replicas, before=["prlimit", "--nofile=1024:", "--"])
    [worker] = other.workers()
    limits = {pid: Path(f"/proc/{pid}/limits").read_text() for pid in (other.server.pid, worker)}
    other.stop()
    soft = {pid: int(re.search(r"^Max open files +(\d+)", text, re.M)[1]) for pid, text in limits.items()}
    assert soft[other.server.pid] == 1024 and soft[worker] == numbers((DEPLOY / "nginx.conf").read_text())[1]


DEBIANS = """\
user www-data;
worker_processes auto;

events {
\tworker_connections 768;
\t# multi_accept on;
}
"""


def test_what_the_page_on_a_small_server_says_makes_debians_nginx_large_enough(tmp_path):
    [command] = re.findall(r"^sed -i .* /etc/nginx/nginx.conf$", (DOCS / "server.md").read_text(), re.M)
    file = tmp_path / "nginx.conf"
    file.write_text(DEBIANS)
    subprocess.run(command.replace("/etc/nginx/nginx.conf", str(file)), shell=True, check=True)
    connections, descriptors = numbers(file.read_text())
    assert descriptors - 1000 >= connections >= MOST_VISITORS * 2 * AT_ONCE * 2  # as many in line; one layer
    file.write_text(f"pid {tmp_path}/pid;\n{file.read_text()}http {{ access_log off; }}\n")
    subprocess.run(["nginx", "-t", "-p", str(tmp_path), "-c", str(file), "-e", "stderr"], check=True)


# -- replicas that go -------------------------------------------------------------------------------------------------


DOCKER = """\
#!{python}
import os, subprocess, sys
words = sys.argv[1:]
assert words[:2] == ["compose", "-f"] and words[2].endswith("compose.yaml"), words
with open("{folder}/said", "a") as said:
    print(*words[3:], file=said)
if words[3] == "exec":
    inside = [word.replace("/tmp/", "{folder}/") for word in words[6:]]
    here = "-p {folder} -c {folder}/nginx.conf -e stderr"
    inside = [word.replace("-c /etc/nginx/metamf/nginx.conf", here) for word in inside]
    variables = os.environ | {{"METAMF_METRICS": "{figures}", "PYTHONPATH": "{repository}"}}
    sys.exit(subprocess.run(inside, env=variables).returncode)
"""


def drain(proxy, *words):
    """deploy/drain on its way, with a Docker that runs here what it is to run in a container."""
    fake = proxy.folder / "bin" / "docker"
    fake.parent.mkdir(exist_ok=True)
    python = Path(sys.executable)
    fake.write_text(DOCKER.format(python=python, folder=proxy.folder, figures=FIGURES, repository=DEPLOY.parent))
    fake.chmod(0o755)
    (proxy.folder / "said").write_text("")
    path = f"{fake.parent}:{python.parent}:{os.environ['PATH']}"
    return subprocess.Popen(
        [DEPLOY / "drain", "one", "two", *words], env=os.environ | {"PATH": path}, stderr=subprocess.PIPE, text=True
    )


def test_a_replica_is_stopped_once_its_visitors_have_left_and_not_before(proxy):
    async def visits():
        session = await proxy.visit("one")
        with drain(proxy, "--most", "0.5", "--quiet", "0.1") as impatient:
            assert "after 0.5 seconds the replica still has visitors: 1" in impatient.communicate(timeout=60)[1]
        assert impatient.returncode == 1 and "stop" not in said.read_text()
        proxy.wait_for(lambda: {proxy.ask() for _ in range(30)} == {(200, "one"), (200, "two")})
        with drain(proxy, "--quiet", "0.5") as draining:
            proxy.wait_for(lambda: {proxy.ask() for _ in range(30)} == {(200, "two")})
            assert {proxy.ask(replica="one") for _ in range(10)} == {(200, "one")}
            await session.run()
            assert proxy.upload(session, "one") == (204, "")
            assert draining.poll() is None and "stop" not in said.read_text()
            await session.close()
            assert draining.wait(60) == 0
        *_, stopped, last = said.read_text().splitlines()
        assert stopped == "stop one" and last.startswith("exec -T proxy sh -c rm -f /tmp/drained/one && nginx")

    said = proxy.folder / "said"
    in_a_loop(visits())
    assert not list((proxy.folder / "drained").iterdir())


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


def belongs(context):
    """The replica that a browser's cookie names."""
    return next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "metamf_replica")


def test_a_replica_that_is_killed_costs_its_own_sessions_alone(proxy, replicas, browser):
    with browser.new_context() as context, beside() as run:
        staying = run(proxy.visit("two"))
        context.add_cookies([{"name": "metamf_replica", "value": "one", "url": proxy.address}])
        page, refused, loads = context.new_page(), [], []
        page.on("console", lambda said: "Security Policy" in said.text and refused.append(said.text))
        page.on("load", lambda page: loads.append(page.url))
        page.goto(f"{proxy.address}/watch?keep=40&t=3&seed=77")
        page.get_by_text("3 of 10").first.wait_for(timeout=180_000)
        [cookie] = [cookie for cookie in context.cookies() if cookie["name"] == "metamf_replica"]
        assert cookie["value"] == "one" and cookie["httpOnly"] and cookie["sameSite"] == "Lax"
        replicas["one"][1].kill()
        number = staying.id
        run(staying.go_to("paper"))
        assert staying.id == number and staying.of_key("scale")
        proxy.wait_for(lambda: belongs(context) == "two")  # the browser comes by itself
        expect(page.get_by_text("3 of 10").first).to_be_visible()
        seed = page.locator(".st-key-seed input").first
        expect(seed).to_have_value("77")
        seed.fill("78")
        seed.press("Enter")
        page.wait_for_url("**seed=78*")
        expect(page.get_by_text("3 of 10").first).to_be_visible()
        assert {"t=3", "keep=40", "seed=78"} <= set(page.url.partition("?")[2].split("&"))
        page.wait_for_function("!/connecting|connection error/i.test(document.body.innerText)")
        assert not page.locator(".stException").count()
        assert len(loads) == 1 and not refused  # nobody has loaded the page again
        run(staying.close())
    assert {proxy.ask(replica="one") for _ in range(5)} == {(200, "two")}
