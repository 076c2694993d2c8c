"""What was asked of a program's data, what the data were, and the rows that broke it. See `whydied.records`."""

from __future__ import annotations

from whydied.records.numerics import Numbers
from whydied.records.values import Frame, Important, Value


class Term(Value, frozen=True, kw_only=True):
    """One thing that is asked of an input. `kind` is "shape", "dtype", "finite", "range", "classes", "vocabulary",
    "one-hot", "one-of" or "unique"; `by` is "input", "loss", "embedding" or "declared", and `source` says which one.

    `words` is what is expected, in words. `high` is the first value that is too large where `below` is true, else the
    largest that is allowed. `spared` are values that are allowed besides."""

    kind: str
    words: str
    by: str
    source: str = ""
    low: float | None = None
    high: float | None = None
    below: bool = False
    shape: str = ""
    dtype: str = ""
    members: list[str] = []
    spared: list[float] = []


class DataSeen(Important, frozen=True, kw_only=True):
    """What an input of a call was, as far as it was looked at; a later record of the same call and name replaces an
    earlier one. `role` is "input", "target" or "weight"; `sort` is "array", "pipeline" (the arrays that a tf.data
    source holds) or "batches" (of a generator or a PyDataset). `shape` has None for rows and for what varied. `batches`
    is how many batches a pipeline makes of its rows, where that is known. `distinct` are the values seen where they are
    few and whole. `terms` is what was asked of it. Of targets that a call splits (`validation_split`) `kept_back` is
    how many of the last rows are kept for validation, and `unseen` are the classes that no other row has."""

    name: str
    role: str
    sort: str
    shape: list[int | None]
    dtype: str
    rows_seen: int
    rows: int | None = None
    batches: int | None = None
    numbers: Numbers | None = None
    distinct: list[float] = []
    terms: list[Term] = []
    call: int | None = None
    kind: str = ""
    model: str = ""
    frames: list[Frame] = []
    kept_back: int | None = None
    unseen: list[int] = []


class ContractBroken(Important, frozen=True, kw_only=True):
    """Data that are not as they should be. Rows count from zero and are those of the data set, or of batch number
    `batch` where that is set; `rows` has the first few, `count` is over all rows that were looked at (`rows_seen`).
    `values` are the first offending values as text, at the positions `columns` of their rows. `file` holds those rows,
    relative to the run's directory. `raised` says that the program was told (a declared contract). `distinct` is how
    many different values all the data have, where they are ids or classes and were counted."""

    name: str
    term: Term
    rows: list[int] = []
    count: int = 0
    rows_seen: int = 0
    values: list[str] = []
    columns: list[list[int]] = []
    batch: int | None = None
    shape: list[int | None] = []
    dtype: str = ""
    role: str = ""
    file: str = ""
    call: int | None = None
    frames: list[Frame] = []
    raised: bool = False
    distinct: int | None = None
