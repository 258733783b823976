"""How MF's settings are chosen: the first way is the measure, and the one that is taken is among those compared."""

from benchmarks.accuracy import mf_choice
from benchmarks.rows import RESULTS, read
from metamf.baselines.mf_path import TRIED_RANKS, TRIED_STEPS


def test_a_way_is_compared_with_the_first_on_the_same_matrices(monkeypatch):
    monkeypatch.setattr(mf_choice, "WAYS", (((1, 2), 1.0), ((1, 2), 1.0), ((1,), 0.01)))
    first, same, worse = mf_choice.rows(1)
    assert first["error over the first"] == same["error over the first"] == 1 and same["standard error"] == 0
    assert worse["milliseconds"] < first["milliseconds"] and worse["standard error"] > 0


def test_the_way_that_is_taken_is_no_worse_than_the_one_that_tries_most():
    most, *_, taken = [
        row
        for row in read(RESULTS / "mf_choice.csv")
        if row["ranks"] == "1 2 4 8" or (row["ranks"], float(row["share of the steps"])) == (_RANKS, TRIED_STEPS)
    ]
    assert float(taken["error over the first"]) < 1 + 2 * float(taken["standard error"])
    assert float(taken["milliseconds"]) < 0.5 * float(most["milliseconds"])


_RANKS = " ".join(map(str, TRIED_RANKS))
