"""How pages look: what is drawn around figures, and text from outside, which is never markup."""

import pytest

from metamf.webapp import look


def test_legends_name_their_ends():
    assert "<span>−10</span>" in look.rating_legend(-10, 10) and "<span>10</span>" in look.rating_legend(-10, 10)
    assert "given" in look.rating_legend(1, 5, dotted=True) and "given" not in look.rating_legend(1, 5)
    legend = look.signed_legend(2, "too <low>", "too high")
    assert "too &lt;low&gt; −2" in legend and "+2 too high" in legend


@pytest.mark.parametrize("draw", [look.title, look.panel])
def test_text_from_outside_is_never_markup(monkeypatch, draw):
    drawn = []
    monkeypatch.setattr(look.st, "html", drawn.append)
    draw("<b>name</b>", "<img src=x>")
    assert "<b>name" not in drawn[0] and "<img" not in drawn[0] and "&lt;img" in drawn[0]
