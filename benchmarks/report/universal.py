"""Tables of the universal model: errors, intervals, other domains, parts taken out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import product

import numpy as np
import pandas as pd

from benchmarks.accuracy.extended import LOOKED_AT
from benchmarks.accuracy.extended import tests as compare
from benchmarks.report.markdown import TITLES, markdown, number, p_value, with_error
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
METHODS = {
    "universal": "`universal`",
    "crossed_effects": "crossed effects",
    "damped_bias": "damped biases",
    "als": "ALS",
}
LEVELS = {f"{level} %": level for level in INTERVAL_PERCENTS}
OURS_AND_EFFECTS = "universal", "crossed_effects"
DOMAIN_METHODS = METHODS | {"knn": "KNNImputer", "iterative": "IterativeImputer"}
EXTENDED = {
    "paper": "paper's architecture, preset `paper`",
    "tuned": "the same, preset `tuned`",
    "last": "the same, preset `last`",
    "last x 4": "preset `last`, average of four seeds",
    "bayes": "universal architecture, small",
    "bayes x 2": "the same, average of two seeds",
    "extended": "**extended: the average of both averages**",
    "eml": "EML",
    "crossed_effects": "crossed effects",
}


def universal_short() -> str:
    """The part of ``universal`` that the README shows."""
    return universal(["u1", "whole", "blocks"])


def universal(places: Collection[str] = tuple(where for where in PLACES if where != "uneven")) -> str:
    """Errors and 90 % intervals of the universal checkpoint, of crossed effects and of ALS."""
    rows = []
    for place, value in _places(places):
        row = place | {
            f"RMSE {METHODS[method]}": _shown(value, method, "rmse") for method in (*OURS_AND_EFFECTS, "als")
        }
        for method in OURS_AND_EFFECTS:
            cover, width = (value[method, f"{metric}_90"] for metric in ("cover", "width"))
            row[f"in 90 %, {METHODS[method]} (width)"] = f"{percent(cover, 1)} ({width:.2f})"
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
    for place, value in _places():
        row = place | {f"RMSE {label}": _shown(value, method, "rmse") for method, label in METHODS.items()}
        for metric, label in pairs.items():
            both = [_shown(value, method, metric) for method in OURS_AND_EFFECTS]
            row[f"{label} / crossed effects"] = " / ".join(both)
        inside = [100 * value["universal", f"cover_{level}"] for level in INTERVAL_PERCENTS]
        rows.append(row | {"in 50, 80, 90, 95 %": ", ".join(f"{share:.1f}" for share in inside)})
    return markdown(rows)


def losses() -> str:
    """The data on which another method has a smaller error, a higher likelihood or a smaller CRPS."""
    rows = []
    for place, value in _places():
        for metric, sign, label in (("rmse", 1, "RMSE"), ("log_likelihood", -1, "log likelihood"), ("crps", 1, "CRPS")):
            ours = value["universal", metric]
            for method in METHODS:
                if sign * value.get((method, metric), np.nan) < sign * ours:
                    better = {"better": f"{METHODS[method]}, {_shown(value, method, metric)}"}
                    rows.append(place | {"figure": label, "`universal`": number(ours)} | better)
    return markdown(rows) if rows else "Nowhere in this table."


def wider() -> str:
    """The data on which intervals of ``universal`` are wider than those of crossed effects: widths, shares inside."""

    def shown(value: pd.Series, level: int) -> str:
        figures = [(value[m, f"width_{level}"], percent(value[m, f"cover_{level}"], 1)) for m in OURS_AND_EFFECTS]
        return " / ".join(f"{width:.2f} ({inside})" for width, inside in figures) if figures[0] > figures[1] else ""

    return markdown(_filled_rows(place | _by_level(value, shown) for place, value in _places()))


def wider_fairly() -> str:
    """The same after each method's intervals were stretched by one factor until they hold what they promise."""

    def shown(value: pd.Series, level: int) -> str:
        ours, theirs = (value[m, f"fair_width_{level}"] for m in OURS_AND_EFFECTS)
        return f"{ours:.3f} / {theirs:.3f}" if ours > theirs else ""

    rows = [place | _by_level(value, shown) for place, value in _places()]
    count, places = sum(bool(row[name]) for row in rows for name in LEVELS), len(rows) * len(LEVELS)
    return f"{markdown(_filled_rows(rows))}\n\nThese are {count} of {places} combinations of matrix and level."


def dishonest() -> str:
    """The data on which intervals hold two points more or less than promised, by the number of ratings in the row."""

    def shown(value: pd.Series, level: int) -> str:
        covered = value.get(f"cover_{level}{suffix}", np.nan)
        return percent(covered, 1) if abs(100 * covered - level) > 2 else ""

    rows = []
    for place, value in _places():
        for suffix in dict.fromkeys(name[len("cover_50") :] for name in value["universal"].index if "cover_50" in name):
            group = {"ratings given in the row": suffix.removeprefix("_at_") or "any number"}
            rows.append(place | group | _by_level(value["universal"], shown))
    return markdown(_filled_rows(rows))


def _places(places: Collection[str] = PLACES) -> Iterator[tuple[dict[str, str], pd.Series]]:
    """The first cells of a row, and the figures by method and metric, for every matrix that was measured."""
    values = pd.read_csv(RESULTS / "universal.csv").set_index(["data", "where"])
    for data, where in product(TITLES, places):
        if (data, where) in values.index:
            figures = values.loc[(data, where)].set_index(["method", "metric"]).value
            yield {"data": TITLES[data], "where": PLACES[where]}, figures


def _by_level(value: pd.Series, shown: Callable[[pd.Series, int], str]) -> dict[str, str]:
    return {name: shown(value, level) for name, level in LEVELS.items()}


def _filled_rows(rows: Iterable[dict]) -> list[dict]:
    """The rows in which some level has an entry."""
    return [row for row in rows if any(row[name] for name in LEVELS)]


def transfer() -> str:
    """Errors on each data set that was left out, of a universal model trained on the others and of other methods."""
    values = pd.read_csv(RESULTS / "transfer.csv")
    table = values.pivot_table("value", ["data", "method"], "metric", sort=False)
    labels = METHODS | {"universal": "`universal`'s recipe, trained on the others"}
    columns = {"rmse": "RMSE", "ratio": "ratio to the mean", "log_likelihood": "log likelihood", "cover_90": "in 90 %"}
    table = table[list(columns)].map(lambda v: "" if pd.isna(v) else f"{v:.3f}")
    table = table.rename(columns=columns).rename(index=TITLES, level="data").rename(index=labels, level="method")
    return markdown(table.rename_axis(["left out", "method"]).reset_index())


def domains() -> str:
    """RMSE on matrices of other domains, half given, and how those of others compare at all shares."""
    values = pd.read_csv(RESULTS / "domains.csv")
    rmse = values.pivot_table("rmse", ["matrix", "given"], "method", sort=False)[list(DOMAIN_METHODS)]
    half = values[values.given == 0.5]
    rows = []
    for name, errors in rmse.xs(0.5, level="given").iterrows():
        about = half[half.matrix == name].set_index("method").loc["universal"]
        row = {"matrix, half given": about.what, "rows x columns": f"{about['rows']:,} x {about['columns']:,}"}
        for method, label in DOMAIN_METHODS.items():
            mark = "**" if errors[method] == errors.min() else ""
            row[label] = "" if pd.isna(errors[method]) else f"{mark}{errors[method]:.4g}{mark}"
        rows.append(row | {"in 90 % of `universal`": percent(about.cover_90, 1)})
    *shares, last = (percent(share) for share in values.given.unique())
    others = rmse.drop(columns="universal")
    lowest = (rmse.universal <= others.min(axis=1)).sum()
    more = 100 * np.expm1(np.log(others).sub(np.log(rmse.universal), axis=0).mean())
    more = more.map("{:+.1f}\N{NO-BREAK SPACE}%".format).rename(DOMAIN_METHODS)
    summary = [{"RMSE relative to that of `universal`": "geometric mean", **more}]
    return (
        f"{markdown(rows)}\n\nOver all shares given ({', '.join(shares)} and {last}), `universal` has "
        f"the lowest error in {lowest} of {len(rmse)} cases.\n\n{markdown(summary)}"
    )


def extended() -> str:
    """Ratios to Mean on the paper's protocol, and by how much ``extended`` is lower (paired test over the splits)."""
    tests = compare(pd.read_csv(RESULTS / "extended.csv"))
    table = pd.DataFrame({"model": EXTENDED.values()})
    for data, title in TITLES.items():
        found = tests[tests.data == data].set_index("method").reindex(EXTENDED)
        cells = []
        for ratio, lower, p in zip(found["ratio to Mean"], found["extended is lower by"], found.p):
            lower = "" if pd.isna(p) else f" ({percent(lower, 2)}, p {p_value(p)})"
            cells.append("not measured" if pd.isna(ratio) else f"{ratio:.4f}{lower}")
        table[f"{title}, {int(found.splits.max())} splits"] = cells
    return markdown(table)


def extended_unseen() -> str:
    """The comparison with preset ``tuned`` on the splits whose test blocks no trial had looked at."""
    rows = pd.read_csv(RESULTS / "extended.csv")
    unseen = compare(rows[~rows.split.isin(LOOKED_AT)]).query("method == 'tuned'").set_index("data")
    return markdown(
        {
            "data": title,
            "splits": f"{LOOKED_AT[-1] + 1} to 9",
            "extended is lower by": percent(unseen["extended is lower by"][data], 2),
            "p": p_value(unseen.p[data]),
        }
        for data, title in TITLES.items()
    )


def tuning() -> str:
    """RMSE of ``universal`` untouched and tuned, means over divisions ± one standard error."""
    values, rows = pd.read_csv(RESULTS / "tuning.csv").fillna({"seconds": 0}), []
    for (data, hidden, tune, seconds), group in values.groupby(["data", "hidden", "tune", "seconds"], sort=False):
        row = {"data": TITLES[data], "hidden": percent(hidden), "runs": len(group)}
        row["tuned for"] = f"{seconds:.0f} s" if seconds else "160 steps at most" if tune == "auto" else f"{tune} steps"
        for name, label in (("zero_shot_rmse", "RMSE untouched"), ("tuned_rmse", "RMSE tuned")):
            row[label] = with_error(group[name].mean(), group[name].sem())
        rows.append(row)
    return markdown(rows)


def ablations() -> str:
    """Squared errors relative to the mean's: of the model, and of it with a part taken out or put in."""
    values = pd.read_csv(RESULTS / "ablations.csv")
    ratio, likelihood = (
        values.pivot_table(column, "variant", "matrices", sort=False) for column in ("ratio", "log_likelihood")
    )
    table = ratio.map("{:.4f}".format)
    table["log likelihood, ml-100k, u1"] = likelihood["ml-100k, u1"].map("{:.4f}".format)
    named = {"none made up": "no synthetic matrix", "three in ten made up": "three matrices in ten synthetic"}
    return markdown(table.rename(index=named).rename_axis("").reset_index())


def _shown(value: pd.Series, method: str, metric: str) -> str:
    return number(value.get((method, metric), float("nan")))
