"""The page Watch: prior, factors, products and the numbers of the step."""

import json

from opened import PAGES, charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.checkpoints.bundled import checkpoint_title

PAPER = "ml-1m"
MAP = checkpoint_title(PAPER)  # its name in the URL


def test_watch_shows_prior_factors_products_and_the_numbers_of_the_step():
    for model, said in (
        (MAP, ("Error per step", "Eq. (5) at t = 3", "since step 2", "× 32 factors")),
        (checkpoint_title("universal"), ("Error per sweep", "To reach t = 3", "since sweep 2", "no step size")),
    ):
        at = healthy(opened(PAGES[1], model=model))
        healthy(at.slider(key="t").set_value(3).run())
        for words_ in ("U(0)", "V(0)", "U(3)", "V(3)", "Residual", "Change", *said):
            assert words_ in text(at)
        assert len(charts(at)) == 9


def test_colours_stay_fixed_over_the_steps():
    at = healthy(opened(PAGES[1]))
    limits = []
    for t in (0, 2, 4):
        healthy(at.slider(key="t").set_value(t).run())
        specs = [json.loads(chart.proto.spec)["data"] for chart in charts(at)]
        limits.append([(trace["zmin"], trace["zmax"]) for spec in specs for trace in spec if "zmin" in trace])
    assert limits[0] == limits[1] == limits[2] and len(limits[0]) == 8
