"""Pictures or masks with more channels than are expected: four for three, three or four for one. Pure.

The channels are seen in the shapes, or, where both sides were flattened, in how many times one is as large as the
other. The edit takes the first ones where the picture is used or the mask is made; a run of the program tells whether
that is all.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, root_of
from whydied.diagnose.errors.advice import Advice, Way, advised, nothing
from whydied.diagnose.errors.framework_error import Shape, shape_words
from whydied.diagnose.errors.misfit import Misfit
from whydied.records import Frame, Operand, Party
from whydied.shapes.op_words import ELEMENTWISE
from whydied.source.assignments import assigned
from whydied.source.calls import parameters
from whydied.source.container_parts import expression
from whydied.source.edits.call_edits import calls_at
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.value_edits import use_edits
from whydied.source.generators import only_giver
from whydied.source.text import Source
from whydied.source.trees import function_at, located, scope_at, walk
from whydied.texts import shapes_and_types

KIND = "channels"
_CHANNELS = {(4, 3), (3, 1), (4, 1)}
"""What came, and what is expected: an alpha channel, a grey picture that was stored in colour."""
_NOT_RESHAPED = shapes_and_types.NOT_RESHAPED.pattern


class Picture(NamedTuple):
    """An array that NumPy cannot reshape for its channels."""

    operand: Operand
    frame: Frame
    expected: int
    target: Shape
    advice: Advice


def fewer_channels(came: Shape, wanted: Shape) -> int | None:
    """How many channels are wanted, where all sizes but the last agree; an axis of size 1 may be in front."""
    inner = [[size for size in shape[:-1] if size != 1] for shape in (came, wanted)]
    is_picture = len(inner[0]) > 1 and inner[0] == inner[1]
    return wanted[-1] if is_picture and (came[-1], wanted[-1]) in _CHANNELS else None


def reshaped_picture(case: Case) -> Picture | None:
    """A picture that `reshape` was to give fewer channels."""
    raised = case.uncaught
    link = raised.chain[root_of(raised.chain)] if raised is not None else None
    told = _NOT_RESHAPED.search(link.message) if link is not None else None
    frame = next((one for one in reversed(link.frames) if one.user), None) if link is not None else None
    if link is None or told is None or frame is None:
        return None
    target: Shape = [int(size) for size in told["shape"].split(",") if size]
    for one in link.operands:
        expected = fewer_channels(one.shape, target) if one.shape and target else None
        if expected is not None:
            code = f"{{x}}[..., :{expected}]"
            source = case.project.get(frame.file)
            edits = use_edits(source, frame.file, frame.line, one.text, code, ["reshape"]) if source else None
            many = f"{expected} channels" if expected > 1 else "channel"
            words = f"Take the first {many}: `{code.format(x=one.text)}`"
            return Picture(one, frame, expected, target, advised(f"{words}.", KIND, Way(words, edits)))
    return None


def target_channels(found: Misfit) -> Advice:
    """Targets of several channels in a loss, against one that the model gives, both flattened."""
    error, sides = found.error, (found.first, found.second)
    if error.facts.op not in ELEMENTWISE or error.facts.call != "fit" or len(found.axes) != 1 or None in sides:
        return nothing()
    _, _, one, other = found.axes[0]
    if not one or not other:
        return nothing()
    larger, most, least = (found.first, one, other) if one > other else (found.second, other, one)
    channels = most // least
    if larger is None or most % least or (channels, 1) not in _CHANNELS or not _is_target(found, larger):
        return nothing()
    words = f"the targets have {channels} channels where the model gives one"
    for party in error.of_role("y"):
        if (party.shape or [None])[-1] == channels and (edits := _passed(found, party)):
            text = f"Pass `{party.text}[..., :1]`: {words}"
            return advised(f"{text}.", KIND, Way(text, edits))
    return _of_giver(found, words)


def _passed(found: Misfit, party: Party) -> list[Edit] | None:
    """The targets where `fit` is given them."""
    call, sources = found.error.facts.call, found.error.sources
    for frame in [one for one in found.error.link.frames if one.user and one.file in sources and party.text]:
        source = sources[frame.file]
        if calls_at(source, frame.line, call):
            return use_edits(source, frame.file, frame.line, party.text, "{x}[..., :1]", [call])
    return None


def _is_target(found: Misfit, party: Party) -> bool:
    """Whether a value comes from the first parameter of the loss."""
    place = found.error.facts.place
    source = found.error.sources.get(place.file) if place is not None else None
    function = function_at(source.tree, place.line) if source is not None and place is not None else None
    first = parameters(function)[:1] if function is not None else []
    for one in party.sources:
        made = {name.id for name in walk(expression(one.text), ast.Name)} if one.kind == "variable" else {one.name}
        if one.kind in ("variable", "parameter") and made & {*first}:
            return True
    return False


def _of_giver(found: Misfit, why: str) -> Advice:
    """The targets that a generator or a `Sequence` gives, where they are made."""
    sources = found.error.sources
    frame = next((one for one in found.error.link.frames if one.user and one.file in sources), None)
    giver = only_giver(sources, located(sources, frame.file, frame.line)) if frame is not None else None
    source = sources.get(giver.file) if giver is not None else None
    if giver is None or source is None:
        return nothing()
    scope = scope_at(source.tree, giver.line)
    ends: list[ast.Return | ast.Yield] = [*walk(scope, ast.Return), *walk(scope, ast.Yield)]
    given = [
        one.value.elts[1]
        for one in ends
        if isinstance(one.value, ast.Tuple) and len(one.value.elts) == 2 and one.lineno == giver.line
    ]
    if len(given) != 1:
        return nothing()
    value = _made(source, given[0])
    text = f"{_whole(source, value)}[..., :1]"
    edits: list[Edit] = [over(source, giver.file, value, text)]
    words = f"Write `{text}` on line {value.lineno}: {why}"
    place = Frame(file=giver.file, line=value.lineno, function="", user=True)
    return advised(f"{words}.", KIND, Way(words, edits, place))


def _made(source: Source, node: ast.expr) -> ast.expr:
    """The only value that a name is given in its function; else the expression itself."""
    values = assigned(node.id, scope_at(source.tree, node.lineno)) if isinstance(node, ast.Name) else []
    made = values[0].value if len(values) == 1 else None
    return made if made is not None else node


def _whole(source: Source, node: ast.expr) -> str:
    text = written_in(source, node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({text})"


def picture_words(found: Picture) -> str:
    came = found.operand.shape or []
    return (
        f"`{found.operand.text}` {shape_words(came)} has {came[-1]} channels and cannot be reshaped to "
        f"{shape_words(found.target)}, which has {found.expected}"
    )
