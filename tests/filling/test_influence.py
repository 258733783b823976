"""Filling in by any method, errors on held-out cells, influential cells, and the limits of what was trained on."""

import numpy as np
import pytest
from problems import small_universal

import metamf
from metamf.checkpoints.bundled import find_checkpoint
from metamf.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.datasets import synthetic
from metamf.filling import fill_in as filling
from metamf.filling import influence as trust
from metamf.filling.departures import departures, learned_from
from metamf.filling.fill_in import fill
from metamf.filling.holdout import HoldoutReport, HoldoutStep, MethodErrors, holdout_report, holdout_steps
from metamf.filling.influence import influence
from metamf.filling.methods import Estimates, Method, method, offered
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization
from metamf.tables import read_table
from metamf.tables.writing import text as write

STARS = RatingScale(1, 5, 1)


@pytest.fixture(autouse=True, scope="module")
def checkpoints(tmp_path_factory):
    """Bundled checkpoints of the tests' own: a small universal one and that of ML-1M."""
    folder = tmp_path_factory.mktemp("pretrained")
    info = CheckpointInfo("universal", "ml-1m, jester", None, None, 0, {"preset": "universal"})
    save_checkpoint(folder / "universal.safetensors", small_universal(), info)
    (folder / "ml-1m.safetensors").write_bytes(find_checkpoint("ml-1m").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metamf.checkpoints.bundled.PRETRAINED", folder)
        yield


def made_up(n=14, m=10, density=0.5, seed=0):
    return synthetic(np.random.default_rng(seed), n, m, density=density).ratings


# -- filling ----------------------------------------------------------------------------------------------------------


def test_a_checkpoint_fills_in_as_the_imputer_does():
    ratings = made_up()
    found = fill(ratings, "universal", 0.8, ratings.scale)
    expected = metamf.load_pretrained("universal").impute(ratings, interval=0.8)
    np.testing.assert_allclose(found.mean, expected.mean)
    np.testing.assert_allclose(found.lower, expected.lower)
    np.testing.assert_array_equal(found.clipped, expected.clipped)
    assert found.level == 0.8 and found.method.gives_intervals


@pytest.mark.parametrize("key", ["ml-1m", "mean", "damped_bias", "crossed_effects", "mf", "row_means", "col_means"])
def test_other_methods_fill_in_without_intervals_and_the_same_cell_by_cell(key):
    ratings = made_up()
    found = fill(ratings, key, 0.9, None)
    assert found.mean.shape == ratings.shape and np.isfinite(found.mean).all()
    assert found.lower is None and found.level is None and not found.clipped.any()
    cells = method(key).predict(ratings, np.array([3, 0]), np.array([2, 9]), None).mean
    np.testing.assert_allclose(cells, found.mean[[3, 0], [2, 9]], rtol=1e-5)


def test_means_of_rows_and_columns_are_those_means():
    X = np.array([[1.0, 2.0, np.nan], [np.nan, 5.0, np.nan], [np.nan, np.nan, np.nan]])
    ratings = Ratings.from_dense(X)
    np.testing.assert_allclose(fill(ratings, "row_means").mean[:, 0], [1.5, 5, 8 / 3])
    np.testing.assert_allclose(fill(ratings, "col_means").mean[0], [1, 3.5, 8 / 3])


def test_clipped_and_rounded_cells_are_marked_and_only_missing_ones():
    X = np.array([[9.0, 9.0, np.nan], [np.nan, 1.0, 2.0]])
    ratings = Ratings.from_dense(X)
    found = fill(ratings, "row_means", scale=STARS, round_to_scale=True)
    np.testing.assert_allclose(found.mean, [[5, 5, 5], [2, 2, 2]])  # 9 is cut to 5, 1.5 is rounded to 2
    np.testing.assert_array_equal(found.clipped, [[False, False, True], [False, False, False]])
    np.testing.assert_array_equal(found.rounded, [[False, False, False], [True, False, False]])
    assert fill(ratings, "row_means", scale=STARS, clip=False).mean[0, 2] == 9
    with pytest.raises(ValueError, match="scale with steps"):
        fill(ratings, "row_means", scale=RatingScale(1, 5), round_to_scale=True)


def test_half_steps_are_rounded_to_from_the_lowest_rating():
    np.testing.assert_allclose(filling.to_steps(np.array([0.7, 1.3, 3.76]), RatingScale(0.5, 5, 0.5)), [0.5, 1.5, 4])


def test_what_is_written_has_provenance_interval_and_method():
    table = read_table(b"name,a,b,c\nx,1,,3\ny,5,4,\nz,,2,1\n", "t.csv")
    filled = fill(table.ratings, "universal", 0.9, STARS).of(table)
    lines = write.to_csv_long(filled).decode().splitlines()
    assert len(lines) == 10 and lines[0].endswith("provenance,estimate,lower,upper,interval,method")
    assert lines[1].startswith("x,a,1,observed") and "MetaMF universal" in lines[2] and ",0.9," in lines[2]


@pytest.mark.parametrize("key", ["universal", "row_means"])
def test_held_out_cells_are_hidden_from_the_method_and_say_so(key):
    table = read_table(b"name,a,b,c\nx,1,,3\ny,5,4,\nz,,2,1\n", "t.csv")
    found = fill(table.ratings, key, 0.9, STARS, hold_out=0.3, seed=4)
    assert found.held_out.sum() == 2 and found.given.nnz == 4 and found.ratings.nnz == 6
    np.testing.assert_array_equal(found.mean, fill(found.given, key, 0.9, STARS).mean)
    provenance = found.of(table).provenance
    assert (provenance[table.ratings.rows, table.ratings.cols] == np.where(found.held_out, 1, 0)).all()
    lines = write.to_csv_long(found.of(table)).decode().splitlines()
    texts = dict(zip(zip(table.ratings.rows, table.ratings.cols), "135421"))
    for row, col in zip(table.ratings.rows[found.held_out], table.ratings.cols[found.held_out]):
        cells = lines[1 + 3 * row + col].split(",")
        assert cells[2:4] == [texts[row, col], "held out"] and float(cells[4]) == pytest.approx(
            found.mean[row, col], rel=1e-5
        )
    again, other = (fill(table.ratings, key, hold_out=0.3, seed=seed).held_out for seed in (4, 5))
    assert (again == found.held_out).all() and (other != again).any()
    for share in (1.0, -0.1, 0.99):
        with pytest.raises(ValueError, match="hide fewer"):
            fill(table.ratings, key, hold_out=share)


def test_settings_of_a_checkpoint_are_followed_and_kept_with_the_method():
    ratings = made_up()
    found = fill(ratings, method("ml-1m", steps=0))
    expected = metamf.load_pretrained("ml-1m", steps=0, clip=False).impute(ratings).mean
    np.testing.assert_allclose(found.mean, expected)
    assert found.method.settings == {"steps": 0}
    with pytest.raises(ValueError, match="steps: settings of checkpoints, and 'mean' is none"):
        method("mean", steps=3)


def test_unknown_and_untrained_methods_are_refused():
    with pytest.raises(ValueError, match="'ours' has to be meta-trained"):
        method("ours")
    with pytest.raises(FileNotFoundError, match="no checkpoint 'novelty'"):
        method("novelty")


def test_offered_methods_start_with_intervals_and_end_with_the_means_and_drop_what_is_slow():
    keys = [how.key for how in offered(made_up())]
    assert keys[:2] == ["universal", "ml-1m"] and keys[-2:] == ["row_means", "col_means"] and "mf" in keys
    assert "mf" not in [how.key for how in offered(made_up(250, 200, 0.5))]


# -- held-out cells ---------------------------------------------------------------------------------------------------


def spy(seen, key="spy", error=0.0, half=None):
    """A method that knows the truth: row + 10 column, and errs by ``error``."""

    def predict(given, rows, cols, level):
        seen.append((given, set(zip(rows.tolist(), cols.tolist()))))
        mean = rows + 10.0 * cols + error
        return Estimates(mean, None if half is None else np.full(len(rows), half))

    return Method(key, key, "", predict, gives_intervals=half is not None)


def grid(n=8, m=5):
    rows, cols = (at.ravel() for at in np.mgrid[:n, :m])
    return Ratings(rows, cols, rows + 10.0 * cols, (n, m))


def test_held_out_cells_are_hidden_from_the_method_and_each_is_held_out_once():
    seen = []
    steps = list(holdout_steps(grid(), [spy(seen)], 0.9, 10, 0.1, rng=np.random.default_rng(0)))
    report = steps[-1].report
    for given, hidden in seen:
        assert given.nnz == 36 and len(hidden) == report.held_out == 4
        assert not hidden & set(zip(given.rows.tolist(), given.cols.tolist()))
    assert len(set.union(*(hidden for _, hidden in seen))) == 40
    assert steps[0] == HoldoutStep(0, 10, "spy") and steps[-1][:3] == (10, 10, "") and len(steps) == 11
    assert report.repeats == 10 and report.observed == 40


def test_errors_and_coverage_are_those_of_the_held_out_cells():
    methods = [spy([], "off by three", 3.0, half=2.9), spy([], "off by two", -2.0, half=2.1), spy([], "bare", 4.0)]
    report = holdout_report(grid(), methods, 0.9, 3, rng=np.random.default_rng(0))
    assert [e.method.key for e in report.errors] == ["off by two", "off by three", "bare"]
    two, three, bare = report.errors
    np.testing.assert_allclose([two.rmse, three.mae, bare.rmse], [[2] * 3, [3] * 3, [4] * 3])
    np.testing.assert_array_equal([two.covered, three.covered], [[1] * 3, [0] * 3])
    assert bare.covered is None


def test_estimates_are_clipped_to_a_known_scale():
    ratings = Ratings(
        *(getattr(grid(), name) for name in ("rows", "cols", "values", "shape")), scale=RatingScale(0, 60)
    )
    (errors,) = holdout_report(ratings, [spy([], error=1000.0)], 0.9, rng=np.random.default_rng(0)).errors
    assert errors.rmse.max() <= 60


def test_too_few_cells_and_odd_settings_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="9 observed cells are too few"):
        holdout_report(grid(3, 3), [spy([])], 0.9, rng=rng)
    for settings in (dict(share=0.0), dict(share=1.0), dict(repeats=0), dict(methods=[])):
        with pytest.raises(ValueError, match="0 < share < 1"):
            holdout_report(**dict(ratings=grid(), methods=[spy([])], level=0.9, rng=rng) | settings)


def report_of(*methods):
    """A report from (label, errors per repeat, gives intervals, is reference)."""
    errors = [
        MethodErrors(
            Method(label, label, "", None, gives, reference),
            np.array(rmse),
            np.array(rmse),
            np.array(rmse) if gives else None,
        )
        for label, rmse, gives, reference in methods
    ]
    return HoldoutReport(tuple(sorted(errors, key=lambda e: e.rmse.mean())), 0.9, 10, 100)


NOISE = np.array([0.01, -0.02, 0.015, -0.01, 0.005])
MEANS = ("Row means", 1.0 + NOISE, False, True)


def test_the_verdict_names_a_clear_winner():
    report = report_of(("U", 0.8 + 0.5 * NOISE, True, False), MEANS, ("Mean", 1.2 - NOISE, False, False))
    assert report.recommended.method.key == "U"
    assert report.verdict() == (
        "Use U here: its typical error (RMSE) on held-out cells is 0.8. That beats the 1 of the row means by 20 %, "
        "more than chance explains."
    )


def test_the_verdict_admits_that_a_difference_may_be_chance():
    wild = np.array([0.3, -0.4, 0.2, -0.35, 0.2])
    verdict = report_of(("U", 0.97 + wild, True, False), MEANS).verdict()
    assert "Use U here" in verdict and "No method surely beats the 1 of the row means" in verdict


def test_the_verdict_sends_to_a_simple_method_where_that_is_better():
    report = report_of(("U", 1.3 + NOISE, True, False), MEANS, ("Mean", 1.4 - NOISE, False, False))
    assert report.recommended.method.key == "Row means"
    assert "Use the row means here" in report.verdict() and "No method does better" in report.verdict()


def test_intervals_are_worth_a_difference_that_is_chance_but_not_a_sure_one():
    near = report_of(("U", 0.81 - NOISE, True, False), ("A", 0.805 + NOISE, False, False), MEANS)
    assert near.recommended.method.key == "U" and "as good as the 0.805 of A within chance" in near.verdict()
    sure = report_of(("U", 0.81 + NOISE, True, False), ("A", 0.79 + NOISE, False, False), MEANS)
    assert sure.recommended.method.key == "A"


def test_noise_is_seldom_called_a_difference():
    """Two methods of equal error: the test errs in about one case of twenty or less."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        report = report_of(
            ("A", 1 + 0.1 * rng.normal(size=5), False, False), ("R", 1 + 0.1 * rng.normal(size=5), False, True)
        )
        wrong += report.surely_smaller(*report.errors)
    assert wrong <= 40  # the smaller of two: at most twice one in twenty


def test_universal_checkpoint_reports_coverage_on_real_errors():
    report = holdout_report(made_up(30, 20), offered(made_up()), 0.9, 2, rng=np.random.default_rng(0))
    by_key = {e.method.key: e for e in report.errors}
    assert 0 <= by_key["universal"].covered.mean() <= 1 and by_key["mean"].covered is None
    assert all(np.isfinite(e.rmse).all() and (e.mae <= e.rmse + 1e-9).all() for e in report.errors)
    assert report.verdict().startswith("Use ")


# -- influence --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("checkpoint", ["universal", "ml-1m"])
def test_influence_is_that_of_a_new_imputation_without_the_entry(checkpoint):
    ratings = made_up(7, 6)
    done = []
    found = influence(ratings, 2, 3, checkpoint, lambda *at: done.append(at))
    imputer = metamf.load_pretrained(checkpoint, clip=False)
    whole = imputer.impute(ratings).mean[2, 3]
    assert found.estimate == pytest.approx(whole, abs=1e-4) and found.examined == ratings.nnz
    expected = [whole - imputer.impute(ratings.select(np.arange(ratings.nnz) != k)).mean[2, 3] for k in found.entries]
    np.testing.assert_allclose(found.change, expected, atol=1e-4)
    assert np.all(np.diff(np.abs(found.change)) <= 0) and np.abs(found.change).max() > 1e-3
    assert done[0] == (0, ratings.nnz)


def test_influence_does_not_depend_on_how_many_copies_are_read_at_once(monkeypatch):
    ratings = made_up(7, 6)
    whole = influence(ratings, 0, 0)
    monkeypatch.setattr(trust, "_AT_ONCE", 50)
    parts = influence(ratings, 0, 0)
    np.testing.assert_allclose(np.sort(parts.change), np.sort(whole.change), atol=1e-5)


def test_in_a_large_matrix_entries_of_the_row_and_the_column_are_examined():
    ratings = made_up(60, 40, 0.4)
    found = trust.candidates(ratings, 5, 7)
    assert np.all((ratings.rows[found] == 5) | (ratings.cols[found] == 7))
    assert len(found) == np.sum((ratings.rows == 5) | (ratings.cols == 7))


def test_of_too_many_candidates_those_that_share_most_are_examined(monkeypatch):
    ratings = made_up(60, 40, 0.4)
    monkeypatch.setattr(trust, "_WORK", 10 * ratings.nnz)
    found = trust.candidates(ratings, 5, 7)
    assert len(found) == 10
    overlap = lambda k: (  # noqa: E731
        len(set(ratings.cols[ratings.rows == ratings.rows[k]]) & set(ratings.cols[ratings.rows == 5]))
        if ratings.rows[k] != 5
        else len(set(ratings.rows[ratings.cols == ratings.cols[k]]) & set(ratings.rows[ratings.cols == 7]))
    )
    every = np.flatnonzero((ratings.rows == 5) | (ratings.cols == 7))
    assert sorted(map(overlap, found)) == sorted(map(overlap, every))[-10:]


def test_one_value_everywhere_has_no_influence_and_odd_questions_are_refused():
    flat = Ratings([0, 0, 1], [0, 1, 1], np.full(3, 4.0), (2, 2))
    np.testing.assert_array_equal(influence(flat, 1, 0).change, 0)
    with pytest.raises(IndexError, match=r"cell \(2, 0\) lies outside"):
        influence(flat, 2, 0)
    with pytest.raises(ValueError, match="leaving one out leaves nothing"):
        influence(flat.select([0]), 0, 0)


# -- departures -------------------------------------------------------------------------------------------------------

UNIVERSAL = CheckpointInfo("universal", "ml-1m, jester", None, None, 0)
PAPER = CheckpointInfo("ml-1m", "ml-1m", Standardization(3.6, 1.1), STARS, 0)


def test_a_usual_matrix_lies_inside():
    assert departures(made_up(100, 60, 0.3), UNIVERSAL) == []
    assert departures(made_up(30, 30, 0.03), PAPER) == []


def test_sizes_densities_and_scales_outside_are_named():
    small = " ".join(departures(made_up(3, 5000, 0.3), UNIVERSAL))
    assert "3 rows, and training had 10 to 1,000" in small and "5,000 columns, and training had 10 to 1,700" in small
    sparse = Ratings(np.arange(50), np.arange(50), np.arange(50) % 5 + 1.0, (1000, 1000))
    (density,) = departures(sparse, UNIVERSAL)
    density = density.replace("\N{NO-BREAK SPACE}", " ")
    assert density.startswith("0.005 % of its cells are observed, and training had 0.42 % to 65 %")
    rows, cols = np.nonzero(np.ones((30, 30)))
    hundred = Ratings(rows[:30], cols[:30], np.linspace(0, 100, 30), (30, 30))
    assert any("run from 0 to 100, and training had 1 to 5" in found for found in departures(hundred, PAPER))
    thumbs = Ratings(rows[:400], cols[:400], np.arange(400) % 2.0, (30, 30))
    assert any("two different values only" in found for found in departures(thumbs, UNIVERSAL))
    wild = Ratings(rows[:400], cols[:400], np.r_[np.arange(399) % 5.0, 1e6], (30, 30))
    assert any("far from the rest" in found for found in departures(wild, UNIVERSAL))


def test_the_bundled_checkpoints_learned_from_what_their_recipes_say():
    _, info = load_checkpoint(find_checkpoint("ml-1m"))
    assert learned_from(info).rows == (30, 30)
    assert learned_from(UNIVERSAL).cols == (10, 1700)
