"""Lecture mode: asked for in the address, and switched on every page."""

import pytest
from opened import healthy, no_data_sets, opened  # noqa: F401  a fixture

from metamf.webapp.look import LECTURE


@pytest.mark.parametrize(("asked", "on"), [("1", True), ("Yes", True), ("0", False), ("<b>", False)])
def test_it_is_on_where_the_address_says_so_and_then_has_a_style_sheet(asked, on):
    at = healthy(opened(lecture=asked))
    assert at.session_state[LECTURE] is on
    large = [e for e in at.get("html") if "font-size: clamp(18px" in e.proto.body]
    assert bool(large) == on
