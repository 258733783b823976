"""Lesson: learned matrix factorization in seven steps, and ten hidden cells to guess."""

from metamf.webapp import frame, look
from metamf.webapp.teach.lesson import cells, page

frame.ensure()
seed = cells.seed_asked()
if seed is not None:
    cells.draw(seed)
else:
    look.hide_controls()
    page.draw()
