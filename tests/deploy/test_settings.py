"""The settings of deploy beside each other: one policy, and replicas that believe their proxy."""

import base64
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import uvicorn
import yaml
from opened import healthy, no_data_sets, opened  # noqa: F401  a fixture
from served import in_a_loop
from starlette.websockets import WebSocket
from streamlit.runtime.runtime_util import get_max_message_size_bytes
from streamlit.web.server.starlette.starlette_server import _get_uvicorn_config_kwargs
from streamlit.web.server.starlette.starlette_websocket import StarletteClientContext

from metamf.figures.window import LARGEST_WINDOW
from metamf.webapp.matrix import page
from metamf.webapp.matrix.choices import LARGEST_STEPS, UPLOAD
from metamf.webapp.player.component import NAME
from metamf.webapp.serving import drain
from metamf.webapp.your_table.downloads import SAVING_SCRIPT

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
HEADERS = (DEPLOY / "headers.conf").read_text("utf-8")
COMPOSE = (DEPLOY / "compose.yaml").read_text("utf-8")
CLUSTER = (DEPLOY / "kubernetes" / "metamf.yaml").read_text("utf-8")
DOCKERFILE, SERVICE = ((DEPLOY / name).read_text("utf-8") for name in ("Dockerfile", "metamf.service"))


def test_the_script_that_saves_a_file_of_your_table_is_named_by_its_digest():
    digest = base64.b64encode(hashlib.sha256(SAVING_SCRIPT.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in HEADERS, f"put 'sha256-{digest}' into the policy of deploy, in place of the old one"


def test_the_cluster_sends_the_headers_of_the_proxy():
    headers = {name: value.strip('"') for name, value in re.findall(r'add_header (\S+) ("[^"]+"|\S+) always', HEADERS)}
    assert len(headers) == 4
    [told] = re.findall(r"name: metamf-headers\ndata:\n((?:  .*\n)+)", CLUSTER)
    said = dict(line.strip().split(": ", 1) for line in told.splitlines())
    assert {name: value.strip('"') for name, value in said.items()} == headers
    assert f"global-allowed-response-headers: {','.join(headers)}" in CLUSTER


def test_compose_has_two_replicas_that_reach_nothing_and_the_proxys_files():
    services, networks = yaml.safe_load(COMPOSE)["services"], yaml.safe_load(COMPOSE)["networks"]
    assert services.keys() == {"one", "two", "redis", "proxy"} and services["one"] == services["two"]
    assert all(service["read_only"] for service in services.values())
    assert all(services[name]["networks"] == ["inside"] for name in ("one", "two", "redis"))
    assert networks["inside"] == {"internal": True}
    files = [volume.split(":")[0] for volume in services["proxy"]["volumes"]]
    assert files and all((DEPLOY / file).is_file() for file in files)


def test_a_pod_waits_for_its_visitors_and_has_the_time_for_it():
    resources = {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(CLUSTER)}
    assert len(resources) == 9
    pod = resources["Deployment", "metamf"]["spec"]["template"]["spec"]
    [app] = pod["containers"]
    program, *words, module = (command := app["lifecycle"]["preStop"]["exec"]["command"])[:3]
    assert (program, words, module) == ("python", ["-m"], drain.__name__)
    said = dict(zip(command[3::2], map(float, command[4::2]), strict=True))
    assert said.keys() == {"--most", "--quiet"} and said["--most"] == drain.MOST
    assert pod["terminationGracePeriodSeconds"] >= said["--most"] + 60
    assert "METAMF_METRICS=0.0.0.0:9100" in DOCKERFILE and {"name": "metrics", "containerPort": 9100} in app["ports"]


def test_no_visitor_of_what_is_served_downloads_a_data_set():
    for text in (DOCKERFILE, SERVICE):
        assert re.search(rf"\b{page.DOWNLOADS}=off\b", text)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze (Debian: systemd)")
def test_systemd_knows_every_line_of_the_unit(tmp_path):
    program = shutil.which("true")
    unit = tmp_path / "metamf.service"
    unit.write_text(SERVICE.replace("/opt/metamf/bin/metamf", program))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert done.returncode == 0 and unit.name not in done.stderr, done.stderr


@pytest.mark.slow
def test_the_largest_run_fits_into_a_message():
    rng, number = np.random.default_rng(0), LARGEST_WINDOW
    names = [f"a rather long title of an item, number {item}" for item in range(number)]
    lines = [",".join(["", *names])]
    lines += [",".join([f"somebody {row}", *map(str, rng.integers(1, 6, number))]) for row in range(number)]
    at = opened(data=UPLOAD, steps=LARGEST_STEPS)
    healthy(at.file_uploader(key="file").set_value(("large.csv", "\n".join(lines).encode(), "text/csv")).run())
    [player] = [mount for mount in at.get("bidi_component") if mount.proto.component_name == NAME]
    assert 10**6 < 2 * player.proto.ByteSize() < get_max_message_size_bytes() < 20 * 10**6


@pytest.mark.parametrize("text", [COMPOSE, CLUSTER], ids=["compose", "kubernetes"])
def test_a_visitor_counts_by_the_address_that_the_proxy_tells(text, monkeypatch):
    [believed] = re.findall(r'FORWARDED_ALLOW_IPS(?:: |, value: )"(.*?)"', text)
    seen = []

    async def app(scope, receive, send):
        seen.append(StarletteClientContext(WebSocket(scope, receive, send)).remote_ip)

    monkeypatch.setenv("FORWARDED_ALLOW_IPS", believed)
    server = uvicorn.Config(app, **_get_uvicorn_config_kwargs())
    server.load()
    for visitor in ("203.0.113.7", "203.0.113.8"):
        headers = [(b"x-forwarded-for", visitor.encode())]
        scope = {"type": "websocket", "client": ("172.18.0.5", 9), "headers": headers}
        in_a_loop(server.loaded_app(scope, None, None))
    assert seen == ["203.0.113.7", "203.0.113.8"]
