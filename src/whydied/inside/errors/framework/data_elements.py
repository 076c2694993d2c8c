"""What a data set gives at a time: the shapes of x and y, and the line of the function that made each; runs in the
user's process, after an exception.

Invariant: data sets are only read, by what they tell of their elements, functions and inputs themselves; no
element is made.
"""

from __future__ import annotations

import ast
from types import FrameType, GeneratorType
from typing import Any

from whydied.inside import journal
from whydied.inside.errors.framework.data_functions import LARGEST_DATASETS, is_a, listed_by
from whydied.inside.errors.framework.op_operands import node_frame
from whydied.inside.errors.framework.value_sources import sources_of
from whydied.inside.errors.stack_steps import Step, frame_of, last
from whydied.inside.guest import guard, live_source
from whydied.inside.guest.lookup import Missing, evaluate
from whydied.inside.guest.value_facts import describe
from whydied.records import Party, ValueSource
from whydied.source.trees import around, written

LARGEST_ELEMENTS = 6


def elements_of(value: Any, node: ast.AST | None, users: list[Step]) -> list[Party]:
    """What a data set gives at a time, in words: the shapes, and for what a function of the user's made, its line."""
    text = ast.unparse(node)[:80] if node is not None else ""
    sources = sources_of(node, users[-1], users[:-1]) if node is not None and users else []
    found = []
    for role, spec, op in _elements(value)[:LARGEST_ELEMENTS]:
        facts = describe(spec)
        # Of x the line is told where its shape is not known: it is there that the shape got lost.
        is_told = role == "label" or facts.shape is None
        made = node_frame(op) if is_told and op is not None and op.type != "Placeholder" else None
        made_by = [ValueSource(kind="op", name=op.type, frame=made, text=made.source.strip()[:80])] if made else []
        party = Party(
            role=role, text=text, type=facts.type, shape=facts.shape, dtype=facts.dtype, sources=[*made_by, *sources]
        )
        found.append(party)
    return found


def padded_parts(steps: list[Step]) -> list[Party]:
    """The parts of the elements that a data set was to pad (`padded_batch`)."""
    step = last(steps, lambda one: one.frame.f_code.co_name == "padded_batch" and one.file is None)
    spec = _told_spec(step.get("self")) if step is not None else None
    parts = _leaves(spec)[:LARGEST_ELEMENTS] if spec is not None and type(spec) is not dict else []
    told = [describe(part) for part in parts]
    return [Party(role="component", type=one.type, shape=one.shape, dtype=one.dtype) for one in told]


def yields_of(role: str, value: Any) -> list[Party]:
    """The line of the `yield` at which a generator of the user's waits."""
    owner = journal.current()
    if type(value) is not GeneratorType or value.gi_frame is None or owner is None:
        return []
    file = owner.ownership.user_file(value.gi_frame)
    if file is None:
        return []
    frame = frame_of(file, value.gi_frame.f_lineno, value.gi_code.co_name)
    source = ValueSource(kind="generator", name=value.gi_code.co_name, frame=frame, text=frame.source.strip()[:80])
    return [Party(role=role, type="generator", sources=[source]), *_yielded(file, value.gi_frame)]


def _yielded(file: str, frame: FrameType) -> list[Party]:
    """The types and shapes of what is written out in the `yield` that a generator waits at."""
    source = live_source.source(file)
    found = around(source.tree, frame.f_lineno, ast.Yield) if source is not None else []
    parts = [] if not found or found[-1].value is None else _written_parts(found[-1].value)
    known = [(one, evaluate(one, frame)) for one in parts[:LARGEST_ELEMENTS]]
    return [
        Party(role="yielded", text=written(one)[:80], type=describe(value).type, shape=describe(value).shape)
        for one, value in known
        if not isinstance(value, Missing)
    ]


def _written_parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        return [part for one in node.elts for part in _written_parts(one)]
    if isinstance(node, ast.Dict):
        return [part for one in node.values for part in _written_parts(one)]
    return [node]


def _elements(dataset: Any) -> list[tuple[str, Any, Any]]:
    """What a data set gives at a time: for each tensor its role ("element" for x, "label" for y), its spec, and the op
    of the last function that made it, where that is known."""
    spec = _told_spec(dataset)
    if spec is None:
        return []
    pair = spec if type(spec) is tuple and 1 < len(spec) <= 3 else (spec,)
    parts = [(role, part) for role, one in zip(("element", "label"), pair, strict=False) for part in _leaves(one)]
    makers = _outputs(dataset)
    every = sum(len(_leaves(one)) for one in pair)
    ops = makers if len(makers) == every else [None] * every
    return [(role, part, op) for (role, part), op in zip(parts, ops, strict=False)]


def _told_spec(dataset: Any) -> Any:
    if not is_a(dataset, "DatasetV2"):
        return None
    try:
        return dataset.element_spec
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return None


def _leaves(spec: Any) -> list[Any]:
    if type(spec) in (list, tuple):
        return [leaf for part in spec for leaf in _leaves(part)]
    if type(spec) is dict:
        return [leaf for key in sorted(spec, key=str) for leaf in _leaves(spec[key])]
    return [spec]


def _outputs(dataset: Any) -> list[Any]:
    """The ops that a data set's last function ends in, below what only groups, orders or repeats its elements."""
    for _ in range(LARGEST_DATASETS):
        functions = listed_by(dataset, "_functions")
        if functions:
            graph = getattr(getattr(functions[0], "function", None), "graph", None)
            return [_made(tensor) for tensor in getattr(graph, "outputs", ())] if _is_map(dataset) else []
        below = listed_by(dataset, "_inputs")
        if len(below) != 1:
            return []
        dataset = below[0]
    return []


def _is_map(dataset: Any) -> bool:
    return any("Map" in kind.__name__ for kind in type.__dict__["__mro__"].__get__(type(dataset)))


def _made(tensor: Any) -> Any:
    op = getattr(tensor, "op", None)
    while op is not None and op.type == "Identity" and len(op.inputs) == 1:
        op = op.inputs[0].op
    return op
