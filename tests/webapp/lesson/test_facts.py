"""The numbers of the lesson that need no run: its matrices, and what comes from the files of results."""

from metamf.webapp.lesson.facts import Facts, task_of
from metamf.webapp.lesson.form import MATRIX
from metamf.webapp.matrix.choices import AppState


def test_the_lesson_s_matrix_is_divided_as_a_page_that_nobody_has_touched_divides_it():
    task = task_of(MATRIX)
    assert task is task_of(MATRIX) and task.matrix.name == MATRIX
    assert task.given.nnz == round(AppState().keep / 100 * task.matrix.ratings.nnz) and task.hidden.nnz


def test_the_gain_that_films_teach_is_a_share_of_what_jokes_teach_themselves():
    found = Facts().transfer
    assert 0 < found.jokes < found.films < 1 and found.splits >= 1
    assert found.kept == (1 - found.films) / (1 - found.jokes)


def test_jokes_lie_outside_what_the_paper_s_model_has_learned_from():
    facts = Facts()
    assert facts.outside and 0 < facts.trained_density < 0.1
