"""The line that fixes how many rows a table or how many classes a layer has, where the data show too few of them. Pure.

Invariant: the size is held to be wrong, and not the data, only where every number up to the largest one occurs in the
data, or where the size is computed and one short: a single id beyond the end says nothing about the table.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.advice import source_at
from whydied.diagnose.errors.written_numbers import written_number
from whydied.diagnose.finding import Location
from whydied.records import ContractBroken, Frame
from whydied.source.edits.shapes import layer_edits
from whydied.source.origins.trails import Step, Trails
from whydied.source.trees import across, located

_LAYER = re.compile(r"(?P<type>\w+) '(?P<name>[^']*)'")
_WORDS = {"vocabulary": "input_dim", "classes": "units"}


class TableSize(NamedTuple):
    """`written` is what the layer was given for its size, `why` a clause about the ids or classes."""

    place: Location
    written: str
    why: str


def too_few(
    case: Case, broken: ContractBroken, limit: str, made: Frame | None, least: float | None, greatest: float | None
) -> TableSize | None:
    """`limit` is the layer (`Embedding 'words'`), `made` its line; `least` and `greatest` are over all of the data."""
    high, word = broken.term.high, _WORDS.get(broken.term.kind)
    if high is None or word is None or made is None or least is None or greatest is None or greatest < high:
        return None
    all_there = broken.distinct is not None and broken.distinct == greatest - least + 1
    is_table = word == "input_dim"
    if least not in ((0, 1) if is_table else (0,)) or not (all_there or (is_table and greatest == high)):
        return None
    given = _given(case, limit, made, word, int(high))
    source = source_at(case.sources, made)
    if given is None or source is None:
        return None
    steps = _passed_on(case, made, given)
    literal = steps[-1].value if steps else given
    is_number = isinstance(literal, ast.Constant)
    if not all_there and is_number:
        return None
    place = case.locate(made)
    if steps and (not is_number or not _serves_more(case, steps[-1].name)):
        place = located(case.project, steps[-1].file, steps[-1].line)
    setting = written_number(case, made, int(high)) if not steps and not is_number else None
    if setting is not None and setting.is_setting:
        place = setting.place
    written = ast.unparse(given)
    return TableSize(place, written, _why(is_table, written, least, greatest, high))


def _why(is_table: bool, written: str, least: float, greatest: float, high: float) -> str:
    is_named = not written.isdigit()
    named = f"`{written}` is {int(high)}" if is_named else f"its size is {int(high)}"
    last = int(greatest)
    if not is_table:
        return f"{named}, and the labels are {last + 1} classes, 0 to {last}"
    if greatest == high:
        padding = "" if least else ", with 0 for padding,"
        return f"{named}, and ids that count from 1 to {last}{padding} need {last + 1} rows"
    return f"{named}, and the ids go up to {last} without a gap"


def _given(case: Case, limit: str, made: Frame, word: str, size: int) -> ast.expr | None:
    """The expression that the layer's call has for its size."""
    known, source = _LAYER.match(limit), source_at(case.sources, made)
    if known is None or source is None:
        return None
    layer = layer_edits.Made(known["type"], known["name"], {word: str(size)})
    call = layer_edits.layer_call(source, made.line, layer, [layer])
    return layer_edits.argument_of(call, layer.type, word) if call is not None else None


def _passed_on(case: Case, made: Frame, given: ast.expr) -> list[Step]:
    """The assignments and arguments behind a size, as long as they only pass it on."""
    steps: list[Step] = []
    if not isinstance(given, ast.Name | ast.Attribute):
        return steps
    for step in Trails(case.project, []).trail(made.file, made.line, given):
        steps.append(step)
        if not isinstance(step.value, ast.Name | ast.Attribute):
            break
    return steps


def _serves_more(case: Case, name: str) -> bool:
    """Whether a number is used in more than one place: it means something else there."""
    last = name.rpartition(".")[2]
    uses = [
        node
        for _, node in across(case.project, (ast.Name, ast.Attribute))
        if isinstance(getattr(node, "ctx", None), ast.Load)
        and last in (getattr(node, "id", ""), getattr(node, "attr", ""))
    ]
    return len(uses) > 1
