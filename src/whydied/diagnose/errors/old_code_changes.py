"""What became of an old name or argument, as changes of source. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.former_changes import former_changes
from whydied.records import ApiMissed, Frame
from whydied.source.calls import callee
from whydied.source.edits.argument_edits import drop_keyword
from whydied.source.edits.call_edits import rename_argument, walk_calls
from whydied.source.edits.edit import Change, Edit, over, statement, written_in
from whydied.source.edits.programs.callback_edits import given_validation_data
from whydied.source.edits.programs.old_code_edits import OF_GRAPHS, function_to_layer, run_as_version_1, uses_keras
from whydied.source.edits.shapes.library_names import bound_names
from whydied.source.edits.shapes.value_edits import in_words_of
from whydied.source.edits.tapes.tape_edits import loss_on_tape
from whydied.source.former.table import LIBRARIES
from whydied.source.text import Source
from whydied.source.trees import nodes_on, walk, written

_V1 = "tf.compat.v1."
_OF_WORKERS = ("workers", "use_multiprocessing", "max_queue_size")
"""Keras 3 takes none of these in `fit`, and refuses one at a time."""
_KIND = "api-name"


def old_code_changes(case: Case, found: ApiMissed) -> list[Change]:
    """The statement with the new names in it, where it is the program's own; of a program for TensorFlow 1 first the
    two lines that let all of it run."""
    frame = found.frame
    source = case.sources.get(frame.file) if frame is not None else None
    if frame is None or source is None or found.user_of:
        return []
    if found.former or found.by_position or found.library in LIBRARIES:
        made = former_changes(case.sources, found)
        if made or found.library in LIBRARIES - {"numpy"}:
            return made
    changes = _whole_program(case, found, frame)
    if changes and needs_graph(found):
        return changes
    if found.kind == "name" and found.change and (renamed := _renamed(source, frame, found)):
        return [*changes, *renamed]
    if found.change:
        edits = [statement(source, frame.file, frame.line, found.change), *_alike(source, frame, found)]
        return [*changes, Change(title=f"Write `{'; '.join(found.change.splitlines())}`", kind=_KIND, edits=edits)]
    if found.kind == "argument":
        return _argument(source, frame, found)
    if found.kind == "method":
        return [*changes, *_method(case, source, frame, found)]
    return [*changes, *_layer(source, frame, found)]


def _renamed(source: Source, frame: Frame, found: ApiMissed) -> list[Change]:
    """All old names of the file, wherever they stand, with the imports that the new ones lack."""
    names = {found.written: found.new[0], **found.also}
    bound, edits = bound_names(source.tree), []
    for node in walk(source.tree, ast.Attribute):
        new = names.get(written(node))
        if new is not None:
            text, needed = (new, []) if new.partition(".")[0] in bound else in_words_of(source, frame.file, new)
            edits += [*needed, over(source, frame.file, node, text)]
    if not edits:
        return []
    title = f"Write `{'; '.join(found.change.splitlines())}`"
    if found.also:
        title = f"Write `{found.new[0]}` instead of `{found.written}`, and the other old names likewise"
    return [Change(title=title, kind=_KIND, edits=list(dict.fromkeys(edits)))]


def needs_graph(found: ApiMissed) -> bool:
    """Whether a new name alone does not do, because what it names works in a graph only."""
    return any(name.removeprefix(_V1) in OF_GRAPHS for name in found.new[:1])


def _whole_program(case: Case, found: ApiMissed, frame: Frame) -> list[Change]:
    if not any(name.startswith(_V1) for name in found.new[:1]) or uses_keras(case.sources):
        return []
    edits = run_as_version_1(case.sources, frame.file)
    title = "Run the program as it is, with `import tensorflow.compat.v1 as tf` and `tf.disable_v2_behavior()`"
    return [Change(title=title, kind="api-version", edits=edits)] if edits else []


def _argument(source: Source, frame: Frame, found: ApiMissed) -> list[Change]:
    calls = [call for call in walk_calls(source, frame.line) if found.old in {word.arg for word in call.keywords}]
    if len(calls) != 1:
        return []
    if found.new:
        edit = rename_argument(source, frame.file, calls[0], found.old, found.new[0])
        edits = [edit, *_alike(source, frame, found)]
        return _change(f"Write `{found.new[0]}=` instead of `{found.old}=`", edits)
    names = [found.old]
    names += [name for name in _OF_WORKERS if found.old in _OF_WORKERS and name != found.old]
    dropped = [(name, drop_keyword(source, frame.file, calls[0], name)) for name in names]
    shown = " and ".join(f"`{name}`" for name, edit in dropped if edit is not None)
    return _change(f"Drop {shown}", [edit for _, edit in dropped if edit is not None])


def _alike(source: Source, frame: Frame, found: ApiMissed) -> list[Edit]:
    """An argument that only has another name, in the other statements that give it to the same function."""
    first, last = source.span(frame.line)
    text = "\n".join(source.lines[first - 1 : last])
    renamed = re.sub(rf"\b{re.escape(found.old)}\s*=", f"{found.new[0]}=", text) if found.new else ""
    if found.kind != "argument" or (found.change and found.change not in renamed):
        return []
    name = found.callee.rpartition(".")[2]
    calls = [
        call
        for call in walk(source.tree, ast.Call)
        if not first <= call.lineno <= last and (callee(call) == name or _are_reductions(callee(call), name))
    ]
    edits = [rename_argument(source, frame.file, call, found.old, found.new[0]) for call in calls]
    return [edit for edit in edits if edit is not None]


def _are_reductions(*names: str) -> bool:
    """`tf.reduce_mean` and its sisters took the same arguments."""
    return all(name.startswith("reduce_") for name in names)


def _method(case: Case, source: Source, frame: Frame, found: ApiMissed) -> list[Change]:
    """Methods and attributes whose new form is more than another name."""
    old = found.written.rpartition(".")[2]
    if found.written == "self.validation_data":
        edits = given_validation_data(case.sources, frame.file, frame.line)
        return _change("Pass the validation data to the callback", edits)
    for node in nodes_on(source, frame.line):
        if isinstance(node, ast.Call) and written(node.func) == found.written and isinstance(node.func, ast.Attribute):
            base = written_in(source, node.func.value)
            if old in ("make_one_shot_iterator", "make_initializable_iterator") and not node.args:
                return _change(f"Write `iter({base})`", [over(source, frame.file, node, f"iter({base})")])
            if old == "minimize":
                return _change("Compute the loss on a tape", loss_on_tape(source, frame.file, node))
            if old == "predict_classes":
                return _classes(case, source, frame, node, base)
        if (
            isinstance(node, ast.Attribute)
            and written(node) == found.written
            and old in ("output_shape", "input_shape")
        ):
            new = f"{written_in(source, node.value)}.{old.partition('_')[0]}.shape"
            return _change(f"Write `{new}`", [over(source, frame.file, node, new)])
    return []


def _classes(case: Case, source: Source, frame: Frame, node: ast.Call, base: str) -> list[Change]:
    """By the activation that the program names: one sigmoid output has no largest one."""
    inside = written_in(source, node)[len(written_in(source, node.func)) :]
    texts = {one.value for where in case.sources.values() for one in walk(where.tree, ast.Constant)}
    names = {one.attr for where in case.sources.values() for one in walk(where.tree, ast.Attribute)}
    if ("sigmoid" in texts | names) and ("softmax" not in texts | names):
        new = f'({base}.predict{inside} > 0.5).astype("int32")'
    else:
        new = f"{base}.predict{inside}.argmax(axis=-1)"
    return _change(f"Write `{new}`", [over(source, frame.file, node, new)])


def _layer(source: Source, frame: Frame, found: ApiMissed) -> list[Change]:
    """A function of the input that became a class."""
    if not found.new or ".layers." not in found.new[0] or not found.new[0].rpartition(".")[2][:1].isupper():
        return []
    for call in walk_calls(source, frame.line):
        if written(call.func) == found.written:
            edits = function_to_layer(source, frame.file, call, found.new[0])
            return _change(f"Create the layer and call it: `{found.new[0]}(…)(…)`", edits or [])
    return []


def _change(title: str, edits: Iterable[Edit | None]) -> list[Change]:
    made = [edit for edit in edits if edit is not None]
    return [Change(title=title, kind=_KIND, edits=made)] if made else []
