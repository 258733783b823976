"""metamf benchmark."""

import importlib.util
import subprocess
import sys
from types import SimpleNamespace

from commands import failure, in_an_empty_folder, run  # noqa: F401  fixtures

from metamf.cli import benchmark


def test_benchmark_lists_and_runs_the_scripts(run, monkeypatch):
    assert "kernels: Time and memory" in run("benchmark", "--help").out
    assert "kernels: Time and memory" in run("benchmark").out
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda command, env: calls.append(command) or SimpleNamespace(returncode=3))
    assert run("benchmark", "splits", "--splits", "2").code == 3
    assert calls == [[sys.executable, "-m", "benchmarks.accuracy.splits", "--splits", "2"]]
    assert run("benchmark", "paper", "table1").code == 3
    assert calls[1] == [sys.executable, "-m", "benchmarks.paper", "table1"]
    scripts = set(benchmark.scripts())
    assert scripts >= {"kernels", "splits", "paper", "report"} and not scripts & {"timing", "__init__", "plan"}


def test_every_script_can_be_started():
    for script in benchmark.scripts().values():
        assert importlib.util.find_spec(script.module) is not None and script.title.endswith((".", ":")), script


def test_where_the_package_is_installed_the_benchmarks_are_said_to_be_in_the_repository(run, tmp_path, monkeypatch):
    (tmp_path / "benchmarks" / "other").mkdir(parents=True)  # of another package
    (tmp_path / "benchmarks" / "other" / "speed.py").write_text('if __name__ == "__main__": pass')
    monkeypatch.setattr(benchmark, "REPOSITORY", tmp_path)
    benchmark.scripts.cache_clear()
    assert failure(run("benchmark")).startswith("error: the benchmarks are in MetaMF's repository and not in the")
    assert "the benchmarks are in the repository, not here" in run("benchmark", "--help").out
    benchmark.scripts.cache_clear()
