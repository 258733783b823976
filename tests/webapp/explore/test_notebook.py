"""A run as a notebook: its cells find the same run again, and names from outside stay text in it."""

import io
import json
from contextlib import redirect_stdout
from dataclasses import replace

import numpy as np
import pytest
from hostile import CODE, NAME, TEXTS, shape
from tasks_of_tests import made_up_matrix

from metamf.answer.division import Matrix, divide
from metamf.datasets import example_matrices
from metamf.ratings.matrix import Ratings
from metamf.webapp.explore.edits import Edits
from metamf.webapp.explore.notebook import LARGEST_WRITTEN, notebook
from metamf.webapp.explore.run import run


def executed(text):
    """What the cells of a notebook leave and print, each carried out after those before it, as a kernel does."""
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


@pytest.mark.parametrize("checkpoint, T", [("ml-1m", 10), ("universal", 4), ("ml-1m-nmf", 10), ("ml-1m-genres", 10)])
def test_it_finds_the_run_again(checkpoint, T):
    edits = Edits().set(0, 1, 5.0).hide(2, 1)
    matrix = example("Old and new" if checkpoint == "ml-1m-genres" else "Film night")
    found = run(edits.apply(divide(matrix, 0.5, "what people like", 3)), checkpoint, T)
    names, said = executed(notebook(found, 0.5, "what people like", 3, edits))
    U = found.answer.trajectory.U
    np.testing.assert_allclose(names["path"].U, U, rtol=0, atol=1e-12)  # several threads add in an order of their own
    np.testing.assert_array_equal(names["task"].hidden.values, found.task.hidden.values)
    assert f"{found.round} {T:2}: error on hidden cells (RMSE) {found.hidden_errors[-1]:.4f}" in said
    assert ("largest difference to the library's factors" in said) == (checkpoint in ("ml-1m", "ml-1m-genres"))
    assert names["rows"] == list(found.task.matrix.ratings.row_labels)


def test_it_notices_another_result():
    found = run(divide(example(), 0.5, "at random", 1), "ml-1m", 3)
    text = notebook(found, 0.5, "at random", 2)  # of another draw
    with pytest.raises(AssertionError):
        executed(text)


def test_without_scale_truth_and_names_it_runs_and_names_of_strangers_are_text():
    hostile = '"""\n# </script>\n%cd /\n!ls'
    plain = made_up_matrix()
    ratings = Ratings.from_dense(plain.ratings.to_dense())
    rows = (hostile, *(f"row {n}" for n in range(1, ratings.n_rows)))
    for row_labels in (None, rows):
        matrix = Matrix(hostile, "", replace(ratings, row_labels=row_labels))
        found = run(divide(matrix, 0.6, "at random", 1), "ml-1m", 2)
        text = notebook(found, 0.6, "at random", 1)
        names, _ = executed(text)
        assert names["name"] == hostile and names["rows"] == (None if row_labels is None else list(rows))
        lines = [line for cell in json.loads(text)["cells"] for line in cell["source"]]
        assert not [line for line in lines if line.startswith(("%", "!"))]


@pytest.mark.parametrize("hostile", [*TEXTS, NAME, *CODE], ids=range(len(TEXTS) + 1 + len(CODE)))
def test_names_of_strangers_change_nothing_but_texts_in_it(hostile):
    made = made_up_matrix()

    def cells(name):
        rows, cols = ([f"{name} {n}" for n in range(size)] for size in made.ratings.shape)
        matrix = replace(made, name=name, ratings=replace(made.ratings, row_labels=tuple(rows), col_labels=tuple(cols)))
        text = notebook(run(divide(matrix, 0.6, "at random", 1), "ml-1m", 2), 0.6, "at random", 1)
        return [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]

    literals = []
    for (kind, plain), (_, written) in zip(cells("plain"), cells(hostile), strict=True):
        if kind == "markdown":
            assert written == plain
            continue
        (expected, _), (found, texts) = shape(plain), shape(written)
        assert found == expected
        literals += texts
    assert {hostile, f"{hostile} 0", f"{hostile} 8"} <= {text for text in literals if isinstance(text, str)}


def test_a_large_matrix_is_refused():
    side = int(LARGEST_WRITTEN**0.5) + 1
    ratings = Ratings([0, 1], [0, 1], [1.0, 2.0], (side, side))
    found = run(divide(Matrix("", "", ratings), 1.0, "at random", 1), "ml-1m", 1)
    with pytest.raises(ValueError, match="too large for a notebook"):
        notebook(found, 1.0, "at random", 1)
