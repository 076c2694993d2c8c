"""A large array is baked into a graph as a constant, and its copies take the memory.

## What it detects
An array that became a constant of a graph (a v1 graph or that of a `tf.function`) and is a large part of the memory, in
a program that memory ended.

## Why it happens
An array that is used in a graph without being fed becomes a constant of it. It is then there several times: as the
array, in the graph's description, in the copy of that which the session or the function keeps, and as a tensor.

## Evidence
Each large array when it was made a constant, with its shape and the line; the process's memory.

## How it is proved
Likely where four times its size (array, description, its copy, tensor) is at least 60 % of what the program took above
its libraries: fewer copies were never seen. Objects that the program names beside it explain less than 60 %.

## Fix
Feed the array (`feed_dict` with a placeholder, an argument of the `tf.function`), put it in a variable, read it
through `tf.data`, or let the graph read it when it runs (`tf.numpy_function`).

## Known problems
Below 64 MiB nothing is said. Many small constants are a matter of graph-growth or retracing. Inside a `tf.function`
that AutoGraph rewrote, the line is the one that calls the function.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.memory.graph_changes import read_changes
from whydied.diagnose.memory.growth_with_events import explained
from whydied.diagnose.memory.memory_over_time import baseline_bytes, own_peak_bytes
from whydied.records import ConstantMade
from whydied.source.calls import argument_of

COPIES = 4
SHARE = 0.6
LEAST_BYTES = 64 << 20
_MAKERS = frozenset({"constant", "convert_to_tensor", "assign", "gather", "matmul", "matvec", "Variable"})

ROLE = "memory"
YIELDS_TO = ("pipeline-buffer-too-large",)


def check(case: Case) -> Finding | None:
    made = case.principal.all(ConstantMade) if case.principal else []
    largest = max(made, key=lambda one: one.size_bytes, default=None)
    taken = own_peak_bytes(case) - baseline_bytes(case)
    if largest is None or largest.size_bytes < LEAST_BYTES or COPIES * largest.size_bytes < SHARE * taken:
        return None
    named = explained(case)
    if named is not None and named.named_share * named.own_bytes >= SHARE * taken:
        return None
    place = case.locate(largest.frames[-1])
    name = argument_of(place, _MAKERS)
    array = Culprit(kind="constant", name=name, shape=largest.shape, dtype=largest.dtype, bytes=largest.size_bytes)
    what = f"`{name}`" if name else "an array"
    return Finding(
        message=f"{prefix(place)}{what} ({largest.shape}, {largest.dtype}, {words.size(largest.size_bytes)}) became "
        f"a constant in the graph, which holds about {COPIES} copies of it: {words.size(taken)} in total",
        certainty="likely",
        location=place,
        culprit=array,
        evidence=[
            Evidence(
                fact="array that became a constant",
                value=f"{largest.shape} {largest.dtype}, {words.size(largest.size_bytes)}",
                source="ConstantMade",
            ),
            Evidence(fact="memory beyond the libraries", value=words.size(taken), source="MachineSampled"),
        ],
        advice=[
            "Pass the array in: a placeholder with `feed_dict`, an argument of the `tf.function`, or `tf.data`.",
            "`tf.numpy_function` reads it when the graph runs: the graph then has no copy of it.",
        ],
        changes=read_changes(case, place, array),
    )
