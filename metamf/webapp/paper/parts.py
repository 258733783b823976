"""The building blocks of the page Paper: switches, figures, tables, downloads, and the results that they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import isfinite

import numpy as np
import pandas as pd
import streamlit as st

from metamf import wording
from metamf.baselines import METHODS
from metamf.figures.experiments import Bar, Curve, text_of_bars, text_of_curves
from metamf.reproduction import numbers as paper
from metamf.reproduction.findings import AGREEMENT, FINDINGS, NOT_MEASURED
from metamf.reproduction.numbers import ALL_BLOCKS, DATA, FEW_BLOCKS, LABELS, Measure, signed
from metamf.webapp import address, look

RUN = "python -m benchmarks.paper"
SCALES = {"ratio": "ratio to Mean", "absolute": "absolute error"}
BLOCKS = {str(ALL_BLOCKS): "200 blocks a split", str(FEW_BLOCKS): "10, as in the paper"}
PRESETS = {"tuned": "settings tuned here", "paper": "the paper's settings"}  # presets of `metamf train`


def controls() -> Measure:
    """Draws the switches and returns how to show all errors of the page."""
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


def contents(names: Sequence[str]) -> list[str]:
    """Draws the choice of sections and returns the open ones, the one opened last first."""
    opened = st.pills(
        "Tables and figures of the paper, and two experiments of our own",
        names,
        selection_mode="multi",
        default=names[0],
        **address.control("section"),
    )
    before = [name for name in st.session_state.get("paper_opened", ()) if name in opened]
    st.session_state.paper_opened = [name for name in opened if name not in before] + before
    return st.session_state.paper_opened


def meanings() -> None:
    """Draws the words and abbreviations of the page, folded."""
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


def heading(number: str, title: str, experiment: str) -> None:
    """Draws the heading of a section, with an anchor such as 'tables-6-and-7', and what its measurements show."""
    anchor = number.lower().replace(" ", "-")
    st.html(f'<h2 class="mf-section" id="{anchor}"><span>{escape(number)}</span>{escape(title)}</h2>')
    look.finding(NOT_MEASURED if rows_of(experiment).empty else FINDINGS[number])


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
            look.panel(DATA[data], number_of_splits(rows.splits[rows.splits > 0]))
            if drawn[data]:
                figure, key, alt, *numbers_of = draw(data, rows)
                look.figure(figure, key, alt)
                behind += numbers_of
    if behind:
        look.fold_numbers(*behind)


def number_of_splits(splits: pd.Series) -> str:
    """Returns '3 to 5 splits', '5 splits' or 'not measured yet'."""
    if splits.empty:
        return "not measured yet"
    low, high = splits.min(), splits.max()
    return f"{low} to {high} splits" if low < high else wording.counted(high, "split")


def alt_of_bars(title: str, bars: Sequence[Bar]) -> str:
    """Returns the alternative text of bars; where nothing is measured yet, that of the paper's numbers."""
    if any(isfinite(bar.value) for bar in bars):
        return text_of_bars(title, [(bar.label, bar.value) for bar in bars])
    return text_of_bars(f"{title}, as printed in the paper", [(bar.label, bar.paper) for bar in bars])


def alt_of_curves(title: str, what: str, curves: Sequence[Curve]) -> tuple[str, str]:
    """Returns the alternative text of curves over the quantity ``what``, and the table of their numbers."""
    series = [(curve.name, curve.x, curve.value) for curve in curves]
    series += [(f"{c.name}, the paper", c.x, c.paper) for c in curves if any(map(isfinite, c.paper))]
    columns = [dict(zip(xs, values)) for _, xs, values in series]
    lines = []
    for x in sorted({x for _, xs, _ in series for x in xs}):
        values = [column.get(x, np.nan) for column in columns]
        lines.append([f"{x:g}", *(f"{value:.3f}" if isfinite(value) else "–" for value in values)])
    measured = series[: len(curves)] if any(isfinite(y) for curve in curves for y in curve.value) else series
    return text_of_curves(title, measured), look.table(f"{title}.", [what, *(name for name, *_ in series)], lines)


def number_table(rows: Sequence[tuple[str, Sequence[str]]]) -> None:
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
    """Draws, folded, the table of measured and printed errors.

    Parameters
    ----------
    number : the paper's table, such as 'Table 1'
    table : rows of ``numbers.with_printed``
    names : the rows to draw, values of the column ``by``, with the name to show
    by : 'method' or 'setting'
    best : the results of ``numbers.equal_to_best``; the best errors are bold, as in the paper
    note : a sentence below the table
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
        look.small(AGREEMENT[number])
        number_table(rows)
        if note:
            look.small(note)


def pair(row: pd.Series, bold: bool = False) -> list[str]:
    """Returns two cells: the measured number with its splits, and the paper's with the distance to it."""
    measured = "" if np.isnan(row["mean"]) else with_error(row["mean"], row.standard_error)
    splits = f"<small>{wording.counted(row.splits, 'split')}</small>" if measured else "<small>not measured yet</small>"
    printed = "" if np.isnan(row.paper) else with_error(row.paper, row.paper_error)
    far = f"<small>{signed(row.distance)} s.e.</small>" if row.splits > 1 and not np.isnan(row.distance) else ""
    return [f"<b>{measured}</b>{splits}" if bold else measured + splits, printed + far]


def with_error(value: float, error: float) -> str:
    """Returns a number and its standard error, if it has one: '0.895 ± 0.033'."""
    return f"{value:.3f}" if np.isnan(error) else f"{value:.3f} ± {error:.3f}"


def source(command: str, experiment: str) -> None:
    """Draws the command that computes an experiment, and buttons that download its results."""
    files = {f"{experiment}.csv": "Rows", f"{experiment}-blocks.parquet": "Errors of every block"}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<code class="mf-command">{escape(command)}</code>')
        for name, what in files.items():
            path = paper.results_file(name)
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
    """Returns the measured rows of an experiment, read again when their file has changed."""
    return _rows(experiment, _modified(experiment))


def best_of(experiment: str, choice: Measure) -> pd.DataFrame:
    """Returns ``numbers.equal_to_best``, computed once per version of the file, since paired tests take a while."""
    return _best(experiment, _modified(experiment), choice)


def _modified(experiment: str) -> int:
    path = paper.results_file(f"{experiment}.csv")
    return path.stat().st_mtime_ns if path.exists() else 0


@st.cache_data(max_entries=20, show_spinner=False)
def _best(experiment: str, modified: int, choice: Measure) -> pd.DataFrame:
    return paper.equal_to_best(_rows(experiment, modified), choice)


@st.cache_data(max_entries=20, show_spinner=False)
def _rows(experiment: str, modified: int) -> pd.DataFrame:
    return paper.measured(experiment)
