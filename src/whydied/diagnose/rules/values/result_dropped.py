"""A call gives something new, the program does not keep it, and goes on with the old value.

## What it detects
An exception whose statement uses a name, and above it in the same function, file or notebook a statement that is only a
call which leaves its object as it is (`frame.dropna()`, `data.batch(32)`, `rows.reshape(-1, 1)`,
`np.expand_dims(x, 0)`, `pictures.flow_from_directory(…)`) on the same name. Where the program's own check fails, or
there are no gradients: a `write` into a TensorArray in what is traced into a graph.

## Why it happens
Methods of tables, arrays, texts and data sets return what they made. Written as a statement of its own such a call does
nothing.

## Evidence
Both lines, from the source. Only methods and functions that are known to return a new value count, and no call with
`inplace=True` or `out=`.

## How it is proved
That the result is not kept is seen; that it was what the failing statement needs is inferred: likely. The change is
tried.

## Fix
Keep the result under the name.

## Known problems
A method of a class of the program's own that has the name of such a method, and changes its object, is not told from it
where the object's type was not recorded.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.data.own_checks import is_own_check
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.bindings import module_files
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.trees import Function, dotted_name, holds, last_name, scope_at, tree_of, walk, within, written
from whydied.texts import tensors

ROLE = "explanation"
YIELDS_TO = ("column-never-renamed",)
# What changes an order or the speed alone is left out: an exception does not come of that.
_METHODS = frozenset(
    {
        # Tables of pandas.
        *("dropna", "fillna", "drop", "drop_duplicates", "rename", "reset_index", "set_index", "assign"),
        *("merge", "replace", "reindex", "to_numpy", "select_dtypes", "groupby", "pivot_table", "melt"),
        # Arrays and tensors.
        *("astype", "reshape", "transpose", "flatten", "ravel", "squeeze", "swapaxes", "numpy", "tolist"),
        # Texts.
        *("strip", "lower", "upper", "split", "encode", "decode"),
        # Data sets.
        *(
            "map",
            "batch",
            "padded_batch",
            "unbatch",
            "shuffle",
            "repeat",
            "prefetch",
            "cache",
            "filter",
            "take",
            "skip",
        ),
        # Pictures of Keras.
        *("flow", "flow_from_directory", "flow_from_dataframe"),
    }
)
_FUNCTIONS = frozenset(
    {
        *("expand_dims", "reshape", "squeeze", "transpose", "asarray", "array", "stack", "concatenate"),
        *("cast", "one_hot", "to_categorical", "convert_to_tensor", "get_dummies"),
    }
)
"""Of libraries, on their first argument."""
_IN_PLACE = frozenset({"inplace", "out"})
_OF_NO_VALUE = frozenset({"NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "FileNotFoundError"})
_OWN_KINDS = ("list", "dict", "set")
"""Their methods of these names do change them, or they have none."""


class _Dropped(NamedTuple):
    name: str
    file: str
    call: ast.Call


def check(case: Case) -> Finding | None:
    found = failing(case)
    dropped = _dropped(found) if found is not None else []
    if found is not None and not dropped:
        return _unwritten(found)
    if found is None:
        return None
    first = dropped[-1]
    place = found.located(first.file, first.call.lineno)
    used = words_at(found.place.file, found.place.line)
    return Finding(
        message=f"{prefix(place)}`{first.name}` stays as it is: what `{written(first.call.func)}(…)` returns is not "
        f"kept, and {used} uses `{first.name}`",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="name", name=first.name),
        evidence=[said(found.link)],
        advice=[f"Keep it: `{first.name} = {written(first.call.func)}(…)`."],
        changes=_kept(found, dropped),
    )


def _unwritten(found: Failing) -> Finding | None:
    """Elements of a TensorArray of a graph that are written into arrays which nobody keeps: what is computed of it is
    empty, which the program's own check notices, or the gradients."""
    told = is_own_check(found) or tensors.NO_GRADIENTS.pattern.search(found.link.message)
    writes = [one for file, source in found.sources.items() for one in _writes(source.tree, file)] if told else []
    if not writes:
        return None
    first = writes[0]
    place, name = found.located(first.file, first.call.lineno), first.name
    return Finding(
        message=f"{prefix(place)}`{name}` stays empty: in a graph `{written(first.call.func)}(…)` returns the array "
        "with the new element, and that is not kept",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="name", name=name),
        evidence=[said(found.link)],
        advice=[f"Keep it: `{name} = {written(first.call)}`."],
        changes=_kept(found, writes),
    )


def _writes(tree: ast.Module, file: str) -> Iterator[_Dropped]:
    """In functions that are traced: those of a graph's loop, the `call` of a layer, a `tf.function`."""
    looped = {last_name(part) for one in walk(tree, ast.Call) if callee(one) == "while_loop" for part in one.args}
    functions = [one for one in ast.walk(tree) if isinstance(one, Function)]
    for function in functions:
        decorated = {last_name(one.func if isinstance(one, ast.Call) else one) for one in function.decorator_list}
        if function.name not in {"call", *looped} and "function" not in decorated:
            continue
        made = [part for one in functions if holds(one, function.lineno) for part in walk(one, ast.Assign)]
        arrays = {written(one.targets[0]) for one in made if _is_array(one.value)}
        for statement in within(function):
            call = statement.value if isinstance(statement, ast.Expr) else None
            owner = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
            if (
                isinstance(call, ast.Call)
                and owner is not None
                and callee(call) == "write"
                and written(owner) in arrays
            ):
                yield _Dropped(written(owner), file, call)


def _is_array(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and callee(node) == "TensorArray"


def _dropped(found: Failing) -> list[_Dropped]:
    """In the order of the program."""
    read = {dotted_name(one) or "" for part in _failing_parts(found) for one in walk(part, (ast.Name, ast.Attribute))}
    scope = scope_at(tree_of(found.sources, found.place.file), found.place.line)
    files = [found.place.file] if isinstance(scope, Function) else module_files(found.sources, found.place.file)
    places = [(file, scope if file == found.place.file else tree_of(found.sources, file)) for file in files]
    return [
        one
        for file, inner in places
        for one in _of_scope(inner, file)
        if one.name in read - {""}
        and (file != found.place.file or one.call.lineno < found.place.line)
        and not _is_own(found, one.name)
    ]


def _failing_parts(found: Failing) -> list[ast.expr]:
    """Where a value may be wrong: a missing key where it is asked for, others in the whole statement."""
    kind = found.link.type.rpartition(".")[2]
    if kind in _OF_NO_VALUE:
        return []
    if kind != "KeyError":
        return found.expressions
    asked = [one for one in found.expressions if isinstance(one, ast.Subscript)]
    return [one for one in asked if not found.link.holder or written(one.value) == found.link.holder]


def _of_scope(scope: ast.AST, file: str) -> Iterator[_Dropped]:
    statements = [one for one in within(scope) if isinstance(one, ast.Expr)]
    for statement in sorted(statements, key=lambda one: one.lineno):
        call = statement.value
        if not isinstance(call, ast.Call) or any(word.arg in _IN_PLACE for word in call.keywords):
            continue
        if not isinstance(call.func, ast.Attribute):
            continue
        object_name = dotted_name(call.func.value)
        if callee(call) in _FUNCTIONS and call.args and (name := dotted_name(call.args[0])):
            yield _Dropped(name, file, call)
        elif callee(call) in _METHODS and object_name:
            yield _Dropped(object_name, file, call)


def _is_own(found: Failing, name: str) -> bool:
    operand = found.operand(name)
    return operand is not None and operand.type.rpartition(".")[2] in _OWN_KINDS


def _kept(found: Failing, dropped: list[_Dropped]) -> list[Change]:
    """All that the failing statement uses, together."""
    edits = []
    for one in dropped:
        source = found.sources[one.file]
        edits.append(over(source, one.file, one.call, f"{one.name} = {written_in(source, one.call)}"))
    names = " and ".join(dict.fromkeys(f"`{one.name}`" for one in dropped))
    return [Change(title=f"Keep what the call returns, as {names}", kind="statement", edits=edits)]
