"""Sums over the entries of each row or column, and their adjoint, as fused kernels.

``torch.nn.functional.embedding_bag`` gathers, scales and adds in one pass without an (nnz, C)
intermediate, for any number of entries, empty groups included; on a CPU it is several times faster
than ``index_add_``. The sum over groups and the gather from groups are each other's adjoint, so
each one's backward pass is the other's forward pass and the pair is differentiable to any order.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import torch
import torch.nn.functional as F
from torch import Tensor

from metamf.ratings.threads import helper_threads, map_blocks


class Segments:
    """Entries 0..n-1, divided into groups 0..n_groups-1.

    ``index`` (n,) is the group of each entry, in any order; a group may be empty. ``order`` (n,)
    has the entries group by group, and ``starts`` (n_groups,) the positions in it at which the
    groups begin.
    """

    def __init__(self, index: Tensor, n_groups: int):
        self.index = index
        self.n_groups = n_groups
        self.in_order = bool((index[1:] >= index[:-1]).all())
        if self.in_order:  # as the rows of ``RatingsBatch`` are
            ascending = index
            self.order = torch.arange(len(index), device=index.device)
        else:
            ascending, self.order = torch.sort(index, stable=True)
        self.starts = torch.searchsorted(ascending, torch.arange(n_groups, device=index.device))
        self._partners: WeakKeyDictionary[Segments, Tensor] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[Any, ...]:
        return Segments, (self.index, self.n_groups)  # what is kept of partners cannot be pickled

    def sum(self, values: Tensor) -> Tensor:
        """The sum of ``values`` (n, C) over each group, (n_groups, C); zero for an empty group."""
        return _Sum.apply(values, self)

    def gather(self, groups: Tensor, part: slice | None = None) -> Tensor:
        """The row of ``groups`` (n_groups, C) that belongs to each entry, (n, C), or to those of a
        part, (k, C)."""
        return (
            _Gather.apply(groups, self)
            if part is None
            else groups.index_select(0, self.index[part])
        )

    def sum_across(self, table: Tensor, other: Segments, weight: Tensor | None = None) -> Tensor:
        """``sum(weight * other.gather(table))`` without its (n, C) intermediate; ``weight`` (n,),
        None for ones."""
        return _SumAcross.apply(table, weight, self, other)

    def partners(self, other: Segments) -> Tensor:
        """The group in ``other`` of each entry, (n,), the entries in the order of this one's
        groups."""
        if other not in self._partners:
            self._partners[other] = self.arrange(other.index)
        return self._partners[other]

    def arrange(self, values: Tensor) -> Tensor:
        """The ``values`` (n,) of the entries, in the order of the groups."""
        return values if self.in_order else values.index_select(0, self.order)

    def add_part(self, total: Tensor, values: Tensor, part: slice, first_group: int = 0) -> None:
        """Adds the ``values`` (k, C) of consecutive entries to their groups' totals, in place; not
        differentiable.

        ``total`` (g, C) has the totals of the groups from ``first_group`` on.
        """
        index = self.index[part]
        # the part's groups are neighbours, of which the first may have begun before it
        if self.in_order:
            first = int(index[0])
            last = int(index[-1]) + 1
            starts = (self.starts[first:last] - part.start).clamp_(min=0)
            sums = F.embedding_bag(self.order[: len(index)], values, starts, mode="sum")
            total[first - first_group : last - first_group].add_(sums)
        else:
            total.index_add_(0, index, values)


def weighted_sums(starts: Tensor, table: Tensor, at: Tensor, weight: Tensor | None) -> Tensor:
    """The sum of weight[e] * table[at[e]] over the entries e of each group, (n_groups, C); not
    differentiable.

    ``starts`` (n_groups,) has the entry at which each group begins, the entries being sorted by
    group; ``table`` is (m, C), ``at`` (n,) a row of it for each entry, and ``weight`` (n,), or None
    for ones.
    """
    if len(at) == 0:
        return table.new_zeros(len(starts), table.shape[1])
    if (threads := helper_threads()) == 1:
        return F.embedding_bag(at, table, starts, mode="sum", per_sample_weights=weight)
    # groups with about as many entries for each thread
    ends = torch.arange(1, threads) * len(at) // threads
    bounds = [0, *torch.searchsorted(starts, ends).tolist(), len(starts)]

    def block(groups: tuple[int, int]) -> Tensor:
        begin = starts[slice(*groups)]
        first = int(begin[0])
        last = int(starts[groups[1]]) if groups[1] < len(starts) else len(at)
        part = None if weight is None else weight[first:last]
        return F.embedding_bag(
            at[first:last], table, begin - first, mode="sum", per_sample_weights=part
        )

    return torch.cat(
        map_blocks(block, [groups for groups in zip(bounds, bounds[1:]) if groups[0] < groups[1]])
    )


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, segments: Segments) -> Tensor:
        ctx.segments = segments
        if len(values) == 0:
            return values.new_zeros(segments.n_groups, values.shape[1])
        return F.embedding_bag(segments.order, values, segments.starts, mode="sum")

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return ctx.segments.gather(grad), None


class _SumAcross(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, table: Tensor, weight: Tensor | None, near: Segments, far: Segments
    ) -> Tensor:
        ctx.near = near
        ctx.far = far
        ctx.save_for_backward(table, weight)
        return weighted_sums(
            near.starts, table, near.partners(far), None if weight is None else near.arrange(weight)
        )

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor | None, None, None]:
        table, weight = ctx.saved_tensors
        grad = grad.contiguous()
        to_weight = None
        if ctx.needs_input_grad[1]:
            to_weight = torch.linalg.vecdot(ctx.near.gather(grad), ctx.far.gather(table))
        return ctx.far.sum_across(grad, ctx.near, weight), to_weight, None, None


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, groups: Tensor, segments: Segments) -> Tensor:
        ctx.segments = segments
        return groups.index_select(0, segments.index)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return ctx.segments.sum(grad.contiguous()), None
