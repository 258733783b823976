"""The program that makes a filled table again."""

import hashlib
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from drinks import CONTENT, OPTIONS, made

from metamf.evaluate.filling import FillSettings, fill
from metamf.evaluate.manifest import manifest, snippet
from metamf.evaluate.methods import method, tuned_baseline
from metamf.ratings.scale import RatingScale
from metamf.tables import ReadOptions, read_table, write

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_program_makes_the_same_file(tmp_path):
    table, found, values = made()
    (tmp_path / "drinks.csv").write_bytes(CONTENT)
    (tmp_path / "fill.py").write_text(snippet(json.loads(json.dumps(values))))
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "fill.py"], cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "drinks-filled.csv").read_bytes() == write.to_csv_wide(found.filled_table(table))


def test_the_program_keeps_all_settings_and_refuses_another_file(tmp_path, monkeypatch):
    table, found, values = made("crossed_effects", scale=RatingScale(0, 6, 1), settings=FillSettings(None, False, True))
    (tmp_path / "drinks.csv").write_bytes(CONTENT)
    (tmp_path / "fill.py").write_text(snippet(json.loads(json.dumps(values))))
    monkeypatch.chdir(tmp_path)
    runpy.run_path("fill.py")
    assert (tmp_path / "drinks-filled.csv").read_bytes() == write.to_csv_wide(found.filled_table(table))
    assert values["counts"]["rounded"] == 5
    (tmp_path / "drinks.csv").write_bytes(CONTENT + b"Ema;1;1;1\n")
    with pytest.raises(SystemExit, match="drinks.csv is not the file that was filled in"):
        runpy.run_path("fill.py")


def test_the_program_of_a_method_that_chose_its_settings_on_the_table_chooses_them_again(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.round(3 + rng.normal(size=(14, 1)) * rng.normal(size=6) + 0.3 * rng.normal(size=(14, 6)), 1)
    lines = [",".join("" if rng.random() < 0.3 else f"{x:g}" for x in row) for row in X]
    content = "\n".join([",".join("abcdef"), *lines, ""]).encode()
    table = read_table(content, "in.csv")
    found = fill(table.ratings, tuned_baseline("soft_impute", own_units=True))
    values = json.loads(json.dumps(manifest("in.csv", content, ReadOptions(), table, found)))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_bytes(content)
    (tmp_path / "fill.py").write_text(snippet(values))
    runpy.run_path("fill.py")
    assert (tmp_path / "in-filled.csv").read_bytes() == write.to_csv_wide(found.filled_table(table))
    assert not np.allclose(fill(table.ratings, "soft_impute").mean, found.mean)


@pytest.mark.parametrize("name", ["../../etc/passwd.csv", 'it\'s "quoted".csv', "\n'''import os.csv", "a{name}.csv"])
def test_a_file_name_cannot_become_code_or_a_path(name):
    _, _, values = made("mean", name)
    program = snippet(values)
    compiled = compile(program, "fill.py", "exec")
    assert "/etc" not in program and repr(name.rpartition("/")[2]) in program
    assert {"fill", "read_table", "write"} <= set(compiled.co_names)


def test_the_program_says_what_becomes_of_ratings_outside_the_scale(tmp_path, monkeypatch):
    table, found, values = made("mean", scale=RatingScale(1, 4), settings=FillSettings(None, outside="hide"))
    (tmp_path / "drinks.csv").write_bytes(CONTENT)
    (tmp_path / "fill.py").write_text(snippet(json.loads(json.dumps(values))))
    monkeypatch.chdir(tmp_path)
    runpy.run_path("fill.py")
    assert (tmp_path / "drinks-filled.csv").read_bytes() == write.to_csv_wide(found.filled_table(table))


DOWNLOADED = '''"""Fills in the table again, as metamf 0.1.0 did on Python 3.13.5.

Run it beside the table, with the repository of metamf on the path: PYTHONPATH=metamf's-folder python this-file.py
"""

import hashlib
from pathlib import Path

from metamf.evaluate import fill, method
from metamf.ratings import RatingScale
from metamf.tables import COMMAND_LINE, ReadOptions, read_table, write

name = 'drinks.csv'
content = Path(name).read_bytes()
if hashlib.sha256(content).hexdigest() != "DIGEST":
    raise SystemExit(f"{name} is not the file that was filled in")
table = read_table(content, name, ReadOptions(missing_markers=('99',), duplicates='mean', limits=COMMAND_LINE))
filling = fill(
    table.ratings,
    method('ml-1m', steps=3),
    level=LEVEL,
    scale=SCALE,
    clip=True,
    round_to_scale=False,
    hold_out=0.2,
    seed=3,
)
write.write_atomically('drinks-filled.csv', write.to_csv_wide(filling.of(table)))
'''


@pytest.mark.parametrize("level, scale", [("None", "RatingScale(0.5, 5.0, 0.5)"), ("0.8", "None")])
def test_a_program_that_was_downloaded_from_an_earlier_version_still_runs(tmp_path, monkeypatch, level, scale):
    program = DOWNLOADED.replace("LEVEL", level).replace("SCALE", scale)
    (tmp_path / "drinks.csv").write_bytes(CONTENT)
    (tmp_path / "fill.py").write_text(program.replace("DIGEST", hashlib.sha256(CONTENT).hexdigest()))
    monkeypatch.chdir(tmp_path)
    runpy.run_path("fill.py")
    table = read_table(CONTENT, "drinks.csv", OPTIONS)
    scale = None if scale == "None" else RatingScale(0.5, 5, 0.5)
    found = fill(table.ratings, method("ml-1m", steps=3), scale=scale, hold_out=0.2, seed=3)
    assert (tmp_path / "drinks-filled.csv").read_bytes() == write.to_csv_wide(found.filled_table(table))
