"""Lists that a room can begin with, and the scales that it offers."""

import pytest

from metamf.webapp.rooms.lists import LISTS, SCALES, rating_label
from metamf.webapp.rooms.room import Room


@pytest.mark.parametrize("name", LISTS)
def test_a_room_opens_with_each_list_as_it_stands(name):
    room = Room.new(name, LISTS[name], SCALES["1 to 7"], "digest")
    assert tuple(item.name for item in room.items) == LISTS[name]


def test_a_phone_shows_stars_thumbs_and_numbers():
    shown = {name: [rating_label(scale, value) for value in scale.values][:2] for name, scale in SCALES.items()}
    assert list(shown.values()) == [["1 ★", "2 ★"], ["1", "2"], ["0", "1"], ["👎 0", "👍 1"]]
