"""Texts that a spreadsheet would take for a formula: writing puts an apostrophe before them, reading takes it off.

By OWASP's advice on CSV injection, a text is dangerous if it begins (after white space) with = + - @, also in the full
width of East Asian writing, or with a tab or a line end. So that this can be undone exactly, texts that look as if they
had an apostrophe already get one more: ``=a`` is written as ``'=a``, and ``'=a`` as ``''=a``. Ratings are not touched:
-3.5 stays a number.
"""

from __future__ import annotations

import re

_FIRST = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
_DANGEROUS = re.compile(rf"'*(?:\s*{_FIRST}|[\t\r\n])")
_BETWEEN = re.compile(r'[,;\t|\s"]++')  # the whole of what stands between two cells of a comment: each sign is met once
_DELIMITER = re.compile(r"[,;\t|]")
_RUN = re.compile(_FIRST)
# Dashes alone, or a number, up to the next delimiter. Nothing here is tried in two ways, so that no line takes long.
_HARMLESS = re.compile(r'(?:-++|[+\-]\d[\d.]*+(?:[eE][+\-]?\d++)?+)(?:[^\S\t]|")*+(?:[,;\t|]|$)')


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

    def safe(between: re.Match[str]) -> str:
        runs = _DELIMITER.search(between[0]) and _RUN.match(line, between.end())
        return f"{between[0]}'" if runs and not _HARMLESS.match(line, between.end()) else between[0]

    return _BETWEEN.sub(safe, line)
