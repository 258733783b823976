"""Tables of the benchmark of real tables: errors relative to the column mean, ranks, wins, intervals, seconds.

Methods are compared on those (table, seed) that all of them have answered. A figure of the judging half is written
where that half was run.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.report.markdown import TITLES, markdown, number
from benchmarks.rows import INTERVAL_PERCENTS, RESULTS
from metamf.wording import percent

#: What is shown, the simple ones first; ``benchmarks.tables.methods`` has what each is.
COMPETITOR_LABELS = {
    "damped": "damped effects",
    "crossed": "crossed effects",
    "knn": "KNNImputer",
    "iterative": "IterativeImputer",
    "forest": "IterativeImputer, extra trees",
    "soft_impute": "soft-impute",
    "als": "ALS",
    "normal": "normal by EM",
    "copula": "Gaussian copula",
    "universal": "`universal`",
    "units": "units chosen",
    "units + normal": "units chosen, two members",
    "tuned": "tuned",
    "units + trees": "units chosen, three members",
    "tuned + normal": "tuned, two members",
    "tuned + trees": "**tuned, three members**",
}
OUR_COMPETITORS = "universal", "units", "units + normal", "units + trees", "tuned", "tuned + normal", "tuned + trees"
OUR_BEST = "tuned + trees"
EVERYBODY_S = "iterative", "copula", "normal", "forest"  # what a person would use, and ours is not to lose to
BEHIND = 0.05
HALVES = {"decide": "deciding", "judge": "judging"}
STEPS_SHOWN = 0, 10, 20, 40, 80
KEYS = ["table", "share", "seed"]


def corpus() -> str:
    """The tables by kind and half."""
    rows = []
    manifest = pd.read_csv(RESULTS / "tables-manifest.csv")
    for kind, group in manifest.groupby("kind", sort=False):
        row = {"kind": kind}
        for half, title in (("decide", "deciding half"), ("judge", "judging half")):
            some = group[group.half == half]
            row[title] = ", ".join(f"{t.table} ({t.rows} x {t.columns})" for t in some.itertuples())
        rows.append(row)
    return markdown(pd.DataFrame(rows))


def overall() -> str:
    """Errors relative to the column mean, mean ranks and wins on the judging half, for each share hidden."""
    rows = []
    ratios = {share: found for share, found in by_share(rows_of_half("judge")).items() if len(found)}
    if not ratios:
        return "Not measured yet."
    methods = [method for method in COMPETITOR_LABELS if any(method in found for found in ratios.values())]
    for method in methods:
        row = {"": COMPETITOR_LABELS[method]}
        for share, found in ratios.items():
            title = f"{percent(share)} hidden"
            if method not in found:
                row[title] = ""
                continue
            means = np.exp(np.log(found).mean())
            best = found.min(axis=1)
            mark = "**" if means[method] == means.min() else ""
            rank = found.rank(axis=1)[method].mean()
            won = int((found[method] == best).sum())
            row[title] = f"{mark}{means[method]:.3f}{mark} (rank {rank:.1f}, best on {won})"
        rows.append(row)
    counts = ", ".join(
        f"{percent(share)}: {found.index.get_level_values('table').nunique()} tables, {len(found)} draws"
        for share, found in ratios.items()
    )
    return f"{markdown(pd.DataFrame(rows))}\n\nCompared at {counts}."


def each() -> str:
    """On the judging half, the error relative to the column mean on each table, 30 % hidden, mean over the draws."""
    found = by_share(rows_of_half("judge")).get(0.3, pd.DataFrame())
    if not len(found):
        return "Not measured yet."
    means = np.exp(np.log(found).groupby("table").mean())
    rows = []
    for name, errors in means.iterrows():
        marked = ((m, "**" if value == errors.min() else "", value) for m, value in errors.items())
        shown = {COMPETITOR_LABELS[m]: f"{mark}{value:.3f}{mark}" for m, mark, value in marked}
        rows.append({"table": name} | shown)
    return markdown(pd.DataFrame(rows))


def leads() -> str:
    """How far our best is ahead of the best other method, and where it falls behind, by half and share hidden."""
    rows = []
    for half, title in HALVES.items():
        for share, found in by_share(rows_of_half(half)).items():
            if not set(found) >= {OUR_BEST, *EVERYBODY_S}:
                continue
            logs = np.log(found).groupby("table").mean()  # every table counts alike
            others = logs.drop(columns=list(OUR_COMPETITORS), errors="ignore")
            rival = others.mean().idxmin()
            lead = logs[OUR_BEST] - others[rival]
            behind = np.exp(logs[OUR_BEST] - logs[list(EVERYBODY_S)].min(axis=1)) - 1
            worst = ", ".join(
                f"{table} {more:+.1%}" for table, more in behind.sort_values(ascending=False).items() if more > BEHIND
            )
            rows.append(
                {
                    "half": title,
                    "hidden": percent(share),
                    "best other method": COMPETITOR_LABELS[rival],
                    "our error relative to it": _with_interval(lead.to_numpy()),
                    "better on": f"{int((lead < 0).sum())} of {len(lead)} tables",
                    "more than 5 % behind the best of four on": worst or "no table",
                }
            )
    return markdown(pd.DataFrame(rows)) if rows else "Not measured yet."


def _with_interval(logs: np.ndarray) -> str:
    """The geometric mean of ratios whose logarithms are given, (n,), less one, with 95 % of its bootstrap means."""
    drawn = np.random.default_rng(0).choice(logs, (10_000, len(logs))).mean(axis=1)
    low, high = np.expm1(np.quantile(drawn, [0.025, 0.975]))
    return f"{np.expm1(logs.mean()):+.1%} ({low:+.1%} to {high:+.1%})"


def interval_table() -> str:
    """Share of the judging half's hidden entries inside the intervals, over all shares, and mean widths in spreads."""
    values = rows_of_half("judge")
    rows = []
    for method in (*OUR_COMPETITORS, "normal"):
        own = values[values.method == method]
        if own.empty:
            continue
        row: dict[str, str] = {"": COMPETITOR_LABELS[method]}
        for level in INTERVAL_PERCENTS:
            row[f"inside {level} %"] = number(100 * own[f"cover_{level}"].mean(), ".1f")
        rows.append(row | {"mean width of 90 %": number(own.width_90.mean(), ".2f")})
    return markdown(pd.DataFrame(rows))


def seconds() -> str:
    """Processor time of a fit, median and longest, in seconds."""
    values = rows_of_half("decide")
    rows = []
    for method in COMPETITOR_LABELS:
        own = values[values.method == method].seconds
        if not own.empty:
            rows.append({"": COMPETITOR_LABELS[method], "median": f"{own.median():.2g}", "longest": f"{own.max():.3g}"})
    return markdown(pd.DataFrame(rows))


def hiding() -> str:
    """Errors on other and given entries after some steps of fitting and of hiding."""
    values = pd.read_csv(RESULTS / "hiding.csv")
    names = {"eml": "EML (the paper's FT)", "ours": "the paper's model"}
    rows = []
    for (data, size, network), group in values.groupby(["data", "size", "network"], sort=False):
        for way, curve in group.groupby("way", sort=False):
            row = {"blocks": f"{TITLES[data]}, {size}", "network": names[network], "way": way}
            for point in curve[curve.steps.isin(STEPS_SHOWN)].itertuples():
                row[f"{point.steps} steps"] = f"{point.other:.3f} ({point.given:.3f})"
            rows.append(row)
    return markdown(pd.DataFrame(rows))


def sensitivity() -> str:
    """The values of constants chosen by hand that change the mean error by more than 1 %."""
    rows, values = [], pd.read_csv(RESULTS / "sensitivity.csv")
    changed = values[(values.error - 1).abs() > 0.01]
    for row in changed.itertuples():
        where = row.module.removeprefix("metamf.") + (", three members" if row.study == "trees" else "")
        rows.append(
            {
                "constant": f"`{row.constant}` ({where})",
                "usual": row.usual,
                "tried": row.tried,
                "error": f"{row.error:.3f} ({row.lowest:.3f} to {row.highest:.3f})",
                "coverage of 90 %": f"{100 * row.cover_usual:.1f}, {100 * row.cover_tried:.1f} %",
                "width": f"{row.width:.3f}",
                "tables": row.tables,
            }
        )
    most = values.loc[(values.error - 1).abs().idxmax()]
    return (
        f"{markdown(pd.DataFrame(rows))}\n\n{len(changed)} of the {len(values)} other values change the mean error by "
        f"more than 1 %, `{most.constant}` = {most.tried} most: by {100 * (most.error - 1):+.1f} %."
    )


def rows_of_half(half: str) -> pd.DataFrame:
    """The rows of one half, the last one of each (table, share, seed, method); none where it was not run."""
    path = Path(RESULTS / f"tables-{half}.csv")
    if not path.exists():
        return pd.DataFrame(columns=[*KEYS, "method", "error", "mean_error", "seconds"])
    return pd.read_csv(path).drop_duplicates([*KEYS, "method"], keep="last")


def by_share(values: pd.DataFrame) -> dict[float, pd.DataFrame]:
    """The ratios of errors to the column mean's for each share, a row per (table, seed), a column per method.

    A method that has answered fewer than half as many draws as the most-answered one is left out; of the others only
    draws that all of them answered count.
    """
    found = {}
    for share, group in values[values.method.isin(list(COMPETITOR_LABELS))].groupby("share"):
        ratios = group.assign(ratio=group.error / group.mean_error).pivot_table("ratio", ["table", "seed"], "method")
        ratios = ratios.loc[:, ratios.notna().sum() >= ratios.notna().sum().max() / 2].dropna()
        found[float(share)] = ratios[[method for method in COMPETITOR_LABELS if method in ratios]]
    return found
