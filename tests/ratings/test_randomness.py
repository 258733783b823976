import pytest
import torch

from metamf.ratings.randomness import own_random_state


@pytest.fixture(autouse=True)
def other_devices(monkeypatch):
    """A caller's generators on other devices, which nobody may seed."""
    monkeypatch.setattr(
        torch.cuda, "manual_seed_all", lambda seed: pytest.fail("all CUDA devices were seeded")
    )


def test_numbers_come_from_the_seed_and_the_callers_go_on_as_if_nothing_had_been():
    torch.default_generator.manual_seed(3)
    expected = torch.rand(2)
    torch.default_generator.manual_seed(3)
    with own_random_state(7):
        inside = torch.rand(2)
    assert torch.equal(torch.rand(2), expected)
    with own_random_state(7):
        assert torch.equal(torch.rand(2), inside)
