"""The page Fill in: what stands on it at first."""

from opened import charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture


def test_the_first_page_opens_with_a_result_and_plays():
    at = healthy(opened())
    assert len(charts(at)) == 3
    assert all(chart.proto.alt for chart in charts(at))
    assert "56 of 280 cells" in text(at) and "RMSE on hidden cells" in text(at)
    assert at.slider(key="t").value == 0 and at.session_state.playback.playing
    kinds = [element.type for element in at.main]
    sentence = next(i for i, element in enumerate(at.main) if "56 of 280 cells" in str(element.proto))
    assert sentence < kinds.index("plotly_chart"), "the browser takes a second for the figures, and none for the words"
