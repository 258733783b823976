"""The cards of checkpoints: what a checkpoint says of itself, in Markdown.

The texts are ``paper_card.md``, ``universal_card.md`` and ``live_card.md``, beside this file; the tables between their
markers are written by ``benchmarks/report``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from torch import nn

from metamf import datasets
from metamf.checkpoints.info import CheckpointInfo
from metamf.model.meta_mf import MetaMF
from metamf.universal.network import Universal

# Columns of the universal checkpoint's table of errors, as its header names them.
MEASURED = ("query_mse", "ratio", "log_likelihood", "cover_50", "cover_80", "cover_90", "cover_95")


def paper_card(info: CheckpointInfo, model: MetaMF) -> str:
    """The card of a checkpoint of the paper's model, which learned from one data set.

    A header that does not say which epoch was kept is from before a recipe could keep the last one: the best was kept.
    """
    info = replace(info, recipe={"kept_epoch": info.recipe.get("best_epoch")} | info.recipe)
    return _text("paper_card.md").format(info=info, archive=datasets.ARCHIVES[info.data], parameters=_size(model))


def universal_card(info: CheckpointInfo, model: Universal) -> str:
    """The card of a checkpoint of the extended model, which learned from several data sets."""
    archives = [datasets.ARCHIVES[name] for name in info.data.split(", ")]
    return _text("universal_card.md").format(
        info=info,
        units=model.scale_units,
        parameters=_size(model),
        rows="\n".join(_measured_rows(info)),
        licences="\n".join(f"- {archive.title}: {archive.licence}" for archive in archives),
    )


def live_card(info: CheckpointInfo, model: MetaMF) -> str:
    """The card of a checkpoint that a visitor of the app trained, on a data set or on made-up ratings."""
    archive = datasets.ARCHIVES.get(info.data)
    rates = (f"{rate:g} from update {int(update):,} on" for update, rate in info.recipe["learning_rates"].items())
    return _text("live_card.md").format(
        info=info,
        title="made-up ratings" if archive is None else archive.title,
        parameters=_size(model),
        rates=", ".join(rates),
        diverged=" After that update training diverged." if info.recipe["diverged"] else "",
        licence="Nobody's: the ratings are made up." if archive is None else f"{archive.licence} {archive.page}",
    )


def _measured_rows(info: CheckpointInfo) -> list[str]:
    """A row of the table of errors for each data set and each of its test matrices."""
    return [
        f"| {data}, {where} | " + " | ".join(f"{errors[column]:.3f}" for column in MEASURED) + " |"
        for data, matrices in info.errors.items()
        for where, errors in matrices.items()
    ]


def _size(model: nn.Module) -> int:
    """The number of parameters."""
    return sum(parameter.numel() for parameter in model.parameters())


def _text(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
