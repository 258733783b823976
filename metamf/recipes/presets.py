"""How the bundled checkpoints were made: presets, training runs from seeds to a checkpoint, and the checkpoint's card.

The texts of the cards are ``paper_card.md``, ``universal_card.md`` and ``live_card.md``, beside this file; the tables
between their markers are written by ``benchmarks/report``.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from metamf import datasets
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.baselines.method import MethodSpec
from metamf.checkpoints.files import Network, read_safetensors, save_checkpoint, write_safetensors
from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.files import write_atomically
from metamf.learning.data import TEST, VALIDATION, Domains, PreparedData
from metamf.learning.episodes import BlockSampler, Episode, EpisodeBatch, MixedSampler, divide_entries, held_out_blocks
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import calibrated_errors
from metamf.learning.training import MetaTraining, Progress, TrainingConfig
from metamf.network.meta_mf import MetaMF, MetaMFConfig
from metamf.network.universal.intervals import calibrate, interval_report
from metamf.network.universal.network import Universal, UniversalConfig
from metamf.ratings.matrix import Ratings
from metamf.ratings.randomness import own_random_state
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits


@dataclass(frozen=True)
class Preset:
    """Settings of the paper's model and of training, of any method, that go together."""

    model: MetaMFConfig
    training: TrainingConfig

    def config_of(self, spec: MethodSpec) -> Any:
        """The configuration of a meta-learned method: ``model`` for the paper's, for others their default with the
        dropout of ``model``, so that no method is trained with less care than another."""
        if isinstance(spec.default, MetaMFConfig):
            return self.model
        return replace(spec.default, dropout=self.model.dropout)


# docs/results.md compares the presets "paper" and "tuned" on the paper's data.
TUNED_MODEL = MetaMFConfig(learn_step_size=True, dropout=0.0)
TUNED_TRAINING = TrainingConfig(learning_rate=1e-3, epochs=20, updates_per_epoch=100, schedule="cosine", averaging=0.99)
PRESETS = {
    "paper": Preset(
        MetaMFConfig(),
        # Section 4.2 says neither how many updates an epoch has nor how long early stopping waits: chosen by hand
        TrainingConfig(learning_rate=1e-4, epochs=1000, updates_per_epoch=16, patience=200),
    ),
    "tuned": Preset(TUNED_MODEL, TUNED_TRAINING),
    "last": Preset(TUNED_MODEL, replace(TUNED_TRAINING, keep="last")),
    "nmf": Preset(MetaMFConfig(rank=8, dropout=0.0, steps_rule="nmf"), TUNED_TRAINING),
}
UNIVERSAL_TRAINING = TrainingConfig(
    learning_rate=3e-3,
    epochs=180,
    updates_per_epoch=50,
    schedule="cosine",
    averaging=0.99,
    keep="last",
    warmup=50,
    clip_gradient=1.0,
    weight_decay=0.01,
)
VALIDATION_BATCHES = 12  # batches of 16 matrices, after every epoch
CALIBRATION_BATCHES = 200  # batches of 16 matrices, for each data set, with a known scale and without
UNIT_BLOCKS = 500  # blocks of each data set and size, to estimate the units on
UNITS = 3  # beside VALIDATION and TEST: seed of the blocks that the units are estimated on; its value means nothing
SYNTHETIC_SHARE = 0.1  # of the training matrices; their domain is drawn at random, to be ready for other domains
# Columns of the universal checkpoint's table of errors, as its header names them.
MEASURED = ("query_mse", "ratio", "log_likelihood", "cover_50", "cover_80", "cover_90", "cover_95")


def meta_training(
    spec: MethodSpec,
    preset: Preset,
    matrices: Sequence[Ratings],
    validation: EpisodeBatch,
    *,
    config: Any = None,
    size: tuple[int, int] = (30, 30),
    seed: int = 0,
    epochs: int | None = None,
) -> MetaTraining:
    """Prepares the meta-training of a meta-learned method by a preset, on blocks of ``matrices`` in standardised units.

    ``config`` and ``epochs``, if given, replace the preset's; ``size`` are the largest numbers of rows and columns of a
    block (Section 4.2), and ``seed`` is that of the initial parameters, of the episodes and of dropout.
    """
    config = fitting(preset.config_of(spec) if config is None else config, matrices)
    method = spec.build(config, seed)
    training = replace(preset.training, seed=seed, epochs=epochs or preset.training.epochs)
    return MetaTraining(method, BlockSampler(matrices, size), validation, training)


def fitting(config: Any, matrices: Sequence[Ratings]) -> Any:
    """The configuration that fits the meta-training matrices, in standardised units: the paper's model reads the
    features that they have, and its positive factors are added to their lowest value."""
    if not isinstance(config, MetaMFConfig):
        return config
    for side in ("row_features", "col_features"):
        sizes = {known.shape[1] for matrix in matrices if (known := getattr(matrix, side)) is not None}
        size: dict[str, Any] = {side: max(sizes, default=0)}
        config = replace(config, **size)
    lowest = min(float(matrix.values.min()) for matrix in matrices)
    return replace(config, lowest=lowest) if config.steps_rule == "nmf" else config


def resumable(training: MetaTraining, state: str | Path | None = None) -> Iterator[Progress]:
    """Runs a meta-training to its end and yields after every epoch.

    If the file ``state`` exists, training continues from the state in it; it is written after every epoch.
    """
    if state is not None and Path(state).is_file():
        training.load_state_dict(*read_safetensors(state))
    for progress in training.run():
        if state is not None:
            write_safetensors(state, *training.state_dict())
        yield progress


class PaperRun:
    """One training run of the paper's model on a data set, from seeds to a checkpoint with its card.

    ``split`` is the seed of the split, ``seed`` that of the initial parameters, of the episodes and of dropout, and
    ``features`` names those of the prepared data. Raises ValueError if ``preset`` is no name of ``PRESETS``.
    """

    def __init__(
        self,
        data: str,
        prepared: PreparedData,
        preset: str = "tuned",
        split: int = 0,
        seed: int = 0,
        epochs: int | None = None,
        features: Sequence[str] = (),
    ):
        if preset not in PRESETS:
            raise ValueError(f"there is no preset {preset!r}; choose from {', '.join(PRESETS)}")
        self.data, self.prepared, self.preset, self.split = data, prepared, preset, split
        self.features = list(features)
        self.training = meta_training(
            METHODS["ours"], PRESETS[preset], [prepared.train], prepared.validation, seed=seed, epochs=epochs
        )
        self.model = cast(MetaMF, self.training.method)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Measures the model on the held-out test blocks, and writes the checkpoint and, beside it, its card.

        ``command`` is the command that makes the checkpoint, for header and card.
        """
        prepared = self.prepared
        return save_with_card(
            Path(out),
            self.model,
            paper_card,
            data=self.data,
            standardization=prepared.standardization,
            scale=prepared.scale,
            split_seed=self.split,
            recipe={
                "preset": self.preset,
                "training": asdict(self.training.config),
                "best_epoch": self.training.history[-1].best_epoch,
                "kept_epoch": self.training.kept_epoch,
                "features": self.features,
                "command": command,
            },
            errors=summarize(self.model, Mean(), prepared.test),
            learned_from=domain_of_blocks(BlockSampler([prepared.train]), prepared.scale),
        )


class UniversalRun:
    """One training run of the extended model on the meta-training parts of several data sets, as ``PaperRun``.

    ``domains`` has the splits of the data sets ``data``; ``device`` is that of the validation episodes.
    """

    def __init__(
        self,
        data: Sequence[str],
        domains: Domains,
        split: int = 0,
        seed: int = 0,
        config: UniversalConfig | None = None,
        epochs: int | None = None,
        device: str | torch.device = "cpu",
    ):
        self.data, self.domains, self.split = tuple(data), domains, split
        with own_random_state(seed):
            self.model = Universal(UniversalConfig() if config is None else config)
        sizes = (10, 10), (30, 30)
        blocks = (
            held_out_blocks(matrix, UNIT_BLOCKS, [split, UNITS], size)
            for matrix in domains.train.values()
            for size in sizes
        )
        units = fit_units([episode for some in blocks for episode in some])
        self.model.units.copy_(torch.tensor(astuple(units)))
        sampler = MixedSampler(
            tuple(domains.train.values()),
            units=units,
            synthetic_share=SYNTHETIC_SHARE,
            synthesise=datasets.random_domain,
        )
        held_out = replace(sampler, matrices=tuple(domains.validation.values()), large_share=0.0, synthetic_share=0.0)
        rng = np.random.default_rng([split, VALIDATION])
        episodes = [episode for _ in range(VALIDATION_BATCHES) for episode in held_out.episodes(rng, 16)]
        validation = EpisodeBatch.of(episodes, device=device)
        training = replace(UNIVERSAL_TRAINING, seed=seed, epochs=epochs or UNIVERSAL_TRAINING.epochs)
        self.training = MetaTraining(self.model, sampler, validation, training, calibrated_errors)

    @property
    def sampler(self) -> MixedSampler:
        return cast(MixedSampler, self.training.sampler)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Calibrates the intervals on matrices of meta-validation rows, measures errors, writes checkpoint and card.

        The checkpoint holds the averaged parameters of the last epoch: ten columns of Jester, say, tell which epoch
        suits those ten best, not which is best, and late in training all epochs differ by less than that.
        """
        device, seed = self.training.device, [self.split, VALIDATION, 1]
        matrices = self.domains.calibration.values()
        calibrate_on(self.model, matrices, replace(self.sampler, synthetic_share=0.0), seed, device)
        return save_with_card(
            Path(out),
            self.model,
            universal_card,
            data=", ".join(self.data),
            standardization=None,
            scale=None,
            split_seed=self.split,
            recipe={
                "preset": "universal",
                "training": asdict(self.training.config),
                "made_up": self.sampler.synthetic_share,
                "last_epoch": self.training.history[-1].epoch,
                "command": command,
            },
            errors={
                name: measured_errors(self.model, part, self.split, device) for name, part in self.domains.test.items()
            },
            kind="universal",
            learned_from=domain_of_mixed(self.sampler),
        )


def calibrate_on(
    model: Universal,
    matrices: Iterable[Ratings],
    sampler: MixedSampler,
    seed: Sequence[int],
    device: str | torch.device,
) -> None:
    """Calibrates the intervals on matrices of all sizes, very small ones too, drawn from each of ``matrices``."""

    def batches(matrix: Ratings, known: float) -> Iterator[EpisodeBatch]:
        rng, mixed = np.random.default_rng(seed), replace(sampler, matrices=(matrix,), known_share=known)
        for _ in range(CALIBRATION_BATCHES):
            yield mixed.sample(rng, 16, device)
        tiny = replace(mixed, smallest=3, largest=(12, 12), large_share=0.0, entries=1000)
        for _ in range(CALIBRATION_BATCHES // 3):
            yield tiny.sample(rng, 64, device)

    calibrate(model, *([batches(matrix, known) for matrix in matrices] for known in (1.0, 0.0)))


def measured_errors(
    model: Universal, test: Ratings, split: int, device: str | torch.device = "cpu"
) -> dict[str, dict[str, float]]:
    """Errors and intervals on 200 blocks of 30 x 30 of a meta-test part, and on the whole of it, half observed."""
    blocks = held_out_blocks(test, 200, [split, TEST])
    whole = [divide_entries(test, 0.5, np.random.default_rng([split, TEST, 1]))]
    report = {}
    for name, episodes in (("blocks", blocks), ("whole", whole)):
        batch = EpisodeBatch.of([episode.standardized(model.scale_units) for episode in episodes], device=device)
        report[name] = summarize(model, Mean(), batch) | interval_report(model, batch)
    return report


def fit_units(episodes: Sequence[Episode]) -> ScaleUnits:
    """The units in which query entries have the highest Gaussian likelihood, by L-BFGS on the logarithms of the four
    numbers.

    The episodes are in rating units, each with a rating scale and a query entry; each weighs as the square root of its
    number of query entries.
    """
    n, total, squares = torch.stack([_moments(episode.support) for episode in episodes]).T
    n_query, query_total, query_squares = torch.stack([_moments(episode.query) for episode in episodes]).T
    parameters = torch.tensor(astuple(ScaleUnits()), dtype=torch.float64).log().requires_grad_()
    optimizer = torch.optim.LBFGS([parameters], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        mean_0, variance_0, k_1, k_2 = parameters.exp()
        mean = (total + k_1 * mean_0) / (n + k_1)
        variance = (squares - 2 * mean * total + n * mean.square() + k_2 * variance_0) / (n + k_2)
        error = query_squares - 2 * mean * query_total + n_query * mean.square()
        loss = ((error / variance / n_query + variance.log()) * n_query.sqrt()).sum() / n_query.sqrt().sum()
        loss.backward()
        return loss

    with torch.enable_grad():
        optimizer.step(closure)
    return ScaleUnits(*parameters.detach().exp().tolist())


def _moments(ratings: Ratings) -> Tensor:
    """The number of ratings, their sum, and the sum of their squares, as shares of the scale's length above its
    minimum."""
    if ratings.scale is None:
        raise ValueError("units are estimated from episodes whose rating scale is known: give each one its scale")
    low, length = ratings.scale.minimum, ratings.scale.maximum - ratings.scale.minimum
    x = torch.from_numpy((ratings.values - low) / length).double()
    return torch.stack([x.new_tensor(len(x)), x.sum(), x.square().sum()])


def domain_of_blocks(sampler: BlockSampler, scale: RatingScale) -> TrainingDomain:
    """Blocks of one size, of which a share of the observed ratings is given: the paper's training."""
    shapes = zip(*(ratings.shape for ratings in sampler.matrices))
    rows, cols = ([min(size, own) for own in sizes] for size, sizes in zip(sampler.size, shapes))
    given = [sampler.support_share * ratings.density for ratings in sampler.matrices]
    return TrainingDomain((min(rows), max(rows)), (min(cols), max(cols)), _density_range(given), (scale,))


def domain_of_mixed(sampler: MixedSampler) -> TrainingDomain:
    """Matrices of mixed sizes and densities: the extended model's training, without its synthetic part."""
    rows, cols = ((sampler.smallest, largest) for largest in sampler.largest)
    given = [share * ratings.density for share in sampler.support_shares for ratings in sampler.matrices]
    scales = tuple(dict.fromkeys(ratings.scale for ratings in sampler.matrices if ratings.scale is not None))
    return TrainingDomain(rows, cols, _density_range(given), scales)


def _density_range(values: Sequence[float]) -> tuple[float, float]:
    return round(min(values), 4), round(max(values), 4)


def save_with_card(
    out: Path, model: Network, card: Callable[[CheckpointInfo, Any], str], **fields: Any
) -> CheckpointInfo:
    """Writes a checkpoint and, under the same name with the suffix ``.md``, its card; ``fields``: its other fields."""
    info = CheckpointInfo(name=out.stem, **made_now() | fields)
    save_checkpoint(out, model, info)
    write_atomically(out.with_suffix(".md"), card(info, model).encode())
    return info


def made_now() -> dict[str, Any]:
    """The fields of ``CheckpointInfo`` on when and with which versions a checkpoint was made."""
    versions = {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}
    return {"versions": versions, "created": date.today().isoformat()}


def paper_card(info: CheckpointInfo, model: MetaMF) -> str:
    """The card of a checkpoint of the paper's model, which learned from one data set.

    A header that does not say which epoch was kept is from before a recipe could keep the last one: the best was kept.
    """
    info = replace(info, recipe={"kept_epoch": info.recipe.get("best_epoch")} | info.recipe)
    known = " and the ".join(info.features)
    told = f"\nBeside ratings it reads the {known} of each film; of one block in five it was told nothing."
    archive = datasets.ARCHIVES[info.data]
    return text_of("paper_card.md").format(
        info=info, archive=archive, parameters=size_of(model), told=told if info.features else ""
    )


def universal_card(info: CheckpointInfo, model: Universal) -> str:
    """The card of a checkpoint of the extended model, which learned from several data sets."""
    archives = [datasets.ARCHIVES[name] for name in info.data.split(", ")]
    rows = [
        f"| {data}, {where} | " + " | ".join(f"{errors[column]:.3f}" for column in MEASURED) + " |"
        for data, matrices in info.errors.items()
        for where, errors in matrices.items()
    ]
    return text_of("universal_card.md").format(
        info=info,
        units=model.scale_units,
        parameters=size_of(model),
        rows="\n".join(rows),
        licences="\n".join(f"- {archive.title}: {archive.licence}" for archive in archives),
    )


def live_card(info: CheckpointInfo, model: MetaMF) -> str:
    """The card of a checkpoint that a visitor of the app trained, on a data set or on made-up ratings."""
    archive = datasets.ARCHIVES.get(info.data)
    rates = (f"{rate:g} from update {int(update):,} on" for update, rate in info.recipe["learning_rates"].items())
    return text_of("live_card.md").format(
        info=info,
        title="made-up ratings" if archive is None else archive.title,
        parameters=size_of(model),
        rates=", ".join(rates),
        diverged=" After that update training diverged." if info.recipe["diverged"] else "",
        licence="Nobody's: the ratings are made up." if archive is None else f"{archive.licence} {archive.page}",
    )


def size_of(model: nn.Module) -> int:
    """The number of parameters."""
    return sum(parameter.numel() for parameter in model.parameters())


def text_of(name: str) -> str:
    """The text of a card's file, with fields to fill in."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
