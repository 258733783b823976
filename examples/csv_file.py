# %% [markdown]
# # A CSV file with gaps
#
# For somebody who has a table of ratings and wants the missing ones. The same can be done without
# Python: on the app's page "Your table", or by
#
#     metamf impute drinks.csv --interval 0.9 --long --report --out filled.csv
#
# with `--column "Tea: missing 99"` for each drink, since 99 means "no answer" here.

# %%
import tempfile
from pathlib import Path

import numpy as np

from metamf.answer import method, offered
from metamf.answer.holdout import holdout_steps
from metamf.tables import TableError, read, write

# %% [markdown]
# ## A file as it comes
#
# Semicolons, decimal commas, names in the first line and column, 99 for "no answer". Nothing of
# this needs to be said, except that 99 means missing: a number far from the others stays as it is
# and teaches nothing until you say what it is. What you should look at comes first.

# %%
rng = np.random.default_rng(0)
names = [f"Person {n + 1}" for n in range(24)]
drinks = ["Tea", "Coffee", "Juice", "Water", "Cocoa", "Lemonade", "Milk", "Mate"]
likes = 3 + rng.normal(0, 0.6, (24, 1)) + rng.normal(0, 0.8, (1, 8)) + rng.normal(0, 0.5, (24, 8))
likes = np.where(rng.random(likes.shape) < 0.45, 99, np.clip(np.round(2 * likes) / 2, 1, 5))
lines = [
    ";".join([name, *(f"{x:g}".replace(".", ",") for x in row)]) for name, row in zip(names, likes)
]
folder = Path(tempfile.mkdtemp())
file = folder / "drinks.csv"
file.write_text("\n".join([";".join(["", *drinks]), *lines]), "utf-8")

# %%
edits = [f"{drink}: missing 99" for drink in drinks]
print(*read(file).summary(), sep="\n")
table = read(file, edits=edits)
print(*table.summary(), sep="\n")

# %% [markdown]
# ## How far can the estimates be trusted?
#
# Hide a tenth of the ratings again and again, let every method estimate them, and compare with the
# row and the column means. If no method is better than these by more than chance, the verdict says
# so.

# %%
*_, step = holdout_steps(
    table.ratings, offered(table.ratings), 0.9, 5, rng=np.random.default_rng(0)
)
for errors in step.report.errors:
    print(f"{errors.method.label:24} RMSE {errors.rmse.mean():.2f}")
print(step.report.verdict())

# %% [markdown]
# ## The file, filled in
#
# In the dialect of the original. Observed cells are written as they were read; the long form says
# for each cell whether it was observed or imputed, and between which values the rating should lie.

# %%
answer = method("universal").predict(table.ratings, 0.9)
(folder / "filled.csv").write_bytes(write.to_csv(table, answer))
(folder / "filled-long.csv").write_bytes(write.to_csv_long(table, answer))
print((folder / "filled.csv").read_text("utf-8").splitlines()[1])
print(*(folder / "filled-long.csv").read_text("utf-8").splitlines()[:4], sep="\n")

# %% [markdown]
# ## If a file cannot be read
#
# The error is one sentence that says why.

# %%
try:
    read(b"name;colour\nAda;red\nBen;blue\n")
except TableError as error:
    print(f"refused: {error}")
