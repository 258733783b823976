"""metamf app, metamf download, metamf benchmark."""

import importlib.util
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from commands import REPOSITORY, failure, in_an_empty_folder, run  # noqa: F401  fixtures

from metamf import datasets
from metamf.cli import commands
from metamf.datasets import DownloadError


def test_app_runs_streamlit_on_the_entry_from_any_folder(run, monkeypatch):
    calls = []
    monkeypatch.setattr(os, "name", "posix")
    monkeypatch.setattr(os, "execv", lambda program, command: calls.append(command) or sys.exit(0))
    assert run("app", "--port", "8600", "--no-browser").code == 0
    streamlit = [sys.executable, "-m", "streamlit", "run", str(REPOSITORY / "app.py")]
    assert calls == [[*streamlit, "--server.port=8600", "--server.headless=true"]]


def test_without_streamlit_app_says_what_to_install(run, monkeypatch):
    there = {"streamlit": None}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: there.get(name, name))
    assert failure(run("app")) == "error: the app needs streamlit: pip install streamlit"


def test_download_prints_the_path_and_says_the_licence(run, tmp_path, monkeypatch):
    def download(name, folder, progress):
        for done in (0, 1_000_000, 4_924_029):
            progress(done, 4_924_029)
        return folder / "ml-100k.zip"

    monkeypatch.setattr(datasets, "download", download)
    result = run("download", "ml-100k", "--folder", tmp_path)
    assert result.code == 0 and result.out == f"{tmp_path / 'ml-100k.zip'}\n"
    assert "ml-100k.zip: 100%" in result.said and "4.92M/4.92M" in result.said
    assert "no redistribution" in result.said and "Please cite: F. Maxwell Harper" in result.said
    (tmp_path / "ml-100k.zip").touch()
    again = run("download", "ml-100k", "--folder", tmp_path).said
    assert "MovieLens 100K is here already." in again


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (DownloadError("it could not be\ndownloaded"), 1, "error: it could not be downloaded"),
        (KeyboardInterrupt(), 130, "stopped"),
    ],
)
def test_a_download_that_fails_or_is_stopped(run, tmp_path, monkeypatch, error, code, said):
    def download(name, folder, progress):
        raise error

    monkeypatch.setattr(datasets, "download", download)
    result = run("download", "jester", "--folder", tmp_path)
    assert result.code == code
    assert result.said.endswith(f"{said}\n")


def test_benchmark_lists_and_runs_the_scripts(run, monkeypatch):
    listed = run("benchmark").out
    assert "speed.kernels: Time and memory" in listed
    assert "speed.kernels: Time and memory" in run("benchmark", "--help").out
    for line in listed.splitlines():
        name, _, title = line.strip().partition(": ")
        assert importlib.util.find_spec(f"benchmarks.{name}") is not None, line
        assert title.endswith((".", ":")), line
    calls = []

    def recorded(command, env):
        calls.append(command[1:])
        return SimpleNamespace(returncode=3)

    monkeypatch.setattr(subprocess, "run", recorded)
    for name in ("accuracy.domains", "domains", "paper"):
        assert run("benchmark", name, "--splits", "2").code == 3
    modules = ["accuracy.domains", "accuracy.domains", "paper"]
    assert calls == [["-m", f"benchmarks.{name}", "--splits", "2"] for name in modules]


def test_an_installed_package_has_no_benchmarks(run, tmp_path, monkeypatch):
    (tmp_path / "benchmarks" / "other").mkdir(parents=True)  # of another package
    (tmp_path / "benchmarks" / "other" / "speed.py").write_text('if __name__ == "__main__": pass')
    monkeypatch.setattr(commands, "REPOSITORY", tmp_path)
    monkeypatch.setattr(commands, "titles", commands.titles.__wrapped__)  # without its cache
    assert failure(run("benchmark")).startswith("error: the benchmarks are in MetaMF's repository")
