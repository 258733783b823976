"""The terms of the field with their meanings, read from glossary.toml, and the forms in which sentences use them.

``metamf.webapp.look`` explains each term where it first appears on a page.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Term:
    """A term of the field.

    Attributes
    ----------
    key : identifier, also in the ids of page elements
    name : the headword
    meaning : one or two sentences
    forms : other forms in which it appears in sentences, apart from the plural with s
    """

    key: str
    name: str
    meaning: str
    forms: tuple[str, ...] = ()


def _read() -> tuple[Term, ...]:
    entries = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return tuple(
        Term(key, entry["name"], entry["meaning"], tuple(entry.get("forms", ()))) for key, entry in entries.items()
    )


TERMS = _read()
BY_KEY = {term.key: term for term in TERMS}


@cache
def key_of_form() -> dict[str, str]:
    """Returns the key of the term by each of its forms, in lower case unless all letters are capitals."""
    found: dict[str, str] = {}
    for term in TERMS:
        for form in (term.name, *term.forms):
            if _folded(form) in found:
                raise ValueError(f"{form!r} is a form of two terms, {found[_folded(form)]!r} and {term.key!r}")
            found[_folded(form)] = term.key
            found.setdefault(_folded(f"{form}s"), term.key)
    return found


@cache
def any_form() -> re.Pattern[str]:
    """Returns the pattern of any form as a whole word, long forms first. Only abbreviations are case-sensitive."""
    forms = {form for term in TERMS for name in (term.name, *term.forms) for form in (name, f"{name}s")}
    words = [
        re.escape(form) if form.isupper() or not form.isascii() else f"(?i:{re.escape(form)})"
        for form in sorted(forms, key=lambda form: (-len(form), form))
    ]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])")


def _folded(form: str) -> str:
    return form if form.isupper() else form.lower()
