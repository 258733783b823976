"""metamf impute: a table in, the same table out with its gaps filled."""

import csv
import io
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import peoples_files
import pytest
from commands import failure, in_an_empty_folder, process, run  # noqa: F401  fixtures

from metamf.checkpoints.bundled import find_checkpoint
from metamf.checkpoints.files import load_checkpoint, save_checkpoint

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


def test_impute_asks_for_the_role_of_an_age_and_gives_back_what_is_left_alone(run, tmp_path):
    (tmp_path / "form.csv").write_bytes(peoples_files.form())
    result = run("impute", "form.csv", "--out", "out.csv")
    assert result.code == 3 and "say --leave-alone Age if they are not ratings, or --ratings Age" in result.said
    result = run("impute", "form.csv", "--out", "out.csv", "--leave-alone", "Age", "--round")
    before, after = (
        list(csv.reader((tmp_path / name).read_text("utf-8").splitlines())) for name in ("form.csv", "out.csv")
    )
    changed = {(was, now) for old, new in zip(before, after) for was, now in zip(old, new) if was != now}
    assert result.code == 0 and changed and changed <= {("", str(k)) for k in range(1, 8)}
    assert 'Left alone, and written as read: "Timestamp" (dates or times)' in result.said
    (tmp_path / "marks.csv").write_bytes(peoples_files.marks())
    assert "(--missing abs)" in run("impute", "marks.csv", "--out", "out.csv").said


def test_impute_reads_words_in_the_order_that_is_given(run, tmp_path):
    (tmp_path / "in.csv").write_bytes(peoples_files.agreement())
    order = "<".join(peoples_files.AGREEMENT[::-1])
    result = run("impute", "in.csv", "--out", "out.csv", "--words", order, "--snippet", "again.py")
    assert result.code == 0 and "Strongly agree = 1" in result.said
    lines = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert {cell for line in lines for cell in line.split(",")} <= set(peoples_files.AGREEMENT)
    assert f"words=({peoples_files.AGREEMENT[::-1]!r},)" in (tmp_path / "again.py").read_text()
    assert run("impute", "in.csv", "--words", "a<a").code == 2


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
        (("--standardize", "chosen"), {"standardize": "chosen"}),
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
    assert run("impute", "in.csv", "--out", "out.svg").code == 0 and b"</svg>" in Path("out.svg").read_bytes()
    assert run("impute", "in.csv", "--out", "out.parquet").code == 0
    assert pd.read_parquet("out.parquet").provenance.value_counts().to_dict() == {"observed": 9, "imputed": 3}
    result = run("impute", "out.xlsx", "--sheet", "Filled", "--quiet")
    assert result.code == 0 and result.out.count("\n") == 5


def test_impute_reports_clipping(run, tmp_path):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((20, 20)) < 0.4, np.where(np.arange(20)[:, None] < 10, 5.0, 1.0), np.nan)
    X[0, :3] = 1, 2, 3
    pd.DataFrame(X).to_csv("in.csv", index=False, header=False)
    result = run("impute", "in.csv", "--long", "--model", "ml-1m")
    clipped = result.out.count(",clipped,")
    assert (
        clipped > 0 and f"\n{clipped:,} estimates clipped to 1 ... 5, or near what their column holds." in result.said
    )
    assert "No limits were put on the estimates" in run("impute", "in.csv", "--no-clip").said


def test_a_checkpoint_of_one_s_own_is_used_by_its_path(run, tmp_path):
    (tmp_path / "in.csv").write_text(WIDE)
    model, info = load_checkpoint(find_checkpoint("jester"))
    save_checkpoint(tmp_path / "mine.safetensors", model, info)
    mine, theirs = (run("impute", "in.csv", "-q", "--model", name).out for name in ("mine.safetensors", "jester"))
    assert mine == theirs != run("impute", "in.csv", "-q").out


@pytest.mark.slow
def test_in_a_pipe():
    child = process("-m", "metamf", "impute", "-")
    out, said = child.communicate(WIDE.encode(), timeout=60)
    assert child.returncode == 0
    assert out.decode().splitlines()[0] == WIDE.splitlines()[0] and out.count(b"\n") == 5
    assert b";;" not in out and b"4 rows and 3 columns" in said


def test_a_table_of_several_under_each_other_is_chosen_by_an_option(run, tmp_path):
    lines = ["name,a,b", "Ada,1,2", "Ben,3,", "Cy,2,4", ",,", "name,x,y", "Ada,5,4", "Ben,,3", "Cy,1,2", "Di,2,2"]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    assert "the one on lines 6 to 10 was read" in run("impute", "in.csv", "--out", "out.csv").said
    result = run("impute", "in.csv", "--table", "1", "--out", "out.csv")
    assert result.code == 0 and "the one on lines 1 to 4 was read" in result.said
    assert (tmp_path / "out.csv").read_text().startswith("name,a,b\nAda,1,2\nBen,3,")
    assert run("impute", "in.csv", "--table", "0").code == 2
