"""The way back from a value that an exception is about to the statement that made it. See `whydied.records`."""

from __future__ import annotations

from whydied.records.framework import HeldPart, TakenForm
from whydied.records.values import Frame, Important, Value


class MakerStep(Value, frozen=True, kw_only=True):
    """One place that a value came through. `kind` is "variable", "attribute", "item" (of a container or a loop),
    "parameter", "default" (of a parameter), "return" (of a function of the program's own) or, at the end of a way, what
    made it: "call", "part" (of what a call gave), "constant", "method" (one that was not called), "expression",
    "no-return" (a function without one), "gap" (a way through a function on which nothing is returned). `name` is what
    it is called from there on, `text` the expression, `frame` its line."""

    kind: str
    name: str = ""
    text: str = ""
    frame: Frame | None = None


class ValueMade(Important, frozen=True, kw_only=True):
    """A value of the failing statement, `text` as it is written there, and the way that it came, the nearest first.
    `others` counts other ways that the source leaves open, and `elsewhere` are the statements at the end of some.
    `function` is the function that gave it without a `return`, at its `def`; `line` and `conditions` are those of the
    way through it, and `given` is what they looked at. Of a key that was asked for with `get`, `wanted` is the key, and
    `keys` those that there are, the nearest first; `looked_in` is what a pattern was not found in. `parts` are the
    items of a collection. `inside` is the library's function that refused the value, where no expression of the
    program's own line has it."""

    link: int
    text: str
    type: str
    value: str | None = None
    length: int | None = None
    steps: list[MakerStep] = []
    others: int = 0
    elsewhere: list[MakerStep] = []
    function: Frame | None = None
    line: int | None = None
    conditions: list[str] = []
    given: list[str] = []
    wanted: str | None = None
    keys: list[str] = []
    looked_in: str | None = None
    parts: list[HeldPart] = []
    inside: str = ""


class ResultRefused(Important, frozen=True, kw_only=True):
    """What a function of the program gave to a library, which raised about it. `name` is the function, `function` its
    `def`, `kind` "return" or "yield"; `given` are the statements that can have given the value, of which `text` is the
    expression of the only one. The value is told by `type`, `shape`, `dtype` and `length`, plain ones by `value`, a
    collection by its `parts`. `call` is how the library's function `inside` got it, `subject` what it calls it;
    `wanted` are the conditions that it checks. `taken` are forms of the value with which the library's own lines, run
    again in a copy of the process, did not raise."""

    link: int
    name: str
    function: Frame
    kind: str = "return"
    given: list[Frame] = []
    text: str = ""
    type: str = ""
    shape: list[int | None] | None = None
    dtype: str | None = None
    value: str | None = None
    length: int | None = None
    parts: list[HeldPart] = []
    call: str = ""
    subject: str = ""
    inside: str = ""
    wanted: list[str] = []
    taken: list[TakenForm] = []
