"""What a checkpoint learned from, in its header."""

import numpy as np

from metamf.checkpoints.info import TrainingDomain
from metamf.datasets import synthetic
from metamf.learning.episodes import BlockSampler, MixedSampler
from metamf.learning.recipes import domain_of_blocks, domain_of_mixed
from metamf.ratings.scale import RatingScale

STARS, THUMBS = RatingScale(1, 5, 1), RatingScale(0, 1, 1)


def made_up(n, m, density, scale=STARS):
    return synthetic(np.random.default_rng(0), n, m, density=density, scale=scale).ratings


def test_blocks_are_as_large_as_their_matrix_lets_them_be():
    ratings = made_up(40, 20, 0.4)
    found = domain_of_blocks(BlockSampler([ratings], support_share=0.25), STARS)
    density = round(0.25 * ratings.density, 4)
    assert found == TrainingDomain((30, 30), (20, 20), (density, density), (STARS,))


def test_mixed_matrices_are_as_sparse_as_the_sparsest_and_as_dense_as_the_densest():
    sparse, dense = made_up(50, 60, 0.1), made_up(50, 60, 0.8, THUMBS)
    sampler = MixedSampler((sparse, dense), smallest=5, largest=(40, 50), support_shares=(0.2, 0.5))
    ends = round(0.2 * sparse.density, 4), round(0.5 * dense.density, 4)
    assert domain_of_mixed(sampler) == TrainingDomain((5, 40), (5, 50), ends, (STARS, THUMBS))
