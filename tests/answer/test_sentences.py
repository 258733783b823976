"""In words: how well a checkpoint suits a table, and the paragraph for a methods section, which says what
was done in numbers that were measured."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from small_checkpoints import made_up

from metamf.answer.answer import Weighing
from metamf.answer.domain_shift import adapted_sentences, domain_shift
from metamf.answer.draws_file import SeveralTables
from metamf.answer.holdout import MethodErrors, Report
from metamf.answer.methods import method
from metamf.answer.methods_paragraph import methods_paragraph
from metamf.checkpoints.bundled import describe
from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.tuning import TuningOutcome
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, OwnUnits, SidedUnits
from metamf.version import __version__

UNIVERSAL, PAPER = describe("universal"), describe("ml-1m")


def test_a_usual_matrix_does_not_differ_nor_one_about_whose_training_nothing_is_known():
    assert domain_shift(made_up(100, 60, 0.3), UNIVERSAL) == []
    assert domain_shift(made_up(30, 30, 0.03), PAPER) == []
    assert domain_shift(made_up(3, 5000, 0.3), CheckpointInfo("own", "ml-1m", None, None, 0)) == []


def block(values):
    """Values in the first cells of 30 rows and columns."""
    cells = np.arange(len(values))
    return Ratings(cells // 30, cells % 30, np.array(values, float), (30, 30))


DIAGONAL = Ratings(np.arange(50), np.arange(50), np.arange(50) % 5 + 1.0, (1000, 1000))
OUTSIDE = [
    (made_up(3, 5000, 0.3), UNIVERSAL, "it has 3 rows (10 to 1,000 in training)"),
    (made_up(3, 5000, 0.3), UNIVERSAL, "it has 5,000 columns (10 to 1,700 in training)"),
    (DIAGONAL, UNIVERSAL, "0.005% of its cells are given (0.42% to 64% in training)"),
    (made_up(100, 30, 0.3), PAPER, "it has 100 rows (30 in training)"),
    (block(np.linspace(0, 100, 30)), PAPER, "its ratings run from 0 to 100 (1 to 5 in training)"),
    (block(np.arange(400) % 2), UNIVERSAL, "only 2 different values"),
    (block(np.r_[np.arange(399) % 5, 1e6]), UNIVERSAL, "standard deviations from the mean"),
]


@pytest.mark.parametrize(("ratings", "info", "said"), OUTSIDE)
def test_sizes_densities_and_values_outside_are_named(ratings, info, said):
    found = "; ".join(domain_shift(ratings, info)).replace("\N{NO-BREAK SPACE}", "")
    assert said in found


def fitted(rule=OwnUnits(), report=None, blend=None, reads=False):
    return SimpleNamespace(
        unit_rule=rule,
        tuning_outcome=report,
        ratings=SimpleNamespace(nnz=12),
        worse={},
        unknown=None,
        mixture=blend and SimpleNamespace(weighing=blend),
        reads_table=reads,
    )


def report(kept=30, error=0.8, gain=0.36, spread=0.05, checked=40):
    return TuningOutcome(40, kept, 1.0, error, gain, spread, checked, 1.0)


BLEND = Weighing({"network": 0.5, "table": 0.5}, 40, {"network": 0.9, "table": 0.82}, 0.8)
LINEAR = Weighing({"network": 0.75, "table": 0.25})
SENTENCES = [
    (dict(rule=SidedUnits(By.COLUMN)), ["The columns are measured in different units, so each"]),
    (dict(rule=SidedUnits(By.ROW)), ["The rows are measured in different units, so each"]),
    (dict(report=report()), ["in 30 steps", "On 40 observed cells", "20% smaller."]),
    (dict(report=report(gain=0.05)), ["smaller, which may be chance."]),
    (dict(report=report(kept=0)), ["Tuning did not help on 40 observed cells"]),
    (dict(report=report(checked=0)), ["12 observed cells are too few to tune to."]),
    (dict(blend=LINEAR), ["a linear model of the columns (weight 25%)."]),
    (dict(blend=BLEND, reads=True), ["trained on made-up tables", "0.90 and 0.82, combined 0.80"]),
]


@pytest.mark.parametrize(("made", "parts"), SENTENCES)
def test_each_adaptation_has_its_sentence(made, parts):
    (sentence,) = adapted_sentences(fitted(**made))
    assert all(part in sentence.replace("\N{NO-BREAK SPACE}", "") for part in parts)
    assert adapted_sentences(fitted()) == []


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
