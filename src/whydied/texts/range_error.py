"""What an op says of a label or an index that it refuses: the value, the range, the place in the batch. Pure; runs in
the user's process and after its death, so that both read the same out of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.texts import graph_messages
from whydied.texts.entry import Text

LABEL = Text(
    "tensorflow",
    r"Received a label value of (?P<value>-?\d+) which is outside the valid range of \[(?P<low>-?\d+), ?(?P<high>\d+)\)"
    r"\.?\s*(?:Label values: (?P<batch>[-\d ]+(?P<cut>\.\.\.|…)?))?",
)
INDEX = Text(
    "tensorflow",
    r"(?P<what>indices|segment_ids|ids|index)(?:\[(?P<at>[\d,]*)\])? = (?P<value>-?\d+) is (?:not in|out of range) "
    r"\[(?P<low>-?\d+), ?(?P<high>\d+)\)",
)
POINT = Text(
    "tensorflow",
    r"indices\[(?P<at>[\d,]*)\] = \[(?P<point>[-\d, ]+)\] does not index into (?:param )?shape \[(?P<shape>[\d,]+)\]",
)
SLICE = Text("tensorflow", r"slice index (?P<value>-?\d+) of dimension (?P<axis>\d+) out of bounds")


class RangeError(NamedTuple):
    """`kind` is "label", "index" or "slice". Values from `low` up to but not including `high` are allowed; `high` is
    None where the op does not tell. `at` is the place of the value in the batch, `batch` the labels that are quoted,
    `axis` the axis that was indexed."""

    kind: str
    value: int
    low: int = 0
    high: int | None = None
    at: tuple[int, ...] = ()
    batch: tuple[int, ...] = ()
    axis: int | None = None
    op: str = ""

    @property
    def refused(self) -> list[int]:
        """The rows of the quoted batch that are outside of the range."""
        return [row for row, label in enumerate(self.batch) if not self.allows(label)]

    def allows(self, value: int) -> bool:
        return value >= self.low and (self.high is None or value < self.high)


def parse(message: str) -> RangeError | None:
    op = _op(message)
    if found := LABEL.search(message):
        quoted = [int(word) for word in re.findall(r"-?\d+", found["batch"] or "")]
        whole = quoted if not _is_cut(message, found) else quoted[:-1]
        return RangeError(
            "label", int(found["value"]), int(found["low"]), int(found["high"]), (), tuple(whole), None, op
        )
    if found := INDEX.search(message):
        return RangeError(
            "index", int(found["value"]), int(found["low"]), int(found["high"]), _place(found["at"]), op=op
        )
    if found := POINT.search(message):
        return _point(_place(found["at"]), _place(found["point"]), _place(found["shape"]), op)
    if found := SLICE.search(message):
        return RangeError("slice", int(found["value"]), axis=int(found["axis"]), op=op)
    return None


def _is_cut(message: str, found: re.Match[str]) -> bool:
    """Whether the text breaks off in the middle of the labels, perhaps in the middle of a number."""
    return found["cut"] is not None or message[found.end() :].lstrip()[:1] in ("…", ".")


def _point(at: tuple[int, ...], point: tuple[int, ...], shape: tuple[int, ...], op: str) -> RangeError | None:
    """The first coordinate that is outside."""
    for axis, (value, extent) in enumerate(zip(point, shape, strict=False)):
        if not 0 <= value < extent:
            return RangeError("index", value, 0, extent, (*at, axis), axis=axis, op=op)
    return None


def _place(text: str | None) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"-?\d+", text or ""))


def _op(message: str) -> str:
    nodes = [match["node"] for match in graph_messages.OP_OR_NODE.pattern.finditer(message) if match["node"]]
    ops = [
        match["op"]
        for match in graph_messages.OP_OR_NODE.pattern.finditer(message)
        if match["op"] and not match["op"].startswith("__")
    ]
    # An op that is named along with a node only ran the graph which that is in.
    return (nodes or ops)[-1].rpartition("/")[2] if nodes or ops else ""
