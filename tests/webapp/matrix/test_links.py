"""Links to the pages on one matrix: old ones keep their meaning, and what cannot be followed is said."""

from opened import PAGES, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp.matrix.choices import AppState


def test_a_link_with_a_number_of_sweeps_opens_the_model_that_takes_sweeps():
    at = healthy(opened(sweeps=6))
    assert at.radio(key="model").value == "universal" and at.slider(key="sweeps").value == 6
    assert "This link uses settings" not in text(at)
    at = healthy(opened(sweeps=6, model="jester"))
    assert at.radio(key="model").value == "jester" and "This link uses settings" not in text(at)


def test_the_slider_stands_where_the_link_says():
    at = healthy(opened(keep=47))
    assert at.slider(key="keep").value == 47 and at.slider(key="keep").step == 1
    assert "53 of 280 cells" in text(at) and "This link uses settings" not in text(at)  # 47 % of 112 ratings


def test_what_falls_back_is_said_until_the_visitor_chooses():
    at = healthy(opened(PAGES[2], keep=1000, data="<b>none</b>", seed=-5))
    said = text(at)
    assert 'keep "1000"' in said and 'seed "-5"' in said and '"<b>none</b>"' in said
    assert AppState.read(at.session_state.to_dict()) == AppState()
    healthy(at.slider(key="keep").set_value(60).run())
    assert "This link uses settings" not in text(at)
    assert checkpoint_title(AppState().model) == "MovieLens 1M"
