"""This network and the paper's: the settings of a checkpoint next to those that the paper prints.

The paper's values are those of Sections 3.3, 4.1 and 4.2; those of the network are the defaults of
``MetaMFConfig``. A card and the app show the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch

from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.episodes import EpisodeBatch
from metamf.network.map_steps import safe_step_sizes
from metamf.network.meta_mf import FactorNetwork, MetaMF, MetaMFConfig
from metamf.network.protocol import Network
from metamf.wording import percent

PAPER = MetaMFConfig()
WRITTEN = {"learning_rate", "batch_size", "epochs", "updates_per_epoch"}  # by every training here
NOT_PRINTED = "learned, value not printed"
SIZES = {  # fields of a network's settings, by what a card calls them
    "factors K": "rank",
    "channels C": "channels",
    "exchangeable layers L": "layers",
    "linear layers of f_U and of f_V": "prior_layers",
    "their hidden units": "hidden",
    "steps T": "steps",
}
STEPS_TAKEN = "steps_taken"  # the key of ``steps_taken`` in a recipe


class Setting(NamedTuple):
    """One setting: its name, its value in this network, and in the paper's."""

    name: str
    here: str
    paper: str

    @property
    def differs(self) -> bool:
        """Whether this network has another value than the one that the paper prints."""
        return self.printed and self.here != self.paper

    @property
    def printed(self) -> bool:
        """Whether the paper prints a value."""
        return self.paper != NOT_PRINTED


def compared_with_paper(network: Network, info: CheckpointInfo) -> list[Setting]:
    """The settings of a network of the paper's kind, next to the paper's; none for another kind."""
    if not isinstance(network, FactorNetwork):
        return []
    config = network.config
    rows = [
        (name, f"{getattr(config, key)}", f"{getattr(PAPER, key)}") for name, key in SIZES.items()
    ]
    features = ", ".join(info.features)
    lam = f"{network.prior_precision.item():.3g}, learned from {config.prior_precision:g}"
    rows += [
        ("step size η", _step_size(network, info), "0.01, fixed"),
        ("precision λ of the prior", lam, NOT_PRINTED),
        ("dropout", f"{config.dropout:g}", f"{PAPER.dropout:g}"),
        ("reads", f"ratings and {features}" if features else "ratings", "ratings"),
        *_training(info),
    ]
    return [Setting(*row) for row in rows]


def in_papers_size(config: MetaMFConfig) -> bool:
    """Whether a network has as many factors, channels, layers, hidden units and steps as the
    paper's."""
    return all(getattr(config, key) == getattr(PAPER, key) for key in SIZES.values())


def as_markdown(settings: list[Setting]) -> str:
    """The table of a card; what differs is bold."""
    lines = ["| setting | this network | the paper's |", "|---|---|---|"]
    for setting in settings:
        here = f"**{setting.here}**" if setting.differs else setting.here
        lines.append(f"| {setting.name} | {here} | {setting.paper} |")
    return "\n".join(lines)


def steps_taken(network: MetaMF, episodes: EpisodeBatch) -> dict[str, float] | None:
    """What safe steps make of the step size on some matrices: the ``smallest`` and the ``largest``
    step of a row or column, and the share of all steps that are ``shortened``. None for a network
    that takes one step size everywhere."""
    if not network.config.safe_steps:
        return None
    support = episodes.support
    taken: list[torch.Tensor] = []
    with torch.no_grad():
        for w in network.adapt(support).path[:-1]:
            U, V = w.split([support.N, support.M])
            taken += safe_step_sizes(U, V, support, network.step_size, network.prior_precision)
    sizes = torch.cat(taken)
    shortened = (sizes < network.step_size).double().mean()
    found = {"smallest": sizes.min(), "largest": sizes.max(), "shortened": shortened}
    return {key: round(value.item(), 4) for key, value in found.items()}


def _step_size(network: FactorNetwork, info: CheckpointInfo) -> str:
    if network.gradient_steps is None:
        return "none: multiplicative steps of positive factors"
    eta, _ = network.gradient_steps
    config = network.config
    learned = f"learned from {config.step_size:g}" if config.learn_step_size else "fixed"
    text = f"{eta:.3g}, {learned}"
    if not config.safe_steps:
        return text
    text += "; each row and column takes min(η, 1 / (2 L))"
    taken = info.recipe.get(STEPS_TAKEN)
    if not isinstance(taken, dict):
        return text
    return (
        f"{text}: {taken['smallest']:.2g} to {taken['largest']:.2g} on its test matrices, "
        f"{percent(taken['shortened'])} of them shortened"
    )


def _training(info: CheckpointInfo) -> Iterator[tuple[str, str, str]]:
    """How it was trained, as far as the header says so: names, values here, and the paper's."""
    recipe = info.recipe
    domain = info.learned_from
    drawn = "training_mean" in recipe or info.data == "film-nights"
    if domain is not None:
        size = f"{_range(*domain.rows)} x {_range(*domain.cols)}"
        size += ", drawn afresh" if drawn else ""
        yield "training matrices N x M", size, "30 x 30"
    half = "half of the observed ratings, at random"
    other_half = "the other half of the observed ratings"
    given = half
    query = other_half
    if drawn:
        low, high = (percent(share) for share in domain.density) if domain else ("", "")
        share = low if low == high else f"{low} to {high}"
        given = f"{share} of all cells, at random or rather what people like"
        query = "all cells that are not given"
    yield "given in training, X", given, half
    yield "query in training, X'", query, other_half
    training = recipe.get("training")
    if not isinstance(training, dict) or not WRITTEN <= training.keys():
        return
    rates = [training["learning_rate"]]
    if "learning_rates" in recipe:  # of a live training, by the update from which each holds
        rates = recipe["learning_rates"].values()
    rate = ", then ".join(dict.fromkeys(f"{value:g}" for value in rates))
    falling = ", falling to 0" if training.get("schedule") == "cosine" else ""
    kept = ", averaged parameters" if training.get("averaging") else ""
    yield "optimiser", f"AdamW, {rate}{falling}{kept}", "Adam, 0.0001"
    yield "matrices an update", f"{training['batch_size']}", "16"
    if {"updates", "kept_update"} <= recipe.keys():
        length = f"{recipe['updates']:,} updates, those after {recipe['kept_update']:,} kept"
    else:
        length = f"{training['epochs']:,} epochs of {training['updates_per_epoch']:,} updates"
        epoch = recipe.get("kept_epoch", recipe.get("best_epoch"))
        length += f", epoch {epoch} kept" if epoch else ""
    yield "training length", length, "at most 1,000 epochs"


def _range(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"
