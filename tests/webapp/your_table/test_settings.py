"""The settings of Your table: level, scale, method, and what is said where one of them does not fit."""

import re

import pytest
from addresses import address, after, arrived, changed, controls, sent
from opened import healthy, players, text
from your_table import WIDE, command, file, keys, small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.webapp import waiting
from metamf.webapp.engine import EngineError
from metamf.webapp.your_table.uploads import FIELD_STARTS

pytestmark = pytest.mark.slow


def interval(at):
    low, high = re.search(r"% interval ([\d.−]+) to ([\d.−]+)", re.sub(r"\s+", " ", text(at))).groups()
    return float(low.replace("−", "-")), float(high.replace("−", "-"))


def levels(at):
    """The buttons of the level."""
    return next(group for group in at.get("button_group") if group.key == "table_level")


def test_a_higher_level_widens_the_interval():
    at = uploaded(WIDE)
    healthy(at.selectbox(key="table_scale").select("unknown").run())
    narrow, wide = (interval(healthy(levels(at).set_value(percent).run())) for percent in (50, 95))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_the_scale_clips_and_rounds_and_marks():
    at = uploaded(WIDE)
    healthy(at.selectbox(key="table_scale").select("another one").run())
    for name, value in (("low", 2.0), ("high", 4.0), ("step", 1.0)):
        healthy(at.number_input(key=f"table_scale_{name}").set_value(value).run())
    assert "3 ratings are outside this scale" in text(at)
    assert at.checkbox(key="table_round").value and "rounded as your ratings are" in text(at)
    assert re.search(r"Estimate\s+[234]\s+by Universal", text(at))
    _, content = file(at, "csv")
    cells = [line.split(";") for line in content.decode().splitlines()[1:]]
    assert all(cells[i][j] in ("2", "3", "4") for i, j in ((0, 2), (1, 3), (2, 1)))
    healthy(at.number_input(key="table_scale_high").set_value(1.0).run())
    assert "minimum < maximum" in text(at)


def test_a_rating_outside_the_scale_counts_as_its_end_or_is_hidden_as_the_visitor_says():
    at = uploaded(WIDE)
    assert "table_outside" not in keys(at)
    healthy(at.selectbox(key="table_scale").select("another one").run())
    healthy(at.number_input(key="table_scale_high").set_value(4.0).run())
    assert "2 ratings are outside this scale" in text(at)
    assert "on yellow" not in text(at)
    healthy(at.selectbox(key="table_outside").select("are hidden from the method").run())
    assert "hidden from the method, and its estimate (2)" in text(at)
    assert "--outside=hide" in command(at)
    assert b"4,5" in file(at, "csv")[1]  # the visitor's own ratings stay


def test_what_a_scale_does_not_have_is_not_offered_and_halves_are_steps():
    half = b"name,a,b,c\nAda,10.5,17.5,\nBen,12,,14.5\nCleo,,18,16\nDev,9.5,13.5,11\n"
    at = uploaded(half)
    assert at.checkbox(key="table_round").value and "steps of 0.5" in at.selectbox(key="table_scale").options[0]
    assert re.search(r"Estimate\s+\d+(\.5)?\s+by Universal", text(at))
    healthy(at.selectbox(key="table_scale").select("unknown").run())
    assert not {box.key for box in at.checkbox} & {"table_round", "table_clip"}


def test_a_method_without_intervals_says_so():
    at = uploaded(WIDE)
    healthy(at.selectbox(key="table_method").select("row_means").run())
    assert "Average of the row gives no intervals" in text(at) and len(players(at)) == 1  # no map of widths
    assert "Influential ratings" not in text(at)


def test_a_table_outside_the_training_is_told_so():
    at = uploaded(b"a,b\n1,2\n,4\n5,1\n")
    said = text(at)
    assert "lies outside what Universal was trained on" in said and "it has 2 columns" in said


def test_all_settings_come_back_from_the_address_with_the_file():
    def choose(at, **wanted):
        there = controls(at)
        return after(at, {f"table_{name}": changed(there[f"table_{name}"], value) for name, value in wanted.items()})

    data = stars(44)
    at = uploaded(data, at=arrived("your_table", {}))
    at = choose(at, scale="another one", method="Universal", level="50", hide=None, top=None, left=None)
    at = choose(at, scale_low=None, scale_high=None, scale_step=None, clip=None, round=None)  # 1 to 11, steps of 2
    at = choose(at, scale_low=None, scale_high=None)  # 2 to 12: the ratings of 1 are outside
    at = choose(at, outside="are hidden from the method")
    link, held = address(at), {name for name in controls(at) if re.match("table_(?!pills_|naming_|describing)", name)}
    about_the_file = {f"table_{name}" for name in FIELD_STARTS} | {"table_preview", "table_grid_44_8"}
    assert held - about_the_file == {name for name in link if name.startswith("table_")}
    again = uploaded(data, at=arrived("your_table", link))
    shown, before = ({name: sent(control) for name, control in controls(one).items()} for one in (again, at))
    assert shown == before and "asks for something" not in text(again)


def test_the_engine_fills_in_a_large_table_as_a_small_one_is_filled_in_here(monkeypatch, small_world):  # noqa: F811
    at = uploaded(stars(), "stars.csv")
    _, small = file(at, "long")
    monkeypatch.setattr("metamf.webapp.your_table.settings._LARGE", 10)
    before = len(small_world.called)
    at = uploaded(stars(), "stars.csv")
    assert len(small_world.called) > before and file(at, "long")[1] == small


def test_a_filling_that_was_stopped_says_so_and_begins_again_when_asked(monkeypatch):
    def stopped(name, *work):
        raise EngineError("You stopped this.")

    monkeypatch.setattr("metamf.webapp.your_table.settings._LARGE", 10)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(waiting, "compute", stopped)
        at = uploaded(stars(), "stars.csv")
        assert "You stopped this." in text(at) and at.selectbox(key="table_method")  # which may be changed
        assert "table_get_csv" not in keys(at)
    at = healthy(at.button(key="job_again").click().run())
    assert "You stopped this." not in text(at) and "table_get_csv" in keys(at)
