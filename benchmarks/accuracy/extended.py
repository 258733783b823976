"""The extended model on the paper's protocol: 200 held-out blocks of 30 x 30 for each of ten splits of each data set.

    python -m benchmarks.accuracy.extended

For each data set and split, trained on that meta-training part alone, judged on the blocks of
``benchmarks.paper table1``:
    paper, tuned    the paper's architecture, presets paper and tuned: the epoch that meta-validation blocks find best
    last        the same, preset last: of the same runs the last, averaged parameters, whatever the blocks say
    bayes       the universal architecture (metamf/network/universal/network.py), small; last epoch
    last x 4, bayes x 2    the average of the estimates of four seeds, of two seeds
    extended    the average of those two averages
The error of a single network is the average of the errors of all seeds (column ``runs``), so that no seed's luck
decides a comparison. One row per model is appended to benchmarks/results/extended.csv; those that are in the file are
not computed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from statistics import fmean
from types import SimpleNamespace

import pandas as pd
import torch
from torch import nn

from benchmarks import grid
from benchmarks.rows import RESULTS, command_line, read, report
from metamf import reproduction as paper
from metamf.baselines.biases import Mean
from metamf.datasets import NAMES
from metamf.learning.data import PreparedData, prepare
from metamf.learning.episodes import BlockSampler
from metamf.learning.evaluation import paired_differences, summarize
from metamf.learning.objectives import errors_per_block, squared_errors
from metamf.learning.training import MetaTraining, TrainingConfig
from metamf.network.meta_mf import MetaMF
from metamf.network.universal.network import Universal, UniversalConfig
from metamf.ratings.batch import RatingsBatch
from metamf.recipes.presets import PRESETS
from metamf.recipes.universal import UNIVERSAL_TRAINING

OUT = RESULTS / "extended.csv"
BAYES = UniversalConfig(channels=32, layers=2, rank=3, steps=2, effect_sweeps=3, components=False)
TRAINING = replace(UNIVERSAL_TRAINING, epochs=40, batch_size=32)  # chosen in trials on splits LOOKED_AT
OURS_SEEDS, BAYES_SEEDS = range(4), range(2)
LOOKED_AT = 0, 1, 2, 3  # splits whose test blocks were seen in trials before, of sizes, updates and members


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--data", nargs="+", default=NAMES)
    parser.add_argument("--splits", nargs="+", type=int, default=range(10))
    grid.add_options(parser)
    arguments = parser.parse_args()
    done = {(row["data"], int(row["split"]), row["method"]) for row in read(OUT)}
    jobs = product(arguments.splits, arguments.data, MODELS)
    todo = [(name, split, part) for split, name, part in jobs if (name, split, part) not in done]
    for rows in grid.results(rows_of_split, todo, arguments):
        report(OUT, *rows)


def rows_of_split(name: str, split: int, part: str) -> list[dict]:
    torch.set_num_threads(1)
    prepared, rows = prepare(name, split), []
    for label, runs in MODELS[part](prepared).items():
        errors = [summarize(model, Mean(), prepared.test) for model in runs]
        rows.append(
            {
                "data": name,
                "split": split,
                "method": label,
                "runs": len(runs),
                "blocks": errors[0]["blocks"],
                "query_mse": f"{fmean(e['query_mse'] for e in errors):.6g}",
                "mean_query_mse": f"{errors[0]['mean_query_mse']:.6g}",
                "torch": torch.__version__,
            }
        )
    return rows


def of_preset(preset: str, prepared: PreparedData) -> list[MetaTraining]:
    """The paper's architecture, trained once with each seed."""
    model, training = PRESETS[preset].model, PRESETS[preset].training
    return [trained(MetaMF, model, training, seed, squared_errors, prepared) for seed in OURS_SEEDS]


def models(prepared: PreparedData) -> dict[str, list[nn.Module]]:
    """The models behind each other row, by label; their errors are averaged."""
    tuned = of_preset("tuned", prepared)
    bayes = [trained(Universal, BAYES, TRAINING, seed, errors_per_block, prepared) for seed in BAYES_SEEDS]
    last, bayes = [run.average for run in tuned], [run.method for run in bayes]  # what preset last keeps of tuned
    both = Ensemble(last), Ensemble(bayes)
    return {
        "tuned": [run.method for run in tuned],
        "last": last,
        "bayes": bayes,
        f"last x {len(last)}": [both[0]],
        f"bayes x {len(bayes)}": [both[1]],
        "extended": [Ensemble(both)],
    }


MODELS = {  # what gives the row of this name, and others with it
    "paper": lambda prepared: {"paper": [run.method for run in of_preset("paper", prepared)]},
    "extended": models,
}


class Ensemble(nn.Module):
    """The average of the estimates of several methods, all in the same standardised units."""

    def __init__(self, members: Sequence[nn.Module]):
        super().__init__()
        self.members = nn.ModuleList(members)

    def adapt(self, support: RatingsBatch) -> SimpleNamespace:
        adapted = [member.adapt(support) for member in self.members]
        return SimpleNamespace(predict=lambda row, col: torch.stack([one.predict(row, col) for one in adapted]).mean(0))


def trained(method, config, settings: TrainingConfig, seed: int, objective, prepared: PreparedData) -> MetaTraining:
    """The meta-training of a model, after its last epoch."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = method(config)
    settings = replace(settings, seed=seed)
    run = MetaTraining(model, BlockSampler([prepared.train]), prepared.validation, settings, objective)
    for _ in run.run():
        pass
    return run


def tests(rows: pd.DataFrame) -> pd.DataFrame:
    """The ratio of each model to Mean on the splits of ``rows``, by which share of it ``extended`` is lower, and the
    p-value of the paired test."""
    others = paper.measured("table1").query("method in ('eml', 'crossed_effects') and preset in ('tuned', '')")
    others = others.merge(rows[["data", "split"]].drop_duplicates())
    rows = pd.concat([rows, others[["data", "split", "method", "query_mse", "mean_query_mse"]]])
    rows["ratio"] = rows.query_mse / rows.mean_query_mse
    found = []
    for name in dict.fromkeys(rows.data):
        ours = rows[rows.data == name]
        ratio = ours.groupby("method", sort=False).ratio.mean()
        test = paired_differences(ours, "ratio", "extended")
        for method in ratio.index:
            line = {"data": name, "method": method, "ratio to Mean": ratio[method]}
            if method in test.index:
                line["extended is lower by"] = test.difference[method] / ratio[method]
                line["p"], line["splits"] = test.p[method], int(test.splits[method])
            found.append(line)
    return pd.DataFrame(found)


if __name__ == "__main__":
    main()
