"""The state of the pages on one matrix, read from the URL."""

from opened import healthy, no_data_sets, opened  # noqa: F401  a fixture

from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp.matrix.state import AppState


def test_the_state_comes_from_the_url_and_nonsense_in_it_is_ignored():
    at = healthy(
        opened(data="Jokes", keep=30, seed=7, by="popular columns", steps=5, t=2, model=checkpoint_title("jester"))
    )
    state = AppState.read(at.session_state.to_dict())
    assert state == AppState("Jokes", 1, 30, "popular columns", 7, "jester", steps=5)
    at = healthy(opened(data="No such data", keep="many", model="../etc/passwd", steps=99999, t=-1, seed="x"))
    assert AppState.read(at.session_state.to_dict()) == AppState()
