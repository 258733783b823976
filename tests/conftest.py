"""Test tiers: the default run needs no network, no data set and no browser, and says why it skips the rest.

Two workers take the files of tests in turns (``-n 0``: one process does all).
METAMF_REQUIRE (as in ``METAMF_REQUIRE=data,browser``) turns the skipping of those tiers into a failure: CI sets it.
"""

import os
from pathlib import Path

import pytest
from served import app, browser, visit  # noqa: F401  fixtures

REPOSITORY = Path(__file__).resolve().parent.parent
BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
CHROMIUM = next((path for path in BROWSERS if Path(path).exists()), None)
DATA = os.environ.get("METAMF_DATA")
REQUIRED = set(filter(None, os.environ.get("METAMF_REQUIRE", "").split(",")))


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the tests marked slow, too")


def pytest_configure(config):
    """A worker of pytest-xdist computes on one thread, as workers share the cores; torch is not there yet."""
    if hasattr(config, "workerinput"):
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    elif REQUIRED and (missing := {name: why for name, why in cannot_run(config).items() if name in REQUIRED}):
        raise pytest.UsageError(f"METAMF_REQUIRE asks for tests that cannot run: {missing}")


def cannot_run(config):
    """The markers whose tests cannot run here, and why."""
    import torch

    reasons = {
        "slow": None if config.getoption("--slow") else "slow: add --slow to run it",
        "data": None if DATA and Path(DATA).is_dir() else "needs the rating archives: set METAMF_DATA to their folder",
        "browser": None if CHROMIUM else "needs Chromium (Debian: apt-get install chromium)",
        "gpu": None if torch.cuda.is_available() else "needs a CUDA device",
    }
    return {name: reason for name, reason in reasons.items() if reason}


def pytest_collection_modifyitems(config, items):
    for name, reason in cannot_run(config).items():
        for item in items:
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A required test that skips itself fails."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail") and any(item.get_closest_marker(name) for name in REQUIRED):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but METAMF_REQUIRE asks for it: {report.longrepr}"
