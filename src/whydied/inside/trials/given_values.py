"""The arguments of a failing call of a library by their values, as the frame of the library has them; runs in the
user's process, after an exception.

An argument that the program computed (`self.scores(pictures)`) cannot be had again without running its code. The
wrappers through which TensorFlow, Keras and pandas call have it still: a name stands for it in what is evaluated.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from whydied.inside.errors.operands import Failure
from whydied.inside.errors.stack_steps import Step
from whydied.inside.trials.computing import Scope
from whydied.source.edits.edit import written_in
from whydied.source.text import Source

_NAME = "_whydied_argument_"


def stood_in(failure: Failure, below: list[Step]) -> tuple[ast.AST, Scope]:
    """The failing expression with names for the arguments of its call, where the first frame `below` it has them."""
    names: dict[str, Any] = dict(failure.frame.f_locals)
    node = failure.node
    given = _given(node, below[0]) if isinstance(node, ast.Call) and below else None
    if given is None or not isinstance(node, ast.Call):
        return node, Scope(failure.frame, names)
    copied = copy.copy(node)
    copied.args = [_name(one, number) for number, one in enumerate(node.args)]
    copied.keywords = [copy.copy(word) for word in node.keywords]
    for number, word in enumerate(copied.keywords, len(node.args)):
        word.value = _name(word.value, number)
    values = [*given[0], *(given[1][word.arg] for word in node.keywords if word.arg is not None)]
    for number, value in enumerate(values):
        names[f"{_NAME}{number}"] = value
    return copied, Scope(failure.frame, names)


def _given(node: ast.Call, step: Step) -> tuple[list[Any], dict[str, Any]] | None:
    args, words = step.names.get("args"), step.names.get("kwargs")
    named = [word.arg for word in node.keywords]
    if type(args) is not tuple or type(words) is not dict or step.file is not None or None in named:
        return None
    if any(isinstance(one, ast.Starred) for one in node.args) or set(words) != set(named):
        return None
    before = len(args) - len(node.args)
    # What a method belongs to comes first.
    return (list(args[before:]), words) if before in (0, 1) else None


def _name(node: ast.expr, number: int) -> ast.expr:
    """A name at the place of an argument; one that is written plainly stays, for what is said of it."""
    if isinstance(node, ast.Name | ast.Constant):
        return node
    return ast.copy_location(ast.Name(f"{_NAME}{number}", ast.Load()), node)


def as_written(source: Source, text: str, part: ast.expr) -> str:
    """A form with the program's own expressions in the place of the names that stood for them."""
    if isinstance(part, ast.Name) and part.id.startswith(_NAME):
        return text.replace(part.id, _closed(written_in(source, part)))
    if isinstance(part, ast.Call):
        for one in [*part.args, *(word.value for word in part.keywords)]:
            if isinstance(one, ast.Name) and one.id.startswith(_NAME):
                text = text.replace(one.id, written_in(source, one))
    if isinstance(part, ast.Constant) and written_in(source, part)[:1] == '"':
        return text.replace("'", '"')
    plain = ast.unparse(part)
    return text.replace(plain, written_in(source, part), 1) if plain in text else text


def _closed(text: str) -> str:
    """In brackets where something behind it would take the last part alone."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text
    plain = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.List | ast.Tuple | ast.Dict)
    return text if plain else f"({text})"
