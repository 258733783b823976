"""Texts that a spreadsheet would take for a formula: writing puts an apostrophe before them, reading takes it off.

By OWASP's advice on CSV injection, a text is dangerous if it begins (after white space) with = + - @, or with a tab or
a line end. So that this can be undone exactly, texts that look as if they had an apostrophe already get one more:
``=a`` is written as ``'=a``, and ``'=a`` as ``''=a``. Ratings are not touched: -3.5 stays a number.
"""

from __future__ import annotations

import re

_DANGEROUS = re.compile(r"'*(?:\s*[=+\-@]|[\t\r\n])")
_HARMLESS = r"(?:-+|[+\-]\d[\d.]*(?:[eE][+\-]?\d+)?)"  # dashes alone, a number
_IN_A_COMMENT = re.compile(rf'([,;\t|]\s*"*\s*)(?=[=+\-@])(?!{_HARMLESS}\s*"*\s*(?:[,;\t|]|$))')


def escape(text: str) -> str:
    """The text in a form that a spreadsheet shows and never runs."""
    return "'" + text if _DANGEROUS.match(text) else text


def unescape(text: str) -> str:
    """The text from which ``escape`` made ``text``."""
    return text[1:] if text.startswith("'") and _DANGEROUS.match(text) else text


def label_in(text: str) -> str:
    """The name in a cell of a file: without white space around it and without the apostrophe."""
    return unescape(text.strip()).strip()


def label_out(text: str) -> str:
    """The cell of a file as an export repeats it: as it stood, but safe; ``label_in`` gives the same name for both."""
    return escape(label_in(text)) if _DANGEROUS.match(text) or _DANGEROUS.match(text.strip()) else text


def comment_out(line: str) -> str:
    """The comment line of a file as an export repeats it: a spreadsheet, which knows no comments, cuts it into cells,
    and those that it would run get an apostrophe. It may cut at other signs than those of the table.
    """
    return _IN_A_COMMENT.sub(r"\1'", line)
