"""Table of a class that visits the app."""

from __future__ import annotations

import textwrap

import pandas as pd

from benchmarks.report.markdown import markdown
from benchmarks.rows import RESULTS

QUANTILES = ("seconds 50 %", "seconds 95 %", "seconds 99 %")


def visits() -> str:
    """Seconds and bytes of what visitors do, by their number, and the server's memory."""
    rows = pd.read_csv(RESULTS / "load.csv")
    actions = rows[rows["seconds 50 %"].notna()]
    table = actions.groupby(["what", "sessions"], sort=False)[list(QUANTILES)].max().apply(_times, axis=1).unstack()
    table = table.reindex(actions.what.unique()).fillna("")
    table.columns = [f"{sessions} of them" for sessions in table.columns]
    sent = actions.groupby("what")[["kB 50 %", "kB 95 %"]].max().apply(_kilobytes, axis=1)
    table.insert(0, "kB sent", sent)
    table = table.reset_index(names="what a visitor does")
    errors, times = int(rows.errors.sum()), rows.groupby("sessions").time.max()
    largest = rows[rows.sessions == rows.sessions.max()]
    memory = largest[largest.what.str.startswith("memory")].pivot(index="time", columns="what", values="MiB")
    waited = largest["waited, s"].max() / 60
    figures = (
        "Seconds at the median (95th, 99th percentile), kilobytes that the server sends on the page's connection at "
        f"the median (95th percentile); of several runs the slowest, {times.iloc[-1]} with {times.index[-1]} visitors. "
        f"Errors: {errors}. The load before was {rows['load before'].max():.1f}."
    )
    of_server = (
        f"The server's memory, {rows[rows.what == 'memory before'].MiB.iloc[0]:.0f} MiB before the first class; "
        f"{largest.sessions.iloc[0]} visitors, one class after the other: "
        + "; ".join(
            f"{row['memory before']:.0f} MiB before, {row['memory at the most']:.0f} at the most "
            f"({row['memory for a session']:.1f} for a visitor), {row['memory after']:.0f} {waited:.0f} minutes after"
            for _, row in memory.iterrows()
        )
        + "."
    )
    return "\n\n".join([markdown(table), _in_lines(figures), _in_lines(of_server)])


def _in_lines(text: str) -> str:
    return textwrap.fill(text, 120, break_on_hyphens=False)


def _kilobytes(row: pd.Series) -> str:
    half, most = row
    return "" if pd.isna(half) or most < 1 else f"{half:.0f} ({most:.0f})"


def _times(row: pd.Series) -> str:
    half, most, nearly_all = (f"{value:.2f}" for value in row)
    return f"{half} ({most}, {nearly_all})"
