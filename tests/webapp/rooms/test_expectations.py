"""A room's ratings as a matrix, and what a model expects of its cells."""

import numpy as np
import pytest
from classroom import room  # noqa: F401  a fixture

from metamf.webapp.experiments.agreement import Agreement
from metamf.webapp.rooms import expectations
from metamf.webapp.rooms.room import Room, RoomError, Scale
from metamf.webapp.rooms.table import matrix_table

NaN = np.nan


def test_a_room_becomes_a_matrix_with_names_and_scale(room):
    ratings = expectations.ratings(room)
    assert ratings.nnz == 7 and ratings.row_labels == ("Ada", "<b>Bo</b>", "Cy") and ratings.scale.maximum == 5
    np.testing.assert_array_equal(expectations.matrix(room)[2], [4, NaN, NaN])
    with pytest.raises(RoomError, match="7 ratings so far"):
        expectations.filled(room)


def test_who_came_after_the_model_had_looked_has_no_expectations(room):
    late = room.join("late", "Late").reveal({"id0": {0: 2.0, 1: 3.0, 2: 4.0}})
    found = expectations.agreement(late)
    assert found.surprise[0].tolist() == [3, -2, -1] and np.isnan(found.expected[1:]).all()
    assert matrix_table(late, found.expected, found)


def a_class(rate):
    """24 students and 12 films, of which each student rates seven in ten as ``rate(student, film)`` says."""
    rng = np.random.default_rng(0)
    room = Room.new("Films", [f"film {m}" for m in range(12)], Scale(1, 5), "d").start()
    for n in range(24):
        room = room.join(f"id{n}")
        for m in np.nonzero(rng.random(12) < 0.7)[0]:
            room = room.rate(f"id{n}", int(m), int(np.clip(round(rate(n, m) + 0.6 * rng.normal()), 1, 5)))
    return room


def test_ratings_of_films_that_differ_in_fame_are_expected_better_than_by_their_mean():
    room = a_class(lambda n, m: 1.5 + 3 * m / 11 + (n % 3 - 1) / 2)
    found = expectations.agreement(room.reveal(expectations.by_id(room, expectations.expected(room))))
    assert np.isfinite(found.expected).all()
    assert np.sqrt(np.nanmean(found.surprise**2)) < 0.9 * np.nanstd(found.X)


def test_the_two_who_are_closest_share_a_taste_and_the_two_furthest_apart_do_not():
    room = a_class(lambda n, m: 4.5 if (n + m) % 2 else 1.5)
    found = Agreement(expectations.matrix(room), np.full((24, 12), 3.0))
    assert sum(found.closest) % 2 == 0 and sum(found.furthest) % 2 == 1
