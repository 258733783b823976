"""How good it is on the data: the errors on hidden cells, what does best, and the example that all
share."""

import re

import numpy as np
import pytest
from opened import healthy, opened, players, text
from your_table import PAGE, file, preview, stars, uploaded  # noqa: F401  a fixture

from metamf.answer.holdout import NOTHING_BETTER, MethodErrors, Report
from metamf.answer.methods import contender
from metamf.tables.table import read
from metamf.webapp.data import own
from metamf.webapp.data.own import Upload
from metamf.webapp.your_table import check, measuring
from metamf.webapp.your_table.check import other_methods

pytestmark = pytest.mark.slow

UNASKED = check._UNASKED


def test_the_errors_on_hidden_ratings_are_shown_and_another_level_measures_nothing_anew(
    small_world,
):
    at = uploaded(stars(), "stars.csv")
    said = text(at)
    methods = "Universal|Trained on films|row and column averages"
    assert re.search(rf"Use ({methods}) here|Nothing here predicts", said)
    inside = r"Of the \d+ hidden numbers \d+\s% lay inside the 90\s% interval of Universal"
    assert re.search(inside, said)
    averages = ("Average of the row", "Average of the column", "Row and column averages")
    for label in (*averages, "Most similar rows", "the mean of those in the most similar rows"):
        assert label in said
    healthy(at.button_group(key="table_level").set_value(80).run())
    assert small_world.called.count("check") == 1
    assert "lay inside the 90" in text(at) and "typical error" in text(at)


def test_where_nothing_helps_it_says_so_and_advises_against_the_estimates(monkeypatch, small_world):
    monkeypatch.setattr(check, "_UNASKED", 20)  # a larger table is measured when asked
    rng = np.random.default_rng(3)
    X = np.where(rng.random((16, 8)) < 0.7, rng.integers(1, 6, (16, 8)).astype(str), "")
    at = uploaded("\n".join(",".join(row) for row in X).encode(), "noise.csv")
    assert not small_world.called.count("check")
    healthy(healthy(at.button(key="table_measure").click().run()).run())
    assert NOTHING_BETTER in text(at) and "do not " in text(at)
    assert "Use " not in text(at).replace("Use as", "")
    [csv] = [button.proto for button in at.get("link_button") if button.key == "table_get_csv"]
    assert csv.type == "secondary"  # the verdict advises against the estimates


def test_the_method_stays_until_a_click_takes_the_better_one_and_another_the_one_with_intervals(
    monkeypatch,
):
    def best(report):
        found = [errors for errors in report.errors if errors.method.name == "damped_bias"]
        return (found or report.errors)[0]

    def typical(report, errors):
        return 0.5 if errors is best(report) else 1.0

    monkeypatch.setattr(Report, "recommended", property(best))
    monkeypatch.setattr(Report, "winners", property(lambda report: [best(report)]))
    monkeypatch.setattr(Report, "typical", typical)
    at = uploaded(stars(), "stars.csv")
    assert at.selectbox(key="table_method").value == "universal"
    healthy(at.button(key="table_use_damped_bias").click().run())
    assert [len(player["run"]["maps"]) for player in players(at)] == [1]
    assert file(at, "csv")[0] == "stars-filled-by-row-and-column-averages.csv"
    healthy(at.button(key="table_use_universal").click().run())
    assert [len(player["run"]["maps"]) for player in players(at)] == [2]


def test_what_is_known_so_far_is_shown_and_no_click_disturbs_the_worker(small_world):
    small_world.upto = 25  # messages: five methods of seven
    at = uploaded(stars(), "stars.csv")
    assert "So far: " in text(at)
    assert "Average of the column" in text(at) and "Most similar rows" not in text(at)
    healthy(at.checkbox(key="table_hide").check().run())
    assert "So far: " in text(at) and "could not" not in text(at)
    assert small_world.called.count("check") == 1
    healthy(at.button(key="table_forget").click().run())
    assert small_world.cancelled


def errors_of(name, rmse, covered=None):
    rmse = np.array(rmse)
    covered = None if covered is None else np.full(len(rmse), covered)
    return MethodErrors(contender(name), rmse, rmse, covered)


def report_of(*errors):
    return Report.of([MEANS, *errors], 0.9, 40, 400)


MEANS = errors_of("mean", [1.0, 1.1, 0.9, 1.0])


def test_another_method_is_offered_where_it_is_better_or_has_the_intervals():
    network = errors_of("universal", [0.5, 0.6, 0.4, 0.5], 0.9)
    linear = errors_of("normal", [0.4, 0.5, 0.3, 0.4])

    def offered(shown, *errors):
        found = other_methods(report_of(*errors), contender(shown))
        return [(how.name, why) for how, why in found]

    [(name, why)] = offered("universal", network, linear)
    assert name == "normal" and "20.0" in why and "gives no intervals; those of Universal" in why
    [(name, why)] = offered("normal", network, linear)
    assert name == "universal" and "gives no intervals. Universal does" in why
    assert [name for name, _ in offered("row_means", network, linear)] == ["normal", "universal"]
    worse = errors_of("universal", [1.2, 1.3, 1.1, 1.2], 0.9)
    [(name, why)] = offered("universal", worse)  # nothing is better than the mean, and that is said
    assert name == "mean" and "smaller" in why
    chance = errors_of("normal", [0.99, 1.1, 0.9, 1.0])
    [(name, why)] = offered("universal", worse, chance)
    assert name == "normal" and "smaller" in why


def test_what_is_said_meanwhile_names_the_first_row_of_the_table():
    by_chance = errors_of("als", [0.9, 1.2, 0.8, 1.0])
    better = errors_of("normal", [0.5, 0.6, 0.4, 0.5])

    def said(*errors):
        report = report_of(*errors)
        return report.errors[0].method.in_sentence, check.so_far(report)

    first, sentence = said(by_chance)
    assert first in sentence and "smallest error, though" in sentence
    assert first != MEANS.method.in_sentence
    first, sentence = said(by_chance, better)
    assert first in sentence and "chance" not in sentence
    first, sentence = said(errors_of("als", [1.5, 1.6, 1.4, 1.5]))
    assert first == MEANS.method.in_sentence and "no method has a smaller error" in sentence


def test_an_error_of_a_job_does_not_quote_a_rating(monkeypatch):
    def fails(*about, **more):
        raise ValueError("could not convert 2.5")

    monkeypatch.setattr(measuring, "has_own_units", fails)
    ratings = read(stars()).ratings
    with pytest.raises(RuntimeError) as error:
        measuring.check(ratings, 2, lambda message=None: {})
    assert "2.5" not in str(error.value)


@pytest.fixture(autouse=True)
def measured_unasked(small_world, monkeypatch):
    """As on the page; nothing is known of the example, which is small."""
    monkeypatch.setattr(check, "_UNASKED", UNASKED)
    monkeypatch.setattr(own, "example", lambda: Upload("example.csv", stars(seed=1)))
    check._reports.clear()


def tried():
    """A visitor who tries the example."""
    return healthy(opened(PAGE).button(key="table_example").click().run())


def test_the_example_is_measured_once_for_a_class_until_a_checkpoint_is_replaced(
    small_world, tmp_path
):
    small_world.upto = 1  # hardly begun
    waiting = tried()
    assert "typical error" not in text(waiting)
    small_world.upto = None
    done = text(tried())
    assert "typical error" in done
    assert text(healthy(waiting.run())) == done
    assert small_world.cancelled == ["job 1"]  # so its worker is free again
    assert text(tried()) == done and small_world.called.count("check") == 2
    for _ in range(2):  # each visitor's own table is that visitor's
        uploaded(stars(), "stars.csv")
    assert small_world.called.count("check") == 4
    (tmp_path / "ml-1m.safetensors").touch()
    tried()
    assert small_world.called.count("check") == 5
