"""What an exception missed, and what exists that is like it; runs in the user's process, after an exception.

Invariant: no code of the user's runs (no `__dir__`, no `__getattr__`, no `repr`), directories are listed only
up to a bound, and names are read, values are not. An answer may be empty; it is never invented.
"""

from __future__ import annotations

import ast
import builtins
import os
import re
import sys
from collections.abc import Iterable
from types import FrameType, FunctionType, MethodType, ModuleType
from typing import Any

import msgspec

from whydied.inside.errors import near_uses
from whydied.inside.errors.operands import Failure, failing
from whydied.inside.errors.sessions import op_names
from whydied.inside.guest import guard
from whydied.inside.guest.lookup import MISSING, Missing, attribute, evaluate, instance_dict
from whydied.inside.guest.value_facts import type_name
from whydied.texts import layers, python_errors, saving, session_errors
from whydied.texts.entry import Text

LARGEST_NEAR = 5
LARGEST_KEYS = 30
_LARGEST_LISTING = 5000
_MOST_ABOVE = 6
_WORD = 4
_LISTED = layers.NO_SUCH_LAYER.pattern
_LIBRARIES = ("keras", "tf_keras", "tensorflow")
LOADED_CODE = "code that was loaded from a file"
_ALIASES = {
    "np": "numpy",
    "pd": "pandas",
    "tf": "tensorflow",
    "plt": "matplotlib.pyplot",
    "sns": "seaborn",
    "K": "keras.backend",
}


class Nearness(msgspec.Struct, frozen=True):
    wanted: str | None = None
    wanted_in: str | None = None
    near: tuple[str, ...] = ()
    holder: str = ""
    keys: tuple[str, ...] = ()


NOTHING = Nearness()


def look(
    error: BaseException, frame: FrameType | None, failure: Failure | None, raiser: Failure | None = None
) -> Nearness:
    """The answer for an exception, with the user's frame that it came out of and the expression that failed there;
    `raiser` is the expression of a library that raised it."""
    if isinstance(error, NameError):
        return _name(error, frame, failure)
    if isinstance(error, AttributeError):
        return _attribute(error, failure)
    if isinstance(error, ImportError):
        return _import(error)
    if isinstance(error, KeyError) and raiser is not None and (name := _first(session_errors.FETCH_NAME, error)):
        graph = raiser.frame.f_locals.get("self", MISSING)
        return Nearness(name, None, tuple(op_names.near(name, graph)) if hasattr(graph, "get_operations") else ())
    if isinstance(error, KeyError):
        return _key(error, [one for one in (raiser, failure) if one is not None])
    if isinstance(error, OSError):
        words = next((one for one in error.args if isinstance(one, str)), "")
        name = error.filename if error.filename is not None else _search(saving.UNOPENED, words)
        return _file(error, name) if name is not None else NOTHING
    if isinstance(error, TypeError):
        return _call(error, failure, raiser)
    return _listed(error) if isinstance(error, ValueError) else NOTHING


def _listed(error: ValueError) -> Nearness:
    """Keras misses a layer or an input by its name and lists those that there are."""
    words = error.args[0] if error.args and isinstance(error.args[0], str) else ""
    found = _LISTED.search(words)
    if found is None:
        return NOTHING
    there = re.findall(r"'([^']*)'", found["there"])
    return Nearness(found["name"], None, close(found["name"], there))


def close(wanted: str, names: Iterable[str], cutoff: float = 0.6) -> tuple[str, ...]:
    """The names most like one, the same letters in another case first."""
    pool = dict.fromkeys(name for name in names if isinstance(name, str) and name != wanted)
    scored = [(likeness(wanted, name), name) for name in pool]
    best = sorted((pair for pair in scored if pair[0] >= cutoff), key=lambda pair: (-pair[0], pair[1]))
    return tuple(name for _, name in best[:LARGEST_NEAR])


def likeness(one: str, other: str) -> float:
    """1 for the same letters in another case, less for each letter added, left out, changed or swapped with the next.
    `difflib` knows no swaps, and finding a module of that name may run a file of the program's."""
    a, b = one.lower(), other.lower()
    longest = max(len(a), len(b))
    if a == b:
        return 1.0
    # A prefix that is a word of its own ("batch" for "batch_size") is near in meaning, however far by letters; of two
    # prefixes the longer one is nearer.
    if min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a)):
        return max(0.75, min(len(a), len(b)) / longest)
    if abs(len(a) - len(b)) * 2 > longest or longest > 64:
        return 0.0
    return 1.0 - _distance(a, b) / longest


def _distance(a: str, b: str) -> int:
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        fresh = [i]
        for j, other in enumerate(b, 1):
            cost = min(row[j] + 1, fresh[j - 1] + 1, row[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            fresh.append(cost)
        before, row = row, fresh
    return row[-1]


def _name(error: NameError, frame: FrameType | None, failure: Failure | None) -> Nearness:
    name = getattr(error, "name", None) or _first(python_errors.NO_NAME, error) or _first(python_errors.NO_LOCAL, error)
    if not name or frame is None:
        return NOTHING
    if _is_loaded(frame):
        return Nearness(name, LOADED_CODE)
    place = frame.f_code.co_name
    inside = "module" if place == "<module>" else f"function {place}"
    own: list[str] = []
    instance = frame.f_locals.get("self", MISSING)
    if not isinstance(instance, Missing):
        own = [f"self.{key}" for key in _attribute_names(instance)]
    found = close(name, [*frame.f_locals, *frame.f_globals, *vars(builtins)])
    if f"self.{name}" in own:
        found = (f"self.{name}", *found)
    if not isinstance(error, UnboundLocalError):
        module = _ALIASES.get(name, name)
        if name in _ALIASES or module in sys.stdlib_module_names:
            line = f"import {module} as {name}" if name in _ALIASES else f"import {name}"
            found = (*found, line) if _installed(module) else found
    elif name in frame.f_globals:
        found = (f"global {name}", *found)
    asked = near_uses.look(name, found, frame, failure.source) if failure is not None else near_uses.NOBODY
    if asked.names:
        return Nearness(name, inside, asked.names, asked.what)
    return Nearness(name, inside, found[:LARGEST_NEAR])


def _is_loaded(frame: FrameType) -> bool:
    """Whether a library made the function from stored code: it sees the library's names, not those of its file."""
    module = frame.f_globals.get("__name__")
    file = frame.f_globals.get("__file__")
    own = frame.f_code.co_filename
    return (
        isinstance(file, str)
        and str(module).partition(".")[0] in _LIBRARIES
        and not own.startswith(("<", os.path.dirname(file)))
    )


def _attribute(error: AttributeError, failure: Failure | None) -> Nearness:
    name = getattr(error, "name", None) or _first(python_errors.NO_ATTRIBUTE, error)
    if not name:
        return NOTHING
    base = getattr(error, "obj", MISSING)
    if base is None and failure is not None:
        base = evaluate(getattr(failure.node, "value", None), failure.frame)
    if isinstance(base, Missing):
        return Nearness(name)
    if isinstance(base, ModuleType):
        module = str(instance_dict(base).get("__name__", ""))
        return Nearness(name, module, close(name, [*_public(instance_dict(base), name), *_submodules(base)]))
    kind = base if isinstance(base, type) else type(base)
    return Nearness(name, type_name(kind), close(name, _public(_attribute_names(base), name)))


def _attribute_names(base: Any) -> list[str]:
    kind = base if isinstance(base, type) else type(base)
    names = list(instance_dict(base))
    for parent in type.__dict__["__mro__"].__get__(kind):
        names += type.__dict__["__dict__"].__get__(parent)
    return [name for name in names if isinstance(name, str)]


def _public(names: Iterable[Any], wanted: str) -> list[str]:
    hidden = wanted.startswith("_")
    return [name for name in names if isinstance(name, str) and (hidden or not name.startswith("_"))]


def _submodules(module: ModuleType) -> list[str]:
    path = instance_dict(module).get("__path__")
    try:
        return _modules_in([entry for entry in path if isinstance(entry, str)]) if path is not None else []
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return []


def _modules_in(path: Iterable[str]) -> list[str]:
    """Names that can be imported from directories, read from their listings."""
    names: list[str] = []
    for directory in path:
        for entry in _listing(directory or os.curdir):
            stem, dot, ending = entry.partition(".")
            if not stem.isidentifier() or stem == "__pycache__":
                continue
            if not dot or ending == "py" or ending.endswith("so"):
                names.append(stem)
    return names


def _import(error: ImportError) -> Nearness:
    missing = getattr(error, "name_from", None) or _first(python_errors.NAME_TO_IMPORT, error)
    if missing and error.name:
        module = sys.modules.get(error.name)
        names = [*_public(instance_dict(module), missing), *_submodules(module)] if module is not None else []
        return Nearness(missing, error.name, close(missing, names))
    if not error.name or not isinstance(error, ModuleNotFoundError):
        return Nearness(error.name)
    package, dot, last = error.name.rpartition(".")
    if dot and package in sys.modules:
        return Nearness(
            error.name, package, tuple(f"{package}.{n}" for n in close(last, _submodules(sys.modules[package])))
        )
    top = error.name.partition(".")[0]
    names = [*sys.stdlib_module_names, *_modules_in(sys.path)]
    return Nearness(error.name, "the modules that can be imported", close(top, names, 0.7))


def _installed(module: str) -> bool:
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names or top in sys.modules or top in _modules_in(sys.path)


def _key(error: KeyError, failures: list[Failure]) -> Nearness:
    """What was really asked for a key: in the frame that raised, be it a library's, else in the user's. A library may
    have told the first error in other words: then that one has the key."""
    inner = error.__context__
    if isinstance(inner, KeyError) and inner.__traceback__ is not None and _is_told_again(error, inner):
        trace = inner.__traceback__
        while trace.tb_next is not None:
            trace = trace.tb_next
        first = failing(trace, trace.tb_frame.f_code.co_filename)
        if first is not None and not isinstance(_container(first, inner.args[0])[1], Missing):
            error, failures = inner, [first]
    key = error.args[0] if error.args else None
    if type(key) not in (str, int, float, bool, tuple):
        return NOTHING
    text = repr(key)[:200] if type(key) is not tuple or all(type(k) in (str, int, float) for k in key) else "a tuple"
    asked = [_container(failure, key) for failure in failures]
    holder, base = next((one for one in asked if not isinstance(one[1], Missing)), ("", MISSING))
    if isinstance(base, Missing) and (of_table := _column(failures)) is not None:
        key, holder, base = of_table
        text = repr(key)[:200]
    if isinstance(base, Missing):
        return Nearness(text)
    keys = _keys(base)
    near: tuple[str, ...] = ()
    if isinstance(key, str):
        near = tuple(repr(k) for k in close(key, [k for k in keys if isinstance(k, str)]))
        near = near or tuple(repr(k) for k in keys if type(k) in (int, float) and str(k) == key)
    elif isinstance(key, (int, float)):
        numbers = [k for k in keys if type(k) in (int, float)]
        near = tuple(repr(k) for k in sorted(numbers, key=lambda k: abs(k - key))[:3])
        near = near or tuple(repr(k) for k in keys if isinstance(k, str) and k == str(key))
    names = tuple(repr(k)[:80] for k in keys[:LARGEST_KEYS] if type(k) in (str, int, float))
    return Nearness(text, type_name(type(base)), near[:LARGEST_NEAR], holder, names)


def _is_told_again(error: KeyError, inner: KeyError) -> bool:
    """Whether the text of a later error has the key of the first one in it."""
    text, key = (one.args[0] if one.args else None for one in (error, inner))
    return type(text) is str and type(key) is str and text != key and repr(key) in text


def _container(failure: Failure, key: object) -> tuple[str, Any]:
    """What was asked for the key, as the source writes it and as it is: the value of a subscript in the failing
    expression, or the mapping that a text was formatted with."""
    for node in ast.walk(failure.node):
        if isinstance(node, ast.Subscript):
            index = evaluate(node.slice, failure.frame)
            exact = isinstance(index, Missing) and node is failure.node
            if exact or (type(index) is type(key) and index == key):
                return ast.unparse(node.value), evaluate(node.value, failure.frame)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and node is failure.node:
            return ast.unparse(node.right), evaluate(node.right, failure.frame)
        method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if method in ("pop", "remove"):
            return ast.unparse(node.func.value), evaluate(node.func.value, failure.frame)
        given = [word.value for word in node.keywords if word.arg is None] if method == "format" else node.args[:1]
        if method in ("format", "format_map") and len(given) == 1:
            return ast.unparse(given[0]), evaluate(given[0], failure.frame)
    return "", MISSING


def _column(failures: list[Failure]) -> tuple[str, str, Any] | None:
    """The first of several columns that were asked for and that a table does not have; what pandas says of them is a
    sentence."""
    for failure in failures:
        for node in ast.walk(failure.node):
            if not isinstance(node, ast.Subscript):
                continue
            asked, base = evaluate(node.slice, failure.frame), evaluate(node.value, failure.frame)
            if type(asked) is not list or type_name(type(base)).rpartition(".")[2] != "DataFrame":
                continue
            there = _keys(base)
            missing = [one for one in asked if type(one) is str and one not in there]
            if missing:
                return missing[0], ast.unparse(node.value), base
    return None


def _keys(base: Any) -> list[Any]:
    kind = type(base)
    if isinstance(base, dict):
        return [key for key, _ in zip(dict.keys(base), range(_LARGEST_LISTING), strict=False)]
    if kind.__module__.partition(".")[0] == "pandas":
        names = getattr(base, "columns", getattr(base, "index", ()))
        return [str(name) for name, _ in zip(names, range(_LARGEST_LISTING), strict=False)]
    if kind is type(os.environ):
        return list(os.environ)
    return []


def _file(error: OSError, name: Any) -> Nearness:
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    if not isinstance(name, str):
        return NOTHING
    try:
        path = os.path.abspath(name)
    except OSError:
        # The working directory itself is gone.
        return Nearness(name)
    if not isinstance(error, FileNotFoundError):
        return Nearness(path, os.path.dirname(path))
    parent, last = os.path.split(path)
    while not os.path.isdir(parent) and parent != os.path.dirname(parent):
        parent, last = os.path.split(parent)
    near = [os.path.join(parent, entry) for entry in close(last, _listing(parent))]
    return Nearness(path, parent, tuple([*_elsewhere(name), *near][:LARGEST_NEAR]))


def _elsewhere(name: str) -> list[str]:
    """The same relative path counted from the script's directory, the usual miss when a script is started elsewhere, or
    from a directory above the present one, the usual miss after `os.chdir`."""
    if os.path.isabs(name):
        return []
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    places = [os.path.dirname(os.path.realpath(file))] if isinstance(file, str) else []
    place = os.getcwd()
    while place != os.path.dirname(place) and len(places) < _MOST_ABOVE:
        place = os.path.dirname(place)
        places.append(place)
    found = dict.fromkeys(os.path.join(one, os.path.normpath(name)) for one in places)
    return [one for one in found if os.path.exists(one)][:1]


def _listing(directory: str) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            return [entry.name for entry, _ in zip(entries, range(_LARGEST_LISTING), strict=False)]
    except OSError:
        return []


def _call(error: TypeError, failure: Failure | None, raiser: Failure | None) -> Nearness:
    words = str(error.args[0]) if error.args and isinstance(error.args[0], str) else ""
    function = _search(python_errors.CALLED, words)
    keyword = _search(python_errors.UNEXPECTED_ARGUMENT, words) or _search(python_errors.INVALID_ARGUMENT, words)
    if keyword:
        names = _parameters(failure, function) or _constructor_parameters(raiser, function)
        given = (
            {word.arg for node in ast.walk(failure.node) if isinstance(node, ast.Call) for word in node.keywords}
            if failure
            else set()
        )
        free = [name for name in names if name not in given]
        ends = tuple(name for name in free if len(name) > 3 and keyword.endswith(name))
        near = [name for name in close(keyword, free, 0.4) if likeness(keyword, name) >= 0.6 or _share(keyword, name)]
        return Nearness(keyword, function, tuple(one for one in dict.fromkeys([*ends, *near]) if _takes(one, failure)))
    missing = _search(python_errors.MISSING_ARGUMENT, words)
    return Nearness(missing, function) if missing else NOTHING


def _share(one: str, other: str) -> bool:
    """Whether one of the words of a name begins one of another's: `nb_epoch` and `epochs`. Letters alone make names
    near that mean something else."""
    pairs = ((a, b) for a in one.split("_") for b in other.split("_"))
    return any(min(len(a), len(b)) >= _WORD and (a.startswith(b) or b.startswith(a)) for a, b in pairs)


def _takes(name: str, failure: Failure | None) -> bool:
    """Whether a parameter may be meant by what was given: a text is none where the default is a number or the other
    way round, as far as both are plain."""
    node = failure.node if failure is not None else None
    if failure is None or not isinstance(node, ast.Call):
        return True
    given = [word.value for word in node.keywords if word.arg and likeness(word.arg, name) >= 0.4]
    default = _default(evaluate(node.func, failure.frame), name)
    if len(given) != 1 or type(default) not in (str, bool, int, float):
        return True
    kind = {ast.List: list, ast.Tuple: tuple, ast.Dict: dict}.get(type(given[0])) or type(
        evaluate(given[0], failure.frame)
    )
    if kind not in (str, bool, int, float, list, tuple, dict):
        return True
    return (kind is str) == (type(default) is str)


def _default(target: Any, name: str) -> Any:
    function = _function(target)
    if function is None:
        return MISSING
    code = function.__code__
    places = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    by_place = dict(zip(places[len(places) - len(defaults) :], defaults, strict=True))
    return (by_place | (function.__kwdefaults__ or {})).get(name, MISSING)


def _parameters(failure: Failure | None, function: str | None) -> list[str]:
    """The parameters of the called function, read from its code."""
    if failure is None:
        return []
    for node in ast.walk(failure.node):
        if isinstance(node, ast.Call):
            target = evaluate(node.func, failure.frame)
            names = _code_parameters(target)
            if names:
                return names
    return []


def _constructor_parameters(raiser: Failure | None, function: str | None) -> list[str]:
    """Those of a class that the raising frame's module has: `add_argument` passes on what it gets."""
    name, _, method = (function or "").rpartition(".")
    kind = raiser.frame.f_globals.get(name) if raiser is not None and method == "__init__" else None
    return _code_parameters(kind) if isinstance(kind, type) else []


def _code_parameters(target: Any) -> list[str]:
    function = _function(target)
    if function is None:
        return []
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [name for name in names if name not in ("self", "cls")]


def _function(target: Any) -> FunctionType | None:
    """The function behind a method, a class or a decorator."""
    for _ in range(8):
        if isinstance(target, MethodType):
            target = target.__func__
        if isinstance(target, type):
            target = attribute(target, "__init__")
        wrapped = instance_dict(target).get("__wrapped__") if isinstance(target, FunctionType) else None
        if wrapped is None:
            break
        target = wrapped
    return target if isinstance(target, FunctionType) else None


def _first(text: Text, error: BaseException) -> str | None:
    return _search(text, error.args[0]) if error.args and isinstance(error.args[0], str) else None


def _search(text: Text, words: str) -> str | None:
    match = text.pattern.search(words)
    return match[1] if match else None
