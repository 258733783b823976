"""The errors on hidden ratings at once, where a test does not ask for the steps on the way."""

from metamf.answer.holdout import holdout_steps


def holdout_report(*args, **settings):
    """The report of the last of the ``holdout_steps``, which take the same arguments."""
    *_, last = holdout_steps(*args, **settings)
    return last.report
