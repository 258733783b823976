"""The terms of the field with their meanings, read from glossary.toml, and the forms in which
sentences use them.

``metamf.webapp.look`` explains each term where it first appears on a page.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple


class Term(NamedTuple):
    """A term of the field; ``forms``: others than its headword ``name``, apart from the plural with
    s."""

    key: str
    name: str
    meaning: str
    forms: tuple[str, ...] = ()


def _folded(form: str) -> str:
    """A form in lower case, unless all of its letters are capitals: only abbreviations are
    case-sensitive."""
    return form if form.isupper() else form.lower()


_ENTRIES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
TERMS = tuple(Term(key, **entry) for key, entry in _ENTRIES.items())
BY_KEY = {term.key: term for term in TERMS}
KEY_OF_FORM = {_folded(f"{form}s"): term.key for term in TERMS for form in (term.name, *term.forms)}
KEY_OF_FORM |= {_folded(form): term.key for term in TERMS for form in (term.name, *term.forms)}
_WORDS = [
    re.escape(form) if form.isupper() or not form.isascii() else f"(?i:{re.escape(form)})"
    for form in sorted(KEY_OF_FORM, key=lambda form: (-len(form), form))
]
ANY_FORM = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_WORDS)})(?![\w-])"
)  # as a whole word, long forms first
