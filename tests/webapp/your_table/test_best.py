"""What does best here: Universal at first, then what the check recommends, tuned where that surely helps."""

from types import SimpleNamespace

from metamf.webapp.your_table import best


def test_what_does_best_follows_the_check_and_the_tuning(monkeypatch):
    reports, tuned = [None], [None]
    monkeypatch.setattr(best, "recall", lambda name, key: reports[0])
    monkeypatch.setattr(best.tuning, "tuned", lambda key: tuned[0])

    def recommends(key, relative=False):
        reports[0] = SimpleNamespace(recommended=SimpleNamespace(method=SimpleNamespace(key=key)), relative=relative)

    assert best.used("auto", None)[0] == "universal"
    recommends("col_means")
    assert best.used("auto", None)[0] == "col_means"
    recommends("knn", relative=True)
    key, how = best.used("auto", None)
    assert (key, how.label) == ("knn", "KNNImputer")
    made = SimpleNamespace(label="tuned")
    tuned[0] = made, False
    recommends("universal")
    assert best.used("auto", None)[0] == "universal"  # what may be chance is not used by itself
    tuned[0] = made, True
    assert best.used("auto", None) == ("tuned", made)
    assert best.used("row_means", None)[0] == "row_means"
