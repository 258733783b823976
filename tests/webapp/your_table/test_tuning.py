"""Tuning to the visitor's table: by a worker, used where it surely helps."""

import numpy as np
from holdouts import holdout_report
from opened import healthy, text
from tunings import job
from your_table import small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.checkpoints.bundled import find_checkpoint
from metamf.evaluate.filling import fill
from metamf.evaluate.holdout import HoldoutReport, MethodErrors
from metamf.evaluate.methods import contender
from metamf.ratings.matrix import Ratings
from metamf.webapp.jobs.states import State
from metamf.webapp.your_table import tuning


def test_progress_and_outcome_are_said_in_words():
    share, words = tuning.progress_of(job({}, rows=[{"step": 40, "steps": 160, "best": 0.95, "first": 1.0}]))
    assert share == 0.25 and "step 40 of at most 160" in words and "−5.0" in words
    share, words = tuning.progress_of(job({}, rows=[{"step": 160}], now={"repeat": 3, "repeats": 10}))
    assert share == 0.3 and "tuned anew" in words and "3 of at most 10 times" in words
    stopped = job({"file": "x", "kept": 40, "checked": 50, "errors": None})
    assert "was not measured, so it is used only where you choose it" in tuning.outcome_in_words(stopped, None)
    assert "did not help" in tuning.outcome_in_words(job(stopped.result | {"kept": 0}), None)
    died = job({}, state=State.FAILED)
    died.why = "died"
    assert "ended before it had reached anything" in tuning.outcome_in_words(died, None)


def test_the_verdict_has_the_errors_of_the_network_that_fills_in_the_table(monkeypatch, tmp_path):
    """What the worker has measured stands in the verdict, under the network that lies in its folder."""
    rng = np.random.default_rng(0)
    ratings = Ratings.from_dense(rng.normal(size=(9, 4)))
    report = holdout_report(ratings, [contender("mean"), contender("universal+normal")], 0.9, 3, rng=rng)
    how = contender("universal+tuned+normal")
    alone = MethodErrors(how, np.full(2, 0.1), np.full(2, 0.1), np.ones(2))
    errors = HoldoutReport.of([alone], 0.9, report.n_hidden, report.observed).to_dict()
    (tmp_path / "x").write_bytes(find_checkpoint("universal").read_bytes())
    ended = job({"file": "x", "kept": 40, "checked": 50, "errors": errors, "standardize": "auto"}, tmp_path)
    monkeypatch.setattr(tuning, "recall", lambda name, key: ended)
    merged = tuning.with_tuned(report, None)
    assert merged.errors[0].method.label == tuning.LABEL and len(merged.errors) == 3
    said = tuning.outcome_in_words(ended, merged)
    assert said.startswith("Tuned to this table in 40 steps. Tuning makes") and "give or take" in said
    assert fill(ratings, merged.errors[0].method).imputer.ensemble_ is not None  # both members, as they were measured


def test_the_page_tunes_when_asked_and_says_what_came_of_it(small_world, monkeypatch):  # noqa: F811
    monkeypatch.setattr(tuning, "_MOST_REPEATS", 2)  # each is a tuning
    at = uploaded(stars(), "stars.csv")
    healthy(at.button(key="table_tune").click().run())
    said = text(at)
    assert "Tuned to this table" in said and small_world.submitted == 2
    if "did not help" not in said:
        assert "Universal, tuned to your table" in said and "each time the network was tuned anew" in said
    healthy(at.run())
    assert small_world.submitted == 2
