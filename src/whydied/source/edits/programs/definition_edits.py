"""Edits of functions and classes: parameters, names, first and last statements, a new method. Pure.

What is not plain, such as a definition on one line, gives None.
"""

from __future__ import annotations

import ast
import io
import tokenize

from whydied.source.edits.edit import Edit, Point, end_of, line_before, over, start_of, written_in
from whydied.source.results import result_name
from whydied.source.text import Source
from whydied.source.trees import Function, last_name, walk, within

Definition = Function | ast.Lambda


def method_in(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((node for node in owner.body if isinstance(node, ast.FunctionDef) and node.name == name), None)


def set_parameters(source: Source, file: str, node: Definition, text: str) -> Edit | None:
    """All that stands between the brackets of a `def`, or between `lambda` and its colon."""
    found = parameters_of(source, node)
    return Edit(file, *found, f" {text}" if isinstance(node, ast.Lambda) else text) if found is not None else None


def parameters_of(source: Source, node: Definition) -> tuple[Point, Point] | None:
    """From behind the opening bracket to the closing one; of a lambda from behind the word to the colon."""
    first, column = start_of(source, node)
    lines = [line + "\n" for line in source.lines[first - 1 : node.end_lineno]]
    lines[0] = " " * column + lines[0][column:]
    opening, closing = ("lambda", ":") if isinstance(node, ast.Lambda) else ("(", ")")
    begin: Point | None = None
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO("".join(lines).lstrip(" ")).readline):
            shift = column if token.start[0] == 1 else 0
            at = (first + token.start[0] - 1, token.start[1] + shift)
            if begin is not None and depth == 0 and token.string == closing:
                return begin, at
            if begin is None and token.string == opening:
                begin = (at[0], at[1] + len(opening))
            elif begin is not None and token.string in ("(", "[", "{"):
                depth += 1
            elif begin is not None and token.string in (")", "]", "}"):
                depth -= 1
    except (tokenize.TokenError, IndentationError):
        return None
    return None


def rename_definition(source: Source, file: str, node: Function, new: str) -> list[Edit]:
    """A function or method under another name, also where the file calls it as an attribute. None where another
    definition of the file has the name too."""
    if sum(one.name == node.name for one in walk(source.tree, ast.FunctionDef)) != 1:
        return []
    line, column = start_of(source, node)
    at = source.lines[line - 1].find(node.name, column + len("def"))
    if at < 0:
        return []
    used = [one for one in walk(source.tree, ast.Attribute) if one.attr == node.name]
    ends = [end_of(source, one) for one in used]
    return [
        Edit(file, (line, at), (line, at + len(node.name)), new),
        *(Edit(file, (row, right - len(node.name)), (row, right), new) for row, right in ends),
    ]


def first_statement(source: Source, file: str, node: Function, text: str) -> Edit | None:
    """A statement above all others of a function, below its docstring."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None and node.body[1:] else node.body
    return line_before(source, file, body[0].lineno, text) if body[0].lineno > node.lineno else None


def last_statement(source: Source, file: str, node: Function | ast.ClassDef, text: str) -> Edit | None:
    """Lines below all others of a function or class, as far to the right as its first statement."""
    if node.body[0].lineno == node.lineno:
        return None
    last = max(one.end_lineno or one.lineno for one in node.body)
    indent = " " * start_of(source, node.body[0])[1]
    shifted = "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))
    end = (last, len(source.lines[last - 1]))
    return Edit(file, end, end, f"\n{shifted}")


def add_method(source: Source, file: str, owner: ast.ClassDef, text: str) -> Edit | None:
    """A method below all others of a class."""
    return last_statement(source, file, owner, f"\n{text}")


def decorate(source: Source, file: str, node: Function | ast.ClassDef, text: str) -> Edit:
    """A decorator above all others."""
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    indent = " " * start_of(source, node)[1]
    return Edit(file, (first, 0), (first, 0), f"{indent}@{text}\n")


def returned(source: Source, file: str, node: Function) -> Edit | None:
    """`return` of what a function ends with: below its last statement the variable that this makes or changes, else
    before the expression that it is."""
    name = result_name(node)
    if name:
        return last_statement(source, file, node, f"return {name}")
    last = node.body[-1]
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Constant):
        return over(source, file, last, f"return {written_in(source, last)}")
    return None


def parent_call(node: Function) -> ast.Call | None:
    """`super().__init__(…)` in a constructor, also as `super(Name, self)`."""
    for one in within(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "__init__":
            inner = one.func.value
            if isinstance(inner, ast.Call) and last_name(inner.func) == "super":
                return one
    return None
