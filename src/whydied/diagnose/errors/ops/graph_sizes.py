"""The sizes of a session's graph that have to change together, as the trial in the dying process found them. Pure.

Invariant: what is said was seen: TensorFlow built the forward part of the graph with the fed shapes and these sizes, or
it did not, at the op that is named. Gradients, updates and values were not tried.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

import msgspec

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.errors.framework_error import shape_words
from whydied.diagnose.errors.session_error import node_name
from whydied.diagnose.finding import Finding, Location
from whydied.records import Frame, GraphTried, Resized
from whydied.source.edits.edit import Edit, edited, over
from whydied.source.edits.shapes.whole_numbers import written_shapes
from whydied.source.text import Source
from whydied.source.trees import nodes_on


class Size(NamedTuple):
    """A place of the graph that needs other sizes: the line on which they are written, in words, and as edits where
    they can be written."""

    place: Location | None
    words: str
    edits: list[Edit] | None


def graph_tried(case: Case) -> GraphTried | None:
    """What was tried of the run that ended the program."""
    found = case.principal.all(GraphTried) if case.principal is not None else []
    return found[-1] if found and case.uncaught is not None else None


def sizes_of(case: Case, tried: GraphTried) -> list[Size]:
    return [_size(case, one) for one in tried.resized]


def _size(case: Case, one: Resized) -> Size:
    frame, node = _written(case, one)
    place = case.locate(frame) if frame is not None else None
    source = case.sources.get(frame.file) if frame is not None else None
    edits = _edits(source, frame, node, one) if source is not None and frame is not None else None
    line = f" on {line_words(place)}" if place is not None else ""
    if one.node.op == "Reshape":
        words = f"the reshape{line} needs the target `{one.now}` instead of `{one.was}`"
    else:
        name = node_name(case, one.node)
        words = f"the variable `{name}`{line} has to be {shape_words(one.now)} instead of {shape_words(one.was)}"
    return Size(place, words, edits)


def _written(case: Case, one: Resized) -> tuple[Frame | None, ast.Tuple | ast.List | None]:
    """The innermost line that made a node and on which its sizes are written out; else the innermost."""
    for frame in reversed(one.node.made):
        source = case.sources.get(frame.file)
        found = written_shapes(source, nodes_on(source, frame.line), one.was) if source is not None else []
        if len(found) == 1:
            return frame, found[0]
    return (one.node.made[-1] if one.node.made else None), None


def _edits(source: Source, frame: Frame, node: ast.Tuple | ast.List | None, one: Resized) -> list[Edit] | None:
    if node is None:
        return None
    changed = [
        (part, new)
        for part, old, new in zip(node.elts, one.was, one.now, strict=True)
        if old != new and new is not None
    ]
    # A name may stand for more than this size.
    if any(isinstance(part, ast.Name | ast.Attribute) and new != -1 for part, new in changed):
        return None
    edits = [over(source, frame.file, part, str(new)) for part, new in changed]
    return edits if edits and edited(source, edits) is not None else None


def completed(case: Case, finding: Finding) -> Finding:
    """A finding about a size, with the others that have to change with it, in words and in its change."""
    tried = graph_tried(case)
    if tried is None or not tried.fits or len(tried.resized) < 2 or finding.location is None or not finding.advice:
        return finding
    sizes = sizes_of(case, tried)
    here = (finding.location.file, finding.location.line)
    mine = [one for one in sizes if one.place is not None and (one.place.file, one.place.line) == here]
    others = [one for one in sizes if one not in mine]
    if not mine or not others:
        return finding
    words = f"Then {' and '.join(one.words for one in others)}."
    more = [edit for one in others for edit in one.edits or []]
    changes = finding.changes or []
    if len(changes) == 1 and all(one.edits for one in others):
        whole = [*changes[0].edits, *(edit for edit in more if edit not in changes[0].edits)]
        changes = [msgspec.structs.replace(changes[0], edits=whole)]
    return msgspec.structs.replace(finding, advice=[*finding.advice, words], changes=changes)
