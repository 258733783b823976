"""The manifest: what is needed to make a filled table again."""

import hashlib
import json
from dataclasses import asdict

import numpy as np
import pytest
from drinks import CONTENT, OPTIONS, made
from holdouts import holdout_report

from metamf.checkpoints.bundled import find_checkpoint
from metamf.evaluate.filling import FillSettings, fill
from metamf.evaluate.manifest import manifest
from metamf.evaluate.methods import offered
from metamf.ratings.scale import RatingScale
from metamf.tables import read_table


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
    values = manifest("t.csv", content, OPTIONS, table, found, holdout=report, seed=7)
    held_out = values["held-out cells"]
    assert held_out["seed"] == 7 and held_out["repeats"] == 2 and held_out["verdict"] == report.verdict()
    assert held_out["rmse"] == {e.method.key: pytest.approx(e.rmse.mean(), abs=1e-6) for e in report.errors}


def test_the_manifest_holds_the_settings_as_they_were_given():
    settings = FillSettings(level=0.8, clip=False, round_to_scale=True, hold_out=0.2, seed=5, outside="nearest")
    table, found, values = made("mean", settings=settings, scale=RatingScale(0, 4, 1))
    assert values["settings"] == asdict(settings) | {"level": None, "scale": {"minimum": 0, "maximum": 4, "step": 1}}
    assert values["counts"]["outside the scale"] == 2  # 4.5 and 5
    assert values["counts"]["held out"] == found.hidden.sum() == 1
