"""Figures from plain arrays: what is drawn, on which scale, with which names. No Streamlit, no model."""

import json

import numpy as np
import pytest

from metamf.figures.maps import rating_map, signed_map
from metamf.figures.style import EMPTY, RATING_COLOURS
from metamf.figures.window import Axes

WEIGHTS = (0.2126, 0.7152, 0.0722)  # of red, green and blue in the luminance of WCAG


def heatmaps(figure):
    return [trace for trace in figure.data if trace.type == "heatmap"]


def values_of(figure):
    """The heatmap that carries the values, which is drawn above the empty cells."""
    return heatmaps(figure)[-1]


def numbers_on(figure, what="text"):
    (numbers,) = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "text"]
    values = numbers.text if what == "text" else numbers.textfont[what]
    return {(y, x): value for x, y, value in zip(numbers.x, numbers.y, values, strict=True)}


def dots_on(figure):
    return next((t for t in figure.data if t.type == "scatter" and t.mode == "markers"), None)


def test_the_colour_scale_is_the_callers_and_does_not_follow_the_values():
    for X in (np.array([[2.0, 2.5]]), np.array([[0.0, 9.0]])):
        trace = values_of(rating_map(X, 1, 5))
        assert (trace.zmin, trace.zmax) == (1, 5)
        trace = values_of(signed_map(X, 3))
        assert (trace.zmin, trace.zmax) == (-3, 3)


def test_a_signed_scale_of_width_zero_still_draws():
    trace = values_of(signed_map(np.zeros((2, 2)), 0.0))
    assert trace.zmin < 0 < trace.zmax


def test_zero_is_transparent_and_the_ends_are_not():
    stops = values_of(signed_map(np.ones((1, 1)), 1)).colorscale
    alphas = [float(colour.rstrip(")").split(",")[-1]) for _, colour in stops]
    assert alphas == [1, 0, 0, 1]


def test_equal_names_swallow_no_row_and_no_column():
    X = np.arange(12.0).reshape(3, 4)
    figure = rating_map(X, 0, 11, Axes(("Kim", "Kim", "Kim"), ("a", "a", "b", "b")))
    trace = values_of(figure)
    assert len(set(trace.y)) == 3 and len(set(trace.x)) == 4  # integer axes; names stand beside them
    np.testing.assert_array_equal(trace.z, X)
    assert list(figure.layout.yaxis.ticktext) == ["Kim 1", "Kim 2", "Kim 3"]
    assert list(figure.layout.xaxis.ticktext) == ["a 1", "a 2", "b 3", "b 4"]


def test_long_names_of_columns_are_never_cut_to_the_same_text():
    wines = tuple(f"Weißburgunder 20{10 + k} Spätlese trocken" for k in range(4))
    shown = rating_map(np.ones((1, 4)), 0, 2, Axes(None, wines)).layout.xaxis.ticktext
    assert len(set(shown)) == 4 and all(str(2010 + k) in name for k, name in enumerate(shown))


def test_the_first_row_is_on_top():
    low, high = rating_map(np.zeros((3, 2)), 0, 1).layout.yaxis.range
    assert low > high


def test_long_names_are_cut_beside_the_map_and_whole_under_the_pointer():
    name = "The extraordinarily long title of a film"
    figure = rating_map(np.ones((1, 1)), 0, 2, Axes((name,), (name,)))
    assert len(figure.layout.yaxis.ticktext[0]) <= 16 and figure.layout.yaxis.ticktext[0].endswith("…")
    assert name in values_of(figure).hovertext[0][0]


def test_margins_hold_the_names_and_do_not_depend_on_the_values():
    axes = Axes(("a name of 14 ..",), ("another name",))
    figures = [rating_map(np.full((1, 1), value), 0, 9, axes) for value in (np.nan, 1.25, 9.0)]
    assert len({figure.layout.margin.to_plotly_json().__repr__() for figure in figures}) == 1
    assert figures[0].layout.margin.l > rating_map(np.ones((1, 1)), 0, 9, Axes(("a",), ("b",))).layout.margin.l
    assert figures[0].layout.yaxis.automargin is False and figures[0].layout.xaxis.automargin is False
    wide, narrow = (
        rating_map(np.ones((1, 1)), 0, 9, Axes((name,))).layout.margin.l for name in ("映画館映画館", "cinema")
    )
    assert wide > narrow


def test_names_are_text_and_never_markup():
    axes = Axes(("<b>bold</b>",), ("<img src=x>",))
    figure = rating_map(np.ones((1, 1)), 0, 2, axes)
    drawn = [figure.layout.yaxis.ticktext[0], figure.layout.xaxis.ticktext[0], values_of(figure).hovertext[0][0]]
    assert not any("<b>bold" in text or "<img" in text for text in drawn)
    assert "&lt;b&gt;bold" in drawn[0]


def test_given_cells_carry_a_dot_and_bold_numbers():
    X = np.array([[1.0, 2.4], [3.0, 4.0]])
    given = np.array([[True, False], [False, True]])
    figure = rating_map(X, 1, 5, given=given)
    dots = dots_on(figure)
    assert {(round(y), round(x)) for x, y in zip(dots.x, dots.y)} == {(1, 1), (2, 2)}
    assert numbers_on(figure) == {(1, 1): "1", (1, 2): "2.4", (2, 1): "3", (2, 2): "4"}
    assert numbers_on(figure, "weight") == {(1, 1): 700, (1, 2): 400, (2, 1): 400, (2, 2): 700}
    assert dots_on(rating_map(X, 1, 5, given=np.zeros((2, 2), bool))) is None
    assert not [trace for trace in rating_map(X, 1, 5, numbers=False).data if trace.type == "scatter"]
    assert dots_on(signed_map(X, 5, given=given)) is not None


def test_numbers_are_readable_on_their_colour():
    """WCAG 2.2, 1.4.3: at least 4.5:1, on 101 colours between those of the scale."""

    def luminance(rgb):
        return sum(w * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for w, c in zip(WEIGHTS, rgb))

    ink = {}
    for first in range(0, 101, 10):  # at most 15 columns show numbers
        shares = np.arange(first, min(first + 10, 101)) / 100
        found = numbers_on(rating_map(1 + 4 * shares[None], 1, 5), "color")
        ink |= {share: found[1, k + 1] for k, share in enumerate(shares)}
    places = np.linspace(0, 1, len(RATING_COLOURS))
    stops = np.array([[int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)] for colour in RATING_COLOURS])
    for share, colour in ink.items():
        cell = luminance([np.interp(share, places, stops[:, k]) for k in range(3)])
        text = {"#ffffff": 1.0, "#000000": 0.0}[colour]
        assert (max(cell, text) + 0.05) / (min(cell, text) + 0.05) >= 4.5, share
    assert set(ink.values()) == {"#ffffff", "#000000"} and len(ink) == 101


def test_missing_cells_have_no_number_and_are_drawn_as_empty():
    figure = rating_map(np.array([[np.nan, 3.0]]), 1, 5)
    assert numbers_on(figure) == {(1, 2): "3"}
    empty, values = heatmaps(figure)
    assert empty.z.shape == values.z.shape and empty.colorscale[0][1] == EMPTY


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (300, 300)])
def test_any_size_draws_and_its_names_fit(shape):
    N, M = shape
    axes = Axes(tuple(f"row {i}" for i in range(N)), tuple(f"col {j}" for j in range(M)))
    figure = rating_map(np.full(shape, 2.0), 1, 5, axes, given=np.ones(shape, bool), height=430)
    layout = json.loads(figure.to_json())["layout"]
    assert len(layout["yaxis"]["ticktext"]) * 11 <= 430
    assert len(layout["xaxis"]["ticktext"]) <= 30
    assert values_of(figure).z.shape == shape
    assert len(figure.to_json()) < 700_000  # sent at every step


def test_a_large_map_names_positions_from_1_under_the_pointer():
    trace = values_of(rating_map(np.zeros((80, 80)), 0, 1, Axes(None, None, 200, 50)))
    assert trace.hovertext is None and "row %{y}" in trace.hovertemplate
    assert (trace.y[0], trace.x[0]) == (201, 51)


def test_a_row_without_a_name_has_its_number_in_the_whole_matrix_under_the_pointer():
    axes = Axes(("<Ada>", ""), None, top=10)
    [[first], [second]] = values_of(rating_map(np.ones((2, 1)), 0, 2, axes)).hovertext
    assert first.startswith("&lt;Ada&gt;<br>column 1<br>") and second.startswith("row 12<br>column 1<br>")
