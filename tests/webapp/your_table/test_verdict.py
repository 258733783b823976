"""How good it is on the data: the errors on hidden ratings, what does best, tuning, and the example shared by all."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from holdouts import holdout_report
from opened import healthy, opened, players, text
from your_table import PAGE, file, keys, small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.answer.answer import Answer, CellByCell
from metamf.answer.estimator import MetaMFImputer
from metamf.answer.filling import FillSettings, fill
from metamf.answer.holdout import NOTHING_BETTER, MethodErrors, Report
from metamf.answer.methods import Method, contender
from metamf.checkpoints.bundled import find_checkpoint
from metamf.learning import tuning
from metamf.ratings.matrix import Ratings
from metamf.webapp.your_table import jobs, settings, state, verdict
from metamf.webapp.your_table.state import TUNED, ErrorsKey, FillingKey
from metamf.webapp.your_table.uploads import TableKey
from metamf.webapp.your_table.verdict import other_methods

pytestmark = pytest.mark.slow

UNASKED = verdict._UNASKED


def test_the_errors_on_hidden_ratings_are_shown_with_a_verdict_and_calibration():
    at = uploaded(stars(), "stars.csv")
    said = text(at)
    assert re.search(r"Use (Universal|Trained on films|row and column averages) here|Nothing here predicts", said)
    assert re.search(r"Of the \d+ hidden ratings \d+\s% lay inside the 90\s% interval of Universal", said)
    averages = ("Average of the row", "Average of the column", "Row and column averages")
    for label in (*averages, "Most similar rows", "the mean of those in the most similar rows"):
        assert label in said
    assert said.index("Filled in") < said.index("typical error"), "the result first, then how good it is"


def test_where_nothing_helps_it_says_so_and_advises_against_the_estimates():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((16, 8)) < 0.7, rng.integers(1, 6, (16, 8)).astype(str), "")
    at = uploaded("\n".join(",".join(row) for row in X).encode(), "noise.csv")
    assert NOTHING_BETTER in text(at) and "do not " in text(at) and "Use " not in html(at).replace("Use as", "")
    [csv] = [button.proto for button in at.get("link_button") if button.key == "table_get_csv"]
    assert csv.type == "secondary"  # the verdict advises against the estimates


def offer(at):
    """The buttons that offer another method, by their labels."""
    return {button.label: button for button in at.button if (button.key or "").startswith("table_use_")}


def test_the_method_stays_until_a_click_takes_the_better_one_and_another_the_one_with_intervals(monkeypatch):
    def best(report):
        return next((errors for errors in report.errors if errors.method.name == "damped_bias"), report.errors[0])

    monkeypatch.setattr(Report, "recommended", property(best))
    monkeypatch.setattr(Report, "winners", property(lambda report: [best(report)]))
    monkeypatch.setattr(Report, "typical", lambda report, errors: 0.5 if errors is best(report) else 1.0)
    at = uploaded(stars(), "stars.csv")
    said = text(at)
    assert "by Universal:" in said and at.selectbox(key="table_method").value == "universal"
    assert re.search(r"typical error\s+of row and column averages is 50.0\s% smaller", said)
    assert "It gives no intervals; those of Universal stay a click away" in said
    healthy(offer(at)["Fill in by Row and column averages"].click().run())
    assert "by Row and column averages:" in text(at) and [len(player["run"]["maps"]) for player in players(at)] == [1]
    assert file(at, "csv")[0] == "stars-filled-by-row-and-column-averages.csv"
    healthy(offer(at)["Fill in by Universal"].click().run())
    assert "by Universal:" in text(at) and [len(player["run"]["maps"]) for player in players(at)] == [2]


def test_another_level_of_the_intervals_measures_nothing_anew(small_world):
    at = uploaded(stars(), "stars.csv")
    begun = small_world.called.count("verdict")
    levels = next(group for group in at.get("button_group") if group.key == "table_level")
    healthy(levels.set_value(80).run())
    assert (
        small_world.called.count("verdict") == begun and "lay inside the 90" in text(at) and "typical error" in text(at)
    )


def test_a_large_table_is_measured_when_asked(monkeypatch, small_world):
    monkeypatch.setattr("metamf.webapp.your_table.verdict._UNASKED", 20)
    at = uploaded(stars(), "stars.csv")
    assert not small_world.called.count("verdict")
    healthy(at.button(key="table_measure").click().run())
    assert "typical error" in text(at)
    healthy(at.run())
    assert "typical error" in text(at) and small_world.called.count("verdict") == 1  # asked once for the whole visit


def html(at):
    return " ".join(element.proto.body for element in at.get("html"))


def test_averages_alone_lead_to_no_advice(small_world):
    small_world.upto = 15  # messages: the averages, and no other method yet
    at = uploaded(stars(), "stars.csv")
    assert "So far: only averages." in text(at) and "use this" not in html(at)
    assert NOTHING_BETTER not in text(at) and "do not use" not in text(at)


def test_what_is_known_so_far_is_shown_and_no_click_disturbs_the_worker(small_world):
    small_world.upto = 25  # messages: five methods of seven
    at = uploaded(stars(), "stars.csv")
    assert "So far: " in text(at) and "Average of the column" in text(at) and "Most similar rows" not in text(at)
    healthy(at.checkbox(key="table_hide").check().run())
    assert "So far: " in text(at) and "could not" not in text(at)
    assert small_world.called.count("verdict") == 1
    healthy(at.button(key="table_forget").click().run())
    assert small_world.cancelled


def test_the_check_is_under_way_before_the_table_is_filled_in(monkeypatch, small_world):
    begun, fill_in = [], settings.fill

    def fill(*args, **how):
        begun.append(small_world.called.count("verdict"))
        return fill_in(*args, **how)

    monkeypatch.setattr(settings, "fill", fill)
    uploaded(stars(), "stars.csv")
    assert begun == [1] and small_world.called.count("verdict") == 1


def errors_of(name, rmse, covered=None):
    rmse = np.array(rmse)
    return MethodErrors(contender(name), rmse, rmse, None if covered is None else np.full(len(rmse), covered))


def asked(method, hold_out=0.0):
    return FillingKey(ErrorsKey(TableKey("digest", ()), None, "nearest"), method, FillSettings(hold_out=hold_out))


def test_another_method_is_offered_where_it_is_better_or_has_the_intervals():
    means = errors_of("mean", [1.0, 1.1, 0.9, 1.0])
    network, linear, beside = (
        errors_of(name, np.array([0.5, 0.6, 0.4, 0.5]) + more, covered)
        for name, more, covered in (("universal", 0, 0.9), ("normal", -0.1, None), ("universal+normal", -0.1, 0.9))
    )

    def offered(shown, *errors):
        report = Report.of([means, *errors], 0.9, 40, 400)
        return [(how.name, why) for how, why in other_methods(report, asked(shown), contender(shown))]

    [(name, why)] = offered("universal", network, linear)
    assert name == "normal" and "20.0" in why and "gives no intervals; those of Universal" in why
    [(name, why)] = offered("universal", network, linear, beside)  # a tie: the one with intervals
    assert name == "universal+normal" and "no intervals" not in why
    assert offered("universal+normal", network, linear, beside) == []
    [(name, why)] = offered("normal", network, linear)
    assert name == "universal" and "gives no intervals. Universal does" in why
    assert [name for name, _ in offered("row_means", network, linear)] == ["normal", "universal"]
    worse = errors_of("universal", [1.2, 1.3, 1.1, 1.2], 0.9)
    [(name, why)] = offered("universal", worse)  # nothing is better than the mean, and that is said
    assert name == "mean" and "worse here" in why and "1.2" in why
    chance = errors_of("normal", [0.99, 1.1, 0.9, 1.0])
    [(name, why)] = offered("universal", worse, chance)
    assert name == "normal" and "worse here" in why


def test_what_is_said_meanwhile_names_the_first_row_of_the_table():
    means = errors_of("mean", [1.0, 1.1, 0.9, 1.0])
    by_chance, better = errors_of("als", [0.9, 1.2, 0.8, 1.0]), errors_of("normal", [0.5, 0.6, 0.4, 0.5])

    def said(*errors):
        report = Report.of([means, *errors], 0.9, 40, 400)
        return report.errors[0].method.in_sentence, verdict.so_far(report)

    first, sentence = said(by_chance)
    assert first in sentence and "smallest error, though" in sentence and first != means.method.in_sentence
    first, sentence = said(by_chance, better)
    assert first in sentence and "chance" not in sentence
    first, sentence = said(errors_of("als", [1.5, 1.6, 1.4, 1.5]))
    assert first == means.method.in_sentence and "no method has a smaller error" in sentence


def test_ratings_that_are_hidden_for_a_comparison_are_not_estimated_by_a_network_that_has_seen_them(monkeypatch):
    network = contender("universal+tuned+normal")
    monkeypatch.setattr(verdict, "known_errors", lambda key: None)
    monkeypatch.setattr(verdict, "tuned", lambda key: network)
    monkeypatch.setattr(verdict, "remember", lambda name, key, make: make())
    assert verdict.method_of(asked(TUNED)) is network
    assert verdict.method_of(asked(TUNED, 0.1)).name == "universal+normal"


NAME = "universal+tuned+normal"


def job(result, state="done", rows=(), now=None):
    more = {"now": now or {}, "waits_for": "", "id": "job", "arguments": (None, NAME), "error": None}
    return SimpleNamespace(result=result, state=state, rows=rows, **more)


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2)) @ rng.normal(size=(2, 8))
    return Ratings.from_dense(np.where(rng.random(X.shape) < 0.7, X, np.nan))


def run(stop_after=None):
    """All rows that a tuning reports, and its result; asked to stop after a given number."""
    rows = []

    def report(message=None):
        rows.extend([message["row"]] if message and "row" in message else [])
        return {"stop": True} if stop_after is not None and len(rows) >= stop_after else {}

    return rows, jobs.tune_table(table(), NAME, 3, 60, 60, report)


def test_progress_and_outcome_are_said_in_words():
    share, words = verdict.progress_of(job({}, rows=[{"step": 40, "steps": 160, "best": 0.95, "first": 1.0}]))
    assert share == 0.25 and "step 40 of at most 160" in words and "changed by −5.0" in words
    share, words = verdict.progress_of(job({}, rows=[{"step": 160}], now={"repeat": 3, "repeats": 10}))
    assert share == 0.3 and "3 of at most 10 times" in words
    stopped = job({"checkpoint": b"", "kept": 40, "checked": 50, "errors": None})
    assert "was not measured, so it is used only if you choose it" in verdict.outcome_in_words(stopped, None)
    assert "did not help" in verdict.outcome_in_words(job(stopped.result | {"kept": 0}), None)
    died = job(None, state="failed")
    assert "ended before its first result" in verdict.outcome_in_words(died, None)


def test_the_verdict_has_the_errors_of_the_network_that_fills_in_the_table(monkeypatch):
    """What the worker has measured stands in the verdict, under the network that lies in its folder."""
    rng = np.random.default_rng(0)
    ratings = Ratings.from_dense(rng.normal(size=(9, 4)))
    report = holdout_report(ratings, [contender("mean"), contender("universal+normal")], 0.9, 3, rng=rng)
    how = contender("universal+tuned+normal")
    alone = MethodErrors(how, np.full(2, 0.1), np.full(2, 0.1), np.ones(2))
    errors = Report.of([alone], 0.9, report.n_hidden, report.observed).to_dict()
    network = find_checkpoint("universal").read_bytes()
    about = {"kept": 40, "checked": 50, "errors": errors, "standardize": "auto"}
    ended = job({"name": how.name, "checkpoint": network, **about})
    monkeypatch.setattr(verdict, "recall", lambda name, key: ended)
    monkeypatch.setattr(verdict, "remember", lambda name, key, make, made={}: made.setdefault(key, make()))
    merged = verdict.with_tuned(report, None)
    assert merged.errors[0].method.label == verdict.LABEL and len(merged.errors) == 3
    said = verdict.outcome_in_words(ended, merged)
    assert said.startswith("Tuned to this table in 40 steps. Tuning makes") and "±" in said
    assert fill(ratings, merged.errors[0].method).imputer.ensemble_ is not None  # both members, as they were measured


def test_the_page_tunes_when_asked_and_says_what_came_of_it(small_world, monkeypatch):  # noqa: F811
    monkeypatch.setattr(verdict, "_MOST_REPEATS", 2)  # each is a tuning
    monkeypatch.setattr(tuning, "USUAL_STEPS", 20)
    at = uploaded(stars(), "stars.csv")
    healthy(at.button(key="table_tune").click().run())
    said = text(at)
    assert ("Tuned to this table" in said or "did not help" in said) and small_world.called == ["verdict", "tune_table"]
    if "did not help" not in said:
        assert "Universal, tuned to your table" in said and "each time the network was tuned again" in said
    healthy(at.run())
    assert small_world.called == ["verdict", "tune_table"]


def test_tuning_outcomes_its_steps_and_keeps_the_best_when_stopped(tmp_path):
    rows, result = run(stop_after=2)
    assert rows[0]["step"] == 10 and 1 <= len(rows) < 16 and result["checked"] > 10
    assert result["kept"] in (0, *(row["step"] for row in rows)) and result["errors"] is None
    if result["kept"]:
        (tmp_path / "tuned.safetensors").write_bytes(result["checkpoint"])
        assert np.isfinite(fill(table(), str(tmp_path / "tuned.safetensors")).mean).all()


def test_the_gain_is_measured_on_ratings_that_each_tuning_has_not_seen(monkeypatch):
    seen, asked = [], []

    def predict(given, level):
        def estimate(rows, cols):
            seen.append((given, set(zip(rows.tolist(), cols.tolist()))))
            return np.zeros(len(rows))

        return Answer(given, CellByCell(estimate), half_widths=CellByCell(lambda rows, cols: np.ones(len(rows))))

    def tuned(name, seconds):
        asked.append((name, seconds))
        return Method("universal", "tuned", "", predict, True, settings={"tune": "auto", "members": "normal"})

    monkeypatch.setattr(jobs, "contender", tuned)
    fit = MetaMFImputer.fit
    monkeypatch.setattr(MetaMFImputer, "fit", lambda self, X, progress=None: fit(self.set_params(tune=30), X))
    _, result = run()
    if result["kept"]:
        assert asked == [(NAME, 60)] and len(seen) == 6
        assert all(not hidden & set(zip(given.rows.tolist(), given.cols.tolist())) for given, hidden in seen)
        [found] = result["errors"]["methods"]
        assert found["key"] == NAME and len(found["rmse"]) == 3


def test_an_error_of_a_job_does_not_quote_a_rating(monkeypatch):
    def fails(*about, **more):
        raise ValueError("could not convert 2.5")

    monkeypatch.setattr(jobs, "has_own_units", fails)
    with pytest.raises(RuntimeError) as error:
        jobs.verdict(table(), 2, lambda message=None: {})
    assert "2.5" not in str(error.value)


@pytest.fixture(autouse=True)
def measured_unasked(small_world, monkeypatch):  # noqa: F811
    """As on the page; nothing is known of the example."""
    monkeypatch.setattr(verdict, "_UNASKED", UNASKED)
    state._verdicts.clear()


def tried():
    """A visitor who tries the example."""
    return healthy(opened(PAGE).button(key="table_example").click().run())


def test_a_class_that_tries_the_example_asks_for_one_measurement(small_world):
    first = text(tried())
    assert "typical error" in first and small_world.called.count("verdict") == 1
    assert text(tried()) == first and small_world.called.count("verdict") == 1
    for _ in range(2):  # each visitor's own table is that visitor's
        uploaded(stars(), "stars.csv")
    assert small_world.called.count("verdict") == 3


def test_who_waits_for_a_place_gets_what_was_measured_for_another(small_world):
    small_world.upto = 1  # hardly begun
    waiting = tried()
    assert "typical error" not in text(waiting)
    small_world.upto = None
    done = text(tried())
    assert text(healthy(waiting.run())) == done
    assert small_world.cancelled == ["job 1"]  # so its worker is free again


def test_a_checkpoint_that_is_replaced_is_measured_again(small_world, tmp_path):
    tried()
    (tmp_path / "ml-1m.safetensors").touch()
    tried()
    assert small_world.called.count("verdict") == 2
