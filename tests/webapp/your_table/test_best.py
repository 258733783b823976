"""What does best here: Universal at first, then what the check recommends, tuned where that surely helps."""

from types import SimpleNamespace

from metamf.evaluate.methods import contender
from metamf.webapp.your_table import verdict


def test_what_does_best_follows_the_check_and_the_tuning(monkeypatch):
    reports, tuned = [None], [None]
    monkeypatch.setattr(verdict, "recall", lambda name, key: reports[0])
    monkeypatch.setattr(verdict, "tuned", lambda key: tuned[0])

    def recommends(name, relative=False):
        reports[0] = SimpleNamespace(recommended=SimpleNamespace(method=SimpleNamespace(name=name)), relative=relative)

    assert verdict.used("auto", None)[0] == "universal"
    recommends("col_means")
    assert verdict.used("auto", None)[0] == "col_means"
    recommends("knn", relative=True)
    key, how = verdict.used("auto", None)
    assert (key, how.label) == ("knn", "Most similar rows")
    tuned[0] = contender("universal+tuned+normal")
    recommends("universal")
    assert verdict.used("auto", None)[0] == "universal"  # what may be chance is not used by itself
    recommends(tuned[0].name)
    assert verdict.used("auto", None) == verdict.used("tuned", None) == ("tuned", tuned[0])
    assert verdict.used("row_means", None)[0] == "row_means"
    tuned[0] = None
    assert verdict.used("tuned", None)[0] == "universal"


def test_ratings_that_are_hidden_for_a_comparison_are_not_estimated_by_a_network_that_has_seen_them(monkeypatch):
    monkeypatch.setattr(verdict, "recall", lambda name, key: None)
    monkeypatch.setattr(verdict, "tuned", lambda key: contender("universal+tuned+normal"))
    name, how = verdict.used("tuned", None, hide_some=True)
    assert name == "universal+normal" and not how.tuned
