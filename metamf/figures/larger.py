"""A figure for a room: the same picture, taller and in larger type."""

from __future__ import annotations

import plotly.graph_objects as go

TYPE = 1.5  # of the usual size; 10 pixels become 15
HEIGHT = 1.3  # of the usual height
_USUAL = 12  # pixels: what Plotly takes where a figure says nothing


def larger(chart: go.Figure) -> go.Figure:
    """``chart`` as it is drawn for a room; ``chart`` itself stays as it is.

    Sizes of type and margins grow by ``TYPE``, the height by ``HEIGHT``; what is drawn stays the same.
    """
    found = go.Figure(chart)
    layout = found.layout
    margins = {side: TYPE * layout.margin[side] for side in "lrtb" if layout.margin[side] is not None}
    found.update_layout(font={"size": _grown(layout.font.size)}, margin=margins)
    found.update_layout(hoverlabel={"font": {"size": _grown(layout.hoverlabel.font.size)}})
    found.update_layout(legend={"font": {"size": _grown(layout.legend.font.size)}})
    if layout.height is not None:
        found.update_layout(height=HEIGHT * layout.height)
    for axis in (*found.select_xaxes(), *found.select_yaxes()):
        axis.tickfont.size = _grown(axis.tickfont.size)
    for note in found.select_annotations():
        note.font.size = _grown(note.font.size)
    for trace in found.data:
        font = getattr(trace, "textfont", None)
        if font is not None and font.size is not None:
            font.size = TYPE * font.size
    return found


def _grown(size: float | None) -> float:
    return TYPE * (_USUAL if size is None else size)
