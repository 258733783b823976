"""How MF's settings are chosen: the first way is the measure, and the one that is taken is among those compared."""

from benchmarks.accuracy import mf_choice


def test_a_way_is_compared_with_the_first_on_the_same_matrices(monkeypatch):
    monkeypatch.setattr(mf_choice, "WAYS", (((1, 2), 1.0), ((1, 2), 1.0), ((1,), 0.01)))
    first, same, worse = mf_choice.rows(1)
    assert first["error over the first"] == same["error over the first"] == 1 and same["standard error"] == 0
    assert worse["milliseconds"] < first["milliseconds"] and worse["standard error"] > 0
