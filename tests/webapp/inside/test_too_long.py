"""The example of a step that is too long, and the way back from it."""

import pytest
from opened import healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.webapp.matrix.choices import AppState

PAGE = "pages/inside.py"


def test_the_lesson_has_a_way_back_to_what_was_on_the_screen():
    at = healthy(opened(PAGE, keep=70, seed=3, data="Two tastes", model="MovieLens 100K", race_eta=3))
    healthy(at.button(key="too_long").click().run())
    state = AppState.read(at.session_state.to_dict())
    assert (state.data, state.model, state.keep, state.steps) == ("Full house", "ml-1m", AppState().keep, 10)
    assert "In step 1, η = 0.011 is" in text(at) and "leaves no numbers at all" in text(at)
    assert "With safe steps the error on the hidden cells goes to 0." in text(at)
    assert "of random numbers (3 starts on average): these ratings need no prior" in text(at)
    with pytest.raises(KeyError):
        at.button(key="too_long")
    healthy(at.button(key="too_long_back").click().run())
    state = AppState.read(at.session_state.to_dict())
    assert (state.data, state.model, state.keep, state.seed) == ("Two tastes", "ml-100k", 70, 3)
    assert at.select_slider(key="race_eta").value == 3 and at.button(key="too_long")
    with pytest.raises(KeyError):
        at.button(key="too_long_back")
