"""The sections of the page Paper: each table and figure of the paper, measured again, and two experiments of our own.

A section is a function that draws itself and takes how to show errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from metamf.figures.experiments import Bar, Curve, Trail, interval_bars, interval_curves, interval_trails
from metamf.reproduction import numbers as paper
from metamf.reproduction.numbers import DATA, FEW_BLOCKS, META, Measure
from metamf.webapp import look
from metamf.webapp.paper.parts import (
    LABELS,
    RUN,
    all_numbers,
    alt_of_bars,
    alt_of_curves,
    best_of,
    heading,
    number_table,
    panels,
    rows_of,
    source,
)
from metamf.wording import counted, listed

INTERVALS = "Error bars show one standard error over the splits."
DIAMONDS = f"Diamonds are the paper's numbers. {INTERVALS}"
BARS = f"Bars start at the error of Mean, and further left is better. {DIAMONDS}"
NO_NUMBERS = "The paper shows this figure without numbers."


def test_error(choice: Measure) -> None:
    """Table 1: errors of all methods on the ratings that were not given."""
    table = paper.with_printed(rows_of("table1"), choice, "Table 1")
    heading("Table 1", "Error on the hidden ratings", "table1")
    bars_by_method(table, choice, "test")
    look.small(BARS)
    note = (
        "Bold: a paired t-test over splits at 5 % does not tell this error from the smallest one. Below a measured "
        "number is its number of splits. Below the paper's number is our distance from it, in the paper's standard "
        "errors. Splits differ in difficulty, so methods are compared only on the splits that both have."
    )
    all_numbers("Table 1", table, LABELS, "method", best_of("table1", choice), note)
    source(f"{RUN} table1 --preset {choice.preset}", "table1")


def observed_error(choice: Measure) -> None:
    """Table 2: errors of the meta-learned methods on the ratings that were given."""
    table = paper.with_printed(rows_of("table1"), choice, "Table 2", "support")
    table = table[table.method.isin(META)]
    heading("Table 2", "Error on the given ratings", "table1")
    bars_by_method(table, choice, "observed")
    look.small(
        f"{DIAMONDS} Bars start at the error of Mean on the hidden ratings. A small error here is a close fit, which "
        "need not predict well."
    )
    all_numbers("Table 2", table, {key: LABELS[key] for key in META}, "method")
    source(f"{RUN} table1 --preset {choice.preset} --methods {' '.join(META)}", "table1")


def finetuning(choice: Measure) -> None:
    """Not in the paper: errors of FT (Tables 1 and 2) by number of updates and learning rate."""
    table = paper.finetuning(rows_of("finetuning"), choice)
    heading("Finetuning", "FT, update by update", "finetuning")

    def draw(data: str, group: pd.DataFrame) -> tuple:
        trails = [
            Trail(f"rate {rate:g}", *trail[["given", "mean", "standard_error", "steps"]].to_numpy().T)
            for rate, trail in group.groupby("rate")
        ]
        titles = "error on the given ratings", "error on the hidden ratings"
        figure = interval_trails(trails, paper.printed_ft(data, choice), titles)
        title = f"Errors of FT on {DATA[data]} by the error on given ratings"
        points = [Curve(trail.name, trail.x, trail.y, trail.error, [np.nan] * len(trail.x)) for trail in trails]
        return figure, f"finetuning-{data}", *alt_of_curves(title, titles[0], points)

    panels(table, draw)
    look.small(
        "Each point is EML after some updates by Adam on the given ratings. All curves start at EML itself, on the "
        "right. Diamonds are the paper's FT, for which it states neither learning rate nor number of updates. Larger "
        f"errors are cut off. {INTERVALS}"
    )
    source(f"{RUN} finetuning --preset {choice.preset}", "finetuning")


def combinations(choice: Measure) -> None:
    """Table 3: errors of MetaMF by the data sets that it was meta-trained on."""
    rows = paper.complete_splits(rows_of("combinations"), choice)
    table = paper.with_printed(rows, choice, "Table 3")
    heading("Table 3", "Meta-trained on one data set, tested on another", "combinations")
    names = {setting: training_sets(setting) for setting in paper.printed("Table 3").setting.unique()}

    def draw(data: str, group: pd.DataFrame) -> tuple:
        bars = [bar(row, names[row.setting], row.setting == f"trained={data}") for row in group.itertuples()]
        figure = interval_bars(bars, mean_of(data, choice, rows))
        title = f"Errors on {DATA[data]} of MetaMF by what it was meta-trained on"
        return figure, f"combinations-{data}", alt_of_bars(title, bars)

    panels(table.sort_values("setting", key=lambda s: s.map(list(names).index)), draw)
    look.small(BARS)
    all_numbers("Table 3", table, names, "setting")
    source(f"{RUN} combinations --preset {choice.preset}", "combinations")


def training_sets(setting: str) -> str:
    """The data sets of a setting: 'MovieLens 100K and Jester' for 'trained=ml-100k+jester'."""
    return listed([DATA[name] for name in setting.removeprefix("trained=").split("+")])


def ranks(choice: Measure) -> None:
    """Table 4: errors of MetaMF by the number of factors."""
    curves_by_setting(choice, "ranks", "Table 4", "The number of factors", "K", "factors", ("ours",))
    source(f"{RUN} ranks --preset {choice.preset}", "ranks")


def hidden_units(choice: Measure) -> None:
    """Table 5: errors of AutoRec by the number of hidden units."""
    methods, few = ("autorec_i", "autorec_u"), replace(choice, blocks=FEW_BLOCKS)  # no more were fitted with 512 units
    curves_by_setting(few, "hidden", "Table 5", "AutoRec with more hidden units", "hidden", "hidden units", methods)
    look.small(f"On the first {FEW_BLOCKS} blocks of each split, as in the paper.")
    source(f"{RUN} hidden", "hidden")


def curves_by_setting(
    choice: Measure, experiment: str, number: str, title: str, key: str, what: str, methods: Sequence[str]
) -> None:
    """Draws heading, finding and curves over one setting, such as 'K=8' with ``key`` 'K'."""
    table = paper.with_printed(paper.complete_splits(rows_of(experiment), choice), choice, number)
    table["x"] = table.setting.str.removeprefix(f"{key}=").astype(int)
    heading(number, title, experiment)
    draw_curves(table, experiment, what, methods, log=True)
    look.small(f"{DIAMONDS} The paper prints no standard errors here.")


def epochs(choice: Measure) -> None:
    """Not in the paper: errors of MetaMF and EML by the number of epochs, with preset paper.

    Preset tuned has no such experiment, since its meta-training is short already.
    """
    table = paper.by_epochs(rows_of("epochs"), replace(choice, preset="paper"))
    heading("Epochs", "How long MetaMF and EML are meta-trained", "epochs")
    draw_curves(table, "epochs", "epochs", ("ours", "eml"), log=True)
    look.small(
        f"{DIAMONDS} These runs use preset paper, in which an epoch has 16 updates. The paper trains for at most 1,000 "
        "epochs and stops early. It states neither what an epoch is nor when it stopped, so its error is drawn at "
        "every number of epochs."
    )
    source(f"{RUN} epochs", "epochs")


def training_sizes(choice: Measure) -> None:
    """Figure 3: errors by the size of the matrices, meta-trained at that size."""
    sizes_section(choice, "training_sizes", "Figure 3", "Larger matrices, meta-trained at that size", ("ours", "eml"))


def sizes(choice: Measure) -> None:
    """Figure 4: errors by the size of the matrices, meta-trained at 30 x 30."""
    methods = ("ours", "eml", "crossed_effects", "mean")
    sizes_section(choice, "sizes", "Figure 4", "Larger matrices, meta-trained at 30 × 30", methods)


def sizes_section(choice: Measure, experiment: str, number: str, title: str, methods: Sequence[str]) -> None:
    """Draws a section with curves over the size of the matrices."""
    table = paper.with_printed(paper.complete_splits(rows_of(experiment), choice), choice, None)
    table["x"] = table.setting.str.extract(r"tested=(\d+)", expand=False).astype(int)
    heading(number, title, experiment)
    draw_curves(table, experiment, "rows and columns", methods, by="the size of the matrix")
    if choice.ratio:
        look.small(
            "Small blocks have only a handful of given ratings, whose mean is a poor guess. A low ratio to Mean there "
            "says more about Mean than about the method. The switch above shows absolute errors."
        )
    look.small(
        f"{NO_NUMBERS} The test part of Jester has 20 columns, so larger blocks of it only have more rows. {INTERVALS}"
    )
    source(f"{RUN} {experiment} --preset {choice.preset}", experiment)


def error_by_map_steps(choice: Measure) -> None:
    """Figure 5: errors of MetaMF by the number of MAP steps at test time."""
    table = paper.by_steps(rows_of("steps"), choice)
    heading("Figure 5", "The number of MAP steps", "steps")
    draw_curves(table.assign(x=table.steps, method="ours"), "steps", "MAP steps", ("ours",))
    look.small(f"Meta-trained with ten steps, and tested with other numbers of them. {NO_NUMBERS} {INTERVALS}")
    source(f"{RUN} steps --preset {choice.preset}", "steps")


def draw_curves(
    table: pd.DataFrame, experiment: str, what: str, methods: Sequence[str], *, by: str = "", log: bool = False
) -> None:
    """Draws the figures of the data sets, with a curve of each method over column ``x``, the number of ``what``."""

    def draw(data: str, group: pd.DataFrame) -> tuple:
        of_methods = {LABELS[method]: group[group.method == method] for method in methods}
        columns = ("x", "mean", "standard_error", "paper")
        curves = [Curve(name, *(rows[column].tolist() for column in columns)) for name, rows in of_methods.items()]
        ticks = sorted(set(group.x)) if log else None
        title = f"Errors on {DATA[data]} by {by or f'the number of {what}'}"
        return (
            interval_curves(curves, what, log=log, ticks=ticks),
            f"{experiment}-{data}",
            *alt_of_curves(title, what, curves),
        )

    panels(table.sort_values("x"), draw)


def bars_by_method(table: pd.DataFrame, choice: Measure, what: str) -> None:
    """Draws the bars of each data set: the smallest measured error on top, what only the paper measured at the end."""
    order = table.assign(first=table["mean"].fillna(table.paper + 10)).sort_values("first")

    def draw(data: str, group: pd.DataFrame) -> tuple:
        full = group.splits[group.method == "ours"].max()
        bars = []
        for row in group.itertuples():
            fewer = f" ({counted(row.splits, 'split')})" if 0 < row.splits < full else ""
            bars.append(bar(row, LABELS[row.method] + fewer, row.method == "ours"))
        figure = interval_bars(bars, mean_of(data, choice, rows_of("table1")))
        return figure, f"{what}-{data}", alt_of_bars(f"Errors of all methods on {DATA[data]}", bars)

    panels(order, draw)


def bar(row: Any, label: str, ours: bool) -> Bar:
    """Returns the bar of a row with measured and printed errors."""
    return Bar(label, row.mean, row.standard_error, row.paper, row.paper_error, ours)


def mean_of(data: str, choice: Measure, rows: pd.DataFrame) -> float:
    """Returns the error of Mean, at which bars start: on the splits of ``rows``, or else the paper's; 1 for ratios."""
    if choice.ratio:
        return 1.0
    measured = paper.error_of_mean(rows[rows.data == data], choice)
    return float(paper.printed_errors("mean")[data]) if np.isnan(measured) else measured


def times(choice: Measure) -> None:
    """Tables 6 and 7: computing times of all methods as ratios to MetaMF."""
    rows = rows_of("times")
    heading("Tables 6 and 7", "Time, as a ratio to MetaMF", "times")
    if "phase" in rows:
        for phase, number, what in (
            ("meta-training update", "Table 6", "One update of meta-training"),
            ("meta-test block", "Table 7", "One held-out block, with the default settings"),
        ):
            _times(rows[rows.phase == phase], paper.printed(number).set_index(["data", "method"]).value, what)
        look.small(
            "The axis is logarithmic, and methods further right are slower. Diamonds are the paper's ratios. All "
            "methods took turns in one run on one core. The paper used another machine, so only ratios can be compared."
        )
    source(f"{RUN}.times", "times")


def _times(rows: pd.DataFrame, theirs: pd.Series, what: str) -> None:
    """Draws the times of each data set, the fastest method on top, and the table of all times."""

    def of_paper(data: str, method: str) -> float:
        known = (data, method) in theirs.index
        return theirs[data, method] / theirs[data, "ours"] if known else np.nan

    for column, data in zip(st.columns(len(DATA), gap="medium"), DATA):
        bars = [
            Bar(LABELS[row.method], row.ratio, np.nan, of_paper(data, row.method), np.nan, row.method == "ours")
            for row in rows[rows.data == data].sort_values("ratio").itertuples()
        ]
        with column:
            look.panel(DATA[data], what)
            alt = alt_of_bars(f"{what} on {DATA[data]}, time as a ratio to MetaMF", bars)
            look.figure(interval_bars(bars, 1.0, form=".2f", log=True), f"{what}-{data}", alt)
    measured, lines = rows.set_index(["data", "method"]), []
    for method in rows.method.unique():
        cells = []
        for data in DATA:
            row, ratio = measured.loc[(data, method)], of_paper(data, method)
            cells.append(f"{row.milliseconds:.3g} ms<small>× {row.ratio:.2f}</small>")
            cells.append("" if np.isnan(ratio) else f"{theirs[data, method]:g} s<small>× {ratio:.2f}</small>")
        lines.append((LABELS[method], cells))
    with st.expander(f"{what}: milliseconds, and the paper's seconds", icon=":material/table:"):
        number_table(lines)


SECTIONS: dict[str, Callable[[Measure], None]] = {
    "Table 1": test_error,
    "Table 2": observed_error,
    "Table 3": combinations,
    "Table 4": ranks,
    "Table 5": hidden_units,
    "Tables 6 and 7": times,
    "Figure 3": training_sizes,
    "Figure 4": sizes,
    "Figure 5": error_by_map_steps,
    "Finetuning": finetuning,
    "Epochs": epochs,
}
