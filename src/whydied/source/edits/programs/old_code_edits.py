"""Edits that bring code for an older library to the present one. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.bindings import module_files
from whydied.source.edits.argument_edits import drop_argument
from whydied.source.edits.edit import Edit, end_of, line_after, over, written_in
from whydied.source.text import Source
from whydied.source.trees import across, dotted_name, walk

FEWEST_OLD = 2
"""So many different names of TensorFlow 1 make a program one of that version."""
_ONLY_IN_1 = {
    "ConfigProto",
    "GPUOptions",
    "InteractiveSession",
    "Session",
    "assign",
    "get_collection",
    "get_default_graph",
    "get_default_session",
    "get_variable",
    "global_variables",
    "global_variables_initializer",
    "initialize_all_variables",
    "local_variables_initializer",
    "placeholder",
    "placeholder_with_default",
    "reset_default_graph",
    "set_random_seed",
    "tables_initializer",
    "trainable_variables",
    "truncated_normal",
    "variable_scope",
    "variables_initializer",
}
OF_GRAPHS = {"InteractiveSession", "Session", "placeholder", "placeholder_with_default"}
"""These need a graph, which only the old mode builds by default: under their new names they fail in the next line."""
_OF_TRAINING = ("Optimizer", "Saver", "Session", "Supervisor", "get_or_create_global_step")


def run_as_version_1(sources: Mapping[str, Source], file: str) -> list[Edit]:
    """`import tensorflow.compat.v1 as tf` in every file that imports TensorFlow, and the switch in one of them: of a
    notebook the cell with the import. Nothing where the program has too little of TensorFlow 1, or imports TensorFlow
    in another way."""
    names = {name for source in sources.values() for name in _old_names(source)}
    file = next((one for one in module_files(sources, file) if one in sources and _import_of(sources[one])), file)
    own = _import_of(sources[file]) if file in sources else None
    if (len(names) < FEWEST_OLD and not names & OF_GRAPHS) or own is None:
        return []
    edits = [
        over(source, where, found, "import tensorflow.compat.v1 as tf")
        for where, source in sources.items()
        if (found := _import_of(source)) is not None
    ]
    return [*edits, line_after(sources[file], file, own.lineno, "\ntf.disable_v2_behavior()")]


def uses_keras(sources: Mapping[str, Source]) -> bool:
    """Whether a program builds on Keras, whose present version does not work in the mode of TensorFlow 1."""
    imported = {one.name for _, node in across(sources, ast.Import) for one in node.names}
    imported |= {node.module or "" for _, node in across(sources, ast.ImportFrom)}
    imported |= {f"{node.module}.{one.name}" for _, node in across(sources, ast.ImportFrom) for one in node.names}
    named = {dotted_name(node) or "" for _, node in across(sources, ast.Attribute)}
    return any("keras" in name.split(".") for name in imported | named)


def _import_of(source: Source) -> ast.Import | None:
    found = [node for node in source.tree.body if isinstance(node, ast.Import) and ast.unparse(node) == _PLAIN]
    return found[0] if len(found) == 1 else None


_PLAIN = "import tensorflow as tf"


def _old_names(source: Source) -> set[str]:
    """The names of TensorFlow 1 that a file uses."""
    names = {dotted_name(node) or "" for node in walk(source.tree, ast.Attribute)}
    bare = {name.removeprefix("tf.") for name in names if name.startswith("tf.")}
    trained = {name for name in bare if name.startswith("train.") and name.endswith(_OF_TRAINING)}
    return trained | (bare & _ONLY_IN_1)


def function_to_layer(source: Source, file: str, call: ast.Call, layer: str) -> list[Edit] | None:
    """`tf.layers.dense(x, 8)` as `tf.keras.layers.Dense(8)(x)`: the input, and what only a call takes, go behind it."""
    if any(word.arg is None for word in call.keywords) or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    named = {word.arg: word for word in call.keywords}
    given: ast.expr | ast.keyword | None = call.args[0] if call.args else named.get("inputs")
    if given is None:
        return None
    value = given.value if isinstance(given, ast.keyword) else given
    moved = [f"{word}={written_in(source, named[word].value)}" for word in ("training",) if word in named]
    dropped = [given, *(named[word] for word in ("training", "reuse") if word in named)]
    shown = ", ".join([written_in(source, value), *moved])
    end = end_of(source, call)
    edits = [over(source, file, call.func, layer), Edit(file, end, end, f"({shown})")]
    return [*edits, *(drop_argument(source, file, call, one) for one in dropped)]
