"""The door: a given number inside, the others in their order, and nobody waits for somebody who has left."""

import pytest

from metamf.webapp.serving.door import MOST_VISITORS, Door, limit


def test_who_finds_no_place_waits_in_line_and_comes_in_when_somebody_leaves():
    here = set("abcde")
    door = Door(2, here.__contains__)
    assert [door.ask(visitor) for visitor in "abcde"] == [0, 0, 1, 2, 3] and door.waiting() == 3
    assert door.ask("e") == 3  # nobody gets on by asking often
    here.remove("a")
    assert door.ask("d") == 2  # the place is that of who is next
    assert door.ask("c") == 0 and door.ask("c") == 0 and door.ask("d") == 1
    here.remove("d")  # from the line
    assert door.ask("e") == 1
    here.remove("b")
    assert door.ask("e") == 0 and door.waiting() == 0


def test_who_comes_back_when_the_place_is_taken_is_the_next_to_come_in():
    here = set("abcd")
    door = Door(2, here.__contains__)
    assert [door.ask(visitor) for visitor in "abcd"] == [0, 0, 1, 2]
    of_a = door.pass_of("a")
    assert of_a.is_set() and door.pass_of("c") is None
    here.remove("a")  # a phone that sleeps
    assert of_a.is_set()  # the place is kept as long as nobody wants it
    assert door.ask("c") == 0 and not of_a.is_set()
    here.add("a")
    assert door.ask("a") == 1 and door.ask("d") == 2 and door.waiting() == 2
    here.remove("c")
    assert door.ask("d") == 2 and door.ask("a") == 0 and door.pass_of("a").is_set()


def test_a_thousand_sessions_that_were_opened_and_left_keep_nobody_out():
    here = {str(number) for number in range(1000)}
    door = Door(10, here.__contains__)
    assert sum(not door.ask(visitor) for visitor in sorted(here)) == 10 and door.waiting() == 990
    here.clear()
    here.add("a student")
    assert door.ask("a student") == 0 and door.waiting() == 0


def test_the_limit_is_a_number_or_an_error_that_says_so():
    assert limit("") == MOST_VISITORS and limit("40") == 40
    for text in ("0", "-3", "many", "4.5"):
        with pytest.raises(ValueError, match=f"METAMF_VISITORS is '{text}'"):
            limit(text)
