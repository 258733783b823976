"""Lists that a room can begin with, and the scales that it offers."""

from __future__ import annotations

from metamf.webapp.rooms.room import Scale

OWN = "My own list"
LISTS = {
    "Classic films": (
        "Casablanca",
        "Psycho",
        "The Godfather",
        "Star Wars",
        "Alien",
        "E.T.",
        "Back to the Future",
        "Pulp Fiction",
        "Titanic",
        "The Matrix",
        "Amélie",
        "Spirited Away",
        "Finding Nemo",
        "Parasite",
    ),
    "Dishes": (
        "Pizza",
        "Sushi",
        "Lentil soup",
        "Falafel",
        "Blue cheese",
        "Ramen",
        "Oysters",
        "Pancakes",
        "Chilli",
        "Liquorice",
        "Olives",
        "Dark chocolate",
    ),
    "Ways to spend an evening": (
        "A board game",
        "A long run",
        "Karaoke",
        "A novel",
        "A computer game",
        "Cooking for ten",
        "The opera",
        "A football match",
        "Programming",
        "Doing nothing",
    ),
}
SCALES = {
    "1 to 5 stars": Scale(1, 5),
    "1 to 7": Scale(1, 7),
    "0 to 10": Scale(0, 10),
    "Thumbs: 0 down, 1 up": Scale(0, 1),
}


def rating_label(scale: Scale, value: int) -> str:
    """A rating as a phone shows it."""
    if scale == SCALES["1 to 5 stars"]:
        return f"{value} ★"
    if scale == SCALES["Thumbs: 0 down, 1 up"]:
        return "👍 1" if value else "👎 0"
    return str(value)
