"""Tensors are kept in a list, dict, attribute or closure, and pile up.

## What it detects
A container or attribute through which the program keeps so many eager tensors that they make up most of its
memory.

## Why it happens
Losses, predictions, gradients or activations are appended for every step, and nothing lets them go. A tensor
keeps its whole buffer alive. A gradient tape that is kept (`persistent=True`) keeps every tensor of its forward pass.

## Evidence
[evidence of what is kept]

## How it is proved
[proof of what is kept]
Kept tapes are likely the cause where there are at least eight, more at the last census than at an earlier one, and
what memory grew by for each of them explains at least 60 % of what the program held above its libraries.

## Fix
Keep numbers instead of tensors (`float(loss)`), keep only the last few, or write them to disk.

## Known problems
[known problems of what is kept]
"""

from __future__ import annotations

import ast

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of, keeping_changes
from whydied.diagnose.memory.growth_with_events import NAMED_ROOTS, named_explain
from whydied.diagnose.memory.kept_objects import (
    EXPLAINS,
    KEPT_TEXTS,
    filling,
    filling_place,
    finding_of,
    kept,
    written_name,
)
from whydied.diagnose.memory.memory_over_time import baseline_bytes, censuses, own_peak_bytes
from whydied.diagnose.rules.memory.workers_times_queue import outweigh
from whydied.records import CensusTaken, Frame, Holder
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.holding_edits import detached
from whydied.source.trees import across, written

TEXTS = KEPT_TEXTS
KINDS = ("tensor",)
ADVICE = [
    "Keep numbers (`float(loss)`) instead of tensors, or only the last few (`collections.deque(maxlen=…)`).",
]


_DETACH = "These tensors keep the graph that they were computed by: keep `.detach()` of them, or `.item()` of a scalar."
_CHAIN = "torch.autograd."
FEWEST_TAPES = 8
NAMED_SHARE = 0.4

ROLE = "memory"
YIELDS_TO = ("oversized-tensor",)


def check(case: Case) -> Finding | None:
    found = kept(case, KINDS)
    if found is None:
        return _tapes(case) or _chain(case)
    if outweigh(case, found.bytes_at_end):
        return None
    graphs = _tapes_in(found.census)
    keep_graph = graphs is not None and graphs[0].path == found.holder.path and graphs[2].startswith("torch.")
    return finding_of(case, found, "tensor", [_DETACH, *ADVICE] if keep_graph else ADVICE)


def _tapes(case: Case) -> Finding | None:
    """Tapes that a container keeps, or tensors of PyTorch with the graph that they were computed by. What these keep is
    native: only memory tells how much it is."""
    taken = [census for _, census in censuses(case)]
    last = _tapes_in(taken[-1]) if taken else None
    if last is None or last[1] < FEWEST_TAPES or named_explain(case, NAMED_SHARE):
        return None
    holder, number, kind = last
    is_torch = kind.startswith("torch.")
    noun = "tensors with their autograd graph" if is_torch else "gradient tapes"
    earlier = [(census, _count(census, holder)) for census in taken if _count(census, holder) < number]
    if not earlier:
        return None
    first, before = earlier[0]
    each = (taken[-1].rss_bytes - first.rss_bytes) // (number - before)
    size = number * each
    if size < EXPLAINS * (taken[-1].rss_bytes - baseline_bytes(case)):
        return None
    place, name = filling_place(case, holder), written_name(case, holder)
    container = holder.container.rpartition(".")[2] or "container"
    end = size + max(0, own_peak_bytes(case) - taken[-1].rss_bytes)
    return Finding(
        message=f"{prefix(place)}the {container} `{name}` holds {number:,} {noun}, and each keeps the "
        f"tensors of its forward pass, {words.size(each)}: about {words.size(end)} at the end{case.limit_words}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind=container, name=name, bytes=end),
        evidence=[
            Evidence(
                fact=f"{noun} in the first and the last census",
                value=f"{before:,} at {words.size(first.rss_bytes)} RSS, {number:,} at "
                f"{words.size(taken[-1].rss_bytes)}",
                source="CensusTaken",
            )
        ],
        advice=[
            f"Keep numbers (`{name}.append(loss.item())`), or tensors without their graph (`.detach()`).",
        ]
        if is_torch
        else [
            "Take what you need from the tape (its gradients, `float(loss)`) and free it: `del tape`.",
            "`persistent=True` is needed only if `gradient` is called more than once.",
        ],
        changes=_changes(case, holder, name, number, is_torch),
    )


def _changes(case: Case, holder: Holder, name: str, number: int, is_torch: bool) -> list[Change]:
    fill = filling(case, holder)
    without = detached(case.sources, fill) if is_torch and fill is not None else []
    alone = change_of("Keep the tensors without their graph", "release", without, "exact")
    return alone + keeping_changes(case, holder, name, number, fill)


def _chain(case: Case) -> Finding | None:
    """A sum of PyTorch tensors that keeps the graphs of all its parts: it is longer at each look."""
    taken = [census for _, census in censuses(case)]
    last = _tapes_in(taken[-1], chained=True) if taken else None
    if last is None or named_explain(case, NAMED_SHARE):
        return None
    holder, length, _ = last
    lengths = [(census, _tapes_in(census, chained=True)) for census in taken[:-1]]
    before = [(census, one[1]) for census, one in lengths if one is not None and one[0].path == holder.path]
    steps = [one for _, one in before]
    first, start = before[0] if before else (taken[0], 0)
    if start >= length or max([*steps, 0]) > length or taken[-1].rss_bytes <= first.rss_bytes:
        return None
    size = taken[-1].rss_bytes - baseline_bytes(case)
    place, name = _sum_place(case, holder), written_name(case, holder)
    end = size + max(0, own_peak_bytes(case) - taken[-1].rss_bytes)
    return Finding(
        message=f"{prefix(place)}`{name}` keeps the autograd graph of each of {length:,} steps, and with it the "
        f"tensors of their forward passes: about {words.size(end)} at the end{case.limit_words}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="tensor", name=name, bytes=end),
        evidence=[
            Evidence(
                fact="steps in its graph at the first and the last census",
                value=f"{start:,} at {words.size(first.rss_bytes)} RSS, {length:,} at "
                f"{words.size(taken[-1].rss_bytes)}",
                source="CensusTaken",
            )
        ],
        advice=[f"Add numbers, not tensors: `.item()` of what is added to `{name}`, or `.detach()`."],
    )


def _sum_place(case: Case, holder: Holder) -> Location | None:
    """The statement that makes the sum of itself, else the one that assigns it last."""
    name = holder.path.rpartition(".")[2]
    added = [(file, node.lineno) for file, node in across(case.sources, ast.AugAssign) if _is_named(node.target, name)]
    added += [
        (file, node.lineno)
        for file, node in across(case.sources, ast.Assign)
        if any(_is_named(target, name) for target in node.targets)
        and any(_is_named(part, name) for part in ast.walk(node.value))
    ]
    mine = [line for file, line in added if file == holder.file]
    if not mine:
        return filling_place(case, holder)
    return case.locate(Frame(file=holder.file, line=mine[-1], function=holder.function, user=True))


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and written(node).rpartition(".")[2] == name


def _tapes_in(census: CensusTaken, chained: bool = False) -> tuple[Holder, int, str] | None:
    """Who keeps the most tapes by a name of the program's own, how many, and of which type."""
    held = [
        (holder, round(group.count * holder.share), group.type)
        for group in census.groups
        for holder in group.holders
        if group.kind == "tape" and holder.path and holder.root in NAMED_ROOTS
        if group.type.startswith(_CHAIN) is chained
    ]
    return max(held, key=lambda pair: pair[1], default=None)


def _count(census: CensusTaken, holder: Holder) -> int:
    found = _tapes_in(census)
    return found[1] if found and found[0].path == holder.path else 0
