"""The page Paper: each table and figure of the paper, measured again, and two experiments of our own.

What a section finds is about errors as ratios to Mean on all 200 blocks of a split, meta-trained with preset ``tuned``;
docs/results.md lists every number that differs from the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from metamf import reproduction as paper
from metamf.baselines import METHODS
from metamf.figures.lines import Bar, Curve, diamond, interval_bars, interval_curves
from metamf.reproduction import ALL_BLOCKS, DATA, FEW_BLOCKS, LABELS, META, Measure
from metamf.webapp import address, look
from metamf.wording import counted, listed, rounded, with_minus

SCALES = {"ratio": "ratio to Mean", "absolute": "absolute error"}
BLOCKS = {str(ALL_BLOCKS): "200 blocks a split", str(FEW_BLOCKS): "10, as in the paper"}
PRESETS = {"tuned": "settings tuned here", "paper": "the paper's settings"}  # presets of `metamf train`
CLAIM = (
    "MetaMF has the smallest error on all three data sets; its lead over the best method that sees one matrix alone, "
    "Crossed random effects, is 3.3 ± 0.3 % on MovieLens 100K, 2.2 ± 0.2 % on MovieLens 1M and 1.0 ± 0.2 % on Jester."
)
NOT_MEASURED = "Not measured yet: the command below computes it."
INTERVALS = "Error bars show one standard error over the splits."
DIAMONDS = f"Diamonds are the paper's numbers. {INTERVALS}"
BARS = f"Bars start at the error of Mean, and further left is better. {DIAMONDS}"
NO_NUMBERS = "The paper shows this figure without numbers."


@dataclass(frozen=True)
class Section:
    """A table or figure of the paper, and what our numbers show beside it."""

    title: str
    experiment: str  # its file in benchmarks/results/paper, without the ending
    draw: Callable[[pd.DataFrame, Measure], None]  # draws the rows of the experiment, and sentences on them
    finding: str
    agreement: str = ""  # how far our numbers agree with the printed ones
    command: str = " {experiment} --preset {preset}"  # what follows "python -m benchmarks.paper" to compute it


def draw() -> None:
    """Draws the choice of sections, the one opened last first, the switches and the open sections."""
    opened = st.pills(
        "Tables and figures of the paper, and two experiments of our own",
        list(SECTIONS),
        selection_mode="multi",
        default=next(iter(SECTIONS)),
        **address.control("section"),
    )
    before = [name for name in st.session_state.get("paper_opened", ()) if name in opened]
    st.session_state.paper_opened = [name for name in opened if name not in before] + before
    measure = _controls()
    for number in st.session_state.paper_opened:
        with st.container():
            _section(number, measure)


def _controls() -> Measure:
    switches = (("Errors as", "scale", SCALES), ("Measured on", "on", BLOCKS), ("Trained with", "preset", PRESETS))
    with st.container(horizontal=True, key="paper_controls"):
        scale, blocks, preset = (
            st.segmented_control(
                title,
                list(options),
                default=next(iter(options)),
                format_func=options.__getitem__,
                required=True,
                **address.control(key, options.__getitem__),
            )
            for title, key, options in switches
        )
    return Measure(int(blocks), scale == "ratio", preset)


def meanings() -> None:
    words = {
        "MetaMF": 'the paper\'s model, called "Ours" in its tables. MovieLens 1M, MovieLens 100K and Jester on the '
        "other pages are this model, trained on the first split of these data sets",
    }
    words |= {LABELS[key]: spec.explanation for key, spec in METHODS.items() if key != "ours"}
    words |= {
        "split": "a new division of users and items for training, validation and test",
        "block": "a table of 30 test users and 30 test items, half of whose ratings are given",
        "ratio to Mean": "the mean squared error, divided by that of always guessing the mean on the same blocks",
        "±": "one standard error over splits",
        "s.e.": "standard error of the paper's own number",
        "settings tuned here": "number of updates, learning rate and dropout were chosen here (preset tuned); the "
        "paper's settings (preset paper) follow the paper as far as it states them",
    }
    with st.expander("What the words and abbreviations mean", icon=":material/help:"):
        look.meanings(words)


def _section(number: str, measure: Measure) -> None:
    """Draws a section, with the command that computes it and buttons that download its results."""
    section = SECTIONS[number]
    rows = rows_of(section.experiment)
    anchor = number.lower().replace(" ", "-")
    st.html(f'<h2 class="mf-section" id="{anchor}"><span>{escape(number)}</span>{escape(section.title)}</h2>')
    look.finding(NOT_MEASURED if rows.empty else section.finding)
    section.draw(rows, measure)
    given = section.command.format(experiment=section.experiment, preset=measure.preset)
    command = f"python -m benchmarks.paper{given}"
    files = {f"{section.experiment}.csv": "Rows", f"{section.experiment}-blocks.parquet": "Errors of every block"}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<code class="mf-command">{escape(command)}</code>')
        for name, what in files.items():
            path = paper.RESULTS / name
            if path.exists():
                st.download_button(
                    what,
                    path.read_bytes(),
                    name,
                    on_click="ignore",
                    key=f"{command} {name}",
                    icon=":material/download:",
                    type="tertiary",
                    help=name,
                )


def rows_of(experiment: str) -> pd.DataFrame:
    """The measured rows of an experiment, read again when their file has changed."""
    path = paper.RESULTS / f"{experiment}.csv"
    return _rows(experiment, path.stat().st_mtime_ns if path.exists() else 0)


@st.cache_data(max_entries=20, show_spinner=False)
def _rows(experiment: str, modified: int) -> pd.DataFrame:
    return paper.measured(experiment)


@st.cache_data(max_entries=20, show_spinner=False)  # paired tests take a while
def _equal_to_best(rows: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    return paper.equal_to_best(rows, measure)


# -- the sections -------------------------------------------------------------------------------------------------


def _hidden_error(rows: pd.DataFrame, measure: Measure) -> None:
    table = paper.with_printed(rows, measure, "Table 1")
    _bars_by_method(table, rows, measure, "test")
    look.small(BARS)
    note = (
        "Bold: a paired t-test over splits at 5 % does not tell this error from the smallest one. Below a measured "
        "number is its number of splits. Below the paper's number is our distance from it, in the paper's standard "
        "errors. Splits differ in difficulty, so methods are compared only on the splits that both have."
    )
    all_numbers("Table 1", table, LABELS, "method", _equal_to_best(rows, measure), note)


def _given_error(rows: pd.DataFrame, measure: Measure) -> None:
    table = paper.with_printed(rows, measure, "Table 2", "support")
    table = table[table.method.isin(META)]
    _bars_by_method(table, rows, measure, "observed")
    look.small(
        f"{DIAMONDS} Bars start at the error of Mean on the hidden ratings. A small error here is a close fit, which "
        "need not predict well."
    )
    all_numbers("Table 2", table, {key: LABELS[key] for key in META}, "method")


def _combinations(rows: pd.DataFrame, measure: Measure) -> None:
    """Errors of MetaMF by the data sets that it was meta-trained on: 'trained=ml-100k+jester'."""
    rows = paper.complete_splits(rows, measure)
    table = paper.with_printed(rows, measure, "Table 3")
    names = {
        setting: listed([DATA[name] for name in setting.removeprefix("trained=").split("+")])
        for setting in paper.printed("Table 3").setting.unique()
    }

    def draw(data: str, group: pd.DataFrame) -> tuple:
        bars = [_bar(row, names[row.setting], row.setting == f"trained={data}") for row in group.itertuples()]
        title = f"Errors on {DATA[data]} of MetaMF by what it was meta-trained on"
        return interval_bars(bars, _mean_of(data, measure, rows)), f"combinations-{data}", alt_of_bars(title, bars)

    panels(table.sort_values("setting", key=lambda s: s.map(list(names).index)), draw)
    look.small(BARS)
    all_numbers("Table 3", table, names, "setting")


def _hidden_units(rows: pd.DataFrame, measure: Measure) -> None:
    """Errors of AutoRec by the number of hidden units; no more blocks were fitted with 512 units."""
    few, methods = replace(measure, blocks=FEW_BLOCKS), ("autorec_i", "autorec_u")
    _curves_by_setting("Table 5", "hidden", r"hidden=(\d+)", "hidden units", methods, rows, few)
    look.small(f"On the first {FEW_BLOCKS} blocks of each split, as in the paper.")


def _curves_by_setting(
    number: str, key: str, pattern: str, what: str, methods: Sequence[str], rows: pd.DataFrame, measure: Measure
) -> None:
    table = paper.with_printed(paper.complete_splits(rows, measure), measure, number)
    _curves(_at(table, pattern), key, what, methods, log=True)
    look.small(f"{DIAMONDS} The paper prints no standard errors here.")


def _curves_by_size(key: str, methods: Sequence[str], rows: pd.DataFrame, measure: Measure) -> None:
    table = paper.with_printed(paper.complete_splits(rows, measure), measure, None)
    _curves(_at(table, r"tested=(\d+)"), key, "rows and columns", methods, by="the size of the matrix")
    if measure.ratio:
        look.small(
            "Small blocks have only a handful of given ratings, whose mean is a poor guess. A low ratio to Mean there "
            "says more about Mean than about the method. The switch above shows absolute errors."
        )
    look.small(
        f"{NO_NUMBERS} The test part of Jester has 20 columns, so larger blocks of it only have more rows. {INTERVALS}"
    )


def _steps(rows: pd.DataFrame, measure: Measure) -> None:
    table = paper.by_steps(rows, measure)
    _curves(table.assign(x=table.steps, method="ours"), "steps", "MAP steps", ("ours",))
    look.small(f"Meta-trained with ten steps, and tested with other numbers of them. {NO_NUMBERS} {INTERVALS}")


def _finetuning(rows: pd.DataFrame, measure: Measure) -> None:
    """Not in the paper: errors of FT (Tables 1 and 2) by number of updates and learning rate."""
    given, hidden = "error on the given ratings", "error on the hidden ratings"

    def draw(data: str, group: pd.DataFrame) -> tuple:
        curves = [
            Curve(f"rate {rate:g}", trail.given, trail["mean"], trail.standard_error, updates=trail.steps)
            for rate, trail in group.groupby("rate")
        ]
        x, y = paper.printed_ft(data, measure)
        figure = interval_curves(curves, given)
        hover = "%{x:.3f} and %{y:.3f}<extra>the paper</extra>"
        figure.add_scatter(x=[x], y=[y], name="the paper", mode="markers", marker=diamond(), hovertemplate=hover)
        low = min((min(curve.value) for curve in curves), default=y - 0.3)
        figure.update_xaxes(range=[-0.03, 1.1], nticks=6)
        figure.update_yaxes(range=[low - 0.05, max(1.5, y + 0.1)], title={"text": hidden, "standoff": 4})
        figure.update_layout(height=310, hovermode="closest")
        title = f"Errors of FT on {DATA[data]} by the error on given ratings"
        return figure, f"finetuning-{data}", *alt_of_curves(title, given, curves)

    panels(paper.finetuning(rows, measure), draw)
    look.small(
        "Each point is EML after some updates by Adam on the given ratings. All curves start at EML itself, on the "
        "right. Diamonds are the paper's FT, for which it states neither learning rate nor number of updates. Larger "
        f"errors are cut off. {INTERVALS}"
    )


def _epochs(rows: pd.DataFrame, measure: Measure) -> None:
    """Not in the paper: errors of MetaMF and EML by the number of epochs, with preset paper.

    Preset tuned has no such experiment, since its meta-training is short already.
    """
    table = paper.by_epochs(rows, replace(measure, preset="paper"))
    _curves(table, "epochs", "epochs", ("ours", "eml"), log=True)
    look.small(
        f"{DIAMONDS} These runs use preset paper, in which an epoch has 16 updates. The paper trains for at most 1,000 "
        "epochs and stops early. It states neither what an epoch is nor when it stopped, so its error is drawn at "
        "every number of epochs."
    )


def _times(rows: pd.DataFrame, measure: Measure) -> None:
    if rows.empty:
        return
    for phase, number, what in (
        ("meta-training update", "Table 6", "One update of meta-training"),
        ("meta-test block", "Table 7", "One held-out block, with the default settings"),
    ):
        printed = paper.printed(number).set_index(["data", "method"]).value.rename("seconds")
        theirs = pd.DataFrame({"seconds": printed, "paper": printed / printed.xs("ours", level="method")})
        table = rows[rows.phase == phase].join(theirs, on=["data", "method"])
        for place, data in zip(st.columns(len(DATA), gap="medium"), DATA):
            bars = [
                Bar(LABELS[row.method], row.ratio, np.nan, row.paper, np.nan, row.method == "ours")
                for row in table[table.data == data].sort_values("ratio").itertuples()
            ]
            with place:
                look.panel(DATA[data], what)
                alt = alt_of_bars(f"{what} on {DATA[data]}, time as a ratio to MetaMF", bars)
                look.figure(interval_bars(bars, 1.0, form=".2f", log=True), f"{what}-{data}", alt)
        lines = []
        for method in table.method.unique():
            cells = []
            for data in DATA:
                [row] = table[(table.data == data) & (table.method == method)].itertuples()
                cells.append(f"{row.milliseconds:.3g} ms<small>× {row.ratio:.2f}</small>")
                cells.append("" if np.isnan(row.paper) else f"{row.seconds:g} s<small>× {row.paper:.2f}</small>")
            lines.append((LABELS[method], cells))
        with st.expander(f"{what}: milliseconds, and the paper's seconds", icon=":material/table:"):
            _number_table(lines)
    look.small(
        "The axis is logarithmic, and methods further right are slower. Diamonds are the paper's ratios. All methods "
        "took turns in one run on one core. The paper used another machine, so only ratios can be compared."
    )


# -- their figures and tables -------------------------------------------------------------------------------------


def panels(table: pd.DataFrame, draw: Callable[[str, pd.DataFrame], tuple]) -> None:
    """Draws the figures of the data sets side by side, where there are numbers.

    ``draw(data, rows)`` returns figure, key, alternative text and, optionally, the table of the numbers as HTML.
    """
    tables = {data: table[table.data == data] for data in DATA}
    drawn = {data: bool(rows[["mean", "paper"]].notna().any(axis=None)) for data, rows in tables.items()}
    if not any(drawn.values()):
        return
    behind: list[str] = []
    for column, (data, rows) in zip(st.columns(len(DATA), gap="medium"), tables.items()):
        with column:
            splits = rows.splits[rows.splits > 0]
            low, high = splits.min(), splits.max()
            several = f"{low} to {high} splits" if low < high else counted(high, "split")
            look.panel(DATA[data], "not measured yet" if splits.empty else several)
            if drawn[data]:
                figure, key, alt, *numbers = draw(data, rows)
                look.figure(figure, key, alt)
                behind += numbers
    if behind:
        look.fold_numbers(*behind)


def _at(table: pd.DataFrame, pattern: str) -> pd.DataFrame:
    """``table`` with the column x: the number that ``pattern`` finds in the setting."""
    return table.assign(x=table.setting.str.extract(pattern, expand=False).astype(int))


def _curves(
    table: pd.DataFrame, key: str, what: str, methods: Sequence[str], *, by: str = "", log: bool = False
) -> None:
    """Draws the figures of the data sets, with a curve of each method over column ``x``, the number of ``what``."""

    def draw(data: str, group: pd.DataFrame) -> tuple:
        curves = []
        for method in methods:
            rows = group[group.method == method]
            curves.append(Curve(LABELS[method], rows.x, rows["mean"], rows.standard_error, rows.paper))
        figure = interval_curves(curves, what, log=log, ticks=sorted(set(group.x)) if log else None)
        title = f"Errors on {DATA[data]} by {by or f'the number of {what}'}"
        return figure, f"{key}-{data}", *alt_of_curves(title, what, curves)

    panels(table.sort_values("x"), draw)


def _bars_by_method(table: pd.DataFrame, rows: pd.DataFrame, measure: Measure, what: str) -> None:
    """Draws the bars of each data set: the smallest measured error on top, what only the paper measured at the end."""
    order = table.assign(first=table["mean"].fillna(table.paper + 10)).sort_values("first")

    def draw(data: str, group: pd.DataFrame) -> tuple:
        full = group.splits[group.method == "ours"].max()
        bars = []
        for row in group.itertuples():
            fewer = f" ({counted(row.splits, 'split')})" if 0 < row.splits < full else ""
            bars.append(_bar(row, LABELS[row.method] + fewer, row.method == "ours"))
        alt = alt_of_bars(f"Errors of all methods on {DATA[data]}", bars)
        return interval_bars(bars, _mean_of(data, measure, rows)), f"{what}-{data}", alt

    panels(order, draw)


def _bar(row: Any, label: str, ours: bool) -> Bar:
    return Bar(label, row.mean, row.standard_error, row.paper, row.paper_error, ours)


def _mean_of(data: str, measure: Measure, rows: pd.DataFrame) -> float:
    """The error of Mean, at which bars start: on the splits of ``rows``, or else the paper's; 1 for ratios."""
    if measure.ratio:
        return 1.0
    measured = paper.error_of_mean(rows[rows.data == data], measure)
    return float(paper.printed_errors("mean")[data]) if np.isnan(measured) else measured


def alt_of_bars(title: str, bars: Sequence[Bar]) -> str:
    """The alternative text of bars: the shortest and the longest; where nothing is measured yet, those of the paper."""
    drawn = [(bar.value, bar.label) for bar in bars if isfinite(bar.value)]
    if not drawn:
        title, drawn = f"{title}, as printed in the paper", [(bar.paper, bar.label) for bar in bars]
    (low, first), (high, last) = min(drawn), max(drawn)
    return f"{title}: {counted(len(drawn), 'bar')}, from {first}, {rounded(low)}, to {last}, {rounded(high)}."


def alt_of_curves(title: str, what: str, curves: Sequence[Curve]) -> tuple[str, str]:
    """The alternative text of curves over the quantity ``what``, and the table of their numbers."""
    ours = {curve.name: _finite(curve.x, curve.value) for curve in curves}
    theirs = {f"{curve.name}, the paper": _finite(curve.x, curve.paper) for curve in curves}
    series = ours | {name: points for name, points in theirs.items() if points}
    lines = []
    for x in sorted({x for points in series.values() for x in points}):
        lines.append([f"{x:g}", *(f"{points[x]:.3f}" if x in points else "–" for points in series.values())])
    parts = []
    for name, points in (ours if any(ours.values()) else theirs).items():
        if points:
            (first, start), (last, end) = list(points.items())[0], list(points.items())[-1]
            least = min(points, key=points.__getitem__)
            ends = f"{rounded(start)} at {first:g} to {rounded(end)} at {last:g}"
            parts.append(f"{name} from {ends}, smallest {rounded(points[least])} at {least:g}")
    return f"{title}: {'; '.join(parts)}.", look.table(f"{title}.", [what, *series], lines)


def _finite(x: Sequence[float], y: Sequence[float]) -> dict[float, float]:
    return {at: value for at, value in zip(x, y) if isfinite(value)}


def _number_table(rows: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Draws a table with the columns 'measured' and 'paper' for each data set; names are text, cells are HTML."""
    head = "".join(f'<th scope="colgroup" colspan="2">{escape(name)}</th>' for name in DATA.values())
    names = '<th scope="col">measured</th><th scope="col">paper</th>' * len(DATA)
    body = "".join(
        f"<tr{' class=best' if name == LABELS['ours'] else ''}><th scope=row>{escape(name)}</th>"
        f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, cells in rows
    )
    st.html(
        '<div class="mf-wide" role="region" aria-label="Numbers" tabindex="0"><table class="mf-numbers">'
        f"<thead><tr><td></td>{head}</tr><tr><td></td>{names}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def all_numbers(
    number: str, table: pd.DataFrame, names: dict[str, str], by: str, best: pd.DataFrame | None = None, note: str = ""
) -> None:
    """Draws, folded, the measured and printed errors of the paper's table ``number``, and a ``note`` below them.

    ``table`` has rows of ``reproduction.with_printed``; a row is drawn for each value of its column ``by`` that
    ``names`` names. The errors that ``best``, of ``reproduction.equal_to_best``, marks are bold.
    """
    rows = []
    for value, name in names.items():
        cells = []
        for data in DATA:
            row = table[(table.data == data) & (table[by] == value)]
            bold = best is not None and (data, value) in best.index and bool(best.loc[(data, value), "best"])
            cells += pair(row.iloc[0], bold) if len(row) else ["<small>not measured yet</small>", ""]
        rows.append((name, cells))
    with st.expander("All numbers, beside the paper's", icon=":material/table:"):
        look.small(SECTIONS[number].agreement)
        _number_table(rows)
        if note:
            look.small(note)


def pair(row: pd.Series, bold: bool = False) -> list[str]:
    """Two cells: the measured number with its splits, and the paper's with the distance to it."""
    measured, printed = _with_error(row["mean"], row.standard_error), _with_error(row.paper, row.paper_error)
    splits = f"<small>{counted(row.splits, 'split')}</small>" if measured else "<small>not measured yet</small>"
    distance = f"<small>{with_minus(f'{round(row.distance, 1) + 0.0:+.1f}')} s.e.</small>"
    far = distance if row.splits > 1 and not np.isnan(row.distance) else ""
    return [f"<b>{measured}</b>{splits}" if bold else measured + splits, printed + far]


def _with_error(value: float, error: float) -> str:
    """A number and its standard error, if it has one: '0.895 ± 0.033'; '' where there is no number."""
    return "" if np.isnan(value) else f"{value:.3f}" + ("" if np.isnan(error) else f" ± {error:.3f}")


SECTIONS = {
    "Table 1": Section(
        "Error on the hidden ratings",
        "table1",
        _hidden_error,
        "MetaMF has the smallest error of 15 methods on all three data sets, significantly below all others. With the "
        "paper's settings, a paired test does not distinguish MAML from it on MovieLens.",
        agreement="16 of our 24 numbers are within two of the paper's standard errors; MetaMF reaches its number on "
        "all three data sets. FT is far below the paper's everywhere, and on Jester EML, MAML, MF and MetaMF are below "
        "and AutoRecI is above. The paper prints neither how FT is finetuned, nor MAML's inner learning rate, nor how "
        "many updates AutoRec, DMF and MF take; it meta-trains for at most 1,000 epochs and stops early, without "
        "defining an epoch.",
    ),
    "Table 2": Section(
        "Error on the given ratings",
        "table1",
        _given_error,
        "MetaMF is closer to the given ratings than EML on all three data sets, and IterativeImputer is closest of "
        "all.",
        command=" table1 --preset {preset} --methods ours eml ft maml",
        agreement="2 of our 12 numbers are within two of the paper's standard errors. Meta-training counts the hidden "
        "ratings alone, which hardly determine how close the fit to the given ones is: between 7 and 15 MAP steps at "
        "test time, the error of MetaMF on given ratings changes by 20 to 41 %, that on hidden ones by at most 1 %.",
    ),
    "Table 3": Section(
        "Meta-trained on one data set, tested on another",
        "combinations",
        _combinations,
        "No choice of training data is better than the data set itself. The worst is Jester for MovieLens, 6 to 7 % "
        "above it, and MovieLens 1M for Jester, 3 % above it.",
        agreement="16 of our 21 numbers are within two of the paper's standard errors. The other five are errors on "
        "Jester, where ours are smaller.",
    ),
    "Table 4": Section(
        "The number of factors",
        "ranks",
        partial(_curves_by_setting, "Table 4", "ranks", r"K=(\d+)", "factors", ("ours",)),
        "The number of factors hardly matters: from 8 to 128 the error changes by at most 0.2 %.",
    ),
    "Table 5": Section(
        "AutoRec with more hidden units",
        "hidden",
        _hidden_units,
        "AutoRecU is best with 32 hidden units on all three data sets, AutoRecI with 128 or 512. Another number costs "
        "at most 4.3 %.",
        command=" hidden",
    ),
    "Tables 6 and 7": Section(
        "Time, as a ratio to MetaMF",
        "times",
        _times,
        "An update of MAML takes 4 to 6 times as long as one of MetaMF; in the paper, 11 to 16 times. Here MAML takes "
        "the inner steps of all matrices of a batch at once. An update of MetaMF takes about twice as long as one of "
        "EML; in the paper, 1.2 to 1.5 times.",
        command=".times",
    ),
    "Figure 3": Section(
        "Larger matrices, meta-trained at that size",
        "training_sizes",
        partial(_curves_by_size, "training_sizes", ("ours", "eml")),
        "MetaMF is lowest at every size. Its ratio to Mean is largest at 30 × 30 on MovieLens; on Jester it falls up "
        "to 50 × 50.",
    ),
    "Figure 4": Section(
        "Larger matrices, meta-trained at 30 × 30",
        "sizes",
        partial(_curves_by_size, "sizes", ("ours", "eml", "crossed_effects", "mean")),
        "MetaMF is lowest at every size on MovieLens and at five of six sizes on Jester. Its ratio to Mean is largest "
        "at 30 × 30 on MovieLens; on Jester it falls up to 60 × 60.",
    ),
    "Figure 5": Section(
        "The number of MAP steps",
        "steps",
        _steps,
        "The ten steps that MetaMF was trained with take 6.4 % (MovieLens 100K), 3.0 % (MovieLens 1M) and 14.9 % "
        "(Jester) off the error of the prior alone. After 50 steps the error is 5 to 9 % larger than after ten.",
    ),
    "Finetuning": Section(
        "FT, update by update",
        "finetuning",
        _finetuning,
        "Where both are equally close to the given ratings, the error of the paper's FT on the others is between those "
        "of ours at two rates: 0.01 and 0.1 on MovieLens, 0.001 and 0.01 on Jester.",
    ),
    "Epochs": Section(
        "How long MetaMF and EML are meta-trained",
        "epochs",
        _epochs,
        "EML reaches the paper's error after 40 (MovieLens 100K), 20 (MovieLens 1M) and 10 epochs (Jester) and goes on "
        "improving. MetaMF reaches it after 10 and 5 epochs on MovieLens 1M and Jester; on MovieLens 100K it is still "
        "above it after 160, at 0.905 instead of 0.895.",
        command=" epochs",
    ),
}
