"""A training that is stopped and goes on ends with the same bits, and what it draws depends on its seed alone."""

import copy
import json
from dataclasses import replace

import pytest
import torch
from problems import small_model, structured_ratings
from trainings import CONFIG, RICH, learning_rates, parameters, training

from metamf.learning.episodes import BlockSampler, EpisodeBatch, held_out_blocks


def assert_identical(a, b):
    assert a.keys() == b.keys()
    for name, value in a.items():
        assert torch.equal(value, b[name]), name


def stored(run):
    """As after a journey through a file: copies of the tensors, and JSON."""
    tensors, values = run.state_dict()
    return {name: tensor.clone() for name, tensor in tensors.items()}, json.loads(json.dumps(values))


@pytest.mark.parametrize("config", [CONFIG, RICH], ids=["plain", "cosine, average, decay, patience"])
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
    for part in ("method", "learner", "average"):
        assert_identical(parameters(getattr(resumed, part)), parameters(getattr(whole, part)))
    assert_identical(resumed.state_dict()[0], whole.state_dict()[0])
    assert resumed.history == whole.history == history


def test_a_loop_that_was_left_can_be_taken_up_again():
    whole = training()
    list(whole.run())
    run = training()
    for progress in run.run():
        if progress.epoch == 2:
            break
    list(run.run())
    assert_identical(run.state_dict()[0], whole.state_dict()[0])


def test_the_state_does_not_change_when_training_goes_on_from_it():
    run = training(RICH)
    loop = run.run()
    next(loop)
    tensors, values = run.state_dict()
    before, history = {name: tensor.clone() for name, tensor in tensors.items()}, copy.deepcopy(values)
    next(loop)
    other = training(RICH)
    other.load_state_dict(tensors, values)
    next(other.run())
    assert_identical(tensors, before)
    assert values == history


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
        results.append(torch.cat([value.flatten() for value in parameters(run.learner).values()]))
    assert torch.equal(results[0], results[1]) and not torch.equal(results[0], results[2])


def test_another_configuration_is_refused():
    run = training()
    next(run.run())
    with pytest.raises(ValueError, match="the stopped run had other settings"):
        training(replace(CONFIG, learning_rate=1e-4)).load_state_dict(*stored(run))


def test_a_resumed_run_has_the_learning_rates_of_a_whole_one():
    config = replace(RICH, warmup=5)
    whole, stopped, resumed = training(config), training(config), training(config)
    expected = learning_rates(whole)
    list(whole.run())
    next(stopped.run())
    resumed.load_state_dict(*stored(stopped))
    rates = learning_rates(resumed)
    list(resumed.run())
    assert rates == expected[3:] and len(set(rates)) > 10


@pytest.mark.gpu
def test_a_run_on_a_gpu_resumes_with_its_dropout():
    batch = EpisodeBatch.of(held_out_blocks(structured_ratings(24, 24, seed=1), 6, [0], (12, 12)), device="cuda")
    whole, stopped, resumed = (training(RICH, validation=batch) for _ in range(3))
    history = list(whole.run())
    next(stopped.run())
    resumed.load_state_dict(*stored(stopped))
    again = list(resumed.run())
    assert [p.train_error for p in again] == pytest.approx([p.train_error for p in history[1:]], rel=1e-3)
