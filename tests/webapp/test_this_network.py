"""This network and the paper's, in the app."""

from metamf.checkpoints.bundled import open_checkpoint
from metamf.checkpoints.paper_comparison import compared_with_paper
from metamf.webapp import this_network


def test_the_card_has_each_setting_with_the_papers_and_marks_what_differs():
    settings = compared_with_paper(*open_checkpoint("film-nights"))
    found = this_network.table(settings)
    assert "<td>≠ 4</td><td>32</td>" in found  # K
    assert "<td>10</td><td>10</td>" in found  # T
    differing = sum(setting.differs for setting in settings)
    assert "≠ 1.45" not in found  # λ, of which the paper prints no value
    said = this_network.sentence(settings)
    assert f"{differing} of the {len(settings) - 1} settings that the paper prints differ" in said
