"""The page Results: docs/results.md without its comments and its links to other documents."""

from opened import healthy, opened


def test_the_page_shows_the_measured_tables_and_nothing_that_is_no_text():
    [document] = healthy(opened("pages/results.py")).markdown
    assert "| Ours | **0.875" in document.value
    assert "<!--" not in document.value and ".md)" not in document.value
