"""metamf impute: a table in, the same table out with its gaps filled; methods, scale, report, snippet."""

import csv
import io
import json
import re
import shlex

import numpy as np
import openpyxl
import pandas as pd
import peoples_files
import pytest
from commands import failure, in_an_empty_folder, process, run  # noqa: F401  fixtures
from holdouts import holdout_report
from made_up import stars

from metamf.answer.filling import fill
from metamf.tables import read_table, write


@pytest.fixture
def table(tmp_path):
    content = stars(12, 7, sign=";", ending=",0")
    (tmp_path / "in.csv").write_bytes(content)
    return read_table(content, "in.csv")


@pytest.mark.parametrize("key", ["col_means", "als", "eml", "ml-100k"])
def test_any_method_fills_in(run, table, key):
    result = run("impute", "in.csv", "-q", "--method", key)
    expected = fill(table.ratings, key, level=None)
    assert result.code == 0 and result.bytes == write.to_csv_wide(table, expected)


def test_a_rating_outside_the_scale_is_named_and_nothing_is_written(run, tmp_path, table):
    argv = ("impute", "in.csv", "--out", "out.csv", "--model", "mean", "--scale", "1:4")
    result = run(*argv)
    outside = table.ratings.values > 4
    first = np.flatnonzero(outside)[0]
    row, col = table.ratings.row_labels[table.ratings.rows[first]], table.ratings.col_labels[table.ratings.cols[first]]
    assert result.code == 3 and not (tmp_path / "out.csv").exists()
    assert (
        f'error: the rating 5 in row "{row}", column "{col}" is outside the scale 1 to 4 ({outside.sum()} such '
        "ratings in all): change --scale, or add --outside nearest or --outside hide"
    ) in result.said


@pytest.mark.slow
@pytest.mark.parametrize("way, said", [("nearest", "read as its nearest end"), ("hide", "hidden from the method")])
def test_ratings_outside_the_scale_are_written_as_they_were_read(run, tmp_path, table, way, said):
    files = ("--report-json", "report.json", "--repeats", "1")
    argv = ("impute", "in.csv", "--out", "out.csv", "--model", "row_means", "--scale", "1:4", "--outside", way)
    result = run(*argv, *files)
    n = int((table.ratings.values > 4).sum())
    assert f"{n} observed ratings outside the scale: {said}, and written as in the table." in result.said
    written = read_table((tmp_path / "out.csv").read_bytes(), "out.csv").ratings.to_dense()
    at = table.ratings.rows, table.ratings.cols
    np.testing.assert_array_equal(written[at], table.ratings.values)
    assert np.delete(written.ravel(), np.ravel_multi_index(at, written.shape)).max() <= 4
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["observed"] == table.ratings.nnz - (n if way == "hide" else 0)


def test_the_command_that_is_printed_makes_the_same_file_again(run, tmp_path, table):
    options = ("--missing", "5", "--scale", "0:4.5", "--model", "ml-1m", "--steps", "2", "--hold-out", "0.1")
    result = run("impute", "in.csv", "-q", "--out", "out.csv", *options, "--snippet")
    made = (tmp_path / "out.csv").read_bytes()
    (tmp_path / "out.csv").unlink()
    [command] = [line for line in result.said.splitlines() if line.startswith("python -m metamf impute")]
    assert run(*shlex.split(command)[3:]).code == 0
    assert (tmp_path / "out.csv").read_bytes() == made


@pytest.mark.slow
def test_a_report_says_which_method_to_use_and_gives_the_figures(run, tmp_path, table):
    argv = ("--report-json", "report.json", "--repeats", "2", "--seed", "5")
    result = run("impute", "in.csv", "--out", "out.csv", "--model", "soft_impute", *argv)
    assert result.code == 0 and result.out == ""
    report = json.loads((tmp_path / "report.json").read_text())
    assert (
        report["seed"] == 5
        and report["repeats"] == 2
        and report["verdict"].replace("\N{NO-BREAK SPACE}", " ") in result.said
    )
    keys = [found["key"] for found in report["methods"]]
    assert {"soft_impute", "universal", "row_means", "mean"} <= set(keys) and report["recommended"] in keys
    for found in report["methods"]:
        line = next(line for line in result.said.splitlines() if line.strip().startswith(f"{found['label']}  "))
        assert f"RMSE {np.mean(found['rmse']):.3f} ± {np.std(found['rmse'], ddof=1):.3f}" in line
        assert ("inside the 90 % interval" in line) == (found["inside interval"] is not None)
    from metamf.answer.methods import compared, method

    others = (how for how in compared(table.ratings, 2) if how.key != "soft_impute")
    methods = [method("soft_impute"), *others]
    again = holdout_report(table.ratings, methods, 0.9, 2, rng=np.random.default_rng(5))
    assert {found["key"]: found["rmse"] for found in report["methods"]} == {
        errors.method.name: pytest.approx(errors.rmse.tolist(), rel=1e-5) for errors in again.errors
    }


def test_a_long_table_s_columns_may_be_numbered_and_its_thousands_marked(run, tmp_path):
    (tmp_path / "log.csv").write_text("a;x;7;1.500\na;y;7;2.000\nb;x;7;3.000\nb;z;7;1.000\nc;y;7;2.500\n")
    argv = ("--columns", "1", "2", "4", "--thousands", "point", "--decimal", ",", "--no-header")
    result = run("impute", "log.csv", *argv)
    assert "3 rows and 3 columns: 5 of 9 cells are observed" in result.said
    before = (tmp_path / "log.csv").read_text()
    assert result.out.startswith(before) and result.out.count("\n") == 9, "the lines of the file, and those it lacks"
    assert result.out.splitlines()[5].startswith("a;z;;")


def test_nothing_is_left_behind_when_writing_fails(run, tmp_path, table, monkeypatch):
    (tmp_path / "out.csv").write_text("as it was")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    result = run("impute", "in.csv", "--out", "out.csv")
    assert result.code == 1 and result.said.endswith("error: No space left on device\n")
    assert (tmp_path / "out.csv").read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def measurements(rows=40, seed=0):
    """A table whose columns measure one thing in different units, with holes."""
    rng = np.random.default_rng(seed)
    X = np.array([1.0, 1000.0, 0.05, 20.0]) * (4 + rng.normal(size=(rows, 1)) + 0.3 * rng.normal(size=(rows, 4)))
    X[rng.random(X.shape) < 0.2] = np.nan
    return pd.DataFrame(X, columns=list("abcd")).to_csv(index=False).encode()


@pytest.mark.slow
def test_a_table_of_measurements_is_tuned_to_in_its_own_units_and_it_is_said(run, tmp_path):
    (tmp_path / "in.csv").write_bytes(measurements())
    assert "--ratings all-numbers" in run("impute", "in.csv", "--out", "out.csv").said
    result = run("impute", "in.csv", "--out", "out.csv", "--tune", "10", "--ratings", "all-numbers")
    assert result.code == 0
    assert "The columns are measured in different units, so each is estimated in its own." in result.said
    assert "hidden from" in result.said and "tun" in result.said.lower()
    filled = pd.read_csv(tmp_path / "out.csv")
    assert filled.notna().all().all() and filled["c"].between(0, 0.6).all()


@pytest.mark.slow
def test_a_report_on_a_tuned_network_tunes_anew_without_the_hidden_cells_and_says_the_gain(run, tmp_path, table):
    argv = ("--tune", "1", "--tune-seconds", "1e-9", "--report-json", "report.json", "--repeats", "3")
    result = run("impute", "in.csv", "--out", "out.csv", *argv)
    methods = {found["key"]: found for found in json.loads((tmp_path / "report.json").read_text())["methods"]}
    assert len(methods["universal+tuned"]["rmse"]) == 2 and len(methods["universal"]["rmse"]) == 3  # time was up
    [line] = [line for line in result.said.splitlines() if line.strip().startswith("Universal, tuned  ")]
    assert line.endswith("(2 times)")
    assert "Tuning makes the typical error" in result.said and "each time the network was tuned again" in result.said


@pytest.mark.slow
def test_a_second_member_beside_the_network_is_weighed_reported_and_part_of_the_command(run, tmp_path):
    (tmp_path / "in.csv").write_bytes(measurements())
    result = run("impute", "in.csv", "--ratings", "all-numbers", "--out", "out.csv", "--members", "normal", "--snippet")
    assert result.code == 0
    [said] = [line for line in result.said.splitlines() if "is combined with a linear model" in line]
    normal, ridge, attention, _, *errors, both = map(float, re.findall(r"\d+(?:\.\d+)?", said))
    assert 0 <= normal + ridge + attention <= 100 and both <= max(errors) and len(errors) == 4
    assert "--members=normal" in result.said
    result = run("impute", "in.csv", "--ratings", "all-numbers", "--out", "trees.csv", "--members", "trees")
    assert "trees on what the linear model misses" in result.said
    result = run("impute", "in.csv", "--ratings", "all-numbers", "--out", "usual.csv")
    assert "is combined with a linear model" in result.said  # without being asked
    normal, trees, usual = ((tmp_path / name).read_bytes() for name in ("out.csv", "trees.csv", "usual.csv"))
    assert normal != usual == trees


# -- tables in and out ------------------------------------------------------------------------------------------

WIDE = "name;first;second;third\nann;5,0;;1\nbo;;4;2\ncy;1;2;\ndi;-1;5;3\n"


def test_impute_writes_the_table_as_it_came_with_its_gaps_filled(run, tmp_path):
    (tmp_path / "in.csv").write_text(WIDE)
    result = run("impute", "in.csv", "--out", "out.csv", "--missing", "-1")
    assert result.code == 0 and result.out == ""
    before, after = (
        list(csv.reader(io.StringIO(text), delimiter=";")) for text in (WIDE, (tmp_path / "out.csv").read_text())
    )
    assert after[0] == before[0] and [row[0] for row in after] == [row[0] for row in before]
    for old, new in zip(before[1:], after[1:]):
        for x, y in zip(old[1:], new[1:]):
            assert y == x if x not in ("", "-1") else 1 <= float(y.replace(",", ".")) <= 5
    assert "4 rows and 3 columns: 8 of 12 cells are observed" in result.said
    assert "Filling in 4 cells by Universal ..." in result.said and "Written to out.csv." in result.said


@pytest.mark.slow
def test_impute_says_the_roles_first_and_gives_back_what_is_left_alone(run, tmp_path):
    (tmp_path / "form.csv").write_bytes(peoples_files.form().replace(b",19,", b",,", 1))
    result = run("impute", "form.csv", "--out", "out.csv")
    assert result.code == 3 and "--leave-alone Age (leave it alone), or --ratings Age (it holds ratings)" in result.said
    (tmp_path / "form.csv").write_bytes(peoples_files.form())
    result = run("impute", "form.csv", "--out", "out.csv", "--round")
    assert result.said.splitlines()[1].startswith("Ratings: ") and "--leave-alone or --names COLUMN" in result.said
    before, after = (list(csv.reader((tmp_path / x).read_text("utf-8").splitlines())) for x in ("form.csv", "out.csv"))
    changed = {(was, now) for old, new in zip(before, after) for was, now in zip(old, new) if was != now}
    assert result.code == 0 and changed and changed <= {("", str(k)) for k in range(1, 8)}
    assert 'Left alone and written back unchanged: "Timestamp" (dates or times)' in result.said
    (tmp_path / "marks.csv").write_bytes(peoples_files.marks())
    assert "--missing abs" in run("impute", "marks.csv", "--out", "out.csv").said


def test_impute_equals_the_library(run, tmp_path):
    """Given the rating scale that reading the table finds."""
    from metamf import Ratings, RatingScale, load_pretrained

    frame = pd.DataFrame([[5, np.nan, 1], [np.nan, 4, 2], [1, 2, np.nan]], columns=list("abc"), dtype=float)
    frame.to_csv("in.csv", index=False)
    ratings = Ratings.from_dense(frame, scale=RatingScale(1, 5, 1))
    for argv, parameters in (
        ((), {}),
        (("--model", "jester"), {"checkpoint": "jester"}),
        (("--steps", 2), {"steps": 2}),
        (("--standardize", "matrix"), {"standardize": "matrix"}),
        (("--model", "ml-1m", "--step-rule", "safe"), {"checkpoint": "ml-1m", "step_rule": "safe"}),
        (("--model", "ml-1m", "--no-clip", "--steps", 0), {"checkpoint": "ml-1m", "clip": False, "steps": 0}),
    ):
        result = run("impute", "in.csv", "--quiet", *argv)
        assert result.code == 0 and result.said == ""
        expected = load_pretrained(parameters.pop("checkpoint", "universal"), **parameters).impute(ratings).filled
        np.testing.assert_allclose(pd.read_csv(io.StringIO(result.out)), expected, rtol=1e-5)


def test_impute_reads_a_log_of_ratings_and_writes_one_line_per_cell(run, tmp_path):
    (tmp_path / "log.tsv").write_text("who\twhat\twhen\tstars\nann\tx\t1\t5\nann\ty\t2\t1\nbo\tx\t3\t4\nbo\tx\t4\t2\n")
    columns = ("--columns", "who", "what", "stars")
    result = run("impute", "log.tsv", "--long", "--delimiter", "tab", "--duplicates", "last", *columns)
    cells = pd.read_csv(io.StringIO(result.out), sep="\t").set_index(["who", "what"])
    assert cells.provenance.to_dict() == {
        ("ann", "x"): "observed",
        ("ann", "y"): "observed",
        ("bo", "x"): "observed",
        ("bo", "y"): "imputed",
    }
    assert cells.stars["bo", "x"] == 2 and cells.stars["bo", "y"] == cells.estimate["bo", "y"]
    assert cells.method["bo", "y"] == "Universal"


def test_impute_adds_the_ends_of_an_interval_to_every_estimate(run, tmp_path):
    from metamf import Ratings, RatingScale, load_pretrained

    frame = pd.DataFrame([[5, np.nan, 1], [np.nan, 4, 2], [1, 2, np.nan]], columns=list("abc"), dtype=float)
    frame.to_csv("in.csv", index=False)
    argv = ("impute", "in.csv", "-q", "--interval", "0.8")
    expected = load_pretrained().impute(Ratings.from_dense(frame, scale=RatingScale(1, 5, 1)), interval=0.8)
    cells = pd.read_csv(io.StringIO(run(*argv, "--long").out), keep_default_na=False)
    assert list(cells)[3:] == ["provenance", "estimate", "lower", "upper", "interval", "method"]
    hidden = frame.isna().to_numpy().ravel()
    for name in ("lower", "upper"):
        np.testing.assert_allclose(
            cells[name][hidden].astype(float), getattr(expected, name).ravel()[hidden], rtol=1e-5
        )
        assert set(cells[name][~hidden]) == {""}
    assert set(cells.interval[hidden]) == {"0.8"} and not set(cells.lower[hidden]) & set(cells.upper[hidden])
    assert run(*argv, "--out", "out.xlsx").code == run(*argv, "--out", "out.parquet").code == 0
    assert {"Lower", "Upper"} < set(openpyxl.load_workbook("out.xlsx").sheetnames)
    np.testing.assert_allclose(pd.read_parquet("out.parquet").lower[hidden], expected.lower.ravel()[hidden])


def test_an_interval_without_room_or_without_a_model_for_it_is_refused(run, tmp_path):
    (tmp_path / "in.csv").write_text(WIDE)
    wide = ("impute", "in.csv", "--model", "universal", "--interval", "0.9")
    message = "error: a wide CSV has no room for the ends of --interval: add --long, or write .xlsx or .parquet"
    assert failure(run(*wide)) == failure(run(*wide, "--out", "out.csv")) == message
    line = failure(run("impute", "in.csv", "--model", "ml-1m", "--interval", "0.9", "--long"))
    assert line == "error: 'ml-1m' gives no intervals: use --model universal"


def test_impute_writes_excel_and_parquet(run, tmp_path):
    (tmp_path / "in.csv").write_text(WIDE)
    assert run("impute", "in.csv", "--out", "out.xlsx").code == 0
    assert openpyxl.load_workbook("out.xlsx")["Filled"]["B2"].value == 5
    assert run("impute", "in.csv", "--out", "out.parquet").code == 0
    assert pd.read_parquet("out.parquet").provenance.value_counts().to_dict() == {"observed": 9, "imputed": 3}
    result = run("impute", "out.xlsx", "--sheet", "Filled", "--quiet")
    assert result.code == 4 and "nothing to fill in: all 12 cells" in result.said and not result.out
