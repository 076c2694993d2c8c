"""Another function or operator of the same kind, which is easily taken for the one that is written. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.prove.guesses.scene import Guess, Scene, Site, is_about_shapes
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.name_edits import attribute_name
from whydied.source.edits.statement_edits import around_statements, statement_at
from whydied.source.trees import walk, written

_PAIRS = (
    ("softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy_with_logits"),
    ("softmax_cross_entropy_with_logits", "sigmoid_cross_entropy_with_logits"),
    ("categorical_crossentropy", "sparse_categorical_crossentropy"),
    ("CategoricalCrossentropy", "SparseCategoricalCrossentropy"),
    ("CategoricalCrossentropy", "BinaryCrossentropy"),
    ("CategoricalAccuracy", "SparseCategoricalAccuracy"),
    ("matmul", "multiply"),
    ("dot", "multiply"),
    ("append", "extend"),
    ("stack", "concat"),
    ("stack", "concatenate"),
    ("vstack", "hstack"),
    ("expand_dims", "squeeze"),
    ("load", "loads"),
    ("dump", "dumps"),
    ("Conv1D", "Conv2D"),
    ("MaxPooling1D", "MaxPooling2D"),
    ("AveragePooling1D", "AveragePooling2D"),
    ("GlobalAveragePooling1D", "GlobalAveragePooling2D"),
    ("GlobalMaxPooling1D", "GlobalMaxPooling2D"),
    ("UpSampling1D", "UpSampling2D"),
    ("from_tensor_slices", "from_tensors"),
    ("zeros", "zeros_like"),
    ("ones", "ones_like"),
    ("fit", "fit_transform"),
    ("transform", "fit_transform"),
    ("predict", "predict_on_batch"),
    ("texts_to_sequences", "texts_to_matrix"),
    ("read", "readlines"),
    ("argmax", "max"),
    ("one_hot", "to_categorical"),
    ("Concatenate", "Add"),
    ("concatenate", "add"),
    ("variables", "trainable_variables"),
)
"""Each way round."""
_ONE_WAY = {
    "Flatten": ("GlobalAveragePooling2D", "GlobalMaxPooling2D"),
    "fit_generator": ("fit",),
    "evaluate_generator": ("evaluate",),
    "predict_generator": ("predict",),
    "predict_classes": ("predict",),
    "predict_proba": ("predict",),
    "numpy_function": ("py_function",),
    "as_matrix": ("to_numpy",),
    "iteritems": ("items",),
    "get_value": ("numpy",),
    "assign": ("assign_add",),
    "update_states": ("update_state",),
    "batch": ("padded_batch",),
    "map_values": ("map",),
}
_OF_SHAPES = ("1D", "2D", "stack", "concat", "squeeze", "expand", "matmul", "dot", "entropy", "Add", "add", "Flatten")


def siblings(scene: Scene) -> Iterator[Guess]:
    shapes = is_about_shapes(scene)
    for site in scene.sites:
        source = scene.sources[site.file]
        for call in scene.nodes(site, ast.Call):
            name = callee(call)
            if name == "fit" and scene.facts is not None and scene.facts.call:
                continue
            for at, other in enumerate(_siblings(name)):
                edits = _renamed(scene, site, call, other)
                of_shapes = any(one in name or one in other for one in _OF_SHAPES)
                cost = 1.5 + 0.2 * at + 0.5 * site.far + (0.0 if of_shapes == shapes else 0.8)
                wrong = f"`{name}` is called where `{other}` is meant"
                yield Guess("sibling", f"Call `{other}` instead of `{name}`", wrong, edits, cost)
        for attribute in scene.nodes(site, ast.Attribute):
            if attribute.attr in ("loc", "iloc"):
                other = "iloc" if attribute.attr == "loc" else "loc"
                edits = [attribute_name(source, site.file, attribute, other)]
                wrong = f"`{written(attribute)}` takes {'labels' if other == 'iloc' else 'positions'}"
                yield Guess("sibling", f"Write `{other}` instead of `{attribute.attr}`", wrong, edits, 1.0 + site.far)
        for node in scene.nodes(site, ast.BinOp):
            symbol = {ast.Mult: "@", ast.MatMult: "*"}.get(type(node.op))
            if symbol and shapes and site.is_running:
                text = f"{written_in(source, node.left)} {symbol} {written_in(source, node.right)}"
                wrong = f"`{written(node)}` is another product than is meant"
                edit = over(source, site.file, node, text)
                yield Guess("sibling", f"Write `{text}`", wrong, [edit], 1.6 + 0.5 * site.far)
                swapped = f"{written_in(source, node.right)} @ {written_in(source, node.left)}"
                if isinstance(node.op, ast.MatMult):
                    edit = over(source, site.file, node, swapped)
                    yield Guess("sibling", f"Write `{swapped}`", wrong, [edit], 1.3 + 0.5 * site.far)
    yield from _in_graph(scene)


def _siblings(name: str) -> list[str]:
    found = [other for one, other in _PAIRS if one == name] + [one for one, other in _PAIRS if other == name]
    return [*found, *_ONE_WAY.get(name, ())]


def _renamed(scene: Scene, site: Site, call: ast.Call, other: str) -> list[Edit]:
    source = scene.sources[site.file]
    if isinstance(call.func, ast.Attribute):
        return [attribute_name(source, site.file, call.func, other)]
    if not isinstance(call.func, ast.Name):
        return []
    for node in walk(source.tree, ast.ImportFrom):
        names = [alias.name for alias in node.names]
        if call.func.id in names:
            needed = over(source, site.file, node, f"from {node.module} import {', '.join(sorted({*names, other}))}")
            plain = all(alias.asname is None for alias in node.names)
            return [needed, over(source, site.file, call.func, other)] if plain else []
    return []


def _in_graph(scene: Scene) -> Iterator[Guess]:
    """A running statement in the scope of a graph that the program made."""
    for site in scene.sites:
        source = scene.sources[site.file]
        node = statement_at(source, site.line)
        if not site.is_running or node is None or hasattr(node, "body"):
            continue
        made = [one for one in walk(source.tree, ast.Assign) if isinstance(one.value, ast.Call)]
        graphs = [one.targets[0] for one in made if isinstance(one.value, ast.Call) and callee(one.value) == "Graph"]
        for graph in graphs[:1]:
            edits = around_statements(source, site.file, node, node, f"with {written(graph)}.as_default():")
            wrong = f"it does not run in `{written(graph)}`"
            yield Guess("graph", f"Run it in `{written(graph)}`", wrong, edits, 1.1 + 0.3 * site.far)
