"""The recipe: from several data sets to a calibrated checkpoint with its card; resumed and repeated to the bit."""

from dataclasses import replace

import pytest
import torch
from made_up import made_up_ratings

from metamf import datasets
from metamf.__main__ import main
from metamf.checkpoints.files import load_checkpoint, read_safetensors
from metamf.learning import recipes as universal_recipe
from metamf.learning.data import load_domains
from metamf.learning.recipes import UniversalRun, measured_errors, universal_card
from metamf.universal.network import UniversalConfig

SMALL = UniversalConfig(channels=4, layers=1, hidden=5, rank=2, steps=2, effect_sweeps=2)


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """Made-up data, few small updates."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets, "load", made_up_ratings)
    training = replace(universal_recipe.UNIVERSAL_TRAINING, epochs=2, updates_per_epoch=3, warmup=2)
    monkeypatch.setattr(universal_recipe, "UNIVERSAL_TRAINING", training)
    monkeypatch.setattr(universal_recipe, "VALIDATION_BATCHES", 1)
    monkeypatch.setattr(universal_recipe, "CALIBRATION_BATCHES", 4)
    monkeypatch.setattr(universal_recipe, "UNIT_BLOCKS", 5)
    monkeypatch.setattr(universal_recipe, "UniversalConfig", lambda: SMALL)


def new_run(**settings) -> UniversalRun:
    return UniversalRun(["ml-1m", "jester"], load_domains(["ml-1m", "jester"], 0), config=SMALL, **settings)


def parameters(run: UniversalRun) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in run.model.state_dict().items()}


@pytest.mark.slow
def test_a_run_ends_in_a_calibrated_checkpoint_with_errors_and_card(quick, tmp_path):
    run = new_run()
    start = run.model.interval_widths.clone()
    assert [progress.epoch for progress in run.train()] == [1, 2]
    info = run.finish(tmp_path / "mine.safetensors", "python -m metamf train")
    model, found = load_checkpoint(tmp_path / "mine.safetensors")
    assert found == info and model.config == SMALL
    assert (info.name, info.data, info.standardization, info.scale) == ("mine", "ml-1m, jester", None, None)
    assert info.recipe["preset"] == "universal" and info.recipe["training"]["updates_per_epoch"] == 3
    assert info.recipe["made_up"] == run.training.sampler.synthetic_share == universal_recipe.SYNTHETIC_SHARE > 0
    assert not torch.equal(model.interval_widths, start) and (model.interval_widths.diff() >= 0).all()
    last = dict(run.training.average.named_parameters())  # of the last epoch, whichever suits validation best
    assert info.recipe["last_epoch"] == 2 and all(torch.equal(value, last[k]) for k, value in model.named_parameters())
    assert list(info.errors) == ["ml-1m", "jester"]
    text = (tmp_path / "mine.md").read_text()
    assert text == universal_card(info, run.model)
    for errors in info.errors.values():
        assert (errors["blocks"]["blocks"], errors["whole"]["blocks"]) == (200, 1)
        for where in errors.values():
            assert 0 < where["query_mse"] < 2 and 0 < where["cover_50"] < where["cover_95"] <= 1
            assert f"| {where['query_mse']:.3f} | {where['ratio']:.3f} |" in text
    assert f"{universal_recipe.SYNTHETIC_SHARE:.0%} of the matrices are synthetic" in " ".join(text.split())
    assert "no rating can be read back" in text and "MovieLens 1M" in text and "`metamf/universal/`" in text


@pytest.mark.slow
def test_training_is_determined_by_the_seeds_and_a_stopped_run_comes_to_the_same_end(quick, tmp_path):
    whole = new_run()
    history = [progress for progress in whole.train()]
    state = tmp_path / "run.state"
    next(iter(new_run().train(state)))  # stopped after an epoch
    resumed = new_run()
    assert [progress.epoch for progress in resumed.train(state)] == [2]
    assert resumed.training.history == history
    for name, value in parameters(whole).items():
        assert torch.equal(parameters(resumed)[name], value), name
    other = new_run(seed=1)
    list(other.train())
    assert not torch.equal(parameters(other)["input.weight"], parameters(whole)["input.weight"])


def test_making_a_run_leaves_torch_s_random_numbers_alone(quick):
    before = torch.get_rng_state()
    list(new_run(epochs=1).train())
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.slow
def test_calibration_looks_at_meta_validation_rows_and_errors_at_meta_test(quick, monkeypatch, tmp_path):
    run = new_run(epochs=1)
    list(run.train())
    seen, sample = [], universal_recipe.MixedSampler.sample

    def spy(self, *arguments):
        seen.append(self)
        return sample(self, *arguments)

    monkeypatch.setattr(universal_recipe.MixedSampler, "sample", spy)
    found = run.finish(tmp_path / "mine.safetensors", "").errors
    parts = run.domains.calibration.values()
    assert [sampler.known_share for sampler in seen] == 10 * [1.0] + 10 * [0.0]
    assert [sampler.matrices for sampler in seen] == 2 * [(part,) for part in parts for _ in range(5)]
    assert all(sampler.synthetic_share == 0 for sampler in seen)
    assert [sampler.smallest for sampler in seen] == 4 * [10, 10, 10, 10, 3]
    assert found["jester"] == measured_errors(run.model, run.domains.test["jester"], 0)


def test_measured_on_the_same_blocks_each_time_and_on_others_for_another_split(quick):
    model, test = new_run().model, load_domains(["ml-1m"], 0).test["ml-1m"]
    first, again, other = (measured_errors(model, test, split) for split in (0, 0, 1))
    assert first == again and first["blocks"] != other["blocks"] and first["whole"] != other["whole"]


@pytest.mark.gpu
def test_a_run_on_a_gpu_ends_in_a_checkpoint(quick, tmp_path):
    run = new_run(device="cuda", epochs=1)
    list(run.train())
    found = run.finish(tmp_path / "mine.safetensors", "").errors["jester"]["blocks"]
    on_cpu = measured_errors(load_checkpoint(tmp_path / "mine.safetensors")[0], run.domains.test["jester"], 0)["blocks"]
    assert found["query_mse"] == pytest.approx(on_cpu["query_mse"], rel=1e-3)


# -- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_train_takes_several_data_sets_with_preset_universal(quick, tmp_path, capsys):
    argv = ["train", "--data", "ml-1m", "jester", "--preset", "universal", "--epochs", "1", "--out", "u.safetensors"]
    assert main(argv) == 0
    out, said = capsys.readouterr()
    assert out == "u.safetensors\n" and "Epoch 1 is kept. All figures are in u.md." in said
    header = read_safetensors(tmp_path / "u.safetensors")[1]
    assert (header["kind"], header["data"]) == ("universal", "ml-1m, jester")
    assert header["recipe"]["command"] == (
        "python -m metamf train --data ml-1m jester --preset universal --split 0 --seed 0 --epochs 1 "
        "--out u.safetensors"
    )
    assert sorted(file.name for file in tmp_path.iterdir()) == ["u.md", "u.safetensors"]


def test_other_presets_take_one_data_set(quick, capsys):
    assert main(["train", "--data", "ml-1m", "jester"]) == 1
    assert "error: preset tuned trains on one data set, got ml-1m, jester" in capsys.readouterr().err
