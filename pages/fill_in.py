"""The first page: what the model is given, what it fills in, and how far that is from the hidden ratings."""

from metamf.webapp import frame, look
from metamf.webapp.lesson import cells
from metamf.webapp.matrix import take_away, to_your_table, uncertainty, what_if, words
from metamf.webapp.matrix.page import lead, open_page

frame.ensure()
view = open_page(
    "Most of the ratings are missing. What would they be?",
    "A network that learned on other people and other things proposes an answer, and a few steps adapt it to the "
    "ratings that are given here.",
    picture=True,
)
last, matrix = view.run.summaries[-1], view.run.task.matrix


def sentences() -> tuple:
    """What is said of the run: the finding, the tiles, the notes on hidden cells and on intervals."""
    ahead = lead(view)
    return words.finding(last, ahead), words.tiles(last, ahead), words.hidden_cells(last), words.no_intervals(last)


view.say(lambda: look.finding(view.once("sentences", sentences)[0]))
what_if.draw(view, "fill")
finding, tiles, hidden, no_intervals = view.once("sentences", sentences)
if tiles:
    look.tiles(tiles)
to_your_table.link(matrix)
take_away.button(view, "fill", finding)
if last.n_hidden:
    cells.link()
if view.ends is None:
    look.small(no_intervals)
elif strip := view.once("strip", lambda: uncertainty.strip(view)):
    strip.draw()
look.small(f"{matrix.name}: {matrix.description}")
look.small(f"{hidden} All errors are in the units of the ratings.")
