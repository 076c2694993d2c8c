"""The expression that gave a value the size which does not fit, where the program writes its shape out. Pure.

Of two values that do not fit, the one whose size is written is wrong where the size of the other comes from the data:
a shape that is written has to follow them.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import Way
from whydied.diagnose.errors.framework_error import FrameworkError, name_of, shape_words
from whydied.diagnose.errors.misfit import Misfit
from whydied.records import Frame, Local, Party, ValueSource
from whydied.source.calls import callee
from whydied.source.edits.edit import over, written_in
from whydied.source.trees import nodes_on, scope_at, within, written

_MOST_ENTRIES = 3


class MadeSize(NamedTuple):
    """`party` has `size` on `axis`, where the other value has `wanted`; `made` is the expression behind it."""

    party: Party
    axis: int
    size: int
    wanted: int
    made: ValueSource

    @property
    def frame(self) -> Frame | None:
        return self.made.frame

    @property
    def words(self) -> str:
        """What the size is, and what it would have to be."""
        where = f" ({line_words(self.made.frame)})" if self.made.frame is not None else ""
        said = f"`{self.made.text}`{where}" if self.made.kind != "size" else f"`{self.made.name}`{where}"
        named = f"`{self.made.name}` = {said}" if self.made.kind == "variable" and self.made.name else said
        return (
            f"Axis {self.axis} of {name_of(self.party, 'it')} {shape_words(self.party.shape)} is {named}, which is "
            f"{self.size}; it would have to be {self.wanted}"
        )


def made_size(found: Misfit) -> MadeSize | None:
    """The only written size of two that do not fit each other."""
    if found.first is None or found.second is None or len(found.axes) != 1:
        return None
    left, right, one, other = found.axes[0]
    sides = ((found.first, left, one, other), (found.second, right, other, one))
    written = [
        MadeSize(party, axis, size, wanted, trail[-1])
        for party, axis, size, wanted in sides
        if size is not None and wanted is not None and (trail := _trail(party, axis))
    ]
    if len(written) != 1:
        return None
    only = written[0]
    facing = found.second if only.party is found.first else found.first
    return None if _is_written(facing, only.wanted) or _is_shared(facing, only.made.name) else only


def _is_shared(party: Party, name: str) -> bool:
    """Whether the other value is made with the same name: with another number both sizes would change."""
    return bool(name) and any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", one.text) for one in party.sources)


def _is_written(party: Party, size: int) -> bool:
    """Whether a size stands as a number in what made the value: then neither of the two is known to be wrong."""
    return any(re.search(rf"(?<![\w.]){size}(?![\w.])", source.text) for source in party.sources)


def _trail(party: Party, axis: int) -> list[ValueSource]:
    """The makers of a size up to the last that is no parameter, which says nothing of its own."""
    trail = party.size_makers[axis] if axis < len(party.size_makers) else []
    while trail and trail[-1].kind == "parameter":
        trail = trail[:-1]
    return trail


def entry_lengths(error: FrameworkError, made: MadeSize) -> list[Way]:
    """`len(batch)` of a dict is the number of its entries: the length of one of them, that which is as long as asked
    for first."""
    source = error.sources.get(made.frame.file) if made.frame is not None else None
    if made.frame is None or source is None:
        return []
    calls = [
        one
        for one in nodes_on(source, made.frame.line)
        if isinstance(one, ast.Call) and callee(one) == "len" and len(one.args) == 1 and written(one) == made.made.text
    ]
    scope = scope_at(source.tree, made.frame.line)
    function = getattr(scope, "name", "<module>")
    frames = [one for one in error.link.frames if one.file == made.frame.file and one.function == function]
    known = {one.name: one for frame in frames for one in frame.locals}
    subject = written(calls[0].args[0]) if len(calls) == 1 else ""
    if subject not in known or known[subject].type.rpartition(".")[2] not in ("dict", "OrderedDict", "defaultdict"):
        return []
    found: dict[str, bool] = {}
    for node in within(scope):
        if isinstance(node, ast.Subscript) and written(node.value) == subject and isinstance(node.ctx, ast.Load):
            found.setdefault(written_in(source, node), False)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript) and len(node.targets) == 1:
            local = known.get(written(node.targets[0]))
            if written(node.value.value) == subject and local is not None and _length(local) == made.wanted:
                found[written_in(source, node.value)] = True
    texts = sorted(found, key=lambda one: not found[one])[:_MOST_ENTRIES]
    return [
        Way(f"write `len({one})`", [over(source, made.frame.file, calls[0], f"len({one})")], made.frame)
        for one in texts
    ]


def _length(local: Local) -> int | None:
    return local.shape[0] if local.shape else local.length
