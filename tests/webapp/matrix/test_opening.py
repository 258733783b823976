"""What the first page opens with: kept in a file, equal to what is computed, and there before torch."""

import json
import os
import subprocess
import sys
from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metamf.checkpoints import bundled
from metamf.figures.window import Window
from metamf.webapp.matrix import opening, sources
from metamf.webapp.matrix.choices import DEFAULT
from metamf.webapp.matrix.shown import RunKey

REPOSITORY = Path(__file__).resolve().parents[3]
VISIT = """
import json, sys
from streamlit.testing.v1 import AppTest
before = set(sys.modules)  # Streamlit itself imports the core of Plotly, for its theme
at = AppTest.from_file("app.py", default_timeout=60).run()
assert not at.exception and at.get("bidi_component")
at.switch_page("pages/watch.py").run()
assert not at.exception and at.get("bidi_component")
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""
HEAVY = {"torch", "plotly", "sklearn", "scipy", "pandas"}


@pytest.fixture(scope="module")
def computed():
    return opening.computed()


def test_the_file_holds_what_is_computed(computed):
    found = json.loads(opening.OPENING_FILE.read_text("utf-8"))
    assert found["asked"] == computed["asked"] and found["checkpoint"] == computed["checkpoint"]
    assert found["made"]["said"] == computed["made"]["said"] and found["made"]["doubt"] == computed["made"]["doubt"]
    kept, now = found["made"]["replay"], computed["made"]["replay"]
    assert kept.keys() == now.keys()
    for name, value in now.items():
        if name in ("X", "truth", "U", "V"):
            arrays = [np.frombuffer(b64decode(text), "<f4") for text in (kept[name], value)]
            np.testing.assert_allclose(*arrays, atol=1e-5, err_msg="run python -m metamf.webapp.matrix.opening")
        elif name in ("errors", "pulls"):
            for part in value:
                np.testing.assert_allclose(kept[name][part], value[part], rtol=1e-5)
        elif name == "limits":
            assert kept[name] == pytest.approx(value, rel=1e-5)
        elif name != "id":  # of the bits of the arrays, which differ by rounding from machine to machine
            assert kept[name] == value, name


def test_it_stands_for_this_run_and_no_other(monkeypatch, tmp_path):
    matrix = sources.example(DEFAULT.data)
    key = RunKey(matrix.digest, DEFAULT.keep, DEFAULT.by, DEFAULT.seed, DEFAULT.model, DEFAULT.steps)
    window = Window.of(matrix.ratings.shape)
    assert opening.kept(key, window).keys() == {"replay", ("doubt", True), "said"}
    for other in ({"seed": 2}, {"steps": 9}, {"model": "ml-100k"}, {"digest": "x"}, {"made": ((0, 0, 1.0),)}):
        assert opening.kept(replace(key, **other), window) == {}
    assert opening.kept(key, Window(0, 0, 5, 5)) == {}
    changed = bytearray(bundled.find_checkpoint("ml-1m").read_bytes())
    changed[-1] ^= 1
    (tmp_path / "ml-1m.safetensors").write_bytes(changed)
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    assert opening.kept(key, window) == {}  # another checkpoint under the same name


def test_the_first_picture_comes_without_torch_and_plotly(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", VISIT],
        cwd=REPOSITORY,
        env=os.environ | {"METAMF_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert not HEAVY & set(json.loads(done.stdout.splitlines()[-1]))
