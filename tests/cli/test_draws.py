"""metamf impute --draws and --shift."""

import numpy as np
import pandas as pd
import pytest

from metamf.__main__ import main
from metamf.answer import draws_file

ITEMS = ["q1", "q2", "q3", "q4"]


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(2)
    X = np.clip(np.round(3 + rng.normal(size=(30, 1)) + 0.6 * rng.normal(size=(30, 4))), 1, 5)
    frame = pd.DataFrame(np.where(rng.random(X.shape) < 0.75, X, np.nan), columns=ITEMS)
    frame.insert(0, "person", [f"p{n}" for n in range(30)])
    frame.to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path / "survey.csv"


def impute(path, name, *more):
    """The file that the command writes next to another."""
    out = path.with_name(name)
    assert main(["impute", str(path), *more, "--out", str(out)]) == 0
    return out


def test_tables_below_each_other(survey, capsys, monkeypatch):
    monkeypatch.setattr(draws_file, "MOST_LINES", 3)
    long = pd.read_csv(impute(survey, "filled.csv", "--draws", "3"))
    given = pd.read_csv(survey)[ITEMS].to_numpy()
    assert list(long.columns) == ["imputation", "person", *ITEMS]
    assert list(long["imputation"]) == [1] * 30 + [2] * 30 + [3] * 30
    tables = long[ITEMS].to_numpy().reshape(3, 30, 4)
    assert (tables[:, ~np.isnan(given)] == given[~np.isnan(given)]).all()
    assert not np.isnan(tables).any()
    assert (tables[0] != tables[1]).any()
    said = capsys.readouterr().err
    assert said.count("of the information on its mean is missing") == 3
    assert "1 more columns miss at most " in said
    assert "3 filled-in tables (seed 0), for any analysis" in said


def test_a_shift_lowers_what_is_filled_in(survey):
    usual = pd.read_csv(impute(survey, "usual.csv"))[ITEMS].to_numpy()
    lower = pd.read_csv(impute(survey, "lower.csv", "--shift=-0.5"))[ITEMS].to_numpy()
    missing = pd.read_csv(survey)[ITEMS].isna().to_numpy()
    assert (lower[missing] <= usual[missing]).all()  # both in the digits of the column
    assert (usual[missing] - lower[missing]).mean() > 0.2
    assert (lower[~missing] == usual[~missing]).all()
