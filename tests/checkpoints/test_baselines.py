"""The bundled baselines that were meta-trained."""

import pytest
import torch

from metamf.baselines import METHODS
from metamf.checkpoints import baselines as trained
from metamf.checkpoints.files import CheckpointError, read_safetensors, write_safetensors
from metamf.datasets import NAMES


def test_eml_is_there_for_every_data_set_and_ft_starts_from_it():
    assert trained.data_sets_with_parameters("eml") == trained.data_sets_with_parameters("ft") == sorted(NAMES)
    eml, ft = trained.load_trained("eml", "jester"), trained.load_trained("ft", "jester")
    assert not eml.training and not any(parameter.requires_grad for parameter in eml.parameters())
    assert all(torch.equal(a, b) for a, b in zip(eml.parameters(), ft.parameters()))


@pytest.mark.parametrize("path", sorted(trained.BASELINES_FOLDER.glob("*.safetensors")), ids=lambda path: path.stem)
def test_every_file_says_where_it_comes_from(path):
    header = read_safetensors(path)[1]
    assert path.stem == f"{header['method']}-{header['data']}" and header["split"] == 0 and header["preset"] == "tuned"
    assert (
        header["errors"]["ratio"] < 1 and f"{header['errors']['ratio']:.4f}" in (path.parent / "README.md").read_text()
    )
    trained.load_trained(header["method"], header["data"])


def test_what_is_missing_or_does_not_fit_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(trained, "BASELINES_FOLDER", tmp_path)
    assert trained.data_sets_with_parameters("maml") == []
    with pytest.raises(FileNotFoundError, match="maml-jester.safetensors"):
        trained.load_trained("maml", "jester")
    write_safetensors(tmp_path / "maml-jester.safetensors", METHODS["ours"].build().state_dict(), {})
    with pytest.raises(CheckpointError, match="does not hold the parameters of MAML"):
        trained.load_trained("maml", "jester")


@pytest.mark.parametrize("method", ["eml", "maml", "ft"])
def test_loading_leaves_torch_s_random_state_alone(method):
    trained._load.cache_clear()
    before = torch.get_rng_state()
    trained.load_trained(method, "ml-1m")
    assert torch.equal(torch.get_rng_state(), before)


def test_the_parameters_are_read_once():
    assert trained.load_trained("eml", "ml-1m") is trained.load_trained("eml", "ml-1m")
