"""Texts of strangers that a page must not follow, and all that a page has sent to be read as Markdown or as HTML."""

import re
from html import escape

import pytest
import streamlit as st
from google.protobuf.message import Message
from streamlit.testing.v1 import local_script_runner

from metamf.webapp import look

TEXTS = (
    "![x](https://evil.example/p)",
    "[y](https://evil.example/q)",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '=HYPERLINK("http://evil.example")',
    "$x^2$",
    ":material/skull:",
    "`x`",
)
NAME = "![x](https:evil.example) [y](https:evil.example) <img src=x onerror=alert(1)> =1+1 $x^2$ `x`"  # of a file
LIVE_IN_HTML = ("<script>alert", "<img src=x")
LIVE_IN_MARKDOWN = (*LIVE_IN_HTML, "![x](", "[y](", "http://evil", "https://evil")
LIVE_IN_MARKDOWN += ("$x^2$", ":material/skull:", "`x`")
# fields of Streamlit's messages that no browser reads as Markdown or HTML
_PLAIN = re.compile(
    "id|key|form_id|query_param_key|element_hash|url|icon|content_icon|default|value|raw_values?|"
    "set_value|placeholder|accept_new_options|alt|columns|code_text|spec|config|json|mixed|"
    "component_name|editing_mode"
)
_PLAIN_OPTIONS = {"Selectbox", "MultiSelect"}  # a list of theirs shows its entries as they are


class Sent:
    """The texts that pages have sent since the last ``clear``, also those that stood there for a moment.

    ``live``: those of all texts that a browser would follow.
    """

    def __init__(self):
        self.markdown, self.html, self.live = [], [], []

    def clear(self):
        self.markdown.clear(), self.html.clear()

    def add(self, message):
        for field, value in message.ListFields():
            for one in [value] if isinstance(value, str | bytes | Message | int | float) else value:
                if isinstance(one, Message):
                    self.add(one)
                elif isinstance(one, str) and not self._is_plain(message, field.name):
                    self.say(one, message.DESCRIPTOR.name == "Html")

    def say(self, text, html=False):
        (self.html if html else self.markdown).append(text)
        if any(sign in text for sign in (LIVE_IN_HTML if html else LIVE_IN_MARKDOWN)):
            self.live.append(text)

    @staticmethod
    def _is_plain(message, name):
        return _PLAIN.fullmatch(name) or (
            name == "options" and message.DESCRIPTOR.name in _PLAIN_OPTIONS
        )

    def labels(self, text):
        """The texts read as Markdown in which a hostile text stands, escaped."""
        return [label for label in self.markdown if look.as_markdown(text) in label]

    def says(self, text):
        """Whether a hostile text stands in HTML, escaped."""
        return any(escape(text) in body or escape(text, quote=False) in body for body in self.html)


@pytest.fixture
def sent(monkeypatch):
    """What pages opened by AppTest send from now on."""
    found, parse, spinner = Sent(), local_script_runner.parse_tree_from_messages, st.spinner

    def recorded(messages):
        for message in messages:
            found.add(message.delta)
        return parse(messages)

    def spun(text="In progress...", **about):  # which a browser is told of after half a second only
        found.say(text)
        return spinner(text, **about)

    monkeypatch.setattr(local_script_runner, "parse_tree_from_messages", recorded)
    monkeypatch.setattr(st, "spinner", spun)
    return found
