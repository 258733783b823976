"""Every example runs from any folder, and shows what its prose says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((REPOSITORY / "examples").glob("[!_]*.py"))
SHOWN = {
    "csv_file": "delimiter ';'|99|RMSE|Average of the row|Person 1;|imputed|refused:",
    "researcher": "symmetries hold|epoch 5|learned shrinkage|Mean ",
    "teacher": "ratings are given|row means|step  0|step 10|by hand|shuffling|90 % intervals",
}


def run(path, folder):
    own = {"PYTHONPATH": str(REPOSITORY), "METAMF_DATA": str(folder), "TMPDIR": str(folder)}
    where = {"cwd": folder, "env": os.environ | own}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, **where)
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_shows_what_it_promises(path, tmp_path):
    said = run(path, tmp_path)
    for text in SHOWN[path.stem].split("|"):
        assert text in said, said
    if path.stem == "researcher":  # better than the mean, or the example would teach nothing
        found = re.findall(r"^(\S.{23}) (\d\.\d{3})$", said, re.M)
        ratios = {name.strip(): float(ratio) for name, ratio in found}
        assert ratios["learned shrinkage"] < 0.9 < ratios["Mean"] == 1
    if path.stem == "teacher":
        steps = [float(error) for error in re.findall(r"hidden ratings (\d\.\d+)", said)]
        assert len(steps) == 11 and steps[-1] < float(re.search(r"the mean: (\d\.\d+)", said)[1])


def test_each_example_is_listed():
    listed = (REPOSITORY / "examples" / "README.md").read_text("utf-8")
    assert len(EXAMPLES) == 3
    for path in EXAMPLES:
        assert f"`examples/{path.name}`" in listed
