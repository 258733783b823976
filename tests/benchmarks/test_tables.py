"""benchmarks/tables: the division in halves, what is hidden, and a runner that goes on where it
was."""

import sys

import numpy as np
import pandas as pd
import pytest

from benchmarks.rows import read
from benchmarks.tables import run
from benchmarks.tables.corpus import TableSource
from benchmarks.tables.matrices import digest_of_matrix, hide, hide_by_others, path_of, used_numbers
from benchmarks.tables.methods import Competitor, Completion


def test_a_share_of_the_entries_is_hidden_and_no_column_is_left_empty():
    values = np.random.default_rng(0).normal(size=(40, 6))
    values[5:, 0] = np.nan
    one, again, other = hide(values, 0.3, 0), hide(values, 0.3, 0), hide(values, 0.3, 1)
    assert len(one.truth) == round(0.3 * (~np.isnan(values)).sum())
    np.testing.assert_array_equal(values[one.rows, one.cols], one.truth)
    assert np.isnan(one.given[one.rows, one.cols]).all()
    np.testing.assert_array_equal(one.given, again.given)
    assert not np.array_equal(one.given, other.given, equal_nan=True)
    assert ((~np.isnan(hide(values, 0.95, 0).given)).sum(0) >= 2).all()


def test_missing_at_random_hides_its_share_and_does_not_see_what_it_hides():
    values = np.random.default_rng(0).normal([[0], [3]] * 100, 1, (200, 6))
    found = hide_by_others(values, 0.4, 0)
    hidden = np.isnan(found.given)
    assert hidden.mean() == pytest.approx(0.4, abs=0.05)
    assert hidden.any(0).sum() == 4
    other = hide_by_others(np.where(hidden, 7.0, values), 0.4, 0)
    np.testing.assert_array_equal(np.isnan(other.given), hidden)


def test_a_data_set_becomes_a_matrix_of_the_numbers_that_are_used():
    frame = pd.DataFrame(
        {"id": range(9), "sex": [0, 1] * 4 + [0], "a": np.arange(9.0), "b": list("abcabcabc")}
    )
    made = used_numbers(TableSource("t", "k", "decide", "p", "f", "w", drop=("id",)), frame)
    np.testing.assert_array_equal(made, np.arange(9.0)[:, None])
    assert digest_of_matrix(made) != digest_of_matrix(made + 1)
    assert digest_of_matrix(made) == digest_of_matrix(made.copy())


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Two tables of the deciding half, made up, and two methods that are fast."""
    names = ["one", "two"]
    rows = []
    for seed, name in enumerate(names):
        values = np.random.default_rng(seed).normal(size=(20, 4)) * [1, 10, 100, 1000]
        path_of(name, tmp_path).parent.mkdir(exist_ok=True)
        np.save(path_of(name, tmp_path), values)
        rows.append(f"{name},{digest_of_matrix(values)}")
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("table,sha256\n" + "\n".join(rows) + "\n")

    def mean(given, seed):
        return Completion(np.broadcast_to(np.nanmean(given, axis=0), given.shape))

    def fails(given, seed):
        raise ValueError("no answer")

    monkeypatch.setattr(run, "MANIFEST", manifest)
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    sources = [TableSource(name, "", "decide", "", "", "") for name in names]
    monkeypatch.setattr(run, "SOURCES", sources)
    competitors = {"mean": Competitor(mean), "fails": Competitor(fails)}
    monkeypatch.setattr(run, "COMPETITORS", competitors)
    return names


def measure(monkeypatch, folder, *arguments):
    monkeypatch.setattr(sys, "argv", ["run", "--cache", str(folder), *arguments])
    run.main()
    return read(folder / "tables-decide.csv")


def test_the_runner_goes_on_where_it_was_and_a_method_that_fails_counts_as_the_mean(
    corpus, tmp_path, monkeypatch
):
    half = measure(monkeypatch, tmp_path, "--seeds", "0", "--methods", "mean")
    assert [(row["table"], float(row["share"])) for row in half] == [
        (t, s) for s in run.SHARES for t in corpus
    ]
    rows = measure(monkeypatch, tmp_path, "--seeds", "0")
    assert rows[:8] == half and len(rows) == 16
    assert {row["failure"] for row in rows[8:]} == {"ValueError: no answer"}
    assert all(row["error"] == row["mean_error"] and 0.5 < float(row["error"]) < 2 for row in rows)


def test_the_judging_half_is_run_by_nobody_by_accident(corpus, tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        measure(monkeypatch, tmp_path, "--half", "judge")
    assert "looked at once" in capsys.readouterr().err


def test_another_table_than_that_of_the_manifest_is_refused(corpus, tmp_path, monkeypatch):
    np.save(path_of(corpus[0], tmp_path), np.zeros((20, 4)))
    with pytest.raises(SystemExit, match="download it again"):
        measure(monkeypatch, tmp_path)
