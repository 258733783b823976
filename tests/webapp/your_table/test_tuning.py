"""Tuning to the visitor's table: by a worker, used where it surely helps."""

from opened import healthy, text
from tunings import job
from your_table import small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.webapp.your_table import tuning


def test_what_tuning_gained_is_said_and_used_only_beyond_chance():
    result = {"file": "x", "kept": 40, "checked": 50, "first": 1.0, "error": 0.9, "gain": 0.19, "spread": 0.04}
    assert tuning.helps(job(result)) and "fell by 10.0" in tuning.gain_in_words(job(result))
    luck = job(result | {"spread": 0.15})
    assert not tuning.helps(luck) and "may be chance" in tuning.gain_in_words(luck)
    assert "did not help" in tuning.gain_in_words(job(result | {"kept": 0}))
    share, words = tuning.progress_of(job({}, rows=[{"step": 40, "steps": 160, "best": 0.95, "first": 1.0}]))
    assert share == 0.25 and "step 40 of at most 160" in words and "−5.0" in words


def test_the_page_tunes_when_asked_and_says_what_came_of_it(small_world):  # noqa: F811
    at = uploaded(stars(), "stars.csv")
    healthy(at.button(key="table_tune").click().run())
    assert "Tuned to this table" in text(at) and "hidden from" in text(at) and small_world.submitted == 2
    healthy(at.run())
    assert small_world.submitted == 2
