"""The page Your table: a file becomes a filled table; tests/webapp/your_table has every step of the
way."""

import re

from opened import players, text
from your_table import WIDE, file, preview, small_world, uploaded  # noqa: F401  a fixture


def test_a_file_is_filled_in_at_once_and_shown_as_it_is():
    at = uploaded(WIDE)
    said = text(at)
    assert "drinks.csv: all 3 gaps are filled in" in said
    assert "9 numbers: too few" in said
    data = preview(at)
    assert [column["role"] for column in data["columns"]] == ["name", "fill", "fill", "fill"]
    kinds = [[kind for _, kind, _ in line["cells"]] for line in data["lines"]]
    assert sum(row.count("filled") for row in kinds) == 3
    assert len(players(at)) == 1  # the maps
    name, content = file(at, "csv")
    lines = content.decode().splitlines()
    assert name == "drinks-filled-by-universal.csv"
    assert lines[0] == "name;Tea;Coffee;Juice"
    for line, row in zip(lines[1:], WIDE.decode().splitlines()[1:]):
        for cell, was in zip(line.split(";"), row.split(";")):
            assert cell == was if was else re.fullmatch(r"-?\d+(,\d+)?", cell)
