"""What a metric demands of the targets: as many axes as the output has. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import advised
from whydied.diagnose.errors.demands.demand import Entry, Scene, Told, shown
from whydied.diagnose.errors.framework_error import shape_words, sizes_in
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import located, scope_at, walk
from whydied.texts import demands

_TRAINED = ("fit", "evaluate")


def _rank(scene: Scene) -> Told | None:
    metric = scene.said.match["metric"]
    output, target = sizes_in(scene.said.match["output"]), sizes_in(scene.said.match["target"])
    given = [one for one in scene.facts.parties if one.role == "y"] if scene.facts is not None else []
    place, source = scene.said.place, scene.source
    if len(output) != 2 or len(target) != 1 or len(given) != 1 or place is None or source is None:
        return None
    labels = given[0]
    words = (
        f"the metric {metric} takes targets of shape (n, {output[1]}), and {shown(labels, 'y')} "
        f"{shape_words(labels.shape)} has 1 axis"
    )
    if output[1] != 1:
        one_hot = f"keras.utils.to_categorical({labels.text or 'y'}, {output[1]})"
        return Told(
            words,
            advised(f"Give it one-hot targets: `{one_hot}`, with the loss `categorical_crossentropy`.", "data"),
            culprit=labels.text,
        )
    names = [labels.text, *_others(source, place.line, labels.text)]
    made = [(name, _assigned(source, place.line, name)) for name in names]
    known = [(name, node) for name, node in made if node is not None]
    is_array = labels.type.endswith("ndarray")
    edits = [_column(source, place.file, node) for _, node in known] if is_array and len(known) == len(names) else None
    first = (
        located(scene.case.sources, place.file, known[0][1].lineno) if known and known[0][0] == labels.text else None
    )
    also = [line_words(located(scene.case.sources, place.file, node.lineno)) for name, node in known[1:]]
    rest = f", and so on {' and '.join(also)}" if also else ""
    return Told(
        words,
        advised(f"Make it a column where it is made: `.reshape(-1, 1)`{rest}.", "data", edits),
        place=first,
        culprit=labels.text,
    )


def _others(source: Source, line: int, name: str) -> list[str]:
    """The other names that calls in the same function pass as targets."""
    found: list[str] = []
    for call in walk(scope_at(source.tree, line), ast.Call):
        if callee(call) not in _TRAINED:
            continue
        pair = passed_argument(call, "validation_data")
        parts = [passed_argument(call, "y") or passed_argument(call, "1")]
        parts += [pair.elts[1]] if isinstance(pair, ast.Tuple | ast.List) and len(pair.elts) > 1 else []
        found += [one.id for one in parts if isinstance(one, ast.Name) and one.id != name]
    return list(dict.fromkeys(found))


def _assigned(source: Source, line: int, name: str) -> ast.Assign | None:
    made = last_assignment(name, scope_at(source.tree, line), 1_000_000) if name.isidentifier() else None
    plain = isinstance(made, ast.Assign) and len(made.targets) == 1 and isinstance(made.targets[0], ast.Name)
    return made if plain and isinstance(made, ast.Assign) else None


def _column(source: Source, file: str, node: ast.Assign) -> Edit:
    text = written_in(source, node.value)
    plain = isinstance(node.value, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
    return over(source, file, node.value, f"{text if plain else f'({text})'}.reshape(-1, 1)")


ENTRIES = (Entry(demands.METRIC_RANK.pattern, _rank),)
