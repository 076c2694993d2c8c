"""What a call demands of the order of things: sorted values, a vocabulary before it is used, settings before the first
op, an end of the data before they are counted. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import advised
from whydied.diagnose.errors.demands.demand import Entry, Scene, Told, shown
from whydied.diagnose.finding import Certainty
from whydied.records import LayerFacts
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee
from whydied.source.edits.call_edits import set_argument, walk_calls
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.statement_edits import move_above, statement_at
from whydied.source.trees import located, scope_at, walk
from whydied.texts import demands, session_errors

_ADAPTED = ("TextVectorization", "StringLookup", "IntegerLookup")
_UNCOUNTED = (
    "filter",
    "from_generator",
    "flat_map",
    "interleave",
    "unbatch",
    "rebatch",
    "TextLineDataset",
    "TFRecordDataset",
)


def _segments(scene: Scene) -> Told | None:
    ids = scene.argument("segment_ids")
    calls = [call for call in scene.calls() if callee(call).startswith("segment_")]
    if ids is None or len(calls) != 1 or scene.source is None or scene.said.place is None:
        return None
    call, file = calls[0], scene.said.place.file
    written = ids.text if ids.text.isidentifier() else ""
    edits: list[Edit] = []
    if isinstance(call.func, ast.Attribute) and written and len(call.args) == 2 and not call.keywords:
        text = f"{written_in(scene.source, call.func.value)}.unsorted_{call.func.attr}"
        given = ", ".join(written_in(scene.source, one) for one in call.args)
        number = (
            f"int(max({written})) + 1" if ids.type.endswith(("list", "ndarray")) else f"tf.reduce_max({written}) + 1"
        )
        edits = [over(scene.source, file, call, f"{text}({given}, {number})")]
    return Told(
        f"{shown(ids, 'the ids')} is not sorted, and `{callee(call)}` takes ids that never fall",
        advised(
            f"Use `unsorted_{callee(call)}` with the number of segments ({(ids.highest or 0) + 1} here), or sort both "
            "arguments by the ids.",
            "call",
            edits or None,
        ),
        culprit=ids.text,
    )


def _sparse(scene: Scene) -> Told | None:
    value = scene.argument("sp_input", "sp_a", "sp_ids", "input")
    name = value.text if value is not None else ""
    index = scene.said.match["index"]
    edits = None
    if name and scene.source is not None and scene.said.place is not None:
        calls = [node for call in scene.calls() for node in call.args if ast.unparse(node) == name]
        if len(calls) == 1:
            edits = [over(scene.source, scene.said.place.file, calls[0], f"tf.sparse.reorder({name})")]
    return Told(
        f"the indices of {f'`{name}`' if name else 'the sparse tensor'} are not sorted by rows: {index} comes too "
        f"late, at place {scene.said.match['at']}",
        advised(f"Sort them: `tf.sparse.reorder({name or 'tensor'})`, or build it with sorted indices.", "call", edits),
        culprit=name,
    )


def _vocabulary(scene: Scene) -> Told | None:
    """A layer that numbers words and was given none."""
    layer = scene.facts.layer if scene.facts is not None else None
    if layer is None or layer.type not in _ADAPTED:
        return None
    made = _made(scene, layer)
    name = _receiver(scene, layer)
    return Told(
        f'{layer.type} "{layer.name}"{made} has no vocabulary: it was neither adapted nor given one',
        advised(f"Call `{name}.adapt(…)` with the training data before this line, or pass `vocabulary=…`.", "call"),
        culprit=layer.name,
    )


def _outside(scene: Scene) -> Told | None:
    layer = scene.facts.layer if scene.facts is not None else None
    if layer is None or layer.made is None:
        return None
    source, place = scene.case.sources.get(layer.made.file), scene.case.locate(layer.made)
    calls = (
        [call for call in walk_calls(source, place.line) if callee(call) == layer.type] if source is not None else []
    )
    edit = (
        set_argument(source, place.file, calls[0], "num_oov_indices", None, "1") if source and len(calls) == 1 else None
    )
    return Told(
        f'{layer.type} "{layer.name}" has no place for words that are not in its vocabulary (`num_oov_indices=0`), and '
        f"{line_words(scene.said.place) if scene.said.place else 'the data'} has {scene.said.match['words']}",
        advised(
            "Keep one place for unknown words: `num_oov_indices=1` (all numbers move up by one); or take them out of "
            "the data.",
            "argument",
            [edit] if edit is not None else None,
        ),
        place=place,
        culprit=layer.name,
    )


def _late(scene: Scene) -> Told | None:
    """A setting below the first line that runs an op, in the same body."""
    place, source = scene.said.place, scene.source
    if place is None or source is None or place.function != "<module>":
        return None
    alias = next(
        (
            one.asname or one.name
            for node in walk(source.tree, ast.Import)
            for one in node.names
            if one.name.partition(".")[0] == "tensorflow"
        ),
        "",
    )
    node = statement_at(source, place.line)
    before = [
        one
        for one in source.tree.body
        if one.lineno < place.line and not isinstance(one, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)
        for call in walk(one, ast.Call)
        if alias and ast.unparse(call.func).startswith(f"{alias}.") and ".config." not in ast.unparse(call.func)
    ]
    if node is None or not before:
        return None
    first = before[0]
    edits = move_above(source, place.file, node, first.lineno)
    call = next((one for one in walk(node, ast.Call)), None)
    what = ast.unparse(call.func) if call is not None else "this"
    return Told(
        f"`{what}` comes after {line_words(located(scene.case.sources, place.file, first.lineno))}, which starts "
        "TensorFlow's runtime; its settings are fixed from then on",
        advised(
            f"Move it above {line_words(located(scene.case.sources, place.file, first.lineno))}.",
            "statement",
            edits or None,
        ),
        culprit=what,
        # The first op is told by the source, and not every call of the library is one.
        certainty="likely",
    )


def _length(scene: Scene) -> Told | None:
    """`len` of a data set, by the stage that hides its end."""
    place, source = scene.said.place, scene.source
    calls = [call for call in scene.calls("len") if len(call.args) == 1]
    if place is None or source is None or len(calls) != 1:
        return None
    name = ast.unparse(calls[0].args[0])
    endless = "infinite" in scene.said.match["why"]
    wanted = ("repeat",) if endless else _UNCOUNTED
    stages = [call for call in walk(source.tree, ast.Call) if callee(call) in wanted and call.lineno <= place.line]
    if not stages:
        return None
    last = max(stages, key=lambda call: call.lineno)
    where = f" ({line_words(located(scene.case.sources, place.file, last.lineno))})"
    # Another data set of the file may be the one with that stage.
    made = last_assignment(name, scope_at(source.tree, place.line), place.line) if name.isidentifier() else None
    sure: Certainty = "certain" if made is not None and last in walk(made, ast.Call) else "likely"
    if endless:
        return Told(
            f"`{name}` has no end: `{callee(last)}()` without a number{where} repeats it for ever",
            advised("Ask for the length before the `repeat()`, or give that a number.", "call"),
            culprit=name,
            certainty=sure,
        )
    return Told(
        f"`{name}` cannot be counted before it is read: `{callee(last)}`{where} gives as many elements as it finds",
        advised(
            f"Count once by reading: `sum(1 for _ in {name})`; or, if the number is known, "
            f"`{name}.apply(tf.data.experimental.assert_cardinality(number))`.",
            "call",
            [over(source, place.file, calls[0], f"sum(1 for _ in {name})")],
        ),
        culprit=name,
        certainty=sure,
    )


def _made(scene: Scene, layer: LayerFacts) -> str:
    return f", made on {line_words(scene.case.locate(layer.made))}," if layer.made is not None else ""


def _receiver(scene: Scene, layer: LayerFacts) -> str:
    """The layer as the failing line calls it."""
    calls = [call for call in scene.calls() if isinstance(call.func, ast.Name | ast.Attribute)]
    known = [ast.unparse(call.func) for call in calls if not ast.unparse(call.func).startswith(("tf.", "print", "np."))]
    return known[0] if len(known) == 1 else "layer"


ENTRIES = (
    Entry(demands.SEGMENTS_UNSORTED.pattern, _segments),
    Entry(demands.SPARSE_UNSORTED.pattern, _sparse),
    Entry(session_errors.TABLE_UNINITIALISED.pattern, _vocabulary),
    Entry(demands.OUT_OF_VOCABULARY.pattern, _outside),
    Entry(demands.TOO_LATE.pattern, _late),
    Entry(demands.NO_LENGTH.pattern, _length),
)
