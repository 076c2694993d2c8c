"""What a Keras call was given as data, in other containers: an array for a list, a list of inputs for one array; runs
in the user's process, and the conversions in a copy of it.

Keras' own adapter of data says whether it takes them, and the step is then traced with what came of it.

Invariant: the program's values are not changed. Rows beyond the first `MOST_ROWS` are left out where every part has as
many: a container is taken or refused whatever its length.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from whydied.inside.guest.value_facts import describe

MOST_ROWS = 64
MOST_LOOKED_AT = 20
_PLAIN = (bool, int, float, complex)
_ADAPTERS = (
    ("keras.src.trainers.data_adapters", "get_data_adapter"),
    ("keras.src.engine.data_adapter", "select_data_adapter"),
    ("tf_keras.src.engine.data_adapter", "select_data_adapter"),
)


class Container(NamedTuple):
    """`text` has `{}` for the expression; `make` does the same to the value."""

    text: str
    cost: float
    make: Callable[[Any], Any]


class Packing(NamedTuple):
    """Containers for the input and the targets; None leaves one as it is. `spread` says that the input is both."""

    x: Container | None
    y: Container | None
    cost: float
    spread: bool = False

    def of(self, x: Any, y: Any) -> tuple[Any, Any]:
        if self.spread:
            return x[0], x[1]
        return (self.x.make(x) if self.x else x), (self.y.make(y) if self.y else y)


def adapted(model: Any, x: Any, y: Any) -> None:
    """Raises what Keras raises where it does not take these as data."""
    roots = {kind.__module__.partition(".")[0] for kind in type(model).__mro__}
    for name, function in _ADAPTERS:
        module: Any = sys.modules.get(name)
        if module is None or name.partition(".")[0] not in roots:
            continue
        if function == "get_data_adapter":
            module.get_data_adapter(x=x, y=y, batch_size=len(x) if hasattr(x, "__len__") else None)
        else:
            module.select_data_adapter(x, y)(x, y, batch_size=MOST_ROWS)
        return


def shortened(x: Any, y: Any) -> tuple[Any, Any]:
    """A few rows of both, where all parts have as many; else as they are."""
    lengths = {_rows(part) for part in (x, y) if part is not None}
    if len(lengths) != 1 or not (rows := lengths.pop()) or rows <= MOST_ROWS:
        return x, y
    return x[:MOST_ROWS], y[:MOST_ROWS] if y is not None else None


def _rows(value: Any) -> int | None:
    """Of what is cut like a list."""
    kind = type(value)
    cut = kind in (list, tuple) or (kind.__module__ == "numpy" and bool(describe(value).shape))
    return len(value) if cut else None


def packings(x: Any, y: Any, inputs: int | None, outputs: int | None, names: dict[str, str]) -> Iterator[Packing]:
    """What may be meant, the least change first. `inputs` and `outputs` are those of the model, where they are known,
    `names` those under which the program has NumPy and TensorFlow."""
    of_x, of_y = list(_containers(x, inputs, names)), list(_containers(y, outputs, names))
    for one in of_x:
        yield Packing(one, None, one.cost)
    for one in of_y:
        yield Packing(None, one, one.cost)
    if y is None and type(x) in (tuple, list) and len(x) == 2 and inputs == 1:
        yield Packing(None, None, 1.0, spread=True)
    for first, second in itertools.product(of_x, of_y):
        yield Packing(first, second, first.cost + second.cost)


def _containers(value: Any, parts: int | None, names: dict[str, str]) -> Iterator[Container]:
    kind = type(value)
    module = kind.__module__.partition(".")[0]
    if kind in (list, tuple):
        yield from _of_list(value, parts, names)
    elif kind.__module__ == "numpy" and describe(value).shape is not None:
        yield from _of_array(value, parts, names)
    elif module == "pandas":
        yield from _of_table(names)
    elif kind is dict and value:
        yield Container("list({}.values())", 1.1, lambda one: list(one.values()))
    elif "numpy" in names and (kind is range or kind.__name__ in ("generator", "map", "zip", "filter")):
        # It is used up by looking, in the copy alone.
        yield Container(f"{names['numpy']}.array(list({{}}))", 1.0, lambda one: _numpy().array(list(one)))


def _of_list(value: Any, parts: int | None, names: dict[str, str]) -> Iterator[Container]:
    looked = value[:MOST_LOOKED_AT]
    texts = bool(looked) and all(type(one) in (str, bytes) for one in looked)
    arrays = bool(looked) and all(describe(one).shape for one in looked)
    if arrays and parts is not None and parts == len(value) and parts > 1:
        return
    if "tensorflow" in names and (texts or "numpy" not in names):
        name = names["tensorflow"]
        yield Container(f"{name}.constant({{}})", 1.0, lambda one: sys.modules["tensorflow"].constant(one))
    elif "numpy" in names and not texts:
        yield Container(f"{names['numpy']}.array({{}})", 1.0, _stacked)


def _of_array(value: Any, parts: int | None, names: dict[str, str]) -> Iterator[Container]:
    if parts is not None and parts > 1 and value.ndim and len(value) == parts:
        yield Container("list({})", 1.0, list)
    if value.dtype.kind == "O":
        if "numpy" in names and value.ndim == 1 and len(value) and describe(value[0]).shape:
            yield Container(f"{names['numpy']}.stack({{}})", 1.0, lambda one: _numpy().stack(one))
        yield Container('{}.astype("float32")', 1.0, lambda one: one.astype("float32"))
    if value.dtype.kind in "US" and "tensorflow" in names:
        name = names["tensorflow"]
        yield Container(f"{name}.constant({{}})", 1.0, lambda one: sys.modules["tensorflow"].constant(one))
        yield Container('{}.astype("float32")', 1.1, lambda one: one.astype("float32"))


def _of_table(names: dict[str, str]) -> Iterator[Container]:
    yield Container('{}.astype("float32")', 1.0, lambda one: one.astype("float32"))
    if "numpy" in names:
        yield Container(f"{names['numpy']}.stack({{}})", 1.1, lambda one: _numpy().stack(one))
    yield Container("{}.to_numpy()", 1.1, lambda one: one.to_numpy())


def _stacked(value: Any) -> Any:
    """As NumPy does it; an array of objects is no data."""
    made = _numpy().array(value)
    if made.dtype.kind == "O":
        raise ValueError
    return made


def _numpy() -> Any:
    return sys.modules["numpy"]
