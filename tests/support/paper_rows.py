"""Rows of experiments, made up."""

import pandas as pd


def row(method, split, query, data="jester", preset="", setting="", mean=1.0, support=0.5):
    return {
        "data": data,
        "split": split,
        "method": method,
        "setting": setting,
        "preset": preset,
        "seed": 0,
        "blocks": 200,
        "query_mse": query,
        "support_mse": support,
        "mean_query_mse": mean,
        "query_mse_10": 2 * query,
        "support_mse_10": support,
        "mean_query_mse_10": mean,
    }


def table(*rows):
    return pd.DataFrame(list(rows))
