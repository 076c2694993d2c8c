"""Edits that make the numbers of a model narrower, or compute them again instead of keeping them. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from whydied.source.calls import callee, parameters
from whydied.source.edits.edit import Edit, line_after
from whydied.source.edits.programs.definition_edits import method_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.edits.statement_edits import around_statements
from whydied.source.text import Source
from whydied.source.trees import across, holds, last_name, walk

_POLICIES = frozenset({"set_global_policy", "set_dtype_policy", "set_floatx", "set_policy"})
_STATEFUL = frozenset({"BatchNormalization", "Dropout", "SpatialDropout1D", "SpatialDropout2D", "GaussianNoise"})


def policy_set(sources: Mapping[str, Source], file: str, function: str, policy: str) -> list[Edit]:
    """A policy for the types of all layers, below the imports of a file; nothing where the program sets one itself."""
    source = sources[file]
    if any(callee(call) in _POLICIES for _, call in across(sources, ast.Call)):
        return []
    imports = [node for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    if not imports:
        return []
    named = library_name(source, file, f"keras.{function}")
    return [*named.needed, line_after(source, file, imports[-1].lineno, f'\n{named.text}("{policy}")')]


def own_layers(sources: Mapping[str, Source]) -> dict[str, ast.ClassDef]:
    """The program's own layers by the name that Keras gives the first of each class. Only those whose `call` takes its
    inputs and nothing else: Keras passes the rest by keyword, which TensorFlow cannot recompute in a graph."""
    found: dict[str, ast.ClassDef] = {}
    for _, node in across(sources, ast.ClassDef):
        called = method_in(node, "call")
        if called is None or not any(last_name(base) == "Layer" for base in node.bases):
            continue
        if len(parameters(called)) == 1 and not called.args.kwonlyargs and called.args.kwarg is None:
            found[_snake(node.name)] = node
    return found


def recomputed(sources: Mapping[str, Source], owner: ast.ClassDef, layers: Sequence[str]) -> list[Edit]:
    """The statements of one block that make layers of a class, in a scope that recomputes those of these names."""
    made = [(file, call) for file, call in across(sources, ast.Call) if callee(call) == owner.name]
    files = {file for file, _ in made}
    if len(files) != 1:
        return []
    file = files.pop()
    source = sources[file]
    for body in _bodies(source.tree):
        at = [n for n, node in enumerate(body) if any(holds(node, call.lineno) for _, call in made)]
        inside = sum(any(holds(body[n], call.lineno) for n in at) for _, call in made)
        if at and inside == len(made) and not any(isinstance(body[n], ast.ClassDef | ast.FunctionDef) for n in at):
            scope = library_name(source, file, "keras.RematScope")
            names = ", ".join(f'"{name}"' for name in layers)
            header = f'with {scope.text}(mode="list_of_layers", layer_names=[{names}]):'
            block = around_statements(source, file, body[at[0]], body[at[-1]], header)
            return [*scope.needed, *block] if block else []
    return []


def is_repeatable(owner: ast.ClassDef) -> bool:
    """Whether a layer gives the same when it is computed twice, and changes nothing of its own."""
    return not any(callee(call) in _STATEFUL for call in walk(owner, ast.Call))


def _bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    """The blocks of a file, inner ones first."""
    found = [body for node in ast.walk(tree) if isinstance(body := getattr(node, "body", None), list)]
    return found[::-1]


def _snake(name: str) -> str:
    """`ConvBlock2D` as Keras names the first of its layers: `conv_block2d`."""
    apart = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", apart).lower()
