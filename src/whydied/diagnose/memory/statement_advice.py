"""What to do about a statement that makes too much, by the functions that it calls: joins, one-hot columns, tables that
are read, all pairs, padding, whitening. Pure.

Invariant: what is said of sizes was counted in a census or follows from what was: the rows of a join, the lengths of
what is padded, the square of a picture's numbers.
"""

from __future__ import annotations

import ast
from math import prod
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.bounding_changes import PART, change_of, room_bytes
from whydied.diagnose.memory.memory_over_time import censuses
from whydied.diagnose.memory.statement_shapes import Made, in_census
from whydied.source.arrays.array_shapes import Array
from whydied.source.calls import called_names, callee, passed_argument
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.literal_numbers import rounded_down
from whydied.source.edits.runs.size_edits import keyword_set
from whydied.source.trees import across, names_at, nodes_at, written

LIKE = 0.5
MOST = 0.9
"""So many of what is padded are not cut."""
_PADS = "pad_sequences"
_ONE_HOT = frozenset({"get_dummies", "to_categorical", "one_hot", "multi_hot", "pivot_table", "crosstab"})
_PAIRS = frozenset(
    {"corrcoef", "cov", "corr", "cdist", "outer", "kron", "pairwise_distances", "cosine_similarity", "linear_kernel"}
    | {"rbf_kernel", "squareform", "euclidean_distances", "pairwise_kernels", "distance_matrix"}
)
_READING = frozenset({"read_csv", "read_table", "read_json", "read_excel", "read_sql", "loadtxt", "genfromtxt"})
_TYPES = (
    "Numbers are read as 64 bits and texts as Python objects: name smaller types (`dtype={'flag': 'int8', 'x': "
    "'float32', 'name': 'category'}`), read only the columns that you use (`usecols=[…]`), or read in parts "
    "(`chunksize=…`)."
)
_ALL_PAIRS = (
    "`{name}` gives a number for every pair, n times n of them: compute only the pairs that you use (each column with "
    "the target, the nearest of each row), block by block."
)
_IDENTIFIER = (
    "There are about as many columns as rows: something that is encoded differs in nearly every row, such as an "
    "identifier. Drop it before encoding."
)
_CODES = (
    "Each distinct value becomes a column: keep the values as numbers (`astype('category').cat.codes`, "
    "`StringLookup`) for an `Embedding` layer or a sparse loss, or merge rare ones."
)
_WORD_COLUMNS = frozenset({"texts_to_matrix", "sequences_to_matrix"})
_DENSE = frozenset({"toarray", "todense"})
_IN_PARTS = (
    "A sparse table has few numbers that are not zero, and this makes room for all: keep it sparse, and make only the "
    "rows of a batch dense (`x[i:i + n].toarray()`), in a generator."
)
_JOINS = frozenset({"merge", "join"})
_WHITENS = "zca_whitening"


class JoinedRows(NamedTuple):
    """A join that gives far more rows than its tables have. `left` and `right` are the rows of two tables of which each
    is paired with each, None where no two come to that many; `on` is what it joins on, as written."""

    rows: int
    left: int | None
    right: int | None
    on: str | None

    @property
    def words(self) -> str:
        if self.left and self.right:
            return f"joins {self.left:,} rows with {self.right:,} to {self.rows:,}: each is paired with each"
        return f"joins its tables to {self.rows:,} rows"


def joined_rows(case: Case, place: Location, since_s: float) -> JoinedRows | None:
    """What a join was making when it was last counted: the arrays that the library works on have its rows."""
    calls = [node for node in nodes_at(case.sources, place) if isinstance(node, ast.Call) and callee(node) in _JOINS]
    taken = [census for at, census in censuses(case) if at >= since_s]
    if not calls or not taken:
        return None
    made: set[int] = set()
    given: set[int] = set()
    for census in taken:
        for group in census.groups:
            extents = {extent for extent in group.shape or [] if extent and extent > 1}
            if group.kind == "array" and extents:
                (made if any(holder.root == "library" for holder in group.holders) else given).add(max(extents))
    rows, largest = max(made, default=0), max(given, default=0)
    if not largest or rows < _FAR_MORE * largest:
        return None
    pairs = [(one, rows // one) for one in sorted(given, reverse=True) if rows % one == 0 and rows // one in given]
    on = passed_argument(calls[0], "on") or passed_argument(calls[0], "left_on")
    left, right = pairs[0] if pairs else (None, None)
    return JoinedRows(rows, left, right, written(on) if on is not None else None)


_FAR_MORE = 4
"""So many times the rows of the largest table are no longer a join of rows that belong together."""


def whitened(case: Case, place: Location) -> Made | None:
    """The matrix that ZCA whitening makes: as many rows and columns as a picture has numbers."""
    for given in _whitening_of(case, place):
        found = in_census(case, written(given))
        if isinstance(found, Array) and len(found.shape) > 2:
            numbers = prod(found.shape[1:])
            return Made([numbers, numbers], found.dtype, numbers * numbers * 4)
    return None


def _whitening_of(case: Case, place: Location) -> list[ast.expr]:
    """What a call of `fit` at a place was given, in a program that asks for ZCA whitening."""
    asked = any(
        written(given) == "True"
        for _, call in across(case.sources, ast.Call)
        if (given := passed_argument(call, _WHITENS)) is not None
    )
    fits = [one for one in nodes_at(case.sources, place) if isinstance(one, ast.Call) and callee(one) == "fit"]
    return [given for call in fits if asked and (given := passed_argument(call, "0")) is not None]


def advice_for(case: Case, place: Location, filled_at: Location, made: Made | None, since_s: float) -> list[str]:
    """What the functions that the statement calls make of what they are given."""
    joined = joined_rows(case, filled_at, since_s)
    if joined is not None:
        return [_keys(joined)]
    if _whitening_of(case, filled_at):
        return [_whitening(whitened(case, filled_at))]
    called = {name.rpartition(".")[2] for one in (place, filled_at) for name in called_names(one)}
    if called & _ONE_HOT:
        # About as many columns as rows: one of what is encoded differs from row to row.
        alone = made is not None and len(made.shape) == 2 and made.shape[1] >= LIKE * made.shape[0]
        return [*([_IDENTIFIER] if alone else []), _CODES]
    if called & _WORD_COLUMNS:
        return [_fewer_words(case, made)]
    if called & _DENSE:
        return [_IN_PARTS]
    if called & _READING:
        return [_TYPES]
    pairs = sorted(called & _PAIRS)
    if pairs:
        return [_ALL_PAIRS.format(name=pairs[0])]
    return _padding(case, filled_at) if _PADS in called else []


def _padding(case: Case, place: Location) -> list[str]:
    padded = _padded(case, place)
    if padded is None:
        return []
    verb = "is" if padded.longer == 1 else "are"
    rest = f"{padded.longer} of {padded.number} {verb} longer than {padded.most:,}"
    return [
        f"All are padded to the longest, {padded.longest:,}, and only {rest}: give `{_PADS}` "
        f"`maxlen={padded.most}`, or pad batch by batch (`padded_batch`)."
    ]


def padding_changes(case: Case, place: Location) -> list[Change]:
    source = case.sources.get(place.file)
    padded = _padded(case, place) if _PADS in {name.rpartition(".")[2] for name in called_names(place)} else None
    if source is None or padded is None:
        return []
    edit = keyword_set(source, place.file, place.line, "maxlen", padded.most)
    return change_of(f"Pad and cut to {padded.most:,}", "size", edit)


class _Padded(NamedTuple):
    """How long most are of what is padded to the longest, and how many are longer."""

    number: int
    longest: int
    most: int
    longer: int


def _padded(case: Case, place: Location) -> _Padded | None:
    taken = censuses(case)
    lengths = sorted(
        (group.shape[0] or 0, group.count)
        for group in (taken[-1][1].groups if taken else [])
        if group.shape and any(holder.path in names_at(case.sources, place) for holder in group.holders)
    )
    number = sum(count for _, count in lengths)
    most = [length for length, _ in lengths if sum(n for m, n in lengths if m <= length) >= MOST * number]
    if not most or most[0] * 2 > lengths[-1][0]:
        return None
    longer = sum(count for length, count in lengths if length > most[0])
    return _Padded(number, lengths[-1][0], most[0], longer)


def _fewer_words(case: Case, made: Made | None) -> str:
    most = words_that_fit(case, made)
    value = f"{most:,}" if most else "…"
    columns = f" of the {made.shape[1]:,} words" if made is not None and len(made.shape) == 2 else " word"
    return (
        f"Each{columns} becomes a column: pass `num_words={value}` to the `Tokenizer`, which keeps the most frequent, "
        "or make the rows batch by batch."
    )


def words_that_fit(case: Case, made: Made | None) -> int | None:
    """As many columns as a part of the room has space for, as people write it."""
    room = room_bytes(case)
    if made is None or len(made.shape) != 2 or room is None or not made.size_bytes:
        return None
    return rounded_down(made.shape[1] * room / PART / made.size_bytes)


def word_changes(case: Case, place: Location, made: Made | None) -> list[Change]:
    """The Tokenizer with so many words, where the program makes just one and does not say how many."""
    most = words_that_fit(case, made)
    called = {name.rpartition(".")[2] for name in called_names(place)}
    makers = [(file, one) for file, one in across(case.sources, ast.Call) if callee(one) == "Tokenizer"]
    if most is None or not called & _WORD_COLUMNS or len(makers) != 1:
        return []
    file, call = makers[0]
    edit = set_argument(case.sources[file], file, call, "num_words", 0, str(most))
    return change_of(f"Keep the {most:,} most frequent words", "size", edit)


def _keys(joined: JoinedRows) -> str:
    on = joined.on or "what it joins on"
    same = "has the same value in all rows" if joined.left else "has values that occur many times in both tables"
    return (
        f"`{on}` {same}: join on columns that together tell the rows apart (a date, a number, besides `{on}`). "
        "`validate='one_to_one'` makes such a join an error."
    )


def _whitening(matrix: Made | None) -> str:
    size = f" ({matrix.shape[0]:,} here: {words.size(matrix.size_bytes)})" if matrix is not None else ""
    return (
        f"`{_WHITENS}=True` makes matrices with a row and a column for each number of a picture{size}: leave it out "
        "(`samplewise_center=True, samplewise_std_normalization=True` normalise each picture), or use far smaller "
        "pictures."
    )
