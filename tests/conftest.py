"""Test tiers: the default run needs no network, no data set and no browser, and says why it skips the rest.

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


def pytest_collection_modifyitems(config, items):
    import torch

    reasons = {
        "slow": None if config.getoption("--slow") else "slow: add --slow to run it",
        "data": None if DATA and Path(DATA).is_dir() else "needs the rating archives: set METAMF_DATA to their folder",
        "browser": None if CHROMIUM else "needs Chromium (Debian: apt-get install chromium)",
        "gpu": None if torch.cuda.is_available() else "needs a CUDA device",
    }
    missing = {marker: reason for marker, reason in reasons.items() if reason and marker in REQUIRED}
    if missing:
        raise pytest.UsageError(f"METAMF_REQUIRE asks for tests that cannot run: {missing}")
    for item in items:
        for marker, reason in reasons.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A required test that skips itself fails."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail") and any(item.get_closest_marker(name) for name in REQUIRED):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but METAMF_REQUIRE asks for it: {report.longrepr}"
