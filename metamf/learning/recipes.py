"""Presets: settings of model and training that go together, and meta-training of any method by one of them.

FIXME Meta-training that goes on where it stopped.

FIXME The recipe of a checkpoint of the paper's model: data, split, preset, training, errors, card, from seeds alone.

FIXME The recipe of the universal checkpoint: training on matrices of every size, calibration, errors, card.

FIXME Estimation of ``ScaleUnits``: mean and spread of a matrix, shrunk towards what its rating scale suggests.

The mean and the spread of a handful of ratings are poor estimates, yet everything else is measured in them. A known
rating scale suggests both before any rating is seen. With ratings as shares of the scale's length above its minimum,
the units are those of the n observed entries and of k_1 and k_2 pseudo-observations:

    mean = (sum of x + k_1 m_0) / (n + k_1),    variance = (sum of (x - mean)^2 + k_2 v_0) / (n + k_2).

The four numbers m_0, v_0, k_1, k_2 are estimated here on meta-training matrices and stored in the checkpoint.

FIXME The matrices that a checkpoint learned from, for its header; ``add_to_header`` for files written without them.

The bundled checkpoints got them, all other values of the header and all parameters left as they were, by

    python -c "from metamf.learning.recipes import add_to_header; add_to_header('pretrained/ml-1m.safetensors')"

FIXME The cards of checkpoints: what a checkpoint says of itself, in Markdown.

The texts are ``paper_card.md``, ``universal_card.md`` and ``live_card.md``, beside this file; the tables between their
markers are written by ``benchmarks/report``.

FIXME A trained model as two files beside each other: a checkpoint, and a card that says what it is.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from metamf import datasets
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.baselines.method import MethodSpec
from metamf.checkpoints.files import Network, read_safetensors, save_checkpoint, write_safetensors
from metamf.checkpoints.info import CheckpointInfo, TrainingDomain, read_info
from metamf.files import write_atomically
from metamf.learning.data import TEST, VALIDATION, Domains, PreparedData, load_domains, prepare
from metamf.learning.episodes import BlockSampler, Episode, EpisodeBatch, MixedSampler, divide_entries, held_out_blocks
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import calibrated_errors
from metamf.learning.training import MetaTraining, Progress, TrainingConfig
from metamf.model.meta_mf import MetaMF, MetaMFConfig
from metamf.ratings.matrix import Ratings
from metamf.ratings.randomness import own_random_state
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits
from metamf.universal.intervals import calibrate, interval_report
from metamf.universal.network import Universal, UniversalConfig


@dataclass(frozen=True)
class Preset:
    """Settings of model and training that go together.

    Attributes
    ----------
    model : MetaMFConfig
        The configuration of the paper's method.
    training : TrainingConfig
        The settings of meta-training, for every method.
    """

    model: MetaMFConfig
    training: TrainingConfig

    def config_of(self, spec: MethodSpec) -> Any:
        """The configuration of a meta-learned method: ``model`` for the paper's, for others their default with the
        dropout of ``model``, so that no method is trained with less care than another."""
        if isinstance(spec.default, MetaMFConfig):
            return self.model
        return replace(spec.default, dropout=self.model.dropout)


# Chosen by hand; docs/results.md compares the presets "paper" and "tuned" on the paper's data.
TUNED_MODEL = MetaMFConfig(learn_step_size=True, dropout=0.0)
TUNED_TRAINING = TrainingConfig(learning_rate=1e-3, epochs=20, updates_per_epoch=100, schedule="cosine", averaging=0.99)
PRESETS = {
    "paper": Preset(
        MetaMFConfig(),
        # Section 4.2 of the paper, which does not say how many updates an epoch has, nor how long early stopping waits:
        # both are chosen by hand.
        TrainingConfig(learning_rate=1e-4, epochs=1000, updates_per_epoch=16, patience=200),
    ),
    "tuned": Preset(TUNED_MODEL, TUNED_TRAINING),
    "last": Preset(TUNED_MODEL, replace(TUNED_TRAINING, keep="last")),
}


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
    """The meta-training of a method by a preset, not yet begun.

    Parameters
    ----------
    spec : MethodSpec
        The method, a meta-learned one.
    preset : Preset
        The settings of model and training.
    matrices : sequence of Ratings
        The matrices whose blocks are the meta-training episodes, in standardised units.
    validation : EpisodeBatch
        The meta-validation episodes, in standardised units.
    config : optional
        The configuration of the method; that of the preset by default.
    size : (int, int)
        The largest numbers of rows and columns of a block; 30 x 30 in the paper (Section 4.2).
    seed : int
        Seed of the initial parameters, of the episodes and of dropout.
    epochs : int, optional
        The number of epochs; that of the preset by default.
    """
    method = spec.build(preset.config_of(spec) if config is None else config, seed)
    training = replace(preset.training, seed=seed, epochs=epochs or preset.training.epochs)
    return MetaTraining(method, BlockSampler(matrices, size), validation, training)


def resumable(training: MetaTraining, state: str | Path | None) -> Iterator[Progress]:
    """Runs a meta-training to its end, from where it stopped.

    Parameters
    ----------
    training : MetaTraining
        Not yet begun.
    state : str or Path, optional
        The file that keeps how far it has come, written after every epoch; if there is one, training goes on from
        there.

    Yields
    ------
    Progress
        After every epoch.
    """
    if state is not None and Path(state).is_file():
        training.load_state_dict(*read_safetensors(state))
    for progress in training.run():
        if state is not None:
            write_safetensors(state, *training.state_dict())
        yield progress


class PaperRun:
    """One training run of the paper's model, from seeds to a checkpoint with its card.

    Parameters
    ----------
    data : str
        Name of a data set.
    prepared : PreparedData
        The data set, split and standardised.
    preset : str
        A name of ``metamf.learning.recipes.PRESETS``.
    split : int
        Seed of the split.
    seed : int
        Seed of the initial parameters, of the episodes and of dropout.
    epochs : int, optional
        The number of epochs; that of the preset by default.

    Raises
    ------
    ValueError
        If there is no such preset.
    """

    def __init__(
        self,
        data: str,
        prepared: PreparedData,
        preset: str = "tuned",
        split: int = 0,
        seed: int = 0,
        epochs: int | None = None,
    ):
        if preset not in PRESETS:
            raise ValueError(f"there is no preset {preset!r}; choose from {', '.join(PRESETS)}")
        self.data, self.prepared, self.preset, self.split, self.seed = data, prepared, preset, split, seed
        self.training = meta_training(
            METHODS["ours"],
            PRESETS[preset],
            [prepared.train],
            prepared.validation,
            seed=seed,
            epochs=epochs,
        )
        self.model = self.training.method

    def train(self, state: str | Path | None = None) -> Iterator[Progress]:
        """Trains to the end; with ``state``, a file, goes on from where it stands and writes it after every epoch."""
        return resumable(self.training, state)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Measures the model on the held-out test blocks and writes checkpoint and card beside each other.

        Parameters
        ----------
        out : str or Path
            Path of the checkpoint; the card has the same name and the suffix ``.md``.
        command : str
            The command that makes the checkpoint, for header and card.
        """
        out = Path(out)
        info = CheckpointInfo(
            name=out.stem,
            data=self.data,
            standardization=self.prepared.standardization,
            scale=self.prepared.scale,
            split_seed=self.split,
            recipe={
                "preset": self.preset,
                "training": asdict(self.training.config),
                "best_epoch": self.training.history[-1].best_epoch,
                "kept_epoch": self.training.kept_epoch,
                "command": command,
            },
            errors=summarize(self.model, Mean(), self.prepared.test),
            **made_now(),
            learned_from=domain_of_blocks(self.training.sampler, self.prepared.scale),
        )
        save_with_card(out, self.model, info, paper_card(info, self.model))
        return info


# Chosen by hand; that the last epoch is kept, see ``UniversalRun.finish``.
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
# Share of the training matrices whose domain is drawn at random, to be ready for other domains.
SYNTHETIC_SHARE = 0.1


class UniversalRun:
    """One training run on the meta-training parts of several data sets, from seeds to a checkpoint with its card.

    Parameters
    ----------
    data : sequence of str
        Names of data sets.
    domains : Domains
        Their splits.
    split, seed : int
        Seed of the split; seed of the initial parameters and of the episodes.
    config : UniversalConfig
        The architecture.
    epochs : int, optional
        The number of epochs; that of the recipe by default.
    device : str or torch.device
        Device of the validation episodes.
    """

    def __init__(
        self,
        data: Sequence[str],
        domains: Domains,
        split: int = 0,
        seed: int = 0,
        config: UniversalConfig = UniversalConfig(),
        epochs: int | None = None,
        device="cpu",
    ):
        self.data, self.domains, self.split, self.seed = tuple(data), domains, split, seed
        with own_random_state(seed):
            self.model = Universal(config)
        units = units_of(domains.train.values(), split)
        self.model.units.copy_(torch.tensor(astuple(units)))
        sampler = MixedSampler(
            tuple(domains.train.values()),
            units=units,
            synthetic_share=SYNTHETIC_SHARE,
            synthesise=datasets.random_domain,
        )
        held_out = replace(sampler, matrices=tuple(domains.validation.values()), large_share=0.0, synthetic_share=0.0)
        validation = _joined(held_out, VALIDATION_BATCHES, [split, VALIDATION], device)
        training = replace(UNIVERSAL_TRAINING, seed=seed, epochs=epochs or UNIVERSAL_TRAINING.epochs)
        self.training = MetaTraining(self.model, sampler, validation, training, calibrated_errors)

    def train(self, state: str | Path | None = None) -> Iterator[Progress]:
        """Trains to the end; with ``state``, a file, goes on from where it stands and writes it after every epoch."""
        return resumable(self.training, state)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Calibrates the intervals on matrices of meta-validation rows, measures errors, writes checkpoint and card.

        The checkpoint holds the averaged parameters of the last epoch. Ten columns of Jester, say, tell which epoch
        suits those ten best, not which is best: late in training all epochs differ by less than that.

        Parameters
        ----------
        out : str or Path
            Path of the checkpoint; the card has the same name and the suffix ``.md``.
        command : str
            The command that makes the checkpoint, for header and card.
        """
        out = Path(out)
        device, seed = self.training.device, [self.split, VALIDATION, 1]
        sampler = replace(self.training.sampler, synthetic_share=0.0)
        calibrate_on(self.model, self.domains.calibration.values(), sampler, seed, device)
        info = CheckpointInfo(
            name=out.stem,
            data=", ".join(self.data),
            standardization=None,
            scale=None,
            split_seed=self.split,
            recipe={
                "preset": "universal",
                "training": asdict(self.training.config),
                "made_up": self.training.sampler.synthetic_share,
                "last_epoch": self.training.history[-1].epoch,
                "command": command,
            },
            errors={
                name: measured_errors(self.model, part, self.split, device) for name, part in self.domains.test.items()
            },
            **made_now(),
            kind="universal",
            learned_from=domain_of_mixed(self.training.sampler),
        )
        save_with_card(out, self.model, info, universal_card(info, self.model))
        return info


def calibrate_on(model: Universal, matrices: Iterable[Ratings], sampler: MixedSampler, seed: Sequence[int], device):
    """Calibrates the intervals on matrices of all sizes, very small ones too, drawn from each of ``matrices``."""

    def batches(matrix: Ratings, known: float) -> Iterator[EpisodeBatch]:
        rng, mixed = np.random.default_rng(seed), replace(sampler, matrices=(matrix,), known_share=known)
        for _ in range(CALIBRATION_BATCHES):
            yield mixed.sample(rng, 16, device)
        tiny = replace(mixed, smallest=3, largest=(12, 12), large_share=0.0, entries=1000)
        for _ in range(CALIBRATION_BATCHES // 3):
            yield tiny.sample(rng, 64, device)

    calibrate(model, *([batches(matrix, known) for matrix in matrices] for known in (1.0, 0.0)))


def units_of(matrices: Iterable[Ratings], split: int) -> ScaleUnits:
    """Knowledge of mean and spread that a rating scale gives, estimated on small blocks of several data sets."""
    sizes = (10, 10), (30, 30)
    blocks = [held_out_blocks(matrix, UNIT_BLOCKS, [split, UNITS], size) for matrix in matrices for size in sizes]
    return fit_units([episode for some in blocks for episode in some])


def measured_errors(model: Universal, test: Ratings, split: int, device="cpu") -> dict[str, dict]:
    """Errors and intervals on 200 blocks of 30 x 30 of a meta-test part, and on the whole of it, half observed."""
    blocks = held_out_blocks(test, 200, [split, TEST])
    whole = [divide_entries(test, 0.5, np.random.default_rng([split, TEST, 1]))]
    report = {}
    for name, episodes in (("blocks", blocks), ("whole", whole)):
        batch = EpisodeBatch.of([episode.standardized(model.scale_units) for episode in episodes], device=device)
        report[name] = summarize(model, Mean(), batch) | interval_report(model, batch)
    return report


def _joined(sampler: MixedSampler, batches: int, seed: Sequence[int], device) -> EpisodeBatch:
    """Fixed validation episodes of every size, as one batch."""
    rng = np.random.default_rng([*seed])
    return EpisodeBatch.of([episode for _ in range(batches) for episode in sampler.episodes(rng, 16)], device=device)


def fit_units(episodes: Sequence[Episode]) -> ScaleUnits:
    """The units in which query entries have the highest Gaussian likelihood, by L-BFGS on the logarithms of the four
    numbers.

    Parameters
    ----------
    episodes : episodes in rating units, each with a rating scale and a query entry; an episode weighs as the square
        root of its number of query entries
    """
    shares = [_shares_of_the_scale(episode) for episode in episodes]
    n, total, squares = torch.stack([_moments(support) for support, _ in shares]).T
    n_query, query_total, query_squares = torch.stack([_moments(query) for _, query in shares]).T
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


def _shares_of_the_scale(episode: Episode) -> list[Tensor]:
    """The support and the query entries as shares of the scale's length above its minimum."""
    scale = episode.support.scale
    if scale is None:
        raise ValueError("units are estimated from episodes whose rating scale is known: give each one its scale")
    length = scale.maximum - scale.minimum
    return [
        torch.from_numpy((part.values - scale.minimum) / length).double() for part in (episode.support, episode.query)
    ]


def _moments(x: Tensor) -> Tensor:
    """The number of values, their sum, and the sum of their squares."""
    return torch.stack([x.new_tensor(len(x)), x.sum(), x.square().sum()])


DIGITS = 4  # digits of densities after the decimal point


def domain_of_blocks(sampler: BlockSampler, scale: RatingScale) -> TrainingDomain:
    """Blocks of one size, of which a share of the observed ratings is given: the paper's training."""
    rows, cols = ([min(size, own) for own in sizes] for size, sizes in zip(sampler.size, _shapes(sampler.matrices)))
    given = [sampler.support_share * ratings.density for ratings in sampler.matrices]
    return TrainingDomain(_range(rows), _range(cols), _range(given, DIGITS), (scale,))


def domain_of_mixed(sampler: MixedSampler) -> TrainingDomain:
    """Matrices of mixed sizes and densities: the extended model's training, without its synthetic part."""
    sizes = [(sampler.smallest, largest) for largest in sampler.largest]
    given = [share * ratings.density for share in sampler.support_shares for ratings in sampler.matrices]
    scales = tuple(dict.fromkeys(ratings.scale for ratings in sampler.matrices if ratings.scale is not None))
    return TrainingDomain(*sizes, _range(given, DIGITS), scales)


def add_to_header(path: str | Path, folder: str | Path | None = None) -> TrainingDomain:
    """Adds to the header of a checkpoint that the bundled recipes made what it learned from.

    Parameters
    ----------
    path : str or Path
        The checkpoint, which is written whole or not at all.
    folder : str or Path, optional
        The folder of the archives of its data sets; by default the one in which ``metamf.datasets`` looks for them.
    """
    tensors, header = read_safetensors(path)
    info = read_info(path, header)
    if info.kind == "universal":
        domains = load_domains(info.data.split(", "), info.split_seed, folder)
        domain = domain_of_mixed(MixedSampler(tuple(domains.train.values())))
    else:
        prepared = prepare(info.data, info.split_seed, folder=folder)
        domain = domain_of_blocks(BlockSampler([prepared.train]), prepared.scale)
    write_safetensors(path, tensors, header | {"learned_from": asdict(domain)})
    return domain


def _shapes(matrices) -> Iterable[tuple[int, ...]]:
    """The numbers of rows of all matrices, and those of columns."""
    return zip(*(ratings.shape for ratings in matrices))


def _range(values: Iterable[float], digits: int | None = None) -> tuple:
    """The lowest and the highest of ``values``, rounded."""
    values = list(values)
    ends = min(values), max(values)
    return ends if digits is None else tuple(round(end, digits) for end in ends)


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


def made_now() -> dict[str, Any]:
    """The fields of ``CheckpointInfo`` on when and with which versions a checkpoint was made."""
    versions = {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}
    return {"versions": versions, "created": date.today().isoformat()}


def save_with_card(out: Path, model: Network, info: CheckpointInfo, card: str) -> None:
    """Writes the checkpoint, and the card under the same name with the suffix ``.md``."""
    save_checkpoint(out, model, info)
    write_atomically(out.with_suffix(".md"), card.encode())
