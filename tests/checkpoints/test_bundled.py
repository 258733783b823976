"""The bundled checkpoints: found by name, described, measured, and next to the paper's network."""

import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch
from checkpoint_files import INFO, model, path, rewritten, universal_path  # noqa: F401  fixtures
from dense_reference import algorithm_1, dense, step_sizes, weights
from problems import random_ratings, small_model

from metamf.baselines import METHODS
from metamf.checkpoints import bundled, files
from metamf.checkpoints.bundled import (
    data_set_for,
    describe,
    find_checkpoint,
    list_pretrained,
    load_trained,
    open_checkpoint,
)
from metamf.checkpoints.files import load_checkpoint, save_checkpoint, write_safetensors
from metamf.checkpoints.info import CheckpointError
from metamf.checkpoints.paper_comparison import (
    compared_with_paper,
    in_papers_size,
    steps_taken,
)
from metamf.datasets import ARCHIVES, NAMES
from metamf.learning.episodes import EpisodeBatch, divide_entries
from metamf.network.meta_mf import MetaMF
from metamf.network.universal.network import Universal

SCALES = {name: archive.scale for name, archive in ARCHIVES.items()}


@pytest.mark.parametrize("name", list_pretrained())
def test_a_bundled_checkpoint_says_where_it_comes_from(name):
    path = find_checkpoint(name)
    info = load_checkpoint(path)[1]
    assert describe(name) == info == open_checkpoint(name)[1]
    assert (info.name, info.split_seed) == (name, 0)
    assert {"python", "torch", "numpy"} <= info.versions.keys()
    assert re.search(r"python -m metamf train .*--data ", info.recipe["command"])
    text = path.with_suffix(".md").read_text(encoding="utf-8")
    assert info.recipe["command"] in text and info.created in text
    assert "no rating can be read back" in " ".join(text.split())


@pytest.mark.parametrize(
    ("name", "density"), [("ml-100k", 0.031), ("ml-1m", 0.021), ("jester", 0.354)]
)
def test_a_checkpoint_of_the_paper_s_model_says_how_it_was_trained_and_how_well_it_does(
    name, density
):
    model, info = load_checkpoint(find_checkpoint(name))
    assert (info.data, info.scale, info.recipe["preset"]) == (name, SCALES[name], "tuned")
    assert SCALES[name].minimum < info.standardization.mean < SCALES[name].maximum
    assert in_papers_size(model.config)
    found, errors = info.learned_from, info.errors
    assert (found.rows, found.cols, found.scales) == ((30, 30), (30, 30), (SCALES[name],))
    # half of what the data sets hold
    assert found.density == pytest.approx((density, density), abs=0.001)
    assert_as_measured(errors, 0.7)


def assert_as_measured(errors, lowest):
    assert errors["ratio"] == pytest.approx(errors["query_mse"] / errors["mean_query_mse"])
    assert lowest < errors["ratio"] < 0.97
    assert 0 < errors["support_mse"] < errors["query_mse"]


def test_the_universal_checkpoint_says_how_it_was_trained_and_how_well_it_does():
    model, info = load_checkpoint(find_checkpoint("universal"))
    assert type(model) is Universal and find_checkpoint("universal").stat().st_size < 2e6
    assert (info.standardization, info.scale, info.recipe["preset"]) == (None, None, "universal")
    found = info.learned_from
    assert (found.rows, found.cols) == ((10, 1000), (10, 1700))
    assert set(found.scales) == {SCALES["ml-1m"], SCALES["jester"]}
    assert info.data == "ml-1m, jester"
    for name in info.data.split(", "):
        for where in ("blocks", "whole"):
            errors = info.errors[name][where]
            assert_as_measured(errors, 0.6)
            for level in (50, 80, 90, 95):
                assert errors[f"cover_{level}"] == pytest.approx(level / 100, abs=0.02)


@pytest.mark.slow
def test_loading_a_checkpoint_does_not_wait_for_torch_s_compiler():
    """Its import takes longer than everything else on the way to the first answer."""
    program = (
        "import sys; from metamf.checkpoints.files import *; "
        "[load_checkpoint(name) for name in sys.argv[1:]]; sys.exit('torch._dynamo' in sys.modules)"
    )
    paths = [find_checkpoint(name) for name in list_pretrained()]
    subprocess.run(
        [sys.executable, "-c", program, *paths], cwd=bundled.PRETRAINED.parent, check=True
    )


def test_a_checkpoint_is_described_without_its_tensors(path, universal_path):
    assert describe(path) == INFO == describe(str(path)) and describe(path) is describe(path)
    assert (describe("universal").round_name, describe(path).round_name) == ("sweep", "step")
    found = describe(universal_path)
    assert (found.kind, found.gives_intervals, found.round_name) == ("universal", True, "sweep")
    broken = rewritten(path, {"prior.layers.0.entry": torch.full((1, 4), torch.nan)})
    assert describe(broken) == INFO
    with pytest.raises(CheckpointError, match="not finite"):
        open_checkpoint(broken)


def test_a_new_version_of_a_file_is_described_and_opened_anew(model, path):
    before = describe(path), open_checkpoint(path)[0]
    assert open_checkpoint(path)[0] is before[1]
    save_checkpoint(path, model, replace(INFO, name="second"))
    assert describe(path).name == open_checkpoint(path)[1].name == "second"
    assert open_checkpoint(path)[0] is not before[1]


def test_what_cannot_be_described_is_refused(path, tmp_path):
    with pytest.raises(FileNotFoundError, match="one of the names"):
        describe(tmp_path / "none.safetensors")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CheckpointError, match="is not a safetensors checkpoint"):
        describe(path)


def test_several_threads_that_ask_at_once_load_a_checkpoint_once(path, monkeypatch):
    loads, start = [], threading.Barrier(8)

    def slowly(file):
        loads.append(file)
        time.sleep(0.05)
        return load_checkpoint(file)

    monkeypatch.setattr(files, "load_checkpoint", slowly)

    def ask():
        start.wait()
        return open_checkpoint(path)[0]

    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(ask) for _ in range(8)]
    assert len(loads) == 1 and len({id(model.result()) for model in found}) == 1


def test_eml_is_there_for_every_data_set_and_ft_starts_from_it():
    for name in (*NAMES, "film-nights"):
        assert data_set_for("eml", name) == data_set_for("ft", name) == name
    assert data_set_for("eml", "universal") == "ml-1m"
    assert data_set_for("eml", "ml-1m", {"jester"}) == "jester"
    eml, ft = load_trained("eml", "jester"), load_trained("ft", "jester")
    assert not eml.training and not any(parameter.requires_grad for parameter in eml.parameters())
    assert all(torch.equal(a, b) for a, b in zip(eml.parameters(), ft.parameters()))


def test_what_is_missing_or_does_not_fit_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(bundled, "BASELINES_FOLDER", tmp_path)
    assert data_set_for("maml") is None
    with pytest.raises(FileNotFoundError, match="maml-jester.safetensors"):
        load_trained("maml", "jester")
    other = METHODS["ours"].build().state_dict()
    write_safetensors(tmp_path / "maml-jester.safetensors", other, {})
    with pytest.raises(CheckpointError, match="does not hold the parameters of MAML"):
        load_trained("maml", "jester")


def settings(name):
    return {setting.name: setting for setting in compared_with_paper(*open_checkpoint(name))}


def test_the_papers_own_network_differs_in_nothing_and_the_extended_one_is_not_the_papers():
    found = compared_with_paper(MetaMF(), INFO)
    differing = {setting.name for setting in found if setting.differs}
    assert differing.isdisjoint({"factors K", "channels C", "steps T", "step size η", "dropout"})
    assert settings("universal") == {}


@pytest.mark.parametrize("name", [name for name in list_pretrained() if name != "universal"])
def test_each_bundled_checkpoint_has_every_line_and_tells_the_papers_size(name):
    lines = {"factors K", "step size η", "precision λ of the prior", "training length"}
    assert lines <= settings(name).keys()
    of_another_size = "film-nights", "ml-1m-nmf"
    assert in_papers_size(open_checkpoint(name).network.config) == (name not in of_another_size)


def test_steps_taken_are_those_of_the_dense_equations():
    model = small_model(step_size=0.3, safe_steps=True)
    episode = divide_entries(random_ratings(9, 7, 0.7), 0.5, np.random.default_rng(0))
    X, B = dense(episode.support)
    U, V = algorithm_1(weights(model), X, B, model.config.steps, safe=True)
    eta, lam = model.step_size.item(), model.prior_precision.item()
    sizes = [size for u, v in zip(U[:-1], V[:-1]) for size in step_sizes(u, v, B, eta, lam)]
    taken = np.concatenate(sizes)
    shortened = (taken < eta * (1 - 1e-6)).mean()
    expected = {"smallest": taken.min(), "largest": taken.max(), "shortened": shortened}
    batch = EpisodeBatch.of([episode])
    assert steps_taken(model, batch) == pytest.approx(expected, abs=1e-4)
    assert steps_taken(small_model(), batch) is None  # one step size everywhere
