"""metamf impute --draws and --shift."""

import numpy as np
import pandas as pd
import pytest

from metamf.__main__ import main


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(2)
    X = np.clip(np.round(3 + rng.normal(size=(30, 1)) + 0.6 * rng.normal(size=(30, 4))), 1, 5)
    frame = pd.DataFrame(np.where(rng.random(X.shape) < 0.75, X, np.nan), columns=["q1", "q2", "q3", "q4"])
    frame.insert(0, "person", [f"p{n}" for n in range(30)])
    frame.to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path


def test_tables_below_each_other(survey, capsys):
    assert main(["impute", str(survey / "survey.csv"), "--draws", "3", "--out", str(survey / "filled.csv")]) == 0
    given = pd.read_csv(survey / "survey.csv").drop(columns="person").to_numpy()
    long = pd.read_csv(survey / "filled.csv")
    assert list(long.columns) == ["imputation", "row", "q1", "q2", "q3", "q4"]
    assert list(long["imputation"]) == [1] * 30 + [2] * 30 + [3] * 30
    tables = long[["q1", "q2", "q3", "q4"]].to_numpy().reshape(3, 30, 4)
    assert (tables[:, ~np.isnan(given)] == given[~np.isnan(given)]).all()
    assert not np.isnan(tables).any()
    assert (tables[0] != tables[1]).any()
    assert capsys.readouterr().err.count("of the information on its mean is missing") == 4


@pytest.mark.slow
def test_of_many_columns_those_that_miss_most_are_named(tmp_path, capsys):
    rng = np.random.default_rng(3)
    X = np.clip(np.round(3 + rng.normal(size=(60, 24))), 1, 5)
    X[:, 1:] = np.where(rng.random((60, 23)) < 0.7, X[:, 1:], np.nan)  # nothing of the first column is missing
    pd.DataFrame(X, columns=[f"q{m}" for m in range(24)]).to_csv(tmp_path / "wide.csv", index=False)
    assert main(["impute", str(tmp_path / "wide.csv"), "--draws", "3", "--out", str(tmp_path / "filled.csv")]) == 0
    said = capsys.readouterr().err
    assert said.count("of the information on its mean is missing") == 20
    assert "q0: " not in said and "4 more columns miss at most " in said


def test_a_sheet_for_each_table(survey):
    out = survey / "filled.xlsx"
    assert main(["impute", str(survey / "survey.csv"), "--draws", "2", "--round", "--out", str(out)]) == 0
    sheets = pd.read_excel(out, sheet_name=None, index_col=0)
    assert list(sheets) == ["imputation 1", "imputation 2"]
    assert set(np.unique(sheets["imputation 2"])) <= {1, 2, 3, 4, 5}


def test_a_shift_lowers_what_is_filled_in(survey):
    for name, more in (("usual", []), ("lower", ["--shift=-0.5"])):
        arguments = ["impute", str(survey / "survey.csv"), *more, "--out", str(survey / f"{name}.csv")]
        assert main(arguments) == 0
    usual, lower = (
        pd.read_csv(survey / f"{name}.csv").drop(columns="person").to_numpy() for name in ("usual", "lower")
    )
    missing = pd.read_csv(survey / "survey.csv").drop(columns="person").isna().to_numpy()
    assert (lower[missing] < usual[missing]).mean() > 0.9
    assert (lower[~missing] == usual[~missing]).all()
