"""What kind of thing an object is for the census, by its type alone, and how large it is; runs in the user's process.

Invariant: no code of the user's runs. A type is judged once, by the names and modules in its `__mro__`; sizes
and shapes are read only through C slots of types that are known, and everything else has the size of its own memory.
"""

from __future__ import annotations

import gc
import itertools
import sys
from collections import deque
from collections.abc import Iterator
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, NamedTuple

from whydied.inside.census import other_tensors

TENSOR, VARIABLE, KERAS_VARIABLE, ARRAY, TEXT, ATOM = "tensor", "variable", "keras variable", "array", "text", "atom"
SEQUENCE, MAPPING, INSTANCE, FUNCTION, METHOD, CELL = "sequence", "mapping", "instance", "function", "method", "cell"
CLASS, OPAQUE = "class", "opaque"
MODEL, OPTIMIZER, GRAPH, SESSION, DATASET, FRAME = "model", "optimizer", "graph", "session", "dataset", "frame"
FILE = "file"
TAPE = "tape"
"""A gradient tape keeps what it saw in native memory, where only its number tells of it."""

LEAVES = frozenset({TENSOR, VARIABLE, ARRAY, TEXT, ATOM, GRAPH, SESSION, DATASET, FILE})
"""Kinds that the walk does not go into."""
LARGEST_LISTED = 50_000
LARGEST_ATTRIBUTES = 4000
CHUNKS = 64
ALWAYS_LISTED = frozenset({MODEL, OPTIMIZER, GRAPH, SESSION, DATASET, TAPE, FILE})
LARGE_TEXT_BYTES = 4096
CACHE = "functools._lru_cache_wrapper"
"""The type of what `lru_cache` returns: all that it has can be asked for, and nothing less."""

_BY_NAME = {
    ("tensorflow", "EagerTensor"): TENSOR,
    ("tensorflow", "BaseResourceVariable"): VARIABLE,
    ("tensorflow", "RefVariable"): VARIABLE,
    ("tensorflow", "Graph"): GRAPH,
    ("tensorflow", "BaseSession"): SESSION,
    ("tensorflow", "DatasetV2"): DATASET,
    ("tensorflow", "GradientTape"): TAPE,
    ("tensorflow", "Operation"): OPAQUE,
    ("tensorflow", "SymbolicTensor"): OPAQUE,
    ("tensorflow", "TensorShape"): OPAQUE,
    ("tensorflow", "DType"): OPAQUE,
    ("tensorflow", "ScopedTFGraph"): OPAQUE,
    ("tensorflow", "Context"): OPAQUE,
    ("tensorflow", "AtomicFunction"): OPAQUE,
    ("tensorflow", "ConcreteFunction"): OPAQUE,
    ("torch", "Tensor"): TENSOR,
    ("jaxlib", "ArrayImpl"): TENSOR,
    ("keras", "Model"): MODEL,
    ("keras", "Variable"): KERAS_VARIABLE,
    ("keras", "BaseOptimizer"): OPTIMIZER,
    ("keras", "Optimizer"): OPTIMIZER,
    ("keras", "OptimizerV2"): OPTIMIZER,
    ("keras", "KerasTensor"): OPAQUE,
    ("keras", "Node"): OPAQUE,
    ("keras", "DTypePolicy"): OPAQUE,
    ("numpy", "ndarray"): ARRAY,
    ("numpy", "generic"): ATOM,
    ("numpy", "dtype"): OPAQUE,
    ("pandas", "DataFrame"): FRAME,
    ("pandas", "Series"): FRAME,
    ("pandas", "Index"): FRAME,
    ("_io", "FileIO"): FILE,
    ("_io", "TextIOWrapper"): FILE,
    ("_io", "BufferedReader"): FILE,
    ("_io", "BufferedWriter"): FILE,
    ("_io", "BufferedRandom"): FILE,
    ("_socket", "socket"): FILE,
    ("mmap", "mmap"): FILE,
    ("h5py", "File"): FILE,
}
_BUILTIN: dict[type, str] = {
    **dict.fromkeys((int, float, bool, complex, type(None), range, slice, type(Ellipsis)), ATOM),
    **dict.fromkeys((str, bytes, bytearray), TEXT),
    **dict.fromkeys((list, tuple, set, frozenset, deque), SEQUENCE),
    **dict.fromkeys((CodeType, ModuleType, FrameType, BuiltinFunctionType, GetSetDescriptorType), OPAQUE),
    **dict.fromkeys((MemberDescriptorType, WrapperDescriptorType, MappingProxyType, property), OPAQUE),
    dict: MAPPING,
    type: CLASS,
    FunctionType: FUNCTION,
    MethodType: METHOD,
    CellType: CELL,
}
_NEVER_ENTERED = (
    "_thread",
    "weakref",
    "threading",
    "inspect",
    "typing",
    "re",
    "logging",
    "importlib",
    "ast",
    "abc",
    "whydied",
)


class TypeFacts(NamedTuple):
    """`name` is one of the words above; `base` the type through whose slots an object of this type is read; `type` the
    type's name; `attributes` the descriptor of its `__dict__`; `slots` its named slots; `proxied` the descriptor of
    what a proxy in C stands for (TensorFlow wraps the dictionaries of a `tf.Module` so)."""

    name: str
    base: type
    type: str
    module: str
    attributes: Any = None
    slots: tuple[tuple[str, Any], ...] = ()
    proxied: Any = None


_BUILTIN_BY_ID = {id(kind): name for kind, name in _BUILTIN.items()}
_known_types: dict[int, tuple[type, TypeFacts]] = {}
"""By the address of the type: a metaclass of the user's may compare and hash its classes in its own way."""


def type_facts(kind: type) -> TypeFacts:
    known = _known_types.get(id(kind))
    if known is None:
        if len(_known_types) > 20_000:
            _known_types.clear()
        known = _known_types[id(kind)] = (kind, _judge(kind))
    return known[1]


def forget() -> None:
    """Types of the user's must be free to die between two censuses."""
    _known_types.clear()


def _judge(kind: type) -> TypeFacts:
    lineage: tuple[type, ...] = type.__getattribute__(kind, "__mro__")
    module = type.__getattribute__(kind, "__module__")
    module = module if isinstance(module, str) else ""
    name: str = type.__getattribute__(kind, "__qualname__")
    shown = name if module in ("builtins", "__main__") else f"{module}.{name}"
    for base in lineage:
        owner = type.__getattribute__(base, "__module__")
        package = owner.partition(".")[0] if isinstance(owner, str) else ""
        package = "keras" if package == "tf_keras" else package
        found = _BY_NAME.get((package, type.__getattribute__(base, "__name__"))) or _BUILTIN_BY_ID.get(id(base))
        if found == OPTIMIZER and "optimizer" not in owner:
            continue
        if found == TENSOR and package != "tensorflow" and not other_tensors.is_known(kind):
            return TypeFacts(OPAQUE, object, shown, module)
        if found is not None:
            return TypeFacts(found, base, shown, module, *_access(lineage))
    package = module.partition(".")[0]
    if package in _NEVER_ENTERED or (package == "tensorflow" and "pywrap" in module):
        return TypeFacts(OPAQUE, object, shown, module)
    return TypeFacts(INSTANCE, object, shown, module, *_access(lineage), _proxied(lineage))


def _proxied(lineage: tuple[type, ...]) -> Any:
    found = (type.__getattribute__(base, "__dict__").get("__wrapped__") for base in lineage)
    return next((slot for slot in found if type(slot) is GetSetDescriptorType), None)


def _access(lineage: tuple[type, ...]) -> tuple[Any, tuple[tuple[str, Any], ...]]:
    attributes = None
    slots: list[tuple[str, Any]] = []
    for base in lineage:
        own = type.__getattribute__(base, "__dict__")
        if attributes is None and type(own.get("__dict__")) is GetSetDescriptorType:
            attributes = own["__dict__"]
        names = own.get("__slots__")
        if names is not None:
            slots += [(name, value) for name, value in list(own.items()) if type(value) is MemberDescriptorType]
    return attributes, tuple(slots)


def attributes(thing: Any, facts: TypeFacts) -> list[tuple[str, Any]]:
    """Name and value of what an instance has in its `__dict__` and its slots."""
    found: list[tuple[str, Any]] = []
    if facts.attributes is not None:
        try:
            own = facts.attributes.__get__(thing)
        except TypeError:
            # A proxy in C has a dictionary of its own, and older ones refuse the descriptor of their Python base.
            own = None
        if own is not None:
            some = list(itertools.islice(dict.items(own), LARGEST_ATTRIBUTES))
            found += [(name, value) for name, value in some if type(name) is str]
    for name, descriptor in facts.slots:
        try:
            found.append((name, descriptor.__get__(thing)))
        except AttributeError:
            continue
    return found


def many_attributes(thing: Any, facts: TypeFacts) -> Any:
    """The `__dict__` of an instance that has more attributes than are listed, else None."""
    try:
        own = facts.attributes.__get__(thing) if facts.attributes is not None else None
    except TypeError:
        return None
    return own if own is not None and dict.__len__(own) > LARGEST_ATTRIBUTES else None


def storage(thing: Any, facts: TypeFacts) -> Any:
    """The sequence that has the items. TensorFlow's wrapper of a list (an attribute of a `tf.Module`) is an empty list
    that keeps its items elsewhere."""
    if facts.module.startswith("tensorflow.") and facts.type.endswith("ListWrapper"):
        kept = dict(attributes(thing, facts)).get("_storage")
        if type(kept) is list:
            return kept
    return thing


def items(thing: Any, facts: TypeFacts) -> list[Any]:
    """What lies in a sequence, of a longer one `LARGEST_LISTED`."""
    return some_items(storage(thing, facts), facts)


def some_items(thing: Any, facts: TypeFacts, most: int = LARGEST_LISTED) -> list[Any]:
    """What lies in a sequence, or of a longer one so many."""
    base: Any = facts.base
    count = base.__len__(thing)
    if base is list or base is tuple:
        return list(itertools.chain.from_iterable(base.__getitem__(thing, part) for part in parts(count, most)))
    back = base.__reversed__(thing) if "__reversed__" in base.__dict__ else None
    return _some(base.__iter__(thing), back, count, most)


def parts(count: int, most: int) -> list[slice]:
    """At most so many of `count` places, all over them. Whole chunks are taken, because a stride falls into step with
    what repeats: key, value, key, value."""
    if count <= most:
        return [slice(0, count)]
    chunks = min(CHUNKS, most)
    width, step = most // chunks, count / chunks
    return [slice(int(chunk * step), int(chunk * step) + width) for chunk in range(chunks)]


def some_values(mapping: Any, most: int = LARGEST_LISTED) -> list[Any]:
    return _some(iter(dict.values(mapping)), reversed(dict.values(mapping)), dict.__len__(mapping), most)


def some_keys(mapping: Any, most: int = LARGEST_LISTED) -> list[Any]:
    return _some(iter(dict.keys(mapping)), reversed(dict.keys(mapping)), dict.__len__(mapping), most)


def _some(ahead: Iterator[Any], back: Iterator[Any] | None, count: int, most: int) -> list[Any]:
    """From both ends where there are two: only to touch all of very many takes too long."""
    if count <= most or back is None:
        return list(itertools.islice(ahead, most))
    return [*itertools.islice(ahead, most // 2), *itertools.islice(back, most // 2)]


def shallow_bytes(thing: Any, facts: TypeFacts) -> int:
    """The memory of the object itself, not of what it refers to."""
    base: Any = facts.base
    if id(base) in _BUILTIN_BY_ID and base is not type:
        return shallow_bytes_of_all([thing], facts)
    # Not `object.__sizeof__`: a generator has no length where that looks for one.
    size = int(type.__getattribute__(type(thing), "__basicsize__")) + _HEADER
    if facts.attributes is not None and sys.version_info >= (3, 11):
        # Values of attributes lie in a block of their own until somebody asks for the `__dict__`.
        size += 8 * (len(gc.get_referents(thing)) + 2)
    return size


def is_plain(facts: TypeFacts) -> bool:
    """Whether the size of such an object is told by a built-in type."""
    return facts.name in (TEXT, ATOM, SEQUENCE, MAPPING) and id(facts.base) in _BUILTIN_BY_ID


def shallow_bytes_of_all(things: list[Any], facts: TypeFacts) -> int:
    """The same of many. Blocks of Python's own allocator are multiples of 16 bytes: a number of 24 takes 32."""
    base: Any = facts.base
    most = 15 + (_HEADER if base.__flags__ & _COLLECTED else 0)
    return sum((size + most) & -16 for size in map(base.__sizeof__, things))


_HEADER = 16
"""Before each object that the garbage collector knows."""
_COLLECTED = 1 << 14
