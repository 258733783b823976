"""Tables on the paper's protocol: our numbers next to the paper's, and what explains where they
differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.report.markdown import (
    TITLES,
    columns_of_data,
    markdown,
    number,
    with_error,
)
from metamf import reproduction as paper
from metamf.baselines import METHODS
from metamf.checkpoints.bundled import BASELINES_FOLDER, describe, list_pretrained
from metamf.checkpoints.files import read_safetensors

PRESETS = ("paper", "tuned")
PAPER_PRESET = ("ours", "eml", "ft")  # measured by the paper's own settings on all ten splits
FIVE = ("ours", "eml", "maml", "mf", "mean")  # of the README's table


def table1_short() -> str:
    """Five methods of ``table1``, for the README."""
    return table1(FIVE, splits=False)


def table1(methods: Iterable[str] = METHODS, splits: bool = True) -> str:
    """Every method's ratio to Mean, the splits behind it, and the paper's; bold by the paper's
    rule. What is meta-trained has a second line, by the settings that the paper prints."""
    rows, choice = paper.measured("table1"), paper.Measure()
    best = paper.equal_to_best(rows, choice).best
    tables = {}
    for preset, measure in (("", choice), (", preset `paper`", replace(choice, preset="paper"))):
        table = paper.with_printed(rows, measure, "Table 1")
        tables[preset] = table.set_index(["data", "method"])

    def cells(line, data):
        key, preset = line
        row = tables[preset].loc[data, key]
        mark = "**" if not preset and best.get((data, key), False) else ""
        shown = f"{mark}{with_error(row['mean'], row.standard_error)}{mark}"
        return {"": f"{shown} ({row.splits})" if splits else shown, ", paper": number(row.paper)}

    lines = []
    for key in methods:
        if ("jester", key) in tables[""].index:  # others are younger than the measurements
            presets = tables if splits and key in PAPER_PRESET else [""]
            lines += [
                ({"method": METHODS[key].label + preset}, (key, preset)) for preset in presets
            ]
    return columns_of_data(lines, cells)


def table2() -> str:
    """Errors on the given entries, of the methods of the paper's Table 2."""
    table = paper.with_printed(paper.measured("table1"), paper.Measure(), "Table 2", "support")
    return _next_to_printed(
        [({"method": METHODS[key].label}, table[table.method == key]) for key in paper.META]
    )


def table3() -> str:
    """Errors of Ours by the data sets that it was meta-trained on."""
    table = _complete("combinations", paper.Measure(), "Table 3")
    settings = sorted(table.setting.unique(), key=lambda setting: setting.count("+"))
    groups = [table[table.setting == setting] for setting in settings]
    return _next_to_printed([({"Ours": _setting_in_words(g.iloc[0])}, g) for g in groups])


def table4() -> str:
    """Errors of Ours by its number of factors."""
    return _by_number("ranks", "K", "factors", ["ours"], "Table 4")


def figure3() -> str:
    """Errors by the size of the blocks, on which the networks were meta-trained, too."""
    return _by_number("training_sizes", "tested", "rows and columns", ["ours", "eml"])


def figure4() -> str:
    """Errors by the size of the test blocks, after meta-training on 30 x 30."""
    return _by_number("sizes", "tested", "rows and columns", ["ours", "eml", "crossed_effects"])


def figure5() -> str:
    """Errors of Ours by the number of MAP steps at test time."""
    return _by_number("steps", "steps", "MAP steps", ["ours"])


def agreement() -> str:
    """How many of the paper's numbers ours agree with."""
    return markdown(
        {
            "preset": f"`{preset}`",
            "paper's table": name,
            "numbers compared": len(table),
            "within two of the paper's standard errors": int((table.distance.abs() <= 2).sum()),
            "within two standard errors of the difference": int((table.both.abs() <= 2).sum()),
        }
        for preset, name, table in _compared()
    )


def differences() -> str:
    """Every error on hidden entries that differs from the paper's by more than two of the paper's
    standard errors."""
    return markdown(
        {
            "preset": f"`{preset}`",
            "table": name,
            "method or training data": _setting_in_words(row),
            "data": TITLES[row.data],
            "paper": with_error(row.paper, row.paper_error),
            "ours": with_error(row.mean, row.standard_error),
            "in the paper's standard errors": number(row.distance, "+.1f"),
            "in those of the difference": number(row.both, "+.1f"),
        }
        for preset, name, table in _compared()
        if name != "2"  # errors on given entries
        for row in table[table.distance.abs() > 2].sort_values("distance").itertuples()
    )


def checkpoints() -> str:
    """The bundled checkpoints of the paper's model, as their headers describe them."""
    return markdown(
        {
            "checkpoint": f"`{info.name}`",
            "meta-trained on": TITLES[info.data],
            "mean squared error": number(info.errors["query_mse"]),
            "support mean's": number(info.errors["mean_query_mse"]),
            "ratio": number(info.errors["ratio"]),
        }
        for info in map(describe, list_pretrained())
        if info.data in TITLES
    )


def baselines() -> str:
    """The bundled parameters of baselines, as their headers describe them."""
    rows = []
    for path in sorted(BASELINES_FOLDER.glob("*.safetensors")):
        header = read_safetensors(path)[1]
        row = {"file": path.name, "method": METHODS[header["method"]].label}
        row["meta-trained on"] = TITLES.get(header["data"], header["data"])
        row["squared error"] = number(header["errors"]["query_mse"], ".4f")
        rows.append(row | {"ratio to Mean": number(header["errors"]["ratio"], ".4f")})
    return markdown(rows)


def _complete(experiment: str, measure: paper.Measure, name: str | None) -> pd.DataFrame:
    """The rows of an experiment whose splits are complete, next to a table of the paper."""
    rows = paper.complete_splits(paper.measured(experiment), measure)
    return paper.with_printed(rows, measure, name)


def _by_number(
    experiment: str, setting: str, what: str, methods: list[str], name: str | None = None
) -> str:
    """The errors of ``methods`` for each number of a setting, such as 8 of 'K=8'."""
    table = _complete(experiment, paper.Measure(), name)
    table["x"] = table.setting.str.extract(rf"{setting}=(\d+)", expand=False).astype(int)
    lines = []
    for method in methods:
        for x, group in table[table.method == method].groupby("x"):
            lines.append(({"method": METHODS[method].label, what: str(x)}, group))
    return _next_to_printed(lines)


def _next_to_printed(lines: Sequence[tuple[dict, pd.DataFrame]]) -> str:
    """A table with a line for each group of rows of ``with_printed``. The paper's columns are left
    out where it prints no number."""
    printed = any(group.paper.notna().any() for _, group in lines)

    def cells(group, data):
        ours = theirs = ""
        for row in group[group.data == data].head(1).to_dict("records"):
            ours = with_error(row["mean"], row["standard_error"])
            ours = ours and f"{ours} ({row['splits']})"
            theirs = number(row["paper"])
        return {"": ours, ", paper": theirs} if printed else {"": ours}

    return columns_of_data(lines, cells)


def _compared() -> list[tuple[str, str, pd.DataFrame]]:
    """By preset the paper's Tables 1 to 3 with our numbers next to theirs, where both were measured
    on several splits."""
    rows, found = paper.measured("table1"), []
    for preset in PRESETS:
        choice = paper.Measure(preset=preset)
        tables = {
            "1": paper.with_printed(rows, choice, "Table 1"),
            "2": paper.with_printed(rows, choice, "Table 2", "support"),
            "3": _complete("combinations", choice, "Table 3"),
        }
        for name, table in tables.items():
            known = table[(table.splits > 1) & table.distance.notna()]
            known = known[(known.method != "mean") | (known.paper != 1)]  # of Mean to itself
            error = np.hypot(known.standard_error, known.paper_error)
            if len(known):
                both = (known["mean"] - known.paper) / error
                found.append((preset, name, known.assign(both=both)))
    return found


def _setting_in_words(row) -> str:
    if not row.setting.startswith("trained="):
        return METHODS[row.method].label
    names = row.setting.removeprefix("trained=").split("+")
    return "trained on " + " + ".join(TITLES[name] for name in names)
