"""The application without a browser: tasks, runs and comparisons behind it, then every page by Streamlit's AppTest."""

import io
import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import metamf
from metamf import datasets
from metamf.baselines import METHODS
from metamf.checkpoints import find_checkpoint, load_checkpoint
from metamf.datasets import presets, synthetic
from metamf.figures import Window
from metamf.ratings import Ratings, RatingsBatch, RatingScale
from metamf.trained import load_trained
from metamf.universal import Universal
from metamf.webapp import comparison, lesson, sources, words
from metamf.webapp.run import View, run, takes_sweeps
from metamf.webapp.state import BLOCK, GRID, UPLOAD, AppState
from metamf.webapp.task import Matrix, divide

APP = Path(__file__).resolve().parent.parent / "app.py"
PAGES = ("pages/fill_in.py", "pages/watch.py", "pages/compare.py")
CHECKPOINT, PAPER = AppState().model, "ml-1m"
MAP = words.checkpoint_title(PAPER)  # its name in the URL


def made_up(n=12, m=9, density=0.5, seed=0, truth=True):
    matrix = synthetic(np.random.default_rng(seed), n, m, density=density)
    return Matrix("made up", "", matrix.ratings, matrix.truth if truth else None)


def cells(ratings):
    return {(int(n), int(m)): float(x) for n, m, x in zip(ratings.rows, ratings.cols, ratings.values)}


# -- tasks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("selection", ["at random", "popular columns"])
def test_rated_cells_are_either_given_or_hidden(selection):
    matrix = made_up(truth=False)
    task = divide(matrix, 0.3, selection, 1)
    given, hidden = cells(task.given), cells(task.hidden)
    assert len(given) == np.ceil(0.3 * matrix.ratings.nnz)
    assert given | hidden == cells(matrix.ratings) and not given.keys() & hidden.keys()
    assert cells(divide(matrix, 0.3, selection, 1).given) == given
    assert cells(divide(matrix, 0.3, selection, 2).given) != given


def test_with_a_known_truth_every_cell_that_is_not_given_is_hidden():
    matrix = made_up()
    task = divide(matrix, 0.5, "at random", 1)
    assert task.hidden.nnz == 12 * 9 - task.given.nnz
    assert all(matrix.truth[at] == value for at, value in cells(task.hidden).items())


def test_keeping_everything_hides_nothing_that_was_rated():
    task = divide(made_up(truth=False), 1.0, "popular columns", 1)
    assert task.hidden.nnz == 0 and task.given.nnz == task.matrix.ratings.nnz
    assert divide(Matrix("", "", Ratings.from_dense([[3.0]])), 0.05, "at random", 1).given.nnz == 1


def test_popular_columns_are_kept_more_often():
    observed = np.zeros((40, 10), bool)
    for m in range(10):
        observed[: 40 - 3 * m, m] = True
    ratings = Ratings.from_dense(np.where(observed, 3.0, np.nan))
    kept = np.mean([divide(Matrix("", "", ratings), 0.3, "popular columns", s).given.col_counts for s in range(20)], 0)
    share = kept / ratings.col_counts
    assert share[0] > 0.6 and share[-3:].max() < 0.35
    at_random = np.mean([divide(Matrix("", "", ratings), 0.3, "at random", s).given.col_counts for s in range(20)], 0)
    np.testing.assert_allclose(at_random / ratings.col_counts, 0.3, atol=0.1)


def test_digests_tell_matrices_apart():
    X = np.array([[1.0, 2.0], [np.nan, 4.0]])
    base = Matrix("a", "", Ratings.from_dense(X))
    others = [
        Matrix("a", "", Ratings.from_dense(X + [[0, 0], [0, 1e-9]])),
        Matrix("a", "", Ratings.from_dense(X.T)),
        Matrix("a", "", Ratings.from_dense(X, row_labels=("p", "q"))),
        Matrix("a", "", Ratings.from_dense(X, scale=RatingScale(1, 5))),
        Matrix("a", "", Ratings.from_dense(X), np.ones((2, 2))),
    ]
    assert len({matrix.digest for matrix in [base, *others]}) == len(others) + 1
    assert Matrix("a", "", Ratings.from_dense(X)).digest == base.digest


# -- runs -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def example():
    return run(divide(made_up(), 0.5, "at random", 1), CHECKPOINT, 6)


def test_errors_per_step_are_those_of_the_clipped_estimates(example):
    path, scale = example.imputation.trajectory, example.imputation.scale
    for task_cells, errors in (
        (example.task.given, example.given_errors),
        (example.task.hidden, example.hidden_errors),
    ):
        for t in range(example.T + 1):
            E = scale.clip(path.estimate(t))[task_cells.rows, task_cells.cols] - task_cells.values
            assert errors.rmse[t] == pytest.approx(np.sqrt(np.mean(E**2)), rel=1e-5)
            assert errors.mae[t] == pytest.approx(np.abs(E).mean(), rel=1e-5)


def test_errors_do_not_depend_on_how_many_cells_are_held_at_once(example, monkeypatch):
    monkeypatch.setattr("metamf.webapp.run._CHUNK", 7)
    again = run(example.task, CHECKPOINT, 6)
    np.testing.assert_allclose(again.hidden_errors.rmse, example.hidden_errors.rmse)
    assert again.largest_residual == pytest.approx(example.largest_residual)


def test_the_view_shows_what_is_given_filled_in_and_wrong(example):
    view = View(example, Window.of(example.task.given.shape))
    T = example.T
    np.testing.assert_array_equal(view.given, example.task.given.to_dense())
    np.testing.assert_allclose(view.filled(T), example.imputation.filled)
    np.testing.assert_array_equal(np.isnan(view.error(0)), view.is_given)
    np.testing.assert_array_equal(np.isnan(view.residual(0)), ~view.is_given)
    np.testing.assert_allclose(view.change(2), view.product(2) - view.product(1))
    assert not view.change(0).any()
    assert example.hidden_errors.rmse[T] == pytest.approx(np.sqrt(np.nanmean(view.error(T) ** 2)), rel=1e-5)


def test_limits_of_the_colour_scales_hold_at_every_step(example):
    view = View(example, Window.of(example.task.given.shape))
    for t in range(example.T + 1):
        assert np.abs(view.change(t)).max() <= view.largest_change
        assert np.nanmax(np.abs(view.residual(t))) <= example.largest_residual * (1 + 1e-6)
    assert view.largest_change > 0


def test_a_window_is_that_part_of_the_matrix(example):
    whole = View(example, Window.of(example.task.given.shape))
    part = View(example, Window.of(example.task.given.shape, 4, 2, largest=5))
    for name in ("given", "hidden", "known"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[4:9, 2:7])
    np.testing.assert_allclose(part.filled(3), whole.filled(3)[4:9, 2:7])
    assert (part.axes().top, part.axes().left) == (4, 2)


def test_the_two_pulls_are_the_terms_of_the_first_steps(example):
    assert example.round == "sweep" and example.pulls is None  # Eq. (5) is none of the universal model's
    example = run(example.task, PAPER, 6)
    path = example.imputation.trajectory
    assert example.round == "step" and example.T == path.T == 6
    first = np.linalg.norm(path.U[1] - path.U[0])
    assert first == pytest.approx(example.step_size * example.pulls.data[0], rel=1e-4)
    assert example.pulls.prior[0] == 0
    assert example.pulls.prior[2] == pytest.approx(
        example.prior_precision * np.linalg.norm(path.U[2] - path.U[0]), rel=1e-4
    )


def test_the_limit_of_the_factors_ignores_coordinates_that_are_always_one(example):
    path = example.imputation.trajectory
    assert (path.U[..., -1] == 1).all() and (path.V[..., -2] == 1).all()
    free = [path.U[..., :-1], np.delete(path.V, -2, axis=2)]
    assert example.largest_factor == pytest.approx(max(np.quantile(np.abs(factor), 0.998) for factor in free))


def test_the_universal_checkpoint_is_the_default_with_the_sweeps_that_it_learned_with():
    model, _ = load_checkpoint(find_checkpoint(AppState().model))
    assert isinstance(model, Universal) and model.config.steps == AppState().sweeps
    assert words.checkpoints()[0] == "universal" and sorted(words.checkpoints()) == metamf.list_pretrained()
    assert takes_sweeps("universal") and not takes_sweeps(PAPER)
    assert set(metamf.list_pretrained()) <= set(words.CAPTIONS)


def test_the_intervals_of_a_run_are_those_of_the_library(example):
    view, whole = View(example, Window.of(example.task.given.shape)), example.imputation
    part = View(example, Window.of(example.task.given.shape, 4, 2, largest=5))
    for end, expected in zip(view.ends, (whole.lower, whole.upper)):
        np.testing.assert_allclose(end, expected, atol=1e-5)
    for end, expected in zip(part.ends, view.ends):
        np.testing.assert_allclose(end, expected[4:9, 2:7], atol=1e-5)
    np.testing.assert_array_equal(np.isnan(view.spread), view.is_given)
    hidden = example.task.hidden
    at = hidden.rows, hidden.cols
    assert example.covered == np.sum((whole.lower[at] <= hidden.values) & (hidden.values <= whole.upper[at]))
    estimate, lower, upper, truth = example.hidden_intervals
    np.testing.assert_allclose(lower, whole.lower[at], atol=1e-5)
    np.testing.assert_allclose(estimate, whole.mean[at], atol=1e-5)
    np.testing.assert_array_equal(truth, hidden.values)


def test_coverage_does_not_depend_on_how_many_cells_are_held_at_once(example, monkeypatch):
    monkeypatch.setattr("metamf.webapp.run._CHUNK", 7)
    monkeypatch.setattr("metamf.webapp.run.SHOWN", 10)
    again = run(example.task, CHECKPOINT, 6)
    assert again.covered == example.covered
    assert all(len(values) == 10 for values in again.hidden_intervals)


def test_the_paper_s_checkpoints_have_no_intervals(example):
    result = run(example.task, PAPER, 2)
    assert result.covered is None and View(result, Window.of(example.task.given.shape)).ends is None


def test_the_range_of_a_constant_matrix_is_wide_enough_to_draw():
    result = run(divide(Matrix("", "", Ratings.from_dense([[700.0, 700.0]])), 1.0, "at random", 1), CHECKPOINT, 2)
    low, high = result.range
    assert low < 700 < high


def test_sentences_say_what_an_error_means():
    known, unknown = (divide(made_up(truth=truth), 0.5, "at random", 1) for truth in (True, False))
    assert "every cell is known" in words.hidden_cells(known)
    assert f"{unknown.hidden.nnz} rated cells" in words.hidden_cells(unknown)
    assert "no error can be measured" in words.hidden_cells(divide(made_up(truth=False), 1.0, "at random", 1))


def test_diverging_steps_are_noted():
    matrix = synthetic(np.random.default_rng(0), 200, 200, density=1.0, taste=0.4, noise=0.02).ratings
    result = run(divide(Matrix("", "", matrix), 1.0, "at random", 1), PAPER, 10)
    assert result.imputation.step_rule == "safe" and "diverge" in words.step_rule(result)
    assert result.given_errors.rmse[-1] < result.given_errors.rmse[0]


# -- comparison -------------------------------------------------------------------------------------------------------


def test_contenders_are_measured_on_the_same_hidden_cells(example):
    view = View(example, Window.of(example.task.given.shape))
    ours, mean = comparison.of_run(example), comparison.of_baseline("mean", example.task, example.imputation.scale)
    hidden, guess = example.task.hidden.values, example.task.given.values.mean()
    assert mean.rmse == pytest.approx(np.sqrt(np.mean((hidden - guess) ** 2)), rel=1e-5)
    assert mean.rmse == pytest.approx(words.mean_rmse(example.task), rel=1e-5)
    assert (ours.rmse, ours.mae) == (example.hidden_errors.rmse[-1], example.hidden_errors.mae[-1])
    assert ours.meta and not mean.meta
    filled = mean.estimate(view)
    np.testing.assert_array_equal(filled[view.is_given], view.given[view.is_given])
    np.testing.assert_allclose(filled[~view.is_given], guess, rtol=1e-5)


def test_every_baseline_of_the_registry_that_needs_no_training_answers(example):
    assert set(METHODS) - {"ours", "maml"} <= set(comparison.BASELINES) and "ours" not in comparison.BASELINES
    assert set(comparison.AT_FIRST) <= set(comparison.BASELINES)
    for key in comparison.AT_FIRST[1:]:
        contender = comparison.of_baseline(key, example.task, example.imputation.scale)
        assert 0 < contender.rmse < 3 and contender.mae <= contender.rmse


def test_meta_learned_baselines_answer_in_the_units_that_they_were_trained_in(example):
    task, like = example.task, run(example.task, "ml-1m", 6)
    for key in ("eml", "ft"):
        assert comparison.training_data(key, "jester") == "jester"
        assert comparison.training_data(key, "universal") == "ml-1m"
        contender = comparison.of_baseline(key, task, like.imputation.scale, like)
        assert contender.meta and contender.name.endswith(words.checkpoint_title("ml-1m"))
        assert 0 < contender.rmse < 1.2 * words.mean_rmse(task)
    units, cell = like.imputation.trajectory.standardization, (int(task.hidden.rows[0]), int(task.hidden.cols[0]))
    given = RatingsBatch.of([task.given.with_values(units.apply(task.given.values))])
    estimate = load_trained("eml", "ml-1m").adapt(given).predict(*(torch.tensor([at]) for at in cell))
    view = View(like, Window.of(task.given.shape))
    drawn = comparison.of_baseline("eml", task, None, like).estimate(view)
    assert drawn[cell] == pytest.approx(float(units.undo(estimate.numpy())[0]), rel=1e-5)


def test_fast_methods_appear_at_once_and_slow_ones_as_they_answer(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(comparison.time, "perf_counter", lambda: now[0])

    def answer(key):
        now[0] += {"mf": 5.0, "dmf": 9.0}.get(key, 0.001)
        return key

    shown = list(comparison.in_order(["dmf", "als", "mf", "mean", "damped_bias"], answer))
    assert shown == [
        (["mean", "damped_bias"], "als"),
        (["mean", "damped_bias", "als", "mf"], "dmf"),
        (["mean", "damped_bias", "als", "mf", "dmf"], None),
    ]
    assert list(comparison.in_order(["mf"], answer)) == [([], "mf"), (["mf"], None)]
    assert list(comparison.in_order([], answer)) == [([], None)]


def test_slow_methods_are_not_offered_large_matrices():
    rows, cols = (at.ravel() for at in np.mgrid[:400, :300])
    task = divide(Matrix("", "", Ratings(rows, cols, (rows + cols) % 5 + 1.0, (400, 300))), 1.0, "at random", 1)
    assert comparison.feasible("mean", task) and not comparison.feasible("mf", task)


# -- pages ------------------------------------------------------------------------------------------------------------


def opened(page=PAGES[0], **query):
    at = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = str(value)
    at.run()
    return at if page == PAGES[0] else at.switch_page(page).run()


def text(at):
    """All that the page says, without markup and style."""
    bodies = [element.proto.body for element in at.get("html") if not element.proto.body.startswith("<style>")]
    bodies += [element.value for element in at.markdown]
    return unescape(re.sub("<[^>]+>", " ", " ".join(bodies)))


def charts(at):
    return at.get("plotly_chart")


def healthy(at):
    assert not at.exception and not at.error
    return at


@pytest.fixture(autouse=True)
def no_data_sets(request, monkeypatch, tmp_path):
    """Pages meet an empty data folder unless a test asks for the real one."""
    if "data" not in request.keywords:
        monkeypatch.setenv("METAMF_DATA", str(tmp_path))


def test_the_first_page_opens_with_a_result_and_plays():
    at = healthy(opened())
    assert len(charts(at)) == 5
    assert all(chart.proto.alt for chart in charts(at))
    assert "56 of 280 cells" in text(at) and "RMSE on hidden cells" in text(at)
    assert at.slider(key="t").value == 0 and at.session_state.playing
    kinds = [element.type for element in at.main]
    sentence = next(i for i, element in enumerate(at.main) if "56 of 280 cells" in str(element.proto))
    assert sentence < kinds.index("plotly_chart"), "the browser takes a second for the figures, and none for the words"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("data", [*presets(), GRID])
def test_every_page_shows_every_matrix_that_needs_no_file(page, data):
    at = healthy(opened(page, data=data))
    assert len(charts(at)) >= 3
    assert all(chart.proto.alt for chart in charts(at))


@pytest.mark.data
@pytest.mark.parametrize("name", datasets.NAMES)
def test_a_held_out_block_is_scored_on_rated_cells_only(name):
    at = healthy(opened(data=datasets.ARCHIVES[name].title + BLOCK, block=3))
    assert len(charts(at)) == 5 and "Only cells that somebody rated can be checked" in text(at)
    block = sources.held_out_block(name, 3)
    rows, cols = block.ratings.shape
    assert (rows, cols) == (30, 20 if name == "jester" else 30)
    assert block.digest != sources.held_out_block(name, 4).digest


def test_a_data_set_that_is_not_here_is_offered_with_size_and_licence(monkeypatch, tmp_path):
    asked = []

    def download(name, progress):
        asked.append(name)
        progress(1_000_000, 4_924_029)
        raise datasets.DownloadError("no route to host, put it into /secret/folder")

    monkeypatch.setattr(datasets, "download", download)
    at = healthy(opened(data="MovieLens 100K" + BLOCK))
    assert "4.9 MB" in text(at) and "no redistribution" in text(at) and not charts(at)
    [button] = [button for button in at.main.button if "Download" in button.label]
    healthy(button.click().run())
    assert asked == ["ml-100k"]
    assert "could not be downloaded" in text(at) and "/secret" not in text(at)


def test_the_steps_move_by_buttons_and_change_what_is_drawn():
    at = healthy(opened(steps=10, model=MAP, t=5))
    assert at.slider(key="t").value == 5 and not at.session_state.playing
    before = [chart.proto.spec for chart in charts(at)]
    healthy(at.button(key="forward").click().run())
    assert at.slider(key="t").value == 6
    after = [chart.proto.spec for chart in charts(at)]
    assert before[0] == after[0] and before[1] != after[1] and before[2] != after[2]
    healthy(at.button(key="back").click().run())
    healthy(at.button(key="back").click().run())
    assert at.slider(key="t").value == 4
    healthy(at.slider(key="t").set_value(0).run())
    assert at.button(key="back").disabled and not at.button(key="forward").disabled
    healthy(at.slider(key="t").set_value(10).run())
    assert at.button(key="forward").disabled


def test_play_starts_again_at_the_end_and_stops_at_a_touch():
    at = healthy(opened(t=3))
    healthy(at.button(key="forward").click().run())
    healthy(at.button(key="play").click().run())
    assert at.session_state.playing and at.slider(key="t").value == 0
    healthy(at.slider(key="t").set_value(2).run())
    assert not at.session_state.playing and at.slider(key="t").value == 2


def test_play_moves_on_when_the_time_has_come(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("metamf.webapp.steps.time.monotonic", lambda: now[0])
    at = healthy(opened(sweeps=2))
    for expected in (1, 2):
        now[0] += 0.1  # too early
        healthy(at.run())
        assert at.slider(key="t").value == expected - 1
        now[0] += 0.7
        healthy(at.run())
        assert at.slider(key="t").value == expected
    assert not at.session_state.playing
    healthy(at.slider(key="t").set_value(1).run())  # the echo of a slow browser
    assert at.slider(key="t").value == 2 and "after sweep 2 of 2" in text(at)
    now[0] += 3
    healthy(at.slider(key="t").set_value(1).run())
    assert at.slider(key="t").value == 1 and "after sweep 1 of 2" in text(at)


def test_the_first_page_draws_intervals_where_the_checkpoint_gives_them():
    at = healthy(opened(t=4))
    drawn = {chart.proto.id.split("-")[-1]: json.loads(chart.proto.spec) for chart in charts(at)}
    assert {"widths", "intervals"} <= drawn.keys()
    said = re.search(r"(\d+) of 224 hidden cells inside, 90\s% expected", text(at))
    assert 150 < int(said[1]) <= 224 and f"{100 * int(said[1]) / 224:.0f}" in text(at)
    hover = [cell for row in drawn["filled"]["data"][1]["hovertext"] for cell in row]
    assert sum("90\u00a0% interval: " in cell for cell in hover) == 224 and sum("given" in cell for cell in hover) == 56
    healthy(at.slider(key="t").set_value(2).run())
    filled = next(chart for chart in charts(at) if chart.proto.id.endswith("-filled"))
    assert "interval" not in filled.proto.spec  # those of the last sweep are calibrated, no others
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert "MovieLens 1M gives no intervals; Universal does" in text(at) and "inside" not in text(at)
    assert not any(chart.proto.id.endswith(("-widths", "-intervals")) for chart in charts(at))


def test_another_matrix_shows_its_result_at_the_last_step():
    at = healthy(opened(t=3))
    healthy(at.selectbox(key="data").select("Two tastes").run())
    assert at.slider(key="t").value == 4 and "Two tastes" in text(at)
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert at.slider(key="t").value == 10
    healthy(at.slider(key="steps").set_value(25).run())
    assert at.slider(key="t").max == 25 and at.slider(key="t").value == 25


def test_colours_stay_fixed_over_the_steps():
    at = healthy(opened(PAGES[1]))
    limits = []
    for t in (0, 2, 4):
        healthy(at.slider(key="t").set_value(t).run())
        specs = [json.loads(chart.proto.spec)["data"] for chart in charts(at)]
        limits.append([(trace["zmin"], trace["zmax"]) for spec in specs for trace in spec if "zmin" in trace])
    assert limits[0] == limits[1] == limits[2] and len(limits[0]) == 8


def test_watch_shows_prior_factors_products_and_the_numbers_of_the_step():
    for model, said in (
        (MAP, ("Error per step", "Eq. (5) at t = 3", "since step 2", "× 32 factors")),
        (words.checkpoint_title("universal"), ("Error per sweep", "To reach t = 3", "since sweep 2", "no step size")),
    ):
        at = healthy(opened(PAGES[1], model=model))
        healthy(at.slider(key="t").set_value(3).run())
        for words_ in ("U(0)", "V(0)", "U(3)", "V(3)", "Residual", "Change", *said):
            assert words_ in text(at)
        assert len(charts(at)) == 9


def test_the_lesson_is_one_click_away_and_out_of_the_way_elsewhere():
    at = healthy(opened(PAGES[1], keep=100))
    assert "fixed step" not in text(at)
    healthy(at.button(key="lesson").click().run())
    state = AppState.read(at.session_state.to_dict())
    assert (state.data, state.model, state.keep) == ("Full house", PAPER, AppState().keep)
    said = text(at)
    overflow = int(re.search(r"step (\d+) leaves no numbers at all", said)[1])
    assert "With the paper's fixed step the error goes from 1." in said and "times as long" in said
    drawn = {chart.proto.id.split("-")[-1]: json.loads(chart.proto.spec) for chart in charts(at)}
    assert {"fixed_step", "safe_step", "rules"} <= drawn.keys() and len(charts(at)) == 12
    assert drawn["rules"]["layout"]["yaxis"]["type"] == "log"
    assert at.slider(key="t").value == 10 and "no numbers are left" in said
    healthy(at.slider(key="t").set_value(overflow - 1).run())
    assert "no numbers are left" not in text(at)
    with pytest.raises(KeyError):
        at.button(key="lesson")
    healthy(at.switch_page(PAGES[0]).run())
    assert "the page Watch shows both rules" in text(at)
    healthy(at.radio(key="model").set_value("universal").run())
    assert "diverge" not in text(at)


def test_numbers_of_any_size_are_written_as_a_person_would():
    written = [lesson.written(value) for value in (1.234, 912.3, 7.31e45, 4e-49, 0.00142, 0.0111)]
    assert written == ["1.23", "912", "7 × 10⁴⁵", "4 × 10⁻⁴⁹", "0.0014", "0.011"]


def test_the_rounds_are_called_what_they_are():
    at = healthy(opened())
    healthy(at.slider(key="t").set_value(2).run())
    assert at.slider(key="t").label == "Sweep" and "after sweep 2 of 4" in text(at)
    assert at.slider(key="sweeps").label == "Sweeps T"
    with pytest.raises(KeyError):
        at.slider(key="steps")
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert at.slider(key="t").label == "Step" and "after step 10 of 10" in text(at)
    assert at.slider(key="steps").label == "MAP steps T"
    said = unescape(" ".join(caption for caption in at.radio(key="model").proto.captions))
    assert "The paper's model" in said and "Takes any size" in said


def test_compare_lists_checkpoints_and_baselines_and_marks_the_best():
    at = healthy(opened(PAGES[2]))
    said = text(at)
    for name in metamf.list_pretrained():
        assert f"MetaMF, {words.checkpoint_title(name)}" in said
    assert "MF" in said and "Mean" in said and said.count(" best ") == 1 and "is computing" not in said
    assert len(charts(at)) == 1 + len(metamf.list_pretrained()) + len(comparison.AT_FIRST)


def test_compare_offers_every_method():
    at = opened(PAGES[2])
    said = text(healthy(at.button_group(key="methods").set_value(list(comparison.BASELINES)).run()))
    assert all(spec.label in said for spec in comparison.BASELINES.values())
    assert len(charts(at)) == 1 + len(metamf.list_pretrained()) + len(comparison.BASELINES)


def test_compare_says_plainly_when_a_simple_method_wins():
    at = healthy(opened(PAGES[2], data="Two tastes"))
    assert "A simple method wins here" in text(at)
    at = healthy(opened(PAGES[2], data="Popular few"))
    assert "A simple method wins here" not in text(at)


def test_with_nothing_hidden_pages_say_so():
    for page in PAGES:
        at = healthy(opened(page, data=GRID, keep=100))
        assert "no error can be measured" in text(at)


def test_pages_share_the_step():
    at = healthy(opened(t=3))
    healthy(at.switch_page(PAGES[1]).run())
    assert at.slider(key="t").value == 3 and "U(3)" in text(at)


def test_the_state_comes_from_the_url_and_nonsense_in_it_is_ignored():
    at = healthy(
        opened(
            data="Jokes", keep=30, seed=7, by="popular columns", steps=5, t=2, model=words.checkpoint_title("jester")
        )
    )
    state = AppState.read(at.session_state.to_dict())
    assert state == AppState("Jokes", 1, 30, "popular columns", 7, "jester", steps=5)
    assert at.slider(key="t").value == 2
    at = healthy(opened(data="No such data", keep="many", model="../etc/passwd", steps=99999, t=-1, seed="x"))
    assert AppState.read(at.session_state.to_dict()) == AppState()


# -- what visitors bring ----------------------------------------------------------------------------------------------


def uploaded(data, name="mine.csv", page=PAGES[0]):
    at = opened(page, data=UPLOAD)
    assert "Choose a file" in text(at) and not charts(at)
    data = data.encode() if isinstance(data, str) else data
    return healthy(at.file_uploader(key="file").set_value((name, data, "text/csv")).run())


def test_an_upload_is_understood_and_shown_on_every_page():
    at = uploaded("film;Ann;Bo;Cy\nA;4,5;;3\nB;1;2;\nC;;5;4\n")
    assert len(charts(at)) == 5 and "3 of 9 cells" in text(at)
    assert "3 rows and 3 columns: 6 of 9 cells are observed" in text(at)
    for page in PAGES[1:]:
        healthy(at.switch_page(page).run())
        assert "3 rated cells" in text(at)
    healthy(at.selectbox(key="data").select("Film club").run())
    healthy(at.selectbox(key="data").select(UPLOAD).run())
    assert charts(at), "the file outlives its widget"


def ratings_log(lines, users, items, seed=0):
    """A file of user, item, rating, time, as people bring them."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(users * items, lines, replace=False)
    taste = rng.normal(3.5, 0.6, users)[cells // items] + rng.normal(0, 0.6, items)[cells % items]
    stars = np.clip(np.round(taste + rng.normal(0, 0.8, lines)), 1, 5)
    columns = (cells // items, cells % items, stars.astype(int), 956703932 + rng.integers(0, 10**8, lines))
    rows = "\n".join(map(",".join, zip(*(column.astype(str) for column in columns))))
    return f"userId,movieId,rating,timestamp\n{rows}\n".encode()


def test_a_large_upload_is_read_once_and_shows_a_window_of_its_result_at_once(monkeypatch):
    read = []
    real = sources.read_table
    monkeypatch.setattr(sources, "read_table", lambda *args: read.append(len(args[0])) or real(*args))
    data = ratings_log(40_000, 3000, 2500)  # 7.5 million cells
    at = opened(data=UPLOAD)
    assert "Files up to 32 MB" in text(at) and "1,500,000 lines" in text(at)  # before anything is uploaded
    healthy(at.file_uploader(key="file").set_value(("log.csv", data, "text/csv")).run())
    assert "2,500 columns. All of it is filled in and measured; shown are rows 1 to 300" in text(at)
    assert (
        at.slider(key="t").value == 4 and not at.session_state.playing
    )  # its figures are too heavy to begin by playing
    assert "20,000 rated cells that were held back" in text(at) and len(charts(at)) == 5
    healthy(at.slider(key="t").set_value(1).run())
    healthy(at.number_input(key="top").set_value(500).run())
    assert "rows 500 to 799" in text(at) and "after sweep 1 of 4" in text(at)
    assert read == [len(data)]
    healthy(at.selectbox(key="duplicates").select("mean").run())  # it may now mean something else
    assert len(read) == 2


def test_a_cell_given_twice_in_an_upload_is_named_and_can_be_settled():
    at = uploaded("user,item,rating\na,x,1\nb,y,2\na,x,3\na,y,3\n")
    assert "given more than once" in text(at) and not charts(at)
    healthy(at.selectbox(key="duplicates").select("last").run())
    assert charts(at) and "3 of 4 cells are observed" in text(at)


@pytest.mark.parametrize(
    ("data", "words_"),
    [
        ("a,b,c\n1,2,3\n4,lots,1\n2,,5\n", '"lots" is no number'),
        ("a,b\n,\n,\n", "no observed cell"),
        (bytes(range(256)) * 4, "no table"),
        ("", "the file is empty"),
        ("1e300,2\n3,-1e300\n", "divide all of them"),
    ],
)
def test_a_bad_file_gives_one_sentence(data, words_):
    at = uploaded(data)
    assert words_ in text(at) and not charts(at)
    assert "Traceback" not in text(at)


def test_a_missing_marker_can_be_named():
    at = uploaded("5,99,3\n99,1,4\n2,3,99\n")
    assert "9 of 9 cells are observed" in text(at)
    healthy(at.text_input(key="markers").set_value("99; n/a").run())
    assert "6 of 9 cells are observed" in text(at)


def test_names_from_a_file_are_never_markup():
    at = uploaded("x,<script>alert(1)</script>,b\n<img src=x>,1,2\nz,3,4\n", name="<b>name</b>.csv")
    bodies = " ".join(element.proto.body for element in at.get("html"))
    assert "<script>" not in bodies and "<img" not in bodies and "<b>name" not in bodies
    specs = " ".join(chart.proto.spec for chart in charts(at))
    assert "<script>" not in specs and "<img" not in specs


def test_a_matrix_of_one_cell_and_a_large_one():
    at = uploaded("4\n")
    assert "Every cell is given" in text(at) and len(charts(at)) == 2
    stream = io.BytesIO()
    X = np.full((320, 310), np.nan)
    X[::3, ::2] = np.random.default_rng(0).integers(1, 6, X[::3, ::2].shape)
    np.save(stream, X)
    at = uploaded(stream.getvalue(), "large.npy")
    assert "320 rows × 310 columns" in text(at) and "rows 1 to 300" in text(at)
    healthy(at.number_input(key="top").set_value(15).run())
    assert "rows 15 to 314" in text(at) and len(charts(at)) == 5


def test_an_empty_grid_gives_one_sentence_and_a_resized_one_keeps_its_numbers():
    at = healthy(opened(data=GRID))
    [rows] = [widget for widget in at.number_input if widget.label == "Rows"]
    healthy(rows.set_value(7).run())
    assert at.session_state.grid.shape == (7, 4)
    np.testing.assert_array_equal(at.session_state.grid.to_numpy()[:5], sources.GRID_EXAMPLE.to_numpy())
    [clear] = [button for button in at.button if "Empty" in button.label]
    healthy(clear.click().run())
    assert "type at least one rating" in text(at) and not charts(at)
