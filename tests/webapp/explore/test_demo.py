"""docs/demo.html is what its command writes: the script, the weights, the nights, and the first
run."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from metamf.webapp.explore.demo import page
from metamf.webapp.player.bundle import bundle

pytestmark = pytest.mark.slow

DEMO = Path(__file__).resolve().parents[3] / "docs" / "demo.html"
AGAIN = "write it again: python -m metamf.webapp.explore.demo docs/demo.html"
DATA = re.compile(r'<script type="application/json" id="metamf-saved">(.*?)</script>', re.S)


def test_the_file_is_what_its_command_writes():
    texts = DEMO.read_text("utf-8"), page()
    assert bundle() in texts[0], AGAIN
    kept, written = (DATA.sub("", text) for text in texts)
    assert kept == written, AGAIN
    before, now = (json.loads(DATA.search(text)[1]) for text in texts)
    for name in ("scene", "live", "own", "weights"):
        assert before[name] == now[name], AGAIN
    errors = [part["run"]["errors"]["hidden"] for part in (before, now)]
    np.testing.assert_allclose(*errors, atol=1e-5, err_msg=AGAIN)
