"""Tables on the paper's protocol: our numbers next to the paper's, and what explains where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from benchmarks.report.markdown import TITLES, markdown, number, p_value, with_error
from metamf import reproduction as paper
from metamf.baselines import METHODS
from metamf.checkpoints.bundled import BASELINES_FOLDER, describe, list_pretrained
from metamf.checkpoints.files import read_safetensors
from metamf.learning.evaluation import paired_t_test
from metamf.wording import percent

PRESETS = ("paper", "tuned")
FEWER_STEPS, MORE_STEPS = 7, 15  # MAP steps, around the ten of training
FIVE = ("ours", "eml", "maml", "mf", "mean")  # of the README's table


def table1_short() -> str:
    """Five methods of ``table1``, for the README."""
    return table1(FIVE, splits=False)


def table1(methods: Iterable[str] = METHODS, splits: bool = True) -> str:
    """Every method's ratio to Mean, the splits behind it, and the paper's; bold by the paper's rule."""
    rows, choice = paper.measured("table1"), paper.Measure()
    found = paper.with_printed(rows, choice, "Table 1").set_index(["data", "method"])
    best = paper.equal_to_best(rows, choice).best
    lines = []
    for key in methods:
        if ("jester", key) not in found.index:
            continue  # a method that is younger than the measurements
        line = {"method": METHODS[key].label}
        for data, title in TITLES.items():
            row, mark = found.loc[data, key], "**" if best.get((data, key), False) else ""
            line[title] = f"{mark}{with_error(row['mean'], row.standard_error)}{mark}"
            if splits:
                line[title] += f" ({row.splits})"
            line[f"{title}, paper"] = number(row.paper)
        lines.append(line)
    return markdown(lines)


def table2() -> str:
    """Errors on the given entries, of the methods of the paper's Table 2."""
    table = paper.with_printed(paper.measured("table1"), paper.Measure(), "Table 2", "support")
    return _by_data({METHODS[key].label: table[table.method == key] for key in paper.META}, "method")


def table3() -> str:
    """Errors of Ours by the data sets that it was meta-trained on."""
    measure = paper.Measure()
    rows = paper.complete_splits(paper.measured("combinations"), measure)
    table = paper.with_printed(rows, measure, "Table 3")
    settings = sorted(table.setting.unique(), key=lambda setting: setting.count("+"))
    groups = [table[table.setting == setting] for setting in settings]
    lines = {_setting_in_words(group.iloc[0]): group for group in groups}
    return _by_data(lines, "Ours")


def table4() -> str:
    """Errors of Ours by its number of factors."""
    return _by_number("ranks", "Table 4", r"K=(\d+)", "factors", ("ours",), paper.Measure())


def table5() -> str:
    """Errors of AutoRec by its number of hidden units, on the paper's ten blocks of a split."""
    few = paper.Measure(blocks=paper.FEW_BLOCKS)
    return _by_number("hidden", "Table 5", r"hidden=(\d+)", "hidden units", ("autorec_i", "autorec_u"), few)


def figure3() -> str:
    """Errors by the size of the blocks, on which the networks were meta-trained, too."""
    methods = ("ours", "eml")
    return _by_number("training_sizes", None, r"tested=(\d+)", "rows and columns", methods, paper.Measure())


def figure4() -> str:
    """Errors by the size of the test blocks, after meta-training on 30 x 30."""
    methods = ("ours", "eml", "crossed_effects")
    return _by_number("sizes", None, r"tested=(\d+)", "rows and columns", methods, paper.Measure())


def figure5() -> str:
    """Errors of Ours by the number of MAP steps at test time."""
    return _by_number("steps", None, r"steps=(\d+)", "MAP steps", ("ours",), paper.Measure())


def _by_number(
    experiment: str,
    name: str | None,
    pattern: str,
    what: str,
    methods: Iterable[str],
    measure: paper.Measure,
) -> str:
    """The errors of ``methods`` for each number that ``pattern`` finds in the settings of an experiment."""
    rows = paper.complete_splits(paper.measured(experiment), measure)
    table = paper.with_printed(rows, measure, name)
    table = table.assign(x=table.setting.str.extract(pattern, expand=False).astype(int)).sort_values("x")
    lines = {}
    for method in methods:
        for x, group in table[table.method == method].groupby("x"):
            lines[METHODS[method].label, str(x)] = group
    return _by_data(lines, "method", what)


def _by_data(lines: Mapping[str | tuple[str, ...], pd.DataFrame], *head: str) -> str:
    """A table with a line for each group of rows of ``with_printed``, and the columns of each data set side by side.

    The paper's columns are left out where it prints no number.
    """
    found = []
    printed = any(group.paper.notna().any() for group in lines.values())
    for names, group in lines.items():
        line = dict(zip(head, (names,) if isinstance(names, str) else names))
        for data, title in TITLES.items():
            rows = group[group.data == data]
            measured = "" if rows.empty else with_error(rows["mean"].iloc[0], rows.standard_error.iloc[0])
            line[title] = measured and f"{measured} ({rows.splits.iloc[0]})"
            if printed:
                line[f"{title}, paper"] = "" if rows.empty else number(rows.paper.iloc[0])
        found.append(line)
    return markdown(found)


def _tables(preset: str) -> dict[str, pd.DataFrame]:
    """The paper's Tables 1 to 3 with our numbers next to theirs, where both were measured on several splits."""
    choice, rows = paper.Measure(preset=preset), paper.measured("table1")
    tables = {
        "1": paper.with_printed(rows, choice, "Table 1"),
        "2": paper.with_printed(rows, choice, "Table 2", "support"),
        "3": paper.with_printed(paper.complete_splits(paper.measured("combinations"), choice), choice, "Table 3"),
    }
    for name, table in tables.items():
        known = table[(table.splits > 1) & table.distance.notna()]
        known = known[(known.method != "mean") | (known.paper != 1)]  # the ratio of Mean to itself
        both = (known["mean"] - known.paper) / np.hypot(known.standard_error, known.paper_error)
        tables[name] = known.assign(both=both)
    return tables


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
        for preset in PRESETS
        for name, table in _tables(preset).items()
        if len(table)
    )


def differences() -> str:
    """Every error on hidden entries that differs from the paper's by more than two of the paper's standard errors."""
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
        for preset in PRESETS
        for name, table in _tables(preset).items()
        if name != "2"  # errors on given entries
        for row in table[table.distance.abs() > 2].sort_values("distance").itertuples()
    )


def _setting_in_words(row) -> str:
    if row.setting.startswith("trained="):
        return "trained on " + " + ".join(TITLES[name] for name in row.setting.removeprefix("trained=").split("+"))
    return METHODS[row.method].label


def steps() -> str:
    """How much the errors of Ours depend on the number of MAP steps taken at test time."""
    table = paper.by_steps(paper.measured("steps"), paper.Measure(preset="tuned"))
    around = table.dropna(subset=["mean"]).query(f"{FEWER_STEPS} <= steps <= {MORE_STEPS}")
    rows = []
    for data, title in TITLES.items():
        group = around[around.data == data]
        given, hidden = (group[name].max() / group[name].min() - 1 for name in ("given", "mean"))
        rows.append(
            {"data": title, "error on given ratings": percent(given, 1), "error on hidden ratings": percent(hidden, 1)}
        )
    return markdown(rows)


def finetuning() -> str:
    """Our FT where it fits the given ratings as closely as the paper's, at the learning rates next to its error."""
    table = paper.finetuning(paper.measured("finetuning"), paper.Measure(preset="paper"))
    rows = []
    for data, title in TITLES.items():
        group = table[table.data == data]
        ours = pd.Series({rate: _error_at_same_fit(path) for rate, path in group.groupby("rate")}).dropna()
        theirs = group.paper.iloc[0]
        below, above = ours[ours <= theirs], ours[ours > theirs]
        rows.append(
            {
                "data": title,
                "paper's FT": f"{theirs:.2f}",
                "ours, next lower": "" if below.empty else f"{below.max():.2f} (rate {below.idxmax():g})",
                "ours, next higher": "" if above.empty else f"{above.min():.2f} (rate {above.idxmin():g})",
            }
        )
    return markdown(rows)


def beyond() -> str:
    """Two of the paper's ideas for later: the ratio to Mean, and by how much it differs from that of Ours, paired."""
    usual, rows = paper.measured("table1").query("method == 'ours' and preset == 'tuned'"), []
    for experiment, label in (("features", "told genre and year"), ("nmf", "eight positive factors")):
        both = paper.measured(experiment).merge(usual, on=["data", "split"], suffixes=("", "_usual"))
        for data, group in both.groupby("data", sort=False):
            ratio, before = group.query_mse / group.mean_query_mse, group.query_mse_usual / group.mean_query_mse_usual
            rows.append(
                {
                    "Ours": label,
                    "data": TITLES[data],
                    "ratio to Mean": with_error(ratio.mean(), ratio.sem()),
                    "usual": number(before.mean()),
                    "difference": with_error((ratio - before).mean(), (ratio - before).sem()),
                    "p": p_value(paired_t_test(ratio, before)),
                    "splits": len(group),
                }
            )
    return markdown(rows)


def _error_at_same_fit(path: pd.DataFrame) -> float:
    """The error on the others where the error on the given ratings first falls to that of the paper's FT, interpolated
    between two points of ``path``; nan if it does not fall so far."""
    given, hidden = (path[name].to_numpy(float) for name in ("given", "mean"))
    close = given <= path.paper_given.iloc[0]
    if not close.any():
        return float("nan")
    at = max(close.argmax(), 1)
    share = (given[at - 1] - path.paper_given.iloc[0]) / (given[at - 1] - given[at])
    return float(hidden[at - 1] + max(share, 0.0) * (hidden[at] - hidden[at - 1]))


def epochs() -> str:
    """After how many epochs of meta-training a method is first below the paper's error, and where it ends."""
    table, rows = paper.by_epochs(paper.measured("epochs"), paper.Measure(preset="paper")), []
    for data, title in TITLES.items():
        for method in ("eml", "ours"):
            curve = table[(table.data == data) & (table.method == method)]
            last, below = curve.iloc[-1], curve[curve["mean"] <= curve.paper]
            first = "never" if below.empty else f"{below.x.iloc[0]} ({below['mean'].iloc[0]:.3f})"
            rows.append(
                {
                    "data": title,
                    "method": METHODS[method].label,
                    "paper": f"{last.paper:.3f}",
                    "first below it after epochs (error)": first,
                    "after the last epoch measured": f"{last['mean']:.3f} ({last.x} epochs)",
                    "splits": curve.splits.max(),
                }
            )
    return markdown(rows)


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
    headers = {path.name: read_safetensors(path)[1] for path in sorted(BASELINES_FOLDER.glob("*.safetensors"))}
    return markdown(
        {
            "file": name,
            "method": METHODS[header["method"]].label,
            "meta-trained on": TITLES.get(header["data"], header["data"]),
            "squared error": number(header["errors"]["query_mse"], ".4f"),
            "ratio to Mean": number(header["errors"]["ratio"], ".4f"),
        }
        for name, header in headers.items()
    )
