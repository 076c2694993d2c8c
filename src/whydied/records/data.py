"""What the data in a failing statement hold: lists, dictionaries, arrays, tables, encoders and scalers. See
`whydied.records`.

Written after the `ExceptionRaised` whose link it belongs to. It holds what was seen, and no verdict.
"""

from __future__ import annotations

from whydied.records.values import Frame, Important, Value


class HeldKind(Value, frozen=True, kw_only=True):
    """Items of a container that are alike: arrays of one shape, lists of one length, objects of one type. `first` is
    the position of the first one."""

    words: str
    count: int
    first: int


class TextsHeld(Value, frozen=True, kw_only=True):
    """Texts in a column of a table or an array; `column` is its name, or its number where it has none. `numbers` are
    those that can be read as numbers, `commas` those that can be once their comma is a point."""

    column: str
    count: int
    rows: int
    example: str
    numbers: int = 0
    commas: int = 0


class DataLooked(Important, frozen=True, kw_only=True):
    """`text` is how the source writes it; `distance` is 0 for what stands in the failing statement itself and grows
    with each assignment between. `lowest` and `highest` are of whole numbers, of a dictionary those of its values.
    `columns` are the first names of a table's columns; `labels_lowest` and `labels_highest` are of the labels of its
    rows, or the keys of a dictionary, where these are whole numbers, and `counted` says that they are 0, 1, 2 and so
    on. `features` are the columns that an estimator was fitted on, `classes` the first of the labels that it knows;
    `fitted` is None for anything
    else. `distinct` is, where an array was refused, how many different values the text columns of a table have, those
    with most first."""

    link: int = 0
    text: str
    type: str
    distance: int = 0
    shape: list[int | None] | None = None
    dtype: str | None = None
    length: int | None = None
    held: list[HeldKind] = []
    texts: list[TextsHeld] = []
    lowest: int | None = None
    highest: int | None = None
    columns: list[str] = []
    counted: bool | None = None
    labels_lowest: int | None = None
    labels_highest: int | None = None
    features: int | None = None
    classes: list[str] = []
    fitted: bool | None = None
    distinct: dict[str, int] = {}


class TextFileSeen(Important, frozen=True, kw_only=True):
    """A text file that was open at an exception."""

    path: str
    first_line: str = ""


class CacheStage(Value, frozen=True, kw_only=True):
    """A stage that keeps its elements in a file: the line that made it, the line that called the function which that is
    in, and how often it stands in the pipeline that failed."""

    made: Frame | None = None
    caller: Frame | None = None
    uses: int = 0


class CacheLocked(Important, frozen=True, kw_only=True):
    """A cache file was in use already. `prefix` is its name in the program, `file` the lock, which is `age_s` old,
    `run_s` how long the process ran."""

    link: int = 0
    file: str
    prefix: str
    age_s: float | None = None
    run_s: float | None = None
    stages: list[CacheStage] = []
