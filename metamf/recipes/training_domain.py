"""The matrices that a checkpoint learned from, for its header; ``add_to_header`` for files written without them.

The bundled checkpoints got them, all other values of the header and all parameters left as they were, by

    python -c "from metamf.recipes.training_domain import add_to_header; add_to_header('pretrained/ml-1m.safetensors')"
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from metamf.checkpoints.files import read_safetensors, write_safetensors
from metamf.checkpoints.info import TrainingDomain, read_info
from metamf.episodes import BlockSampler
from metamf.learning.curriculum import MixedSampler
from metamf.ratings.scale import RatingScale
from metamf.recipes.preparation import load_domains, prepare

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
