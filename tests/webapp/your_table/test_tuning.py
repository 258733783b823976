"""Tuning to the visitor's table: by a worker, used where it surely helps."""

from types import SimpleNamespace

import numpy as np
import pytest
from holdouts import holdout_report
from opened import healthy, text
from your_table import small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.checkpoints.bundled import find_checkpoint
from metamf.evaluate.filling import fill
from metamf.evaluate.holdout import HoldoutReport, MethodErrors
from metamf.evaluate.methods import Estimates, Method, contender
from metamf.imputer.estimator import MetaMFImputer
from metamf.ratings.matrix import Ratings
from metamf.webapp.your_table import task, verdict

NAME = "universal+tuned+normal"


def job(result, state="done", rows=(), now=None):
    more = {"now": now or {}, "place": None, "id": "job", "arguments": (None, NAME), "error": None}
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

    return rows, task.tune_table(table(), NAME, 3, 60, 60, report)


def test_progress_and_outcome_are_said_in_words():
    share, words = verdict.progress_of(job({}, rows=[{"step": 40, "steps": 160, "best": 0.95, "first": 1.0}]))
    assert share == 0.25 and "step 40 of at most 160" in words and "−5.0" in words
    share, words = verdict.progress_of(job({}, rows=[{"step": 160}], now={"repeat": 3, "repeats": 10}))
    assert share == 0.3 and "tuned anew" in words and "3 of at most 10 times" in words
    stopped = job({"checkpoint": b"", "kept": 40, "checked": 50, "errors": None})
    assert "was not measured, so it is used only where you choose it" in verdict.outcome_in_words(stopped, None)
    assert "did not help" in verdict.outcome_in_words(job(stopped.result | {"kept": 0}), None)
    died = job(None, state="failed")
    assert "ended before it had reached anything" in verdict.outcome_in_words(died, None)


def test_the_verdict_has_the_errors_of_the_network_that_fills_in_the_table(monkeypatch):
    """What the worker has measured stands in the verdict, under the network that lies in its folder."""
    rng = np.random.default_rng(0)
    ratings = Ratings.from_dense(rng.normal(size=(9, 4)))
    report = holdout_report(ratings, [contender("mean"), contender("universal+normal")], 0.9, 3, rng=rng)
    how = contender("universal+tuned+normal")
    alone = MethodErrors(how, np.full(2, 0.1), np.full(2, 0.1), np.ones(2))
    errors = HoldoutReport.of([alone], 0.9, report.n_hidden, report.observed).to_dict()
    network = find_checkpoint("universal").read_bytes()
    ended = job({"checkpoint": network, "kept": 40, "checked": 50, "errors": errors, "standardize": "auto"})
    monkeypatch.setattr(verdict, "recall", lambda name, key: ended)
    monkeypatch.setattr(verdict, "remember", lambda name, key, make, made={}: made.setdefault(key, make()))
    merged = verdict.with_tuned(report, None)
    assert merged.errors[0].method.label == verdict.LABEL and len(merged.errors) == 3
    said = verdict.outcome_in_words(ended, merged)
    assert said.startswith("Tuned to this table in 40 steps. Tuning makes") and "give or take" in said
    assert fill(ratings, merged.errors[0].method).imputer.ensemble_ is not None  # both members, as they were measured


def test_the_page_tunes_when_asked_and_says_what_came_of_it(small_world, monkeypatch):  # noqa: F811
    monkeypatch.setattr(verdict, "_MOST_REPEATS", 2)  # each is a tuning
    at = uploaded(stars(), "stars.csv")
    healthy(at.button(key="table_tune").click().run())
    said = text(at)
    assert "Tuned to this table" in said and small_world.called == ["verdict", "tune_table"]
    if "did not help" not in said:
        assert "Universal, tuned to your table" in said and "each time the network was tuned anew" in said
    healthy(at.run())
    assert small_world.called == ["verdict", "tune_table"]


def test_tuning_reports_its_steps_and_keeps_the_best_when_stopped(tmp_path):
    rows, result = run(stop_after=2)
    assert rows[0]["step"] == 10 and 1 <= len(rows) < 16 and result["checked"] > 10
    assert result["kept"] in (0, *(row["step"] for row in rows)) and result["errors"] is None
    if result["kept"]:
        (tmp_path / "tuned.safetensors").write_bytes(result["checkpoint"])
        assert np.isfinite(fill(table(), str(tmp_path / "tuned.safetensors")).mean).all()


def test_the_gain_is_measured_on_ratings_that_each_tuning_has_not_seen(monkeypatch):
    seen, asked = [], []

    def predict(given, rows, cols, level):
        seen.append((given, set(zip(rows.tolist(), cols.tolist()))))
        return Estimates(np.zeros(len(rows)), np.ones(len(rows)))

    def tuned(name, seconds):
        asked.append((name, seconds))
        return Method("universal", "tuned", "", predict, True, settings={"tune": "auto", "members": "normal"})

    monkeypatch.setattr(task, "contender", tuned)
    fit = MetaMFImputer.fit
    monkeypatch.setattr(MetaMFImputer, "fit", lambda self, X, progress=None: fit(self.set_params(tune=30), X))
    _, result = run()
    if result["kept"]:
        assert asked == [(NAME, 60)] and len(seen) == 3
        assert all(not hidden & set(zip(given.rows.tolist(), given.cols.tolist())) for given, hidden in seen)
        [found] = result["errors"]["methods"]
        assert found["key"] == NAME and len(found["rmse"]) == 3


def test_an_error_of_a_job_does_not_quote_a_rating(monkeypatch):
    def fails(*about, **more):
        raise ValueError("could not convert 2.5")

    monkeypatch.setattr(task, "has_own_units", fails)
    with pytest.raises(RuntimeError) as error:
        task.verdict(table(), 2, lambda message=None: {})
    assert "2.5" not in str(error.value)
