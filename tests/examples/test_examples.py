"""Every example runs from any folder, and shows what its prose says."""

import json
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
RUN_ALL = """\
import contextlib, io, json, runpy, sys
said = {}
for path in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(path, run_name="__main__")
    said[path] = printed.getvalue()
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What each example prints, by its path; one process runs all, so torch is imported once."""
    folder = tmp_path_factory.mktemp("elsewhere")
    own = {"PYTHONPATH": str(REPOSITORY), "METAMF_DATA": str(folder), "TMPDIR": str(folder)}
    where = {"cwd": folder, "env": os.environ | own}
    command = [sys.executable, "-c", RUN_ALL, *EXAMPLES]
    done = subprocess.run(command, capture_output=True, text=True, **where)
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_shows_what_it_promises(path, said):
    printed = said[str(path)]
    for text in SHOWN[path.stem].split("|"):
        assert text in printed
    if path.stem == "researcher":  # better than the mean, or the example would teach nothing
        found = re.findall(r"^(\S.{23}) (\d\.\d{3})$", printed, re.M)
        ratios = {name.strip(): float(ratio) for name, ratio in found}
        assert ratios["learned shrinkage"] < 0.9 < ratios["Mean"] == 1
    if path.stem == "teacher":
        steps = [float(error) for error in re.findall(r"hidden ratings (\d\.\d+)", printed)]
        assert len(steps) == 11
        assert steps[-1] < float(re.search(r"the mean: (\d\.\d+)", printed)[1])


def test_each_example_is_listed():
    listed = (REPOSITORY / "examples" / "README.md").read_text("utf-8")
    assert len(EXAMPLES) == 3
    for path in EXAMPLES:
        assert f"`examples/{path.name}`" in listed
