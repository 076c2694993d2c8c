"""What the recorder sees of the cells of a notebook. See `whydied.records`.

A cell is known by its execution count. Python knows it by the file name of its code, which IPython makes up
(`/tmp/ipykernel_41/123.py`, `<ipython-input-3-…>`, `<timed exec>`): these records say which is which.
"""

from __future__ import annotations

from whydied.records.values import Important, Value


class MadeObject(Value, frozen=True, kw_only=True):
    """A large object that a cell left behind. `name` is written as in the notebook: "x", "Out[12]"."""

    name: str
    type: str
    bytes: int
    shape: list[int | None] | None = None
    dtype: str | None = None


class CellStarted(Important, frozen=True, kw_only=True):
    """A cell began to run. `number` is its execution count; `source` its text as it stands in the notebook, `code` the
    Python that IPython made of it where that differs; `name` is the file name that frames of it show, "" where it is
    not known; `blank` the number of empty lines at its beginning, which its code does not have; `parent` is the header
    of the execute_request as JSON, "" outside a kernel. The key that signs messages is not part of it. `notebook` is
    the path of the notebook, "" where it is not known."""

    number: int
    source: str
    name: str
    parent: str
    code: str = ""
    blank: int = 0
    notebook: str = ""


class CellCode(Important, frozen=True, kw_only=True):
    """A part of the running cell has code under a name of its own: what a magic runs. `skipped` is the number of lines
    of the cell before it."""

    number: int
    name: str
    skipped: int = 0


class CellEnded(Important, frozen=True, kw_only=True):
    """A cell ended. `ok` is false when it raised, and `raised` is then the type; `before` and `after` are the bytes
    resident at its two ends, `peak` the most that was seen between them."""

    number: int
    ok: bool
    before: int
    after: int
    made: list[MadeObject] = []
    peak: int = 0
    wall_s: float = 0.0
    raised: str = ""


class MemoryWarned(Important, frozen=True, kw_only=True):
    """The memory was nearly gone while a cell, or a program, ran. `how` is "warning" (a message in the cell) or "guard"
    (MemoryError in it); `number` is that of the cell, 0 for a program. `saved` is where the weights of a model that was
    in training were written before."""

    number: int
    how: str
    rss_bytes: int
    limit_bytes: int
    saved: str = ""
