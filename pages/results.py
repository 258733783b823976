"""Results: the paper's Table 1, measured again, as RMSE and as the paper's ratio."""

from pathlib import Path

import numpy as np
import streamlit as st

from metamf import reproduction as paper
from metamf.baselines import METHODS
from metamf.checkpoints.bundled import describe
from metamf.datasets import ARCHIVES
from metamf.webapp import files, frame, look

DOCUMENT = Path(__file__).parents[1] / "docs" / "results.md"
DATA = {"ml-100k": "stars", "ml-1m": "stars", "jester": "points"}  # and the unit of a rating

frame.ensure()
look.title(
    "Results on MovieLens and Jester",
    "Errors on ratings of people and things that no model has seen in training, in 200 tables of "
    "30 × 30 cells a split.",
)
rows = paper.measured("table1")
ratio = paper.with_printed(rows, paper.Measure(), "Table 1").set_index(["data", "method"])
squares = paper.with_printed(rows, paper.Measure(ratio=False), None).set_index(["data", "method"])
lines = []
for key, method in METHODS.items():
    if ("jester", key) not in ratio.index:
        continue  # a method that is younger than the measurements
    line = [method.label]
    for data in DATA:
        rmse = np.sqrt(squares.loc[(data, key), "mean"]) * describe(data).standardization.std
        found = ratio.loc[(data, key)]
        printed = "" if np.isnan(found.paper) else f"{found.paper:.3f}"
        line += [f"{rmse:.2f}", f"{found['mean']:.3f}", printed]
    lines.append(line)
head = ["Method"]
for data, unit in DATA.items():
    title = ARCHIVES[data].title
    head += [f"{title}: RMSE, {unit}", f"{title}: ratio", f"{title}: ratio in the paper"]
caption = (
    "Errors of all methods: RMSE, and squared error divided by that of always guessing the mean."
)
with st.container(key="results"):
    st.html(look.table(caption, head, lines))
look.small(
    "A ratio of 0.875 is an RMSE 6 % smaller than the mean's: the root of 0.875 is 0.935. On film "
    "nights, which are made "
    "up, the lead is far larger."
)
files.offer(
    "All tables and figures, and how they were measured",
    lambda: DOCUMENT.read_text("utf-8"),
    "metamf-results.md",
    key="results_document",
    icon=":material/article:",
    type="tertiary",
)
