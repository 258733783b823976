"""A text of any length is read, refused and written in a moment: no pattern tries what is in it
again and again.

Such patterns took hours for a file of some kilobytes, and while one is at work Python does nothing
else.
"""

import signal
import subprocess
import sys

import pytest
from exports import fill
from pace import references

from metamf.tables import TableError, read, write

N = 30_000  # characters, fewer than a cell may have
# A text may take as long as that many known pieces of work (pace.py), two seconds; it takes .7 at
# most. Where the square of its length counts it took five, and where patterns try again hours.
REFERENCES = 40
SHAPES = [  # what a text begins with, what it repeats, and what it ends with
    *(("#", sign, "x") for sign in ("\t", " ", ",-", '" ', ",")),
    *(("# ,-", sign, "x") for sign in " -1."),
    *(("a@", sign, end) for sign, end in ((".", "@"), ("@", ""), ("b.", " "))),
    *(("1", sign, end) for sign in (".", ",", " ", "1", "'1", "1.") for end in ("\nx", "x")),
    *(("", sign, "x") for sign in (*" \t-'={<\u2605", "a ", "strongly ")),
    *(("2024-01-01 ", "T", "\n"), ("https://", "a", "\n"), ("$1", ".", "\n")),
    *(("1/", "1", "\n"), ("5 ", "(", "\n")),
]


def contents(text):
    """A file with the text in each of several places."""
    quoted = ['"' + (text + end).replace('"', '""') + '"' for end in ("", "1", "2")]
    rows = [f"p{n},{cell},{n + 1},3\n" for n, cell in enumerate(quoted)]
    return {
        "comment": f"# {text.replace(chr(10), ' ')}\nname,a,b,c\nAda,1,5,2\nBen,,4,3\nCy,2,,1\n",
        "cells": "name,a,b,c\n" + "".join(rows),
        "label": f"name,{quoted[0]},b\n{quoted[0]},1,5\nBen,,4\n",
        "line": f"{text}\n1,2,3\n",
    }


PLACES = contents("")


def read_and_write(place):
    """Every text as a file in that place, in two encodings: read or refused, and written as
    text."""
    fill(read(contents("5")["cells"].encode()))  # loads modules
    seconds = references(REFERENCES)
    for start, sign, end in SHAPES:
        content = contents(start + sign * (N // len(sign)) + end)[place]
        for data in (content.encode(), content.encode("latin-1", "replace") + b"\xff"):
            signal.setitimer(signal.ITIMER_PROF, seconds)  # ends the process then
            try:
                filled = fill(read(data))
                for export in (write.to_csv_wide, write.to_csv_long):
                    export(*filled)
            except TableError:
                continue


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_no_long_text_takes_long(place):
    """In a process of its own, which ends with a pattern that is at work."""
    program = "import sys, test_long_texts as test; test.read_and_write(sys.argv[1])"
    path = {"PYTHONPATH": ":".join(entry or "." for entry in [*sys.path, "tests/tables"])}
    subprocess.run([sys.executable, "-c", program, place], env=path, check=True)
