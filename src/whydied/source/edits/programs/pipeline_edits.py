"""Edits of what gives a training its data: data sets, iterators and generators. Pure."""

from __future__ import annotations

import ast

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, line_after, line_before, over, written_in
from whydied.source.edits.import_edits import add_import, module_names
from whydied.source.edits.statement_edits import around_statements, stands_alone, statement_at
from whydied.source.text import Source
from whydied.source.trees import Function, around, nodes_on, walk, written

_LOOPS = ast.For | ast.AsyncFor | ast.While
_ITERATORS = ("iter", "make_one_shot_iterator", "make_initializable_iterator")


def repeated(source: Source, file: str, node: ast.expr) -> Edit:
    """A data set that begins anew at its end."""
    text = written_in(source, node)
    plain = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return over(source, file, node, f"{text}.repeat()" if plain else f"({text}).repeat()")


def iterator_repeated(source: Source, file: str, name: str) -> Edit | None:
    """The data set that an iterator is made of, repeated; the only assignment of the iterator's name shows it."""
    made = [node for node in walk(source.tree, ast.Assign) if name in map(written, node.targets)]
    call = made[0].value if len(made) == 1 else None
    if not isinstance(call, ast.Call) or callee(call) not in _ITERATORS:
        return None
    if call.args:
        return repeated(source, file, call.args[0])
    return repeated(source, file, call.func.value) if isinstance(call.func, ast.Attribute) else None


def begun_anew(source: Source, file: str, function: Function) -> list[Edit]:
    """`while True:` around the only loop of a generator that its body has and that yields."""
    loops = [node for node in function.body if isinstance(node, _LOOPS)]
    yields = [node for node in loops if any(isinstance(one, ast.Yield) for one in ast.walk(node))]
    if len(yields) != 1 or function.body[-1] is not yields[0]:
        return []
    return around_statements(source, file, yields[0], yields[0], "while True:")


def caught(source: Source, file: str, line: int, error: str) -> list[Edit]:
    """The loop around a statement ends with an exception of it."""
    node = statement_at(source, line)
    inside = [loop for loop in around(source.tree, line, ast.stmt) if isinstance(loop, _LOOPS) and node in loop.body]
    if node is None or not inside:
        return []
    edits = around_statements(source, file, node, node, "try:")
    if not edits:
        return []
    indent = " " * node.col_offset
    last = node.end_lineno or node.lineno
    end = (last, len(source.lines[last - 1]))
    return [*edits, Edit(file, end, end, f"\n{indent}except {error}:\n{indent}    break")]


def under_lock(source: Source, file: str, line: int, name: str) -> list[Edit]:
    """`next(name)` under one lock for all threads, kept beside the generator."""
    owner = name.rpartition(".")[0]
    if owner not in ("", "self") or _has_lock(source):
        return []
    lock = "self.lock" if owner else "lock"
    made = [
        node
        for node in walk(source.tree, ast.Assign)
        if name in map(written, node.targets) and (owner or node in source.tree.body)
    ]
    statement = statement_at(source, line)
    asked = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and written(node) == f"next({name})"]
    if len(made) != 1 or len(asked) != 1 or statement is None or not stands_alone(source, statement):
        return []
    edits = [line_after(source, file, made[0].lineno, f"{lock} = threading.Lock()")]
    if isinstance(statement, ast.Assign) and statement.value is asked[0]:
        edits += around_statements(source, file, statement, statement, f"with {lock}:")
    else:
        indent = " " * statement.col_offset
        text = f"with {lock}:\n{indent}    item = next({name})"
        edits += [line_before(source, file, statement.lineno, text), over(source, file, asked[0], "item")]
    if "threading" not in module_names(source):
        imported = add_import(source, file, "import threading")
        edits += [imported] if imported is not None else []
    return edits


def _has_lock(source: Source) -> bool:
    """Whether the file uses the name already."""
    return any(getattr(node, "attr", getattr(node, "id", "")) == "lock" for node in ast.walk(source.tree))
