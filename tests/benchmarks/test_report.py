"""benchmarks/report: what its tables say of made-up rows. That pages hold its tables:
tests/docs/test_pages.py."""

import pandas as pd
import pytest
from paper_rows import row, table

from benchmarks.report import markdown, paper
from benchmarks.report.markdown import number, p_value, with_error
from metamf import reproduction as numbers


def cells(text):
    """The rows of a Markdown table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_numbers_that_are_not_there_leave_their_cell_empty():
    nan = float("nan")
    assert (number(0.12345), number(nan), number(1.5, "+.1f")) == ("0.123", "", "+1.5")
    assert with_error(0.5, 0.01) == "0.500 ± 0.010"
    assert (with_error(0.5, nan), with_error(nan, nan)) == ("0.500", "")
    assert (p_value(0.0004), p_value(0.04), p_value(nan)) == ("< 0.001", "0.040", "")
    shown = markdown.markdown(pd.DataFrame({"a": [1, 2], "b": ["x", ""]}))
    assert shown.splitlines()[2:] == ["| 1 | x |", "| 2 |  |"]


@pytest.fixture
def rows(monkeypatch):
    """Ours at 0.70 and EML at the paper's number on two splits of Jester; nothing else is
    measured."""
    printed = numbers.printed_errors("eml")["jester"] / numbers.printed_errors("mean")["jester"]
    made_up = table(
        *(row("ours", split, 0.70 + 0.002 * split, preset="tuned") for split in range(2)),
        *(row("eml", split, printed + 0.001 * split, preset="tuned") for split in range(2)),
        *(row("mean", split, 1.0) for split in range(2)),
    )
    empty = made_up[:0]
    monkeypatch.setattr(
        numbers, "measured", lambda experiment: made_up if experiment == "table1" else empty
    )
    return made_up


def test_a_number_far_from_the_paper_s_is_listed_with_its_sign_and_one_that_agrees_is_not(rows):
    found = [line for line in cells(paper.differences()) if line[1] == "1"]
    ((preset, _, method, data, printed, ours, away, both),) = [
        line for line in found if line[0] == "`tuned`"
    ]
    assert (preset, method, data) == ("`tuned`", "Ours", "Jester")
    assert printed.startswith("0.81")
    assert ours == "0.701 ± 0.001"
    assert away.startswith("−")
    assert both.startswith("−")


def test_agreement_counts_what_the_differences_leave_out(rows):
    (line,) = [line for line in cells(paper.agreement()) if line[:2] == ["`tuned`", "1"]]
    assert line[2:4] == ["2", "1"]  # Mean's ratio to itself is not counted
