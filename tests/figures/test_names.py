"""Names beside a figure: cut, never to the same text, and by the same rule in the player's JavaScript."""

import json

import pytest
from javascript import node

from metamf.figures.names import cleaned, graphemes, guessed_width, shortened

ASK = """
import { readFileSync } from "node:fs";
import { cleanNames, shortened } from "./metamf/webapp/player/js/names.js";
const asked = JSON.parse(readFileSync(0, "utf8"));
const cut = ([names, room]) => shortened(cleanNames(names, 3, names.length), room, undefined, 3);
console.log(JSON.stringify(asked.map(cut)));
"""
LISTS = [
    ["The Clockmaker's Daughter", "The Clockmaker's Son", "A Ledger of Foxes"],
    [f"Weißburgunder 20{10 + k} Spätlese trocken" for k in range(14)],
    ["Ana", "Ana", "", "Ana", "4"],
    ["x" * 40, "x" * 40 + "y", "x" * 41, "\u202eevil"],
    ["映画館の長い名前です", "映画館の長い名前でした", "シネマ"],
    ["e\u0301te\u0301 ete\u0301 ete\u0301 e\u0301t", "a\u0300b" * 12],
]


@pytest.mark.parametrize("room", [3.0, 7.8, 40.0])
def test_names_differ_and_fit(room):
    for names in LISTS:
        found = shortened(cleaned(names, 3), room, first=3)
        assert len(set(found)) == len(names), found
        assert all(guessed_width(name) <= room or name.isdecimal() for name in found)


def test_a_name_that_fits_stays_and_one_that_does_not_keeps_what_tells_it_apart():
    wines = shortened(LISTS[1], 7.8)
    assert all(str(2010 + k) in wine and wine.startswith("Weiß") for k, wine in enumerate(wines))
    assert shortened(["Alien", "Heat"], 7.8) == ["Alien", "Heat"]


def test_the_player_and_the_figures_cut_alike():
    asked = [[names, room] for names in LISTS for room in (3.0, 7.8, 12.0)]
    found = json.loads(node("--input-type=module", "--eval", ASK, given=json.dumps(asked)))
    assert found == [shortened(cleaned(names, 3), room, first=3) for names, room in asked]


def test_a_letter_keeps_its_accent():
    assert graphemes("e\u0301a") == ["e\u0301", "a"]
