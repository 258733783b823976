"""Addresses by which phones come in."""

import base64
import re
from urllib.parse import unquote

import pytest

from metamf.webapp.rooms import address


@pytest.mark.parametrize("page", ["https://x.org/metamf/room", "https://x.org/metamf/room/?lecturer=SECRET#a"])
def test_the_students_link_has_the_code_and_nothing_of_the_lecturer_s_address(page):
    assert address.joining(page, "BKTMWXRD") == "https://x.org/metamf/room?room=BKTMWXRD"


def test_an_address_of_this_machine_alone_becomes_one_that_phones_reach():
    assert address.for_phones("http://localhost:8501/room", "192.168.1.7") == "http://192.168.1.7:8501/room"
    assert address.for_phones("http://[::1]:8501/room", "192.168.1.7") == "http://192.168.1.7:8501/room"
    assert address.for_phones("http://localhost/room", "192.168.1.7") == "http://192.168.1.7/room"
    assert address.for_phones("http://localhost:8501/room", None) == "http://localhost:8501/room"
    assert address.for_phones("https://x.org/room", "192.168.1.7") == "https://x.org/room"
    assert address.is_here("http://127.0.0.1:8501/room") and not address.is_here("https://x.org/room")


@pytest.mark.parametrize(
    "text, right",
    [
        ("https://x.org/room", True),
        (" http://10.0.0.1:8501/room ", True),
        ("x.org/room", False),
        ("javascript:alert(1)", False),
        ("https://", False),
        ("https://x.org/ room", False),
        ("https://[x", False),
        ("https://x.org/" + "a" * 300, False),
        ("", False),
    ],
)
def test_what_somebody_types_is_an_address_of_the_web_or_not(text, right):
    assert address.is_address(text) is right


def test_the_qr_code_is_an_image_with_a_quiet_zone_that_names_nobody_s_server():
    uri = address.qr_code("https://x.org/room?room=BKTMWXRD")
    kind, _, data = uri.partition(",")
    assert kind.startswith("data:image/svg+xml")
    svg = base64.b64decode(data).decode() if "base64" in kind else unquote(data)
    side = int(re.search(r"(?:width|height)=['\"](\d+)", svg)[1])
    assert side >= 8 * (21 + 2 * 4) and "<script" not in svg
    assert uri != address.qr_code("https://x.org/room?room=BKTMWXRF")
