"""The summary of each step of a run, from which sentences are made."""

from tasks_of_tests import example, made_up_matrix  # noqa: F401  a fixture

from metamf.evaluate.run import run
from metamf.evaluate.task import divide


def test_a_summary_holds_the_numbers_of_its_step(example):
    task, errors = example.task, example.hidden_errors
    assert len(example.summaries) == example.T + 1 and example.summaries is example.summaries
    for t, summary in enumerate(example.summaries):
        assert (summary.step, summary.last_step, summary.round) == (t, example.T, "sweep")
        assert (summary.given_rmse, summary.hidden_rmse) == (example.given_errors.rmse[t], errors.rmse[t])
        assert (summary.hidden_mae, summary.mean_rmse) == (errors.mae[t], task.mean_rmse)
        assert (summary.n_given, summary.n_hidden, summary.n_cells) == (task.given.nnz, task.hidden.nnz, 12 * 9)
        assert (summary.level, summary.covered, summary.checkpoint) == (0.9, example.covered, "universal")
        assert summary.truth_known and not summary.diverged


def test_a_summary_says_what_cannot_be_known():
    task = divide(made_up_matrix(truth=False), 1.0, "at random", 1)
    summary = run(task, "ml-1m", 2).summaries[-1]
    assert summary.n_hidden == 0 and not summary.truth_known and summary.round == "step"
    assert summary.hidden_rmse is summary.hidden_mae is summary.mean_rmse is None
    assert summary.level is summary.covered is None
