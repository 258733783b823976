# %% [markdown]
# # How a network fills in a matrix that it has never seen
#
# For a lecture on matrix factorization or meta-learning. The matrix is made up, so we know every
# rating, those that are hidden from the model as well. Run the cells one by one, and let the class
# guess before each answer.

# %%
import numpy as np

import metamf
from metamf.datasets import synthetic

rng = np.random.default_rng(0)
world = synthetic(
    rng, n_rows=24, n_cols=16, density=0.35
)  # 24 people, 16 films, ratings from 1 to 5
X = world.ratings.to_dense()  # NaN: not given
hidden = np.isnan(X)


def rmse(estimate):
    """Root mean squared error on the hidden cells, in stars."""
    return float(np.sqrt(np.mean((estimate - world.truth)[hidden] ** 2)))


print(f"{(~hidden).sum()} of {X.size} ratings are given:")
print(np.array2string(np.where(hidden, 0, X).astype(int)).replace("0", "."))

# %% [markdown]
# ## What would you do?
#
# One number for all cells, or the mean of each row: these are the errors to beat.

# %%
mean = np.full_like(X, np.nanmean(X))
row_means = np.broadcast_to(np.nanmean(X, axis=1, keepdims=True), X.shape)
print(f"the mean: {rmse(mean):.2f}; row means: {rmse(row_means):.2f}")

# %% [markdown]
# ## The prior, and ten steps
#
# The network reads the given ratings and proposes factors U(0), V(0) for these people and these
# films (Eqs. 4 and 5). Ten gradient steps of MAP estimation then pull the factors towards the
# ratings that are given (Eqs. 6 and 7). The network was trained on other people and other films: no
# row and no column of our matrix was there. Try other seeds, and 12 people with 10 films: this
# network was trained on matrices of 30 x 30, and on much smaller ones it does not always beat the
# mean.

# %%
imputer = metamf.load_pretrained("ml-100k", scale=(1, 5))
result = imputer.impute(world.ratings)
path = result.trajectory
for t in range(path.T + 1):
    print(f"step {t:2}: error on hidden ratings {rmse(path.estimate(t)):.3f}")

# %% [markdown]
# ## One estimate by hand
#
# An estimate is the inner product of the factors of its row and its column, put back into stars.

# %%
n, m = np.argwhere(hidden)[0]
u, v = path.U[-1, n], path.V[-1, m]
units = path.standardization
by_hand = units.mean + units.std * float(u @ v)
by_model = float(path.estimate(path.T)[n, m])
print(
    f"person {n}, film {m}: by hand {by_hand:.4f}, by the model {by_model:.4f}, in truth "
    f"{world.truth[n, m]:.0f}"
)
assert abs(by_hand - by_model) < 1e-4

# %% [markdown]
# ## Nobody has a number
#
# Shuffle the people and the films, and the estimates are shuffled in the same way: the network
# cannot know a row or a column by its position. This is what "without shared rows or columns"
# means.

# %%
people, films = rng.permutation(24), rng.permutation(16)
shuffled = imputer.impute(X[people][:, films])
difference = np.abs(shuffled.mean - imputer.impute(X).mean[people][:, films]).max()
print(f"largest difference after shuffling: {difference:.1e} stars")
assert difference < 1e-4

# %% [markdown]
# ## How sure is it?
#
# `universal`, the extended model, takes sweeps of variational Bayes in place of the steps and gives
# an interval for every cell. Count how many of the hidden ratings lie inside.

# %%
universal = metamf.load_pretrained("universal", scale=(1, 5)).impute(world.ratings, interval=0.9)
inside = (universal.lower <= world.truth) & (world.truth <= universal.upper)
print(
    f"universal: error {rmse(universal.mean):.3f}; {inside[hidden].mean():.0%} of hidden ratings "
    "in the 90 % intervals"
)
