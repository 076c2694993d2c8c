"""At an uncaught exception: what the data hold that flow into the failing statement; runs in the user's process.

Invariant: nothing of the user's is called. Plain containers are read through their own types, arrays and tables through
NumPy and pandas, estimators by their `__dict__`; of what is large only the beginning is read.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from whydied import redact
from whydied.inside.errors import data_flow, distinct_values, exception_chain, unread, usage_facts
from whydied.inside.guest import guard, live_source, lookup
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.value_facts import describe, type_name
from whydied.inside.journal import Journal
from whydied.records import DataLooked, HeldKind, TextsHeld
from whydied.source.assignments import reads
from whydied.source.trees import nodes_on

LARGEST_LOOKED = 24
LARGEST_TABLES = 6
LARGEST_DISTANCE = 6
LARGEST_ITEMS = 20_000
LARGEST_ROWS = 2_000
LARGEST_COLUMNS = 60
LARGEST_KINDS = 4
_LONGEST = 60
_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError)


@guarded("data_facts.look")
def look(owner: Journal, error: BaseException, trace: TracebackType | None) -> None:
    """Write what the data of the statements hold that the exception's chain went through."""
    if "numpy" not in sys.modules:
        return
    for index, (link, link_trace, _) in enumerate(exception_chain.links_of(error, trace)):
        if isinstance(link, MemoryError) and type(link).__module__.startswith("numpy"):
            # One request that was too large: there is memory for a look.
            _look_at_tables(owner, index, link_trace)
        if not isinstance(link, _ERRORS) and type(link).__module__ != "cv2":
            continue
        path = unread.path_of(link_trace, owner.ownership)
        if path is not None:
            owner.write(usage_facts.file_looked(path))
        if path is not None or isinstance(link, ValueError):
            for file in unread.open_files(link_trace, owner.ownership):
                owner.write(file)
        written, seen = 0, set()
        flowing = [*data_flow.flowing(link_trace, owner.ownership), *_columns(link_trace, owner)]
        for one in [*flowing, *_tables(link_trace, owner)]:
            is_wanted = one.distance <= LARGEST_DISTANCE and written < LARGEST_LOOKED and id(one.value) not in seen
            found = _facts(one) if is_wanted else None
            if found is not None:
                written += 1
                seen.add(id(one.value))
                owner.write(DataLooked(link=index, text=redact.text(one.name[:200]), distance=one.distance, **found))


def _look_at_tables(owner: Journal, index: int, trace: TracebackType | None) -> None:
    """The first table of the statement that was refused an array, with the different values of its columns."""
    for one in data_flow.flowing(trace, owner.ownership):
        counted = distinct_values.distinct(one.value) if one.distance == 0 else {}
        if counted:
            shape = list(one.value.shape)
            name = redact.text(one.name[:200])
            owner.write(
                DataLooked(link=index, text=name, type=type_name(type(one.value)), shape=shape, distinct=counted)
            )
            return


def _tables(trace: TracebackType | None, owner: Journal) -> Iterator[data_flow.Flowing]:
    """The tables among the variables of the user's frames: what was made of one has no names for its columns."""
    for step in exception_chain._steps(trace)[-30:]:
        if owner.ownership.user_file(step.tb_frame) is not None:
            names = {**step.tb_frame.f_globals, **step.tb_frame.f_locals}
            tables = [(name, one) for name, one in names.items() if type(one).__name__ == "DataFrame"]
            yield from (data_flow.Flowing(name, one, LARGEST_DISTANCE) for name, one in tables[:LARGEST_TABLES])


def _columns(trace: TracebackType | None, owner: Journal) -> Iterator[data_flow.Flowing]:
    """The columns of whole numbers that the failing statements read from a table: `table["label"]`, `table.label`."""
    users = [step for step in exception_chain._steps(trace)[-30:] if owner.ownership.user_file(step.tb_frame)]
    for distance, step in enumerate(reversed(users)):
        parsed = live_source.source(owner.ownership.user_file(step.tb_frame) or "")
        for node in reads(nodes_on(parsed, step.tb_lineno or 0)) if parsed is not None else []:
            if not isinstance(node, ast.Attribute | ast.Subscript):
                continue
            table = lookup.evaluate(node.value, step.tb_frame)
            name = node.attr if isinstance(node, ast.Attribute) else lookup.evaluate(node.slice, step.tb_frame)
            if type(table).__name__ != "DataFrame" or type(table).__module__.partition(".")[0] != "pandas":
                continue
            at = [number for number, one in enumerate(table.columns) if type(one) is type(name) is str and one == name]
            if len(at) == 1 and getattr(table.dtypes.iloc[at[0]], "kind", "") in "iu":
                yield data_flow.Flowing(ast.unparse(node), table.iloc[:, at[0]], distance)


def _facts(one: data_flow.Flowing) -> dict[str, Any] | None:
    """One value that cannot be described must not cost the others."""
    try:
        return _held(one.value)
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return None


def _held(value: Any) -> dict[str, Any] | None:
    kind = type(value)
    library = kind.__module__.partition(".")[0] if isinstance(kind.__module__, str) else ""
    found: dict[str, Any]
    if kind in (list, tuple, dict):
        found = _container(value)
    elif library == "numpy" and kind.__name__ == "ndarray":
        found = _array(value)
    elif library == "pandas" and kind.__name__ in ("DataFrame", "Series"):
        found = _table(value)
    elif library == "pandas" and kind.__name__.endswith("StringArray"):
        found = {"texts": _texts("", list(value[:LARGEST_ROWS]))}
    elif library == "sklearn":
        found = _estimator(value)
    else:
        return None
    facts = describe(value)
    return {"type": type_name(kind), "shape": facts.shape, "dtype": facts.dtype, "length": facts.length, **found}


def _container(value: Any) -> dict[str, Any]:
    items = list(itertools.islice(value.values() if type(value) is dict else value, LARGEST_ITEMS))
    found = {"held": _kinds(items), **_extent([item for item in items if type(item) is int])}
    if type(value) is dict and 0 < len(value) <= LARGEST_ITEMS and all(type(key) is int for key in value):
        found |= {"labels_lowest": min(value), "labels_highest": max(value)}
    return found


def _extent(numbers: list[int]) -> dict[str, Any]:
    return {"lowest": min(numbers), "highest": max(numbers)} if numbers else {}


def _kinds(items: list[Any]) -> list[HeldKind]:
    found: dict[str, list[int]] = {}
    for at, item in enumerate(items):
        found.setdefault(_words(item), []).append(at)
    ranked = sorted(found.items(), key=lambda pair: -len(pair[1]))[:LARGEST_KINDS]
    return [HeldKind(words=words, count=len(places), first=places[0]) for words, places in ranked]


def _words(item: Any) -> str:
    facts = describe(item)
    if facts.shape is not None and facts.shape:
        return f"{facts.type.rpartition('.')[2]} of shape ({', '.join(map(str, facts.shape))})"
    if type(item) in (list, tuple):
        return f"{facts.type} of length {facts.length}"
    return facts.type


def _array(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if value.dtype.kind == "O" or value.dtype.kind in "US":
        rows = value[:LARGEST_ROWS]
        if value.ndim == 1:
            found["held"] = _kinds(list(rows))
            found["texts"] = _texts("", list(rows))
        elif value.ndim == 2:
            columns = range(min(rows.shape[1], LARGEST_COLUMNS))
            found["texts"] = [one for at in columns for one in _texts(str(at), list(rows[:, at]))]
    elif 0 < value.size <= LARGEST_ITEMS * 100 and _is_whole(value):
        found = {"lowest": int(value.min()), "highest": int(value.max())}
    return found


def _is_whole(value: Any) -> bool:
    """Whether it holds whole numbers; one column of floats may: class numbers that were read from a file."""
    kind = getattr(value.dtype, "kind", "")
    if kind != "f" or value.shape[1:] not in ((), (1,)):
        return kind in ("i", "u")
    numpy = sys.modules["numpy"]
    return bool(numpy.isfinite(value).all() and (numpy.rint(value) == value).all())


def _texts(column: str, cells: list[Any]) -> list[TextsHeld]:
    texts = [str(cell) for cell in cells if isinstance(cell, str)]
    if not texts:
        return []
    numbers = sum(_is_number(text) for text in texts)
    commas = sum(not _is_number(text) and _is_number(text.replace(",", ".", 1)) for text in texts)
    example = next((text for text in texts if not _is_number(text)), texts[0])
    return [
        TextsHeld(
            column=redact.text(column[:_LONGEST]),
            count=len(texts),
            rows=len(cells),
            example=redact.text(example[:_LONGEST]),
            numbers=numbers,
            commas=commas,
        )
    ]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _table(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    rows = value.iloc[:LARGEST_ROWS]
    if type(value).__name__ == "DataFrame":
        names = list(itertools.islice(value.columns, LARGEST_COLUMNS))
        found["columns"] = [redact.text(str(name)[:_LONGEST]) for name in names]
        texts = []
        for at, name in enumerate(names):
            column = rows.iloc[:, at]
            if column.dtype.kind == "O" or "str" in str(column.dtype) or str(column.dtype) == "category":
                texts += _texts(str(name), list(column))
        found["texts"] = texts
    elif value.dtype.kind == "O" or "str" in str(value.dtype):
        found["texts"] = _texts(str(value.name), list(rows))
    elif 0 < len(value) <= LARGEST_ITEMS * 100 and not value.hasnans and _is_whole(value):
        found |= {"lowest": int(value.min()), "highest": int(value.max())}
    index = value.index
    if getattr(index.dtype, "kind", "") in "iu" and len(index):
        lowest, highest = int(index.min()), int(index.max())
        found |= {"labels_lowest": lowest, "labels_highest": highest}
        found["counted"] = lowest == 0 and highest == len(index) - 1 and bool(index.is_monotonic_increasing)
    return found


def _estimator(value: Any) -> dict[str, Any]:
    own = instance_dict(value)
    learnt = [name for name in own if name.endswith("_") and not name.startswith("_")]
    features = own.get("n_features_in_")
    classes = own.get("classes_")
    names = classes.tolist()[:LARGEST_COLUMNS] if classes is not None and type(classes).__module__ == "numpy" else []
    return {
        "fitted": bool(learnt),
        "features": features if type(features) is int else None,
        "classes": [redact.text(str(name)[:_LONGEST]) for name in names],
        "columns": [str(name)[:_LONGEST] for name in own.get("feature_names_in_", ())][:LARGEST_COLUMNS],
    }
