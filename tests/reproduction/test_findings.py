"""The sentences under the paper's tables and figures."""

import pandas as pd
import pytest
from paper_rows import row, table

from metamf.reproduction import findings
from metamf.reproduction import numbers as paper
from metamf.reproduction.numbers import Measure


def made_up(difference):
    """MetaMF, and a method whose error differs by ``difference`` on each of four splits."""
    return table(
        *(row("ours", s, 0.8, preset="tuned") for s in range(4)),
        *(row("als", s, 0.8 + difference + 0.001 * s) for s in range(4)),
    )


def test_the_sentence_says_who_wins():
    untold = "; EML, FT and MAML are not measured with this preset."
    assert findings.winners(made_up(0.1), Measure()) == (
        "On Jester MetaMF has the smallest error of 2 methods, significantly below all others that are measured"
        + untold
    )
    assert findings.winners(made_up(-0.1), Measure()) == "On Jester MetaMF is beaten by ALS (significantly)" + untold
    others = table(*(row(m, s, 0.9 + 0.001 * s, preset="tuned") for m in ("eml", "ft", "maml") for s in range(4)))
    whole = findings.winners(pd.concat([made_up(0.1), others]), Measure())
    assert whole == "On Jester MetaMF has the smallest error of 5 methods, significantly below all others."
    undecided = made_up(0.1)
    undecided.loc[undecided.method == "als", "query_mse"] = [0.7, 0.95, 0.75, 0.9]
    assert "not told apart from ALS" in findings.winners(undecided, Measure())
    assert findings.winners(made_up(0.1).query("method == 'als'"), Measure()) == findings.NOT_MEASURED
    once = pd.concat([made_up(0.1), table(row("mf", 0, 0.9), row("knn", 0, 0.7))])
    assert findings.winners(once, Measure()) == (
        "On Jester MetaMF is beaten by KNNImputer (on one split), significantly below 1 of the 3 others; 1 is measured "
        "on one split, too few for a test" + untold
    )


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ((0.75, 0.87, 0.84), "rises from 10 × 10 to 30 × 30 and falls from there to 60 × 60"),
        ((0.9, 0.8, 0.85), "falls from 10 × 10 to 30 × 30 and rises from there to 60 × 60"),
        ((0.9, 0.8, 0.7), "falls from 10 × 10 to 60 × 60"),
        ((0.7, 0.8, 0.9), "rises from 10 × 10 to 60 × 60"),
    ],
)
def test_the_sentence_follows_a_curve_to_its_turn(errors, said):
    assert findings.trend(pd.Series(errors, index=[10, 30, 60])) == said


def test_the_sentence_says_whether_the_papers_number_is_reached():
    def reached(error):
        rows = table(row("ours", 0, error, preset="tuned"))
        return findings.reached(paper.with_printed(rows, Measure(), "Table 1"))

    assert "within two of the paper's standard errors of its number, or better, on Jester" in reached(0.82)
    assert "misses the paper's number by more than two of its standard errors on Jester" in reached(0.85)


def test_sentences_follow_the_rows():
    steps = pd.DataFrame({"data": "jester", "steps": [0, 10, 50], "mean": [1.0, 0.8, 0.88]})
    text = findings.steps(steps).replace("\N{NO-BREAK SPACE}", " ")
    assert "take 20.0 % off the error of the prior alone. It is smallest after 10 steps" in text
    assert "after 50 it lies 10.0 % above that" in text
    ranks = pd.DataFrame({"data": "jester", "method": "ours", "setting": ["K=8", "K=16"], "mean": [1.1, 1.0]})
    level = ranks.assign(mean=ranks["mean"].min())
    assert "the error is the same with any of these numbers of factors, to 0.1" in findings.spread(level, "factors")
    assert "smallest with 16 factors and at most 10.0" in findings.spread(ranks, "factors")
    wide = pd.concat([ranks.assign(method="autorec_i"), ranks.assign(method="autorec_u", mean=[1.0, 1.1])])
    assert findings.spread(wide, "units").replace("\N{NO-BREAK SPACE}", " ") == (
        "The error is smallest with 8 units of AutoRecU on Jester; with 16 units of AutoRecI on Jester. Another number "
        "costs at most 10.0 %."
    )
    trained = [f"trained={name}" for name in ("jester", "ml-1m+jester")]
    combinations = pd.DataFrame({"data": "jester", "setting": trained, "mean": [1.0, 0.9]})
    assert "MovieLens 1M and Jester is best, 10.0\N{NO-BREAK SPACE}% better" in findings.transfer(combinations)
    combinations["mean"] = [1.0, 0.9998]
    assert "no choice is better" in findings.transfer(combinations)
    combinations["mean"] = [1.0, 1.1]
    assert "no choice is better than the data set itself, and MovieLens 1M and Jester is worst, 10.0" in (
        findings.transfer(combinations)
    )
    sizes = pd.DataFrame(
        {"data": "jester", "method": ["ours", "ours", "eml"], "x": [10, 20, 20], "mean": [1, 0.9, 0.8]}
    )
    assert "falls from 10 × 10 to 20 × 20, and MetaMF is lowest at 1 of 2 sizes" in findings.sizes(sizes)


def test_differences_are_signed():
    assert [findings.signed(value) for value in (1.26, -0.44, -0.01, float("nan"))] == ["+1.3", "−0.4", "+0.0", ""]


def test_the_claim_is_one_sentence_with_the_lead_over_the_best_method_that_sees_one_matrix_alone():
    said = findings.claim(made_up(0.1), Measure()).replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith(
        "MetaMF has the smallest error on Jester; its lead over the best method that sees one matrix"
    )
    assert "alone, ALS, is " in said and said.endswith(" % on Jester.") and " ± " in said
    assert findings.claim(made_up(-0.1), Measure()).startswith("MetaMF is beaten by ALS on Jester; its lead over")
    assert findings.claim(made_up(0.1)[:0], Measure()) == findings.NOT_MEASURED


def test_the_claim_of_the_committed_results_holds_on_all_data_sets():
    said = findings.claim(paper.measured("table1"), Measure()).replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith("MetaMF has the smallest error on all three data sets; ") and said.count(" ± ") == 3
