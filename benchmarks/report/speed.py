"""Tables of time and memory: kernels, many ratings, the app, a class that visits it."""

from __future__ import annotations

import textwrap

import pandas as pd

from benchmarks.report.markdown import TITLES, markdown, number
from benchmarks.rows import RESULTS
from benchmarks.speed.scale import exponent
from metamf import reproduction as paper
from metamf.baselines import METHODS


def speed() -> str:
    """Kernels side by side; the dense reference evaluates the paper's equations on N x M arrays."""
    frame = pd.read_csv(RESULTS / "speed.csv")
    frame["milliseconds"] = frame.milliseconds.map("{:.3g}".format)
    frame["ratio to the first"] = frame["ratio to the first"].map("{:.2f}".format)
    frame["peak MiB above start"] = frame["peak MiB above start"].map("{:.1f}".format)
    frame.loc[frame.contest.duplicated(), "contest"] = ""
    return markdown(frame.drop(columns=["rounds", "torch"]))


def times() -> str:
    """One meta-training update of EML and MAML, as a ratio to Ours."""
    rows = paper.measured("times")
    updates = rows[rows.phase == "meta-training update"].pivot(index="data", columns="method", values="ratio")
    printed = paper.printed("Table 6").pivot(index="data", columns="method", values="value")
    return markdown(
        {
            "data": title,
            "MAML / Ours": f"{updates.maml[data]:.1f}",
            "MAML / Ours, paper": f"{printed.maml[data] / printed.ours[data]:.1f}",
            "Ours / EML": f"{1 / updates.eml[data]:.1f}",
            "Ours / EML, paper": f"{printed.ours[data] / printed.eml[data]:.1f}",
        }
        for data, title in TITLES.items()
    )


def block_times() -> str:
    """Milliseconds that each method takes for one held-out block, and as a ratio to Ours next to the paper's."""
    rows = paper.measured("times")
    blocks = rows[rows.phase == "meta-test block"].set_index(["data", "method"])
    printed = paper.printed("Table 7").set_index(["data", "method"]).value
    lines = []
    for method in blocks.index.unique("method"):
        line = {"method": METHODS[method].label}
        for data, title in TITLES.items():
            measured = blocks.loc[(data, method)]
            theirs = printed.get((data, method), float("nan")) / printed[data, "ours"]
            line[title] = f"{measured.milliseconds:.3g} ms ({measured.ratio:.2f})"
            line[f"{title}, paper"] = number(theirs, ".2f")
        lines.append(line)
    return markdown(lines)


def scale() -> str:
    """Seconds and memory over the number of ratings, how they grow, and Surprise's SVD on the same ratings."""
    rows = pd.read_csv(RESULTS / "scale.csv")
    ours = rows[rows.method == "universal"]
    synthetic, movielens = ours[ours.data == "synthetic"], ours[ours.data == "ml-1m"].iloc[0]
    table = pd.DataFrame(
        {
            "ratings": [f"{row.ratings:,} ({TITLES.get(row.data, row.data)})" for row in ours.itertuples()],
            "rows x columns": [f"{row.rows:,} x {row.columns:,}" for row in ours.itertuples()],
            "seconds to fit": ours.fit_seconds.map("{:.3g}".format),
            "seconds for 1e6 cells": ours.predict_seconds.map("{:.2g}".format),
            "peak MiB": ours.peak_mib.map("{:,.0f}".format),
            "load before": ours.load.map("{:.1f}".format),
        }
    )
    svd = rows[rows.method == "Surprise SVD"].iloc[0]
    seconds = movielens.fit_seconds + movielens.predict_seconds
    slopes = [exponent(synthetic), exponent(synthetic[synthetic.ratings >= 1_000_000])]
    return (
        f"{markdown(table)}\n\nThe time to fit and to estimate a million cells grows as the number of ratings to the "
        f"power {slopes[0]:.2f}, and from a million\nratings on to the power {slopes[1]:.2f}. On ML-1M both take "
        f"{seconds:.2f} s together; Surprise's SVD takes {svd.fit_seconds:.2f} s to fit alone\n(measured in turns)."
    )


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
    return (
        f"{table}\n\nMedians of {frame['round'].nunique()} rounds, next to other work that gave the machine a load of "
        f"{frame.load.median():.1f}. After the first visitor,\nat rest and with torch, the server's process holds "
        f"{frame.MiB.median():.0f} MiB."
    )


def edit() -> str:
    """Times of an edit on each page."""
    frame = pd.read_csv(RESULTS / "edit.csv")
    table = {"on the page": frame.page}
    for part, label in (("picture", "all maps"), ("everything", "the last word of the page")):
        columns = frame[f"{part}, median ms"], frame[f"{part}, 95 % ms"]
        table[label] = [f"{median:.0f} ms ({late:.0f})" for median, late in zip(*columns)]
    return (
        f"{markdown(pd.DataFrame(table))}\n\nMedians of {frame.edits.max()} edits (the 95th percentile), at a load of "
        f"{frame.load.max():.1f}."
    )


def load() -> str:
    """Seconds and bytes of what visitors do, by their number, and the server's memory."""
    rows = pd.read_csv(RESULTS / "load.csv")
    actions = rows[rows["seconds 50 %"].notna()].groupby("what", sort=False)
    table = {"what a visitor does": [], "kB sent": []}
    for what, group in actions:
        half, most = group[["kB 50 %", "kB 95 %"]].max()
        table["what a visitor does"].append(what)
        table["kB sent"].append("" if pd.isna(half) or most < 1 else f"{half:.0f} ({most:.0f})")
        for sessions in rows.sessions.unique():
            slowest = group[group.sessions == sessions][["seconds 50 %", "seconds 95 %", "seconds 99 %"]].max()
            text = "" if slowest.isna().any() else "{:.2f} ({:.2f}, {:.2f})".format(*slowest)
            table.setdefault(f"{sessions} of them", []).append(text)
    largest = rows[rows.sessions == rows.sessions.max()]
    figures = (
        "Seconds at the median (95th, 99th percentile), kilobytes that the server sends on the page's connection at "
        f"the median (95th percentile). Visits that ended in an error, such as an answer that took more than three "
        f"minutes: {rows.errors.sum():.0f}. The load before was {rows['load before'].max():.1f}."
    )
    memory = largest[largest.what.str.startswith("memory")].pivot(index="time", columns="what", values="MiB")
    of_classes = (
        f"{row['memory before']:.0f} MiB before, {row['memory at the most']:.0f} at the most "
        f"({row['memory for a session']:.1f} for a visitor), {row['memory after']:.0f} "
        f"{largest['waited, s'].max():.0f} seconds after"
        for _, row in memory.iterrows()
    )
    of_server = (
        f"The memory of the server and its workers, {rows[rows.what == 'memory before'].MiB.iloc[0]:.0f} MiB before "
        f"the first class; {largest.sessions.max()} visitors, one class after the other: {'; '.join(of_classes)}."
    )
    texts = [textwrap.fill(text, 120, break_on_hyphens=False) for text in (figures, of_server)]
    return "\n\n".join([markdown(table), *texts])
