"""What is computed once in a session."""

import pytest
from opened import no_data_sets  # noqa: F401  a fixture
from streamlit.testing.v1 import AppTest


def script():
    import streamlit as st

    from metamf.webapp import caches

    asked = st.session_state.asked
    result = st.session_state.result
    for number in (2, 3, 2):
        caches.once("result", number, lambda number=number: asked.append(number) or result)
    if st.session_state.get("forgets"):
        caches.forget_all()


@pytest.mark.parametrize("result", ["one", None])
def test_a_result_is_computed_once_until_it_is_forgotten(result):
    at = AppTest.from_function(script)
    at.session_state.asked = []
    at.session_state.result = result
    at.run().run()
    assert at.session_state.asked == [2, 3]
    at.session_state.forgets = True
    at.run().run()
    assert at.session_state.asked == [2, 3, 2, 3]
