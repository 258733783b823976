# %% [markdown]
# # A method of your own
#
# For a researcher who wants to compare a method with those of the paper. The method here is small:
# row and column effects, shrunk towards zero, whose two amounts of shrinkage are meta-learned. It
# is written against the protocol, checked by the symmetries that every method here has to keep,
# meta-trained, and compared.

# %%
import numpy as np
import torch
from torch import nn

from metamf.baselines import METHODS, MethodSpec
from metamf.datasets import synthetic
from metamf.learning.episodes import (
    BlockSampler,
    EpisodeBatch,
    held_out_blocks,
    split_rows_and_columns,
)
from metamf.learning.evaluation import summarize
from metamf.learning.training import MetaTraining, TrainingConfig
from metamf.testing import assert_equal_alone_and_in_batch, assert_permutation_equivariant

# %% [markdown]
# ## The protocol
#
# `adapt(support)` reads the observed entries of a batch of matrices, in standardised units, and
# returns something with `predict(row, col)`. A `RatingsBatch` lays many sparse matrices end to end:
# `x` are the values of the entries, `by_row` and `by_col` sum over the entries of each row and of
# each column. Nothing loops over matrices.
#
#     b_m = sum over observed n of x_nm / (number of them + exp(d_col))
#     a_n = sum over observed m of (x_nm - b_m) / (number of them + exp(d_row))


# %%
class LearnedShrinkage(nn.Module):
    """Row and column effects, shrunk by amounts that are meta-learned; estimates a_n + b_m."""

    def __init__(self):
        super().__init__()
        self.d_row, self.d_col = (nn.Parameter(torch.zeros(())) for _ in range(2))

    def adapt(self, support):
        x = support.x.unsqueeze(1)  # (nnz, 1)
        col = support.by_col.sum(x) / (support.col_count + self.d_col.exp())  # (M, 1)
        row = support.by_row.sum(x - support.by_col.gather(col)) / (
            support.row_count + self.d_row.exp()
        )  # (N, 1)
        return Adapted(row.squeeze(1), col.squeeze(1))


class Adapted:
    def __init__(self, row, col):
        self.row, self.col = row, col

    def predict(self, row, col):
        """(n,) estimates at positions of the batch, in standardised units."""
        return self.row[row] + self.col[col]


# %% [markdown]
# ## Symmetries first
#
# A method that knows a row by its position is wrong in a way that errors on data hide. These
# assertions, which the shared suite runs for every registered method, find it.

# %%
rng = np.random.default_rng(0)
method = LearnedShrinkage()
matrices = [synthetic(rng, n_rows, n_cols).ratings for n_rows, n_cols in ((9, 7), (5, 12), (2, 3))]
for axis in ("rows", "cols"):
    assert_permutation_equivariant(method, matrices[0], axis, rng)
assert_equal_alone_and_in_batch(method, matrices)
print("symmetries hold")

# %% [markdown]
# ## Episodes: other users, other items
#
# The paper's protocol on one made-up data set: three parts without a common row or column; blocks,
# in which half of the entries are given (support) and the others are to be estimated (query). In
# earnest, use `metamf.datasets.load`.

# %%
ratings = synthetic(rng, n_rows=300, n_cols=200, density=0.2).ratings
split = split_rows_and_columns(ratings, seed=0)
mean, std = split.train.values.mean(), split.train.values.std()
train, validation, test = (
    part.with_values((part.values - mean) / std)
    for part in (split.train, split.validation, split.test)
)
validation_blocks = EpisodeBatch.of(held_out_blocks(validation, 50, seed=[0, 1]))
test_blocks = EpisodeBatch.of(held_out_blocks(test, 100, seed=[0, 2]))

# %% [markdown]
# ## Meta-training
#
# One loop serves every method that can be differentiated through. It is a generator, so a progress
# bar or a plot costs one line.

# %%
config = TrainingConfig(learning_rate=0.05, epochs=5, updates_per_epoch=30)
for progress in MetaTraining(method, BlockSampler([train]), validation_blocks, config).run():
    print(f"epoch {progress.epoch}: validation error {progress.validation_error:.4f}")
print(f"learned: d_row = {method.d_row.exp().item():.2f}, d_col = {method.d_col.exp().item():.2f}")

# %% [markdown]
# ## Comparison
#
# Errors on the same held-out blocks, as ratios to Mean. On real data, repeat this over splits and
# use a paired test (`metamf.learning.evaluation.paired_t_test`).

# %%
reference = METHODS["mean"].build()
errors = {"learned shrinkage": summarize(method, reference, test_blocks)["ratio"]}
for key in ("damped_bias", "crossed_effects", "mean"):
    errors[METHODS[key].label] = summarize(METHODS[key].build(), reference, test_blocks)["ratio"]
for name, ratio in sorted(errors.items(), key=lambda item: item[1]):
    print(f"{name:24} {ratio:.3f}")

# %% [markdown]
# ## The registry
#
# To stay, the class moves to a file under `metamf/baselines/`, takes a frozen dataclass as its
# configuration, and is described in `metamf/baselines/registry.py`. From then on the shared suite,
# `metamf evaluate` and the app's page Compare know it.

# %%
spec = MethodSpec(
    key="learned_shrinkage",
    label="Learned shrinkage",
    kind="meta-learned",
    explanation="Row and column effects, shrunk by amounts that were learned on other matrices.",
    method=lambda config: LearnedShrinkage(),
    default=None,
)
print(f"{spec.label}: {spec.explanation}")
