"""What a call demands of the number of its entries: a default for each field of a line, as many rows in each part of a
data set, each key of a table once. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import Way, advised
from whydied.diagnose.errors.demands.demand import Entry, Scene, Told
from whydied.diagnose.errors.framework_error import shape_words
from whydied.records import Frame, Operand
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.trees import across, enclosing, scope_at, written
from whydied.texts import demands

MOST_COLUMNS = 20


def _fields(scene: Scene) -> Told | None:
    """The defaults of a CSV line, of which there is one for each field."""
    wanted, has = int(scene.said.match["wanted"]), int(scene.said.match["has"])
    calls = [one for one in across(scene.case.project, ast.Call) if callee(one[1]) == "decode_csv"]
    for file, call in calls if len(calls) == 1 else ():
        node = passed_argument(call, "record_defaults") or passed_argument(call, "1")
        if not isinstance(node, ast.List | ast.Tuple) or len(node.elts) != wanted:
            continue
        words = f"`record_defaults` has {wanted} entries, and record {scene.said.match['record']} has {has} fields"
        columns = list(range(wanted))
        source = scene.case.project[file]
        # The lines are read later, in a loop over the data set.
        place = scene.case.locate(
            Frame(file=file, line=call.lineno, function=enclosing(source.tree, call.lineno), user=True)
        )
        sentence = f"Give `record_defaults` one entry for each of the {has} fields"
        if has < wanted or wanted > MOST_COLUMNS:
            return Told(words, advised(f"{sentence}.", "argument"), place, "record_defaults")
        edits = [add_argument(source, file, call, f"select_cols={columns}")]
        sentence += f", or read only the first {wanted} with `select_cols={columns}`."
        way = Way(f"read only the first {wanted} fields", edits)
        return Told(words, advised(sentence, "argument", way), place, "record_defaults")
    return None


def _rows(scene: Scene) -> Told | None:
    """The parts of a data set that is cut into rows."""
    sizes = [int(scene.said.match["one"]), int(scene.said.match["other"])]
    for call in scene.calls("from_tensor_slices"):
        given = {written(part) for part in ast.walk(call) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript)}
        known = [one for one in scene.said.link.operands if one.text in given and one.shape]
        parts = [next((one for one in known if (one.shape or [None])[0] == size), None) for size in sizes]
        if parts[0] is None or parts[1] is None or sizes[0] == sizes[1]:
            continue
        both = " and ".join(f"`{one.text}` {shape_words(one.shape)}" for one in parts if one is not None)
        words = f"{both} do not have the same number of rows: {sizes[0]} vs {sizes[1]}"
        made = [f"`{one.text}` is made on {line}" for one in parts if one is not None and (line := _made(scene, one))]
        where = f": {', '.join(made)}" if made else ""
        return Told(words, advised(f"Give both parts the same rows{where}.", "argument"), culprit=parts[1].text)
    return None


def _made(scene: Scene, part: Operand) -> str:
    place, source = scene.said.place, scene.source
    if place is None or source is None:
        return ""
    found = last_assignment(part.text, scope_at(source.tree, place.line), place.line)
    return line_words(Frame(file=place.file, line=found.lineno, function="")) if found is not None else ""


def _keys(scene: Scene) -> Told | None:
    """The list of the program that has a key of a table twice."""
    key = scene.said.match["key"]
    found = []
    for file, node in across(scene.case.project, ast.List):
        at = [n for n, one in enumerate(node.elts) if isinstance(one, ast.Constant) and str(one.value) == key]
        if len(at) > 1:
            found.append((file, node, at))
    if len(found) != 1:
        return None
    file, node, at = found[0]
    tree = scene.case.project[file].tree
    place = scene.case.locate(Frame(file=file, line=node.lineno, function=enclosing(tree, node.lineno), user=True))
    values = f"{scene.said.match['first']} and {scene.said.match['second']}"
    words = f"`{key}` stands in this list at {at[0]} and {at[1]}, and a table takes each key once; it gets {values}"
    advice = advised(f"Leave the second `{key}` out of the keys, and its value out of the values.", "argument")
    return Told(words, advice, place, key)


ENTRIES = (
    Entry(demands.CSV_FIELDS.pattern, _fields),
    Entry(demands.ROWS_DIFFER.pattern, _rows),
    Entry(demands.KEY_TWICE.pattern, _keys),
)
