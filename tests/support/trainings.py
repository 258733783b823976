"""Meta-trainings of a moment, and a method whose validation error is known in closed form."""

from dataclasses import replace

import torch
from problems import small_model, structured_ratings
from torch import nn

from metamf.learning.episodes import BlockSampler, EpisodeBatch, held_out_blocks
from metamf.learning.training import MetaTraining, TrainingConfig

TRAIN = structured_ratings(40, 40)
VALIDATION = EpisodeBatch.of(held_out_blocks(structured_ratings(24, 24, seed=1), 6, [0], (12, 12)))
CONFIG = TrainingConfig(learning_rate=5e-3, epochs=4, updates_per_epoch=3, batch_size=4)
RICH = replace(CONFIG, epochs=6, schedule="cosine", averaging=0.7, weight_decay=0.01, patience=5)


def training(config=CONFIG, method=None, validation=VALIDATION, **settings):
    method = method or small_model(dropout=0.2, **settings)
    return MetaTraining(method, BlockSampler([TRAIN], (12, 12)), validation, config)


def parameters(module):
    return {name: value.clone() for name, value in module.state_dict().items()}


class Dial(nn.Module):
    """A method with one number: it predicts it everywhere, so the validation error is known in closed form."""

    def __init__(self, start):
        super().__init__()
        self.number = nn.Parameter(torch.tensor(float(start)))

    def adapt(self, support):
        return self

    def predict(self, row, col):
        return self.number.expand(len(row))


def learning_rates(run):
    """A list that fills with the learning rate of each update."""
    rates = []
    run.optimizer.register_step_pre_hook(lambda optimizer, *_: rates.append(optimizer.param_groups[0]["lr"]))
    return rates
