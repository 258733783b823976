"""benchmarks/accuracy/hiding.py: what is trained on, and what is measured."""

import numpy as np
from problems import small_model, structured_ratings

from benchmarks.accuracy import hiding
from metamf.learning.episodes import divide_entries

EPISODES = [divide_entries(structured_ratings(12, 9, seed=seed), 0.5, np.random.default_rng(seed)) for seed in range(2)]


def test_the_curve_begins_with_the_untouched_network_and_fitting_lowers_the_error_on_what_is_given(monkeypatch):
    monkeypatch.setattr(hiding, "AFTER", (0, 8))
    network = small_model()
    found = {way: list(hiding.curve(network, EPISODES, way)) for way in ("fitting", "hiding")}
    assert found["fitting"][0] == found["hiding"][0] and found["fitting"][0]["steps"] == 0
    given = [float(row["given"]) for row in found["fitting"]]
    assert given[1] < given[0]
    assert [row["steps"] for row in found["hiding"]] == [0, 8]
