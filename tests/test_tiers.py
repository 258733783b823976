"""What a plain run leaves out, what --tiers adds, and that a required tier cannot be passed over."""

from types import SimpleNamespace

import pytest

from tests import conftest
from tests.conftest import asked_for, cannot_run, pytest_collection_modifyitems, pytest_report_header


class Item:
    """A collected test with these markers."""

    def __init__(self, *markers, path="test_a.py"):
        self.markers, self.skipped, self.path = markers, [], path

    def get_closest_marker(self, name):
        return name in self.markers

    def add_marker(self, mark):
        self.skipped.append(mark.kwargs["reason"])


def config(tiers=""):
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    return SimpleNamespace(getoption=lambda name: tiers, hook=hook)


@pytest.fixture(autouse=True)
def nothing_required(monkeypatch):
    monkeypatch.setattr(conftest, "REQUIRED", set())


def test_a_plain_run_leaves_out_every_tier_and_says_so():
    plain, slow, browser = Item(), Item("slow"), Item("browser")
    items = [plain, slow, browser]
    pytest_collection_modifyitems(config(), items)
    assert items == [plain] and not plain.skipped
    assert "slow, browser, data, gpu" in pytest_report_header(config())


def test_a_test_of_two_tiers_runs_when_both_are_asked_for():
    both = Item("slow", "browser")
    for tiers, kept in (("slow", []), ("slow,browser", [both]), ("all", [both])):
        items = [both]
        pytest_collection_modifyitems(config(tiers), items)
        assert items == kept, tiers


def test_files_with_long_tests_come_first_and_each_file_stays_together():
    plain, beside = Item(path="test_a.py"), Item(path="test_b.py")
    slow, browser = Item("slow", path="test_b.py"), Item("browser", path="test_c.py")
    items = [plain, beside, slow, browser]
    pytest_collection_modifyitems(config("slow,browser"), items)
    assert items == [beside, slow, browser, plain]


def test_what_cannot_run_is_skipped_with_the_reason(monkeypatch):
    monkeypatch.setattr(conftest, "CHROMIUM", None)
    monkeypatch.setattr(conftest, "DATA", None)
    browser, data = Item("browser"), Item("data")
    pytest_collection_modifyitems(config("browser,data"), [browser, data])
    assert "Chromium" in browser.skipped[0] and "METAMF_DATA" in data.skipped[0]
    assert cannot_run({"slow"}) == {}


def test_a_required_tier_runs_unasked_and_stops_the_run_where_it_cannot(monkeypatch):
    monkeypatch.setattr(conftest, "REQUIRED", {"browser"})
    assert asked_for(config()) == {"browser"}
    monkeypatch.setattr(conftest, "CHROMIUM", None)
    with pytest.raises(pytest.UsageError, match="needs Chromium"):
        conftest.pytest_configure(config())


def test_an_unknown_tier_is_named():
    with pytest.raises(pytest.UsageError, match="there is no tier slwo"):
        asked_for(config("slwo"))
