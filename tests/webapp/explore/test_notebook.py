"""A run as a notebook: its cells find the same run again, and names from outside stay text in
it."""

import ast
import io
import json
from contextlib import redirect_stdout
from dataclasses import replace

import numpy as np
import pytest
from hostile import NAME, TEXTS
from tasks_of_tests import made_up_matrix

from metamf.answer.division import Matrix, divide
from metamf.datasets import example_matrices
from metamf.ratings.matrix import Ratings
from metamf.webapp.explore.notebook import LARGEST_WRITTEN, notebook
from metamf.webapp.run.edits import Edits
from metamf.webapp.run.measured_run import run

CODE = ("'''\nimport os #", '"""', "'); import os; ('", "\\", "\\'", "{name}", "{0!r}", "%s")
CODE += ("\n\r\0\x85\u2028\u202e", "🎬")


def shape(program):
    """A program without its texts and numbers, and these."""
    tree, literals = ast.parse(program), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            literals.append(node.value)
            node.value, node.kind = 0, None
    return ast.dump(tree), literals


def executed(text):
    """What the cells of a notebook leave and print, each carried out after those before it, as a
    kernel does."""
    file, names, said = json.loads(text), {}, io.StringIO()
    assert (file["nbformat"], file["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in file["cells"]}) == len(file["cells"])
    with redirect_stdout(said):
        for cell in file["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    return names, said.getvalue()


def example(name="Film night"):
    made = example_matrices()[name].matrix
    return Matrix(name, "", made.ratings, made.truth)


@pytest.mark.parametrize(
    "checkpoint", ["ml-1m", "film-nights", "universal", "ml-1m-nmf", "ml-1m-genres"]
)
def test_it_finds_the_run_again(checkpoint):
    T = 4 if checkpoint == "universal" else 10
    edits = Edits().set(0, 1, 5.0).hide(2, 1)
    matrix = example("Old and new" if checkpoint == "ml-1m-genres" else "Film night")
    found = run(edits.apply(divide(matrix, 0.5, "what people like", 3)), checkpoint, T)
    names, said = executed(notebook(found, 0.5, "what people like", 3, edits))
    # several threads add in an order of their own
    U = found.answer.trajectory.U
    np.testing.assert_allclose(names["path"].U, U, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(names["task"].hidden.values, found.task.hidden.values)
    error = f"error on hidden cells (RMSE) {found.hidden_errors[-1]:.4f}"
    assert f"{found.round} {T:2}: {error}" in said
    by_hand = checkpoint in ("ml-1m", "film-nights", "ml-1m-genres")
    assert ("largest difference to the library's factors" in said) == by_hand
    assert names["rows"] == list(found.task.matrix.ratings.row_labels)


def test_it_notices_another_result_and_runs_without_scale_truth_and_names():
    ratings = Ratings.from_dense(made_up_matrix().ratings.to_dense())
    found = run(divide(Matrix("plain", "", ratings), 0.6, "at random", 1), "ml-1m", 2)
    names, _ = executed(notebook(found, 0.6, "at random", 1))
    assert (names["name"], names["rows"]) == ("plain", None)
    with pytest.raises(AssertionError):
        executed(notebook(found, 0.6, "at random", 2))  # of another draw
    side = int(LARGEST_WRITTEN**0.5) + 1
    large = Ratings([0, 1], [0, 1], [1.0, 2.0], (side, side))
    found = run(divide(Matrix("", "", large), 1.0, "at random", 1), "ml-1m", 1)
    with pytest.raises(ValueError, match="too large for a notebook"):
        notebook(found, 1.0, "at random", 1)


def test_names_of_strangers_change_nothing_but_texts_in_it():
    made = made_up_matrix()
    hostile = [*TEXTS, NAME, *CODE]

    def cells(name, labels):
        named = replace(made.ratings, row_labels=(*labels[:12],), col_labels=(*labels[12:],))
        task = divide(replace(made, name=name, ratings=named), 0.6, "at random", 1)
        text = notebook(run(task, "ml-1m", 2), 0.6, "at random", 1)
        return [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]

    usual = [f"line {n}" for n in range(21)]
    expected = cells("plain", usual)
    literals = set()
    for name in hostile:
        for (kind, plain), (_, written) in zip(
            expected, cells(name, hostile + usual[len(hostile) :]), strict=True
        ):
            if kind == "markdown":
                assert written == plain
                continue
            found, texts = shape(written)
            assert found == shape(plain)[0]
            assert not [line for line in written.splitlines() if line.startswith(("%", "!"))]
            literals.update(text for text in texts if isinstance(text, str))
        assert name in literals
    assert {*hostile} <= literals
