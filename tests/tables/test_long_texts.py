"""A text of any length is read, refused and written in a moment: no pattern tries what is in it again and again.

Such patterns took hours for a file of some kilobytes, and while one is at work Python does nothing else.
"""

import subprocess
import sys

import pytest
from exports import fill

from metamf.tables import TableError, read_table, write

N = 100_000  # characters, fewer than a cell may have
PATIENCE = 60  # seconds for all texts of one place together; a pattern that tries again took minutes for one of them
SHAPES = (  # what a text begins with, what it repeats, and what it ends with
    *(("#", sign, "x") for sign in ("\t", " ", ",-", '" ', ",")),
    *(("# ,-", sign, "x") for sign in (" ", "-", "1", ".")),
    *(("a@", sign, end) for sign, end in ((".", "@"), ("@", ""), ("b.", " "))),
    *(("1", sign, end) for sign in (".", ",", " ", "1", "'1", "1.") for end in ("\nx", "x")),
    *(("", sign, "x") for sign in (" ", "\t", "-", "'", "=", "a ", "{", "<", "\u2605", "strongly ")),
    *(
        (start, sign, "\n")
        for start, sign in (("2024-01-01 ", "T"), ("https://", "a"), ("$1", "."), ("1/", "1"), ("5 ", "("))
    ),
)


def comment(text):
    return "# " + text.replace("\n", " ") + "\nname,a,b,c\nAda,1,5,2\nBen,,4,3\nCy,2,,1\n"


def cells(text):
    lines = [f"{name},{quoted(text + str(n))},4,3\n" for n, name in enumerate(("Ada", "Ben", "Cy"))]
    return "name,a,b,c\n" + "".join(lines)


def left_alone(text):
    lines = [f"{name},{quoted(text + str(n))},{n % 3 + 1},3\n" for n, name in enumerate(("Ada", "Ben", "Cy"))]
    return "name,note,b,c\n" + "".join(lines)


def label(text):
    return f"name,{quoted(text)},b\n{quoted(text)},1,5\nBen,,4\n"


def line(text):
    return text + "\n1,2,3\n"


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


PLACES = {place.__name__: place for place in (comment, cells, left_alone, label, line)}


def read_and_write(place):
    """Every text as a file in that place, in two encodings: read or refused, and written as text."""
    for start, sign, end in SHAPES:
        content = PLACES[place](start + sign * (N // len(sign)) + end)
        for data in (content.encode(), content.encode("latin-1", "replace") + b"\xff"):
            try:
                filled = fill(read_table(data))
                for export in (write.to_csv_wide, write.to_csv_long):
                    export(*filled)
            except TableError:
                continue


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_no_long_text_takes_long(place):
    """In a process of its own, since nothing else ends a pattern that is at work."""
    program = "import sys, test_long_texts as test; test.read_and_write(sys.argv[1])"
    path = {"PYTHONPATH": ":".join(entry or "." for entry in [*sys.path, "tests/tables"])}
    subprocess.run([sys.executable, "-c", program, place], env=path, check=True, timeout=PATIENCE)
