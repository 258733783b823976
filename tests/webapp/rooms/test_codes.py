"""Codes that can be typed and not guessed, and the throttle on wrong ones."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from metamf.webapp.rooms import codes
from metamf.webapp.rooms.codes import WRONG_CODES, Budget, Throttle
from metamf.webapp.rooms.store import LIFETIME, MOST_ROOMS


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def test_codes_have_34_bits_of_letters_that_are_not_taken_for_each_other():
    many = {codes.new_code() for _ in range(300)}
    assert len(many) == 300 and {len(code) for code in many} == {8}
    assert set("".join(many)) == set(codes.ALPHABET) and not set(codes.ALPHABET) & set("AEIOUL01")
    assert codes.LENGTH * math.log2(len(codes.ALPHABET)) > 34


@pytest.mark.parametrize("typed", ["BKTMWXRD", "bktm-wxrd", " bktm wxrd ", "BKTM–WXRD", "ｂｋｔｍｗｘｒｄ"])
def test_a_code_is_read_however_it_is_typed(typed):
    assert codes.read(typed) == "BKTMWXRD"
    assert codes.hyphenated("BKTMWXRD") == "BKTM-WXRD" and codes.read(codes.hyphenated("BKTMWXRD")) == "BKTMWXRD"


@pytest.mark.parametrize("typed", ["", "BKTM", "BKTMWXRDX", "AKTMWXRD", "12345678", "<script>", "ß" * 8, "B" * 10**6])
def test_what_cannot_be_a_code_does_not_count_as_a_guess(typed):
    assert codes.read(typed) is None


def test_all_guesses_of_four_hours_hit_a_room_with_a_probability_below_one_in_a_thousand():
    assert codes.chance(MOST_ROOMS, LIFETIME / 3600) == pytest.approx(1.1e-4, rel=0.05)
    assert codes.chance(MOST_ROOMS, LIFETIME / 3600) < 1e-3
    assert codes.chance(MOST_ROOMS, LIFETIME / 3600, "address") == pytest.approx(1.1e-5, rel=0.05)
    redis_store = pytest.importorskip("metamf.webapp.rooms.redis_store")
    assert codes.chance(redis_store.MOST_ROOMS, LIFETIME / 3600) == pytest.approx(5.6e-4, rel=0.05)


def test_a_secret_is_known_by_its_digest_alone():
    secret = codes.new_secret()
    assert codes.is_secret(secret, codes.digest(secret)) and len(secret) >= 22
    assert not codes.is_secret(codes.new_secret(), codes.digest(secret))
    assert not codes.is_secret("", "") and not codes.is_secret(codes.digest(secret), codes.digest(secret))


def tried(throttle, who, at_most=1000):
    """How many attempts are taken in a row."""
    return next((n for n in range(at_most) if throttle.take(who)), at_most)


def test_a_session_an_address_and_everybody_have_a_budget_that_comes_back_with_time():
    clock = Clock()
    throttle = Throttle(WRONG_CODES, clock)
    assert tried(throttle, {"session": "a", "address": "x"}) == 5
    assert 0 < throttle.wait({"session": "a", "address": "x"}) <= 12
    assert sum(tried(throttle, {"session": f"{n}", "address": "x"}) for n in range(40)) == 55
    assert sum(tried(throttle, {"session": f"{n}", "address": f"{n}"}) for n in range(40, 400)) == 540
    assert throttle.wait({"session": "new", "address": "new"}) > 0
    clock.now += 12
    assert tried(throttle, {"session": "a", "address": "x"}) == 1
    clock.now += 3600
    assert tried(throttle, {"session": "a", "address": "x"}) == 5, "what was not used is not saved up"


def test_a_throttle_remembers_a_bounded_number_of_visitors(monkeypatch):
    monkeypatch.setattr(codes, "_REMEMBERED", 10)
    throttle = Throttle({"everybody": Budget(10**6, 1), "session": Budget(1, 60)}, Clock())
    for n in range(100):
        throttle.take({"session": f"{n}"})
    assert len(throttle._used) == 10
    assert throttle.wait({"session": "99"}) > 0 and throttle.wait({"session": "0"}) == 0


def test_an_attempt_that_is_given_back_was_none():
    clock = Clock()
    throttle, who = Throttle({"everybody": Budget(2, 60)}, clock), {}
    for _ in range(10):
        assert throttle.take(who) == 0
        throttle.give_back(who)
    assert tried(throttle, who) == 2
    clock.now += 600
    throttle.give_back(who)
    assert tried(throttle, who) == 2, "what comes back too late is not saved up"


def test_attempts_at_the_same_moment_do_not_share_what_is_left():
    throttle, begin = Throttle({"everybody": Budget(5, 3600)}), threading.Barrier(32)

    def attempt(_):
        begin.wait()
        return throttle.take({})

    with ThreadPoolExecutor(32) as together:
        assert sum(not seconds for seconds in together.map(attempt, range(32))) == 5


@pytest.mark.parametrize(
    "address, counted",
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::1", "::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("this machine", "this machine"),
        ("", ""),
    ],
)
def test_an_address_of_version_6_counts_by_its_network_of_64_bits(address, counted):
    assert codes.network(address) == counted
