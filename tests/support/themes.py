"""The two themes of the application in a browser."""

PAPER = {"light": "rgb(253, 252, 249)", "dark": "rgb(18, 22, 28)"}  # of .streamlit/config.toml


def in_theme(page, scheme):
    """Turns a page to the theme ``scheme``, and waits for it, looking in every frame of the browser."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "paper => getComputedStyle(document.querySelector('.stApp')).backgroundColor === paper", arg=PAPER[scheme]
    )
