"""What `whydied.expect` was told, as checks for each part of the data, and data held against them; runs in the user's
process.

Invariant: a wrong word in the declaration is a UsageError where it stands, not a contract that never holds.
The data are not changed, and the error names the first part that is wrong. It is recorded, where there is a recorder,
before it is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from whydied.errors import ContractError, UsageError
from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.inside.public import shape_text
from whydied.inside.public.contract import row_checks, row_examination
from whydied.inside.public.contract.data_parts import Path
from whydied.inside.public.contract.row_checks import Check
from whydied.inside.public.contract.row_examination import Examination
from whydied.records import ContractBroken, Frame
from whydied.source import container_parts
from whydied.words import contract_terms

BY = "declared"
Frames = Callable[[], list[Frame]]


class Declared(NamedTuple):
    """What is asked of each part of the data, by its path."""

    name: str
    parts: dict[Path, tuple[Check, ...]]
    where: str = ""

    def checks(self, path: Path) -> tuple[Check, ...]:
        return self.parts.get(path, ())

    def part_name(self, path: Path) -> str:
        """`y` of `(x, y)`, `batch[1]` of `batch`."""
        return container_parts.item(self.name, path)


class Words(NamedTuple):
    """The arguments of `expect` but for the data."""

    shape: Any = None
    dtype: Any = None
    low: Any = None
    high: Any = None
    finite: Any = False
    classes: Any = None
    one_of: Any = None
    unique: Any = False


def declare(words: Words, paths: Sequence[Path], name: str, where: str) -> Declared:
    return Declared(name, {path: _checks(_of_path(words, path, paths)) for path in paths}, where)


def _of_path(words: Words, path: Path, paths: Sequence[Path]) -> Words:
    for depth, key in enumerate(path):
        siblings = list(dict.fromkeys(other[depth] for other in paths if other[:depth] == path[:depth]))
        words = Words(*(_of_part(word, value, key, siblings) for word, value in zip(Words._fields, words, strict=True)))
    return words


def _of_part(word: str, value: Any, key: int | str, keys: Sequence[Any]) -> Any:
    """What is said of one part: by name, by position, or the same of all."""
    if isinstance(value, dict):
        unknown = [other for other in value if other not in keys]
        if unknown:
            raise UsageError(f"expect: {word} names {unknown[0]!r}, but the data have {', '.join(map(repr, keys))}")
        return value.get(key, False if word in ("finite", "unique") else None)
    if (
        isinstance(key, int)
        and isinstance(value, (tuple, list))
        and len(value) == len(keys)
        and _is_by_part(word, value)
    ):
        return value[key]
    return value


def _is_by_part(word: str, values: Sequence[Any]) -> bool:
    """Whether a tuple has one word for each part, and is not itself a shape or a set of values."""
    if word == "one_of":
        return all(one is None or _is_collection(one) for one in values)
    if word == "shape":
        return all(one is None or isinstance(one, (str, tuple, list, dict)) for one in values)
    return True


def _is_collection(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, (str, bytes))


def _checks(words: Words) -> tuple[Check, ...]:
    found: list[Check] = []
    if words.shape is not None:
        try:
            found.append(Check(contract_terms.shape(shape_text.parse(words.shape).text, BY)))
        except shape_text.ShapeTextError as error:
            raise UsageError(f"expect: {error}") from None
    if words.dtype is not None:
        found.append(Check(contract_terms.dtype(_dtype(words.dtype), BY)))
    if words.finite:
        found.append(Check(contract_terms.finite(BY)))
    if words.low is not None or words.high is not None:
        found.append(Check(contract_terms.within(_number("low", words.low), _number("high", words.high), BY)))
    if words.classes is not None:
        count = _number("classes", words.classes)
        if count is None or count < 1 or count != int(count):
            raise UsageError(f"expect: classes={words.classes!r} is not a number of classes")
        found.append(Check(contract_terms.classes(int(count), BY)))
    if words.one_of is not None:
        found.append(_members(words.one_of))
    if words.unique:
        found.append(Check(contract_terms.unique(BY)))
    return tuple(found)


def _members(values: Any) -> Check:
    import numpy

    if not _is_collection(values) or not len(values):
        raise UsageError(f"expect: one_of={values!r} is not a collection of values")
    listed = sorted(values) if isinstance(values, (set, frozenset)) else list(values)
    return Check(contract_terms.one_of([str(value) for value in listed], BY), numpy.asarray(listed))


def _number(word: str, value: Any) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"expect: {word}={value!r} is not a number") from None


def _dtype(value: Any) -> str:
    if isinstance(value, str):
        return value
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        raise UsageError(f"expect: dtype={value!r} is not a dtype")
    return {"str": "string", "int": "int", "float": "float"}.get(name, name)


class Verdict:
    """One declaration, held against data as they come."""

    def __init__(self, declared: Declared, frames: Frames = list) -> None:
        self.declared = declared
        self._frames = frames
        self._uniques: dict[Path, Examination] = {}

    def require(self, parts: dict[Path, Any], batch: int | None = None) -> None:
        """Raise ContractError where a part is not as declared. `parts` are arrays, by path; the names of axes are bound
        across them."""
        sizes: shape_text.Sizes = {}
        for path, array in parts.items():
            self._require_form(path, array, sizes, batch)
        for path, array in parts.items():
            self._require_values(path, array, batch)

    def _require_form(self, path: Path, array: Any, sizes: shape_text.Sizes, batch: int | None) -> None:
        for check in self.declared.checks(path):
            wrong = row_checks.mismatch(check.term, array, sizes)
            if wrong is not None:
                self._fail(
                    ContractBroken(
                        name=self.declared.part_name(path),
                        term=check.term,
                        rows_seen=len(array) if array.ndim else 1,
                        values=[wrong],
                        batch=batch,
                        shape=list(array.shape),
                        dtype=array.dtype.name,
                        raised=True,
                    ),
                    [],
                )

    def _require_values(self, path: Path, array: Any, batch: int | None) -> None:
        checks = [check for check in self.declared.checks(path) if check.term.kind not in ("shape", "dtype")]
        if not checks:
            return
        examination = Examination(checks)
        if any(check.term.kind == "unique" for check in checks):
            # What was there in an earlier batch is there twice, too.
            examination.remember(self._uniques.setdefault(path, examination))
        examination.look_at(array if array.ndim else array.reshape(1))
        for breach in examination.breaches:
            self._fail(
                ContractBroken(
                    name=self.declared.part_name(path),
                    term=breach.check.term,
                    rows=list(breach.rows),
                    count=breach.count,
                    rows_seen=examination.rows_seen,
                    values=list(breach.values),
                    columns=list(breach.columns),
                    batch=batch,
                    shape=list(array.shape),
                    dtype=array.dtype.name,
                    raised=True,
                ),
                breach.kept,
            )

    def _fail(self, broken: ContractBroken, kept: list[Any]) -> None:
        _record(broken, kept, self._frames)
        error = ContractError(contract_terms.sentence(broken, self.declared.where))
        error.name, error.count = broken.name, broken.count
        error.rows, error.values = tuple(broken.rows), tuple(broken.values)
        raise error


@guarded("contracts.declared")
def _record(broken: ContractBroken, kept: list[Any], frames: Frames) -> None:
    if journal.current() is not None:
        import msgspec

        journal.write(msgspec.structs.replace(broken, file=row_examination.keep_rows(kept), frames=frames()))
