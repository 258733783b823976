"""The episodic loop: it learns, stops, keeps the best, and says so when it diverges."""

import json
import math
from dataclasses import replace

import pytest
import torch
from problems import random_ratings, small_model, structured_ratings
from torch import nn

from metamf.learning.episodes import BlockSampler, EpisodeBatch, held_out_blocks
from metamf.learning.objectives import query_error
from metamf.learning.training import MetaTraining, TrainingConfig

TRAIN = structured_ratings(40, 40)
BLOCKS = held_out_blocks(structured_ratings(24, 24, seed=1), 6, [0], (12, 12))
VALIDATION = EpisodeBatch.of(BLOCKS)
CONFIG = TrainingConfig(learning_rate=5e-3, epochs=4, updates_per_epoch=3, batch_size=4)
RICH = replace(CONFIG, epochs=6, schedule="cosine", averaging=0.7, weight_decay=0.01, patience=5)
STEEP = replace(CONFIG, learning_rate=0.3, epochs=8, updates_per_epoch=1)  # goes past the best


def training(config=CONFIG, method=None, validation=VALIDATION):
    method = method or small_model(dropout=0.2)
    return MetaTraining(method, BlockSampler([TRAIN], (12, 12)), validation, config)


class Dial(nn.Module):
    """A method with one number: it predicts it everywhere, so the validation error is known in
    closed form."""

    def __init__(self, start):
        super().__init__()
        self.number = nn.Parameter(torch.tensor(float(start)))

    def adapt(self, support):
        return self

    def predict(self, row, col):
        return self.number.expand(len(row))


class Diverges(Dial):
    """Its estimates stop being numbers from one of its predictions on, in the training or in the
    evaluation mode."""

    def __init__(self, mode, after, value=math.nan):
        super().__init__(1.0)
        self.mode, self.after, self.value, self.calls = mode, after, value, 0

    def predict(self, row, col):
        self.calls += self.training is (self.mode == "training")
        return super().predict(row, col) * (self.value if self.calls > self.after else 1.0)


FALLING = [2.5e-3 * (1 + math.cos(math.pi * u / 12)) for u in range(12)]
RATES = [
    ({}, [5e-3] * 12),
    ({"schedule": "cosine"}, FALLING),
    ({"warmup": 4}, [1e-3, 2e-3, 3e-3, 4e-3] + [5e-3] * 8),
]


@pytest.mark.parametrize("settings, expected", RATES)
def test_the_learning_rate_is_constant_falls_along_a_cosine_or_rises_at_first(settings, expected):
    run = training(replace(CONFIG, **settings))
    rates = []
    run.optimizer.register_step_pre_hook(
        lambda optimizer, *_: rates.append(optimizer.param_groups[0]["lr"])
    )
    list(run.run())
    assert rates == pytest.approx(expected)


def test_the_average_lags_behind_the_learner_and_is_what_is_kept():
    run = training(replace(CONFIG, averaging=0.9, epochs=1, updates_per_epoch=1), Dial(0.0))
    list(run.run())
    assert run.learner.number.item() != 0
    assert run.method.number.item() == pytest.approx(0.1 * run.learner.number.item())


def test_the_method_holds_the_best_parameters_at_any_time():
    run = training(STEEP, Dial(-1.0))
    seen = []
    for progress in run.run():
        seen.append((progress.validation_error, run.average.number.item()))
        assert run.method.number.item() == min(seen)[1]
        assert query_error(run.method, VALIDATION).item() == pytest.approx(progress.best_error)
    assert run.method.number.item() != run.learner.number.item()
    assert not run.method.training


def test_the_last_parameters_are_kept_where_asked_for():
    run = training(replace(STEEP, keep="last"), Dial(-1.0))
    assert run.kept_epoch == 0
    for progress in run.run():
        assert run.method.number.item() == run.average.number.item()
        assert run.kept_epoch == progress.epoch
    assert progress.best_epoch < progress.epoch == 8


def test_training_stops_when_patience_runs_out():
    run = training(replace(STEEP, epochs=50, patience=3), Dial(-1.0))
    history = list(run.run())
    assert run.finished and len(history) == history[-1].best_epoch + 3 < 50
    assert list(run.run()) == []


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize(
    "mode, after, epoch", [("training", 7, 3), ("validation", 2, 3), ("validation", 0, 1)]
)
def test_divergence_stops_training_names_the_epoch_and_keeps_the_best(mode, after, epoch, value):
    run = training(method=Diverges(mode, after, value))
    said = f"{mode} error became {value} in epoch {epoch}.* smaller than 0.005"
    with pytest.raises(FloatingPointError, match=said):
        list(run.run())
    assert [p.epoch for p in run.history] == list(range(1, epoch))
    assert all(math.isfinite(p.validation_error) for p in run.history)
    number = run.method.number.item()
    assert math.isfinite(number) and math.isfinite(run.learner.number.item())
    if run.history:
        expected = (VALIDATION.query_x - number).square().mean().item()
        assert expected == pytest.approx(run.history[-1].best_error)


def test_validation_needs_something_to_predict():
    blocks = held_out_blocks(random_ratings(9, 9, 0.9), 1, [0], (5, 5), support_share=1.0)
    with pytest.raises(ValueError, match="no query entry"):
        training(validation=EpisodeBatch.of(blocks))


def assert_identical(a, b):
    assert a.keys() == b.keys()
    for name, value in a.items():
        assert torch.equal(value, b[name]), name


def stored(run):
    """As after a journey through a file: copies of the tensors, and JSON."""
    tensors, values = run.state_dict()
    tensors = {name: tensor.clone() for name, tensor in tensors.items()}
    return tensors, json.loads(json.dumps(values))


@pytest.mark.slow
@pytest.mark.parametrize("config", [CONFIG, RICH], ids=["plain", "rich"])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_a_run_that_was_stopped_and_resumed_ends_with_the_same_bits(config, k):
    whole = training(config)
    history = list(whole.run())
    stopped = training(config)
    loop = stopped.run()
    for _ in range(k):
        next(loop)
    loop.close()
    torch.manual_seed(99)  # whatever happens in between
    resumed = training(config, method=small_model(seed=5, dropout=0.2))
    resumed.load_state_dict(*stored(stopped))
    assert list(resumed.run()) == history[k:]
    assert_identical(resumed.method.state_dict(), whole.method.state_dict())
    assert_identical(resumed.state_dict()[0], whole.state_dict()[0])
    assert resumed.history == whole.history == history


@pytest.mark.slow
def test_an_interrupt_in_the_middle_of_an_epoch_takes_nothing_with_it(monkeypatch):
    whole = training(RICH)
    list(whole.run())
    run = training(RICH)
    loop = run.run()
    next(loop)
    sample, calls = BlockSampler.sample, []

    def interrupted(self, *arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return sample(self, *arguments)

    before = run.state_dict()[0]
    with monkeypatch.context() as patch:
        patch.setattr(BlockSampler, "sample", interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(loop)
    assert_identical(run.state_dict()[0], before)
    list(run.run())
    assert_identical(run.state_dict()[0], whole.state_dict()[0])


def test_training_depends_on_its_seed_and_leaves_torchs_generator_alone():
    results = []
    for seed, noise in ((0, 1), (0, 2), (1, 1)):
        torch.manual_seed(noise)
        state = torch.get_rng_state()
        run = training(replace(CONFIG, epochs=1, seed=seed))
        list(run.run())
        assert torch.equal(torch.get_rng_state(), state)
        results.append(torch.cat([value.flatten() for value in run.learner.parameters()]))
    assert torch.equal(results[0], results[1]) and not torch.equal(results[0], results[2])


def test_another_configuration_is_refused():
    run = training()
    next(run.run())
    with pytest.raises(ValueError, match="the stopped run had other settings"):
        training(replace(CONFIG, learning_rate=1e-4)).load_state_dict(*stored(run))


@pytest.mark.gpu
def test_a_run_on_a_gpu_resumes_with_its_dropout():
    batch = EpisodeBatch.of(BLOCKS, device="cuda")
    whole, stopped, resumed = (training(RICH, validation=batch) for _ in range(3))
    history = list(whole.run())
    next(stopped.run())
    resumed.load_state_dict(*stored(stopped))
    found, expected = ([p.train_error for p in run] for run in (resumed.run(), history[1:]))
    assert found == pytest.approx(expected, rel=1e-3)
