"""The graphs of a run as nodes that TensorBoard draws: the traced steps with the functions that they call put in their
places, and the models with their layers. Pure.

Invariant: names are unique and have no character that TensorBoard takes as a separator where they mean none; an edge
is drawn only where one was recorded, or where a Sequential model implies it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.graph.op_table import Dims, Function, Op, Table
from whydied.records import GraphRecorded, ModelSeen

MOST_NODES = 8000
MOST_DEPTH = 30
_CALLED = ("f", "cond", "body", "then_branch", "else_branch")
_ODD = re.compile(r"[^A-Za-z0-9_.\-/]+")


class Node(NamedTuple):
    """`inputs` are names of nodes, with ":1" for another output than the first and "^" before one that only comes
    earlier. `facts` are shown beside a node that is selected."""

    name: str
    op: str
    inputs: tuple[str, ...] = ()
    shapes: tuple[Dims | None, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


def nodes_of(case: Case) -> list[Node]:
    """Models first, then the last trace of each function, as many as there is room for."""
    nodes = [node for model in _models(case) for node in _layers(model)]
    tables = _tables(case)
    for name, table in tables.items():
        # A box around all that there is would only have to be opened.
        step = _Inlined(table, f"{_plain(name)}/" if nodes or len(tables) > 1 else "")
        if len(nodes) + len(step.nodes) <= MOST_NODES:
            nodes += step.nodes
    return _unique(nodes)


def _tables(case: Case) -> dict[str, Table]:
    found: dict[str, Table] = {}
    for recorded in case.records.all(GraphRecorded):
        table = case.recording.graphs.table(recorded.file)
        if table is not None and table.functions:
            found[recorded.function] = table
    return found


def _models(case: Case) -> list[ModelSeen]:
    return list({seen.model: seen for seen in case.records.all(ModelSeen)}.values())


def _layers(model: ModelSeen) -> list[Node]:
    scope = f"model_{_plain(model.model) or _plain(model.type)}"
    chained = model.type.rsplit(".", 1)[-1] == "Sequential"
    nodes: list[Node] = []
    for layer in model.layers:
        facts = [("dtype", layer.dtype), ("parameters", "" if layer.parameters is None else f"{layer.parameters:,}")]
        facts += [("trainable", "no")] if not layer.trainable else []
        nodes.append(
            Node(
                f"{scope}/{_plain(layer.name).replace('/', '.')}",
                layer.type,
                (nodes[-1].name,) if chained and nodes else (),
                (tuple(layer.shape),) if layer.shape is not None else (),
                tuple((name, value) for name, value in facts if value),
            )
        )
    return nodes


class _Inlined:
    """One table below one scope, which ends in "/". A function that is called has a scope of its own, named after the
    call, unless it is the only one that its caller calls."""

    def __init__(self, table: Table, scope: str) -> None:
        self.nodes: list[Node] = []
        self._table = table
        self._functions = {function.name: function for function in table.functions}
        self._taken: set[str] = set()
        self._place(table.functions[0], scope, None, 0)

    def _place(self, function: Function, scope: str, given: list[str] | None, depth: int) -> list[str]:
        """The names of what a function gives. Its arguments are what the call was `given`, or nodes of their own."""
        arguments = dict(zip(function.inputs, given, strict=False)) if given is not None else {}
        outputs = {number: [arguments[number]] if number in arguments else [] for number in range(len(function.ops))}
        names = [self._named(f"{scope}{self._title(op)}") for op in function.ops]
        alone = sum("f" in op.attributes for op in function.ops) == 1

        def output(source: tuple[int, int]) -> str:
            number, index = source
            known = outputs.get(number, [])
            if index < len(known):
                return known[index]
            return names[number] if index == 0 or number in arguments else f"{names[number]}:{index}"

        for number, op in enumerate(function.ops):
            if number in arguments or len(self.nodes) > MOST_NODES:
                continue
            inputs = [output(source) for source in op.inputs if source[0] < len(names)]
            called = [self._functions[name] for name in _called(op) if name in self._functions]
            if len(called) == 1 and depth < MOST_DEPTH and "f" in op.attributes:
                inner_scope = scope if alone else f"{names[number]}/"
                outputs[number] = self._place(called[0], inner_scope, inputs, depth + 1)
                continue
            controls = [f"^{names[before]}" for before in op.controls if before < len(names) and not outputs[before]]
            self.nodes.append(Node(names[number], op.type, (*inputs, *controls), op.shapes, self._facts(op)))
            if depth < MOST_DEPTH:
                for inner in called:
                    self._place(inner, f"{names[number]}_/{_plain(inner.name)}/", None, depth + 1)
        return [output(source) for source in function.outputs if source[0] < len(names)]

    def _title(self, op: Op) -> str:
        """A variable that a function closes over is called by a number: its own name says more."""
        if op.type == "Placeholder" and 0 <= op.variable < len(self._table.variables):
            return f"variables/{_plain(self._table.variables[op.variable].name)}"
        return _plain(op.name)

    def _named(self, wanted: str) -> str:
        name, number = wanted, 0
        while name in self._taken:
            number += 1
            name = f"{wanted}.{number}"
        self._taken.add(name)
        return name

    def _facts(self, op: Op) -> tuple[tuple[str, str], ...]:
        table, facts = self._table, [("dtype", ", ".join(op.dtypes))]
        if 0 <= op.layer < len(table.layers):
            layer = table.layers[op.layer]
            facts.append(("layer", f"{layer.path or layer.name} ({layer.type})"))
        if 0 <= op.line < len(table.lines):
            line = table.lines[op.line]
            facts.append(("line", f"{line.file}:{line.line}"))
        if 0 <= op.variable < len(table.variables):
            facts.append(("variable", table.variables[op.variable].name))
        return tuple((name, value) for name, value in facts if value)


def _called(op: Op) -> list[str]:
    names = [str(op.attributes[key]) for key in _CALLED if key in op.attributes]
    branches = op.attributes.get("branches")
    return names + ([str(name) for name in branches] if isinstance(branches, list | tuple) else [])


def _plain(name: str) -> str:
    return _ODD.sub("_", name).strip("/") or "unnamed"


def _unique(nodes: list[Node]) -> list[Node]:
    """The first of a name keeps it: a function that is traced twice under one name is drawn once."""
    seen: set[str] = set()
    kept = []
    for node in nodes:
        if node.name not in seen:
            seen.add(node.name)
            kept.append(node)
    # An edge to what was left out would make TensorBoard invent a node.
    return [node._replace(inputs=tuple(one for one in node.inputs if _source(one) in seen)) for node in kept]


def _source(edge: str) -> str:
    return edge.removeprefix("^").partition(":")[0]
