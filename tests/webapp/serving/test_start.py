"""What begins with a server: once, and with an error that names the variable that is wrong."""

import os
import subprocess
import sys

import pytest
from served import in_a_loop
from starlette.formparsers import MultiPartParser
from starlette.requests import Request

from metamf.webapp.monitoring import observing
from metamf.webapp.serving import absent, descriptors, start, uploaded


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(start, "begun", False)
    monkeypatch.setattr(uploaded, "limit", lambda: None)
    monkeypatch.setattr(uploaded, "limit_arriving", lambda: None)
    monkeypatch.setattr(descriptors, "raise_limit", lambda: None)
    monkeypatch.setattr(descriptors, "say_seldom", lambda: None)
    monkeypatch.setattr(absent.ABSENT, "begin", lambda: None)
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 2**20)  # Starlette's own, and back afterwards
    monkeypatch.setattr(observing, "on", False)
    monkeypatch.setattr(observing, "_metrics", None)
    for name in ("METAMF_VISITORS", "METAMF_PLACES", "METAMF_METRICS", "METAMF_THREADS", "METAMF_LOG"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_word_of_the_environment_nothing_is_observed():
    start.begin()
    assert start.begun and not observing.on


def test_what_was_left_is_ended_and_descriptors_are_had(monkeypatch):
    done, said = [], []
    for holder, name in ((descriptors, "raise_limit"), (descriptors, "say_seldom"), (absent.ABSENT, "begin")):
        monkeypatch.setattr(holder, name, lambda name=name: done.append(name))
    monkeypatch.setattr(descriptors, "visitors", lambda: 32)
    monkeypatch.setattr(observing, "begin", lambda gauges, of_start: said.append(of_start["visitors"]))
    start.begin()
    start.begin()  # once is enough
    assert done == ["raise_limit", "say_seldom", "begin"] and said == [32]


@pytest.mark.parametrize(
    "name, value",
    [("METAMF_VISITORS", "0"), ("METAMF_PLACES", "0"), ("METAMF_METRICS", "yes"), ("METAMF_THREADS", "half")],
)
def test_a_variable_that_is_wrong_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=f"{name} is '{value}'"):
        start.begin()
    assert not start.begun


def test_the_command_says_in_a_line_what_is_wrong():
    command = [sys.executable, "-m", "metamf.webapp.serving", "run", "app.py"]
    done = subprocess.run(command, env=os.environ | {"METAMF_VISITORS": "0"}, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("error: METAMF_VISITORS is '0'") and not done.stdout


def test_figures_without_their_package_say_what_to_install(monkeypatch):
    monkeypatch.setenv("METAMF_METRICS", "9100")
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    monkeypatch.delitem(sys.modules, "metamf.webapp.monitoring.metrics", raising=False)
    with pytest.raises(
        ModuleNotFoundError, match=r"METAMF_METRICS needs prometheus_client: pip install 'metamf\[served"
    ):
        start.begin()


def test_an_upload_lies_in_no_file_while_it_arrives():
    content = bytes(5 * 2**20)
    body = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + content + b"\r\n--x--\r\n"

    async def received():
        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        headers = [(b"content-type", b"multipart/form-data; boundary=x")]
        form = await Request({"type": "http", "method": "PUT", "headers": headers}, receive).form()
        return form["f"].file

    assert in_a_loop(received())._rolled  # as Starlette does it: in a file of the system's temporary folder
    start.begin()
    file = in_a_loop(received())
    assert not file._rolled and file.read() == content
