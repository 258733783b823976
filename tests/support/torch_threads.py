"""A fixture: torch with another number of threads than the machine has."""

import pytest
import torch


@pytest.fixture
def three_threads():
    """torch's default is three threads, and is so afterwards, too."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    assert torch.get_num_threads() == 3
    torch.set_num_threads(before)
