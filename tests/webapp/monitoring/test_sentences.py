"""Errors that visitors are told of in a sentence, and those that are faults of the program."""

import pytest

from metamf.checkpoints.header import CheckpointError
from metamf.webapp.monitoring.sentences import NO_MEMORY, UNREADABLE, sentence_on


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(CheckpointError("/srv/a is damaged"), UNREADABLE), (MemoryError(), NO_MEMORY), (KeyError("/srv/a"), None)],
)
def test_what_a_visitor_can_do_something_about_is_a_sentence(error, sentence):
    assert sentence_on(error) == sentence
