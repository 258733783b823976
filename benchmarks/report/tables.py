"""Tables of the benchmark of real tables, and of how tables are read."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.report.markdown import markdown
from benchmarks.rows import RESULTS
from metamf.wording import percent

#: What a person would use, and ours is not to lose to.
EVERYBODY_S = ["iterative", "copula", "normal", "forest"]
BEHIND = 0.05
HALVES = {"decide": "deciding", "judge": "judging"}


def tables_corpus() -> str:
    """The tables by kind and half."""
    manifest = pd.read_csv(RESULTS / "tables-manifest.csv")
    sizes = manifest["rows"].astype(str) + " x " + manifest["columns"].astype(str)
    manifest["shown"] = manifest.table + " (" + sizes + ")"
    shown = manifest.pivot_table("shown", "kind", "half", ", ".join, sort=False)
    return markdown(shown.rename(columns=lambda half: f"{HALVES[half]} half").reset_index())


def tables_default() -> str:
    """What a user gets who asks for nothing, next to the normal distribution and the best of four,
    on the measured draws."""
    rows = []
    for name, title in (HALVES | {"patterns": "judging"}).items():
        values = pd.read_csv(RESULTS / f"tables-{name}.csv")
        by = "pattern" if name == "patterns" else "share"
        keys = [*{by, "table", "share", "seed", "method"}]
        values = values.drop_duplicates(keys, keep="last")
        for key, group in values.groupby(by):
            if "default" in set(group.method):
                hidden = f"40 %, {key}" if name == "patterns" else percent(key)
                rows.append({"half": title, "hidden": hidden} | _of_default(group))
    return markdown(rows)


def _of_default(values: pd.DataFrame) -> dict[str, object]:
    """Where the default stands on draws of one share or pattern."""
    ratios = values.assign(log=np.log(values.error / values.mean_error))
    found = ratios.pivot_table("log", ["table", "seed"], "method")
    found = found.dropna(subset=["default", "normal"])
    logs = found.groupby("table").mean()  # every table counts alike
    difference = logs["default"] - logs["normal"]
    drawn = np.random.default_rng(0).choice(difference, (10_000, len(logs))).mean(axis=1)
    low, high = np.expm1(np.quantile(drawn, [0.025, 0.975]))
    others = [name for name in EVERYBODY_S if name in logs]
    behind = np.exp(logs["default"] - logs[others].min(axis=1)) - 1
    worst = behind[behind > BEHIND].sort_values(ascending=False)
    ours = values[values.method == "default"]
    relative = f"{np.expm1(difference.mean()):+.1%} ({low:+.1%} to {high:+.1%})"
    named = ", ".join(f"{table} {more:+.1%}" for table, more in worst.items())
    return {
        "draws": len(found),
        "error relative to normal by EM": relative,
        "better on": f"{(difference < 0).sum()} of {len(logs)} tables",
        "more than 5 % behind the best of four on": named or "no table",
        "in 90 %": percent(ours.cover_90.mean(), 1),
        "seconds (longest)": f"{ours.seconds.median():.2g} ({ours.seconds.max():.2g})",
    }


def reading() -> str:
    """How tables are read: before, at commit 42e39bc3, what was to be reached, and now."""
    found = pd.read_csv(RESULTS / "reading.csv").set_index(["what", "figure"]).value
    aims = pd.read_csv(RESULTS / "reading-aims.csv", dtype=str, keep_default_na=False)
    rows = []
    for aim in aims.itertuples():
        now = "not measured"
        if (aim.what, aim.figure) in found.index:
            value = found[aim.what, aim.figure]
            now = percent(value, 1) if aim.percent == "1" else f"{value:.3g}"
        rows.append({"figure": aim.label, "before": aim.before, "to reach": aim.aim, "now": now})
    return markdown(rows)
