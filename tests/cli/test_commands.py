"""metamf app, metamf download, metamf benchmark."""

import importlib.util
import os
import subprocess
import sys
from types import SimpleNamespace

from commands import REPOSITORY, failure, in_an_empty_folder, process, run  # noqa: F401  fixtures

from metamf import datasets
from metamf.datasets import DownloadError


def test_app_runs_streamlit_on_the_entry_from_any_folder(run, monkeypatch):
    calls = []
    monkeypatch.setattr(os, "name", "posix")
    monkeypatch.setattr(os, "execv", lambda program, command: calls.append(command) or sys.exit(0))
    assert run("app", "--port", "8600", "--no-browser").code == 0
    streamlit = [sys.executable, "-m", "streamlit", "run", str(REPOSITORY / "app.py")]
    assert calls == [[*streamlit, "--server.port=8600", "--server.headless=true"]]


def test_without_streamlit_app_says_what_to_install(run, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "streamlit" else object())
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
    assert "MovieLens 100K is here already." in run("download", "ml-100k", "--folder", tmp_path).said


def test_a_download_that_fails_or_is_stopped(run, tmp_path, monkeypatch):
    def fail(error):
        def download(name, folder, progress):
            raise error

        return download

    monkeypatch.setattr(datasets, "download", fail(DownloadError("Jester could not be\ndownloaded: no connection")))
    assert failure(run("download", "jester", "--folder", tmp_path)) == (
        "error: Jester could not be downloaded: no connection"
    )
    monkeypatch.setattr(datasets, "download", fail(KeyboardInterrupt()))
    result = run("download", "jester", "--folder", tmp_path)
    assert result.code == 130 and result.said.endswith("stopped\n")


def test_benchmark_lists_and_runs_the_scripts(run, monkeypatch):
    listed = run("benchmark").out
    assert "speed.kernels: Time and memory" in listed and "tables.run: " in listed and "\n  run: " not in listed
    assert "speed.kernels: Time and memory" in run("benchmark", "--help").out
    for line in listed.splitlines():
        name, _, title = line.strip().partition(": ")
        assert importlib.util.find_spec(f"benchmarks.{name}") is not None and title.endswith((".", ":")), line
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda command, env: calls.append(command) or SimpleNamespace(returncode=3))
    for name in ("accuracy.extended", "extended"):
        assert run("benchmark", name, "--splits", "2").code == 3
        assert calls.pop() == [sys.executable, "-m", "benchmarks.accuracy.extended", "--splits", "2"]
    assert run("benchmark", "paper", "table1").code == 3
    assert calls.pop() == [sys.executable, "-m", "benchmarks.paper", "table1"]


def test_an_installed_package_has_no_benchmarks(tmp_path):
    code = "import sys; from pathlib import Path; from metamf.cli import commands; from metamf.__main__ import main\n"
    code += f"commands.REPOSITORY = Path({str(tmp_path)!r}); sys.exit(main(sys.argv[1:]))"
    (tmp_path / "benchmarks" / "other").mkdir(parents=True)  # of another package
    (tmp_path / "benchmarks" / "other" / "speed.py").write_text('if __name__ == "__main__": pass')
    child = process("-c", code, "benchmark")
    _, said = child.communicate(timeout=60)
    assert child.returncode == 1
    assert said.decode().startswith("error: the benchmarks are in MetaMF's repository and not in the installed package")
