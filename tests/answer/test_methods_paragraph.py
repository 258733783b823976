"""The paragraph for a methods section: it says what was done, in numbers that were measured."""

import numpy as np
import pandas as pd
import pytest

from metamf.answer.draws_file import SeveralTables
from metamf.answer.holdout import MethodErrors, Report
from metamf.answer.methods import method
from metamf.answer.methods_paragraph import methods_paragraph
from metamf.version import __version__

COVERED = np.array([0.85, 0.95])
ERRORS = [
    MethodErrors(method("universal"), np.array([1.0, 1.2]), np.array([0.8, 0.9]), COVERED),
    MethodErrors(method("col_means"), np.array([1.3, 1.4]), np.array([1.0, 1.1]), None),
]
REPORT, RELATIVE = (Report.of(ERRORS, 0.9, 24, 240, relative) for relative in (False, True))
TABLES = SeveralTables(b"", 20, 7, "cells, means and rankings", pd.DataFrame())


def paragraph(name="universal", **settings):
    return methods_paragraph(63, 300, name, **settings).replace("\N{NO-BREAK SPACE}", " ")


def test_without_a_check_it_says_what_was_filled_by_what_on_which_scale():
    assert paragraph("universal", scales=("1 to 7",)) == (
        f"Missing values (63 of 300 cells, 21 %) were estimated with MetaMF {__version__} "
        "(method “universal”, scale 1 to 7)."
    )


SAID = [
    (
        dict(report=REPORT, report_seed=0),
        "When 10 % of the given values were hidden at random, 2 times (seed 0), the root mean "
        "squared error was 1.1 (column means: 1.35); 90 % of the hidden values lay in their 90 % "
        "intervals.",
    ),
    (dict(own_units=True), "each column in its own unit"),
    (
        dict(scales=("1 to 7",), own_units=True),
        "scale 1 to 7, other columns in their own units",
    ),
    (
        dict(report=RELATIVE),
        "was 1.1 standard deviations of the column (column means: 1.35)",
    ),
    (
        dict(drawn=TABLES),
        "20 multiply imputed tables (seed 7; for cells, means and rankings).",
    ),
    (dict(report=REPORT, used="col_means"), "was 1.35."),
]


@pytest.mark.parametrize(("settings", "said"), SAID)
def test_it_says_what_was_measured_and_made(settings, said):
    assert said in paragraph(**settings)


def test_a_method_without_intervals_has_no_coverage():
    assert "intervals" not in paragraph(report=REPORT, used="col_means")
