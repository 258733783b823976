"""Texts that a spreadsheet would take for a formula: an apostrophe before them on the way out, off on the way in.

After the advice of OWASP on CSV injection: a text is dangerous if it begins (after white space) with = + - @, or with a
tab or a line end. To be undone exactly, the apostrophe is also put before texts that look as if they had one already:
``=a`` is written as ``'=a``, and ``'=a`` as ``''=a``. Reading takes one apostrophe off. Rating cells are not touched:
-3.5 stays a number.
"""

from __future__ import annotations

import re

_DANGEROUS = re.compile(r"'*(?:\s*[=+\-@]|[\t\r\n])")


def escape(text: str) -> str:
    """``text`` as a spreadsheet will show it, never run it."""
    return "'" + text if _DANGEROUS.match(text) else text


def unescape(text: str) -> str:
    """The text that ``escape`` made ``text`` of."""
    return text[1:] if text.startswith("'") and _DANGEROUS.match(text) else text


def label_in(text: str) -> str:
    """The name that a cell of a file holds: without white space around and without the apostrophe."""
    return unescape(text.strip()).strip()


def label_out(text: str) -> str:
    """The cell of an upload as an export repeats it: as it stood, but safe; ``label_in`` of both is the same."""
    return escape(label_in(text)) if _DANGEROUS.match(text) or _DANGEROUS.match(text.strip()) else text
