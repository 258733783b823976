"""The first page: what the model is given, what it fills in, and how far that is from the hidden ratings."""

from metamf.webapp import frame, look
from metamf.webapp.matrix import exports, what_if
from metamf.webapp.matrix.page import about_matrix, open_page
from metamf.webapp.matrix.words import no_intervals, strip

frame.ensure()
view = open_page(
    "Most of the ratings are missing. What would they be?",
    "A network trained on other people and other things makes a first estimate, and a few steps adapt it to the "
    "ratings given here.",
    picture=True,
)
view.say(lambda: look.finding(view.finding()))
what_if.draw(view, "fill")
exports.to_your_table(view.matrix)
exports.to_take_away(view, "fill", view.finding())
if view.run.task.hidden.nnz:
    exports.to_ten_cells()
if view.run.imputation.intervals is None:
    look.small(no_intervals(view.run))
elif intervals := view.once("strip", lambda: strip(view)):
    intervals.draw()
about_matrix(view)
