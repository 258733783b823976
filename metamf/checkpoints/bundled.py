"""The bundled checkpoints and meta-trained baselines by name; any checkpoint described by its header, or opened once.

Names and descriptions do without torch, which is imported where a network is needed.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from metamf.checkpoints.info import CheckpointError, CheckpointInfo, read_header, read_info
from metamf.ratings.matrix import Ratings

if TYPE_CHECKING:
    import torch

    from metamf.baselines.method import Fitted
    from metamf.checkpoints.files import Checkpoint
    from metamf.network.tables.network import TableNetwork

_INSTALLED = Path(__file__).resolve().parents[1] / "pretrained"  # inside the package, in a wheel
PRETRAINED = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).resolve().parents[2] / "pretrained"
BASELINES_FOLDER = PRETRAINED / "baselines"  # <method>-<data>.safetensors, by ``python -m benchmarks.paper.bundle``
TABLE_NETWORK = PRETRAINED / "members" / "tables.safetensors"  # by ``python -m metamf.recipes.tables``
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

_loading = threading.Lock()  # one thread loads a file, the others wait for it instead of loading it, too


def list_pretrained() -> list[str]:
    """The names of the bundled checkpoints."""
    return sorted(path.stem for path in PRETRAINED.glob("*.safetensors"))


def usual_checkpoints() -> list[str]:
    """The bundled checkpoints that read ratings alone, and take the paper's steps or exact sweeps."""
    return [name for name in list_pretrained() if describe(name).is_usual]


def find_checkpoint(name: str | Path) -> Path:
    """The file of a bundled checkpoint, by name, or the file at a path; the FileNotFoundError for neither lists the
    names."""
    if name in list_pretrained():
        return PRETRAINED / f"{name}.safetensors"
    if Path(name).is_file():
        return Path(name)
    raise FileNotFoundError(
        f"there is no checkpoint {str(name)!r}: give the path of a safetensors file, or one of the names "
        f"{', '.join(list_pretrained())}"
    )


def describe(name: str | Path) -> CheckpointInfo:
    """The description of a checkpoint, by name or by path; reads the header alone, once per version of the file.

    FileNotFoundError if there is no such checkpoint, CheckpointError if the header does not describe one of this
    package.
    """
    return _describe(*_version(name))


def open_checkpoint(
    name: str | Path, device: str | torch.device = "cpu", dtype: torch.dtype | None = None
) -> Checkpoint:
    """A checkpoint's network and description; the same objects for the same version of a file, so do not change them.

    ``name`` is a bundled checkpoint's, or the path of a safetensors file; the precision is by default that of the file
    (single). FileNotFoundError if there is no such checkpoint, CheckpointError if the file cannot be used as one.
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
    """A checkpoint's file with its time stamp and size, which tell a new version of it from an old one."""
    path = find_checkpoint(name)
    status = path.stat()
    return path.absolute(), status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _describe(path: Path, modified: int, size: int) -> CheckpointInfo:
    return read_info(path, read_header(path))


@lru_cache(maxsize=8)
def _open(path: Path, modified: int, size: int, device: str, dtype: torch.dtype | None) -> Checkpoint:
    from metamf.checkpoints.files import load_checkpoint

    found = load_checkpoint(path)
    found.network.to(device, dtype)
    return found


def table_network() -> TableNetwork:
    """The network that fills in tables whose columns have units of their own; the same object, so do not change it."""
    with _loading:
        return _table_network()


@lru_cache(maxsize=1)
def _table_network() -> TableNetwork:
    import torch

    from metamf.checkpoints.files import read_safetensors
    from metamf.network.tables.network import TableNetwork, TableNetworkConfig

    tensors, header = read_safetensors(TABLE_NETWORK)
    with torch.device("meta"):  # drawing parameters only to replace them would move torch's random state
        network = TableNetwork(TableNetworkConfig(**header["config"]))
    network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()}, assign=True)
    return network.eval().requires_grad_(False)


def data_sets_with_parameters(method: str) -> list[str]:
    """Names of the data sets with bundled parameters of the baseline ``method``."""
    paths = BASELINES_FOLDER.glob(f"{_source(method)}-*.safetensors")
    return sorted(path.stem.removeprefix(f"{_source(method)}-") for path in paths)


def data_set_for(method: str, near: str | None = None, among: Collection[str] | None = None) -> str | None:
    """The data set whose bundled parameters the baseline ``method`` uses: ``near`` if there are such parameters, else
    ML-1M, else the first; restricted to ``among`` if given. None if there is no such data set."""
    names = data_sets_with_parameters(method)
    wanted = (near, "ml-1m", *names)
    return next((name for name in wanted if name in names and (among is None or name in among)), None)


def trained_predictor(method: str, data: str, given: Ratings) -> Fitted:
    """Adapts the baseline ``method``, as meta-trained on ``data``, to the observed ratings of one matrix.

    The ratings are read in the units of the bundled checkpoint of ``data``, and the result is that of
    ``metamf.baselines.method.predictor``. FileNotFoundError or CheckpointError if the parameters or the checkpoint do
    not exist or cannot be used.
    """
    from metamf.baselines.method import predictor
    from metamf.ratings.units import unit_rule

    info = describe(data)
    return predictor(load_trained(method, data), given, unit_rule(given, info.standardization, info.scale).of(given))


def load_trained(method: str, data: str) -> torch.nn.Module:
    """The baseline ``method`` with the parameters meta-trained on ``data``, in evaluation mode; shared, so do not
    change it. FileNotFoundError if there are none, CheckpointError if the file holds something else."""
    path = BASELINES_FOLDER / f"{_source(method)}-{data}.safetensors"
    with _loading:
        return _load_trained(method, path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=16)
def _load_trained(method: str, path: Path, modified: int) -> torch.nn.Module:
    import torch

    from metamf.baselines import METHODS
    from metamf.checkpoints.files import read_safetensors

    spec = METHODS[method]
    tensors, _ = read_safetensors(path)
    with torch.device("meta"):  # drawing parameters only to replace them would move torch's random state
        module = spec.build()
    try:
        module.load_state_dict(tensors, assign=True)
    except RuntimeError as error:
        raise CheckpointError(f"{path} does not hold the parameters of {spec.label} ({error})") from error
    return module.requires_grad_(False)


def _source(method: str) -> str:
    """The baseline whose parameters ``method`` uses."""
    from metamf.baselines import METHODS

    return METHODS[method].parameters_of or method
