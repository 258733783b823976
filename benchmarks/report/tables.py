"""Tables of the benchmark of real tables: errors relative to the column mean, ranks, wins, intervals, seconds."""

from __future__ import annotations

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


def tables_corpus() -> str:
    """The tables by kind and half."""
    manifest = pd.read_csv(RESULTS / "tables-manifest.csv")
    manifest["shown"] = [f"{table.table} ({table.rows} x {table.columns})" for table in manifest.itertuples()]
    shown = manifest.pivot_table("shown", "kind", "half", ", ".join, sort=False)
    return markdown(shown.rename(columns=lambda half: f"{HALVES[half]} half").reset_index())


def tables_judged() -> str:
    """Errors relative to the column mean, mean ranks and wins on the judging half, for each share hidden."""
    return _compared({f"{percent(share)} hidden": found for share, found in _by_share("judge").items()})


def tables_patterns() -> str:
    """The same with 40 % hidden for a reason, by each pattern."""
    return _compared(_ratios(_last_rows("patterns"), "pattern"))


def _compared(ratios: dict[str, pd.DataFrame]) -> str:
    table = {}
    for title, found in ratios.items():
        means = np.exp(np.log(found).mean())
        figures = pd.DataFrame(
            {
                "mean": _lowest_in_bold(means),
                "rank": found.rank(axis=1).mean().map("{:.1f}".format),
                "won": found.eq(found.min(axis=1), axis=0).sum(),
            }
        )
        shown = {m: f"{mean} (rank {rank}, best on {won})" for m, mean, rank, won in figures.itertuples()}
        table[title] = shown
    counts = ", ".join(
        f"{title}: {found.index.get_level_values('table').nunique()} tables, {len(found)} draws"
        for title, found in ratios.items()
    )
    frame = pd.DataFrame(table).rename(COMPETITOR_LABELS).reset_index(names="").fillna("")
    return f"{markdown(frame)}\n\nCompared at {counts}."


def selection() -> str:
    """Errors by hiding kept ratings and on the others, where high ratings are kept rather than low ones."""
    means = pd.read_csv(RESULTS / "selection.csv").groupby(["slope", "kept"])[["check", "true"]].mean()
    shown = means.map("{:.2f}".format).agg(" / ".join, axis=1).unstack()[[0.5, 0.2]]
    shown = shown.rename(columns=lambda kept: f"{percent(kept)} kept: by hiding / true")
    return markdown(shown.rename_axis("log odds of being kept, per spread").reset_index())


def draws() -> str:
    """Bias and coverage of 95 % intervals from one filled-in table and from twenty."""
    found = pd.read_csv(RESULTS / "draws.csv")
    shown = found["bias"].map("{:+.2f}".format) + " / " + found["coverage"].map(lambda share: percent(share, 1))
    found = found.assign(shown=shown.str.replace("-", "\N{MINUS SIGN}"))
    ways = found.pivot(index=["world", "statistic"], columns="way", values="shown").fillna("")
    return markdown(ways[["complete", "one table", "draws"]].rename(columns={"draws": "20 tables"}).reset_index())


def tables_judged_each() -> str:
    """On the judging half, the error relative to the column mean on each table, 30 % hidden, mean over the draws."""
    means = np.exp(np.log(_by_share("judge")[0.3]).groupby("table").mean())
    return markdown(means.apply(_lowest_in_bold, axis=1).rename(columns=COMPETITOR_LABELS).reset_index())


def _lowest_in_bold(errors: pd.Series) -> pd.Series:
    shown = errors.map("{:.3f}".format)
    return shown.mask(errors == errors.min(), "**" + shown + "**")


def tables_leads() -> str:
    """How far our best is ahead of the best other method, and where it falls behind, by half and share hidden."""
    rows = []
    for half, title in HALVES.items():
        for share, found in _by_share(half).items():
            logs = np.log(found).groupby("table").mean()  # every table counts alike
            others = logs.drop(columns=list(OUR_COMPETITORS))
            rival = others.mean().idxmin()
            rows.append(
                {
                    "half": title,
                    "hidden": percent(share),
                    "best other method": COMPETITOR_LABELS[rival],
                    "our error relative to it": _with_interval(logs[OUR_BEST] - others[rival]),
                    **_standing(logs, OUR_BEST, rival),
                }
            )
    return markdown(rows)


def tables_default() -> str:
    """What a user gets who asks for nothing, next to the normal distribution and the best of four, on the measured
    draws."""
    rows = []
    for name, title in (HALVES | {"patterns": "judging"}).items():
        values = _last_rows(name)
        by = "pattern" if name == "patterns" else "share"
        for key in sorted(values[values.method == "default"][by].unique()):
            group = values[values[by] == key]
            ratios = group.assign(ratio=np.log(group.error / group.mean_error))
            found = ratios.pivot_table("ratio", ["table", "seed"], "method").dropna(subset=["default", "normal"])
            logs = found.groupby("table").mean()
            rows.append(
                {
                    "half": title,
                    "hidden": f"40 %, {key}" if name == "patterns" else percent(key),
                    "draws": len(found),
                    "error relative to normal by EM": _with_interval(logs["default"] - logs["normal"]),
                    **_standing(logs, "default", "normal"),
                }
            )
    return markdown(rows)


def _standing(logs: pd.DataFrame, ours: str, rival: str) -> dict[str, str]:
    """On how many tables ours is better than a rival, and where it is behind; ``logs`` of errors, a row per table."""
    lead = logs[ours] - logs[rival]
    others = [name for name in EVERYBODY_S if name in logs]
    behind = np.exp(logs[ours] - logs[others].min(axis=1)) - 1
    worst = behind[behind > BEHIND].sort_values(ascending=False)
    return {
        "better on": f"{int((lead < 0).sum())} of {len(lead)} tables",
        "more than 5 % behind the best of four on": ", ".join(f"{table} {more:+.1%}" for table, more in worst.items())
        or "no table",
    }


def _with_interval(logs: pd.Series) -> str:
    """The geometric mean of ratios whose logarithms are given, (n,), less one, with 95 % of its bootstrap means."""
    drawn = np.random.default_rng(0).choice(logs.to_numpy(), (10_000, len(logs))).mean(axis=1)
    low, high = np.expm1(np.quantile(drawn, [0.025, 0.975]))
    return f"{np.expm1(logs.mean()):+.1%} ({low:+.1%} to {high:+.1%})"


def tables_judged_intervals() -> str:
    """Share of the judging half's hidden entries inside the intervals, over all shares, and mean widths in spreads."""
    means = _last_rows("judge").groupby("method").mean(numeric_only=True)
    rows = []
    for method in (*OUR_COMPETITORS, "normal"):
        row = {"": COMPETITOR_LABELS[method]}
        for level in INTERVAL_PERCENTS:
            row[f"inside {level} %"] = number(100 * means[f"cover_{level}"][method], ".1f")
        rows.append(row | {"mean width of 90 %": number(means.width_90[method], ".2f")})
    return markdown(rows)


def tables_seconds() -> str:
    """Processor time of a fit, median and longest, in seconds."""
    seconds = _last_rows("decide").groupby("method").seconds
    return markdown(
        {"": label, "median": f"{seconds.median()[method]:.2g}", "longest": f"{seconds.max()[method]:.3g}"}
        for method, label in COMPETITOR_LABELS.items()
    )


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
    return markdown(rows)


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
        f"{markdown(rows)}\n\n{len(changed)} of the {len(values)} other values change the mean error by "
        f"more than 1 %, `{most.constant}` = {most.tried} most: by {100 * (most.error - 1):+.1f} %."
    )


def _last_rows(name: str) -> pd.DataFrame:
    """The rows of a half, or of patterns: the last one of each (pattern, table, share, seed, method)."""
    values = pd.read_csv(RESULTS / f"tables-{name}.csv")
    keys = {"pattern", "table", "share", "seed", "method"}
    return values.drop_duplicates(list(keys & set(values)), keep="last")


def _by_share(half: str) -> dict[float, pd.DataFrame]:
    return _ratios(_last_rows(half), "share")


def _ratios(values: pd.DataFrame, by: str) -> dict:
    """The ratios of errors to the column mean's by share or pattern, a row per (table, seed), a column per method.

    A method that has answered fewer than half as many draws as the most-answered one is left out; of the others only
    draws that all of them answered count.
    """
    found = {}
    for key, group in values[values.method.isin(list(COMPETITOR_LABELS))].groupby(by):
        ratios = group.assign(ratio=group.error / group.mean_error).pivot_table("ratio", ["table", "seed"], "method")
        ratios = ratios.loc[:, ratios.notna().sum() >= ratios.notna().sum().max() / 2].dropna()
        found[key] = ratios[[method for method in COMPETITOR_LABELS if method in ratios]]
    return found
