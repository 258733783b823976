"""Made-up tables with columns of their own units, many at once, and cells that are missing in them.

Rows are drawn first: independent factors, clusters, or points along a line, which is time. Columns
follow from them as sums of factors with noise, or as nodes of a random network of causes; some are
made from others nearly exactly. Then they are displayed as people write numbers down: amounts,
counts, grades, rounded or cut. Cells are missing at random, for a reason that other columns of the
row show, for their own value, or by row and column.

Every choice is made again for each table or column. Shapes: B tables of N rows and M columns.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import one_hot

GIVEN_AT_LEAST = 3  # entries of a column


class MadeUpTables:
    """Draws from torch's global random state, on one device."""

    def __init__(self, device: torch.device | str):
        self.device = torch.device(device)

    def draw(self, B: int, N: int, M: int) -> Tensor:
        """(B, N, M) tables without a gap."""
        K = min(10, max(2, round(0.7 * M)))
        roots = int(torch.randint(1, 2 + min(4, M // 3), ()))
        factors = self._rows(B, N, K)
        sums = self._sums(factors, M)
        caused = self._caused(factors[..., :roots], M)
        kind = self._choice((B, 1, 1), [45, 45, 10])
        mixed = torch.where(self._chance((B, 1, M), 0.5), sums, caused)
        x = torch.where(kind == 0, sums, torch.where(kind == 1, caused, mixed))
        x = self._displayed(self._related(_unit(x)))
        x = torch.nan_to_num(x, 0.0, 1e4, -1e4)
        rows = self._even(B, N).argsort(1).unsqueeze(2).expand(B, N, M)
        cols = self._even(B, M).argsort(1).unsqueeze(1).expand(B, N, M)
        x = _unit(x.gather(1, rows).gather(2, cols))
        alike = self._chance((B, 1, 1), 0.45)  # columns of one unit, as marks or ratings have
        width = torch.where(alike, self._between((B, 1, 1), 0, 0.5), 2.0)
        apart = torch.where(alike, self._between((B, 1, 1), -3, 1.2).exp(), 8.0)
        return x * (width * self._normal(B, 1, M)).exp() + apart * self._normal(B, 1, M)

    def given(self, x: Tensor) -> Tensor:
        """(B, N, M) 1.0 where a cell of tables x is given, otherwise 0.0."""
        B, N, M = x.shape
        x = _unit(x)
        share = 0.05 + 0.8 * torch.distributions.Beta(1.2, 1.9).sample((B, 1, 1)).to(self.device)
        even = self._even(B, N, M).clamp(1e-6, 1 - 1e-6)
        luck = even.log() - (-even).log1p()
        kind = self._choice((B, 1, 1), [50, 32, 8, 10])
        whole = self._even(B, 1, M).argsort(-1) < (M * self._between((B, 1, 1), 0.15, 0.5)).clamp(
            min=1
        )
        weights = self._normal(B, M, M) * whole.transpose(1, 2)
        weights = weights / weights.norm(dim=1, keepdim=True).clamp(min=1e-6)
        slope = self._between((B, 1, 1), math.log(0.5), math.log(4.0)).exp()
        odds = torch.where(kind == 1, slope * x @ weights, 0.0)
        odds = torch.where(kind == 2, x * self._normal(B, 1, M) * 1.2, odds)
        odds = torch.where(kind == 3, self._normal(B, N, 1) * slope, odds)
        own = share * torch.where(kind == 3, 2 * self._even(B, 1, M), 1.0)
        own = torch.where((kind == 1) & whole, 0.0, own).clamp(max=0.92)
        place = (odds + luck).argsort(1).argsort(1)  # the last ones are missing
        given = place < ((1 - own) * N).round().clamp(min=GIVEN_AT_LEAST)
        more = self._chance((B, 1, 1), 0.35).float() * self._between((B, 1, 1), 0.05, 0.4)
        hidden = (self._even(B, N, M) <= more) & (
            place >= GIVEN_AT_LEAST
        )  # as to weigh members by hidden entries
        return (given & ~hidden).float()

    def _rows(self, B: int, N: int, K: int) -> Tensor:
        """(B, N, K) factors of rows, of unit variance."""
        weights = [4, 1, 1, 1, 0.7, 3, 2.5]
        kind = self._choice((B, 1, 1), weights)
        own = self._choice((B, 1, K), weights)
        kind = torch.where(self._chance((B, 1, K), 0.2), own, kind)
        normal = self._normal(B, N, K)
        options = [
            normal,
            self._even(B, N, K) - 0.5,
            self._heavy(B, N, K),
            -self._even(B, N, K).clamp(min=1e-6).log(),
            (normal > self._between((B, 1, K), -1, 1)).float(),
            self._clusters(normal),
            self._along_time(normal),
        ]
        return _unit(_picked(kind, options))

    def _clusters(self, normal: Tensor) -> Tensor:
        """Few groups of rows, or many."""
        B, N, K = normal.shape
        groups = self._between((B, 1), math.log(2.0), math.log(max(3.0, N / 2))).exp().round()
        member = (
            (self._even(B, N) ** self._between((B, 1), 0.7, 2.0) * groups).long().clamp(max=N - 1)
        )
        centre = self._normal(B, N, K).gather(1, member.unsqueeze(2).expand(B, N, K))
        return centre + normal * self._between((B, 1, K), -3, 0).exp()

    def _along_time(self, normal: Tensor) -> Tensor:
        """Waves, random walks and time itself."""
        B, N, K = normal.shape
        waves = 4
        t = self._even(B, N, 1).sort(1).values
        frequency = self._between((B, 1, K, waves), math.log(0.3), math.log(12.0)).exp()
        phase = self._between((B, 1, K, waves), 0, 2 * math.pi)
        damping = frequency ** self._between((B, 1, 1, 1), 0, 1.5)
        wave = (torch.sin(2 * math.pi * frequency * t.unsqueeze(3) + phase) / damping).sum(3)
        kind = self._choice((B, 1, K), [3, 2, 1])
        found = _unit(_picked(kind, [wave, _unit(normal.cumsum(1)), t.expand(B, N, K)]))
        return found + normal * self._between((B, 1, 1), -4, 0).exp()

    def _sums(self, factors: Tensor, M: int) -> Tensor:
        """(B, N, M) sums of factors, with noise of their own; sometimes half of the rows follow
        other sums."""
        B, N, K = factors.shape
        number = torch.arange(K, device=self.device).view(1, 1, K)
        level = self._between((B, 1, K), 0, 2.5) * self._chance((B, 1, K), 0.3)
        weights = self._normal(B, M, K) + level
        place = torch.arange(M, device=self.device).view(1, M, 1) / M
        smooth = torch.cos(math.pi * number * place + 0.3 * self._normal(B, 1, K))
        weights = torch.where(self._chance((B, 1, 1), 0.2), smooth + 0.2 * weights, weights)
        weights = weights * (self._even(B, M, K) < self._between((B, 1, 1), 0.3, 1.3))
        decay = (number + 1.0) ** -self._between((B, 1, 1), 0.0, 2.0)
        decay = decay * (number < self._between((B, 1, 1), 0, math.log(K + 0.99)).exp().floor())
        y = factors @ (weights * decay).transpose(1, 2)
        turned = weights * decay * self._normal(B, 1, K).sign()
        others = torch.where(self._chance((B, 1, 1), 0.5), turned, self._normal(B, M, K) * decay)
        half = factors[..., :1] > 0.7 * self._normal(B, 1, 1)
        split = torch.where(half, y, factors @ others.transpose(1, 2))
        y = torch.where(self._chance((B, 1, 1), 0.15), split, y)
        y = y / y.std(1, keepdim=True).clamp(min=1e-3)
        spread = self._normal(B, 1, M) * self._between((B, 1, 1), 0, 0.9)
        return y + self._noise(B, N, M) * (self._between((B, 1, 1), -3.2, 0.2) + spread).exp()

    def _caused(self, roots: Tensor, M: int) -> Tensor:
        """(B, N, M) nodes of a random network of causes, two layers above its roots."""
        B, N = roots.shape[:2]
        nodes = [roots]
        noise = self._between((B, 1, 1), -4.5, -0.2).exp()
        for _ in range(2):
            before = torch.cat(nodes, 2)
            P = before.shape[2]
            parents = self._between((B, 1, 1), 0, 2.5)
            weights = self._normal(B, P, M) * (self._even(B, P, M) < parents / P)
            first = one_hot(torch.randint(P, (B, M), device=self.device), P).transpose(1, 2)
            x = before @ (weights + self._normal(B, P, M) * first)
            few = self._normal(B, P, M) * self._chance((B, P, M), 1.5 / P)
            x = torch.where(self._chance((B, 1, M), 0.15), x * (before @ few), x)
            h = (
                self._bent(_unit(x))
                + self._noise(B, N, M) * noise * (0.7 * self._normal(B, 1, M)).exp()
            )
            nodes.append(_unit(h))
        every = torch.cat(nodes, 2)
        weight = self._even(B, every.shape[2])
        weight[:, : roots.shape[2]] += 0.1
        picked = weight.argsort(1)[:, :M]
        return every.gather(2, picked.unsqueeze(1).expand(B, N, M))

    def _bent(self, x: Tensor) -> Tensor:
        """A function of each column."""
        B, N, M = x.shape
        kind = self._choice((B, 1, M), [4, 2, 1.2, 0.5, 0.6, 0.6, 0.8, 0.4, 1.5, 0.6])
        y = x * (0.5 * self._normal(B, 1, M)).exp() + 0.7 * self._normal(B, 1, M)
        options = [
            x,
            torch.tanh(2 * y),
            y.relu(),
            torch.sin(2 * y),
            y.square(),
            y.abs(),
            (y > 0).float(),
            torch.exp(-y.square()),
            torch.exp(y.clamp(-4, 2.5)),
            (2 * y).round(),
        ]
        return _unit(_picked(kind, options) + 1e-4 * self._normal(B, N, M))

    def _related(self, x: Tensor) -> Tensor:
        """Some columns made from others, nearly exactly: sums and products."""
        B, N, M = x.shape
        some = self._chance((B, 1, 1), 0.25) & (
            self._even(B, 1, M) < self._between((B, 1, 1), 0, 0.5)
        )
        weights = self._normal(B, M, M) * self._chance((B, M, M), 2.5 / M) * ~some.transpose(1, 2)
        weights = torch.where(self._chance((B, 1, 1), 0.5), weights, weights.abs())
        one, other = (
            torch.randint(M, (B, 1, M), device=self.device).expand(B, N, M) for _ in range(2)
        )
        product = x.gather(2, one) * (x.gather(2, other) + self._between((B, 1, M), 0, 4))
        y = _unit(torch.where(self._chance((B, 1, M), 0.25), product, x @ weights))
        y = y + self._normal(B, N, M) * self._between((B, 1, M), -8, -1.5).exp()
        return torch.where(some & (y.std(1, keepdim=True) > 0.3), y, x)

    def _displayed(self, x: Tensor) -> Tensor:
        """Columns as people write them down; those in which nothing would vary stay."""
        B, N, M = x.shape
        x = _unit(x)
        profile = self._choice((B, 1, 1), [35, 25, 40])  # as they are, all alike, each on its own
        weights = [4, 3, 1, 2, 2, 1.5, 1, 1, 0.7]
        one = self._choice((B, 1, 1), weights).expand(B, 1, M)
        own = self._choice((B, 1, M), weights)
        kind = torch.where(profile == 0, 0, torch.where(profile == 1, one, own))
        a = torch.where(profile == 1, self._even(B, 1, 1), self._even(B, 1, M))
        y = x * torch.where(self._chance((B, 1, M), 0.3), -1.0, 1.0)
        share = 0.5 * (1 + torch.erf(y / math.sqrt(2)))
        levels = (2 + 9.99 * a**1.5).floor()
        grades = (share.clamp(0, 1) ** (0.4 * self._normal(B, 1, M)).exp() * levels).floor()
        options = [
            x,
            (y * (0.3 + 1.2 * a)).clamp(-6, 6).exp(),
            y.sign() * y.abs() ** (1 + 1.5 * a),
            torch.minimum(grades, levels - 1),
            (x / (0.05 + a)).round() * (0.05 + a),
            torch.poisson((y * (0.4 + 0.8 * a) + self._normal(B, 1, M) + 1).clamp(-5, 6).exp()),
            torch.maximum(y, 2 * a - 1.2),
            share,
            torch.where(self._chance((B, N, M), 0.03), x * 5, x),
        ]
        out = _picked(kind, options)
        rare = ((out - out.median(1, keepdim=True).values).abs() > 1e-6).float().mean(
            1, keepdim=True
        ) < 3.5 / N
        return torch.where((out.std(1, keepdim=True) < 1e-5) | rare, x, out)

    def _noise(self, B: int, N: int, M: int) -> Tensor:
        return torch.where(
            self._chance((B, 1, M), 0.15), self._heavy(B, N, M), self._normal(B, N, M)
        )

    def _heavy(self, *shape: int) -> Tensor:
        """Student's t with three degrees of freedom, cut at 8."""
        squares = self._normal(3, *shape).square().mean(0)
        return (self._normal(*shape) / squares.clamp(min=1e-2).sqrt()).clamp(-8, 8)

    def _normal(self, *shape: int) -> Tensor:
        return torch.randn(shape, device=self.device)

    def _even(self, *shape: int) -> Tensor:
        return torch.rand(shape, device=self.device)

    def _between(self, shape: tuple[int, ...], low: float, high: float) -> Tensor:
        return low + (high - low) * self._even(*shape)

    def _chance(self, shape: tuple[int, ...], probability: float) -> Tensor:
        return self._even(*shape) < probability

    def _choice(self, shape: tuple[int, ...], weights: list[float]) -> Tensor:
        """Numbers of options, drawn in proportion to their weights."""
        likely = torch.tensor(weights, dtype=torch.float, device=self.device)
        return torch.multinomial(likely, math.prod(shape), replacement=True).view(shape)


def _unit(x: Tensor) -> Tensor:
    return (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True).clamp(min=1e-6)


def _picked(kind: Tensor, options: list[Tensor]) -> Tensor:
    """Of each cell the option of its number."""
    found = options[0]
    for number, option in enumerate(options[1:], 1):
        found = torch.where(kind == number, option, found)
    return found
