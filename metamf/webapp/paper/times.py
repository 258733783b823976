"""The section of the page Paper on computing times."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from metamf.figures.experiments import Bar, interval_bars
from metamf.reproduction import findings as words
from metamf.reproduction import numbers as paper
from metamf.reproduction.findings import DATA
from metamf.reproduction.numbers import Measure
from metamf.webapp import look
from metamf.webapp.paper import described
from metamf.webapp.paper.parts import LABELS, RUN, heading, number_table, rows_of, source


def times(choice: Measure) -> None:
    """Tables 6 and 7: computing times of all methods as ratios to MetaMF."""
    rows = rows_of("times")
    heading("Tables 6 and 7", "Time, as a ratio to MetaMF")
    if rows.empty or "phase" not in rows:
        look.finding(words.NOT_MEASURED)
    else:
        look.finding(words.times(rows))
        for phase, number, what in (
            ("meta-training update", "Table 6", "One update of meta-training"),
            ("meta-test block", "Table 7", "One held-out block, with the default settings"),
        ):
            part, printed = rows[rows.phase == phase], paper.printed(number)
            time_bars(part, printed, what)
            with st.expander(f"{what}: milliseconds, and the paper's seconds", icon=":material/table:"):
                time_table(part, printed)
        look.small(
            "Times as ratios to MetaMF on a logarithmic axis: bars to the right are slower methods; diamonds are the "
            "paper's ratios. All methods took turns in one run on one core. Only ratios can be compared with the "
            "paper's, which were measured on another machine."
        )
    source(f"{RUN}.times", "times")


def time_bars(rows: pd.DataFrame, printed: pd.DataFrame, what: str) -> None:
    """Bars of the times of each data set, the fastest method on top, beside the ratios of the paper's times."""
    theirs = printed.set_index(["data", "method"]).value
    for column, data in zip(st.columns(len(DATA), gap="medium"), DATA):
        bars = []
        for row in rows[rows.data == data].sort_values("ratio").itertuples():
            known = (data, row.method) in theirs.index
            ratio = theirs[data, row.method] / theirs[data, "ours"] if known else np.nan
            bars.append(Bar(LABELS[row.method], row.ratio, np.nan, ratio, np.nan, row.method == "ours"))
        with column:
            look.panel(DATA[data], what)
            figure = interval_bars(bars, 1.0, form=".2f", log=True)
            title = f"{what} on {DATA[data]}, time as a ratio to MetaMF"
            look.figure(figure, f"{what}-{data}", described.of_bars(title, bars))


def time_table(rows: pd.DataFrame, printed: pd.DataFrame) -> None:
    """The table of measured milliseconds and printed seconds, each with its ratio to MetaMF."""
    measured, theirs = rows.set_index(["data", "method"]), printed.set_index(["data", "method"]).value
    lines = []
    for method in rows.method.unique():
        cells = []
        for data in DATA:
            row = measured.loc[(data, method)]
            cells.append(f"{row.milliseconds:.3g} ms<small>× {row.ratio:.2f}</small>")
            known = (data, method) in theirs.index
            ratio = theirs[data, method] / theirs[data, "ours"] if known else 0
            cells.append(f"{theirs[data, method]:g} s<small>× {ratio:.2f}</small>" if known else "")
        lines.append((LABELS[method], cells))
    number_table(lines, ["measured", "paper"] * len(DATA), list(DATA.values()))
