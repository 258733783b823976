"""The command line: help, mistakes, impute, download."""

import csv
import io
import re

import numpy as np
import openpyxl
import pandas as pd
import pytest
from commands import failure, in_an_empty_folder, process, run  # noqa: F401  fixtures

from metamf import datasets
from metamf.__main__ import COMMANDS
from metamf.checkpoints.bundled import find_checkpoint
from metamf.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from metamf.cli import impute
from metamf.datasets import DownloadError

NAMES = [command.__name__.rpartition(".")[2] for command in COMMANDS]


# -- help and mistakes ------------------------------------------------------------------------------------------------


def test_help_shows_every_command_with_examples(run):
    result = run("--help")
    assert result.code == 0
    for name in NAMES:
        assert f"    {name} " in result.out
    assert "examples:\n  python -m metamf impute ratings.csv --out filled.csv" in result.out


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_command_shows_defaults_and_examples_that_parse(run, name):
    result = run(name, "--help")
    assert result.code == 0 and f"examples:\n  python -m metamf {name}" in result.out
    assert "SUPPRESS" not in result.out and "%%" not in result.out
    if name != "download":
        assert "(default: " in " ".join(result.out.split())  # wherever the line is broken
    assert max(map(len, result.out.split("examples:")[0].splitlines())) <= 80


def test_version(run):
    assert run("--version").out.startswith("metamf 0.")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "required: COMMAND"),
        (("fill",), "invalid choice: 'fill'"),
        (("download", "netflix"), "invalid choice: 'netflix'"),
        (("impute",), "required: IN"),
        (("impute", "x.csv", "--steps", "-1"), "'-1' is no whole number of at least 0"),
        (("impute", "x.csv", "--steps", "ten"), "'ten' is no whole number of at least 0"),
        (("impute", "x.csv", "--interval", "90"), "'90' is no level between 0.01 and 0.99, such as 0.9"),
        (("impute", "x.csv", "--interval", "wide"), "'wide' is no level between 0.01 and 0.99"),
        (("impute", "x.csv", "--scale", "5:1"), "'5:1' is no scale such as 1:5 or 0.5:5:0.5"),
        (("impute", "x.csv", "--scale", "1:5:1:2"), "'1:5:1:2' is no scale"),
        (("impute", "x.csv", "--hold-out", "10"), "'10' is no share between 0 and 1"),
        (("impute", "x.csv", "--delimiter", "x"), "'x' is none of comma, semicolon, tab"),
        (("impute", "x.csv", "--device", "abacus"), "'abacus' is not available here"),
        (("impute", "x.csv", "--columns", "user", "item"), "expected 3 arguments"),
        (("train",), "required: --data"),
        (("train", "--data", "ml-100k", "--epochs", "0"), "'0' is no whole number of at least 1"),
        (("train", "--data", "ml-100k", "--out", "x.pt"), "'x.pt' does not end in .safetensors"),
        (("train", "--data", "ml-100k", "--resume", "--fresh"), "not allowed with argument"),
        (("evaluate", "--methods", "ours,magic"), "there is no method 'magic'; choose from ours, eml"),
        (("benchmark", "nothing"), "invalid choice: 'nothing'"),
    ],
)
def test_wrong_usage_is_answered_by_usage_one_line_and_exit_code_2(run, argv, message):
    result = run(*argv)
    assert result.code == 2 and result.out == ""
    assert result.said.startswith("usage: python -m metamf")
    assert message in result.said.splitlines()[-1]


@pytest.mark.parametrize(
    ("content", "argv", "message"),
    [
        (b"a,b\n1,great\n2,3\n4,5\n", (), '"great" is no number'),
        (b"", (), "the file is empty"),
        (b"a,b\n,\n,\n", (), "no observed cell"),
        (b"u,i,r\nann,x,1\nann,x,2\n", ("--form", "long"), "given more than once"),
        (b"a,b\n1,2\n", ("--decimal", ",", "--thousands", "comma"), "decimal and thousands sign cannot both be"),
        (b"u,i,r\nann,x,1\n", ("--columns", "u", "i", "9"), "no column at position 8"),
        (b"\x01\x02\x03", (), "the control character"),
    ],
)
def test_a_table_that_cannot_be_read_is_answered_by_one_sentence_and_a_code_of_its_own(
    run, tmp_path, content, argv, message
):
    (tmp_path / "t.csv").write_bytes(content)
    assert re.search(message, failure(run("impute", "t.csv", *argv), impute.UNREADABLE))


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--model", "ml-2m"), "there is no checkpoint 'ml-2m': .* jester, ml-100k, ml-1m"),
        (("--model", "t.csv"), "t.csv is not a safetensors checkpoint"),
        (("--model", "ours"), "'ours' has to be meta-trained"),
        (("--model", "mean", "--steps", "3"), "steps: settings of checkpoints, and 'mean' is none"),
        (("--out", "no/such/folder/x.csv"), "there is no folder no/such/folder for no/such/folder/x.csv"),
        (("--manifest", "no/such/x.json"), "there is no folder no/such for no/such/x.json"),
        (("--out", "x.csv", "--snippet", "x.csv"), "x.csv would be written twice"),
        (("--out", "x.json"), "x.json ends in none of"),
        (("--report",), "2 observed cells are too few for a report: it takes 10"),
        (("--round", "--scale", "none"), "can only be rounded to a scale with steps"),
        (("--hold-out", "0.9"), "leaves none to estimate from"),
    ],
)
def test_what_cannot_be_done_is_answered_by_one_sentence_and_nothing_is_written(run, tmp_path, argv, message):
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,2\n")
    assert re.search(message, failure(run("impute", "t.csv", *argv)))
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_missing_file_is_named(run):
    assert failure(run("impute", "nowhere.csv")) == "error: No such file or directory: nowhere.csv"
    assert "Is a directory" in failure(run("impute", "."))


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: 1 TB")])
def test_a_lack_of_memory_is_a_sentence_and_a_bug_is_a_traceback(run, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(impute, "check_names", fail)
    assert failure(run("impute", "x.csv")) == "error: there is not enough memory for a matrix of this size"
    error = RuntimeError("a mistake of ours")
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        run("impute", "x.csv")


# -- impute -----------------------------------------------------------------------------------------------------------

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
    assert "Filling in 4 cells by MetaMF universal ..." in result.said and "Written to out.csv." in result.said


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
    assert cells.method["bo", "y"] == "MetaMF universal"


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
    assert result.code == 0 and result.out.count("\n") == 5


def test_impute_reports_clipping(run, tmp_path):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((20, 20)) < 0.4, np.where(np.arange(20)[:, None] < 10, 5.0, 1.0), np.nan)
    X[0, :3] = 1, 2, 3
    pd.DataFrame(X).to_csv("in.csv", index=False, header=False)
    result = run("impute", "in.csv", "--long", "--model", "ml-1m")
    clipped = result.out.count(",clipped,")
    assert clipped > 0 and f"\n{clipped:,} were clipped to 1 ... 5." in result.said
    assert "No limits were put on the estimates" in run("impute", "in.csv", "--no-clip").said


def test_a_checkpoint_of_one_s_own_is_used_by_its_path(run, tmp_path):
    (tmp_path / "in.csv").write_text(WIDE)
    model, info = load_checkpoint(find_checkpoint("jester"))
    save_checkpoint(tmp_path / "mine.safetensors", model, info)
    mine, theirs = (run("impute", "in.csv", "-q", "--model", name).out for name in ("mine.safetensors", "jester"))
    assert mine == theirs != run("impute", "in.csv", "-q").out


# -- download ---------------------------------------------------------------------------------------------------------


def test_download_prints_the_path_and_says_the_licence(run, tmp_path, monkeypatch):
    def download(name, folder, progress):
        for done in (0, 1_000_000, 4_924_029):
            progress(done, 4_924_029)
        return folder / "ml-100k.zip"

    monkeypatch.setattr(datasets, "download", download)
    result = run("download", "ml-100k", "--folder", tmp_path)
    assert result.code == 0 and result.out == f"{tmp_path / 'ml-100k.zip'}\n"
    assert "ml-100k.zip: 100%" in result.said and "4.92M/4.92M" in result.said
    assert "no redistribution" in result.said and "Please cite: F. Maxwell Harper" in result.said
    (tmp_path / "ml-100k.zip").touch()
    assert "MovieLens 100K is here already." in run("download", "ml-100k", "--folder", tmp_path).said


def test_a_download_that_fails_or_is_stopped(run, tmp_path, monkeypatch):
    def fail(error):
        def download(name, folder, progress):
            raise error

        return download

    monkeypatch.setattr(datasets, "download", fail(DownloadError("Jester could not be\ndownloaded: no connection")))
    assert failure(run("download", "jester", "--folder", tmp_path)) == (
        "error: Jester could not be downloaded: no connection"
    )
    monkeypatch.setattr(datasets, "download", fail(KeyboardInterrupt()))
    result = run("download", "jester", "--folder", tmp_path)
    assert result.code == 130 and result.said.endswith("stopped\n")


def test_in_a_pipe():
    child = process("-m", "metamf", "impute", "-")
    out, said = child.communicate(WIDE.encode(), timeout=60)
    assert child.returncode == 0
    assert out.decode().splitlines()[0] == WIDE.splitlines()[0] and out.count(b"\n") == 5
    assert b";;" not in out and b"4 rows and 3 columns" in said
