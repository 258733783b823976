"""What all pages share: the title of the browser's tab."""

import pytest
from opened import PAGES, healthy, no_data_sets, opened  # noqa: F401  a fixture

from metamf.webapp import frame


@pytest.mark.parametrize("page, title", [(PAGES[0], "Fill in – MetaMF"), (PAGES[1], "Watch – MetaMF")])
def test_the_tab_of_the_browser_has_the_pages_own_title(monkeypatch, page, title):
    titles = []
    real = frame.st.set_page_config
    monkeypatch.setattr(
        frame.st, "set_page_config", lambda **said: titles.append(said.get("page_title")) or real(**said)
    )
    healthy(opened(page))
    assert titles[-1] == title
