"""The command line: what each command does, says, and answers to mistakes. In this process, but for two real runs."""

import csv
import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import openpyxl
import pandas as pd
import pytest
import torch

from metamf import datasets
from metamf.__main__ import COMMANDS, main
from metamf.checkpoints import find_checkpoint, load_checkpoint, read_safetensors, save_checkpoint
from metamf.cli import benchmark, evaluate, impute
from metamf.datasets import DownloadError, synthetic
from metamf.ratings import RatingScale
from metamf.training import MetaTraining

REPOSITORY = Path(__file__).resolve().parent.parent
NAMES = [command.__name__.rpartition(".")[2] for command in COMMANDS]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsysbinary):
    """Runs a command; its exit code, what it wrote, and what it said."""

    def run(*argv):
        try:
            code = main([str(word) for word in argv])
        except SystemExit as leave:
            code = leave.code
        out, said = capsysbinary.readouterr()
        return SimpleNamespace(code=code, out=out.decode(errors="replace"), said=said.decode(), bytes=out)

    return run


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


def failure(result, code: int = 1) -> str:
    """The one line that a failed command said."""
    assert result.code == code and result.out == ""
    [line] = [line for line in result.said.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in result.said and result.said.endswith(line + "\n")
    return line


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
    before, after = (list(csv.reader(io.StringIO(text), delimiter=";")) for text in
                     (WIDE, (tmp_path / "out.csv").read_text()))  # fmt: skip
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
        ("ann", "x"): "observed", ("ann", "y"): "observed", ("bo", "x"): "observed", ("bo", "y"): "imputed"
    }  # fmt: skip
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


# -- train ------------------------------------------------------------------------------------------------------------


def made_up_ratings(name="ml-100k", folder=None):
    return synthetic(np.random.default_rng(0), 100, 80, density=0.4, scale=RatingScale(1, 5, 1)).ratings


@pytest.fixture
def data(monkeypatch):
    """Instead of MovieLens: a matrix on which an epoch takes a fraction of a second."""
    monkeypatch.setattr(datasets, "load", made_up_ratings)


TRAIN = ("train", "--data", "ml-100k", "--preset", "paper", "--epochs", "3", "--out", "my.safetensors")


def test_train_writes_checkpoint_card_and_log(run, tmp_path, data):
    result = run(*TRAIN, "--log", "log.csv")
    assert result.code == 0 and result.out == "my.safetensors\n"
    assert "3/3" in result.said and "validation error" in result.said and "% of the support mean's error" in result.said
    _, info = load_checkpoint("my.safetensors")
    assert (info.name, info.data, info.split_seed, info.recipe["preset"]) == ("my", "ml-100k", 0, "paper")
    assert info.recipe["command"] == (
        "python -m metamf train --data ml-100k --preset paper --split 0 --seed 0 --epochs 3 --out my.safetensors"
    )
    assert info.errors["ratio"] < 1.05 and f"{100 * info.errors['ratio']:.1f} %" in result.said
    assert f"**{info.errors['ratio']:.4f}**" in (tmp_path / "my.md").read_text()
    log = pd.read_csv("log.csv")
    assert log.epoch.tolist() == [1, 2, 3]
    assert log.best_error.tolist() == log.validation_error.cummin().tolist()
    assert sorted(os.listdir()) == ["log.csv", "my.md", "my.safetensors"]


def assert_same_parameters(path, other):
    parameters, others = read_safetensors(path)[0], read_safetensors(other)[0]
    assert parameters.keys() == others.keys()
    for name in parameters:
        assert torch.equal(parameters[name], others[name]), name


def interrupt_in_epoch(monkeypatch, epoch, error=KeyboardInterrupt):
    whole = MetaTraining._epoch

    def interrupted(self):
        if len(self.history) + 1 == epoch:
            raise error
        return whole(self)

    monkeypatch.setattr(MetaTraining, "_epoch", interrupted)


def test_ctrl_c_keeps_the_best_so_far_and_the_same_command_comes_to_the_same_result(run, data, monkeypatch):
    assert run(*TRAIN[:-1], "whole.safetensors", "--log", "whole.csv").code == 0
    with monkeypatch.context() as patched:
        interrupt_in_epoch(patched, 3)
        result = run(*TRAIN)
    assert result.code == 130 and result.out == "my.safetensors\n"
    assert "Stopped: the best so far was kept, and the same command goes on from here." in result.said
    assert load_checkpoint("my.safetensors")[1].recipe["best_epoch"] in (1, 2)
    resumed = run(*TRAIN, "--resume", "--log", "my.csv")
    assert resumed.code == 0 and "Going on with the run that was stopped" in resumed.said
    assert_same_parameters("my.safetensors", "whole.safetensors")
    pd.testing.assert_frame_equal(pd.read_csv("my.csv"), pd.read_csv("whole.csv"))
    assert not [name for name in os.listdir() if name.endswith(".state")]


def test_ctrl_c_before_the_first_epoch_ends_leaves_nothing(run, data, monkeypatch):
    interrupt_in_epoch(monkeypatch, 1)
    result = run(*TRAIN)
    assert result.code == 130 and "there is nothing to keep" in result.said
    assert os.listdir() == []


def test_training_that_diverges_keeps_the_best_and_fails(run, data, monkeypatch):
    interrupt_in_epoch(monkeypatch, 2, FloatingPointError("the training error became nan in epoch 2"))
    result = run(*TRAIN)
    assert result.code == 1 and result.said.endswith("error: the training error became nan in epoch 2\n")
    assert load_checkpoint("my.safetensors")[1].recipe["best_epoch"] == 1


def test_fresh_begins_anew_and_other_settings_are_another_run(run, data, monkeypatch):
    with monkeypatch.context() as patched:
        interrupt_in_epoch(patched, 2)
        run(*TRAIN)
        assert "Going on" not in run(*TRAIN, "--seed", "1").said
    assert len([name for name in os.listdir() if name.endswith(".state")]) == 2
    assert "Going on" not in run(*TRAIN, "--fresh", "--log", "log.csv").said
    assert pd.read_csv("log.csv").epoch.tolist() == [1, 2, 3]
    assert "there is no stopped run to resume" in failure(run(*TRAIN, "--resume"))


def test_a_run_that_was_over_but_for_its_checkpoint_is_finished(run, data, monkeypatch):
    assert run(*TRAIN[:-1], "whole.safetensors").code == 0
    with monkeypatch.context() as patched:
        patched.setattr(
            "metamf.recipes.Run.finish", lambda self, out, command: (_ for _ in ()).throw(OSError(28, "full"))
        )
        assert failure(run(*TRAIN)) == "error: full"
    assert run(*TRAIN, "--log", "log.csv").code == 0
    assert len(pd.read_csv("log.csv")) == 3
    assert_same_parameters("my.safetensors", "whole.safetensors")


def test_a_data_set_that_is_not_here_is_said_with_the_command_that_gets_it(run, tmp_path):
    for command in (("train", "--data", "jester"), ("evaluate", "--data", "jester")):
        line = failure(run(*command, "--folder", tmp_path))
        assert "Jester 1, part 1 is not here" in line and "`python -m metamf download jester`" in line


# -- evaluate, benchmark ----------------------------------------------------------------------------------------------


def test_evaluate_compares_methods_on_the_same_blocks(run, data, monkeypatch):
    monkeypatch.setattr(evaluate, "FITTING_BLOCKS", 30)
    methods = ("eml", "ft", "crossed_effects", "mean")
    result = run("evaluate", "--methods", ",".join(methods), "--splits", 2, "--blocks", 20, "--preset", "paper",
                 "--epochs", 2, "--out", "rows.csv")  # fmt: skip
    assert result.code == 0
    rows = pd.read_csv("rows.csv")
    assert list(zip(rows.split, rows.method)) == [(split, method) for split in (0, 1) for method in methods]
    mean = rows[rows.method == "mean"]
    np.testing.assert_allclose(mean.ratio, 1)
    assert (rows[rows.method == "crossed_effects"].query_mse.to_numpy() < mean.query_mse.to_numpy()).all()
    eml, ft = (rows[rows.method == method].support_mse.to_numpy() for method in ("eml", "ft"))
    assert (ft < eml).all()  # the same network, finetuned
    header, columns, _, *lines = result.out.splitlines()
    assert header == "ml-100k: 2 split(s), 20 blocks each, standardised units"
    assert [line.split()[0] for line in lines] == ["EML", "FT", "Crossed", "Mean"]
    assert f"{rows[rows.method == 'eml'].query_mse.mean():.4f}" in lines[0] and lines[0].split()[-1] == "-"
    assert 0 < float(lines[3].split()[-1]) < 1


@pytest.mark.parametrize(("preset", "dropout"), [("tuned", 0.0), ("paper", 0.1)])
def test_evaluate_trains_every_network_with_the_preset_s_dropout(run, data, monkeypatch, preset, dropout):
    trained = []
    monkeypatch.setattr(
        evaluate, "MetaTraining", lambda method, *_: trained.append(method) or SimpleNamespace(run=list)
    )
    assert run("evaluate", "--methods", "ours,eml,maml", "--splits", 1, "--blocks", 5, "--preset", preset).code == 0
    assert [method.config.dropout for method in trained] == [dropout] * 3


def test_evaluate_tunes_on_meta_validation_blocks(run, data):
    argv = ("evaluate", "--methods", "damped_bias", "--splits", 1, "--blocks", 10, "--out", "rows.csv")
    errors = []
    for tune in ((), ("--tune",)):
        assert run(*argv, *tune).code == 0
        errors.append(pd.read_csv("rows.csv").query_mse[0])
    assert errors[0] != errors[1]


def test_benchmark_lists_and_runs_the_scripts(run, monkeypatch):
    assert "speed: Time and memory" in run("benchmark", "--help").out
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda command, env: calls.append(command) or SimpleNamespace(returncode=3))
    assert run("benchmark", "splits", "--splits", "2").code == 3
    assert calls == [[sys.executable, "-m", "benchmarks.splits", "--splits", "2"]]
    scripts = set(benchmark.scripts())
    assert scripts >= {"speed", "splits", "experiments"} and not scripts & {"turns", "report_scale", "__init__"}


# -- real processes ---------------------------------------------------------------------------------------------------


def process(*argv, **options):
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, *argv], env=environment, **pipes, **options)


def test_in_a_pipe():
    child = process("-m", "metamf", "impute", "-")
    out, said = child.communicate(WIDE.encode(), timeout=60)
    assert child.returncode == 0
    assert out.decode().splitlines()[0] == WIDE.splitlines()[0] and out.count(b"\n") == 5
    assert b";;" not in out and b"4 rows and 3 columns" in said


def test_a_real_ctrl_c_leaves_a_checkpoint_that_loads(tmp_path):
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from metamf import datasets; from metamf.__main__ import main; from tests.test_cli import made_up_ratings\n"
        "datasets.load = made_up_ratings; sys.exit(main(sys.argv[1:]))"
    )
    child = process("-c", script, *TRAIN[:5], "--epochs", "2000", "--out", "my.safetensors", cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".my.*.state")) and time.monotonic() < deadline:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    out, said = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, b"my.safetensors\n"), said.decode()
    assert b"the best so far was kept" in said and b"Traceback" not in said
    _, info = load_checkpoint(tmp_path / "my.safetensors")
    assert 1 <= info.recipe["best_epoch"] < 2000
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".my.safetensors.")]  # half-written ones
