"""The manifest, and the program that follows from it."""

import hashlib
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from metamf.checkpoints.bundled import find_checkpoint
from metamf.filling.fill_in import fill
from metamf.filling.holdout import holdout_report
from metamf.filling.manifest import manifest
from metamf.filling.methods import offered
from metamf.filling.snippet import snippet
from metamf.ratings.scale import RatingScale
from metamf.tables import ReadOptions, read_table
from metamf.tables.writing import text as write

REPOSITORY = Path(__file__).resolve().parents[2]
CONTENT = b"name;Tea;=Coffee;Juice\nAda;4,5;;99\nBen;1;2,0;\nCleo;;5;4\nDev;3,5;99;2\n"
OPTIONS = ReadOptions(missing_markers=("99",), duplicates="mean")


def made(key="ml-1m", content=CONTENT, name="drinks.csv", **settings):
    settings = dict(clip=True, round_to_scale=False) | settings
    table = read_table(content, name, OPTIONS)
    scale = settings.pop("scale", table.ratings.scale)
    found = fill(table.ratings, key, 0.8, scale, **settings)
    return table, found, manifest(name, content, OPTIONS, table, found)


def test_the_manifest_says_what_went_in_and_what_came_out():
    table, found, values = made()
    assert values["input"] == {
        "name": "drinks.csv",
        "bytes": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
    }
    path = find_checkpoint("ml-1m")
    assert values["method"]["checkpoint"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert values["reading"] == {"missing_markers": ("99",), "duplicates": "mean"}
    assert values["settings"]["scale"] == {"minimum": 0.5, "maximum": 5, "step": 0.5}
    counts = values["counts"]
    assert (counts["rows"], counts["columns"], counts["observed"], counts["estimated"]) == (4, 3, 7, 5)
    assert counts["missing markers"] == {"": 3, "99": 2} or counts["missing markers"]["99"] == 2
    assert counts["clipped"] == found.clipped.sum()
    assert set(values["versions"]) == {"metamf", "python", "torch", "numpy"}
    assert json.loads(json.dumps(values))["input"] == values["input"]


def test_the_manifest_holds_no_rating_and_no_label():
    _, _, values = made()
    text = json.dumps(values)
    assert not any(label in text for label in ("Ada", "Tea", "Coffee", "4.5", "4,5"))


def test_the_manifest_holds_the_errors_on_held_out_cells():
    rng = np.random.default_rng(3)
    rows = "\n".join(f"r{i}," + ",".join(map(str, rng.integers(1, 6, 6))) for i in range(6))
    content = ("name,a,b,c,d,e,f\n" + rows + "\n").encode()
    table = read_table(content, "t.csv", OPTIONS)
    found = fill(table.ratings, "mean")
    report = holdout_report(table.ratings, offered(table.ratings)[-3:], 0.9, 2, rng=np.random.default_rng(7))
    values = manifest("t.csv", content, OPTIONS, table, found, report, seed=7)
    held_out = values["held-out cells"]
    assert held_out["seed"] == 7 and held_out["repeats"] == 2 and held_out["verdict"] == report.verdict()
    assert held_out["rmse"] == {e.method.key: pytest.approx(e.rmse.mean(), abs=1e-6) for e in report.errors}


def test_the_program_makes_the_same_file(tmp_path):
    table, found, values = made()
    (tmp_path / "drinks.csv").write_bytes(CONTENT)
    (tmp_path / "fill.py").write_text(snippet(json.loads(json.dumps(values))))
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "fill.py"], cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "drinks-filled.csv").read_bytes() == write.to_csv_wide(found.of(table))


def test_the_program_keeps_all_settings_and_refuses_another_file(tmp_path, monkeypatch):
    table, found, values = made("crossed_effects", scale=RatingScale(0, 6, 1), clip=False, round_to_scale=True)
    (tmp_path / "drinks.csv").write_bytes(CONTENT)
    (tmp_path / "fill.py").write_text(snippet(json.loads(json.dumps(values))))
    monkeypatch.chdir(tmp_path)
    runpy.run_path("fill.py")
    assert (tmp_path / "drinks-filled.csv").read_bytes() == write.to_csv_wide(found.of(table))
    assert values["counts"]["rounded"] == 5
    (tmp_path / "drinks.csv").write_bytes(CONTENT + b"Ema;1;1;1\n")
    with pytest.raises(SystemExit, match="drinks.csv is not the file that was filled in"):
        runpy.run_path("fill.py")


@pytest.mark.parametrize("name", ["../../etc/passwd.csv", 'it\'s "quoted".csv', "\n'''import os.csv", "a{name}.csv"])
def test_a_file_name_cannot_become_code_or_a_path(name):
    _, _, values = made("mean", name=name)
    program = snippet(values)
    compiled = compile(program, "fill.py", "exec")
    assert "/etc" not in program and repr(name.rpartition("/")[2]) in program
    assert {"fill", "read_table", "write"} <= set(compiled.co_names)
