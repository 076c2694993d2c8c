"""Weights that are saved from a model of one builder and loaded into that of another: training and use disagree. Pure.

The program's own files tell it: the statement that writes the same file, what made the model there, and the functions
that both names stand for through the imports. Where one of these is not plain nothing is said.
"""

from __future__ import annotations

import ast
import os
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over
from whydied.source.edits.name_edits import attribute_name
from whydied.source.text import Source
from whydied.source.trees import across, last_name, scope_at, walk, within, written

_LOADS = ("load_weights",)
_SAVES = ("save_weights", "save", "ModelCheckpoint")


class Builder(NamedTuple):
    """The function or class that makes a model: where it is defined, and where it is called."""

    file: str
    name: str
    called_in: str
    line: int


class OtherBuilder(NamedTuple):
    """`own` makes the model that is loaded into, `saved` the one whose weights the file has; `saves` is the line that
    wrote it, as its file and number."""

    own: Builder
    saved: Builder
    saves: tuple[str, int]
    changes: list[Change]


def other_builder(case: Case, loading: Location | None) -> OtherBuilder | None:
    """The builder of the model that was saved to the file which a statement loads, where it is another one."""
    source = case.project.get(loading.file) if loading is not None else None
    if loading is None or source is None:
        return None
    first, last = source.span(loading.line)
    calls = [one for one in walk(source.tree, ast.Call) if callee(one) in _LOADS and first <= one.lineno <= last]
    path = _path(calls[0]) if len(calls) == 1 else None
    own = _builder(case, loading.file, calls[0], _receiver(calls[0])) if path is not None else None
    if path is None or own is None:
        return None
    found: dict[tuple[str, str], OtherBuilder] = {}
    for file, call in across(case.project, ast.Call):
        target = _path(call) if callee(call) in _SAVES else None
        if target is None or written(target) != written(path) or _is_own_name(path, source, file, loading.file):
            continue
        saved = _builder(case, file, call, _saved_model(case.project[file], call))
        if saved is not None:
            changes = _imported(source, own, saved) or _called(source, own, saved)
            found[saved.file, saved.name] = OtherBuilder(own, saved, (file, call.lineno), changes)
    others = list(found.values())
    return others[0] if len(others) == 1 and (own.file, own.name) not in found else None


def _path(call: ast.Call) -> ast.expr | None:
    given = next((word.value for word in call.keywords if word.arg in ("filepath", "path")), None)
    return given or (call.args[0] if call.args else None)


def _is_own_name(path: ast.expr, source: Source, file: str, own: str) -> bool:
    """Whether the same words may be two things: a variable of a function, in another one."""
    if isinstance(path, ast.Constant) or file == own:
        return False
    name = last_name(path)
    imported = any(alias.name == name for node in walk(source.tree, ast.ImportFrom) for alias in node.names)
    return not imported and not isinstance(path, ast.Attribute)


def _receiver(call: ast.Call) -> ast.expr | None:
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def _saved_model(source: Source, call: ast.Call) -> ast.expr | None:
    """The model whose weights a call writes: a callback writes those of the model that is trained beside it."""
    if callee(call) != "ModelCheckpoint":
        return _receiver(call)
    trained = [
        one
        for one in within(scope_at(source.tree, call.lineno))
        if isinstance(one, ast.Call) and callee(one) == "fit" and _receiver(one) is not None
    ]
    return _receiver(trained[0]) if len(trained) == 1 else None


def _builder(case: Case, file: str, call: ast.Call, model: ast.expr | None) -> Builder | None:
    source = case.project[file]
    if not isinstance(model, ast.Name):
        return None
    made = last_assignment(model.id, scope_at(source.tree, call.lineno), call.lineno)
    value = made.value if isinstance(made, ast.Assign) else None
    if not isinstance(value, ast.Call):
        return None
    defined = _defined(case, file, value.func)
    return Builder(*defined, file, value.lineno) if defined is not None else None


def _defined(case: Case, file: str, func: ast.expr) -> tuple[str, str] | None:
    """The file and the name of a function of the program that an expression names."""
    tree = case.project[file].tree
    if isinstance(func, ast.Name):
        if any(isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == func.id for one in tree.body):
            return file, func.id
        for node in walk(tree, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == func.id:
                    return _in_module(case, file, node.module or "", alias.name)
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        for plain in walk(tree, ast.Import):
            for alias in plain.names:
                if (alias.asname or alias.name) == func.value.id:
                    return _in_module(case, file, alias.name, func.attr)
    return None


def _in_module(case: Case, file: str, module: str, name: str) -> tuple[str, str] | None:
    ending = f"{module.replace('.', os.sep)}.py" if module else ""
    found = [one for one in case.project if ending and one.endswith(os.sep + ending)]
    if len(found) != 1:
        return None
    defined = [one for one in case.project[found[0]].tree.body if getattr(one, "name", "") == name]
    return (found[0], name) if defined else None


def _called(source: Source, own: Builder, saved: Builder) -> list[Change]:
    """The call of the other function, where both are of one module that the loading file names."""
    calls = [one for one in walk(source.tree, ast.Call) if one.lineno == own.line and callee(one) == own.name]
    func = calls[0].func if len(calls) == 1 and own.file == saved.file else None
    if not isinstance(func, ast.Attribute):
        return []
    edit = attribute_name(source, own.called_in, func, saved.name)
    title = f"Call `{saved.name}`, which made the model whose weights were saved"
    return [Change(title=title, kind="expression", edits=[edit])]


def _imported(source: Source, own: Builder, saved: Builder) -> list[Change]:
    """The import of the loading file from the module of the other builder, where both have one name."""
    for node in walk(source.tree, ast.ImportFrom):
        if len(node.names) != 1 or node.names[0].name != own.name or own.name != saved.name or node.level:
            continue
        module = os.path.splitext(os.path.basename(saved.file))[0]
        package = (node.module or "").rpartition(".")[0]
        text = f"from {package + '.' if package else ''}{module} import {written(node).partition(' import ')[2]}"
        title = f"Import `{own.name}` from `{module}`, which the weights were saved from"
        return [Change(title=title, kind="import", edits=[over(source, own.called_in, node, text)])]
    return []
