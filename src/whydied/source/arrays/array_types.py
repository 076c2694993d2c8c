"""The NumPy type of an array by the source alone, followed through names, functions and files. Pure.

Invariant: a type is told only where the source names it (`astype`, `dtype=`) or NumPy's rules give it (`np.zeros`
without a type). Arithmetic, and what comes from elsewhere, has none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from whydied.source.assignments import unpacked
from whydied.source.calls import bound_arguments, callee, parameters, passed_argument
from whydied.source.text import Source
from whydied.source.trees import Function, across, function_at, walk, within, written

BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "int32": 4, "uint32": 4}
BYTES |= {"float32": 4, "int64": 8, "uint64": 8, "float64": 8}
_ALIASES = {"float": "float64", "double": "float64", "int": "int64", "bool_": "bool", "single": "float32"}
_DRAWN = {"normal", "uniform", "rand", "randn", "standard_normal", "random_sample"}
_FLOATS = _DRAWN | {"zeros", "ones", "empty", "eye", "identity", "linspace"}
_WHOLE = {"randint", "integers"}
_COPIES = {"array", "asarray", "ascontiguousarray", "zeros_like", "ones_like", "empty_like", "full_like"}
_OWN = {"reshape", "transpose", "copy", "ravel", "flatten", "squeeze", "swapaxes", "clip", "repeat", "take"}
_OF_FIRST = _COPIES | _OWN | {"expand_dims", "moveaxis", "flip", "fliplr", "flipud", "rot90", "roll", "pad", "tile"}
_TYPE_AT = {"array": 1, "asarray": 1, "zeros": 1, "ones": 1, "empty": 1, "full": 2, "astype": 0, "frombuffer": 1}
_DEEPEST = 12


def type_of(sources: Mapping[str, Source], file: str, node: ast.expr, depth: int = _DEEPEST) -> str:
    """The type of what an expression of a file gives; "" where that cannot be told."""
    if not depth or file not in sources:
        return ""
    if isinstance(node, ast.Name):
        return _agreed(type_of(sources, at, one, depth - 1) for at, one in _values(sources, file, node, depth))
    if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "T"):
        return type_of(sources, file, node.value, depth - 1)
    if not isinstance(node, ast.Call):
        return ""
    named = _named(node)
    if named is not None:
        return named
    own = _own_functions(sources, callee(node))
    if own:
        results = [(at, one) for at, function in own for one in _returned(function)]
        return _agreed(type_of(sources, at, one, depth - 1) for at, one in results)
    return _of_library(sources, file, node, depth)


def _of_library(sources: Mapping[str, Source], file: str, node: ast.Call, depth: int) -> str:
    name = callee(node)
    if not isinstance(node.func, ast.Attribute):
        return ""
    if name in _FLOATS:
        return "float64"
    if name in _WHOLE:
        return "int64"
    is_library = written(node.func.value) in ("np", "numpy")
    if name in _OWN and not is_library:
        return type_of(sources, file, node.func.value, depth - 1)
    if name in _OF_FIRST and is_library and node.args:
        return type_of(sources, file, node.args[0], depth - 1)
    return ""


def _values(sources: Mapping[str, Source], file: str, name: ast.Name, depth: int) -> Iterator[tuple[str, ast.expr]]:
    """What a name is given: in its function by the last assignment above, or by the callers of that; else in the
    module."""
    tree = sources[file].tree
    function = function_at(tree, name.lineno)
    for scope in (function, tree) if function is not None else (tree,):
        made = [one for one in within(scope) if isinstance(one, ast.Assign) and name.id in _stored(one)]
        above = [one for one in made if one.lineno < name.lineno] if scope is not tree or function is None else made
        if above:
            last = max(above, key=lambda one: one.lineno)
            yield from _parts(sources, file, last, name.id)
            return
        if scope is function and function is not None and name.id in parameters(function):
            yield from _passed(sources, function, name.id)
            return


def _parts(sources: Mapping[str, Source], file: str, made: ast.Assign, name: str) -> Iterator[tuple[str, ast.expr]]:
    """The part of an assignment that a name gets, of a call of the program's own functions in what these return."""
    for target, value in (pair for one in made.targets for pair in unpacked(one, made.value)):
        if isinstance(target, ast.Name) and target.id == name:
            yield file, value
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Call):
            at = [index for index, one in enumerate(target.elts) if isinstance(one, ast.Name) and one.id == name]
            for other, function in _own_functions(sources, callee(value)) if at else ():
                for result in _returned(function):
                    if isinstance(result, ast.Tuple) and len(result.elts) == len(target.elts):
                        yield other, result.elts[at[0]]


def _passed(sources: Mapping[str, Source], function: Function, name: str) -> Iterator[tuple[str, ast.expr]]:
    for file, call in across(sources, ast.Call):
        given = bound_arguments(call, function).get(name) if callee(call) == function.name else None
        if given is not None:
            yield file, given


def _stored(made: ast.Assign) -> set[str]:
    """The names that an assignment binds; what it puts into an array keeps that array's type."""
    parts = [one for target in made.targets for one in (getattr(target, "elts", None) or [target])]
    return {one.id for one in parts if isinstance(one, ast.Name)}


def _own_functions(sources: Mapping[str, Source], name: str) -> list[tuple[str, Function]]:
    return [(file, one) for file, one in across(sources, ast.FunctionDef) if one.name == name]


def _returned(function: Function) -> list[ast.expr]:
    return [one.value for one in within(function) if isinstance(one, ast.Return) and one.value is not None]


def _agreed(types: Iterator[str]) -> str:
    found = set(types)
    return found.pop() if len(found) == 1 else ""


def _named(call: ast.Call) -> str | None:
    """The type that a call names, "" where it names one that is not written out; None where it names none."""
    name = callee(call)
    if name in BYTES and isinstance(call.func, ast.Attribute):
        return name
    at = _TYPE_AT.get(name)
    word = passed_argument(call, "dtype") or (call.args[at] if at is not None and at < len(call.args) else None)
    if word is None:
        return None
    return named_type(word)


def named_type(word: ast.expr) -> str:
    """`int16` of `np.int16`, `tf.int16` and `"int16"`; "" of what is none."""
    text = word.value if isinstance(word, ast.Constant) and isinstance(word.value, str) else written(word)
    last = text.rpartition(".")[2]
    last = _ALIASES.get(last, last)
    return last if last in BYTES else ""


def written_arrays(node: ast.expr) -> list[tuple[ast.Call, ast.expr]]:
    """The calls in an expression that make bytes of an array, each with the array."""
    return [
        (call, call.func.value)
        for call in walk(node, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("tobytes", "tostring")
    ]
