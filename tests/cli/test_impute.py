"""metamf impute: a table in, the same table out with its gaps filled; the plan, methods, report, draws
and shift."""

import csv
import io
import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from commands import failure, in_an_empty_folder, run  # noqa: F401  fixtures
from made_up import stars

from metamf.__main__ import main
from metamf.answer import draws_file
from metamf.answer.methods import method
from metamf.answer.table_filling import fill_in, impute_command
from metamf.cli import impute
from metamf.cli.impute import AMBER, NOTHING
from metamf.tables import write
from metamf.tables.plan import Plan
from metamf.tables.table import read

WIDE = "name;first;second;third\nann;5,0;;1\nbo;;4;2\ncy;1;2;\ndi;3;5;3\n"
CODED = "name,a,b,c\n" + "".join(
    f"p{i},{'-99' if i == 3 else 1 + i % 5},{'' if i == 2 else 1 + i % 4},{1 + (i * 2) % 5}\n"
    for i in range(12)
)


@pytest.fixture
def table(tmp_path):
    content = stars(12, 7, sign=";", ending=",0")
    (tmp_path / "in.csv").write_bytes(content)
    return read(content)


def written(path, sign=","):
    return list(csv.reader(io.StringIO(path.read_text()), delimiter=sign))


def test_only_the_gaps_are_written_and_they_have_the_form_of_the_file(run, tmp_path):
    (tmp_path / "in.csv").write_text(WIDE)
    result = run("impute", "in.csv", "--out", "out.csv")
    assert (result.code, result.out) == (0, "")
    after = written(tmp_path / "out.csv", ";")
    for before, line in zip(written(tmp_path / "in.csv", ";"), after, strict=True):
        for old, new in zip(before, line, strict=True):
            assert new == old if old else 1 <= float(new.replace(",", ".")) <= 5
    assert "Filling in 3 cells by Universal ..." in result.said
    assert "Written to out.csv." in result.said


def test_what_is_amber_comes_first_stops_strict_and_is_settled_by_an_edit(run, tmp_path):
    (tmp_path / "in.csv").write_text(CODED)
    said = run("impute", "in.csv", "--out", "kept.csv").said.splitlines()
    assert "-99" in said[0] and len(said) < 12 + 3
    assert written(tmp_path / "kept.csv")[4][1] == "-99"
    strict = ("impute", "in.csv", "--out", "out.csv", "--strict")
    assert run(*strict).code == AMBER
    assert not (tmp_path / "out.csv").exists()
    assert run(*strict, "--column", "a: missing -99").code == 0
    assert 1 <= float(written(tmp_path / "out.csv")[4][1]) <= 5


def test_a_plan_that_was_saved_reads_the_file_in_the_same_way(run, tmp_path):
    (tmp_path / "in.csv").write_text(CODED)
    edits = ("--column", "a: missing -99", "--column", "c: keep")
    run("impute", "in.csv", "--out", "first.csv", *edits, "--save-plan", "plan.json")
    assert Plan.from_json((tmp_path / "plan.json").read_text()).edits == edits[1::2]
    run("impute", "in.csv", "--out", "again.csv", "--plan", "plan.json")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "first.csv").read_bytes()


def test_a_sheet_of_a_workbook_is_named(run, tmp_path):
    with pd.ExcelWriter("in.xlsx") as book:
        for title in ("Spring", "Autumn"):
            cells = {"name": list("pqrst"), f"{title} 1": [1, 2, 3, 2, 1], "b": [1, 3, None, 2, 1]}
            pd.DataFrame(cells).to_excel(book, sheet_name=title, index=False)
    assert run("impute", "in.xlsx", "--sheet", "Autumn", "--out", "out.csv").code == 0
    assert written(tmp_path / "out.csv")[0] == ["name", "Autumn 1", "b"]


def test_an_encoding_is_named(run, tmp_path):
    (tmp_path / "in.csv").write_bytes("näme,a,b\nÖ,1,2\nü,3,\nx,2,1\n".encode("cp1252"))
    run("impute", "in.csv", "--encoding", "cp1252", "--out", "out.csv")
    assert (tmp_path / "out.csv").read_bytes().startswith("näme".encode("cp1252"))


def test_where_nothing_is_to_be_filled_the_exit_code_is_4(run, tmp_path):
    (tmp_path / "in.csv").write_text("name,a,b\nx,1,2\ny,3,4\nz,2,2\n")
    assert run("impute", "in.csv", "--out", "out.csv").code == NOTHING
    assert not (tmp_path / "out.csv").exists()


def test_a_log_is_written_with_the_lines_that_it_lacks(run, tmp_path):
    text = "who\twhat\tstars\nann\tx\t5\nann\ty\t2\nbo\tx\t4\ncy\ty\t1\ncy\tx\t3\n"
    (tmp_path / "log.tsv").write_text(text)
    result = run("impute", "log.tsv", "--column", "form: long who,what,stars")
    assert result.out.startswith(text)
    assert result.out.splitlines()[6].startswith("bo\ty\t")


def test_any_method_fills_in(run, table):
    result = run("impute", "in.csv", "-q", "--model", "als")
    assert (result.code, result.said) == (0, "")
    assert result.bytes == write.to_csv(table, fill_in(table.ratings, method("als")))


def test_one_line_per_cell_tells_where_each_number_comes_from_and_its_interval(run, table):
    result = run("impute", "in.csv", "-q", "--interval", "0.8", "--long")
    found = pd.read_csv(io.StringIO(result.out), sep=None, engine="python", dtype=str)
    given = found.provenance == "observed"
    assert given.sum() == table.ratings.nnz and set(found.method[~given]) == {"Universal"}
    assert found.lower[given].isna().all() and found.lower[~given].notna().all()


def test_an_interval_without_room_or_without_a_model_for_it_is_refused(run, table):
    message = "error: a wide CSV has no room for the ends of --interval: add --long, or write "
    assert failure(run("impute", "in.csv", "--interval", "0.9")).startswith(message)
    line = failure(run("impute", "in.csv", "--model", "ml-1m", "--interval", "0.9", "--long"))
    assert line == "error: 'ml-1m' gives no intervals: use --model universal"


def test_nobody_is_warned_of_a_checkpoint_that_hardly_counts(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal([0, 1000], [[1, 9], [9, 100]], 60).round(2)
    lines = [",".join("" if rng.random() < 0.2 else str(x) for x in row) for row in X]
    (tmp_path / "units.csv").write_text("\n".join(["a,b", *lines]), "utf-8")
    assert "outside what" not in run("impute", "units.csv", "--out", "out.csv").said
    alone = run("impute", "units.csv", "--model", "ml-100k", "--out", "out.csv")
    assert "This table is outside what " in alone.said


def test_drawn_tables_with_one_line_per_cell_are_refused(run, table):
    line = failure(run("impute", "in.csv", "--draws", "3", "--long"))
    assert line == "error: --draws writes whole tables, --long one line per cell: leave one out"


def test_the_command_that_the_page_prints_makes_the_same_file(run, tmp_path, table):
    how = method("ml-1m", steps=2)
    words = impute_command("in.csv", ["c1: keep"], how, "out.csv", hold_out=0.1)
    assert run(*shlex.split(words)[3:]).code == 0
    edited = read((tmp_path / "in.csv").read_bytes(), edits=("c1: keep",))
    answer = fill_in(edited.ratings, how, hold_out=0.1)
    assert (tmp_path / "out.csv").read_bytes() == write.to_csv(edited, answer)


@pytest.mark.parametrize("name", ["-it's $(a) file.csv", "a b.csv"])
def test_the_command_quotes_names_and_edits(name):
    edits = ["-x: keep", '"a: b": missing "?"', "q; $(x): scale 1 to 7"]
    words = shlex.split(impute_command(name, edits, method("universal"), "out.csv"))
    assert words[4].removeprefix("./") == name
    assert [word.removeprefix("--column=") for word in words[5:8]] == edits


@pytest.mark.slow
def test_a_report_says_which_method_to_use_and_gives_the_figures(run, tmp_path, table, monkeypatch):
    monkeypatch.setattr(impute, "usual_repeats", lambda _: 3)
    argv = ("--report-json", "report.json", "--seed", "5")
    result = run("impute", "in.csv", "--out", "out.csv", "--model", "soft_impute", *argv)
    assert (result.code, result.out) == (0, "")
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["seed"] == 5
    assert report["verdict"].replace("\N{NO-BREAK SPACE}", " ") in result.said
    assert {"soft_impute", "universal"} <= {found["key"] for found in report["methods"]}
    for found in report["methods"]:
        rmse = f"RMSE {np.mean(found['rmse']):.3f} ± {np.std(found['rmse'], ddof=1):.3f}"
        assert re.search(f"{re.escape(found['label'])} +{rmse}", result.said)


ITEMS = ["q1", "q2", "q3", "q4"]


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(2)
    X = np.clip(np.round(3 + rng.normal(size=(30, 1)) + 0.6 * rng.normal(size=(30, 4))), 1, 5)
    frame = pd.DataFrame(np.where(rng.random(X.shape) < 0.75, X, np.nan), columns=ITEMS)
    frame.insert(0, "person", [f"p{n}" for n in range(30)])
    frame.to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path / "survey.csv"


def filled_file(path, name, *more):
    """The file that the command writes next to another."""
    out = path.with_name(name)
    assert main(["impute", str(path), *more, "--out", str(out)]) == 0
    return out


def test_tables_below_each_other(survey, capsys, monkeypatch):
    monkeypatch.setattr(draws_file, "MOST_LINES", 3)
    long = pd.read_csv(filled_file(survey, "filled.csv", "--draws", "3"))
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
    usual = pd.read_csv(filled_file(survey, "usual.csv"))[ITEMS].to_numpy()
    lower = pd.read_csv(filled_file(survey, "lower.csv", "--shift=-0.5"))[ITEMS].to_numpy()
    missing = pd.read_csv(survey)[ITEMS].isna().to_numpy()
    assert (lower[missing] <= usual[missing]).all()  # both in the digits of the column
    assert (usual[missing] - lower[missing]).mean() > 0.2
    assert (lower[~missing] == usual[~missing]).all()
