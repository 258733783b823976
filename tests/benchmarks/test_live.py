"""How fast the page Train learns: the script, and what its result file says of the settings that the page uses."""

import pytest

from benchmarks.accuracy import live
from benchmarks.rows import RESULTS, read
from metamf.recipes.live_data import MADE_UP, LiveData


def test_a_training_is_measured_until_its_seconds_are_over():
    row = live.trained(LiveData.load(MADE_UP), 1e-3, 4, seconds=0.1)
    assert row["below_mean_updates"] <= row["updates"] and row["below_mean_cpu"] < row["cpu_seconds"] < 10
    assert row["best_error"] < row["support_mean_error"] and not row["diverged"]


@pytest.mark.parametrize("data", ["ml-100k", MADE_UP])
def test_the_pages_settings_beat_the_mean_in_ten_seconds_and_come_near_the_bundled_checkpoint_in_two_minutes(data):
    rows = read(RESULTS / "live.csv")
    (start,) = (row for row in rows if row["data"] == "start")
    (row,) = (
        row
        for row in rows
        if row["data"] == data
        and float(row["learning_rate"]) == live.LEARNING_RATE
        and float(row["batch_size"]) == live.BATCH_SIZE
    )
    assert float(start["cpu_seconds"]) + float(row["below_mean_cpu"]) < 10
    assert float(start["cpu_seconds"]) + float(row["near_bundled_cpu"]) < 120
