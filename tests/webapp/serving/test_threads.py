"""One core for an operation, where nothing else is said."""

import os

import pytest

from metamf.webapp.serving import threads


def test_an_operation_has_one_core_unless_the_environment_says_otherwise():
    environment = {}
    threads.limit(environment)
    assert set(environment.values()) == {"1"} and {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"} <= environment.keys()
    environment = {"METAMF_THREADS": "4", "OMP_NUM_THREADS": "3"}
    threads.limit(environment)
    assert environment["OMP_NUM_THREADS"] == "3" and environment["OPENBLAS_NUM_THREADS"] == "4"
    with pytest.raises(ValueError, match="METAMF_THREADS is 'all'"):
        threads.limit({"METAMF_THREADS": "all"})


def test_large_work_has_the_cores_that_a_container_is_given(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    for quota, cores in {"max 100000": 8, "250000 100000": 3, "50000 100000": 1, "1600000 100000": 8}.items():
        (tmp_path / "cpu.max").write_text(f"{quota}\n")
        assert threads.cores(tmp_path, tmp_path) == cores
    assert threads.cores(tmp_path / "none", tmp_path / "none") == 8
