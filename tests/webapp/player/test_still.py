"""Maps that follow no step, as the data that the player draws them from."""

import json
from base64 import b64decode

import numpy as np

from metamf.figures.window import Axes
from metamf.webapp.player.still import Still, scene_of

NONE = np.nan
X = np.array([[5.0, NONE], [NONE, 2.0]])


def test_values_travel_with_their_own_ends_and_the_given_cells():
    errors = Still.signed("Error", "", np.array([[NONE, 0.5], [-1.0, NONE]]), 2.0, "too low", "too high")
    answer = Still("MF", "RMSE 0.79", np.array([[5.0, 2.5], [3.0, 2.0]]), 1.0, 5.0)
    axes = Axes(("Ada", "Ben"), None, 3, 0)
    data = json.loads(json.dumps(scene_of("Made up", [answer, errors], axes, given=X, shape=(9, 2)), allow_nan=False))
    assert [(one["kind"], one["low"], one["high"]) for one in data["maps"]] == [("rating", 1, 5), ("signed", -2, 2)]
    assert (data["low"], data["high"]) == (1, 5)  # by these the player knows how wide the numbers of ratings are
    alone = scene_of("Made up", [errors], axes, given=X, ends=(1, 5))
    assert (alone["low"], alone["high"]) == (1, 5)
    sent = np.frombuffer(b64decode(data["maps"][1]["values"]), "<f4").reshape(2, 2)
    np.testing.assert_array_equal(sent, [[NONE, 0.5], [-1, NONE]])
    assert (data["n_given"], data["rows"], data["cols"], data["top"], data["total_rows"]) == (
        2,
        ["Ada", "Ben"],
        None,
        3,
        9,
    )


def test_another_number_or_name_is_another_picture_and_nothing_wrong_has_still_a_range():
    def name(value, label):
        return scene_of("Made up", [Still("MF", "", np.full((1, 1), value), 1, 5)], Axes((label,)))["id"]

    assert len({name(3, "a"), name(4, "a"), name(3, "b")}) == 3 and name(3, "a") == name(3, "a")
    assert Still.signed("Error", "", np.zeros((1, 1)), 0.0).high == 1
