"""The page 'Paper': the printed numbers, ours beside them, the sentences, the figures, and what the visitor sees."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from paper_rows import row, table
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from metamf.baselines import METHODS
from metamf.datasets import NAMES
from metamf.figures.experiments import Bar, Curve, Trail, interval_bars, interval_curves, interval_trails
from metamf.reproduction import findings as paper_words
from metamf.reproduction import numbers as paper
from metamf.reproduction.numbers import Choice
from metamf.webapp.paper import parts as paper_parts

APP = Path(__file__).resolve().parents[2] / "app.py"
NAN = float("nan")
expect.set_options(timeout=20_000)


# -- the paper's numbers ----------------------------------------------------------------------------------------------


def test_every_printed_number_says_where_it_is_from():
    numbers = paper.printed()
    assert numbers.groupby("table").size().to_dict() == {
        "Table 1": 27,
        "Table 2": 12,
        "Table 3": 21,
        "Table 4": 15,
        "Table 5": 12,
        "Table 6": 9,
        "Table 7": 24,
    }
    assert set(numbers.data) == set(NAMES) and set(numbers.method) <= METHODS.keys()
    assert not numbers.duplicated(["table", "data", "method", "setting"]).any()
    first = paper.printed("Table 1").set_index(["data", "method"])
    assert first.value["ml-100k", "ours"] == 0.901 and first.standard_error["ml-1m", "maml"] == 0.025


def test_ours_has_the_same_number_in_three_of_the_papers_tables():
    ours = [paper.printed(name).query("method == 'ours'") for name in ("Table 1", "Table 3", "Table 4")]
    own = ours[1][ours[1].setting == "trained=" + ours[1].data]
    values = [frame.set_index("data").value.to_dict() for frame in (ours[0], own, ours[2].query("setting == 'K=32'"))]
    assert values[0] == values[1] == values[2]


# -- ours beside them -------------------------------------------------------------------------------------------------


def test_ratios_are_taken_on_each_split():
    rows = table(row("mf", 0, 0.5, mean=1.0), row("mf", 1, 1.5, mean=2.0))
    found = paper.beside(rows, Choice(), "Table 1").set_index(["data", "method"]).loc[("jester", "mf")]
    assert found["mean"] == pytest.approx((0.5 + 0.75) / 2) and found.splits == 2
    assert found.paper == pytest.approx(1.005 / 1.004) and found.paper_error == pytest.approx(0.014 / 1.004)
    assert found.away == pytest.approx((0.625 - 1.005 / 1.004) / (0.014 / 1.004))


def test_the_switches_choose_the_blocks_the_scale_and_the_preset():
    rows = table(row("ours", 0, 0.4, preset="tuned"), row("ours", 0, 0.6, preset="paper"), row("mf", 0, 0.7, mean=2.0))
    value = lambda choice, method: paper.beside(rows, choice, "Table 1").set_index(  # noqa: E731
        ["data", "method"]
    )["mean"]["jester", method]
    assert value(Choice(ratio=False), "ours") == 0.4
    assert value(Choice(ratio=False, preset="paper"), "ours") == 0.6
    assert value(Choice(ratio=False, blocks=10), "ours") == 0.8
    assert value(Choice(), "mf") == value(Choice(preset="paper"), "mf") == 0.35


def test_seeds_of_a_split_count_once():
    seeds = [
        row("ours", 0, 0.4, preset="tuned"),
        row("ours", 0, 0.6, preset="tuned"),
        row("ours", 1, 0.8, preset="tuned"),
    ]
    rows = table(*seeds, *(row("mf", split, 0.9) for split in (0, 1)))
    found = paper.beside(rows, Choice(), "Table 1").set_index(["data", "method"]).loc[("jester", "ours")]
    assert (found["mean"], found.splits) == (pytest.approx((0.5 + 0.8) / 2), 2)
    assert "2 methods" in paper_words.winners(rows, Choice()) and len(paper.not_told_apart(rows, Choice())) == 2


def test_settings_are_compared_on_the_splits_that_have_them_all():
    hard = [row("ours", 1, 5.0, preset="tuned", setting="K=8"), row("ours", 2, 5.0, preset="paper", setting="K=16")]
    both = [row("ours", 0, error, preset="tuned", setting=f"K={K}") for K, error in ((8, 0.5), (16, 0.6))]
    rows = paper.whole(table(*hard, *both, row("ours", 5, 0.7, preset="tuned", setting="K=8", data="ml-1m")), Choice())
    assert list(zip(rows.data, rows.split, rows.setting)) == [
        ("jester", 0, "K=8"),
        ("jester", 0, "K=16"),
        ("ml-1m", 5, "K=8"),
    ]
    third = [row("ours", 3, 1.0, preset="tuned", setting=f"K={K}") for K in (8, 32)]  # as many, but others
    assert set(paper.whole(table(*both, *third), Choice()).split) == {0}
    twice = table(
        *both, row("ours", 1, 5.0, preset="tuned", setting="K=8"), row("ours", 1, 4.0, preset="tuned", setting="K=8")
    )
    assert set(paper.whole(twice, Choice()).split) == {0}  # two seeds of one setting are not two settings
    assert paper.whole(table(row("mean", 0, 1.0), *both), Choice()).method.tolist() == ["mean", "ours", "ours"]
    assert paper.whole(paper.measured("never run"), Choice()).empty


def test_table_5_is_read_on_the_paper_s_ten_blocks(monkeypatch, tmp_path):
    monkeypatch.setattr(paper, "RESULTS", tmp_path)
    rows = table(row("autorec_i", 0, 0.6, setting="hidden=32"), row("autorec_i", 0, 0.7, setting="hidden=512"))
    rows.assign(query_mse_10=[0.345, 0.355], mean_query_mse_10=1.0).to_csv(tmp_path / "hidden.csv", index=False)
    paper_parts._rows.clear()
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    page.switch_page("pages/paper.py").run()
    paper_parts._rows.clear()
    assert not page.exception and "at most 2.9\N{NO-BREAK SPACE}%" in text_of(page)


def test_bars_start_at_the_mean_of_their_own_splits():
    rows = table(row("ours", 0, 0.4, mean=2.0, preset="paper"), row("ours", 1, 0.4, mean=4.0, preset="tuned"))
    assert paper.mean_error(rows, Choice(preset="paper")) == 2.0 and paper.mean_error(rows, Choice()) == 4.0
    assert np.isnan(paper.mean_error(rows[:0], Choice()))


def test_what_is_not_measured_or_not_printed_is_there_without_a_number():
    found = paper.beside(paper.measured("never run"), Choice(), "Table 1")
    assert len(found) == 27 and found["mean"].isna().all() and (found.splits == 0).all()
    found = paper.beside(table(row("als", 0, 0.5)), Choice(), "Table 1").set_index(["data", "method"])
    assert np.isnan(found.paper["jester", "als"]) and np.isnan(found.away["jester", "als"])


def test_bold_is_what_a_paired_test_does_not_tell_from_the_best():
    level = np.array([0.0, 0.3, 0.6, 0.9])  # splits differ far more than methods do
    errors = {"ours": level, "eml": level + [0.01, -0.01, 0.01, 0.0], "mf": level + [0.10, 0.11, 0.09, 0.10]}
    rows = table(*(row(m, s, 1 + v, preset="tuned") for m, values in errors.items() for s, v in enumerate(values)))
    best = paper.not_told_apart(rows, Choice()).best.droplevel("data")
    assert best.to_dict() == {"ours": True, "eml": True, "mf": False}


# -- the sentences ----------------------------------------------------------------------------------------------------


def made_up(difference):
    """Ours, and a method whose error differs by ``difference`` on each of four splits."""
    return table(
        *(row("ours", s, 0.8, preset="tuned") for s in range(4)),
        *(row("als", s, 0.8 + difference + 0.001 * s) for s in range(4)),
    )


def test_the_sentence_says_who_wins():
    untold = "; EML, FT and MAML are not measured with this preset."
    assert paper_words.winners(made_up(0.1), Choice()) == (
        "On Jester Ours has the smallest error of 2 methods, significantly below all others that are measured" + untold
    )
    assert paper_words.winners(made_up(-0.1), Choice()) == "On Jester Ours is beaten by ALS (significantly)" + untold
    others = table(*(row(m, s, 0.9 + 0.001 * s, preset="tuned") for m in ("eml", "ft", "maml") for s in range(4)))
    whole = paper_words.winners(pd.concat([made_up(0.1), others]), Choice())
    assert whole == "On Jester Ours has the smallest error of 5 methods, significantly below all others."
    undecided = made_up(0.1)
    undecided.loc[undecided.method == "als", "query_mse"] = [0.7, 0.95, 0.75, 0.9]
    assert "not told apart from ALS" in paper_words.winners(undecided, Choice())
    assert paper_words.winners(made_up(0.1).query("method == 'als'"), Choice()) == paper_words.NOT_MEASURED
    once = pd.concat([made_up(0.1), table(row("mf", 0, 0.9), row("knn", 0, 0.7))])
    assert paper_words.winners(once, Choice()) == (
        "On Jester Ours is beaten by KNNImputer (on one split), significantly below 1 of the 3 others; 1 is measured "
        "on one split, too few for a test" + untold
    )


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ((0.75, 0.87, 0.84), "rises from 10 × 10 to 30 × 30 and falls from there to 60 × 60"),
        ((0.9, 0.8, 0.85), "falls from 10 × 10 to 30 × 30 and rises from there to 60 × 60"),
        ((0.9, 0.8, 0.7), "falls from 10 × 10 to 60 × 60"),
        ((0.7, 0.8, 0.9), "rises from 10 × 10 to 60 × 60"),
    ],
)
def test_the_sentence_follows_a_curve_to_its_turn(errors, said):
    assert paper_words.trend(pd.Series(errors, index=[10, 30, 60])) == said


def test_the_sentence_says_whether_the_papers_number_is_reached():
    rows = lambda error: table(row("ours", 0, error, preset="tuned"))  # noqa: E731
    reached = lambda error: paper_words.reached(paper.beside(rows(error), Choice(), "Table 1"))  # noqa: E731
    assert "within two of the paper's standard errors of its number, or better, on Jester" in reached(0.82)
    assert "misses the paper's number by more than two of its standard errors on Jester" in reached(0.85)


def test_sentences_follow_the_rows():
    steps = pd.DataFrame({"data": "jester", "steps": [0, 10, 50], "mean": [1.0, 0.8, 0.88]})
    text = paper_words.steps(steps).replace("\N{NO-BREAK SPACE}", " ")
    assert "take 20.0 % off the error of the prior alone. It is smallest after 10 steps" in text
    assert "after 50 it lies 10.0 % above that" in text
    ranks = pd.DataFrame({"data": "jester", "method": "ours", "setting": ["K=8", "K=16"], "mean": [1.1, 1.0]})
    level = ranks.assign(mean=ranks["mean"].min())
    assert "the error is the same with any of these numbers of factors, to 0.1" in paper_words.spread(level, "factors")
    assert "smallest with 16 factors and at most 10.0" in paper_words.spread(ranks, "factors")
    wide = pd.concat([ranks.assign(method="autorec_i"), ranks.assign(method="autorec_u", mean=[1.0, 1.1])])
    assert paper_words.spread(wide, "units").replace("\N{NO-BREAK SPACE}", " ") == (
        "The error is smallest with 8 units of AutoRecU on Jester; with 16 units of AutoRecI on Jester. Another number "
        "costs at most 10.0 %."
    )
    trained = [f"trained={name}" for name in ("jester", "ml-1m+jester")]
    combinations = pd.DataFrame({"data": "jester", "setting": trained, "mean": [1.0, 0.9]})
    assert "ML-1M and Jester is best, 10.0\N{NO-BREAK SPACE}% better" in paper_words.transfer(combinations)
    combinations["mean"] = [1.0, 0.9998]
    assert "no choice is better" in paper_words.transfer(combinations)
    combinations["mean"] = [1.0, 1.1]
    assert "no choice is better than the data set itself, and ML-1M and Jester is worst, 10.0" in (
        paper_words.transfer(combinations)
    )
    sizes = pd.DataFrame(
        {"data": "jester", "method": ["ours", "ours", "eml"], "x": [10, 20, 20], "mean": [1, 0.9, 0.8]}
    )
    assert "falls from 10 × 10 to 20 × 20, and Ours is lowest at 1 of 2 sizes" in paper_words.sizes(sizes)


# -- the figures ------------------------------------------------------------------------------------------------------


def test_bars_run_from_the_reference_to_the_value():
    figure = interval_bars([Bar("Ours", 0.8, 0.02, 0.81, 0.01, True), Bar("MF", NAN, NAN, 1.2, 0.1)], 1.0)
    bars, intervals, diamonds = figure.data
    assert bars.base == 1.0 and bars.x[0] == pytest.approx(-0.2) and list(bars.y) == ["Ours", "MF"]
    assert intervals.error_x.array[0] == 0.02
    assert list(diamonds.x) == [0.81, 1.2] and diamonds.error_x.array[1] == 0.1
    assert bars.marker.color[0] != bars.marker.color[1]


def test_curves_show_the_papers_points_where_there_are_any():
    with_paper = interval_curves([Curve("Ours", [8, 16], [0.9, 0.8], [0.1, NAN], [0.85, 0.84])], "factors", log=True)
    assert [trace.name for trace in with_paper.data] == ["Ours", "Ours, the paper"]
    assert with_paper.data[0].error_y.array.tolist() == [0.1, 0.0] and with_paper.layout.xaxis.type == "log"
    assert len(interval_curves([Curve("Ours", [8], [0.9], [0.1], [NAN])], "steps").data) == 1
    assert not interval_curves([Curve("Ours", [8], [NAN], [NAN], [NAN])], "steps").data


def test_a_trail_says_what_each_point_came_after_and_ends_are_in_sight():
    trails = [Trail("rate 0.1", [0.9, 0.5], [0.8, 80.0], [0.1, NAN], [0, 10])]
    figure = interval_trails(trails, (0.5, 1.7), ("given", "others"))
    trail, diamond = figure.data
    assert list(trail.customdata) == [0, 10] and trail.error_y.array.tolist() == [0.1, 0.0]
    assert (diamond.x[0], diamond.y[0]) == (0.5, 1.7) and 1.7 < figure.layout.yaxis.range[1] < 2
    assert len(interval_trails([], (0.5, 1.7), ("given", "others")).data) == 1  # the paper's point alone


def test_differences_are_signed():
    assert [paper_words.away(value) for value in (1.26, -0.44, -0.01, NAN)] == ["+1.3", "−0.4", "+0.0", ""]


# -- the page ---------------------------------------------------------------------------------------------------------


def text_of(page):
    html = " ".join(element.proto.body for element in page.get("html"))
    return unescape(re.sub(r"<style.*?</style>|<[^>]+>", " ", html, flags=re.S))


@pytest.fixture(scope="module")
def page():
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    return page.switch_page("pages/paper.py").run()


def test_every_table_and_figure_is_there_with_its_command(page):
    assert not page.exception
    text = text_of(page)
    for number in paper_parts.NUMBERS:
        assert text.count(number) == 2, number  # in the contents, and above its section
    assert text.count("python -m benchmarks.paper") == len(paper_parts.NUMBERS)
    for spec in METHODS.values():
        assert spec.label in text
    assert "0.901 ± 0.033" not in text and "0.895 ± 0.033" in text  # Ours on ML-100K as a ratio to Mean


def test_the_switch_shows_absolute_errors(page):
    page.button_group(key="scale").set_value("absolute").run()
    assert not page.exception and "0.901 ± 0.033" in text_of(page)


def test_a_repository_without_results_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(paper, "RESULTS", tmp_path)
    paper_parts._rows.clear()
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    page.switch_page("pages/paper.py").run()
    paper_parts._rows.clear()
    assert not page.exception
    assert text_of(page).count(paper_words.NOT_MEASURED) == len(paper_parts.NUMBERS)


def test_results_that_are_still_being_made_are_shown_as_far_as_they_are_there(monkeypatch, tmp_path):
    monkeypatch.setattr(paper, "RESULTS", tmp_path)
    ours = {"method": "ours", "preset": "tuned", "split": 0, "query": 0.8}
    settings = {
        "steps": "steps=10",
        "ranks": "K=8",
        "sizes": "tested=30",
        "training_sizes": "trained=30 tested=30",
        "combinations": "trained=jester",
        "table1": "",
    }
    for name, setting in settings.items():
        table(row(**ours, setting=setting)).to_csv(tmp_path / f"{name}.csv", index=False)
    ft = row("ft", 0, 0.9, preset="tuned", setting="rate=0.01 steps=0", support=0.9)
    table(ft).to_csv(tmp_path / "finetuning.csv", index=False)
    table(row("eml", 0, 0.9, preset="paper", setting="epochs=5")).to_csv(tmp_path / "epochs.csv", index=False)
    paper_parts._rows.clear()
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    page.switch_page("pages/paper.py").run()
    paper_parts._rows.clear()
    assert not page.exception
    text = text_of(page)
    assert "EML stays above the paper's" in text and "ours does not come as close" in text


@pytest.mark.browser
def test_the_page_in_a_browser(visit):
    page = visit("paper", width=390, height=844)
    expect(page.get_by_role("heading", name="The paper's tables, measured again")).to_be_visible()
    expect(page.locator("h2.mf-section")).to_have_count(len(paper_parts.NUMBERS), timeout=60_000)
    for frame in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert page.evaluate(f"{frame}.scrollWidth") <= 390
    numbers = page.locator(".mf-numbers").first
    expect(numbers).to_contain_text("0.895 ± 0.033")
    page.get_by_role("radio", name="absolute error").click()
    expect(numbers).to_contain_text("0.901 ± 0.033", timeout=60_000)
    page.get_by_role("link", name="Figure 5").click()
    expect(page.get_by_role("heading", name="The number of MAP steps")).to_be_in_viewport()
    assert not page.requested_elsewhere
