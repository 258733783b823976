"""Legends of curves draw what the figure draws."""

from urllib.parse import unquote

import plotly.graph_objects as go
import pytest

from metamf.webapp import legends


def test_the_legend_of_curves_draws_what_the_figure_draws():
    chart = go.Figure()
    chart.add_scatter(
        y=[1, 2], name="given <cells>", mode="lines", line={"color": "rgb(1, 2, 3)", "dash": "dash", "width": 9}
    )
    chart.add_scatter(y=[1, 2], name="the paper", mode="markers", marker={"symbol": "diamond-open", "color": "#123456"})
    chart.add_scatter(y=[1, 2], name="unnamed there", mode="lines", line={"color": "red"}, showlegend=False)
    legend = unquote(legends.of_curves(chart))
    assert "given &lt;cells&gt;" in legend and "unnamed there" not in legend
    assert 'stroke="rgb(1, 2, 3)" stroke-width="3" stroke-dasharray="7 4"' in legend
    assert 'fill="none" stroke="#123456"' in legend and legend.count("<svg") == 2


def test_one_curve_or_a_figure_without_a_legend_has_none():
    chart = go.Figure(go.Scatter(y=[1, 2], name="alone"))
    assert legends.of_curves(chart) == ""
    chart.add_scatter(y=[1, 2], name="another")
    assert legends.of_curves(chart) and not legends.of_curves(chart.update_layout(showlegend=False))


@pytest.mark.parametrize("symbol", ["circle", "diamond", "square", "triangle-up", "x", "diamond-open"])
@pytest.mark.parametrize("dash", [None, "solid", "dot", "dash", "longdash", "dashdot", "longdashdot"])
def test_every_symbol_and_dash_of_the_figures_has_a_sample(symbol, dash):
    chart = go.Figure([go.Scatter(y=[1], name=name, mode="lines+markers") for name in ("one", "two")])
    chart.update_traces(marker={"symbol": symbol, "color": "red"}, line={"dash": dash, "color": "red"})
    assert unquote(legends.of_curves(chart)).count("<path") == 4
