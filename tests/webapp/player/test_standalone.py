"""A run that is taken away as a page: one file, small, with nothing in it that a name could break."""

import json
import re
from dataclasses import replace

import numpy as np

from metamf.answer.division import Matrix, divide
from metamf.datasets import synthetic
from metamf.webapp.explore.run import run
from metamf.webapp.player.component import saved_page
from metamf.webapp.player.replay import replay

HOSTILE = "</script><script>alert(1)</script><!-- $name ${x} & \u2028"


def run_of(n, m, label="x", T=10):
    ratings = synthetic(np.random.default_rng(0), n, m, density=0.5).ratings
    named = replace(
        ratings, row_labels=tuple(f"{label}{i}" for i in range(n)), col_labels=tuple(f"c{j}" for j in range(m))
    )
    return run(divide(Matrix(label, "", named), 0.5, "at random", 1), "ml-1m", T)


def test_thirty_rows_and_columns_make_a_file_of_less_than_five_megabytes_that_asks_nobody():
    text = saved_page(replay(run_of(30, 30)), "watch", "What one sees.")
    assert len(text.encode()) < 5_000_000
    assert "What one sees." in text and "default-src 'none'" in text
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import""", text)


def test_names_from_outside_stay_data():
    data = replay(run_of(4, 3, HOSTILE, T=1))
    text = saved_page(data, "fill", HOSTILE)
    assert text.count("</script") == 2 and "alert(1)" in text and "<script>alert" not in text
    [kept] = re.findall(r'<script type="application/json" id="metamf-saved">(.*?)</script>', text, re.S)
    assert json.loads(kept)["run"] == data
