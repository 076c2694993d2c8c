"""Edits of programs that run graphs in sessions: initialisers, sessions, graphs and tapes. Pure."""

from __future__ import annotations

import ast

from whydied.source.calls import callee, method_calls
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Edit, line_after, line_before, over, written_in
from whydied.source.edits.statement_edits import (
    lines_of,
    move_above,
    stands_alone,
    statement_at,
    without_statement,
)
from whydied.source.holder_uses import uses_of
from whydied.source.text import Source
from whydied.source.trees import Function, around, function_at, nodes_on, scope_at, walk, within, written

_KEEPING = frozenset({"append", "add", "put", "setattr", "partial", "extend", "insert"})
_NAMING = ("name_scope", "variable_scope", "device", "control_dependencies")
_OPENING = ("Session", "InteractiveSession", "run", "eval")
_LOOPS = ast.For | ast.AsyncFor | ast.While


def body_of(tree: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
    """The statements that one stands among."""
    for parent in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            found = getattr(parent, field, None)
            if isinstance(found, list) and node in found:
                return found
    return None


def before_loops(source: Source, line: int) -> int:
    """The line of the statement at a line, or of the outermost loop around it that no other block or function is
    between."""
    node = statement_at(source, line)
    if node is None:
        return line
    parents = {child: parent for parent in ast.walk(source.tree) for child in ast.iter_child_nodes(parent)}
    found, current = node.lineno, parents.get(node)
    while current is not None and not isinstance(current, ast.FunctionDef | ast.With | ast.Module | ast.ClassDef):
        if isinstance(current, _LOOPS):
            found = current.lineno
        current = parents.get(current)
    return found


def run_before(source: Source, file: str, line: int, text: str) -> Edit:
    """A statement above the one at a line, once: above the loops around it."""
    return line_before(source, file, before_loops(source, line), text)


def move_before_use(source: Source, file: str, line: int, use: int) -> list[Edit]:
    """The statement at a line down to right above the one that needs it, where both stand in one function."""
    node = statement_at(source, line)
    if node is None or function_at(source.tree, line) is not function_at(source.tree, use):
        return []
    beside = body_of(source.tree, node) or []
    below_it = [one for one in beside if one.lineno > node.lineno and one.lineno <= use <= (one.end_lineno or 0)]
    if not below_it or beside.index(below_it[0]) <= beside.index(node) + 1:
        return []
    return move_above(source, file, node, below_it[0].lineno)


def with_graph(source: Source, file: str, line: int, graph: str) -> Edit | None:
    """The session that a statement opens, on a graph."""
    names = ("Session", "InteractiveSession")
    found = [
        node
        for statement in [statement_at(source, line)]
        if statement is not None
        for node in walk(statement, ast.Call)
        if callee(node) in names and node.lineno == line
    ]
    return set_argument(source, file, found[0], "graph", 1, graph) if len(found) == 1 else None


def build_begins(source: Source, line: int, is_cell: bool) -> int:
    """The line where the build begins that a line belongs to: the block of names, variables or a device around it. In a
    cell the first statement that is no import and no definition, where the cell has run no session before the line."""
    blocks = [
        one for one in around(source.tree, line, ast.stmt) if isinstance(one, ast.With | Function) and one.lineno < line
    ]
    inner = [one for at, one in enumerate(blocks) if all(_only_names(each) for each in blocks[at:])]
    begins = inner[0].lineno if inner else line
    if not is_cell or (blocks and not inner):
        return begins
    own = [
        one for one in source.tree.body if not isinstance(one, ast.Import | ast.ImportFrom | Function | ast.ClassDef)
    ]
    above = [one for one in own if (one.end_lineno or one.lineno) < begins]
    if not above or any(callee(call) in _OPENING for one in above for call in walk(one, ast.Call)):
        return begins
    return above[0].lineno


def _only_names(block: ast.AST) -> bool:
    """Whether a block gives what is made in it names or a device, and is neither of a graph nor of a session."""
    return isinstance(block, ast.With) and all(
        isinstance(item.context_expr, ast.Call) and callee(item.context_expr) in _NAMING for item in block.items
    )


def as_block(source: Source, file: str, line: int) -> list[Edit]:
    """`sess = tf.Session()` as a block that closes it, around all that follows in the same body. Nothing where that
    keeps the session or gives it away, or something outside of the body uses it."""
    node = statement_at(source, line)
    beside = (body_of(source.tree, node) or []) if node is not None else []
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return []
    rest = beside[beside.index(node) + 1 :]
    made = written_in(source, node.value)
    if not rest or not all(stands_alone(source, one) for one in [node, *rest]):
        return []
    if not isinstance(node.value, ast.Call) or callee(node.value) not in ("Session", "InteractiveSession"):
        return []
    name = node.targets[0].id
    used = [one for statement in rest for one in walk(statement, ast.Name) if one.id == name]
    held = [one.value for statement in rest for one in walk(statement, ast.Attribute)]
    held += [one for statement in rest for one in [*_listed(source, file, statement), *_lent(statement)]]
    if any(one not in held for one in used) or _is_used_outside(source, name, node, rest[-1]):
        return []
    # An interactive session is not one that a block can hold; within the block a plain one is the default too.
    header = f"with {made.replace('InteractiveSession', 'Session')} as {name}:"
    numbers = range(rest[0].lineno, (rest[-1].end_lineno or rest[-1].lineno) + 1)
    inner = [Edit(file, (at, 0), (at, 0), "    ") for at in numbers if source.lines[at - 1].strip()]
    return [over(source, file, node, header), *inner]


def _lent(node: ast.stmt) -> list[ast.expr]:
    """What a statement passes to functions and methods: `saver.restore(sess, …)`. An object that is made, with a name
    that begins with a capital, may keep it, and so may who gets a result."""
    if isinstance(node, ast.Return) or any(isinstance(one, ast.Return | ast.Yield) for one in ast.walk(node)):
        return []
    calls = [call for call in walk(node, ast.Call) if callee(call)[:1].islower() and callee(call) not in _KEEPING]
    return [one for call in calls for one in [*call.args, *(word.value for word in call.keywords)]]


def _listed(source: Source, file: str, node: ast.stmt) -> list[ast.expr]:
    """What a statement adds to a list that nobody reads."""
    call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "append":
        return []
    uses = uses_of({file: source}, written(call.func.value))
    return call.args if uses is not None and not uses.is_read else []


def _is_used_outside(source: Source, name: str, made: ast.stmt, last: ast.stmt) -> bool:
    scope = scope_at(source.tree, made.lineno)
    return any(
        isinstance(node, ast.Name) and node.id == name and not made.lineno <= node.lineno <= (last.end_lineno or 0)
        for node in ast.walk(scope)
    )


def without_eager(source: Source, file: str) -> Edit | None:
    """Eager execution switched off right below the import of TensorFlow."""
    for node in source.tree.body:
        for alias in node.names if isinstance(node, ast.Import) else []:
            name = alias.asname or alias.name
            if alias.name == "tensorflow" and "." not in name:
                return line_after(source, file, node.lineno, f"\n{name}.compat.v1.disable_eager_execution()")
            if alias.name == "tensorflow.compat.v1" and alias.asname:
                return line_after(source, file, node.lineno, f"\n{name}.disable_eager_execution()")
    return None


def into_tape(source: Source, file: str, line: int, tape: str) -> list[Edit]:
    """The statement at a line, and what stands between, as the last ones of the block of a tape above it."""
    node = statement_at(source, line)
    beside = body_of(source.tree, node) if node is not None else None
    if node is None or beside is None:
        return []
    blocks = [one for one in beside if isinstance(one, ast.With) and one.lineno < node.lineno and _opens(one, tape)]
    if not blocks:
        return []
    moved = beside[beside.index(blocks[-1]) + 1 : beside.index(node) + 1]
    if any(f"{tape}." in written(one) for one in moved) or not all(stands_alone(source, one) for one in moved):
        return []
    shift = blocks[-1].body[0].col_offset - node.col_offset
    numbers = range(moved[0].lineno, (node.end_lineno or node.lineno) + 1)
    return [Edit(file, (number, 0), (number, 0), " " * shift) for number in numbers if source.lines[number - 1].strip()]


def computed_in_tape(source: Source, file: str, line: int, tape: str) -> list[Edit]:
    """What the call of `tape.gradient` at a line computes itself, as the last statement of the tape's block."""
    calls = [call for _, call in method_calls(nodes_on(source, line), ("gradient", "jacobian")) if call.args]
    blocks = [node for node in within(scope_at(source.tree, line)) if isinstance(node, ast.With) and _opens(node, tape)]
    above = [one for one in blocks if (one.end_lineno or one.lineno) < line and one.body[0].lineno > one.lineno]
    taken = {name.id for name in walk(source.tree, ast.Name)}
    name = next((one for one in ("loss", "target", "taped") if one not in taken), None)
    if len(calls) != 1 or not above or name is None:
        return []
    target, block = calls[0].args[0], max(above, key=lambda one: one.lineno)
    made = line_after(source, file, block.body[-1].end_lineno or 0, f"{name} = {written_in(source, target)}")
    return [made, over(source, file, target, name)]


def watch(source: Source, file: str, line: int, tape: str, name: str) -> Edit | None:
    """`tape.watch(name)` as the first statement of the tape's block."""
    scope = scope_at(source.tree, line)
    blocks = [node for node in within(scope) if isinstance(node, ast.With) and _opens(node, tape)]
    found = [block for block in blocks if block.lineno < line and block.body[0].lineno > block.lineno]
    if not found:
        return None
    return line_before(source, file, max(found, key=lambda one: one.lineno).body[0].lineno, f"{tape}.watch({name})")


def _opens(node: ast.With, tape: str) -> bool:
    return any(item.optional_vars is not None and written(item.optional_vars) == tape for item in node.items)


def create_before(source: Source, file: str, line: int, other: int) -> list[Edit]:
    """The assignment at a line above another, outside of the loops around it. Nothing where its value depends on them,
    or the two stand in different functions."""
    node = statement_at(source, line)
    if not isinstance(node, ast.Assign) or function_at(source.tree, line) is not function_at(source.tree, other):
        return []
    loops = [one for one in walk(source.tree, ast.stmt) if isinstance(one, _LOOPS) and _holds(one, line)]
    changing = {name.id for loop in loops for name in walk(loop, ast.Name) if isinstance(name.ctx, ast.Store)}
    if other >= line or changing & {name.id for name in walk(node.value, ast.Name)} or not stands_alone(source, node):
        return []
    first = source.lines[source.span(other)[0] - 1]
    indent = first[: len(first) - len(first.lstrip())]
    text = f"\n{indent}".join(lines_of(source, node))
    return [line_before(source, file, other, text), without_statement(source, file, node)]


def _holds(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)
