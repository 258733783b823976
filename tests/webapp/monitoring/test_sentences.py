"""Errors that visitors are told of in a sentence, and those that are faults of the program."""

import pytest

from metamf.checkpoints.info import CheckpointError
from metamf.webapp.monitoring.sentences import NO_MEMORY, UNREADABLE, sentence_on


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (CheckpointError("/srv/a is damaged"), UNREADABLE),
        (MemoryError(), NO_MEMORY),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"), NO_MEMORY),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), None),
        (KeyError("/srv/a"), None),
    ],
)
def test_what_a_visitor_can_do_something_about_is_a_sentence(error, sentence):
    assert sentence_on(error) == sentence
