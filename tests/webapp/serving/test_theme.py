"""The theme is the same as Streamlit's own, and put together once."""

from types import SimpleNamespace

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from metamf.webapp.serving import theme

SECTIONS = ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light.sidebar", "theme.dark.sidebar")


@pytest.fixture
def module():
    """Streamlit's function, which counts its calls."""
    own, calls = app_session._populate_theme_msg, []
    own = getattr(own, "__wrapped__", own)

    def put_together(message, section="theme"):
        calls.append(section)
        own(message, section)

    return SimpleNamespace(_populate_theme_msg=put_together, own=own, calls=calls)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_what_streamlit_makes_of_it_however_often_it_is_asked_for(module, section):
    theme.keep(module)
    theme.keep(module)
    first, again, own = CustomThemeConfig(), CustomThemeConfig(), CustomThemeConfig()
    module._populate_theme_msg(first, section)
    module._populate_theme_msg(again, section)
    module.own(own, section)
    assert first == again == own and module.calls == [section]


def test_the_project_has_a_theme(module):
    message = CustomThemeConfig()
    config.get_config_options()
    module.own(message, "theme.light")
    assert message.primary_color


def test_a_configuration_that_is_read_anew_counts(module, monkeypatch):
    theme.keep(module)
    module._populate_theme_msg(CustomThemeConfig())
    monkeypatch.setattr(config, "_config_options", dict(config.get_config_options()))
    module._populate_theme_msg(CustomThemeConfig())
    assert module.calls == ["theme", "theme"]
