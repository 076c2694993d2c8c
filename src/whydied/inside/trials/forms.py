"""Other forms of a value, as the source would write them: a part of it, a conversion, its call; runs in the user's
process, after an exception.

Invariant: the value is only looked at, by its type and its `__dict__`; what a form gives is found out elsewhere.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import BuiltinFunctionType, BuiltinMethodType, FunctionType, MethodType
from typing import Any, NamedTuple

from whydied.inside.guest.lookup import instance_dict

MOST_PARTS = 6
MOST_METHODS = 40
_HOLDING = (dict, list, tuple)
_NUMBER = re.compile(r"\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*")
_CALLABLES = (FunctionType, MethodType, BuiltinFunctionType, BuiltinMethodType)


class Form(NamedTuple):
    """`text` has `{}` for the expression; `cost` says how much it changes."""

    text: str
    cost: float


def of_anything(modules: dict[str, str]) -> Iterator[Form]:
    """Of the result of a call or an operator, which is not known before it is made."""
    yield from (Form(text, 1.2) for text in ("{}[0]", "list({})", "{}()", "{}.numpy()", "{}.item()", "{}.history"))
    yield from (Form(text, 1.3) for text in ("range({})", "{}.items()", "enumerate({})"))
    if "tensorflow" in modules:
        yield from _casts(modules["tensorflow"])
    texts = ("{}[-1]", "len({})", "int({})", "float({})", "str({})", "{}.values()", "{}.shape")
    yield from (Form(text, 1.4) for text in texts)


def _casts(name: str) -> Iterator[Form]:
    yield Form(f"{name}.cast({{}}, {name}.float32)", 1.2)
    yield Form(f"{name}.cast({{}}, {name}.int32)", 1.3)


def forms(value: Any, modules: dict[str, str]) -> Iterator[Form]:
    """`modules` are the names under which the program has NumPy and TensorFlow."""
    kind = type(value)
    root = kind.__module__.partition(".")[0]
    if isinstance(value, _CALLABLES) or (isinstance(value, type) and root == "builtins"):
        yield Form("{}()", 1.0)
        return
    if isinstance(value, type):
        return
    if kind in (list, tuple, dict, set) and not value:
        # Nothing is in it: no form of it has what is missing.
        return
    yield from _of_plain(value, modules)
    if root == "numpy" and hasattr(kind, "__array__"):
        yield from _of_array(value)
    elif root == "tensorflow" or (root == "keras" and hasattr(kind, "numpy")):
        yield from _of_tensor(value, modules)
    elif root == "pandas":
        yield from (Form(text, 1.2) for text in ("{}.values", "{}.iloc", "{}.tolist()", "list({}.columns)"))
    yield from _parts(value)


def _of_plain(value: Any, modules: dict[str, str]) -> Iterator[Form]:
    kind = type(value)
    if kind is str and _NUMBER.fullmatch(value):
        yield Form("float({})" if set(value) & set(".eE") else "int({})", 1.0)
        if not set(value) & set(".eE"):
            yield Form("float({})", 1.4)
    elif kind is bytes:
        yield Form("{}.decode()", 1.0)
    elif kind is float:
        if value.is_integer() or abs(value) >= 1:
            # Of a rate or a share nothing would be left.
            yield Form("int({})", 1.0)
        yield Form("str({})", 1.2)
    elif kind is int:
        yield Form("float({})", 1.3)
        yield Form("str({})", 1.1)
        yield Form("range({})", 1.0)
        yield Form("[{}]", 1.5)
        yield Form("({},)", 1.5)
    elif kind is dict:
        yield from (Form(text, 1.1) for text in ("{}.items()", "{}.values()", "list({}.values())", "list({})"))
    elif kind in (list, tuple):
        # Of the sizes of a shape the first is as likely as the last; of results the first is.
        sizes = len(value) > 1 and all(type(one) is int for one in value[:MOST_PARTS])
        yield Form("{}[0]", 1.2)
        yield Form("{}[-1]", 1.2 if sizes else 1.4)
        yield Form("len({})", 1.3)
        yield Form("tuple({})" if kind is list else "list({})", 1.2)
        yield Form("enumerate({})", 1.2)
        if "numpy" in modules:
            yield Form(f"{modules['numpy']}.array({{}})", 1.1)
        if value and all(type(one) is str for one in value[:MOST_PARTS]):
            yield Form('"".join({})', 1.6)
    elif kind.__module__ == "builtins" and kind.__name__ in (
        *("generator", "map", "zip", "filter", "range", "set", "dict_keys", "dict_values", "dict_items", "enumerate"),
    ):
        yield Form("list({})", 1.0)
        yield Form("next(iter({}))", 1.6)
    if kind in (str, list, tuple):
        yield Form("[{}]", 1.5)


def _of_array(value: Any) -> Iterator[Form]:
    yield Form("{}.item()", 1.0)
    yield Form("int({})", 1.2)
    yield Form("float({})", 1.3)
    yield Form("str({})", 1.5)
    yield Form("len({})", 1.2)
    yield Form("{}.shape", 1.4)
    yield Form("{}.tolist()", 1.2)
    yield Form("{}[0]", 1.3)
    for text in ("{}.astype(float)", "{}.astype(int)", "{}.astype(str)", "{}.ravel()", "{}.T", "{}[..., None]"):
        yield Form(text, 1.3)
    yield Form("{}[None]", 1.4)


def _of_tensor(value: Any, modules: dict[str, str]) -> Iterator[Form]:
    yield Form("{}.numpy()", 1.0)
    yield Form("float({})", 1.1)
    yield Form("int({})", 1.2)
    yield Form("{}[0]", 1.4)
    yield Form("{}.shape", 1.5)
    yield Form("{}.as_list()", 1.2)
    if "tensorflow" in modules:
        yield from _casts(modules["tensorflow"])
        if len(getattr(value, "shape", None) or ()) == 2:
            yield Form(f"{modules['tensorflow']}.transpose({{}})", 1.3)


def _parts(value: Any) -> Iterator[Form]:
    """Items of a mapping, and public attributes that hold values or are arrays."""
    if type(value) is dict:
        texts = [key for key in list(value)[:MOST_PARTS] if type(key) is str]
        yield from (Form(f"{{}}[{key!r}]", 1.2) for key in texts)
    if type(value).__module__ == "builtins":
        return
    held = [
        name
        for name, part in instance_dict(value).items()
        if not name.startswith("_") and (type(part) in _HOLDING or hasattr(type(part), "__array__"))
    ]
    yield from (Form(f"{{}}.{name}", 1.1) for name in held[:MOST_PARTS])


def is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def methods(value: Any, arguments: int, words: list[str]) -> list[str]:
    """Methods of a value that take these arguments; only where a keyword among them tells which one is meant."""
    found = []
    for name in dir(type(value))[: 4 * MOST_METHODS]:
        member = inspect.getattr_static(type(value), name, None)
        if name.startswith("_") or not isinstance(member, FunctionType):
            continue
        code = inspect.unwrap(member).__code__
        taken = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        if words and all(word in taken for word in words) and arguments <= code.co_argcount - 1:
            found.append(name)
    return found if len(found) == 1 else []
