"""Test tiers: a plain run takes a minute or so and needs no network, no data set and no browser.

A test that computes for half a second or more, and a visit to a page beyond its first sight, are in
the tier slow.

``--tiers slow,browser`` adds tiers, ``--tiers all`` every one that can run here; what cannot is
skipped and says why. METAMF_REQUIRE=slow,browser,data (CI sets it) adds tiers, too, and turns a
skipped test of theirs into a failure. Two workers share the files of tests (``-n 0``: one process
runs all).
"""

import gc
import os
from pathlib import Path

import pytest
from served import app, browser, silent_proxy, visit  # noqa: F401  fixtures
from straight_engine import straight_engine  # noqa: F401  a fixture

BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
CHROMIUM = next((path for path in BROWSERS if Path(path).exists()), None)
DATA = os.environ.get("METAMF_DATA")
TIERS = ("slow", "browser", "data", "gpu")
BROWSER_TESTS = Path(__file__).parent / "browser"
REQUIRED = set(filter(None, os.environ.get("METAMF_REQUIRE", "").split(",")))

# until all is collected: nothing of it becomes garbage, and looking takes a third of the time
gc.disable()


def pytest_addoption(parser):
    tiers = f"tiers to run as well, of {', '.join(TIERS)}, or 'all'"
    parser.addoption("--tiers", default="", metavar="NAMES", help=tiers)
    pictures = "keep new pictures of the pages (tests/browser/test_screens.py)"
    parser.addoption("--keep-pictures", action="store_true", help=pictures)


def asked_for(config) -> set[str]:
    """The tiers that run next to the plain tests."""
    names = set(filter(None, config.getoption("--tiers").split(",")))
    if unknown := (names | REQUIRED) - {*TIERS, "all"}:
        raise pytest.UsageError(
            f"there is no tier {', '.join(sorted(unknown))}: name some of {', '.join(TIERS)}"
        )
    return set(TIERS) if "all" in names else names | REQUIRED


def pytest_configure(config):
    """A worker of pytest-xdist computes on one thread, as workers share the cores; torch is not
    imported yet."""
    if hasattr(config, "workerinput"):
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        return
    missing = [why for name, why in cannot_run(asked_for(config)).items() if name in REQUIRED]
    if missing:
        raise pytest.UsageError(f"METAMF_REQUIRE asks for tests that cannot run: {missing}")


def pytest_report_header(config):
    left_out = [name for name in TIERS if name not in asked_for(config)]
    if left_out:
        return f"tiers left out: {', '.join(left_out)} (--tiers all runs them, too)"
    return "all tiers"


def pytest_ignore_collect(collection_path, config):
    """The folder of the tier browser is not read where that tier does not run."""
    return True if collection_path == BROWSER_TESTS and "browser" not in asked_for(config) else None


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
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config, items):
    tiers = asked_for(config)
    tiers_of = {item: {mark.name for mark in item.iter_markers()} & {*TIERS} for item in items}
    left_out = [item for item in items if not tiers_of[item] <= tiers]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if tiers_of[item] <= tiers]
    # Long files first, then those that open pages: at the end they would keep one worker busy, and
    # the other idle.
    long = {item.path for item in items if tiers_of[item]}
    items.sort(key=lambda item: (item.path not in long) * (1 + ("webapp" not in item.path.parts)))
    for name, reason in cannot_run(tiers).items():
        for item in items:
            if name in tiers_of[item]:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A required test that skips itself fails."""
    report = (yield).get_result()
    if report.skipped and any(item.get_closest_marker(name) for name in REQUIRED):
        report.outcome = "failed"
        why = f"was skipped, but METAMF_REQUIRE asks for it: {report.longrepr}"
        report.longrepr = f"{item.nodeid} {why}"
