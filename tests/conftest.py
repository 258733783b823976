"""Test tiers: a plain run takes a minute or so and needs no network, no data set and no browser.

A test that computes for half a second or more, and a visit to a page beyond its first sight, are in the tier slow.

``--tiers slow,browser`` adds tiers, ``--tiers all`` every one that can run here; what cannot is skipped and says why.
METAMF_REQUIRE=slow,browser,data (CI sets it) adds tiers, too, and turns a skipped test of theirs into a failure.
Two workers share the files of tests (``-n 0``: one process runs all).
"""

import functools
import gc
import os
import sys
from pathlib import Path

import pytest
from forbidden import FORBIDDEN
from served import app, browser, silent_proxy, visit  # noqa: F401  fixtures
from straight_engine import straight_engine  # noqa: F401  a fixture

BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
CHROMIUM = next((path for path in BROWSERS if Path(path).exists()), None)
DATA = os.environ.get("METAMF_DATA")
TIERS = ("slow", "browser", "data", "gpu")
REQUIRED = set(filter(None, os.environ.get("METAMF_REQUIRE", "").split(",")))

gc.disable()  # until all is collected: nothing of it becomes garbage, and looking takes a third of the time


def pytest_addoption(parser):
    parser.addoption(
        "--tiers", default="", metavar="NAMES", help=f"tiers to run as well, of {', '.join(TIERS)}, or 'all'"
    )
    parser.addoption(
        "--keep-pictures", action="store_true", help="keep new pictures of the pages (tests/browser/test_screens.py)"
    )


def asked_for(config) -> set[str]:
    """The tiers that run next to the plain tests."""
    names = set(filter(None, config.getoption("--tiers").split(",")))
    if unknown := (names | REQUIRED) - {*TIERS, "all"}:
        raise pytest.UsageError(f"there is no tier {', '.join(sorted(unknown))}: name some of {', '.join(TIERS)}")
    return set(TIERS) if "all" in names else names | REQUIRED


def pytest_configure(config):
    """A worker of pytest-xdist computes on one thread, as workers share the cores; torch is not imported yet."""
    if hasattr(config, "workerinput"):
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    elif missing := {name: why for name, why in cannot_run(asked_for(config)).items() if name in REQUIRED}:
        raise pytest.UsageError(f"METAMF_REQUIRE asks for tests that cannot run: {missing}")


def pytest_report_header(config):
    left_out = [name for name in TIERS if name not in asked_for(config)]
    return f"tiers left out: {', '.join(left_out)} (--tiers all runs them, too)" if left_out else "all tiers"


def cannot_run(tiers) -> dict[str, str]:
    """Those of ``tiers`` whose tests cannot run here, and why."""
    reasons = {}
    if "data" in tiers and not (DATA and Path(DATA).is_dir()):
        reasons["data"] = "needs the rating archives: set METAMF_DATA to their folder"
    if "browser" in tiers and not CHROMIUM:
        reasons["browser"] = "needs Chromium (Debian: apt-get install chromium)"
    if "gpu" in tiers:
        import torch

        if not torch.cuda.is_available():
            reasons["gpu"] = "needs a CUDA device"
    return reasons


def pytest_collection_finish(session):
    """Every run of an AppTest reads what all installed packages say of themselves, in search of components: once does.

    It takes a tenth of a second or more, once for each AppTest.
    """
    gc.freeze()
    gc.enable()
    if "streamlit.testing.v1" in sys.modules:
        from streamlit.components.v2 import manifest_scanner

        manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)


def pytest_collection_modifyitems(config, items):
    tiers = asked_for(config)
    tiers_of = {item: {mark.name for mark in item.iter_markers()} & {*TIERS} for item in items}
    left_out = [item for item in items if not tiers_of[item] <= tiers]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if tiers_of[item] <= tiers]
    long = {item.path for item in items if tiers_of[item]}
    # Long files first, then those that open pages: at the end they would keep one worker busy, and the other idle.
    items.sort(key=lambda item: (item.path not in long, item.path not in long and "webapp" not in item.path.parts))
    for name, reason in cannot_run(tiers).items():
        for item in items:
            if name in tiers_of[item]:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A required test that skips itself fails, unless the machine forbids it whatever is installed."""
    outcome = yield
    report = outcome.get_result()
    lacking = report.skipped and not hasattr(report, "wasxfail") and FORBIDDEN not in str(report.longrepr)
    if lacking and any(item.get_closest_marker(name) for name in REQUIRED):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but METAMF_REQUIRE asks for it: {report.longrepr}"
