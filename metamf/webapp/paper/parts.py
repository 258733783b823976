"""The building blocks of the page Paper: switches, choice of sections, headings, figures, tables and downloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from metamf import wording
from metamf.baselines import METHODS
from metamf.reproduction import numbers as paper
from metamf.reproduction.findings import DATA, LABELS, signed
from metamf.reproduction.numbers import ALL_BLOCKS, FEW_BLOCKS, Measure
from metamf.webapp import address, look

T = TypeVar("T")
RUN = "python -m benchmarks.paper"
SCALES = {"ratio": "ratio to Mean", "absolute": "absolute error"}
BLOCKS = {str(ALL_BLOCKS): "200 blocks a split", str(FEW_BLOCKS): "10, as in the paper"}
PRESETS = {"tuned": "settings tuned here", "paper": "the paper's settings"}  # presets of `metamf train`
_SCALE, _ON, _PRESET = (
    address.control(key, options.get) for key, options in (("scale", SCALES), ("on", BLOCKS), ("preset", PRESETS))
)
_SECTION = address.control("section")
NUMBERS = (
    "Table 1",
    "Table 2",
    "Table 3",
    "Table 4",
    "Table 5",
    "Tables 6 and 7",
    "Figure 3",
    "Figure 4",
    "Figure 5",
    "Finetuning",
    "Epochs",
)
_STYLE = Path(__file__).with_name("style.css")


def style() -> None:
    """Applies the style sheet of this page and hides the sidebar's controls, which do not matter here."""
    look.hide_controls()
    st.html(_STYLE)


def controls() -> Measure:
    """Draws the switches and returns the chosen way of showing all errors of the page."""
    with st.container(horizontal=True, key="paper_controls"):
        scale, blocks, preset = (
            st.segmented_control(
                title,
                list(options),
                default=next(iter(options)),
                format_func=options.get,
                required=True,
                **bound,
            )
            for title, options, bound in (
                ("Errors as", SCALES, _SCALE),
                ("Measured on", BLOCKS, _ON),
                ("Trained with", PRESETS, _PRESET),
            )
        )
    return Measure(int(blocks), scale == "ratio", preset)


def contents() -> list[str]:
    """Draws the choice of sections and returns the numbers of those that are open, in the paper's order; the address
    keeps them."""
    opened = st.pills(
        "Tables and figures of the paper, and two experiments of ours",
        NUMBERS,
        selection_mode="multi",
        default=NUMBERS[0],
        **_SECTION,
    )
    return [number for number in NUMBERS if number in opened]


def meanings() -> None:
    """Draws the words and abbreviations of the page with their meanings, to be unfolded."""
    words = {
        "MetaMF": 'the paper\'s model, "Ours" in its tables. What the other pages call MovieLens 1M, MovieLens 100K '
        "and Jester is this model, trained on the first split of these data",
    }
    words |= {LABELS[key]: spec.explanation for key, spec in METHODS.items() if key != "ours"}
    words |= {
        "split": "a new division of users and items into those for training, for choosing settings and for the test",
        "block": "a table of 30 users and 30 items of the test part, half of whose ratings are given",
        "ratio to Mean": "the mean squared error, divided by that of always guessing the mean on the same blocks",
        "±": "one standard error over splits",
        "s.e.": "standard error: how far the paper's own number may be off by chance",
        "settings tuned here": "number of updates, learning rate and dropout chosen here (preset tuned); "
        "the paper's settings (preset paper) follow the paper as far as it states them",
    }
    with st.expander("What the words and abbreviations mean", icon=":material/help:"):
        st.html(
            "<dl class='mf-meanings'>"
            + "".join(f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>" for word, text in words.items())
            + "</dl>"
        )


def anchor(number: str) -> str:
    """The HTML id of a section's heading: 'Tables 6 and 7' gives 'tables-6-and-7'."""
    return number.lower().replace(" ", "-")


def heading(number: str, title: str) -> None:
    """Draws the heading of a section."""
    st.html(f'<h2 class="mf-section" id="{anchor(number)}"><span>{escape(number)}</span>{escape(title)}</h2>')


def unfolded():
    """The place of a section's numbers beside the paper's, folded until somebody asks."""
    return st.expander("All numbers, beside the paper's", icon=":material/table:")


def panels(tables: dict[str, pd.DataFrame], draw) -> None:
    """Draws the figures of the data sets side by side; a table without a number gets none.

    Parameters
    ----------
    tables : the table of errors of each data set, by its name in ``findings.DATA``
    draw : function that takes the name of a data set and its table, and returns figure, key, alternative text and,
        where the section has no other one, the table of its numbers as HTML
    """
    drawn = {data: bool(table[["mean", "paper"]].notna().any(axis=None)) for data, table in tables.items()}
    if not any(drawn.values()):
        return
    behind: list[str] = []
    for column, (data, table) in zip(st.columns(len(DATA), gap="medium"), tables.items()):
        with column:
            look.panel(DATA[data], number_of_splits(table.splits[table.splits > 0]))
            if drawn[data]:
                figure, key, alt, *numbers_of = draw(data, table)
                look.figure(figure, key, alt)
                behind += numbers_of
    if behind:
        look.fold_numbers(*behind)


def number_of_splits(splits: pd.Series) -> str:
    """The range of the numbers of splits in words: '3 to 5 splits', '5 splits' or 'not measured yet'."""
    if splits.empty:
        return "not measured yet"
    low, high = splits.min(), splits.max()
    return f"{low} to {high} splits" if low < high else wording.counted(high, "split")


def key_to_figures(bars: bool, diamonds: bool = True) -> None:
    """Draws the sentences that explain bars, diamonds and intervals."""
    text = "Intervals: one standard error over splits. "
    text += "Bars start at the error of Mean: to the left is better. " if bars else ""
    look.small(text + ("Diamonds: the paper's numbers." if diamonds else ""))


def number_table(rows: Sequence[tuple[str, Sequence[str]]], columns: Sequence[str], groups: Sequence[str]) -> None:
    """Draws a table of numbers.

    Parameters
    ----------
    rows : name and cells of each row; names are plain text, cells are HTML
    columns : names of the columns, without that of the row names
    groups : names of the groups of neighbouring columns; all groups have equally many columns
    """
    head = "".join(
        f'<th scope="colgroup" colspan="{len(columns) // len(groups)}">{escape(group)}</th>' for group in groups
    )
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        f"<tr{' class=best' if name == LABELS['ours'] else ''}><th scope=row>{escape(name)}</th>"
        f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, cells in rows
    )
    st.html(
        '<div class="mf-wide" role="region" aria-label="Numbers" tabindex="0"><table class="mf-numbers">'
        f"<thead><tr><td></td>{head}</tr><tr><td></td>{names}</tr>"
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def beside_table(table: pd.DataFrame, names: dict[str, str], by: str, tests: pd.DataFrame | None = None) -> None:
    """Draws the table of measured and printed errors, two columns per data set.

    Bold, as in the paper: errors that a paired t-test at 5 % does not tell from the smallest one.

    Parameters
    ----------
    table : rows of ``numbers.with_printed``
    names : the rows to draw: a value of column ``by``, and the name to show for it
    by : the column of ``table`` that tells its rows apart, 'method' or 'setting'
    tests : the results of ``numbers.equal_to_best``; None: nothing is bold
    """
    rows = []
    for value, name in names.items():
        cells = []
        for data in DATA:
            row = table[(table.data == data) & (table[by] == value)]
            bold = tests is not None and (data, value) in tests.index and bool(tests.loc[(data, value), "best"])
            cells += pair(row.iloc[0], bold) if len(row) else ["<small>not measured yet</small>", ""]
        rows.append((name, cells))
    number_table(rows, ["measured", "paper"] * len(DATA), list(DATA.values()))


def pair(row: pd.Series, bold: bool = False) -> list[str]:
    """The two HTML cells of a row: the measured number with its splits, and the paper's with the distance to it."""
    measured = "" if np.isnan(row["mean"]) else with_error(row["mean"], row.standard_error)
    splits = f"<small>{wording.counted(row.splits, 'split')}</small>" if measured else "<small>not measured yet</small>"
    printed = "" if np.isnan(row.paper) else with_error(row.paper, row.paper_error)
    far = f"<small>{signed(row.distance)} s.e.</small>" if row.splits > 1 and not np.isnan(row.distance) else ""
    return [f"<b>{measured}</b>{splits}" if bold else measured + splits, printed + far]


def with_error(value: float, error: float) -> str:
    """A number and its standard error, which may be NaN: '0.895 ± 0.033' or '0.895'."""
    return f"{value:.3f}" if np.isnan(error) else f"{value:.3f} ± {error:.3f}"


def source(command: str, experiment: str) -> None:
    """Draws the command that computes the numbers of an experiment, and buttons to download its files of results."""
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
    """The measured rows of an experiment; read again when their file has changed."""
    path = paper.results_file(f"{experiment}.csv")
    return _rows(experiment, path.stat().st_mtime_ns if path.exists() else 0)


def found_in(experiment: str, find: Callable[[pd.DataFrame, Measure], T], choice: Measure) -> T:
    """``find(rows, choice)`` of an experiment's rows, once for all visitors and each version of its file: paired tests
    take longer than all else on the page."""
    path = paper.results_file(f"{experiment}.csv")
    return _found_in(experiment, path.stat().st_mtime_ns if path.exists() else 0, find.__name__, choice, find)


@st.cache_data(max_entries=100, show_spinner=False)
def _found_in(experiment: str, modified: int, name: str, choice: Measure, _find: Callable):
    return _find(_rows(experiment, modified), choice)


@st.cache_data(max_entries=20, show_spinner=False)
def _rows(experiment: str, modified: int) -> pd.DataFrame:
    return paper.measured(experiment)
