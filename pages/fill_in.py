"""The first page: what the model is given, what it fills in, and how far that is from the hidden ratings."""

from metamf.webapp import frame, look
from metamf.webapp.matrix import exports, uncertainty, what_if
from metamf.webapp.matrix.page import open_page

frame.ensure()
view = open_page(
    "Most of the ratings are missing. What would they be?",
    "A network that learned on other people and other things proposes an answer, and a few steps adapt it to the "
    "ratings that are given here.",
    picture=True,
)
view.say(lambda: look.finding(view.words().finding))
what_if.draw(view, "fill")
words, shown = view.words(), view.replay()
if words.tiles:
    look.tiles(words.tiles)
exports.to_your_table(view.matrix)
exports.to_take_away(view, "fill", words.finding)
if shown["n_hidden"]:
    exports.to_ten_cells()
if shown["lower"] is None:
    look.small(words.no_intervals)
elif strip := view.once("strip", lambda: uncertainty.strip(view)):
    strip.draw()
look.small(f"{view.matrix.name}: {view.matrix.description}")
look.small(f"{words.hidden_cells} All errors are in the units of the ratings.")
