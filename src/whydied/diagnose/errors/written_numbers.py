"""The lines that wrote a size of a layer, where they are not the layer's own: settings, constants, defaults. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Evidence, Location
from whydied.records import Frame
from whydied.source.calls import callee, passed_argument
from whydied.source.numbers import evaluate
from whydied.source.origins.value_makers import Maker, maker
from whydied.source.trees import across, located, nodes_on

_TABLES = ("StaticHashTable", "DenseHashTable", "HashTable")
_SHAPES = ("shape", "input_shape", "batch_shape", "batch_input_shape")


class WrittenNumber(NamedTuple):
    """`place` is the line that says the number, `name` what it is called there; a setting is more than the argument of
    one call."""

    place: Location
    name: str
    value: int
    is_setting: bool

    @property
    def words(self) -> str:
        return f"`{self.name}` is {self.value} ({line_words(self.place)})"

    @property
    def evidence(self) -> Evidence:
        return Evidence(fact=f"`{self.name}`", value=f"{self.value}, set at {self.place.whole}", source="SourceKept")


def written_number(case: Case, frame: Frame | None, value: int) -> WrittenNumber | None:
    """Where the number comes from that the calls at a line were given; None where it stands there itself, or where
    more than one line could have said it."""
    source = case.project.get(frame.file) if frame is not None else None
    if frame is None or source is None:
        return None
    calls = [node for node in nodes_on(source, frame.line) if isinstance(node, ast.Call)]
    return _only(case, _makers(case, frame.file, [one for call in calls for one in _arguments(call)], value), value)


def written_input(case: Case, value: int) -> WrittenNumber | None:
    """The same for the shapes of the program's Inputs."""
    found: set[Maker] = set()
    for file, call in across(case.project, ast.Call):
        given = [one.value for one in call.keywords if one.arg in _SHAPES]
        shapes = given or (call.args[:1] if callee(call) in ("Input", "InputLayer") else [])
        found |= _makers(case, file, [part for shape in shapes for part in _parts(shape)], value)
    return _only(case, found, value)


def table_default(case: Case, value: int) -> Location | None:
    """The only line that makes a lookup table which gives this number for keys that it does not have."""
    found = [
        (file, call.lineno)
        for file, call in across(case.project, ast.Call)
        if callee(call) in _TABLES
        for given in [passed_argument(call, "default_value") or passed_argument(call, "1")]
        if given is not None and evaluate(given, {}) == value
    ]
    return located(case.project, *found[0]) if len(found) == 1 else None


def _makers(case: Case, file: str, nodes: list[ast.expr], value: int) -> set[Maker]:
    return {one for node in nodes if (one := maker(case.project, file, node, value)) is not None}


def _only(case: Case, found: set[Maker], value: int) -> WrittenNumber | None:
    if len(found) != 1:
        return None
    one = found.pop()
    return WrittenNumber(located(case.project, one.file, one.line), one.name.strip("'"), value, not one.is_passed)


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    for one in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from _parts(one)


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        for one in node.elts:
            yield from _parts(one)
    elif not isinstance(node, ast.Starred | ast.Constant):
        yield node
