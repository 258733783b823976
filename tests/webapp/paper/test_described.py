"""Figures of the page Paper in words and numbers, measured or only printed by the paper."""

from metamf.figures.experiments import Bar, Curve
from metamf.webapp.paper.described import of_bars, of_curves

NONE = float("nan")


def test_bars_that_only_the_paper_has_are_said_as_the_paper_s():
    bars = [Bar("EML", NONE, NONE, 0.9, NONE), Bar("Mean", NONE, NONE, 1.1, NONE)]
    assert of_bars("Errors", bars) == "Errors, as the paper prints them: 2 bars, from EML, 0.90, to Mean, 1.10."
    assert of_bars("Errors", [*bars, Bar("FT", 0.8, 0.1, NONE, NONE)]).startswith("Errors: 1 bar, from FT, 0.80")


def test_a_table_of_curves_has_a_line_for_each_place_and_the_paper_s_numbers_where_it_prints_some():
    ours = Curve("MetaMF", [1, 8], [0.9, 0.8], [0.1, 0.1], [NONE, 0.81])
    alt, table = of_curves("Errors", "factors", [ours, Curve("EML", [8], [0.85], [0.1], [NONE])])
    assert alt == (
        "Errors: MetaMF from 0.90 at 1 to 0.80 at 8, smallest 0.80 at 8; "
        "EML from 0.85 at 8 to 0.85 at 8, smallest 0.85 at 8."
    )
    assert '<th scope="col">MetaMF, the paper</th>' in table and "EML, the paper" not in table
    assert '<th scope="row">1</th><td>0.900</td><td>–</td><td>–</td>' in table
    assert '<th scope="row">8</th><td>0.800</td><td>0.850</td><td>0.810</td>' in table
    missing = Curve("MetaMF", [1], [NONE], [NONE], [0.7])
    assert "MetaMF, the paper from 0.70 at 1" in of_curves("Errors", "factors", [missing])[0]
