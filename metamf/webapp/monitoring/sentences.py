"""Sentences for visitors on errors after which a page, or a part of one, cannot go on."""

from __future__ import annotations

from metamf.checkpoints.info import CheckpointError
from metamf.webapp.serving.workers_memory import is_short

UNREADABLE = "The model cannot be read on this server now: choose another one, or try again later."
NO_MEMORY = "This server has too little memory left for this: take a smaller table, or try again later."


def sentence_on(error: Exception) -> str | None:
    """Sentence for visitors on an error, without its message, which may name a folder of the server; None for an error
    of the program."""
    if isinstance(error, CheckpointError):  # damaged since it was offered
        return UNREADABLE
    return NO_MEMORY if is_short(error) else None
