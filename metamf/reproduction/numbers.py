"""The paper's printed numbers, and ours beside them: the rows of benchmarks/results/paper, averaged over splits.

Errors are mean squared errors in standardised units, as the paper's. ``ratio`` divides each split's error by that of
Mean on the same blocks, which takes away how hard the blocks of a split happen to be; the paper's ratio is its number
over its Mean of Table 1. Differences are counted in the paper's standard errors, where it prints one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from metamf.learning.evaluation import against, over_splits

PRINTED = Path(__file__).with_name("paper_tables.csv")
_INSTALLED = Path(__file__).with_name("results")  # inside the package, in a wheel
RESULTS = (
    _INSTALLED if _INSTALLED.is_dir() else Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "paper"
)
COLUMNS = (
    "data",
    "split",
    "method",
    "setting",
    "preset",
    "seed",
    "blocks",
    "query_mse",
    "support_mse",
    "mean_query_mse",
    "query_mse_10",
    "support_mse_10",
    "mean_query_mse_10",
    "training_seconds",
    "block_seconds",
    "note",
    "versions",
)
TEXT = {"setting": str, "preset": str, "note": str}
META = ("ours", "eml", "ft", "maml")  # of Table 2
KEY = ["data", "method"]
ALL_BLOCKS, FEW_BLOCKS = 200, 10


@dataclass(frozen=True)
class Choice:
    """How errors are read: on the 200 blocks of a split or on its first 10; as they are or over Mean's."""

    blocks: int = ALL_BLOCKS
    ratio: bool = True
    preset: str = "tuned"

    def column(self, error: str = "query") -> str:
        return f"{error}_mse" if self.blocks == ALL_BLOCKS else f"{error}_mse_{FEW_BLOCKS}"


def printed(table: str | None = None) -> pd.DataFrame:
    """The paper's numbers: table, label, data, method, setting, value, standard_error; of one ``table`` or of all."""
    frame = pd.read_csv(PRINTED, dtype={"setting": str}).fillna({"setting": ""})
    return frame if table is None else frame[frame.table == table].drop(columns=["table", "label"])


def measured(experiment: str) -> pd.DataFrame:
    """The rows of an experiment as they were computed; none, where it has not been run."""
    path = RESULTS / f"{experiment}.csv"
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(path, dtype=TEXT).fillna(dict.fromkeys(TEXT, ""))


def errors(rows: pd.DataFrame, choice: Choice, error: str = "query") -> pd.DataFrame:
    """Of the chosen preset (and of what depends on none) the error on 'query' or 'support' entries as the column
    ``value``, over that of Mean on query entries if ``choice.ratio``; averaged over seeds, one row per split."""
    rows = rows[rows.preset.isin((choice.preset, ""))]
    value = rows[choice.column(error)]
    rows = rows.assign(value=value / rows[f"mean_{choice.column()}"] if choice.ratio else value)
    return rows.groupby(["data", "split", "method", "setting"], sort=False, as_index=False).value.mean()


def whole(rows: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    """The rows of the chosen preset (and of what depends on none) on the splits that have all that the fullest split of
    their data set has, and nothing else: splits differ in difficulty, so that settings compare on the same ones alone.
    """
    rows = rows[rows.preset.isin((choice.preset, ""))]
    there: dict[str, dict[int, set]] = {}
    for data, split, *what in rows[["data", "split", "method", "setting"]].itertuples(index=False):
        there.setdefault(data, {}).setdefault(split, set()).add(tuple(what))
    fullest = {data: max(splits.values(), key=len) for data, splits in there.items()}
    keep = [there[data][split] == fullest[data] for data, split in zip(rows.data, rows.split)]
    return rows[np.array(keep, dtype=bool)]


def mean_error(rows: pd.DataFrame, choice: Choice) -> float:
    """The error of Mean on the query entries of the splits of ``rows``, nan where there is none."""
    rows = rows[rows.preset.isin((choice.preset, ""))]
    return float(rows.drop_duplicates("split")[f"mean_{choice.column()}"].mean())


def beside(rows: pd.DataFrame, choice: Choice, table: str | None, error: str = "query") -> pd.DataFrame:
    """One row per (data, method, setting), measured or printed: ``mean``, ``standard_error`` and ``splits``, and beside
    them ``paper``, ``paper_error`` and ``away``, the difference in the paper's standard errors; nan where none is.
    """
    keys = ["data", "method", "setting"]
    ours = over_splits(errors(rows, choice, error), "value", keys)
    if table is None:
        return ours.assign(paper=float("nan"), paper_error=float("nan"), away=float("nan")).reset_index()
    theirs = printed(table).set_index(keys).rename(columns={"value": "paper", "standard_error": "paper_error"})
    if choice.ratio:
        scale = printed_of("mean").loc[theirs.index.get_level_values("data")].to_numpy()
        theirs = theirs.div(scale, axis=0)
    both = ours.join(theirs, how="outer").reset_index().fillna({"splits": 0})
    return both.assign(away=(both["mean"] - both.paper) / both.paper_error, splits=both.splits.astype(int))


def printed_of(method: str, table: str = "Table 1") -> pd.Series:
    """The paper's error of a method on each data set."""
    return printed(table).query("method == @method").set_index("data").value


def printed_ft(data: str, choice: Choice) -> tuple[float, float]:
    """The errors of the paper's FT on the given ratings and on the others."""
    scale = printed_of("mean")[data] if choice.ratio else 1.0
    return printed_of("ft", "Table 2")[data] / scale, printed_of("ft")[data] / scale


def by_steps(rows: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    """``beside`` no table for each number of ``steps``, in their order, and ``given``: the error on given ratings."""
    table = beside(rows, choice, None).assign(given=beside(rows, choice, None, "support")["mean"])
    table["steps"] = table.setting.str.extract(r"steps=(\d+)", expand=False).astype(int)
    return table.sort_values("steps")


def finetuning(rows: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    """FT at each ``rate`` after each number of ``steps`` as ``by_steps`` has it, and the errors of the paper's FT:
    ``paper``, and ``paper_given`` on the given ratings."""
    table = by_steps(rows, choice)
    table["rate"] = table.setting.str.extract(r"rate=(\S+)", expand=False).astype(float)
    printed = pd.DataFrame([printed_ft(data, choice) for data in table.data], columns=["paper_given", "paper"])
    return table.drop(columns="paper").join(printed.set_index(table.index))


def by_epochs(rows: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    """``beside`` after each number of epochs ``x``, in their order, on whole splits; ``paper``: the number of Table 1,
    whatever x."""
    table = beside(whole(rows, choice), choice, None)
    table["x"] = table.setting.str.removeprefix("epochs=").astype(int)
    theirs = beside(rows[:0], choice, "Table 1").set_index(["data", "method"]).paper
    table["paper"] = [theirs.get(key, float("nan")) for key in zip(table.data, table.method)]
    return table.sort_values("x")


def tests(rows: pd.DataFrame, choice: Choice, reference: str = "ours") -> pd.DataFrame:
    """Every method against ``reference`` by paired t-tests over the splits that both have, on each data set:
    difference, standard_error, p, splits; the index is (data, method). Empty where the reference is not measured."""
    rows = errors(rows, choice)
    found = {
        data: against(group, "value", reference)
        for data, group in rows.groupby("data", sort=False)
        if (group.method == reference).any() and group.method.nunique() > 1
    }
    if found:
        return pd.concat(found, names=["data"])
    return pd.DataFrame(columns=["difference", "p", "splits"], index=pd.MultiIndex.from_arrays([[], []], names=KEY))


def not_told_apart(rows: pd.DataFrame, choice: Choice, level: float = 0.05) -> pd.DataFrame:
    """The paper's bold numbers: ``best`` is True for the method of the smallest ratio to Mean, of those with two splits
    or more, and for every other one that a paired t-test over common splits does not tell from it; the index is
    (data, method)."""
    values, found = errors(rows, choice), {}
    for data, group in errors(rows, replace(choice, ratio=True)).groupby("data", sort=False):
        splits = group.groupby("method").value.agg(["size", "mean"]).query("size > 1")
        if len(splits):
            first = splits["mean"].idxmin()
            tests = against(values[values.data == data], "value", first)
            found |= {(data, first): True} | {(data, m): bool(p >= level) for m, p in tests.p.items()}
    return pd.DataFrame({"best": list(found.values())}, index=pd.MultiIndex.from_tuples(found, names=KEY))
