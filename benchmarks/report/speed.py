"""Tables of time and memory: kernels, many ratings, the app, a class that visits it."""

from __future__ import annotations

import textwrap

import pandas as pd

from benchmarks.report.markdown import TITLES, columns_of_data, lines_of_data, markdown, number
from benchmarks.rows import RESULTS
from benchmarks.speed.scale import exponent
from metamf import reproduction as paper
from metamf.baselines import METHODS


def speed() -> str:
    """Kernels side by side; the dense reference evaluates the paper's equations on N x M arrays."""
    frame = pd.read_csv(RESULTS / "speed.csv").drop(columns=["rounds", "torch"])
    forms = {"milliseconds": ".3g", "ratio to the first": ".2f", "peak MiB above start": ".1f"}
    for name, form in forms.items():
        frame[name] = frame[name].map(f"{{:{form}}}".format)
    frame.loc[frame.contest.duplicated(), "contest"] = ""
    return markdown(frame)


def fill_times() -> str:
    """A default fit next to IterativeImputer's, in processor time on one core."""
    frame = pd.read_csv(RESULTS / "fill-times.csv").drop(columns="torch")
    for name in frame.columns.difference(["rows", "columns"], sort=False):
        frame[name] = frame[name].map("{:.2g}".format)
    return markdown(frame)


def times() -> str:
    """One meta-training update of EML and MAML, as a ratio to Ours."""
    rows = paper.measured("times").query("phase == 'meta-training update'")
    updates = rows.set_index(["data", "method"]).ratio
    printed = paper.printed("Table 6").set_index(["data", "method"]).value

    def line(data):
        return {
            "MAML / Ours": f"{updates[data, 'maml']:.1f}",
            "MAML / Ours, paper": f"{printed[data, 'maml'] / printed[data, 'ours']:.1f}",
            "Ours / EML": f"{1 / updates[data, 'eml']:.1f}",
            "Ours / EML, paper": f"{printed[data, 'ours'] / printed[data, 'eml']:.1f}",
        }

    return lines_of_data(line)


def block_times() -> str:
    """Milliseconds that each method takes for one held-out block, and as a ratio to Ours next to
    the paper's."""
    blocks = paper.measured("times").query("phase == 'meta-test block'")
    blocks = blocks.set_index(["data", "method"])
    printed = paper.printed("Table 7").set_index(["data", "method"]).value

    def cells(method, data):
        measured = blocks.loc[(data, method)]
        theirs = printed.get((data, method), float("nan")) / printed[data, "ours"]
        shown = f"{measured.milliseconds:.3g} ms ({measured.ratio:.2f})"
        return {"": shown, ", paper": number(theirs, ".2f")}

    methods = blocks.index.unique("method")
    return columns_of_data([({"method": METHODS[key].label}, key) for key in methods], cells)


def scale() -> str:
    """Seconds and memory over the number of ratings, and how they grow."""
    rows = pd.read_csv(RESULTS / "scale.csv")
    synthetic, movielens = rows[rows.data == "synthetic"], rows[rows.data == "ml-1m"].iloc[0]
    table = markdown(
        {
            "ratings": f"{row.ratings:,} ({TITLES.get(row.data, row.data)})",
            "rows x columns": f"{row.rows:,} x {row.columns:,}",
            "seconds to fit": f"{row.fit_seconds:.3g}",
            "seconds for 1e6 cells": f"{row.predict_seconds:.2g}",
            "peak MiB": f"{row.peak_mib:,.0f}",
            "load before": f"{row.load:.1f}",
        }
        for row in rows.itertuples()
    )
    seconds = movielens.fit_seconds + movielens.predict_seconds
    slope, later = exponent(synthetic), exponent(synthetic[synthetic.ratings >= 1_000_000])
    return f"""{table}

The time to fit and to estimate a million cells grows as the number of ratings to the power \
{slope:.2f}, and from a million
ratings on to the power {later:.2f}. On ML-1M both take {seconds:.2f} s together."""


def opening() -> str:
    """Medians over the rounds, and the server's memory."""
    frame = pd.read_csv(RESULTS / "opening.csv")
    medians = frame.groupby(["server", "profile"])[["sentence", "picture"]].median() / 1000
    since = {"warm": "that is warm", "starting": "from the start of its process"}
    visitors = {"empty": "has never seen the app", "second visit": "has been here before"}
    table = markdown(
        {
            "a server": started,
            "a browser": visited,
            "the sentence with the errors": f"{medians.sentence[server, profile]:.1f} s",
            "the first picture, three maps": f"{medians.picture[server, profile]:.1f} s",
        }
        for server, started in since.items()
        for profile, visited in visitors.items()
    )
    return f"""{table}

Medians of {frame["round"].nunique()} rounds, next to other work that gave the machine a load of \
{frame.load.median():.1f}. After the first visitor,
at rest and with torch, the server's process holds {frame.MiB.median():.0f} MiB."""


def edit() -> str:
    """Times of an edit on each page."""
    frame = pd.read_csv(RESULTS / "edit.csv")
    table = {"on the page": frame.page}
    for part, label in (("picture", "all maps"), ("everything", "the last word of the page")):
        columns = frame[f"{part}, median ms"], frame[f"{part}, 95 % ms"]
        table[label] = [f"{median:.0f} ms ({late:.0f})" for median, late in zip(*columns)]
    return f"""{markdown(pd.DataFrame(table))}

Medians of {frame.edits.max()} edits (the 95th percentile), at a load of {frame.load.max():.1f}."""


def load() -> str:
    """Seconds and bytes of what visitors do, by their number, and the server's memory."""
    rows = pd.read_csv(RESULTS / "load.csv")
    table = []
    for what, group in rows[rows["seconds 50 %"].notna()].groupby("what", sort=False):
        half, most = group[["kB 50 %", "kB 95 %"]].max()
        sent = "" if pd.isna(half) or most < 1 else f"{half:.0f} ({most:.0f})"
        line = {"what a visitor does": what, "kB sent": sent}
        quantiles = group[["sessions", "seconds 50 %", "seconds 95 %", "seconds 99 %"]]
        for sessions in rows.sessions.unique():
            slowest = quantiles[quantiles.sessions == sessions].max().iloc[1:]
            shown = "" if slowest.isna().any() else "{:.2f} ({:.2f}, {:.2f})".format(*slowest)
            line[f"{sessions} of them"] = shown
        table.append(line)
    largest = rows[rows.sessions == rows.sessions.max()]
    memory = largest[largest.what.str.startswith("memory")]
    classes = "; ".join(
        f"{row['memory before']:.0f} MiB before, {row['memory at the most']:.0f} at the most "
        f"({row['memory for a session']:.1f} for a visitor), {row['memory after']:.0f} "
        f"{largest['waited, s'].max():.0f} seconds after"
        for _, row in memory.pivot(index="time", columns="what", values="MiB").iterrows()
    )
    texts = [
        f"""Seconds at the median (95th, 99th percentile), kilobytes that the server sends on the
        page's connection at the median (95th percentile). Visits that ended in an error, such as an
        answer that took more than three minutes: {rows.errors.sum():.0f}. The load before was
        {rows["load before"].max():.1f}.""",
        f"""The memory of the server and its workers,
        {rows[rows.what == "memory before"].MiB.iloc[0]:.0f} MiB before the first class;
        {rows.sessions.max()} visitors, one class after the other: {classes}.""",
    ]
    filled = [textwrap.fill(" ".join(t.split()), 120, break_on_hyphens=False) for t in texts]
    return "\n\n".join([markdown(table), *filled])
