"""The page Your table: a file becomes a filled table; tests/webapp/your_table has every step of the way."""

import re

from opened import players, text
from your_table import WIDE, file, small_world, uploaded  # noqa: F401  a fixture


def test_a_file_is_understood_filled_in_and_measured():
    at = uploaded(WIDE)
    said = text(at)
    for sentence in (
        "4 rows and 3 columns: 9 of 12 cells hold a rating",
        "Delimiter: semicolon; decimal comma",
        "Cells marked as missing: 3 empty",
        "3 of 12 cells estimated",
        "Ada × Coffee",
        "90 % interval",
        "Influential ratings",
        "9 ratings : too few".replace(" :", ":"),
    ):
        assert sentence in said
    assert len(players(at)) == 1  # the map of widths
    name, content = file(at, "csv")
    lines = content.decode().splitlines()
    assert name == "drinks-filled-by-universal.csv" and lines[0] == "name;Tea;Coffee;Juice"
    for line, row in zip(lines[1:], WIDE.decode().splitlines()[1:]):
        for cell, was in zip(line.split(";"), row.split(";")):
            assert cell == was if was else re.fullmatch(r"-?\d+(,\d+)?", cell)
