"""A lecturer and two phones in real browsers: from the code to the reveal and the end of the
room."""

import re

import pytest
from axe import accessible
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

HOSTILE = "<i>Bo</i>"
WIDE = "document.scrollingElement.scrollWidth > innerWidth"


def card(phone, n):
    return phone.locator(f".st-key-room_card_{n} [data-testid=stButtonGroup]")


def test_a_lecturer_and_two_phones(visit):
    lecturer = visit("room")

    def press(*names):
        for name in names:
            lecturer.get_by_role("button", name=name).click()

    press("Open the room")
    expect(lecturer.locator(".room-code")).to_have_text(re.compile(r"^[A-Z]{4}-[A-Z]{4}$"))
    code = lecturer.locator(".room-code").text_content()
    plain = code.replace("-", "")
    expect(lecturer.locator(".room-join img")).to_have_attribute("alt", re.compile(plain))
    key = re.compile(rf"/room\?lecturer={plain}$")  # the address names the room, and no secret
    expect(lecturer).to_have_url(key)

    phones = []
    for name, scheme in (("Ada", "light"), (HOSTILE, "dark")):
        phone = visit(f"room?room={code.lower()}", width=390, height=844, scheme=scheme)
        phone.get_by_label("Your name").fill(name)
        phones.append(phone)
    for name, phone in zip(("Ada", HOSTILE), phones):  # a name stays while another one joins
        phone.get_by_role("button", name="Join").click()
        expect(phone.locator(".room-me")).to_have_text(f"You are {name}")
        expect(phone.get_by_role("link", name="Explore")).to_have_count(0)
    expect(lecturer.locator(".room-table tbody th")).to_have_text(["Ada", HOSTILE])  # by itself

    press("Start rating")
    for phone, first in zip(phones, (5, 1)):
        expect(card(phone, 0).get_by_role("radio").first).to_be_enabled()
        for n in range(6):
            value = first if n % 2 else 6 - first
            card(phone, n).get_by_text(f"{value} ★").click()
            expect(phone.locator(".room-done")).to_have_text(f"{n + 1} of 14 rated")
        box = card(phone, 0).get_by_text("5 ★").locator("xpath=ancestor::button").bounding_box()
        assert box["height"] >= 44
        assert box["width"] >= 44
        assert not phone.evaluate(WIDE)
    ada, bo = phones
    done, count = ada.locator(".room-done"), lecturer.locator(".room-count")
    # said without a backslash
    expect(card(ada, 5).get_by_role("radiogroup")).to_have_accessible_name("E.T.")
    two = card(ada, 6).get_by_role("radio").nth(1)
    for n in (7, 6):  # given by a key, and taken back
        two.press("Space")
        expect(done).to_have_text(f"{n} of 14 rated")
        expect(two).to_be_focused()
    accessible(ada)
    expect(count).to_contain_text("12 ratings")

    ada.reload()
    expect(done).to_have_text("6 of 14 rated")
    lecturer.reload()
    expect(lecturer).to_have_url(key)
    expect(count).to_contain_text("12 ratings")

    press("Reveal")
    expect(lecturer.locator(".room-findings")).to_contain_text("Most different")
    accessible(lecturer, also="dark")
    for phone in phones:
        expect(phone.locator(".room-expected li")).to_have_count(14)  # by itself
        assert not phone.evaluate(WIDE)
    accessible(bo)

    press("Explore it")
    expect(lecturer.locator(".st-key-player .mfp")).to_contain_text("10 of 12 ratings")
    lecturer.get_by_role("link", name="Teach", exact=True).click()
    lecturer.get_by_role("link", name="A room").click()
    press("More", "Close the room")
    expect(lecturer.locator(".mf-note")).to_contain_text("deleted")
    ada.reload()
    expect(ada.locator(".mf-title")).to_contain_text("There is no room")
