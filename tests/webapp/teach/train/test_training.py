"""The page Train without a process: a training's reports, orders and files, and one episode, whose
maps and numbers are those of the dense equations."""

import json
import re
import zipfile
from base64 import b64decode
from io import BytesIO
from unittest.mock import Mock

import numpy as np
import pytest
from dense_reference import algorithm_1, dense, test_error, weights
from problems import random_ratings

from benchmarks.accuracy.film_nights import SIMPLE, Case, estimates_of, mf_estimate, own_units
from metamf.baselines import METHODS
from metamf.checkpoints.bundled import checkpoint_title, describe, open_checkpoint
from metamf.datasets.film_nights import FilmNightWorld, draw_night
from metamf.learning.episodes import EpisodeBatch
from metamf.network.episode_trace import trace_episode
from metamf.recipes.data import VALIDATION
from metamf.recipes.drawn import FILM_NIGHTS, drawn_film_night
from metamf.recipes.live import (
    HELD_OUT,
    LIVE_SPLIT,
    OTHERS_ON_NIGHTS,
    SHOWN_NIGHT,
    LiveData,
)
from metamf.webapp.engine import RefusedError
from metamf.webapp.run.replay import replay_of_training
from metamf.webapp.teach.train import episode, task, trainings

ARGUMENTS = {"data": FILM_NIGHTS, "learning_rate": 1e-3, "seed": 0, "title": "Trained by you"}


@pytest.fixture(scope="module")
def trained():
    """All reports of a training of 10 updates whose learning rate is changed, the bests that it has
    told, and its result."""
    reports = []
    bests = []
    orders = {3: {"learning_rate": 1e-4}, 4: {"stop": True}}  # by the number of reports

    def report(message=None):
        reports.append(message and {k: v for k, v in message.items() if k != "best"})
        bests.extend([message["best"]] if message and "best" in message else [])
        return orders.get(len(reports), {})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task, "PACE", 0.0)
        result = task.train(ARGUMENTS, report)
    return [json.loads(json.dumps(message)) for message in reports if message], bests, result


def test_facts_come_first_and_hold_the_matrix_with_what_is_given_and_what_is_hidden(trained):
    facts = trained[0][0]["facts"]
    matrix = facts["matrix"]
    cells = {(row, column) for row, column, _ in matrix["given"] + matrix["hidden"]}
    assert len(cells) == len(matrix["given"]) + len(matrix["hidden"]) == 240  # all are known
    assert (len(matrix["rows"]), len(matrix["cols"])) == (20, 12)
    assert (matrix["low"], matrix["high"]) == (1, 5)
    others = OTHERS_ON_NIGHTS.values()
    assert facts["bundled"]["error"] < min(others) < max(others) < facts["mean"]


def test_each_report_has_update_errors_rate_and_the_filled_matrix(trained):
    rows = [message["row"] for message in trained[0][1:]]
    assert [row["update"] for row in rows] == [0, 5, 10]
    assert rows[0]["loss"] is None and rows[-1]["error"] < rows[0]["error"]
    assert [row["rate"] for row in rows][1:] == [1e-3, 1e-4]
    facts = trained[0][0]["facts"]
    best = trained[2]["best"]
    sent = replay_of_training(facts["matrix"], [*rows, best], {"always the mean": facts["mean"]})
    assert sent["T"] == 3 and sent["reports"]["updates"] == [0, 5, 10, "best"]
    errors = sent["errors"]["hidden"]
    assert errors[-1] == min(errors)  # the kept parameters are the best
    [estimates] = [one["reports"] for one in sent["maps"] if one["title"] == "Estimates"]
    values = np.frombuffer(b64decode(estimates[-1]), "<u2")
    assert len(estimates) == 4 and values.shape == (240,)
    assert json.dumps(sent, allow_nan=False)


def test_the_best_so_far_is_told_from_the_first_report_on(trained):
    _, bests, result = trained
    assert [best["updates"] for best in bests] == [0, 5, 10]
    assert all(best.keys() == result.keys() for best in bests)
    assert bests[-1]["error"] == result["error"]


def test_the_end_leaves_a_checkpoint_with_its_card_which_can_be_taken_away(trained, tmp_path):
    found = trained[2]
    assert found["files"].keys() == {"Trained by you.safetensors", "Trained by you.md"}
    for name, content in found["files"].items():
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "Trained by you.safetensors"
    assert describe(path).recipe["learning_rates"] == {"0": 1e-3, "5": 1e-4}
    assert checkpoint_title(str(path)) == "Trained by you" and found["error"] < found["mean"]
    with zipfile.ZipFile(BytesIO(trainings.archive(path))) as file:
        assert file.namelist() == ["trained-by-you.safetensors", "trained-by-you.md"]
        assert file.read("trained-by-you.safetensors") == path.read_bytes()


def test_before_the_first_update_there_is_what_random_weights_make_of_the_matrix(trained):
    found = task.untrained(FILM_NIGHTS, ARGUMENTS["seed"])
    assert found["row"] | {"rate": 0} == trained[0][1]["row"] | {"rate": 0}
    assert found["facts"] == trained[0][0]["facts"]


def test_a_data_set_that_has_gone_is_refused_in_a_sentence_without_the_servers_folders(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("METAMF_DATA", str(tmp_path))
    with pytest.raises(RefusedError) as refused:
        task.train(ARGUMENTS | {"data": "jester"}, lambda message=None: {})
    assert str(refused.value) == "Jester 1, part 1 is not on this machine any more."


def test_a_training_that_did_its_hundred_updates_is_paused_once_and_goes_on_from_there():
    job = Mock(state="running", paused=False, rows=[{"update": 98}], now={})
    job.pause = lambda on: setattr(job, "paused", on)
    training = trainings.Training(job, FILM_NIGHTS, 1e-3, 0, "t", until=100)
    assert not training.pause_when_done()
    job.now = {"update": 100}
    assert training.pause_when_done() and job.paused
    assert not training.pause_when_done()
    training.go_on(100)
    assert not job.paused
    assert not training.pause_when_done()  # at 100 still, on its way to 200
    training.go_on()
    assert not training.pause_when_done()
    assert [asked.kwargs for asked in job.set.call_args_list] == [{"until": 200}, {"until": 0}]


@pytest.fixture(scope="module")
def data():
    return LiveData.load(FILM_NIGHTS)


@pytest.fixture(scope="module")
def network():
    return open_checkpoint(FILM_NIGHTS).network


def drawn(data, network, number, line):
    found = data.episode(number)
    trace = trace_episode(network, found.in_units(data.units))
    maps = episode.pictures(line, trace, found, data.units)
    return found, trace, {one.title: one.values for one in maps}


@pytest.mark.parametrize("number", [0, 1])
def test_the_maps_of_the_steps_are_those_of_the_dense_equations(data, network, number):
    found, trace, maps = drawn(data, network, number, 6)
    X, B = dense(found.in_units(data.units).support)
    U, V = algorithm_1(weights(network), X, B, trace.T, safe=True)
    start = data.units.undo(U[0] @ V[0].T)
    end = data.units.undo(U[-1] @ V[-1].T)
    np.testing.assert_allclose(maps["Start: U(0) V(0)ᵀ"], start, atol=1e-6)
    np.testing.assert_allclose(maps["After 10 steps"], end, atol=1e-6)
    loss = test_error(U[-1], V[-1], *dense(found.in_units(data.units).query))
    assert f"{loss:.3f}" in said(7, data, network, number)


def test_no_cell_is_in_both_parts_and_the_error_is_taken_on_the_hidden_part_alone(data, network):
    found, _, parts = drawn(data, network, 0, 5)
    given, hidden = (~np.isnan(parts[name]) for name in ("Given: X, B", "Hidden: X′, B′"))
    assert (given ^ hidden).all()
    _, _, maps = drawn(data, network, 0, 7)
    assert ((~np.isnan(maps["Error where b′ = 1"])) == hidden).all()
    assert found.query.nnz == hidden.sum()


def test_the_gradient_is_drawn_through_all_steps_and_cut(data, network):
    _, trace, _ = drawn(data, network, 0, 7)
    whole = episode.gradient_maps(trace, 0)
    assert [len(maps) for maps in whole.values()] == [1, 1]
    cut = episode.gradient_maps(trace, 4)
    np.testing.assert_array_equal(cut["row"][0].values, trace.slope_rows[0])
    np.testing.assert_array_equal(cut["row"][1].values, trace.slope_rows[4])
    np.testing.assert_array_equal(cut["column"][1].values, trace.slope_cols[4])
    assert "through all 10 steps" in episode.gradient_sentence(trace, 0)
    assert "steps 1 to 10 as constants, first order," in episode.gradient_sentence(trace, 10)
    text = episode.gradient_sentence(trace, 4)
    assert "steps 1 to 4 as constants it" in text
    for t in (0, 4):
        norm = np.linalg.norm(np.concatenate([trace.slope_rows[t], trace.slope_cols[t]]))
        assert f"is {norm:#.3g}" in text


def said(line, data, network, number=0, named="the trained network", untrained=None):
    trace = trace_episode(network, data.episode(number).in_units(data.units))
    return episode.sentence(line, trace, network, data, number, named, untrained or network)


def test_what_the_steps_do_to_a_single_table_is_said_next_to_the_mean_of_many(data, network):
    losses = []
    for number in range(3):
        found = trace_episode(network, data.episode(number).in_units(data.units)).losses
        losses.append((found[[0, -1]], data.episode(number).query.nnz))
    few = LiveData.load(FILM_NIGHTS)
    vars(few)["episodes"] = EpisodeBatch.of([few.episode(n).in_units(few.units) for n in range(3)])
    pairs, numbers = zip(*losses)
    expected = np.average(pairs, axis=0, weights=numbers)
    np.testing.assert_allclose(episode.mean_losses(network, few), expected, rtol=1e-5)
    untrained = task.network_of(data, 0)
    first, last = episode.mean_losses(network, data)
    end = episode.mean_losses(untrained, data)[1]
    assert last < min(first, end)
    many = f"The mean over 100 such tables moves from {first:.3f} to {last:.3f}; with random weights to {end:.3f}."
    assert many in said(6, data, network, untrained=untrained)
    assert "; with random" not in said(6, data, untrained, named=episode.UNTRAINED)


def test_selecting_a_table_and_sampling_of_it_are_said_apart_and_of_one_table_blocks(data, network):
    selects, samples = (said(line, data, network) for line in (3, 4))
    assert "made-up names repeat" in selects
    rows, cols = data.episode(0).support.shape
    assert f"{rows} people, {cols} films" in samples
    blocks = LiveData.of("ml-100k", random_ratings(150, 150, 0.5, 0))
    selects, samples = (said(line, blocks, task.network_of(blocks, 0)) for line in (3, 4))
    assert "one table to select, 105 × 105" in selects
    assert "Samples 30 rows and 30 columns" in samples


def test_given_by_liking_is_what_the_ratings_show_and_what_is_said(data, network):
    leads = {True: [], False: []}
    for number in range(60):
        found = data.episode(number)
        lead = found.support.values.mean() - found.query.values.mean()
        leads[data.given_by_liking(number)].append((lead, number))
    liked, random = (np.mean([lead for lead, _ in leads[by]]) for by in (True, False))
    assert liked > 0.3
    assert abs(random) < 0.1
    words = {True: "rather what people like", False: "at random"}
    for by, text in words.items():
        assert text in said(5, data, network, number=leads[by][0][1])


@pytest.mark.parametrize("parameters", ["random", "trained"])
@pytest.mark.parametrize("number", range(2))
def test_the_correction_that_is_said_lowers_the_loss(data, network, parameters, number):
    network = network if parameters == "trained" else task.network_of(data, 0)
    _, trace, maps = drawn(data, network, number, 8)
    sentence = said(8, data, network, number)
    found = re.search(r"from ([\d.]+) to ([\d.]+)\.", sentence)
    assert found[1] == f"{trace.losses[-1]:.3f}"
    assert float(found[2]) < float(found[1])
    assert "η is learned here" in sentence
    assert maps == {}
    assert "exchangeable layers, Eq. (4)" in episode.correction_table(trace)


@pytest.mark.slow
def test_others_are_measured_on_the_held_out_nights(data):
    rng = np.random.default_rng([LIVE_SPLIT, VALIDATION])
    cases = [Case(*drawn_film_night(rng, SHOWN_NIGHT), None, data.scale) for _ in range(HELD_OUT)]

    def rmse(estimates):
        off = [(found - case.truth)[~case.given] for found, case in zip(estimates, cases)]
        return np.sqrt(np.square(np.concatenate(off)).mean())

    means = [np.full(case.truth.shape, case.truth[case.given].mean()) for case in cases]
    assert rmse(means) == pytest.approx(np.sqrt(data.support_mean_error()) * data.units.std)
    level = describe(FILM_NIGHTS).training_mean
    mf = rmse([mf_estimate(case) for case in cases])
    fitted = [rmse(estimates_of(METHODS[key].build().adapt, own_units, cases)) for key in SIMPLE]
    assert OTHERS_ON_NIGHTS == {
        "average of the training tables": round(
            rmse([np.full(case.truth.shape, level) for case in cases]), 4
        ),
        "matrix factorization": round(mf, 4),
        "best simple method": round(min(mf, *fitted), 4),
    }


def test_tastes_of_the_training_tables_are_weaker_than_those_of_the_held_out_ones():
    rng = np.random.default_rng(0)
    training, held_out = (
        [np.abs(draw_night(rng, world).tastes).mean() for _ in range(100)]
        for world in (FilmNightWorld(), SHOWN_NIGHT)
    )
    assert np.mean(training) < 0.75 * np.mean(held_out)
