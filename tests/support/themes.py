"""The two themes of the application in a browser."""

from playwright.sync_api import expect

PAPER = {"light": "rgb(253, 252, 249)", "dark": "rgb(18, 22, 28)"}  # of .streamlit/config.toml


def in_theme(page, scheme):
    """Turns a page to the theme ``scheme``, and waits for it."""
    page.emulate_media(color_scheme=scheme)
    expect(page.locator(".stApp")).to_have_css("background-color", PAPER[scheme])
