"""How fast the page Train learns."""

from benchmarks.accuracy import live
from metamf.learning.live import MADE_UP, LiveData


def test_a_training_is_measured_until_its_seconds_are_over():
    row = live.trained(LiveData.load(MADE_UP), 1e-3, 4, seconds=0.1)
    assert row["below_mean_updates"] <= row["updates"] and row["below_mean_cpu"] < row["cpu_seconds"] < 10
    assert row["best_error"] < row["support_mean_error"] and not row["diverged"]
