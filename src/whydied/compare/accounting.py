"""Which differences between two runs account for the end of the second, by what was recorded of that end. Pure.

A changed line accounts for it where the cause lies there, where it was running, or where it makes a name that the
cause's statement uses, directly or through other statements. What was recorded of models and data does where the cause
is about it, and sizes of any kind where memory ran out. That is an inference: a trial without the difference decides.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping

import msgspec

from whydied.compare.difference import EFFECTS, Difference, Hunk
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import across, last_name, names_at, nodes_between, walk

AT_CAUSE, RUNNING, MADE, EACH_STEP = 1.0, 0.9, 0.8, 0.15
OF_CULPRIT, OF_KIND, OF_VERSION, ALONE = 0.5, 0.4, 0.1, 0.3
_FARTHEST = 4
_MAKING = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.With)
_OF_DATA = ("DAT", "SHP", "NUM")
_OF_SIZES = ("MEM", "GPU")
_SIZES = ("model", "data", "call", "machine")
"""What the need of memory follows from."""


def accounted(differences: list[Difference], bad: Case, diagnosis: Diagnosis) -> list[Difference]:
    """The differences with what speaks for each; those that account for the end most come first."""
    cause = diagnosis.cause
    if cause is None:
        return differences
    ends = [one.location for one in (cause, diagnosis.death) if one is not None and one.location is not None]
    made = _makers(bad.project, ends)
    has_code = any(one.hunk is not None for one in differences)
    about = cause.culprit.name if cause.culprit is not None and cause.culprit.name else ""
    weighed = [_weighed(one, bad, ends, made, cause.code[:3], about, has_code) for one in differences]
    return sorted(weighed, key=lambda one: -one.weight)


def _weighed(
    one: Difference,
    bad: Case,
    ends: list[Location],
    made: dict[str, int],
    family: str,
    about: str,
    has_code: bool,
) -> Difference:
    if one.hunk is not None:
        weight, because = _of_code(one.hunk, bad, ends, made)
    elif one.kind in ("version", "command"):
        weight = OF_VERSION if has_code else ALONE
        because = "" if has_code else "no line of the program differs"
    elif about and one.kind in ("model", "data") and about in one.what:
        weight, because = OF_CULPRIT, f"the cause is about `{about}`"
    elif one.kind == "data" and family in _OF_DATA and _is_at(one.location, ends):
        weight, because = OF_CULPRIT, "the cause is in this call"
    elif one.kind in _SIZES and family in _OF_SIZES and one.kind not in EFFECTS:
        is_about = one.kind != "machine" or "memory" in one.what
        weight = OF_KIND if is_about else 0.0
        because = "what it needs in memory depends on this" if is_about else ""
    else:
        weight, because = 0.0, ""
    return msgspec.structs.replace(one, weight=weight, because=because)


def _is_at(place: Location | None, ends: list[Location]) -> bool:
    return place is not None and any((one.file, one.line) == (place.file, place.line) for one in ends)


def _of_code(hunk: Hunk, bad: Case, ends: list[Location], made: dict[str, int]) -> tuple[float, str]:
    at = next((one for one in ends if one.file == hunk.file and _meets(hunk, one.line, one.end_line or one.line)), None)
    if at is not None:
        return AT_CAUSE, "the cause is here"
    raised = bad.uncaught
    frames = [frame for link in (raised.chain if raised else []) for frame in link.frames if frame.user]
    if any(frame.file == hunk.file and _meets(hunk, frame.line, frame.line) for frame in frames):
        return RUNNING, "this was running when it failed"
    names = sorted((made[name], name) for name in _bound(hunk, bad.project) if name in made)
    if not names or not ends:
        return 0.0, ""
    far, name = names[0]
    how = "uses" if far == 0 else "depends on"
    return MADE - EACH_STEP * far, f"{ends[0].spelled} {how} `{name}`"


def _meets(hunk: Hunk, first: int, last: int) -> bool:
    return hunk.first <= last and hunk.last >= first


def _makers(sources: Mapping[str, Source], ends: list[Location]) -> dict[str, int]:
    """The names that the statements use, with over how many other statements."""
    found: dict[str, int] = {}
    wave = {name for place in ends if place.file in sources for name in _used(sources, place)}
    for far in range(_FARTHEST):
        wave -= set(found)
        found |= dict.fromkeys(wave, far)
        wave = {other for name in wave for other in _uses_of(sources, name)}
    return found


def _used(sources: Mapping[str, Source], place: Location) -> set[str]:
    nodes = nodes_between(sources[place.file].tree, place.line, place.end_line or place.line)
    return names_at(sources, place) | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _uses_of(sources: Mapping[str, Source], name: str) -> Iterator[str]:
    """The names in statements that make this one, in the functions that are so called, and in what is passed to those
    that have a parameter of this name."""
    takers = {node.name for _, node in across(sources, ast.FunctionDef) if name in _parameters(node)}
    for _, call in across(sources, ast.Call):
        if last_name(call.func) in takers:
            given = [*call.args, *(word.value for word in call.keywords)]
            yield from (one.id for part in given for one in walk(part, ast.Name))
    for source in sources.values():
        for node in walk(source.tree, ast.stmt):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                yield from (one.id for one in walk(node, ast.Name) if isinstance(one.ctx, ast.Load))
            elif isinstance(node, _MAKING) and name in _targets(node):
                made_of = getattr(node, "value", None) or getattr(node, "iter", None) or node
                yield from (one.id for one in walk(made_of, ast.Name))
                yield from (one.attr for one in walk(made_of, ast.Attribute))


def _parameters(function: ast.FunctionDef) -> set[str]:
    given = function.args
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def _targets(node: ast.stmt) -> set[str]:
    parts = getattr(node, "targets", None) or [getattr(node, "target", None)]
    parts = [*parts, *(item.optional_vars for item in getattr(node, "items", []))]
    found: set[str] = set()
    for part in parts:
        if part is not None:
            found |= {one.id for one in walk(part, ast.Name)} | {one.attr for one in walk(part, ast.Attribute)}
    return found


def _bound(hunk: Hunk, sources: Mapping[str, Source]) -> set[str]:
    """The names that the changed lines make, or made: variables, attributes, functions, keywords, keys."""
    found: set[str] = set()
    nodes = nodes_between(sources[hunk.file].tree, hunk.first, hunk.last) if hunk.new and hunk.file in sources else []
    for tree in (*nodes, *_parsed(hunk.old)):
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.keyword) and node.arg:
                found.add(node.arg)
    for node in nodes:
        # A line of a function's body is a part of what the function makes.
        found |= {one.name for one in walk(sources[hunk.file].tree, ast.FunctionDef) if _lies_in(node, one)}
    return found


def _lies_in(node: ast.AST, function: ast.FunctionDef) -> bool:
    return function.lineno <= getattr(node, "lineno", 0) <= (function.end_lineno or function.lineno)


def _parsed(lines: list[str]) -> list[ast.AST]:
    try:
        return [ast.parse(textwrap.dedent("\n".join(lines)))]
    except SyntaxError:
        return []
