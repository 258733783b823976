"""Tables of the universal model: errors, intervals, other domains."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import product

import numpy as np
import pandas as pd

from benchmarks.report.markdown import TITLES, markdown, number
from benchmarks.rows import INTERVAL_PERCENTS, RESULTS
from metamf.wording import percent

PLACES = {
    "u1": "official split u1, zero-shot",
    "whole": "whole matrix, half given",
    "uneven": "whole matrix, unevenly given",
    "blocks": "30 x 30 blocks",
    "unscaled": "30 x 30 blocks, scale unknown",
    "tiny": "6 x 5 blocks, scale unknown",
}
EVEN = [where for where in PLACES if where != "uneven"]
METHODS = {
    "universal": "`universal`",
    "crossed_effects": "crossed effects",
    "damped_bias": "damped biases",
    "als": "ALS",
}
BOTH = ["universal", "crossed_effects"]
DOMAIN_METHODS = METHODS | {"knn": "KNNImputer", "iterative": "IterativeImputer"}


def universal_short() -> str:
    """The part of ``universal`` that the README shows."""
    return universal(["u1", "whole", "blocks"])


def universal(places: Collection[str] = EVEN) -> str:
    """Errors and 90 % intervals of the universal checkpoint, of crossed effects and of ALS."""
    rows = []
    for row, value in _places(places):
        for method in (*BOTH, "als"):
            row[f"RMSE {METHODS[method]}"] = _shown(value, method, "rmse")
        for method in BOTH:
            inside = percent(value[method, "cover_90"], 1)
            width = value[method, "width_90"]
            row[f"in 90 %, {METHODS[method]} (width)"] = f"{inside} ({width:.2f})"
        rows.append(row)
    return markdown(rows)


def rivals() -> str:
    """Every figure of the checkpoint next to those of the other methods."""
    pairs = {
        "log_likelihood": "log likelihood",
        "crps": "CRPS",
        "width_90": "width of 90 %",
        "fair_width_90": "width that holds 90 %",
    }
    rows = []
    for row, value in _places():
        for method, label in METHODS.items():
            row[f"RMSE {label}"] = _shown(value, method, "rmse")
        for metric, label in pairs.items():
            both = [_shown(value, method, metric) for method in BOTH]
            row[f"{label} / crossed effects"] = " / ".join(both)
        inside = [100 * value["universal", f"cover_{level}"] for level in INTERVAL_PERCENTS]
        rows.append(row | {"in 50, 80, 90, 95 %": ", ".join(f"{share:.1f}" for share in inside)})
    return markdown(rows)


def losses() -> str:
    """The data on which another method has a smaller error, a higher likelihood or a smaller
    CRPS."""
    figures = {"rmse": (1, "RMSE"), "log_likelihood": (-1, "log likelihood"), "crps": (1, "CRPS")}
    rows = []
    for (place, value), (metric, (sign, label)) in product(_places(), figures.items()):
        ours = value["universal", metric]
        for method in METHODS:
            if sign * value.get((method, metric), np.nan) < sign * ours:
                better = f"{METHODS[method]}, {_shown(value, method, metric)}"
                line = {"figure": label, "`universal`": number(ours), "better": better}
                rows.append(place | line)
    return markdown(rows) if rows else "Nowhere in this table."


def wider() -> str:
    """The data on which intervals of ``universal`` are wider than those of crossed effects: widths,
    shares inside."""

    def shown(value: pd.Series, level: int) -> str:
        ours, theirs = (value[method, f"width_{level}"] for method in BOTH)
        inside = [percent(value[method, f"cover_{level}"], 1) for method in BOTH]
        both = f"{ours:.2f} ({inside[0]}) / {theirs:.2f} ({inside[1]})"
        return both if (ours, inside[0]) > (theirs, inside[1]) else ""

    return _by_level(shown)[0]


def wider_fairly() -> str:
    """The same after each method's intervals were stretched by one factor until they hold what they
    promise."""

    def shown(value: pd.Series, level: int) -> str:
        ours, theirs = (value[method, f"fair_width_{level}"] for method in BOTH)
        return f"{ours:.3f} / {theirs:.3f}" if ours > theirs else ""

    table, count, of_all = _by_level(shown)
    return f"{table}\n\nThese are {count} of {of_all} combinations of matrix and level."


def dishonest() -> str:
    """The data on which intervals hold two points more or less than promised, by the number of
    ratings in the row."""

    def shown(value: pd.Series, level: int, suffix: str) -> str:
        covered = value.get(("universal", f"cover_{level}{suffix}"), np.nan)
        return percent(covered, 1) if abs(100 * covered - level) > 2 else ""

    def groups(value: pd.Series) -> Iterator[tuple[dict[str, str], str]]:
        for name in value["universal"].index:
            if name.startswith("cover_50"):
                suffix = name.removeprefix("cover_50")
                given = suffix.removeprefix("_at_") or "any number"
                yield {"ratings given in the row": given}, suffix

    return _by_level(shown, groups)[0]


def _by_level(shown: Callable[..., str], groups: Callable = lambda _: [({},)]) -> tuple:
    """The table of ``shown(value, level, ...)``, of rows in which some level has an entry; how many
    entries it has, and of how many."""
    rows = []
    for place, value in _places():
        for group, *more in groups(value):
            levels = {f"{level} %": shown(value, level, *more) for level in INTERVAL_PERCENTS}
            rows.append((place | group | levels, sum(map(bool, levels.values()))))
    filled = [row for row, count in rows if count]
    return markdown(filled), sum(count for _, count in rows), len(rows) * len(INTERVAL_PERCENTS)


def _places(places: Collection[str] = PLACES) -> Iterator[tuple[dict[str, str], pd.Series]]:
    """The first cells of a row, and the figures by method and metric, for every matrix that was
    measured."""
    values = pd.read_csv(RESULTS / "universal.csv").set_index(["data", "where"])
    for data, where in product(TITLES, places):
        if (data, where) in values.index:
            figures = values.loc[(data, where)].set_index(["method", "metric"]).value
            yield {"data": TITLES[data], "where": PLACES[where]}, figures


def domains() -> str:
    """RMSE on matrices of other domains, half given, and how those of others compare at all
    shares."""
    values = pd.read_csv(RESULTS / "domains.csv")
    rmse = values.pivot_table("rmse", ["matrix", "given"], "method", sort=False)
    rmse = rmse[list(DOMAIN_METHODS)]
    ours = values[(values.given == 0.5) & (values.method == "universal")].set_index("matrix")
    rows = []
    for name, errors in rmse.xs(0.5, level="given").iterrows():
        about = ours.loc[name]
        size = f"{about['rows']:,} x {about['columns']:,}"
        row = {"matrix, half given": about.what, "rows x columns": size}
        for method, label in DOMAIN_METHODS.items():
            shown = number(errors[method], ".4g")
            row[label] = f"**{shown}**" if errors[method] == errors.min() else shown
        rows.append(row | {"in 90 % of `universal`": percent(about.cover_90, 1)})
    *shares, last = (percent(share) for share in values.given.unique())
    others = rmse.drop(columns="universal")
    lowest = (rmse.universal <= others.min(axis=1)).sum()
    more = 100 * np.expm1(np.log(others).sub(np.log(rmse.universal), axis=0).mean())
    more = more.map("{:+.1f}\N{NO-BREAK SPACE}%".format).rename(DOMAIN_METHODS)
    summary = markdown([{"RMSE relative to that of `universal`": "geometric mean", **more}])
    return (
        f"{markdown(rows)}\n\nOver all shares given ({', '.join(shares)} and {last}), `universal` "
        f"has the lowest error in {lowest} of {len(rmse)} cases.\n\n{summary}"
    )


def _shown(value: pd.Series, method: str, metric: str) -> str:
    return number(value.get((method, metric), np.nan))
