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


@pytest.mark.parametrize(
    "low, high, ends, said",
    [
        (4.0, 4.0, (1, 5), "It knows nothing here: every interval is the whole scale, 1 to 5."),
        (20.0, 20.0, (-10, 10), "every interval is the whole scale, −10 to 10."),
        (1.5, 1.5, (1, 5), "Every interval is 1.5 wide."),
        (4.0, 4.0, None, "Every interval is 4 wide."),
        (1.5, 3.25, (1, 5), "1.5 wide</span>"),
        (1.5, 4.0, (1, 5), "4 is the whole scale: there it knows nothing"),
    ],
)
def test_the_legend_of_widths_invents_no_end(low, high, ends, said):
    legend = look.width_legend(low, high, ends)
    assert said in legend and ("gradient" in legend) == (low < high)
    assert "5 wide" not in legend or "1.5 wide" in legend or "3.25 wide" in legend


MARKDOWN = [
    "![x](http://a.b)",
    ":red[x]",
    ":material/delete:",
    ":smile:",
    "$x$",
    "www.a.b",
    "a@b.c",
    "**x**",
    "<b>x</b>",
]


@pytest.mark.parametrize("name", MARKDOWN)
def test_nothing_that_markdown_reads_is_left_in_a_label(name):
    label = look.as_markdown(name)
    assert label.replace("\\", "").replace("\u2060", "") == name
    for sign in ("](", "![", ":red", ":material", ":smile", "www.a", "://", "@b", "**", "<b>"):
        assert sign not in label
    assert not label.startswith("$")
