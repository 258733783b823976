"""Writes the measured tables of the README from the files that the other scripts wrote.

python -m benchmarks.report
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pandas as pd

from benchmarks.report.scale import parallel, scale
from benchmarks.report.universal import PLACES, ablations, domains, extended, markdown, rivals, transfer
from metamf.baselines import METHODS
from metamf.checkpoints.checkpoint import load_checkpoint
from metamf.reproduction import misses
from metamf.reproduction import numbers as paper

REPOSITORY = Path(__file__).resolve().parents[2]
README = REPOSITORY / "README.md"
CARD = REPOSITORY / "pretrained" / "universal.md"
RESULTS = REPOSITORY / "benchmarks" / "results"
TITLES = {"ml-100k": "ML-100K", "ml-1m": "ML-1M", "jester": "Jester"}


def main() -> None:
    for page in (README, CARD):
        page.write_text(render(page.read_text("utf-8")), "utf-8")


def render(text: str) -> str:
    """The README or a card with each measured part that it has written anew."""
    parts = {
        "example": example,
        "splits": splits,
        "table1": table1,
        "missed": missed,
        "times": times,
        "checkpoints": checkpoints,
        "universal": universal,
        "speed": speed,
        "opening": opening,
        "upload": upload,
        "rivals": rivals,
        "extended": extended,
        "transfer": transfer,
        "ablations": ablations,
        "scale": scale,
        "parallel": parallel,
        "domains": domains,
    }
    for name, write in parts.items():
        begin, end = f"<!-- begin: {name} (written by benchmarks/report/__main__.py) -->", f"<!-- end: {name} -->"
        if begin not in text:
            continue
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{write()}\n{end}{rest.split(end)[1]}"
    return text


def example() -> str:
    """What the README's Python lines print."""
    code = re.search(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)[1]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    return f"```\n{printed.getvalue().rstrip()}\n```"


def splits() -> str:
    rows, printed = [], paper.printed("Table 1").pivot(index="data", columns="method", values="value")
    for data, title in TITLES.items():
        row = {"data": title, "paper": f"{printed.ours[data] / printed['mean'][data]:.3f}"}
        for path in sorted(RESULTS.glob("splits-*.csv"), reverse=True):
            runs = pd.read_csv(path).query("data == @data")
            error = runs.ratio.std() / len(runs) ** 0.5
            row[f"preset `{path.stem.removeprefix('splits-')}`"] = (
                f"{runs.ratio.mean():.3f} ± {error:.3f} ({len(runs)} splits)" if len(runs) > 1 else ""
            )
        rows.append(row)
    return markdown(pd.DataFrame(rows))


def table1() -> str:
    """Every method's ratio to Mean, the splits behind it, and the paper's; bold by the paper's rule."""
    rows, choice = paper.measured("table1"), paper.Choice()
    found = paper.beside(rows, choice, "Table 1").set_index(["data", "method"])
    best = paper.not_told_apart(rows, choice).best
    lines = []
    for key, spec in METHODS.items():
        line = {"method": spec.label}
        for data, title in TITLES.items():
            row = found.loc[(data, key)] if (data, key) in found.index else None
            line[title] = "" if row is None else measured(row, best.get((data, key), False))
            line[f"{title}, paper"] = "" if row is None or pd.isna(row.paper) else f"{row.paper:.3f}"
        lines.append(line)
    return markdown(pd.DataFrame(lines))


def missed() -> str:
    """Which of the paper's numbers are missed with each preset, and what was found out about why."""
    lines, rows, choices = [], paper.measured("table1"), [paper.Choice(preset=name) for name in ("paper", "tuned")]
    for choice in choices:
        combinations = paper.whole(paper.measured("combinations"), choice)
        tables = (
            paper.beside(rows, choice, "Table 1"),
            paper.beside(rows, choice, "Table 2", "support"),
            paper.beside(combinations, choice, "Table 3"),
        )
        said = {f"Table {number}": misses.missed(table) for number, table in enumerate(tables, 1)}
        lines.append(f"Preset `{choice.preset}`. {' '.join(f'{name}: {text}' for name, text in said.items() if text)}")
    printed, tuned = choices
    finetuning = paper.finetuning(paper.measured("finetuning"), printed)
    shorter = paper.by_epochs(paper.measured("epochs"), printed)
    lines += [
        misses.reasons(paper.beside(rows, tuned, "Table 1")),
        misses.loose(paper.by_steps(paper.measured("steps"), tuned)),
        f"FT, with preset `paper`: {misses.finetuning(finetuning)}",
        f"Fewer epochs, with preset `paper`: {misses.shorter(shorter)}",
    ]
    return "\n\n".join(lines)


def measured(row: pd.Series, bold: bool) -> str:
    if not row.splits:
        return "not measured yet"
    error = "" if pd.isna(row.standard_error) else f" ± {row.standard_error:.3f}"
    value = f"{row['mean']:.3f}{error}"
    return f"{f'**{value}**' if bold else value} ({row.splits})"


def times() -> str:
    """One meta-training update of EML and MAML, as a ratio to Ours."""
    rows = paper.measured("times")
    updates = rows[rows.phase == "meta-training update"].pivot(index="data", columns="method", values="ratio")
    printed = paper.printed("Table 6").pivot(index="data", columns="method", values="value")
    return markdown(
        pd.DataFrame(
            {
                "data": title,
                "MAML over Ours": f"{updates.maml[data]:.1f}",
                "paper": f"{printed.maml[data] / printed.ours[data]:.1f}",
                "Ours over EML": f"{1 / updates.eml[data]:.1f}",
                "paper ": f"{printed.ours[data] / printed.eml[data]:.1f}",
            }
            for data, title in TITLES.items()
        )
    )


def checkpoints() -> str:
    rows = []
    for data, title in TITLES.items():
        _, info = load_checkpoint(REPOSITORY / "pretrained" / f"{data}.safetensors")
        rows.append(
            {
                "checkpoint": f"[`{data}`](pretrained/{data}.md)",
                "meta-trained on": title,
                "squared error": f"{info.errors['query_mse']:.3f}",
                "support mean's": f"{info.errors['mean_query_mse']:.3f}",
                "ratio": f"{info.errors['ratio']:.3f}",
            }
        )
    return markdown(pd.DataFrame(rows))


def universal() -> str:
    """Errors and 90 % intervals of the universal checkpoint and of what it is compared with."""
    values = pd.read_csv(RESULTS / "universal.csv").set_index(["data", "where", "method", "metric"])
    values = values.value.sort_index()
    places = {where: place for where, place in PLACES.items() if where != "uneven"}
    methods = {"universal": "`universal`", "crossed_effects": "crossed effects", "als": "ALS"}
    rows = []
    for data, title in TITLES.items():
        for where, place in places.items():
            if (data, where) not in values.index:
                continue
            row = {"data": title, "where": place}
            for method, label in methods.items():
                row[f"RMSE {label}"] = f"{values.get((data, where, method, 'rmse'), float('nan')):.3f}"
            for method in ("universal", "crossed_effects"):
                cover, width = (values[data, where, method, f"{metric}_90"] for metric in ("cover", "width"))
                row[f"90 % interval, {methods[method]}"] = f"{100 * cover:.1f} %, width {width:.2f}"
            rows.append(row)
    return markdown(pd.DataFrame(rows).replace("nan", ""))


def speed() -> str:
    frame = pd.read_csv(RESULTS / "speed.csv")
    frame["milliseconds"] = frame.milliseconds.map("{:.3g}".format)
    frame["ratio to the first"] = frame["ratio to the first"].map("{:.2f}".format)
    frame["peak MiB above start"] = frame["peak MiB above start"].map("{:.1f}".format)
    frame.loc[frame.contest.duplicated(), "contest"] = ""
    return markdown(frame.drop(columns=["rounds", "torch"]))


def opening() -> str:
    """Medians over the visits."""
    frame = pd.read_csv(RESULTS / "opening.csv")
    medians = frame.groupby("visit", sort=False)[["sentence", "heatmaps"]].median() / 1000
    return markdown(
        pd.DataFrame(
            {
                "visit": ["first after the server's start" if name == "first" else name for name in medians.index],
                "the sentence with the errors": medians.sentence.map("{:.1f} s".format),
                "its three heatmaps": medians.heatmaps.map("{:.1f} s".format),
            }
        )
    )


def upload() -> str:
    """Medians over the visits."""
    frame = pd.read_csv(RESULTS / "upload.csv")
    median = frame.median(numeric_only=True)
    return markdown(
        pd.DataFrame(
            {
                "file": [f"{median.lines:,.0f} ratings, {median.MiB:.0f} MiB"],
                "the sentence with the errors": f"{median.sentence:.1f} s",
                "all figures": f"{median.figures:.1f} s",
                "the server's memory before": f"{median['MiB opened']:.0f} MiB",
                "at its peak": f"{median['MiB peak']:.0f} MiB",
            }
        )
    )


if __name__ == "__main__":
    main()
