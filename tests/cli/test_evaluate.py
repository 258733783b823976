"""metamf evaluate."""

import numpy as np
import pandas as pd
import pytest
from commands import data, in_an_empty_folder, run  # noqa: F401  fixtures

from metamf.cli import evaluate


@pytest.mark.slow
def test_evaluate_compares_methods_on_the_same_blocks(run, data, monkeypatch):
    monkeypatch.setattr(evaluate, "FITTING_BLOCKS", 30)
    methods = ("eml", "ft", "crossed_effects", "mean")
    argv = "--splits 2 --blocks 20 --preset paper --epochs 2 --out rows.csv"
    result = run("evaluate", "--methods", ",".join(methods), *argv.split())
    assert result.code == 0
    rows = pd.read_csv("rows.csv")
    assert list(zip(rows.split, rows.method)) == [
        (split, method) for split in (0, 1) for method in methods
    ]
    of = {method: part.reset_index() for method, part in rows.groupby("method")}
    np.testing.assert_allclose(of["mean"].ratio, 1)
    assert (of["crossed_effects"].query_mse < of["mean"].query_mse).all()
    assert (of["ft"].support_mse < of["eml"].support_mse).all()  # the same network, finetuned
    header, columns, _, *lines = result.out.splitlines()
    assert header == "ml-100k: 2 split(s), 20 blocks each, standardised units"
    assert [line.split()[0] for line in lines] == ["EML", "FT", "Crossed", "Mean"]
    assert f"{of['eml'].query_mse.mean():.4f}" in lines[0]


def test_evaluate_tunes_on_meta_validation_blocks(run, data):
    argv = "evaluate --methods damped_bias --splits 1 --blocks 10 --out rows.csv"
    errors = []
    for tune in ((), ("--tune",)):
        assert run(*argv.split(), *tune).code == 0
        errors.append(pd.read_csv("rows.csv").query_mse[0])
    assert errors[0] != errors[1]


@pytest.mark.slow
def test_evaluate_with_features_measures_on_the_same_blocks(run, data):
    argv = "evaluate --methods ours,mean --splits 1 --blocks 10 --preset paper --epochs 1"
    found = []
    for more in ((), ("--features", "year")):
        assert run(*argv.split(), "--out", "rows.csv", *more).code == 0
        found.append(pd.read_csv("rows.csv").set_index("method").query_mse)
    plain, told = found
    assert plain["mean"] == told["mean"] and plain["ours"] != told["ours"]
