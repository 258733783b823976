"""Maps that follow no step, as the data that the player draws them from."""

import json

import numpy as np
from payloads import floats_of

from metamf.figures.window import Axes
from metamf.webapp.player.still import Still, scene_of

NONE = np.nan
X = np.array([[5.0, NONE], [NONE, 2.0]])
ERRORS = np.array([[NONE, 0.5], [-1.0, NONE]])


def test_values_travel_with_their_own_ends_and_the_given_cells():
    errors = Still.signed("Error", "", ERRORS, 2.0, "too low", "too high")
    answer = Still("MF", "RMSE 0.79", np.array([[5.0, 2.5], [3.0, 2.0]]), 1.0, 5.0)
    axes = Axes(("Ada", "Ben"), None, 3, 0)
    scene = scene_of("Made up", [answer, errors], axes, given=X, shape=(9, 2))
    data = json.loads(json.dumps(scene, allow_nan=False))
    ends = [(one["kind"], one["low"], one["high"]) for one in data["maps"]]
    assert ends == [("rating", 1, 5), ("signed", -2, 2)]
    # by these the player knows how wide the numbers of ratings are
    assert (data["low"], data["high"]) == (1, 5)
    sent = floats_of(data["maps"][1]["values"]).reshape(2, 2)
    np.testing.assert_array_equal(sent, ERRORS)
    assert (data["n_given"], data["rows"], data["cols"]) == (2, ["Ada", "Ben"], None)
    assert (data["top"], data["total_rows"]) == (3, 9)


def test_another_number_or_name_is_another_picture_and_nothing_wrong_has_still_a_range():
    def name(value, label):
        still = Still("MF", "", np.full((1, 1), value), 1, 5)
        return scene_of("Made up", [still], Axes((label,)))["id"]

    assert len({name(3, "a"), name(4, "a"), name(3, "b")}) == 3
    assert name(3, "a") == name(3, "a")
    assert Still.signed("Error", "", np.zeros((1, 1)), 0.0).high == 1
