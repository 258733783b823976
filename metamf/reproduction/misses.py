"""Sentences on the paper's numbers that are missed, and on what was found out about why."""

from __future__ import annotations

import numpy as np
import pandas as pd

from metamf.reproduction.findings import DATA, NOT_MEASURED, label, per_data, signed
from metamf.wording import counted, listed, percent

META_TRAINED, PER_MATRIX = ("eml", "maml"), ("autorec_i", "autorec_u", "dmf", "mf")
REASONS = {
    ("ft",): "How FT is finetuned is not printed: other rates and numbers of updates are measured under finetuning.",
    META_TRAINED: (
        "The paper meta-trains for at most 1,000 epochs and stops early, but prints neither what an epoch is nor when "
        "it stopped: shorter training of EML is measured under epochs. MAML's inner learning rate is not printed."
    ),
    PER_MATRIX: "AutoRec, DMF and MF take the number of updates that serves the meta-validation blocks best; the paper "
    "does not print its own.",
}
FEWER_STEPS, MORE_STEPS = 7, 15  # MAP steps: somewhat fewer and somewhat more than the ten of training
_FAR = 2  # standard errors beyond which a number is missed: about a 95 % interval


def missed(table: pd.DataFrame, but: tuple[str, ...] = ()) -> str:
    """Tells which numbers of ``table`` (``with_printed``) are missed by more than two of the paper's standard errors,
    and which of these would not be if our own standard errors counted, too. ``but``: methods that are left out."""
    known = table[~table.method.isin(but) & (table.splits > 1) & table.distance.notna()]
    known = known[(known.method != "mean") | (known.paper != 1)]  # the ratio of Mean to itself is nobody's finding
    if known.empty:
        return ""
    far, sides = known[known.distance.abs() > _FAR], []
    for side, part in (("below", far[far.distance < 0]), ("above", far[far.distance > 0])):
        sides += [f"{side} the paper's: {with_distances(part, part.distance)}"] if len(part) else []
    others = "the others' " if but else ""
    inside, total = len(known) - len(far), counted(len(known), "number")
    verb = "lies" if inside == 1 else "lie"
    said = "; ".join([f"{inside} of {others}{total} {verb} within two of the paper's standard errors", *sides])
    both = (far["mean"] - far.paper) / np.hypot(far.standard_error, far.paper_error)
    doubtful = far[both.abs() <= _FAR]
    if doubtful.empty:
        return f"{said}."
    return f"{said}. Counting our own standard errors, too, {with_distances(doubtful, both)} would be within two."


def with_distances(table: pd.DataFrame, distance: pd.Series) -> str:
    """The numbers of ``table`` by name, with their ``distance``: 'MF on Jester (+3.1) and MovieLens 1M (+2.2)'."""
    return listed(
        [
            f"{subject(*key)} {listed([f'{DATA[data]} ({signed(distance[at])})' for at, data in group.data.items()])}"
            for key, group in table.groupby(["method", "setting"], sort=False)
        ]
    )


def subject(method: str, setting: str) -> str:
    """Words before the data sets: the method, 'MF on', or the data that MetaMF has seen, 'MovieLens 1M + Jester →'."""
    if setting.startswith("trained="):
        return " + ".join(DATA[name] for name in setting.removeprefix("trained=").split("+")) + " →"
    return f"{label(method)} on"


def reasons(table: pd.DataFrame) -> str:
    """Why the numbers of ``table`` that are missed are missed, as far as it was found out."""
    far = set(table[(table.distance.abs() > _FAR) & (table.splits > 1)].method)
    return " ".join(reason for methods, reason in REASONS.items() if far & set(methods))


def loose_fit(steps: pd.DataFrame) -> str:
    """How much the number of MAP steps changes the error on the given ratings, and how little that on the others;
    ``steps``: ``by_steps``."""
    around = steps.dropna(subset=["mean"]).query("@FEWER_STEPS <= steps <= @MORE_STEPS")
    found = []
    for data, group in around.groupby("data", sort=False):
        if {FEWER_STEPS, MORE_STEPS} <= set(group.steps):
            given, others = (percent(group[name].max() / group[name].min() - 1, 1) for name in ("given", "mean"))
            found.append((data, f"{given} and {others}"))
    if not found:
        return ""
    return (
        "Meta-training counts the hidden ratings alone, and they hardly decide how close the fit to the given ones is: "
        f"the errors of MetaMF after {FEWER_STEPS} to {MORE_STEPS} MAP steps at test time differ, on the given and on "
        f"the hidden ratings, by this much. {per_data(found)}"
    )


def finetuning_in_words(table: pd.DataFrame) -> str:
    """Between which learning rates the paper's FT lies, where ours is as close to the given ratings; ``table``:
    ``numbers.finetuning``."""
    found = []
    for data, group in table.groupby("data", sort=False):
        ours = pd.Series({rate: error_at_same_fit(path) for rate, path in group.groupby("rate")}).dropna()
        theirs = group.paper.iloc[0]
        below, above = ours[ours <= theirs], ours[ours > theirs]
        if ours.empty:
            clause = "ours does not come as close to the given ratings as the paper's"
        elif below.empty or above.empty:
            side = "above" if above.empty else "below"
            clause = f"the paper's {theirs:.2f} is {side} ours at every rate, {ours.min():.2f} to {ours.max():.2f}"
        else:
            clause = (
                f"the paper's {theirs:.2f} is between ours at a rate of {below.idxmax():g}, {below.max():.2f}, and at "
                f"{above.idxmin():g}, {above.min():.2f}"
            )
        found.append((data, clause))
    return (
        "Errors on the others, where both are as close to the given ratings. " + per_data(found)
        if found
        else NOT_MEASURED
    )


def error_at_same_fit(path: pd.DataFrame) -> float:
    """The error on the others where the error on the given ratings first falls to that of the paper's FT, interpolated
    between two points of ``path``; nan if it does not fall so far."""
    given, hidden = (path[name].to_numpy(float) for name in ("given", "mean"))
    close = given <= path.paper_given.iloc[0]
    if not close.any():
        return float("nan")
    at = max(close.argmax(), 1)
    share = (given[at - 1] - path.paper_given.iloc[0]) / (given[at - 1] - given[at])
    return float(hidden[at - 1] + max(share, 0.0) * (hidden[at] - hidden[at - 1]))


def shorter_training(table: pd.DataFrame) -> str:
    """After how many epochs each method reaches the paper's error, and where it ends; ``table``: ``by_epochs``."""
    found = []
    for data, group in table.groupby("data", sort=False):
        ways = []
        for method, curve in group.groupby("method", sort=False):
            last, below = curve.iloc[-1], curve[curve["mean"] <= curve.paper]
            end = f"{last['mean']:.3f} after {last.x} epochs"
            ways.append(
                f"{label(method)} stays above the paper's {last.paper:.3f} ({end})"
                if below.empty
                else f"{label(method)} is first below the paper's {last.paper:.3f} after {below.x.iloc[0]} epochs "
                f"({below['mean'].iloc[0]:.3f}; {end})"
            )
        found.append((data, f"{listed(ways)}, on {counted(group.splits.max(), 'split')}"))
    return per_data(found, ". On ")
