"""Edits of statements that copy an array: the copy left out, the original let go once nothing reads it any more. Pure.

A copy can be left out where neither it nor its original is changed in place anywhere in the file: then both are the
same numbers for good.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from whydied.source.arrays.array_copies import COPYING
from whydied.source.arrays.array_makers import dtype_in
from whydied.source.calls import callee, own_names, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.memory.narrower_types import narrowed
from whydied.source.edits.statement_edits import below, stands_alone, statement_at
from whydied.source.statements import in_loop_body
from whydied.source.text import Source
from whydied.source.trees import Function, function_at, walk, within, written

_PLAIN_COPIES = frozenset({"copy", "deepcopy", "identity"})
_CONVERTS = {"array": "asarray"}
_CHANGING = frozenset({"sort", "fill", "resize", "put", "partition", "setflags", "itemset", "shuffle", "fill_diagonal"})
_FORM = frozenset({"shape", "dtype", "ndim", "size", "nbytes"})


def fewer_copies(source: Source, file: str, large: Mapping[str, str], *, narrow: bool = False) -> list[Edit]:
    """All statements of a file without the copies that are not needed, and large arrays let go behind their last use.
    `large` has the type of each large array by its name. With `narrow` also float64 that a copy asks for as float32."""
    edits: list[Edit] = []
    made: dict[tuple[int, str], str] = {}
    spared: dict[ast.stmt, set[str]] = {}
    aliased: set[str] = set()
    for node in sorted(walk(source.tree, ast.Assign), key=lambda one: one.lineno):
        copies = [call for call in walk(node.value, ast.Call) if callee(call) in COPYING]
        if not copies or len(node.targets) != 1 or not _names(node.value) & {*large, *made.values()}:
            continue
        name, text = written(node.targets[0]), _plain(source, node.value, large)
        if narrow and (half := narrowed(source, file, node.lineno, "np")) is not None:
            edits += [half, *_shared(source, file, node)]
            continue
        if any(_is_changed(source, one) for one in [name, *_names(node.value)]):
            continue
        key = id(function_at(source.tree, node.lineno)), text
        twin = made.setdefault(key, name)
        chosen = twin if twin != name else text
        if chosen != written_in(source, node.value):
            edits.append(over(source, file, node.value, chosen))
            spared[node] = _names(node.value) if twin != name else set()
            aliased |= {name, *_names(node.value)} if twin == name else set()
    for name in large:
        edits += _let_go(source, file, name, spared) if name not in aliased else []
    return edits


def _shared(source: Source, file: str, node: ast.Assign) -> list[Edit]:
    """A conversion that copies nothing where the array has the type already."""
    call = node.value
    if not isinstance(call, ast.Call) or any(_is_changed(source, one) for one in _names(node)):
        return []
    if callee(call) == "astype" and passed_argument(call, "copy") is None:
        return [add_argument(source, file, call, "copy=False")]
    if callee(call) in _CONVERTS and isinstance(call.func, ast.Attribute):
        return [over(source, file, call.func, f"{written_in(source, call.func.value)}.{_CONVERTS[callee(call)]}")]
    return []


def _let_go(source: Source, file: str, name: str, spared: Mapping[ast.stmt, set[str]]) -> list[Edit]:
    """The same behind the last statement that reads more of it than its shape. What a statement in `spared` read is not
    read any more."""
    reads = [
        one
        for one in ast.walk(source.tree)
        if isinstance(one, ast.Name | ast.Attribute)
        and written(one) == name
        and isinstance(one.ctx, ast.Load)
        and not _is_spared(source, one, name, spared)
    ]
    form = {id(one) for one in _asked_for_form(source, list(reads))}
    lines = [one.lineno for one in reads if id(one) not in form]
    if not lines and reads and name.isidentifier():
        return _form_kept(source, file, name, reads)
    node = statement_at(source, max(lines)) if lines else None
    return let_go(source, file, name, node.lineno, spared) if isinstance(node, ast.Assign) else []


def _form_kept(source: Source, file: str, name: str, reads: Sequence[ast.expr]) -> list[Edit]:
    """An array of which only shape and length are asked: its shape is kept in its place."""
    made = [one for one in walk(source.tree, ast.Assign) if [written(part) for part in one.targets] == [name]]
    kept = f"{name}_shape"
    if len(made) != 1 or any(node.id == kept for node in walk(source.tree, ast.Name)):
        return []
    if in_loop_body(source.tree, made[0].lineno) or not stands_alone(source, made[0]):
        return []
    scope = function_at(source.tree, made[0].lineno)
    own = {id(one) for one in reads}
    shapes = [one for one in walk(source.tree, ast.Attribute) if one.attr == "shape" and id(one.value) in own]
    lengths = [
        one for one in walk(source.tree, ast.Call) if callee(one) == "len" and one.args and id(one.args[0]) in own
    ]
    askers: list[ast.expr] = [*shapes, *lengths]
    after = below(source, file, made[0].lineno, f"{kept} = {name}.shape")
    if after is None or len(askers) != len(reads):
        return []
    if any(function_at(source.tree, one.lineno) is not scope or one.lineno <= made[0].lineno for one in askers):
        return []
    indent = " " * made[0].col_offset
    edits = [over(source, file, one, kept if isinstance(one, ast.Attribute) else f"{kept}[0]") for one in askers]
    return [Edit(file, after.start, after.end, f"{after.text}\n{indent}del {name}"), *edits]


def _is_spared(source: Source, read: ast.expr, name: str, spared: Mapping[ast.stmt, set[str]]) -> bool:
    node = statement_at(source, read.lineno)
    return node is not None and name in spared.get(node, ())


def _plain(source: Source, node: ast.expr, large: Mapping[str, str]) -> str:
    """An expression without what only copies."""
    if not isinstance(node, ast.Call):
        return written_in(source, node)
    name = callee(node)
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name in _PLAIN_COPIES and not node.keywords and len(node.args) <= 1:
        copied = node.args[0] if node.args else owner
        return _plain(source, copied, large) if copied is not None else written_in(source, node)
    text = written_in(source, node)
    if name == "astype" and owner is not None and dtype_in(text) == large.get(written(owner), ""):
        return _plain(source, owner, large)
    if name in _CONVERTS and owner is not None and node.args and _is_array(node.args[0]):
        wanted, kind = dtype_in(text), large.get(written(node.args[0]))
        if kind is not None and wanted in (None, kind):
            text = f"{written_in(source, owner)}.{_CONVERTS[name]}{text[len(written_in(source, node.func)) :]}"
    for one in node.args:
        inner = written_in(source, one)
        if text.count(inner) == 1:
            text = text.replace(inner, _plain(source, one, large))
    return text


def _is_array(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Call)


def let_go(
    source: Source, file: str, name: str, line: int, spared: Mapping[ast.stmt, set[str]] = MappingProxyType({})
) -> list[Edit]:
    """`del name` below the statement at a line, where nothing behind it reads the name; what only asks for its shape is
    asked of the result of that statement."""
    node = statement_at(source, line)
    if node is None or not stands_alone(source, node) or in_loop_body(source.tree, line):
        return []
    result = written(node.targets[0]) if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    later = [one for one in _later_reads(source, name, node) if not _is_spared(source, one, name, spared)]
    asked = _asked_for_form(source, later)
    if len(asked) != len(later) or (asked and (result is None or not _keeps_form(node, name))):
        return []
    after = below(source, file, line, f"del {name}")
    changed = [over(source, file, one, str(result)) for one in later]
    return [after, *changed] if after is not None else []


def _later_reads(source: Source, name: str, node: ast.stmt) -> list[ast.expr]:
    """All reads of a name or attribute behind a statement, and those of functions, which may be called later."""
    last = node.end_lineno or node.lineno
    scope = function_at(source.tree, node.lineno)
    of_object = "." in name
    nodes = list(ast.walk(source.tree)) if of_object or scope is None else list(within(scope))
    own = [one for one in nodes if isinstance(one, ast.Name | ast.Attribute) and _is_it(one, name, of_object)]
    reads = [one for one in own if isinstance(one.ctx, ast.Load)]
    return [one for one in reads if one.lineno > last or _is_of_other(source, one, scope, name)]


def _is_of_other(source: Source, node: ast.expr, scope: Function | None, name: str) -> bool:
    """Whether a function other than the one that a statement is in reads what that made."""
    function = function_at(source.tree, node.lineno)
    return function is not None and function is not scope and name not in own_names(function)


def _is_it(node: ast.Name | ast.Attribute, name: str, of_object: bool) -> bool:
    if of_object:
        return isinstance(node, ast.Attribute) and node.attr == name.rpartition(".")[2]
    return isinstance(node, ast.Name) and node.id == name


def _asked_for_form(source: Source, reads: list[ast.expr]) -> list[ast.expr]:
    """Those of some reads that only ask for the shape or the length."""
    form = {id(node.value) for node in walk(source.tree, ast.Attribute) if node.attr in _FORM}
    form |= {id(call.args[0]) for call in walk(source.tree, ast.Call) if callee(call) == "len" and call.args}
    return [one for one in reads if id(one) in form]


def _keeps_form(node: ast.stmt, name: str) -> bool:
    """Whether a statement makes something of the same shape: it converts or copies the name itself."""
    value = node.value if isinstance(node, ast.Assign) else None
    if not isinstance(value, ast.Call):
        return False
    given = value.args[0] if value.args else None
    owner = value.func.value if isinstance(value.func, ast.Attribute) else None
    kept = callee(value) in ("astype", "copy", "array", "asarray", "constant", "convert_to_tensor", "cast", "identity")
    return kept and name in (written(given) if given is not None else "", written(owner) if owner is not None else "")


def _names(node: ast.AST) -> set[str]:
    return {written(one) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)}


def _is_changed(source: Source, name: str) -> bool:
    """Whether anything in the file changes a name in place."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.AugAssign) and written(node.target).partition("[")[0] == name:
            return True
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store | ast.Del)
            and written(node.value) == name
        ):
            return True
        if isinstance(node, ast.Call) and callee(node) in _CHANGING:
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            if name in [written(one) for one in (owner, *node.args[:1]) if one is not None]:
                return True
        if isinstance(node, ast.keyword) and node.arg == "out" and written(node.value) == name:
            return True
    return False
