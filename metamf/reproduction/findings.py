"""The sentences under the paper's tables and figures: what our numbers show, computed from them.

Each function takes a table of ``metamf.reproduction.numbers`` and gives a sentence per data set, or ``NOT_MEASURED``.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from metamf.baselines import METHODS
from metamf.baselines.spec import META_LEARNED
from metamf.reproduction import numbers as paper
from metamf.reproduction.numbers import Measure
from metamf.wording import listed, percent, percent_with_error, with_minus

DATA = {"ml-100k": "MovieLens 100K", "ml-1m": "MovieLens 1M", "jester": "Jester"}
LABELS = {key: spec.label for key, spec in METHODS.items()} | {"ours": "MetaMF"}
NOT_MEASURED = "Not measured yet: the command below computes it."


def label(method: str) -> str:
    """The method's name: that of the paper, whose tables call their own model "Ours", here MetaMF as on all pages."""
    return LABELS[method]


def claim(rows: pd.DataFrame, measure: Measure) -> str:
    """Table 1 in one sentence: where MetaMF has the smallest error, and its lead over the best method that
    sees one matrix alone, with one standard error over splits."""
    best, leads, beaten = [], [], []
    values = paper.errors(rows, measure)
    for data, tests in paper.paired_tests(rows, measure).groupby(level="data"):
        differences = tests.droplevel("data").difference
        simple = differences[[METHODS[method].kind != META_LEARNED for method in differences.index]]
        if simple.empty:
            continue
        if differences.min() < 0:
            beaten.append((differences.idxmin(), data))
        else:
            best.append(data)
        second = simple.idxmin()
        table = values[values.data == data].pivot(index="split", columns="method", values="value")
        pair = table[["ours", second]].dropna()
        share = 1 - pair.ours / pair[second]
        error = share.std(ddof=1) / np.sqrt(len(share))  # NaN of one split
        leads.append((data, label(second), percent_with_error(share.mean(), error, 1)))
    if not leads:
        return NOT_MEASURED
    order = list(DATA).index
    leads.sort(key=lambda found: order(found[0]))
    where = listed([DATA[data] for data in sorted(best, key=order)])
    start = f"MetaMF has the smallest error on {'all three data sets' if len(best) == len(DATA) else where}"
    if beaten:
        others = f"is beaten by {listed([f'{label(method)} on {DATA[data]}' for method, data in beaten])}"
        start = f"{start} and {others}" if best else f"MetaMF {others}"
    names = list(dict.fromkeys(name for _, name, _ in leads))
    over = "the best method that sees one matrix alone" + (f", {names[0]}," if len(names) == 1 else "")
    each = listed([f"{lead} on {DATA[data]}{'' if len(names) == 1 else f' ({name})'}" for data, name, lead in leads])
    return f"{start}; its lead over {over} is {each}."


def per_data(found: list[tuple[str, str]], between: str = "; on ") -> str:
    """One sentence from pairs (data set, clause); data sets with the same clause share it: 'On A and B x; on C y.'."""
    clauses: dict[str, list[str]] = {}
    for data, clause in sorted(found, key=lambda pair: list(DATA).index(pair[0])):
        clauses.setdefault(clause, []).append(DATA[data])
    if not clauses:
        return NOT_MEASURED
    return "On " + between.join(f"{listed(names)} {clause}" for clause, names in clauses.items()) + "."


def winners(rows: pd.DataFrame, measure: Measure) -> str:
    """Table 1: where MetaMF is best, by the splits that it shares with each other method, and where it is beaten."""
    found = []
    for data, tests in paper.paired_tests(rows, measure).groupby(level="data", sort=False):
        tests = tests.droplevel("data")
        beaten, below = tests[tests.difference < 0], tests[tests.difference >= 0]
        clear, once = below[below.p < 0.05], below[below.splits < 2]
        close = below[~(below.p < 0.05) & (below.splits > 1)]
        lacking = [label(method) for method in paper.META if method not in tests.index and method != "ours"]
        clause = f"MetaMF has the smallest error of {len(tests) + 1} methods"
        if len(beaten):
            clause = f"MetaMF is beaten by {listed([label(m) + certainty(row) for m, row in beaten.iterrows()])}"
        if len(clear):
            all_others = "all others" + (" that are measured" if lacking else "")
            others = all_others if len(clear) == len(tests) else f"{len(clear)} of the {len(tests)} others"
            clause += f", significantly below {others}"
        if len(close):
            clause += f", not told apart from {listed([label(m) for m in close.index])}"
        if len(once):
            clause += f"; {len(once)} {'are' if len(once) > 1 else 'is'} measured on one split, too few for a test"
        if lacking:
            clause += f"; {listed(lacking)} {'are' if len(lacking) > 1 else 'is'} not measured with this preset"
        found.append((data, clause))
    return per_data(found, ". On ")


def certainty(test: pd.Series) -> str:
    """How sure a difference is, by its paired t-test, in brackets."""
    return " (significantly)" if test.p < 0.05 else " (on one split)" if test.splits < 2 else " (not significantly)"


def reached(table: pd.DataFrame) -> str:
    """Table 1: whether the error of MetaMF is at most two of the paper's standard errors above the paper's."""
    ours = table[(table.method == "ours") & table["mean"].notna() & table.distance.notna()]
    if ours.empty:
        return ""
    missed = ours[ours.distance > 2]
    names = listed([DATA[data] for data in DATA if data in set((ours if missed.empty else missed).data)])
    if missed.empty:
        return f" MetaMF is within two of the paper's standard errors of its number, or better, on {names}."
    return f" MetaMF misses the paper's number by more than two of its standard errors on {names}."


def fit(table: pd.DataFrame) -> str:
    """Table 2: which of MetaMF and EML is closer to the ratings that it was given, and which is closest of all."""
    found = []
    for data, group in table.dropna(subset=["mean"]).groupby("data", sort=False):
        means = group.set_index("method")["mean"]
        if {"ours", "eml"} <= set(means.index):
            closer = "MetaMF is closer" if means["ours"] < means["eml"] else "EML is closer"
            found.append(
                (
                    data,
                    f"{closer} to the given ratings than {'EML' if 'MetaMF' in closer else 'MetaMF'}, and "
                    f"{label(means.idxmin())} is closest of all",
                )
            )
    return per_data(found)


def transfer(table: pd.DataFrame) -> str:
    """Table 3: what the best and the worst choice of meta-training data gain and cost against the data set itself."""
    found = []
    for data, group in table.dropna(subset=["mean"]).groupby("data", sort=False):
        means = group.set_index("setting")["mean"]
        own = f"trained={data}"
        if own in means.index and len(means) > 1:
            change = means / means[own] - 1
            best, worst = change.idxmin(), change.idxmax()
            gain = "no choice is better than the data set itself"
            if change[best] < -0.0005:  # less would be shown as 0.0 %
                gain = f"{training_sets(best)} is best, {percent(-change[best], 1)} better than the data set itself"
            found.append((data, f"{gain}, and {training_sets(worst)} is worst, {percent(change[worst], 1)} above it"))
    return per_data(found)


def training_sets(setting: str) -> str:
    """The data sets of a setting of Table 3: 'MovieLens 100K and Jester' for 'trained=ml-100k+jester'."""
    return listed([DATA[name] for name in setting.removeprefix("trained=").split("+")])


def spread(table: pd.DataFrame, what: str) -> str:
    """Tables 4 and 5: how much the best setting differs from the worst; ``what``: the things that a setting
    is a number of, such as 'factors'."""
    found, best = [], {}
    for (data, method), group in table.dropna(subset=["mean"]).groupby(["data", "method"], sort=False):
        means = group.set_index("setting")["mean"]
        if len(means) > 1:
            value, gap = int(means.idxmin().split("=")[1]), means.max() / means.min() - 1
            clause = (
                f"the error is smallest with {value} {what} and at most {percent(gap, 1)} larger with another number"
            )
            if gap < 0.001:
                clause = f"the error is the same with any of these numbers of {what}, to {percent(0.001, 1)}"
            found.append((data, clause, gap))
            best.setdefault(value, {}).setdefault(method, []).append(DATA[data])
    if table.method.nunique() < 2 or not found:
        return per_data([(data, clause) for data, clause, _ in found])
    parts = [
        f"with {value} {what} {listed([f'of {label(method)} on {listed(names)}' for method, names in methods.items()])}"
        for value, methods in sorted(best.items())
    ]
    most = percent(max(gap for *_, gap in found), 1)
    return f"The error is smallest {'; '.join(parts)}. Another number costs at most {most}."


def sizes(table: pd.DataFrame, what: str = "error") -> str:
    """Figures 3 and 4: whether the error of MetaMF falls with the size, the column x, and where it is the lowest;
    ``what``: how the sentence calls the error."""
    found = []
    for data, group in table.dropna(subset=["mean"]).groupby("data", sort=False):
        grid = group.pivot(index="x", columns="method", values="mean")
        if "ours" not in grid or grid.ours.notna().sum() < 2:
            continue
        ours = grid.ours.dropna()
        lowest = grid.dropna(subset=["ours"]).idxmin(axis=1)
        wins = (lowest == "ours").sum()
        where = "at every size" if wins == len(lowest) else f"at {wins} of {len(lowest)} sizes"
        found.append((data, f"the {what} of MetaMF {trend(ours)}, and MetaMF is lowest {where}"))
    return per_data(found)


def trend(curve: pd.Series) -> str:
    """The words on where a curve over sizes rises and falls: between its ends and its highest or lowest point."""

    def square(size: int) -> str:
        return f"{size} × {size}"

    first, last = curve.index[0], curve.index[-1]
    for turn, there, back in ((curve.idxmax(), "rises", "falls"), (curve.idxmin(), "falls", "rises")):
        if turn not in (first, last):
            return f"{there} from {square(first)} to {square(turn)} and {back} from there to {square(last)}"
    return f"{'falls' if curve[last] < curve[first] else 'rises'} from {square(first)} to {square(last)}"


def steps(table: pd.DataFrame) -> str:
    """Figure 5: what the steps gain, and after how many the error is smallest; ``table``: ``by_steps``."""
    curves = table.dropna(subset=["mean"]).pivot(index="steps", columns="data", values="mean").sort_index()
    curves = curves[[data for data in DATA if data in curves]].dropna()
    if not {0, 10} <= set(curves.index):
        return NOT_MEASURED
    where, last = listed([DATA[data] for data in curves]), curves.index[-1]

    def each(shares: pd.Series) -> str:
        return listed([percent(share, 1) for share in shares])

    return (
        f"On {where}, the ten steps that MetaMF was trained with take {each(1 - curves.loc[10] / curves.loc[0])} off "
        f"the error of the prior alone. It is smallest after {listed(curves.idxmin().astype(str).tolist())} steps, and "
        f"after {last} it lies {each(curves.loc[last] / curves.min() - 1)} above that."
    )


def times(rows: pd.DataFrame) -> str:
    """Tables 6 and 7: how long MAML, EML and MetaMF take; ``rows``: those of the experiment 'times'."""
    updates = rows[rows.phase == "meta-training update"]
    if updates.empty:
        return NOT_MEASURED
    ratio = updates.pivot(index="data", columns="method", values="ratio").reindex(list(DATA)).dropna()
    theirs = paper.printed("Table 6").pivot(index="data", columns="method", values="value").loc[ratio.index]

    def each(ratios: pd.Series) -> str:
        return listed([f"{value:.1f}" for value in ratios])

    return (
        f"On {listed([DATA[data] for data in ratio.index])}, an update of MAML takes {each(ratio.maml)} times as long "
        f"as one of MetaMF; in the paper, {each(theirs.maml / theirs.ours)}. Here MAML takes the inner steps of all "
        "matrices of a batch at once, which makes it cheaper than matrix by matrix. An update of MetaMF takes "
        f"{each(1 / ratio.eml)} times as long as one of EML; in the paper, {each(theirs.ours / theirs.eml)}."
    )


def signed(value: float) -> str:
    """A distance in standard errors with its sign: '+1.3', '−0.4'; '' for nan."""
    return "" if np.isnan(value) else with_minus(f"{round(value, 1) + 0.0:+.1f}")
