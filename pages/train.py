"""Train: meta-training from random weights, watched while it runs; its checkpoint is used on the
other pages."""

from metamf.webapp import frame, look
from metamf.webapp.teach.train.live_training import live_training

frame.ensure()
look.title(
    "Live training",
    "Each update: 16 tables, some ratings given, ten steps, the error on the other ratings, and a "
    "correction of the network through all ten steps (Algorithm 2, Eq. 9).",
)
live_training()
