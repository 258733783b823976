"""The paper's printed numbers, and ours next to them: the rows of benchmarks/results/paper,
averaged over splits.

Errors are mean squared errors in standardised units, as the paper's. A ratio divides each split's
error by that of Mean on the same blocks, since the blocks of one split may be harder than those of
another; the paper's ratio is its number divided by its number for Mean in Table 1. Distances are
counted in the paper's standard errors, where it prints one.

Rows of an experiment have the columns ``COLUMNS``; tables made of them have one row per data set,
method and setting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from metamf.learning.evaluation import mean_over_splits, paired_differences

PRINTED = Path(__file__).with_name("paper_tables.csv")
_INSTALLED = Path(__file__).with_name("paper_results")  # inside the package, in a wheel
RESULTS = (
    _INSTALLED
    if _INSTALLED.is_dir()
    else Path(__file__).parents[1] / "benchmarks" / "results" / "paper"
)
COLUMNS = (
    *(
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
    ),
    *(
        "query_mse_10",
        "support_mse_10",
        "mean_query_mse_10",
        "training_seconds",
        "block_seconds",
        "note",
        "versions",
    ),
)
META = ("ours", "eml", "ft", "maml")  # the methods of Table 2
# of a split, Section 4.1; the paper's Table 5 is on ten
ALL_BLOCKS = 200
FEW_BLOCKS = 10
_TEXT = {"setting": str, "preset": str, "note": str}
_ROW = ["data", "method", "setting"]
_DATA_AND_METHOD = ["data", "method"]


@dataclass(frozen=True)
class Measure:
    """Way in which errors are measured."""

    blocks: int = ALL_BLOCKS  # of a split: all 200, or the first 10
    # whether errors are divided by that of Mean on the query entries of the same blocks
    ratio: bool = True
    preset: str = "tuned"  # by which methods were meta-trained: 'tuned' or 'paper'

    def column(self, entries: str = "query") -> str:
        """The column of the rows that holds the errors on 'query' or 'support' entries."""
        return f"{entries}_mse" if self.blocks == ALL_BLOCKS else f"{entries}_mse_{FEW_BLOCKS}"


def printed(table: str) -> pd.DataFrame:
    """The paper's numbers in one table, such as 'Table 1': columns data, method, setting, value,
    and standard_error (nan where none is printed)."""
    frame = pd.read_csv(PRINTED, dtype={"setting": str}).fillna({"setting": ""})
    return frame[frame.table == table].drop(columns=["table", "label"])


def measured(experiment: str) -> pd.DataFrame:
    """The rows of an experiment, such as 'table1', as they were computed; no rows if it has not
    been run."""
    path = RESULTS / f"{experiment}.csv"
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(path, dtype=_TEXT).fillna(dict.fromkeys(_TEXT, ""))


def errors(rows: pd.DataFrame, measure: Measure, entries: str = "query") -> pd.DataFrame:
    """The errors of each split on 'query' or 'support' entries: columns data, split, method,
    setting, and value, the error averaged over seeds. Rows of the measure's preset count, and rows
    of methods that depend on no preset."""
    rows = _of_preset(rows, measure)
    value = rows[measure.column(entries)]
    rows = rows.assign(value=value / rows[f"mean_{measure.column()}"] if measure.ratio else value)
    return rows.groupby(
        ["data", "split", "method", "setting"], sort=False, as_index=False
    ).value.mean()


def complete_splits(rows: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """The rows of those splits on which as much was measured as on the fullest split of their data
    set. Splits differ in difficulty, so settings can only be compared on the same ones."""
    rows = _of_preset(rows, measure)
    what = rows[["data", "split", "method", "setting"]].drop_duplicates()
    sizes = what.groupby(["data", "split"]).size().rename("size").reset_index()
    full = sizes[sizes["size"] == sizes.groupby("data")["size"].transform("max")]
    return rows.merge(full[["data", "split"]], on=["data", "split"])


def with_printed(
    rows: pd.DataFrame, measure: Measure, table: str | None, entries: str = "query"
) -> pd.DataFrame:
    """Our errors, averaged over splits, and those of the paper's ``table`` next to them (None: it
    has none).

    One row per (data, method, setting) that is measured or printed, with the columns mean,
    standard_error, splits (how many), paper, paper_error (its standard error), and distance (mean
    less paper, in the paper's standard errors); nan where there is no such number.
    """
    ours = mean_over_splits(errors(rows, measure, entries), "value", _ROW)
    if table is None:
        return ours.assign(
            paper=float("nan"), paper_error=float("nan"), distance=float("nan")
        ).reset_index()
    theirs = (
        printed(table)
        .set_index(_ROW)
        .rename(columns={"value": "paper", "standard_error": "paper_error"})
    )
    if measure.ratio:
        mean = printed_errors("mean").loc[theirs.index.get_level_values("data")].to_numpy()
        theirs = theirs.div(mean, axis=0)
    both = ours.join(theirs, how="outer").reset_index().fillna({"splits": 0})
    return both.assign(
        distance=(both["mean"] - both.paper) / both.paper_error, splits=both.splits.astype(int)
    )


def printed_errors(method: str, table: str = "Table 1") -> pd.Series:
    """The paper's error of a method, by data set."""
    return printed(table).query("method == @method").set_index("data").value


def equal_to_best(rows: pd.DataFrame, measure: Measure, level: float = 0.05) -> pd.DataFrame:
    """Methods that are printed bold, as in the paper: that with the smallest ratio to Mean, of
    those with two splits or more, and every other one that a paired t-test over common splits does
    not distinguish from it. The column is best, bool; the index is (data, method)."""
    values = errors(rows, measure)
    best: dict[tuple[str, str], bool] = {}
    for data, group in errors(rows, replace(measure, ratio=True)).groupby("data", sort=False):
        means = group.groupby("method").value.agg(["size", "mean"]).query("size > 1")
        if len(means):
            first = means["mean"].idxmin()
            tests = paired_differences(values[values.data == data], "value", first)
            best |= {(data, first): True} | {
                (data, method): bool(p >= level) for method, p in tests.p.items()
            }
    index = pd.MultiIndex.from_tuples(best, names=_DATA_AND_METHOD)
    return pd.DataFrame({"best": list(best.values())}, index=index)


def _of_preset(rows: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """The rows of the measure's preset, and of methods that depend on no preset."""
    return rows[rows.preset.isin((measure.preset, ""))]
