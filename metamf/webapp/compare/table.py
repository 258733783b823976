"""The table of methods: their errors, their gains over the mean, and which of them may be the best one."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import streamlit as st

from metamf.evaluate.comparison import Contender
from metamf.evaluate.significance import lead
from metamf.ratings.matrix import Ratings
from metamf.wording import with_minus

BEST, MAY_BE_BEST = "best", "may be best"
_STYLE = Path(__file__).with_name("style.css")


def style() -> None:
    """Applies the style sheet of this page."""
    st.html(_STYLE)


def marks(found: Sequence[Contender], cells: Ratings) -> list[str]:
    """A mark for each method: BEST for the first one if its lead over every other is beyond chance; otherwise
    MAY_BE_BEST for it and for all that chance alone may have put behind it; '' for the others.

    Parameters
    ----------
    found : sequence of Contender
        The methods, the smallest error first.
    cells : Ratings
        The hidden cells.
    """
    first, *others = found
    behind = [lead(first.squares, other.squares, cells, of=max(len(others), 1)).ahead for other in others]
    if all(behind):
        return [BEST, *("" for _ in others)]
    return [MAY_BE_BEST, *("" if is_behind else MAY_BE_BEST for is_behind in behind)]


def draw(found: Sequence[Contender], cells: Ratings, mean_rmse: float) -> None:
    """Draws the table; ``mean_rmse``: the error of always guessing the mean, in rating units."""
    gains = [1 - method.rmse / mean_rmse if mean_rmse > 0 else 0.0 for method in found]
    low, high = min(0.0, *gains), max(0.0, *gains)
    length = high - low or 1.0
    rows = ""
    for method, gain, mark in zip(found, gains, marks(found, cells)):
        tag = f'<span class="tag{"" if mark == BEST else " open"}">{mark}</span>' if mark else ""
        left, width = 100 * (min(gain, 0.0) - low) / length, 100 * abs(gain) / length
        side = "less" if gain < 0 else "more"
        bar = f'<span class="gain {side}" style="left:{left:.1f}%;width:{width:.1f}%"></span>'
        zero = f'<span class="zero" style="left:{100 * -low / length:.1f}%"></span>'
        rows += (
            f'<tr class="{"best" if mark == BEST else ""}"><th scope="row">{escape(method.name)}{tag}</th>'
            f'<td class="n">{method.rmse:.3f}</td><td class="n">{method.mae:.3f}</td>'
            f'<td class="n">{with_minus(f"{100 * gain:+.0f}")}&nbsp;%</td>'
            f'<td class="gains" aria-hidden="true"><span class="line">{bar}{zero}</span></td>'
            f'<td class="words">{escape(method.description)}</td></tr>'
        )
    names = (
        '<th scope="col">Method</th><th scope="col" class="n">RMSE</th><th scope="col" class="n">MAE</th>'
        '<th scope="col" class="n">Gain over the mean</th><td class="gains head"></td>'
        '<th scope="col" class="words">What it does</th>'
    )
    st.html(
        '<table class="mf-table mf-methods"><caption>Errors on the hidden ratings, the smallest first. RMSE: the '
        "root of the mean squared error; MAE: the mean absolute error.</caption>"
        f"<thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>"
    )
