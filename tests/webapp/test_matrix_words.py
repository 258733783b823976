"""The sentences of the pages that show a matrix, and their default checkpoint."""

import numpy as np
from tasks_of_tests import made_up_matrix

import metamf
from metamf.checkpoints.bundled import open_checkpoint
from metamf.datasets import synthetic
from metamf.tasks.run import run, takes_sweeps
from metamf.tasks.task import Matrix, divide
from metamf.webapp.matrix import words
from metamf.webapp.matrix.state import AppState


def test_the_universal_checkpoint_is_the_default_with_the_sweeps_that_it_learned_with():
    model, _ = open_checkpoint(AppState().model)
    assert takes_sweeps(AppState().model) and model.rounds == AppState().sweeps
    assert words.checkpoints()[0] == "universal" and sorted(words.checkpoints()) == metamf.list_pretrained()
    assert set(metamf.list_pretrained()) <= set(words.CAPTIONS)


def test_sentences_say_what_an_error_means():
    known, unknown = (divide(made_up_matrix(truth=truth), 0.5, "at random", 1) for truth in (True, False))
    assert "every cell is known" in words.hidden_cells(known)
    assert f"{unknown.hidden.nnz} rated cells" in words.hidden_cells(unknown)
    assert "no error can be measured" in words.hidden_cells(divide(made_up_matrix(truth=False), 1.0, "at random", 1))


def test_diverging_steps_are_noted():
    matrix = synthetic(np.random.default_rng(0), 200, 200, density=1.0, taste=0.4, noise=0.02).ratings
    result = run(divide(Matrix("", "", matrix), 1.0, "at random", 1), "ml-1m", 10)
    assert "diverge" in words.step_rule(result)
