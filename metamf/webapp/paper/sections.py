"""The sections of the page 'Paper': each table and figure of the paper, measured again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from metamf.baselines import METHODS
from metamf.figures.experiments import Bar, Curve, Trail, interval_bars, interval_curves, interval_trails
from metamf.reproduction import findings as words
from metamf.reproduction import misses
from metamf.reproduction import numbers as paper
from metamf.reproduction.findings import DATA
from metamf.reproduction.numbers import FEW_BLOCKS, META, Measure
from metamf.webapp import look
from metamf.webapp.paper.parts import beside_table, heading, key_to_figures, number_table, panels, rows_of, source
from metamf.wording import counted

TRAIL_TITLES = "error on the given ratings", "error on the others"
RUN = "python -m benchmarks.paper"
LABELS = {key: spec.label for key, spec in METHODS.items()}


def test_error(choice: Measure) -> None:
    """Table 1."""
    rows = rows_of("table1")
    table = paper.with_printed(rows, choice, "Table 1")
    heading("Table 1", "Error on the ratings that were not given")
    look.finding(f"{words.winners(rows, choice)}{words.reached(table)} {misses.missed(table, ('ours',))}")
    bars_by_method(table, choice, "test")
    key_to_figures(bars=True)
    beside_table(table, LABELS, "method", paper.equal_to_best(rows, choice))
    look.small(
        "Bold: a paired t-test over splits at 5 % does not tell it from the smallest error. Below each measured "
        "number: the splits behind it; below the paper's: how far ours lies above it, in its standard errors. Splits "
        "differ in difficulty: the sentence above compares two methods on the splits that both have."
    )
    look.small(misses.reasons(table))
    source(f"{RUN} table1 --preset {choice.preset}", "table1")


def observed_error(choice: Measure) -> None:
    """Table 2."""
    table = paper.with_printed(rows_of("table1"), choice, "Table 2", "support")
    table = table[table.method.isin(META)]
    heading("Table 2", "Error on the ratings that were given")
    look.finding(f"{words.fit(table)} {misses.missed(table)}")
    bars_by_method(table, choice, "observed")
    key_to_figures(bars=False)
    look.small(
        "Bars start at the error of Mean on the hidden ratings. A small value is a close fit to what was given, which "
        f"is not a good prediction by itself. {misses.loose_fit(paper.by_steps(rows_of('steps'), choice))}"
    )
    beside_table(table, {key: LABELS[key] for key in META}, "method")
    source(f"{RUN} table1 --preset {choice.preset} --methods {' '.join(META)}", "table1")


def finetuning(choice: Measure) -> None:
    """Not in the paper: FT of Tables 1 and 2, update by update, at several learning rates."""
    table = paper.finetuning(rows_of("finetuning"), choice)
    heading("Finetuning", "FT, update by update")
    look.finding(misses.finetuning(table))

    def draw(data: str, group: pd.DataFrame):
        trails = [
            Trail(f"rate {rate:g}", *trail[["given", "mean", "standard_error", "steps"]].to_numpy().T)
            for rate, trail in group.groupby("rate")
        ]
        figure = interval_trails(trails, paper.printed_ft(data, choice), TRAIL_TITLES)
        return figure, f"finetuning-{data}", f"Errors of FT on {DATA[data]} after each number of updates."

    panels(by_data(table), draw)
    look.small(
        "Each point: EML after so many updates of Adam on the given ratings; all start at EML itself, on the right. "
        "Diamonds: the paper's FT, of which neither the rate nor the number is printed. Larger errors are cut off. "
        "Intervals: one standard error over splits."
    )
    source(f"{RUN} finetuning --preset {choice.preset}", "finetuning")


def combinations(choice: Measure) -> None:
    """Table 3."""
    rows = paper.complete_splits(rows_of("combinations"), choice)
    table = paper.with_printed(rows, choice, "Table 3")
    heading("Table 3", "Meta-trained on one data set, tested on another")
    look.finding(f"{words.transfer(table)} {misses.missed(table)}")
    names = {setting: words.training_sets(setting) for setting in paper.printed("Table 3").setting.unique()}

    def draw(data: str, group: pd.DataFrame):
        bars = [bar(row, names[row.setting], row.setting == f"trained={data}") for row in group.itertuples()]
        figure = interval_bars(bars, mean_of(data, choice, rows))
        return figure, f"combinations-{data}", f"Errors on {DATA[data]} of Ours by what it was meta-trained on."

    panels(by_data(table.sort_values("setting", key=lambda s: s.map(list(names).index))), draw)
    key_to_figures(bars=True)
    beside_table(table, names, "setting")
    source(f"{RUN} combinations --preset {choice.preset}", "combinations")


def ranks(choice: Measure) -> None:
    """Table 4."""
    curves_by_setting(choice, "ranks", "Table 4", "The number of factors", "K", "factors", ("ours",))
    look.small("The paper prints no standard errors here.")
    source(f"{RUN} ranks --preset {choice.preset}", "ranks")


def hidden_units(choice: Measure) -> None:
    """Table 5."""
    methods = "autorec_i", "autorec_u"
    few = replace(choice, blocks=FEW_BLOCKS)  # all that 512 units were fitted to
    curves_by_setting(few, "hidden", "Table 5", "AutoRec with more hidden units", "hidden", "hidden units", methods)
    look.small(
        f"On the first {FEW_BLOCKS} blocks of each split, as in the paper, which prints no standard errors here."
    )
    source(f"{RUN} hidden", "hidden")


def epochs(choice: Measure) -> None:
    """Not in the paper: what a shorter meta-training is worth, with preset paper; that of tuned is short."""
    table = paper.by_epochs(rows_of("epochs"), replace(choice, preset="paper"))
    heading("Epochs", "How long Ours and EML are meta-trained")
    look.finding(misses.shorter_training(table))
    setting_curves(table, "epochs", "epochs", ("ours", "eml"))
    look.small(
        "With preset paper, in which an epoch has 16 updates. The paper trains for at most 1,000 epochs and stops "
        "early, but prints neither what an epoch is nor when it stopped: its error stands at all of them."
    )
    source(f"{RUN} epochs", "epochs")


def curves_by_setting(choice: Measure, experiment: str, number: str, title: str, key: str, what: str, methods) -> None:
    table = paper.with_printed(paper.complete_splits(rows_of(experiment), choice), choice, number)
    table["x"] = table.setting.str.removeprefix(f"{key}=").astype(int)
    table = table.sort_values("x")
    heading(number, title)
    look.finding(words.spread(table, what))
    setting_curves(table, experiment, what, methods)


def setting_curves(table: pd.DataFrame, experiment: str, what: str, methods: tuple[str, ...]) -> None:
    """A curve of each method over ``x``."""

    def draw(data: str, group: pd.DataFrame):
        curves = [curve(LABELS[method], group[group.method == method]) for method in methods]
        figure = interval_curves(curves, what, log=True, ticks=sorted(set(group.x)))
        return figure, f"{experiment}-{data}", f"Errors on {DATA[data]} by the number of {what}."

    panels(by_data(table), draw)
    key_to_figures(bars=False)


def training_sizes(choice: Measure) -> None:
    """Figure 3."""
    sizes_section(choice, "training_sizes", "Figure 3", "Larger matrices, meta-trained at that size", ("ours", "eml"))


def sizes(choice: Measure) -> None:
    """Figure 4."""
    methods = ("ours", "eml", "crossed_effects", "mean")
    sizes_section(choice, "sizes", "Figure 4", "Larger matrices, meta-trained at 30 × 30", methods)


def sizes_section(choice: Measure, experiment: str, number: str, title: str, methods: tuple[str, ...]) -> None:
    table = paper.with_printed(paper.complete_splits(rows_of(experiment), choice), choice, None)
    table["x"] = table.setting.str.extract(r"tested=(\d+)", expand=False).astype(int)
    table = table.sort_values("x")
    heading(number, title)
    look.finding(words.sizes(table, "ratio to Mean" if choice.ratio else "error"))

    def draw(data: str, group: pd.DataFrame):
        curves = [curve(LABELS[method], group[group.method == method]) for method in methods]
        figure = interval_curves(curves, "rows and columns")
        return figure, f"{experiment}-{data}", f"Errors on {DATA[data]} by the size of the matrix."

    panels(by_data(table), draw)
    key_to_figures(bars=False, diamonds=False)
    if choice.ratio:
        look.small(
            "Small blocks have a handful of given ratings, whose mean is a poor guess: there a low ratio to Mean says "
            "more of Mean. Absolute errors are a switch away."
        )
    look.small(
        "The paper's figure has no numbers. The test part of Jester has 20 columns: its larger blocks have only "
        "more rows."
    )
    source(f"{RUN} {experiment} --preset {choice.preset}", experiment)


def map_steps(choice: Measure) -> None:
    """Figure 5."""
    table = paper.by_steps(rows_of("steps"), choice)
    heading("Figure 5", "The number of MAP steps")
    look.finding(words.steps(table))

    def draw(data: str, group: pd.DataFrame):
        figure = interval_curves([curve("Ours", group.rename(columns={"steps": "x"}))], "MAP steps")
        return figure, f"steps-{data}", f"Errors on {DATA[data]} by the number of MAP steps."

    panels(by_data(table), draw)
    look.small(
        "Meta-trained with ten steps; other numbers are taken at test time. The paper's figure has no numbers. "
        "Intervals: one standard error over splits."
    )
    source(f"{RUN} steps --preset {choice.preset}", "steps")


def times(choice: Measure) -> None:
    """Tables 6 and 7."""
    rows = rows_of("times")
    heading("Tables 6 and 7", "Time, as a ratio to Ours")
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
            "Ratio to Ours; bars to the right are slower, on a scale that grows by factors; diamonds: the paper's. All "
            "methods took turns in one run on one core. Only ratios compare with the paper's machine."
        )
    source(f"{RUN}.times", "times")


def time_bars(rows: pd.DataFrame, printed: pd.DataFrame, what: str) -> None:
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
            look.figure(figure, f"{what}-{data}", f"{what} on {DATA[data]}: time as a ratio to Ours.")


def time_table(rows: pd.DataFrame, printed: pd.DataFrame) -> None:
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


# -- parts ------------------------------------------------------------------------------------------------------------


def bars_by_method(table: pd.DataFrame, choice: Measure, what: str) -> None:
    """Bars of each data set, the smallest measured error on top, then what only the paper has."""
    order = table.assign(first=table["mean"].fillna(table.paper + 10)).sort_values("first")

    def draw(data: str, group: pd.DataFrame):
        full = group.splits[group.method == "ours"].max()
        bars = [bar(row, label_of(row, full), row.method == "ours") for row in group.itertuples()]
        return (
            interval_bars(bars, mean_of(data, choice, rows_of("table1"))),
            f"{what}-{data}",
            f"Errors of all methods on {DATA[data]}.",
        )

    panels(by_data(order), draw)


def label_of(row, full: int) -> str:
    """The method's name, with its number of splits where it has fewer than Ours."""
    return LABELS[row.method] + (f" ({counted(row.splits, 'split')})" if 0 < row.splits < full else "")


def bar(row, label: str, ours: bool) -> Bar:
    return Bar(label, row.mean, row.standard_error, row.paper, row.paper_error, ours)


def curve(name: str, group: pd.DataFrame) -> Curve:
    return Curve(name, group.x.tolist(), group["mean"].tolist(), group.standard_error.tolist(), group.paper.tolist())


def by_data(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {data: table[table.data == data] for data in DATA}


def mean_of(data: str, choice: Measure, rows: pd.DataFrame) -> float:
    """The error of Mean on the splits of ``rows``: where bars start."""
    if choice.ratio:
        return 1.0
    measured = paper.error_of_mean(rows[rows.data == data], choice)
    return float(paper.printed_errors("mean")[data]) if np.isnan(measured) else measured


SECTIONS = (
    test_error,
    observed_error,
    combinations,
    ranks,
    hidden_units,
    times,
    training_sizes,
    sizes,
    map_steps,
    finetuning,
    epochs,
)
