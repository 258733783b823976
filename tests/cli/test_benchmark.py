"""metamf benchmark."""

import importlib.util
import subprocess
import sys
from types import SimpleNamespace

from commands import failure, in_an_empty_folder, run  # noqa: F401  fixtures

from metamf.cli import benchmark


def test_benchmark_lists_and_runs_the_scripts(run, monkeypatch):
    assert "speed.kernels: Time and memory" in run("benchmark", "--help").out
    listed = run("benchmark").out
    assert "speed.kernels: Time and memory" in listed and "tables.run: " in listed and "\n  run: " not in listed
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda command, env: calls.append(command) or SimpleNamespace(returncode=3))
    for name in ("accuracy.splits", "splits"):
        assert run("benchmark", name, "--splits", "2").code == 3
        assert calls.pop() == [sys.executable, "-m", "benchmarks.accuracy.splits", "--splits", "2"]
    assert run("benchmark", "paper", "table1").code == 3
    assert calls.pop() == [sys.executable, "-m", "benchmarks.paper", "table1"]
    scripts = set(benchmark.scripts())
    assert scripts >= {"speed.kernels", "accuracy.splits", "tables.download", "paper", "report"}
    assert not [name for name in scripts if name.endswith(("timing", "__init__", "plan"))]


def test_a_name_that_two_scripts_share_needs_its_folder(run, tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").touch()
    for folder in ("speed", "tables"):
        (tmp_path / "benchmarks" / folder).mkdir(parents=True)
        (tmp_path / "benchmarks" / folder / "tuning.py").write_text('"""How."""\nif __name__ == "__main__": pass')
    monkeypatch.setattr(benchmark, "REPOSITORY", tmp_path)
    benchmark.scripts.cache_clear()
    try:
        assert list(benchmark.by_any_name()) == ["speed.tuning", "tables.tuning"]
        assert "invalid choice: 'tuning'" in run("benchmark", "tuning").said
    finally:
        benchmark.scripts.cache_clear()


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
