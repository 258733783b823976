"""The episodic loop: it learns, stops, keeps the best, and says so when it diverges."""

import copy
import math
from dataclasses import replace

import pytest
import torch
from problems import random_ratings, small_model
from trainings import CONFIG, VALIDATION, Dial, learning_rates, training

from metamf.baselines.biases import Mean
from metamf.baselines.eml import EML, EMLConfig
from metamf.learning.episodes import EpisodeBatch, held_out_blocks
from metamf.learning.objectives import query_error


class Diverges(Dial):
    """Its estimates stop being numbers from one of its predictions on, in the training or in the evaluation mode."""

    def __init__(self, mode, after, value=math.nan):
        super().__init__(1.0)
        self.mode, self.after, self.value, self.calls = mode, after, value, 0

    def predict(self, row, col):
        self.calls += self.training is (self.mode == "training")
        return super().predict(row, col) * (self.value if self.calls > self.after else 1.0)


def small_eml():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return EML(EMLConfig(channels=16, dropout=0.0))


# -- learning -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method",
    [
        small_model(channels=16, hidden=16, rank=8, dropout=0.0, learn_step_size=True),
        small_eml(),
    ],
    ids=["MetaMF", "EML"],
)
def test_any_method_learns_to_beat_the_mean(method):
    method = copy.deepcopy(method)
    before = query_error(method, VALIDATION).item()
    config = replace(CONFIG, learning_rate=1e-2, epochs=5, updates_per_epoch=15, schedule="cosine")
    history = list(training(config, method).run())
    after = query_error(method, VALIDATION).item()
    assert after == pytest.approx(min(p.validation_error for p in history))
    assert after < 0.85 * query_error(Mean(), VALIDATION).item() and after < 0.95 * before
    assert history[-1].train_error < history[0].train_error


def test_the_loss_is_the_mean_squared_error_over_all_query_entries():
    error = query_error(Dial(0.5), VALIDATION).item()
    assert error == pytest.approx((VALIDATION.query_x - 0.5).square().mean().item())
    nowhere = torch.zeros(0, dtype=torch.int64)
    assert query_error(Dial(0.5), EpisodeBatch(VALIDATION.support, nowhere, nowhere, torch.zeros(0))).item() == 0.0


def test_progress_counts_epochs_and_knows_the_best():
    history = list(training().run())
    assert [p.epoch for p in history] == [1, 2, 3, 4]
    for at, progress in enumerate(history):
        errors = [p.validation_error for p in history[: at + 1]]
        assert progress.best_error == min(errors) and progress.best_epoch == errors.index(min(errors)) + 1


def test_the_learning_rate_is_constant_or_falls_along_a_cosine():
    constant, cosine = training(CONFIG), training(replace(CONFIG, schedule="cosine"))
    for run, expected in (
        (constant, [5e-3] * 12),
        (cosine, [2.5e-3 * (1 + math.cos(math.pi * u / 12)) for u in range(12)]),
    ):
        rates = learning_rates(run)
        list(run.run())
        assert rates == pytest.approx(expected)


def test_the_learning_rate_rises_over_the_warmup():
    run = training(replace(CONFIG, warmup=4))
    rates = learning_rates(run)
    list(run.run())
    assert rates == pytest.approx([1e-3, 2e-3, 3e-3, 4e-3] + [5e-3] * 8)


def test_the_average_lags_behind_the_learner_and_is_what_is_kept():
    run = training(replace(CONFIG, averaging=0.9, epochs=1, updates_per_epoch=1), Dial(0.0))
    list(run.run())
    assert run.learner.number.item() != 0
    assert run.method.number.item() == pytest.approx(0.1 * run.learner.number.item())


def test_a_parameter_that_is_not_trained_stays():
    run = training(method=small_model(learn_step_size=False))
    list(run.run())
    assert run.method.step_size.item() == pytest.approx(0.05) and run.learner.step_size.item() == pytest.approx(0.05)


# -- the best parameters ------------------------------------------------------------------------------------------


def test_the_method_holds_the_best_parameters_at_any_time():
    run = training(replace(CONFIG, learning_rate=0.3, epochs=8, updates_per_epoch=1), Dial(-1.0))
    seen = []
    for progress in run.run():
        seen.append((progress.validation_error, run.average.number.item()))
        assert run.method.number.item() == min(seen)[1]
        assert query_error(run.method, VALIDATION).item() == pytest.approx(progress.best_error)
    assert run.method.number.item() != run.learner.number.item()  # it went past the best
    assert not run.method.training


def test_the_last_parameters_are_kept_where_asked_for():
    run = training(replace(CONFIG, learning_rate=0.3, epochs=8, updates_per_epoch=1, keep="last"), Dial(-1.0))
    assert run.kept_epoch == 0
    for progress in run.run():
        assert run.method.number.item() == run.average.number.item() and run.kept_epoch == progress.epoch
    assert progress.best_epoch < progress.epoch == 8
    with pytest.raises(ValueError, match="keep must be 'best' or 'last', got 'first'"):
        replace(CONFIG, keep="first")


def test_a_loop_that_is_left_half_way_leaves_the_best_parameters():
    run = training(replace(CONFIG, learning_rate=0.3, epochs=8, updates_per_epoch=1), Dial(-1.0))
    loop = run.run()
    errors = [next(loop).validation_error for _ in range(7)]
    loop.close()
    assert errors[-1] > min(errors)
    assert query_error(run.method, VALIDATION).item() == pytest.approx(min(errors))


def test_training_stops_when_patience_runs_out():
    config = replace(CONFIG, learning_rate=0.3, epochs=50, updates_per_epoch=1)
    run = training(replace(config, patience=3), Dial(-1.0))
    history = list(run.run())
    assert run.finished and len(history) == history[-1].best_epoch + 3 < 50
    assert list(run.run()) == []


# -- what goes wrong ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("mode, after, epoch", [("training", 7, 3), ("validation", 2, 3), ("validation", 0, 1)])
def test_divergence_stops_training_names_the_epoch_and_keeps_the_best(mode, after, epoch, value):
    run = training(method=Diverges(mode, after, value))
    history = []
    with pytest.raises(FloatingPointError, match=f"{mode} error became {value} in epoch {epoch}.* smaller than 0.005"):
        history.extend(run.run())
    assert [p.epoch for p in run.history] == list(range(1, epoch))
    assert all(math.isfinite(p.validation_error) for p in run.history)
    number = run.method.number.item()
    assert math.isfinite(number) and math.isfinite(run.learner.number.item())
    if run.history:
        expected = (VALIDATION.query_x - number).square().mean().item()
        assert expected == pytest.approx(run.history[-1].best_error)


def test_a_real_model_with_far_too_large_a_learning_rate_is_stopped():
    run = training(replace(CONFIG, learning_rate=1e4, epochs=20))
    with pytest.raises(FloatingPointError, match="Use a learning rate smaller than 10000"):
        list(run.run())
    assert all(torch.isfinite(value).all() for value in run.method.state_dict().values())
    assert math.isfinite(query_error(run.method, VALIDATION).item())


def test_validation_needs_something_to_predict():
    nothing = EpisodeBatch.of(held_out_blocks(random_ratings(9, 9, 0.9), 1, [0], (5, 5), support_share=1.0))
    with pytest.raises(ValueError, match="no query entry"):
        training(validation=nothing)


@pytest.mark.parametrize(
    "setting, message",
    [
        (dict(schedule="linear"), "schedule must be 'constant' or 'cosine', got 'linear'"),
        (dict(epochs=0), "epochs must be positive, got 0"),
        (dict(learning_rate=math.nan), "learning_rate must be positive, got nan"),
        (dict(averaging=1.0), r"averaging must lie in \[0, 1\), got 1.0"),
        (dict(patience=0), "patience must be at least 1, or None, got 0"),
    ],
)
def test_settings_out_of_range_are_named(setting, message):
    with pytest.raises(ValueError, match=message):
        replace(CONFIG, **setting)
