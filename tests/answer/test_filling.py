"""A matrix filled in by any method: scale, clipping, rounding, hidden ratings, and what cannot be filled."""

import dataclasses
from dataclasses import replace

import numpy as np
import pytest
from problems import STARS, ratings_matrix
from small_checkpoints import made_up, small_checkpoints  # noqa: F401  a fixture

import metamf
from metamf.answer.answer import CellByCell
from metamf.answer.filling import FillSettings, fill, within_scale
from metamf.answer.methods import Method, method
from metamf.ratings.limits import OutsideScaleError
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tables import read_table, write

pytestmark = pytest.mark.usefixtures("small_checkpoints")


def test_a_checkpoint_fills_in_as_the_imputer_does():
    ratings = made_up()
    found = fill(ratings, "universal", level=0.8)
    expected = metamf.load_pretrained("universal").impute(ratings, interval=0.8)
    np.testing.assert_allclose(found.mean, expected.mean)
    np.testing.assert_allclose(found.lower, expected.lower)
    np.testing.assert_array_equal(found.clipped, expected.clipped)
    assert found.level == 0.8


def row_means_and_four(given, level):
    found = method("row_means").predict(given, level)
    return replace(found, estimates=CellByCell(lambda rows, cols: found.estimates.at(rows, cols) + 4))


def test_clipped_and_rounded_cells_are_marked_and_only_missing_ones():
    X = np.array([[5.0, 5.0, np.nan], [np.nan, 1.0, 2.0]])
    ratings = Ratings.from_dense(X)
    too_high = Method("too high", "Too high", "", row_means_and_four)
    found = fill(ratings, too_high, scale=STARS, round_to_scale=True)
    np.testing.assert_allclose(found.mean, [[5, 5, 5], [5, 5, 5]])
    np.testing.assert_array_equal(found.clipped, [[False, False, True], [True, False, False]])
    assert not found.rounded.any()
    found = fill(ratings, "row_means", scale=STARS, round_to_scale=True)
    np.testing.assert_allclose(found.mean, [[5, 5, 5], [2, 2, 2]])  # 1.5 is rounded to 2
    np.testing.assert_array_equal(found.rounded, [[False, False, False], [True, False, False]])
    assert fill(ratings, too_high, scale=STARS, clip=False).mean[0, 2] == 9
    half = RatingScale(0.8, 5, 0.5)  # steps count from the lowest rating
    assert fill(ratings, "row_means", scale=half, round_to_scale=True).mean[1, 0] == pytest.approx(1.3)
    with pytest.raises(ValueError, match="scale with steps"):
        fill(ratings, "row_means", scale=RatingScale(1, 5), round_to_scale=True)


@pytest.mark.parametrize("key", ["universal", "row_means"])
def test_held_out_cells_are_hidden_from_the_method_and_say_so(key):
    table = read_table(b"name,a,b,c\nx,1,,3\ny,5,4,\nz,,2,1\n", "t.csv")
    found = fill(table.ratings, key, scale=STARS, hold_out=0.3, seed=4)
    assert found.hidden.sum() == 2 and found.given.nnz == 4 and found.ratings.nnz == 6
    np.testing.assert_array_equal(found.mean, fill(found.given, key, scale=STARS).mean)
    provenance = found.provenance[table.ratings.rows, table.ratings.cols]
    assert ((provenance == "held out") == found.hidden).all()
    lines = write.to_csv_long(table, found).decode().splitlines()
    interval = "lower,upper,interval," if key == "universal" else ""
    assert lines[0].endswith(f"provenance,estimate,{interval}method")
    texts = dict(zip(zip(table.ratings.rows, table.ratings.cols), "135421"))
    for row, col in zip(table.ratings.rows[found.hidden], table.ratings.cols[found.hidden]):
        cells = lines[1 + 3 * row + col].split(",")
        assert cells[2:4] == [texts[row, col], "held out"] and float(cells[4]) == pytest.approx(
            found.mean[row, col], rel=1e-5
        )
    again, other = (fill(table.ratings, key, hold_out=0.3, seed=seed).hidden for seed in (4, 5))
    assert (again == found.hidden).all() and (other != again).any()
    with pytest.raises(ValueError, match="a share of 0.99 of 6 observed ratings leaves none .* hide fewer"):
        fill(table.ratings, key, hold_out=0.99)


# -- the scale --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["universal", "ml-1m", "row_means"])
def test_a_known_scale_is_kept_unless_the_caller_says_otherwise(key):
    known = Ratings.from_dense(ratings_matrix(density=0.15), scale=STARS)
    found = fill(known, key)
    assert found.ratings.scale == found.given.scale == STARS
    np.testing.assert_array_equal(found.mean, fill(dataclasses.replace(known, scale=None), key, scale=STARS).mean)
    assert fill(known, key, scale=None).ratings.scale is None


def nine():
    """One rating outside 1 to 5."""
    return Ratings.from_dense([[9.0, 4.0, np.nan], [np.nan, 1.0, 2.0], [3.0, np.nan, 5.0]], scale=STARS)


def test_a_rating_outside_the_scale_is_an_error():
    message = r"rating 9 in cell \(0, 0\) lies outside the scale 1 to 5: correct it, .* or say outside='nearest' or out"
    for ratings, scale in ((nine(), "of the ratings"), (dataclasses.replace(nine(), scale=None), STARS)):
        with pytest.raises(OutsideScaleError, match=message):
            fill(ratings, "mean", scale=scale)
    with pytest.raises(OutsideScaleError, match=r"outside the scale 0 to 2 \(4 such ratings in all\)"):
        fill(nine(), "mean", scale=RatingScale(0, 2))
    assert fill(nine(), "mean", scale=None).mean[0, 2] == pytest.approx(4)
    inside = Ratings.from_dense([[1.0, 5.0]], scale=STARS)
    assert all(within_scale(inside, outside) is inside for outside in ("error", "nearest", "hide"))


@pytest.mark.parametrize("key", ["row_means", "universal"])
def test_the_method_can_be_given_the_nearest_end_of_the_scale(key):
    found = fill(nine(), key, outside="nearest")
    assert found.given.values.tolist() == [5, 4, 1, 2, 3, 5] and not found.hidden.any()
    assert found.ratings.values[0] == 9 == found.filled[0, 0]
    assert write.to_csv_wide(found.ratings, found).startswith(b"9,")
    np.testing.assert_array_equal(found.mean, fill(found.given, key).mean)
    measurable = within_scale(found.ratings, "nearest")
    assert measurable.values.max() == 5 and measurable.nnz == 6


@pytest.mark.parametrize("key", ["row_means", "universal"])
def test_a_rating_outside_the_scale_can_be_hidden_from_the_method(key):
    found = fill(nine(), key, outside="hide")
    assert found.given.values.tolist() == [4, 1, 2, 3, 5] and found.hidden.tolist() == [True] + 5 * [False]
    np.testing.assert_array_equal(found.mean, fill(found.given, key).mean)
    assert found.filled[0, 0] == 9
    assert write.to_csv_long(found.ratings, found).splitlines()[1].startswith(b"1,1,9,held out,")
    assert within_scale(found.ratings, "hide").nnz == 5


# -- settings ---------------------------------------------------------------------------------------------------------


def test_settings_come_as_one_object_or_by_their_names():
    settings = FillSettings(level=0.8, clip=False, hold_out=0.2, seed=3)
    one = fill(made_up(), settings=settings)
    other = fill(made_up(), level=0.8, clip=False, hold_out=0.2, seed=3)
    np.testing.assert_array_equal(one.mean, other.mean)
    np.testing.assert_array_equal(one.lower, other.lower)
    np.testing.assert_array_equal(one.hidden, other.hidden)
    assert (fill(made_up(), settings=settings, seed=4).hidden != one.hidden).any()
    assert one.level == 0.8 and fill(made_up(), "mean", settings=settings).level is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.level = 0.5
    with pytest.raises(TypeError, match="rounding"):
        fill(made_up(), rounding=True)
    with pytest.raises(TypeError, match="positional"):
        fill(made_up(), "mean", 0.9)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("clip", "no", "True or False"),
        ("round_to_scale", 1, "True or False"),
        ("seed", -1, "a whole number"),
        ("seed", 0.5, "a whole number"),
        ("outside", "drop", "one of"),
        *(("hold_out", share, "a share of at least 0 and below 1") for share in (float("nan"), 1.0, -0.1, "0.1", None)),
        *(("level", level, "a number between 0.01 and 0.99") for level in (0.0, 1, "0.9", float("nan"), True)),
    ],
)
def test_a_setting_of_another_kind_is_refused_by_name(name, value, expected):
    with pytest.raises(ValueError, match=f"{name} must be .*{expected}.*, got {value!r}"):
        fill(made_up(), "mean", **{name: value})


def test_what_cannot_be_filled_in_is_refused_with_what_to_give():
    for key in ("mean", "universal", "row_means"):
        with pytest.raises(ValueError, match="3 x 4 matrix is observed"):
            fill(Ratings([], [], np.array([]), (3, 4)), key)
    with pytest.raises(ValueError, match="all 3 observed ratings are hidden"):
        fill(Ratings.from_dense([[9.0, np.nan], [8.0, 7.0]], scale=STARS), "mean", outside="hide")
    with pytest.raises(TypeError, match="must be Ratings, got ndarray: make them by Ratings.from_dense"):
        fill(np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"scale must be a RatingScale, None or 'of the ratings', got \(1, 5\)"):
        fill(made_up(), "mean", scale=(1, 5))


def test_a_table_of_mixed_units_is_not_filled_with_nonsense():
    rng = np.random.default_rng(0)
    level = rng.normal(size=(40, 1))
    units = np.array([1.0, 1000.0, 0.05, 20.0, 3.0])
    X = units * (4 + level + 0.3 * rng.normal(size=(40, 5)))
    X[:, 2] = 1.5 + 0.5 * np.tanh(level[:, 0])  # shares between 1 and 2
    X[rng.random(X.shape) < 0.3] = np.nan
    filling = fill(Ratings.from_dense(X))
    assert (filling.mean[:, 2] > 0.5).all() and (filling.mean[:, 2] < 2.5).all()
    assert (filling.lower[:, 2] > 0.5).all() and (filling.upper[:, 2] < 2.5).all()
    assert fill(Ratings.from_dense(X), method("universal", standardize="matrix")).mean[:, 2].std() > 10
