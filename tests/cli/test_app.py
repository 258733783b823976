"""metamf app."""

import importlib.util
import os
import sys

from commands import REPOSITORY, failure, in_an_empty_folder, run  # noqa: F401  fixtures


def test_app_runs_streamlit_on_the_entry_from_any_folder(run, monkeypatch):
    calls = []
    monkeypatch.setattr(os, "name", "posix")
    monkeypatch.setattr(os, "execv", lambda program, command: calls.append(command) or sys.exit(0))
    assert run("app", "--port", "8600", "--no-browser").code == 0
    streamlit = [sys.executable, "-m", "metamf.webapp.serving", "run", str(REPOSITORY / "app.py")]
    assert calls == [[*streamlit, "--server.port=8600", "--server.headless=true"]]


def test_without_streamlit_app_says_what_to_install(run, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "streamlit" else object())
    assert failure(run("app")) == "error: the app needs streamlit: pip install 'metamf[app]'"
