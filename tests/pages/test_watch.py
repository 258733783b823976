"""The page Watch: every step of the run reaches the browser, with what is needed to explain it."""

from opened import PAGES, charts, healthy, no_data_sets, opened, players, text  # noqa: F401  a fixture

from metamf.checkpoints.bundled import checkpoint_title


def test_watch_sends_prior_factors_and_the_numbers_of_every_step():
    for model, kind, T in (("ml-1m", "paper", 10), ("universal", "universal", 4)):
        at = healthy(opened(PAGES[1], model=checkpoint_title(model)))
        [player] = players(at)
        run = player["run"]
        assert player["asks"] == ["edit", "lean"] and player["scene"] == "watch" and run["model"]["kind"] == kind
        assert run["T"] == T and len(run["errors"]["given"]) == len(run["errors"]["hidden"]) == T + 1
        assert (run["pulls"] is None) == (kind == "universal")
        assert ("The formula of a sweep" in [box.label for box in at.expander]) == (kind == "universal")
        low = "make up 99.8 % of the sum of squares of U(10) V(10)ᵀ" in text(at).replace("\N{NO-BREAK SPACE}", " ")
        assert low == (kind == "paper")
        assert not charts(at)


def test_both_pages_show_the_same_run():
    at = healthy(opened())
    [fill_in] = players(at)
    [watch] = players(healthy(at.switch_page(PAGES[1]).run()))
    assert watch["run"] == fill_in["run"]
