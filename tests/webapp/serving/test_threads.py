"""One core for an operation, where nothing else is said."""

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
