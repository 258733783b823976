"""Legends of maps: they name their ends and invent none."""

import pytest

from metamf.webapp import legends


def test_legends_name_their_ends():
    assert "<span>−10</span>" in legends.of_ratings(-10, 10) and "<span>10</span>" in legends.of_ratings(-10, 10)
    assert "given" in legends.of_ratings(1, 5, dotted=True) and "given" not in legends.of_ratings(1, 5)
    legend = legends.of_differences(2, "too <low>", "too high")
    assert "too &lt;low&gt; −2" in legend and "+2 too high" in legend


@pytest.mark.parametrize(
    "low, high, ends, said",
    [
        (4.0, 4.0, (1, 5), "It knows nothing here: every interval is the whole scale, 1 to 5."),
        (20.0, 20.0, (-10, 10), "every interval is the whole scale, −10 to 10."),
        (1.5, 1.5, (1, 5), "Every interval is 1.5 wide."),
        (4.0, 4.0, None, "Every interval is 4 wide."),
        (1.5, 3.25, (1, 5), "1.5 wide</span>"),
        (1.5, 4.0, (1, 5), "4 is the whole scale: there it knows nothing"),
    ],
)
def test_the_legend_of_widths_invents_no_end(low, high, ends, said):
    legend = legends.of_widths(low, high, ends)
    assert said in legend and ("gradient" in legend) == (low < high)
    assert "5 wide" not in legend or "1.5 wide" in legend or "3.25 wide" in legend
