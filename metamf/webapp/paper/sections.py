"""The sections of the page Paper: each table and figure of the paper, measured again, and two experiments of ours.

A section is a function that draws itself; its argument says how errors are shown.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from metamf.figures.experiments import Bar, Curve, Trail, interval_bars, interval_curves, interval_trails
from metamf.reproduction import findings as words
from metamf.reproduction import misses
from metamf.reproduction import numbers as paper
from metamf.reproduction.findings import DATA
from metamf.reproduction.numbers import FEW_BLOCKS, META, Measure
from metamf.webapp import look
from metamf.webapp.paper import described
from metamf.webapp.paper.parts import (
    LABELS,
    RUN,
    beside_table,
    found_in,
    heading,
    key_to_figures,
    panels,
    rows_of,
    source,
    unfolded,
)
from metamf.webapp.paper.times import times
from metamf.wording import counted

TRAIL_TITLES = "error on the given ratings", "error on the others"


def test_error(choice: Measure) -> None:
    """Table 1: errors of all methods on the ratings that were not given."""
    rows = rows_of("table1")
    table = paper.with_printed(rows, choice, "Table 1")
    heading("Table 1", "Error on the ratings that were not given")
    look.finding(found_in("table1", words.winners, choice))
    bars_by_method(table, choice, "test")
    key_to_figures(bars=True)
    with unfolded():
        look.small(f"{words.reached(table).strip()} {misses.missed(table, ('ours',))}")
        beside_table(table, LABELS, "method", found_in("table1", paper.equal_to_best, choice))
        look.small(
            "Bold: a paired t-test over splits at 5 % does not tell this error from the smallest one. Below a measured "
            "number stands the number of splits behind it; below the paper's, how far ours lies above it, in the "
            "paper's standard errors. Splits differ in difficulty, so the sentence above compares two methods only on "
            "the splits that both have."
        )
        look.small(misses.reasons(table))
    source(f"{RUN} table1 --preset {choice.preset}", "table1")


def observed_error(choice: Measure) -> None:
    """Table 2: errors of the meta-learned methods on the ratings that were given."""
    table = paper.with_printed(rows_of("table1"), choice, "Table 2", "support")
    table = table[table.method.isin(META)]
    heading("Table 2", "Error on the ratings that were given")
    look.finding(words.fit(table))
    bars_by_method(table, choice, "observed")
    key_to_figures(bars=False)
    look.small(
        "Bars start at the error of Mean on the hidden ratings. A small value is a close fit to what was given, which "
        f"is not a good prediction by itself. {misses.loose_fit(paper.by_steps(rows_of('steps'), choice))}"
    )
    with unfolded():
        look.small(misses.missed(table))
        beside_table(table, {key: LABELS[key] for key in META}, "method")
    source(f"{RUN} table1 --preset {choice.preset} --methods {' '.join(META)}", "table1")


def finetuning(choice: Measure) -> None:
    """An experiment that is not in the paper: errors of FT (Tables 1 and 2) by number of updates and learning rate."""
    table = paper.finetuning(rows_of("finetuning"), choice)
    heading("Finetuning", "FT, update by update")
    look.finding(misses.finetuning_in_words(table))

    def draw(data: str, group: pd.DataFrame):
        trails = [
            Trail(f"rate {rate:g}", *trail[["given", "mean", "standard_error", "steps"]].to_numpy().T)
            for rate, trail in group.groupby("rate")
        ]
        figure = interval_trails(trails, paper.printed_ft(data, choice), TRAIL_TITLES)
        title = f"Errors of FT on {DATA[data]} by the error on given ratings"
        points = [Curve(trail.name, trail.x, trail.y, trail.error, np.full(len(trail.x), np.nan)) for trail in trails]
        return figure, f"finetuning-{data}", *described.of_curves(title, "error on given ratings", points)

    panels(by_data(table), draw)
    look.small(
        "Each point is EML after some number of updates by Adam on the given ratings; all curves start at EML itself, "
        "on the right. Diamonds: the paper's FT; the paper states neither its learning rate nor its number of updates. "
        "Larger errors are cut off. "
        "Intervals: one standard error over splits."
    )
    source(f"{RUN} finetuning --preset {choice.preset}", "finetuning")


def combinations(choice: Measure) -> None:
    """Table 3: errors of MetaMF by the data sets that it was meta-trained on."""
    rows = paper.complete_splits(rows_of("combinations"), choice)
    table = paper.with_printed(rows, choice, "Table 3")
    heading("Table 3", "Meta-trained on one data set, tested on another")
    look.finding(words.transfer(table))
    names = {setting: words.training_sets(setting) for setting in paper.printed("Table 3").setting.unique()}

    def draw(data: str, group: pd.DataFrame):
        bars = [bar(row, names[row.setting], row.setting == f"trained={data}") for row in group.itertuples()]
        figure = interval_bars(bars, mean_of(data, choice, rows))
        title = f"Errors on {DATA[data]} of MetaMF by what it was meta-trained on"
        return figure, f"combinations-{data}", described.of_bars(title, bars)

    panels(by_data(table.sort_values("setting", key=lambda s: s.map(list(names).index))), draw)
    key_to_figures(bars=True)
    with unfolded():
        look.small(misses.missed(table))
        beside_table(table, names, "setting")
    source(f"{RUN} combinations --preset {choice.preset}", "combinations")


def ranks(choice: Measure) -> None:
    """Table 4: errors of MetaMF by the number of factors."""
    curves_by_setting(choice, "ranks", "Table 4", "The number of factors", "K", "factors", ("ours",))
    look.small("The paper prints no standard errors here.")
    source(f"{RUN} ranks --preset {choice.preset}", "ranks")


def hidden_units(choice: Measure) -> None:
    """Table 5: errors of AutoRec by the number of hidden units."""
    methods = "autorec_i", "autorec_u"
    few = replace(choice, blocks=FEW_BLOCKS)  # all that 512 units were fitted to
    curves_by_setting(few, "hidden", "Table 5", "AutoRec with more hidden units", "hidden", "hidden units", methods)
    look.small(
        f"On the first {FEW_BLOCKS} blocks of each split, as in the paper, which prints no standard errors here."
    )
    source(f"{RUN} hidden", "hidden")


def epochs(choice: Measure) -> None:
    """An experiment that is not in the paper: errors of MetaMF and EML by the number of epochs, with preset paper.

    Preset tuned has no such experiment: its meta-training is short already.
    """
    table = paper.by_epochs(rows_of("epochs"), replace(choice, preset="paper"))
    heading("Epochs", "How long MetaMF and EML are meta-trained")
    look.finding(misses.shorter_training(table))
    setting_curves(table, "epochs", "epochs", ("ours", "eml"))
    look.small(
        "With preset paper, in which an epoch has 16 updates. The paper trains for at most 1,000 epochs and stops "
        "early, but states neither what an epoch is nor when it stopped, so its error is drawn at every number of "
        "epochs."
    )
    source(f"{RUN} epochs", "epochs")


def curves_by_setting(choice: Measure, experiment: str, number: str, title: str, key: str, what: str, methods) -> None:
    """A section with a heading, a finding and curves over one setting, such as 'K=8' with ``key`` 'K'."""
    table = paper.with_printed(paper.complete_splits(rows_of(experiment), choice), choice, number)
    table["x"] = table.setting.str.removeprefix(f"{key}=").astype(int)
    table = table.sort_values("x")
    heading(number, title)
    look.finding(words.spread(table, what))
    setting_curves(table, experiment, what, methods)


def setting_curves(table: pd.DataFrame, experiment: str, what: str, methods: tuple[str, ...]) -> None:
    """The figures of the data sets, with a curve of each method over column ``x`` of ``table``."""

    def draw(data: str, group: pd.DataFrame):
        curves = [curve(LABELS[method], group[group.method == method]) for method in methods]
        figure = interval_curves(curves, what, log=True, ticks=sorted(set(group.x)))
        title = f"Errors on {DATA[data]} by the number of {what}"
        return figure, f"{experiment}-{data}", *described.of_curves(title, what, curves)

    panels(by_data(table), draw)
    key_to_figures(bars=False)


def training_sizes(choice: Measure) -> None:
    """Figure 3: errors by the size of the matrices, meta-trained at that size."""
    sizes_section(choice, "training_sizes", "Figure 3", "Larger matrices, meta-trained at that size", ("ours", "eml"))


def sizes(choice: Measure) -> None:
    """Figure 4: errors by the size of the matrices, meta-trained at 30 x 30."""
    methods = ("ours", "eml", "crossed_effects", "mean")
    sizes_section(choice, "sizes", "Figure 4", "Larger matrices, meta-trained at 30 × 30", methods)


def sizes_section(choice: Measure, experiment: str, number: str, title: str, methods: tuple[str, ...]) -> None:
    """A section with curves over the size of the matrices."""
    table = paper.with_printed(paper.complete_splits(rows_of(experiment), choice), choice, None)
    table["x"] = table.setting.str.extract(r"tested=(\d+)", expand=False).astype(int)
    table = table.sort_values("x")
    heading(number, title)
    look.finding(words.sizes(table, "ratio to Mean" if choice.ratio else "error"))

    def draw(data: str, group: pd.DataFrame):
        curves = [curve(LABELS[method], group[group.method == method]) for method in methods]
        figure = interval_curves(curves, "rows and columns")
        title = f"Errors on {DATA[data]} by the size of the matrix"
        return figure, f"{experiment}-{data}", *described.of_curves(title, "rows and columns", curves)

    panels(by_data(table), draw)
    key_to_figures(bars=False, diamonds=False)
    if choice.ratio:
        look.small(
            "Small blocks have a handful of given ratings, whose mean is a poor guess: there a low ratio "
            "to Mean says more about Mean than about the method. The switch above shows absolute errors."
        )
    look.small(
        "The paper prints this figure without numbers. The test part of Jester has 20 columns, so its larger blocks "
        "only have more rows."
    )
    source(f"{RUN} {experiment} --preset {choice.preset}", experiment)


def error_by_map_steps(choice: Measure) -> None:
    """Figure 5: errors of MetaMF by the number of MAP steps at test time."""
    table = paper.by_steps(rows_of("steps"), choice)
    heading("Figure 5", "The number of MAP steps")
    look.finding(words.steps(table))

    def draw(data: str, group: pd.DataFrame):
        curves = [curve("MetaMF", group.rename(columns={"steps": "x"}))]
        title = f"Errors on {DATA[data]} by the number of MAP steps"
        return interval_curves(curves, "MAP steps"), f"steps-{data}", *described.of_curves(title, "MAP steps", curves)

    panels(by_data(table), draw)
    look.small(
        "Meta-trained with ten steps; only the number of steps at test time varies. The paper prints this figure "
        "without numbers. "
        "Intervals: one standard error over splits."
    )
    source(f"{RUN} steps --preset {choice.preset}", "steps")


def bars_by_method(table: pd.DataFrame, choice: Measure, what: str) -> None:
    """The bars of each data set: the smallest measured error on top, what only the paper measured at the end."""
    order = table.assign(first=table["mean"].fillna(table.paper + 10)).sort_values("first")

    def draw(data: str, group: pd.DataFrame):
        full = group.splits[group.method == "ours"].max()
        bars = [bar(row, label_of(row, full), row.method == "ours") for row in group.itertuples()]
        return (
            interval_bars(bars, mean_of(data, choice, rows_of("table1"))),
            f"{what}-{data}",
            described.of_bars(f"Errors of all methods on {DATA[data]}", bars),
        )

    panels(by_data(order), draw)


def label_of(row, full: int) -> str:
    """The label of a method, with its number of splits where it has fewer than MetaMF, which has ``full``."""
    return LABELS[row.method] + (f" ({counted(row.splits, 'split')})" if 0 < row.splits < full else "")


def bar(row, label: str, ours: bool) -> Bar:
    """The bar of a row of a table with measured and printed errors."""
    return Bar(label, row.mean, row.standard_error, row.paper, row.paper_error, ours)


def curve(name: str, group: pd.DataFrame) -> Curve:
    """The curve of a table whose column ``x`` holds the places of its points."""
    return Curve(name, group.x.tolist(), group["mean"].tolist(), group.standard_error.tolist(), group.paper.tolist())


def by_data(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each data set."""
    return {data: table[table.data == data] for data in DATA}


def mean_of(data: str, choice: Measure, rows: pd.DataFrame) -> float:
    """The error of Mean, at which bars start: on the splits of ``rows``, or else the paper's; 1 for ratios."""
    if choice.ratio:
        return 1.0
    measured = paper.error_of_mean(rows[rows.data == data], choice)
    return float(paper.printed_errors("mean")[data]) if np.isnan(measured) else measured


SECTIONS = {
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
