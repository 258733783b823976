"""What a checkpoint says of itself, in Markdown."""

from __future__ import annotations

from metamf import datasets
from metamf.checkpoints.info import CheckpointInfo
from metamf.model.meta_mf import MetaMF


def card(info: CheckpointInfo, model: MetaMF) -> str:
    """The checkpoint's card, in Markdown."""
    archive, errors = datasets.ARCHIVES[info.data], info.errors
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return f"""# {info.name}

Meta-trained on the meta-training part (70 % of the users, 70 % of the items) of split {info.split_seed} of
{archive.title} with preset `{info.recipe["preset"]}`: the parameters of epoch {info.recipe["kept_epoch"]} of
{info.recipe["training"]["epochs"]}. An epoch is {info.recipe["training"]["updates_per_epoch"]} updates, each on
{info.recipe["training"]["batch_size"]} blocks of 30 x 30. Written on {info.created} by

    {info.recipe["command"]}

with Python {info.versions["python"]}, torch {info.versions["torch"]}, numpy {info.versions["numpy"]}.

| mean squared error on {errors["blocks"]} held-out blocks of the same split | standardised units |
|---|---|
| this checkpoint, query entries | {errors["query_mse"]:.4f} |
| support mean, query entries | {errors["mean_query_mse"]:.4f} |
| ratio | **{errors["ratio"]:.4f}** |
| this checkpoint, support entries | {errors["support_mse"]:.4f} |

Ratings were standardised by the mean {info.standardization.mean:.4f} and the standard deviation
{info.standardization.std:.4f} of the meta-training part, on the scale {info.scale.minimum:g} to {info.scale.maximum:g}.
No user and no item of the held-out blocks was in the meta-training part.

**What is inside.** {parameters:,} network parameters and the header; no user, no item, no rating. Each parameter was
moved by averages over blocks of hundreds of ratings, and none is indexed by user or item, so no rating can be read back
from the file.

**Licence of the data.** {archive.licence} The archive is not part of this repository: {archive.page}
"""
