"""The bundled checkpoints and meta-trained baselines by name; any checkpoint described by its
header, or opened once.

Names and descriptions do without torch, which is imported where a network is needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metamf.checkpoints.info import CheckpointError, CheckpointInfo, read_header, read_info
from metamf.ratings.matrix import Ratings

if TYPE_CHECKING:
    import torch

    from metamf.baselines.method import Fitted
    from metamf.checkpoints.files import Checkpoint
    from metamf.network.tables.network import TableNetwork
    from metamf.ratings.units import Standardize

_INSTALLED = Path(__file__).resolve().parents[1] / "pretrained"  # inside the package, in a wheel
PRETRAINED = _INSTALLED if _INSTALLED.is_dir() else _INSTALLED.parents[1] / "pretrained"
# <method>-<data>.safetensors, by ``python -m benchmarks.paper.bundle``
BASELINES_FOLDER = PRETRAINED / "baselines"
# by ``python -m metamf.recipes.tables``
TABLE_NETWORK = PRETRAINED / "members" / "tables.safetensors"
WORLDS = {  # what a bundled checkpoint was trained on, in the words of its title
    "film-nights": "film nights",
    "film-nights-every-step": "film nights, for every step",
    "ml-1m": "films",
    "ml-100k": "fewer films",
    "jester": "jokes",
    "jester-chosen": "jokes that people chose",
    "ml-1m-nmf": "films, without minus signs",
    "ml-1m-genres": "films and their genres",
    "ml-100k-genres": "fewer films and their genres",
}

# one thread loads a file, the others wait for it instead of loading it, too
_loading = threading.Lock()


def list_pretrained() -> list[str]:
    """The names of the bundled checkpoints."""
    return sorted(path.stem for path in PRETRAINED.glob("*.safetensors"))


def usual_checkpoints() -> list[str]:
    """The bundled checkpoints that read ratings alone, and take the paper's steps or exact
    sweeps."""
    return [name for name in list_pretrained() if describe(name).is_usual]


def find_checkpoint(name: str | Path) -> Path:
    """The file of a bundled checkpoint, by name, or the file at a path; the FileNotFoundError for
    neither lists the names."""
    if name in list_pretrained():
        return PRETRAINED / f"{name}.safetensors"
    if Path(name).is_file():
        return Path(name)
    raise FileNotFoundError(
        f"there is no checkpoint {str(name)!r}: give the path of a safetensors file, or one of "
        "the names "
        f"{', '.join(list_pretrained())}"
    )


def describe(name: str | Path) -> CheckpointInfo:
    """The description of a checkpoint, by name or by path; reads the header alone, once per version
    of the file.

    FileNotFoundError if there is no such checkpoint, CheckpointError if the header does not
    describe one of this package.
    """
    return _describe(*_version(name))


def open_checkpoint(
    name: str | Path, device: str | torch.device = "cpu", dtype: torch.dtype | None = None
) -> Checkpoint:
    """A checkpoint's network and description; the same objects for the same version of a file, so
    do not change them.

    ``name`` is a bundled checkpoint's, or the path of a safetensors file; the precision is by
    default that of the file (single). FileNotFoundError if there is no such checkpoint,
    CheckpointError if the file cannot be used as one.
    """
    with _loading:
        return _open(*_version(name), str(device), dtype)


def checkpoint_title(name: str) -> str:
    """'Trained on films' for 'ml-1m', 'Universal' for 'universal'; else the file's name."""
    if name in WORLDS:
        return f"Trained on {WORLDS[name]}"
    return "Universal" if name == "universal" else Path(name).name.removesuffix(".safetensors")


def in_sentence(name: str) -> str:
    """A checkpoint inside a sentence: 'the model trained on films', 'Universal'."""
    return f"the model trained on {WORLDS[name]}" if name in WORLDS else checkpoint_title(name)


def _version(name: str | Path) -> tuple[Path, int, int]:
    """A checkpoint's file with its time stamp and size, which tell a new version of it from an old
    one."""
    path = find_checkpoint(name)
    status = path.stat()
    return path.absolute(), status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _describe(path: Path, modified: int, size: int) -> CheckpointInfo:
    return read_info(path, read_header(path))


@lru_cache(maxsize=8)
def _open(
    path: Path, modified: int, size: int, device: str, dtype: torch.dtype | None
) -> Checkpoint:
    from metamf.checkpoints.files import load_checkpoint

    found = load_checkpoint(path)
    found.network.to(device, dtype)
    return found


def one_unit(checkpoint: str, ratings: Ratings) -> Standardize:
    """The value of the imputer's ``standardize`` by which all cells of a matrix share one unit, so
    that U V^T equals the ratings up to one shift and one factor."""
    return "matrix" if open_checkpoint(checkpoint).units(ratings).gives_way else "auto"


def table_network() -> TableNetwork:
    """The network that fills in tables whose columns have units of their own; the same object, so
    do not change it."""
    with _loading:
        return _table_network()


@lru_cache(maxsize=1)
def _table_network() -> TableNetwork:
    from metamf.network.tables.network import TableNetwork, TableNetworkConfig

    network = _module(
        TABLE_NETWORK, lambda header: TableNetwork(TableNetworkConfig(**header["config"]))
    )
    return network.float().eval()


def _module(path: Path, build: Callable[[dict[str, Any]], Any]) -> Any:
    """The module that ``build`` makes of a file's header, with the file's parameters; RuntimeError
    if these do not fit it."""
    import torch

    from metamf.checkpoints.files import read_safetensors

    tensors, header = read_safetensors(path)
    # drawing parameters only to replace them would move torch's random state
    with torch.device("meta"):
        module = build(header)
    module.load_state_dict(tensors, assign=True)
    return module.requires_grad_(False)


def data_set_for(
    method: str, near: str | None = None, among: Collection[str] | None = None
) -> str | None:
    """The data set whose bundled parameters the baseline ``method`` uses: ``near`` if there are
    such parameters, else ML-1M, else the first; restricted to ``among`` if given. None if there is
    no such data set."""
    source = _source(method)
    paths = BASELINES_FOLDER.glob(f"{source}-*.safetensors")
    names = sorted(path.stem.removeprefix(f"{source}-") for path in paths)
    if among is not None:
        names = [name for name in names if name in among]
    return next((name for name in (near, "ml-1m", *names) if name in names), None)


def trained_predictor(method: str, data: str, given: Ratings) -> Fitted:
    """Adapts the baseline ``method``, as meta-trained on ``data``, to the observed ratings of one
    matrix.

    The ratings are read in the units of the bundled checkpoint of ``data``, and the result is that
    of ``metamf.baselines.method.predictor``. FileNotFoundError or CheckpointError if the parameters
    or the checkpoint do not exist or cannot be used.
    """
    from metamf.baselines.method import predictor
    from metamf.ratings.units import unit_rule

    info = describe(data)
    rule = unit_rule(given, info.standardization, info.scale)
    return predictor(load_trained(method, data), given, rule.of(given))


def load_trained(method: str, data: str) -> torch.nn.Module:
    """The baseline ``method`` with the parameters meta-trained on ``data``, in evaluation mode;
    shared, so do not change it. FileNotFoundError if there are none, CheckpointError if the file
    holds something else."""
    path = BASELINES_FOLDER / f"{_source(method)}-{data}.safetensors"
    with _loading:
        return _load_trained(method, path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=16)
def _load_trained(method: str, path: Path, modified: int) -> torch.nn.Module:
    from metamf.baselines import METHODS

    spec = METHODS[method]
    try:
        return _module(path, lambda header: spec.build())
    except RuntimeError as error:
        raise CheckpointError(
            f"{path} does not hold the parameters of {spec.label} ({error})"
        ) from error


def _source(method: str) -> str:
    """The baseline whose parameters ``method`` uses."""
    from metamf.baselines import METHODS

    return METHODS[method].parameters_of or method
