"""The README's tables of what many ratings and several processes take, from the files that the other scripts wrote."""

from __future__ import annotations

import pandas as pd

from benchmarks.report.universal import RESULTS, TITLES, markdown
from benchmarks.speed.scale import exponent


def scale() -> str:
    rows = pd.read_csv(RESULTS / "scale.csv")
    ours = rows[rows.method == "universal"]
    synthetic, movielens = ours[ours.data == "synthetic"], ours[ours.data == "ml-1m"].iloc[0]
    table = pd.DataFrame(
        {
            "ratings": [f"{row.ratings:,} ({TITLES.get(row.data, row.data)})" for row in ours.itertuples()],
            "rows x columns": [f"{row.rows:,} x {row.columns:,}" for row in ours.itertuples()],
            "seconds to fit": ours.fit_seconds.map("{:.3g}".format),
            "seconds for 1e6 cells": ours.predict_seconds.map("{:.2g}".format),
            "peak MiB": ours.peak_mib.map("{:,.0f}".format),
            "load before": ours.load.map("{:.1f}".format),
        }
    )
    svd = rows[rows.method == "Surprise SVD"].iloc[0]
    seconds = movielens.fit_seconds + movielens.predict_seconds
    slopes = [exponent(synthetic), exponent(synthetic[synthetic.ratings >= 1_000_000])]
    return (
        f"{markdown(table)}\n\nSeconds grow as the number of ratings to the power {slopes[0]:.2f}, from a million on "
        f"to the power\n{slopes[1]:.2f}. On ML-1M, fit and a million cells take {seconds:.2f} s, Surprise's SVD "
        f"{svd.fit_seconds:.2f} s to fit, in turns: a\nshare of {seconds / svd.fit_seconds:.2f}."
    )


def parallel() -> str:
    frame = pd.read_csv(RESULTS / "parallel.csv")
    for name, form in {
        "milliseconds per update": "{:.3g}",
        "speed-up": "{:.2f}",
        "difference": "{:.0e}",
        "load": "{:.1f}",
    }.items():
        frame[name] = frame[name].map(form.format)
    frame.loc[frame.contest.duplicated(), "contest"] = ""
    return markdown(frame.drop(columns=["device", "rounds", "torch"]))
