"""Edits of a value where a statement uses it, or where it is made. Pure.

A value is known by its words. `code` says what becomes of it, with `{x}` in its place; names of libraries in it are
written as the file writes them (`np.` and `tf.` and `keras.` stand for them).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from whydied.source.assignments import targets
from whydied.source.calls import callee, own_names
from whydied.source.container_parts import expression
from whydied.source.edits.call_edits import walk_calls
from whydied.source.edits.edit import Edit, line_after, line_before, over, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.text import Source
from whydied.source.trees import function_at, nodes_on, scope_at, walk, within
from whydied.source.trees import written as text_of

_LIBRARY = re.compile(r"(?<![\w.])(np|tf|keras)\.([\w.]+)")
_LIBRARIES = {"np": "numpy", "tf": "tensorflow", "keras": "keras"}
_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.Tuple, ast.List, ast.Dict)


def use_edits(
    source: Source, file: str, line: int, text: str, code: str, calls: Collection[str] = ()
) -> list[Edit] | None:
    """A value in the statement at a line: as an argument of one of these calls, or inside of one; without such a call
    where it stands just once."""
    node = _argument(source, line, text, calls) or _only(source, line, text)
    return written(source, file, node, code) if node is not None else None


def operand_edits(
    source: Source, file: str, line: int, texts: Sequence[str], at: int, code: str, calls: Collection[str] = ()
) -> list[Edit] | None:
    """One of the operands of an operator or a call, known by the words of all of them; an empty text is any."""
    found = [parts for parts in _operands(source, line, calls) if _are(parts, texts)]
    if len(found) == 1:
        return written(source, file, found[0][at], code)
    if found or not texts[at]:
        return None
    return use_edits(source, file, line, texts[at], code)


def every_use_edits(source: Source, file: str, line: int, name: str, code: str) -> list[Edit] | None:
    """A variable wherever the statement at a line reads it; None where it is also an index there."""
    nodes = nodes_on(source, line)
    used = [one for one in nodes if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)]
    slices = [part for one in nodes if isinstance(one, ast.Subscript) for part in walk(one.slice, ast.Name)]
    if not used or any(one in slices for one in used):
        return None
    edits = [edit for one in used for edit in written(source, file, one, code)]
    return list(dict.fromkeys(edits))


def parameter_edits(source: Source, file: str, line: int, name: str, code: str) -> list[Edit] | None:
    """A parameter of the function around a line, at the beginning of that function; None where it is not one, is given
    another value there, or where just one statement reads it."""
    function = function_at(source.tree, line)
    if function is None or not is_parameter(source, line, name):
        return None
    body = [one for one in function.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    used = [one for statement in function.body for one in walk(statement, ast.Name) if one.id == name]
    plain = all(isinstance(one.ctx, ast.Load) for one in used)
    if not body or not plain or len({source.span(one.lineno) for one in used}) < 2:
        return None
    text, needed = in_words_of(source, file, code.format(x=name))
    return [*needed, line_before(source, file, body[0].lineno, f"{name} = {text}")]


def is_parameter(source: Source, line: int, name: str) -> bool:
    """Whether a name is a parameter of the function around a line."""
    function = function_at(source.tree, line)
    return function is not None and name in own_names(function)


def made_edits(source: Source, file: str, line: int, name: str, code: str) -> list[Edit] | None:
    """A variable where it is made, as seen from a line: the expression that it is assigned, or a line below it where
    that gives several. None where that is not the only place."""
    scope = scope_at(source.tree, line)
    made = _makers(scope, name) or _makers(source.tree, name)
    if len(made) != 1:
        return None
    statement = made[0]
    plain = isinstance(statement, ast.Assign) and len(statement.targets) == 1
    if plain and isinstance(statement.targets[0], ast.Name | ast.Attribute):
        return written(source, file, statement.value, code)
    text, needed = in_words_of(source, file, code.format(x=name))
    return [*needed, line_after(source, file, statement.lineno, f"{name} = {text}")]


def written(source: Source, file: str, node: ast.expr, code: str) -> list[Edit]:
    """A node as `code` says."""
    text = written_in(source, node)
    loose = not isinstance(node, _ATOMS) and not code.endswith("({x})") and "({x}, " not in code
    text, needed = in_words_of(source, file, code.format(x=f"({text})" if loose else text), text)
    return [*needed, over(source, file, node, text)]


def in_words_of(source: Source, file: str, code: str, kept: str = "") -> tuple[str, list[Edit]]:
    """Code with the names of libraries as a file writes them, and the imports that it lacks. `kept` is the user's."""
    needed: list[Edit] = []
    own = code.find(kept) if kept else -1

    def named(match: re.Match[str]) -> str:
        if own <= match.start() < own + len(kept):
            return match[0]
        found = library_name(source, file, f"{_LIBRARIES[match[1]]}.{match[2]}")
        needed.extend(one for one in found.needed if one not in needed)
        return found.text

    return _LIBRARY.sub(named, code), needed


def filled_edits(source: Source, file: str, line: int, name: str, code: str) -> list[Edit] | None:
    """A variable once all of it is written, as seen from a line: a statement of its own before the first that reads it
    after the last one that writes it or a part of it. An argument of the function is written when that begins."""
    function = function_at(source.tree, line)
    if function is not None and name in {one.arg for one in walk(function.args, ast.arg)}:
        before: ast.stmt | None = next((one for one in function.body if not _is_text(one)), None)
    else:
        own = source.tree if function is None or not _writes(function, name) else function
        body: list[ast.stmt] = getattr(own, "body", [])
        last = max((at for at, one in enumerate(body) if _writes(one, name)), default=None)
        later = body[last + 1 :] if last is not None else []
        before = next((one for one in later if any(one.id == name for one in walk(one, ast.Name))), None)
    if before is None:
        return None
    text, needed = in_words_of(source, file, code.format(x=name))
    return [*needed, line_before(source, file, before.lineno, f"{name} = {text}")]


def _writes(node: ast.AST, name: str) -> bool:
    """Whether a statement, or one inside of it, gives a variable or a part of it a value."""
    bases = (
        part
        for one in ast.walk(node)
        if isinstance(one, ast.stmt)
        for target in targets(one)
        for part in walk(target, ast.Name)
    )
    return any(part.id == name and not isinstance(part.ctx, ast.Del) for part in bases)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _makers(scope: ast.AST, name: str) -> list[ast.Assign]:
    """The assignments of a scope that give a name its value; a loop that does so too is one more."""
    found = []
    for node in within(scope):
        bound = targets(node) if not isinstance(node, ast.For) else [node.target]
        if any(text_of(part) == name for one in bound for part in walk(one, ast.expr)):
            found.append(node)
    return [one for one in found if isinstance(one, ast.Assign)] if len(found) == 1 else []


def _argument(source: Source, line: int, text: str, names: Collection[str]) -> ast.expr | None:
    """The only argument with these words, of the outermost call that has one: itself, or in a list, tuple or dict."""
    for call in walk_calls(source, line):
        if callee(call) not in names:
            continue
        given = [*call.args, *(word.value for word in call.keywords)]
        found = [part for one in given for part in _parts(one) if text_of(part) == _plain(text)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    yield node
    inner = node.elts if isinstance(node, ast.Tuple | ast.List) else node.values if isinstance(node, ast.Dict) else []
    for one in inner:
        yield from _parts(one)


def _only(source: Source, line: int, text: str) -> ast.expr | None:
    wanted = ast.dump(expression(text))
    found = [
        node
        for node in nodes_on(source, line)
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        if ast.dump(node) == wanted
    ]
    return found[0] if len(found) == 1 else None


def _operands(source: Source, line: int, calls: Collection[str]) -> Iterator[list[ast.expr]]:
    for node in nodes_on(source, line):
        if isinstance(node, ast.BinOp):
            yield [node.left, node.right]
        elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
            yield [node.left, node.comparators[0]]
        elif isinstance(node, ast.Call) and node.args and (not calls or callee(node) in calls):
            first = node.args[0]
            yield (
                [*first.elts]
                if isinstance(first, ast.Tuple | ast.List)
                else [
                    *node.args,
                    *(word.value for word in node.keywords),
                ]
            )


def _are(parts: Sequence[ast.expr], texts: Sequence[str]) -> bool:
    own = [text_of(part) for part in parts[: len(texts)]]
    return len(own) == len(texts) and all(not text or _plain(text) == one for one, text in zip(own, texts, strict=True))


def _plain(text: str) -> str:
    """Words as a tree writes them."""
    return text_of(expression(text))
