"""The state machine of the step control, event by event."""

import pytest

from metamf.webapp.matrix.playback import Playback


def test_at_first_it_plays_from_the_beginning_or_stands_where_a_link_says():
    assert Playback.opening(4, None, play=True) == Playback(4, 0, playing=True)
    assert Playback.opening(4, None, play=False) == Playback(4, 4)
    assert Playback.opening(4, "2", play=True) == Playback(4, 2)
    for nonsense in ("5", "-1", "x", "", "1.5", "²"):
        assert Playback.opening(4, nonsense, play=True) == Playback(4, 0, playing=True)
    assert Playback.opening(0, None, play=True) == Playback(0, 0)  # there is nothing to play


def test_a_step_follows_only_when_its_picture_was_seen():
    playback = Playback(2, 0, playing=True)
    playback.seen(0)
    assert playback == Playback(2, 1, playing=True)
    playback.seen(0)  # a report that comes late, or twice
    assert playback == Playback(2, 1, playing=True)
    playback.seen(1)
    assert playback == Playback(2, 2)


def test_at_rest_nothing_moves_by_itself():
    playback = Playback(4, 1)
    playback.seen(1)
    assert playback == Playback(4, 1)


def test_play_goes_on_from_here_and_starts_anew_at_the_end():
    for step, begins in ((1, 1), (4, 0)):
        playback = Playback(4, step)
        playback.play()
        assert playback == Playback(4, begins, playing=True)
    playback = Playback(0, 0)
    playback.play()
    assert not playback.playing


@pytest.mark.parametrize(
    "event, step",
    [
        (Playback.pause, 2),
        (Playback.back, 1),
        (Playback.forward, 3),
        (lambda playback: playback.slide(4), 4),
        (lambda playback: playback.slide(2), 2),
    ],
)
def test_a_touch_stops_it(event, step):
    playback = Playback(4, 2, playing=True)
    event(playback)
    assert playback == Playback(4, step)


def test_no_step_lies_beyond_an_end():
    playback = Playback(4, 0)
    playback.back()
    assert playback.step == 0
    playback.slide(9)
    assert playback.step == 4
    playback.forward()
    assert playback.step == 4


def test_another_number_of_steps_keeps_the_step_and_the_end_stays_the_end():
    for step, last, stands in ((2, 8, 2), (4, 8, 8), (3, 2, 2), (4, 2, 2), (2, 4, 2)):
        playback = Playback(4, step)
        playback.follow(last)
        assert playback == Playback(last, stands)


def test_a_play_goes_on_through_another_number_of_steps_unless_it_is_over():
    for last, playing in ((8, True), (3, True), (2, False), (1, False)):
        playback = Playback(4, 2, playing=True)
        playback.follow(last)
        assert playback == Playback(last, min(2, last), playing)
