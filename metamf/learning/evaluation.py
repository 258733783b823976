"""Errors of a method on episodes, and the comparisons of Section 4.4: ratios, averages and paired
t-tests over splits.

Errors are mean squared errors per block in standardised units (squared), as in the paper's Table 1;
in averages over blocks all blocks weigh the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import torch
from torch import nn

from metamf.learning.episodes import EpisodeBatch
from metamf.learning.objectives import adapted


def block_errors(method: nn.Module, episodes: EpisodeBatch) -> pd.DataFrame:
    """Returns the errors of each block: ``block``, ``query_mse`` and ``support_mse``, and the
    numbers of entries that they are averaged over, ``query_entries`` and ``support_entries``.

    Raises ValueError, with the number of the block, if an estimate is not finite.
    """
    support = episodes.support
    with torch.no_grad():
        found = adapted(method, support)
        query = (found.predict(episodes.query_row, episodes.query_col) - episodes.query_x).square()
        fitted = (found.predict(support.row, support.col) - support.x).square()
    rows = pd.DataFrame({"block": range(len(support))})
    for name, squares, block in (
        ("query", query, episodes.query_matrix),
        ("support", fitted, support.row_matrix[support.row]),
    ):
        entries = torch.bincount(block, minlength=len(support)).cpu().double()
        total = torch.zeros(len(support), dtype=torch.double).index_add_(
            0, block.cpu(), squares.cpu().double()
        )
        if not torch.isfinite(total).all():
            first = int(torch.nonzero(~torch.isfinite(total))[0])
            raise ValueError(
                f"{type(method).__name__} gave an estimate that is not finite on block {first}"
            )
        rows[f"{name}_mse"] = (total / entries).numpy()
        rows[f"{name}_entries"] = entries.numpy().astype(int)
    return rows


def summarize(method: nn.Module, reference: nn.Module, episodes: EpisodeBatch) -> dict[str, float]:
    """Returns errors averaged over blocks, and their ratio to those of ``reference`` (Mean) on the
    same blocks: ``blocks``, ``query_mse``, ``support_mse``, ``mean_query_mse`` (that of the
    reference) and ``ratio``."""
    errors = block_errors(method, episodes)
    baseline = block_errors(reference, episodes)
    return {
        "blocks": len(errors),
        "query_mse": float(errors.query_mse.mean()),
        "support_mse": float(errors.support_mse.mean()),
        "mean_query_mse": float(baseline.query_mse.mean()),
        "ratio": float(errors.query_mse.mean() / baseline.query_mse.mean()),
    }


def paired_t_test(errors: pd.Series, others: pd.Series) -> float:
    """Two-sided p-value of the hypothesis that paired errors (one per split, say) have the same
    mean.

    It is nan if all differences are zero, and for fewer than two pairs.
    """
    if len(errors) < 2:
        return float("nan")
    import scipy.stats  # takes a second, which a training does without

    return float(scipy.stats.ttest_rel(errors, others).pvalue)


def mean_over_splits(rows: pd.DataFrame, value: str, by: Sequence[str]) -> pd.DataFrame:
    """Returns ``mean``, ``standard_error`` (nan for one split) and ``splits`` of the column
    ``value``, for each group of rows that agree in the columns ``by``; ``rows`` has one row per
    split and group."""
    groups = rows.groupby(list(by), sort=False)[value]
    return pd.DataFrame(
        {"mean": groups.mean(), "standard_error": groups.sem(), "splits": groups.size()}
    )


def paired_differences(rows: pd.DataFrame, value: str, reference: str) -> pd.DataFrame:
    """Compares each method with a reference method, paired over the splits that both have.

    ``rows`` has the columns ``method``, ``split`` and ``value``, one row per method and split.
    Returns ``difference`` (mean of the method minus that of the reference), its ``standard_error``,
    ``p`` of the paired t-test and ``splits``, indexed by ``method``. KeyError if the reference has
    no row.
    """
    table = rows.pivot(index="split", columns="method", values=value)
    found = {}
    for method in table.columns.drop(reference):
        both = table[[method, reference]].dropna()
        difference = both[method] - both[reference]
        found[method] = {
            "difference": difference.mean(),
            "standard_error": difference.sem(),
            "p": paired_t_test(both[method], both[reference]),
            "splits": len(both),
        }
    return pd.DataFrame.from_dict(found, orient="index").rename_axis("method")
