"""What the sections of the page 'Paper' are made of: the switches, headings, tables, and what stands at their end."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from metamf import wording
from metamf.reproduction import numbers as paper
from metamf.reproduction.findings import DATA, signed
from metamf.reproduction.numbers import ALL_BLOCKS, FEW_BLOCKS, Measure
from metamf.webapp import look

SCALES = {"ratio": "ratio to Mean", "absolute": "absolute error"}
BLOCKS = {str(ALL_BLOCKS): "200 blocks a split", str(FEW_BLOCKS): "10, as in the paper"}
PRESETS = {"tuned": "preset tuned", "paper": "preset paper"}
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
    look.hide_controls()
    st.html(_STYLE)


def controls() -> Measure:
    """How all errors of the page are shown."""
    with st.container(horizontal=True, key="paper_controls"):
        scale, blocks, preset = (
            st.segmented_control(
                title,
                list(options),
                default=next(iter(options)),
                format_func=options.get,
                key=key,
                required=True,
                bind="query-params",
            )
            for title, options, key in (
                ("Errors as", SCALES, "scale"),
                ("Measured on", BLOCKS, "on"),
                ("Meta-training by", PRESETS, "preset"),
            )
        )
    return Measure(int(blocks), scale == "ratio", preset)


def contents() -> None:
    """Links to the sections."""
    links = "".join(f'<a href="#{anchor(number)}" target="_self">{number}</a>' for number in NUMBERS)
    st.html(f'<nav class="mf-contents">{links}</nav>')


def anchor(number: str) -> str:
    return number.lower().replace(" ", "-")


def heading(number: str, title: str) -> None:
    st.html(f'<h2 class="mf-section" id="{anchor(number)}"><span>{escape(number)}</span>{escape(title)}</h2>')


def panels(tables: dict[str, pd.DataFrame], draw) -> None:
    """The figures of the data sets, side by side; none is drawn for a table without a number.

    Parameters
    ----------
    tables : the numbers of each data set
    draw : ``draw(data, table)`` gives the figure, its key and its alternative text
    """
    drawn = {data: bool(table[["mean", "paper"]].notna().any(axis=None)) for data, table in tables.items()}
    if not any(drawn.values()):
        return
    for column, (data, table) in zip(st.columns(len(DATA), gap="medium"), tables.items()):
        with column:
            look.panel(DATA[data], number_of_splits(table.splits[table.splits > 0]))
            if drawn[data]:
                look.figure(*draw(data, table))


def number_of_splits(splits: pd.Series) -> str:
    if splits.empty:
        return "not measured yet"
    low, high = splits.min(), splits.max()
    return f"{low} to {high} splits" if low < high else wording.counted(high, "split")


def key_to_figures(bars: bool, diamonds: bool = True) -> None:
    """What bars, diamonds and intervals mean."""
    text = "Intervals: one standard error over splits. "
    text += "Bars start at the error of Mean: to the left is better. " if bars else ""
    look.small(text + ("Diamonds: the paper's numbers." if diamonds else ""))


def number_table(rows: Sequence[tuple[str, Sequence[str]]], columns: Sequence[str], groups: Sequence[str]) -> None:
    """A table of numbers.

    Parameters
    ----------
    rows : the name of each row, and its cells, which are HTML already
    columns, groups : names of the columns, and of the groups that they form, which have equally many columns each
    """
    head = "".join(
        f'<th scope="colgroup" colspan="{len(columns) // len(groups)}">{escape(group)}</th>' for group in groups
    )
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        f"<tr{' class=best' if name == 'Ours' else ''}><th scope=row>{escape(name)}</th>"
        f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, cells in rows
    )
    st.html(
        f'<div class="mf-wide"><table class="mf-numbers"><thead><tr><td></td>{head}</tr><tr><td></td>{names}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def beside_table(table: pd.DataFrame, names: dict[str, str], by: str, tests: pd.DataFrame | None = None) -> None:
    """Measured and printed errors of each data set; one row per entry of ``names``, whose keys are values of ``by``.

    Bold: by the paper's rule, what a paired t-test at 5 % does not tell from the method with the smallest error; with
    ``tests`` of every pair alone. Without them nothing is bold.
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
    """The cells of a measured number and of the paper's."""
    measured = "" if np.isnan(row["mean"]) else with_error(row["mean"], row.standard_error)
    splits = f"<small>{wording.counted(row.splits, 'split')}</small>" if measured else "<small>not measured yet</small>"
    printed = "" if np.isnan(row.paper) else with_error(row.paper, row.paper_error)
    far = f"<small>{signed(row.distance)} s.e.</small>" if row.splits > 1 and not np.isnan(row.distance) else ""
    return [f"<b>{measured}</b>{splits}" if bold else measured + splits, printed + far]


def with_error(value: float, error: float) -> str:
    return f"{value:.3f}" if np.isnan(error) else f"{value:.3f} ± {error:.3f}"


def source(command: str, experiment: str) -> None:
    """The command that makes the numbers, and their rows to take away."""
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
    path = paper.results_file(f"{experiment}.csv")
    return _rows(experiment, path.stat().st_mtime_ns if path.exists() else 0)


@st.cache_data(max_entries=20, show_spinner=False)
def _rows(experiment: str, modified: int) -> pd.DataFrame:
    return paper.measured(experiment)
