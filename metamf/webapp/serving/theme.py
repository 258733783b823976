"""The theme, which Streamlit puts together anew for every run of a page, from hundreds of options, and never changes.

That is a seventh of what a run without computing costs. Here each section is put together once and copied.
"""

from __future__ import annotations

from functools import wraps
from types import ModuleType

from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session


def keep(module: ModuleType = app_session) -> None:
    """Has Streamlit keep the sections of the theme until the configuration is read anew; later calls do nothing."""
    put_together = module._populate_theme_msg
    if hasattr(put_together, "__wrapped__"):
        return
    kept: dict[str, tuple[object, CustomThemeConfig]] = {}  # section -> options that were read, and what they say

    @wraps(put_together)
    def copy(message: CustomThemeConfig, section: str = "theme") -> None:
        options = config.get_config_options()  # another dictionary once it is read anew
        read, found = kept.get(section, (None, None))
        if found is None or read is not options:
            found = CustomThemeConfig()
            put_together(found, section)
            kept[section] = options, found
        message.MergeFrom(found)

    module._populate_theme_msg = copy
