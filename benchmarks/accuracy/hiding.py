"""Two ways to go on training on one matrix: on its given entries (the paper's FT), and on some of them hidden.

    METAMF_DATA=FOLDER python -m benchmarks.accuracy.hiding

The meta-test blocks of the paper's protocol (split 0), half of the entries given. A network that was meta-trained on
the meta-training part is trained further on each block alone, from the same parameters, by the same number of Adam
steps of the same size: *fitting* makes it repeat the entries that it was given; *hiding* hides a random 5 to 50 % of
the given entries in every step, and makes it predict these from the others. Entries that were not given are never
used. Writes benchmarks/results/hiding.csv: the mean squared errors on the given and on the other entries after some
numbers of steps, averaged over blocks, relative to the error of the mean of the given entries. Networks are EML, which
the paper's FT starts from, and the paper's own model.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import torch
from torch import nn

from benchmarks.rows import RESULTS, command_line, report
from metamf.baselines.biases import Mean
from metamf.checkpoints.bundled import find_checkpoint, load_trained
from metamf.checkpoints.files import load_checkpoint
from metamf.datasets import load
from metamf.learning.episodes import Episode, EpisodeBatch, divide_entries, held_out_blocks, split_rows_and_columns
from metamf.learning.objectives import query_error
from metamf.learning.tuning import CLIP_GRADIENT, HIDDEN_SHARES, HIGHEST_RATE
from metamf.ratings.units import Standardization

DATA = "ml-1m"
SIZES = (30, 30), (200, 200)
AFTER = 0, 5, 10, 20, 40, 80  # steps
BLOCKS = 12
PATH = RESULTS / "hiding.csv"


def main() -> None:
    command_line(__doc__).parse_args()
    torch.set_num_threads(1)
    PATH.unlink(missing_ok=True)
    networks = {"eml": load_trained("eml", DATA), "ours": load_checkpoint(find_checkpoint(DATA))[0]}
    split = split_rows_and_columns(load(DATA), 0)
    test = split.test.with_values(Standardization.of(split.train.values).apply(split.test.values))
    for size, (name, network), way in product(SIZES, networks.items(), WAYS):
        for row in curve(network, held_out_blocks(test, BLOCKS, [0, 2], size), way):
            about = {"data": DATA, "size": "{} x {}".format(*size), "network": name, "way": way, "blocks": BLOCKS}
            report(PATH, about | row)


def curve(network: nn.Module, episodes: list[Episode], way: str) -> Iterator[dict]:
    """After each number of steps the errors on given and other entries, averaged over blocks, relative to Mean's."""
    errors = np.zeros((len(episodes), len(AFTER), 2))
    means = np.zeros((len(episodes), 2))
    for d, episode in enumerate(episodes):
        both = EpisodeBatch.of([Episode(episode.support, episode.support)]), EpisodeBatch.of([episode])
        means[d] = [query_error(Mean(), part).item() for part in both]
        learner = copy.deepcopy(network).requires_grad_(True).eval()  # without dropout, as the paper's FT here
        rng = np.random.default_rng([d, 11])
        optimizer = torch.optim.Adam(learner.parameters(), HIGHEST_RATE)
        for step in range(AFTER[-1] + 1):
            if step in AFTER:
                errors[d, AFTER.index(step)] = [query_error(learner, part).item() for part in both]
            optimizer.zero_grad(set_to_none=True)
            query_error(learner, EpisodeBatch.of([WAYS[way](episode, rng)])).backward()
            nn.utils.clip_grad_norm_(learner.parameters(), CLIP_GRADIENT)
            optimizer.step()
    for after, (given, other) in zip(AFTER, errors.mean(0) / means.mean(0)):
        yield {"steps": after, "given": f"{given:.5g}", "other": f"{other:.5g}"}


WAYS: dict[str, Callable[[Episode, np.random.Generator], Episode]] = {
    "fitting": lambda episode, rng: Episode(episode.support, episode.support),
    "hiding": lambda episode, rng: divide_entries(episode.support, 1 - rng.uniform(*HIDDEN_SHARES), rng),
}


if __name__ == "__main__":
    main()
