"""Texts of strangers in the accounts of a filling: a manifest gives them back, and in a program they are texts."""

import json

import pytest
from hostile import CODE, NAME, TEXTS, book_with_sheets, shape

from metamf.evaluate.filling import fill
from metamf.evaluate.manifest import manifest, snippet
from metamf.tables import ReadOptions, read_table

NUMBERS = [[4, None, 2], [1, 2, None], [None, 5, 3], [3, 4, 4]]


def rows(text, marks=(None, None)):
    """A table whose names and whose cells without a rating are a text of a stranger's."""
    table = [[text, f"{text} a", f"{text} b", f"{text} c"]]
    table += [[f"{text} {n}", *line] for n, line in enumerate(NUMBERS)]
    table[1][2], table[2][3] = marks
    return table


def accounts(name, content, options):
    """The manifest as it is read from its file, and the program that is made of it."""
    table = read_table(content, name, options)
    made = json.loads(json.dumps(manifest(name, content, options, table, fill(table.ratings, "mean")), indent=2))
    return made, snippet(made)


@pytest.mark.parametrize("text", [*TEXTS, NAME, *CODE], ids=range(len(TEXTS) + 1 + len(CODE)))
def test_names_and_markers_come_back_exactly_and_are_never_code(text):
    plain = book_with_sheets(["one", "two"], rows("x", ("n/a", "k.A.")))
    expected, _ = shape(accounts("plain.xlsx", plain, ReadOptions(sheet="two", missing_markers=("n/a", "k.A.")))[1])
    inside = text.translate(dict.fromkeys(range(32)))  # a workbook holds no control characters
    name, sheet, markers = f"{text}.xlsx", f"{inside} two", (f"{inside} means none".strip(), "n/a")
    content = book_with_sheets(["one", sheet], rows(inside, markers))
    made, program = accounts(name, content, ReadOptions(sheet=sheet, missing_markers=markers))
    last = name.rpartition("/")[2]  # the name without folders
    assert made["input"]["name"] == last
    assert made["reading"] == {"sheet": sheet, "missing_markers": [*markers]}
    assert {marker: made["counts"]["missing markers"][marker] for marker in markers} == dict.fromkeys(markers, 1)
    found, literals = shape(program)
    assert found == expected, "the same program, but for its texts"
    assert {last, sheet, *markers} <= set(literals)
    assert f"{last.removesuffix('.xlsx')}-filled.csv" in literals
