"""What a value was declared to be, against what it is: the types that a Python function in a graph returns, the list
that a feature of a record is. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.errors.advice import advised
from whydied.diagnose.errors.demands.demand import Entry, Scene, Told
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import located, walk
from whydied.texts import demands

_TYPES = {"double": "float64", "float": "float32", "half": "float16"}
_WRAPPING = ("numpy_function", "py_function", "py_func")
_LISTS = ("BytesList", "FloatList", "Int64List")


def _wrapped(scene: Scene) -> tuple[Source, str, ast.Call] | None:
    """The only call in the program that makes an op of a Python function."""
    found = [
        (source, file, call)
        for file, source in scene.case.sources.items()
        for call in walk(source.tree, ast.Call)
        if callee(call) in _WRAPPING
    ]
    return found[0] if len(found) == 1 else None


def _types(call: ast.Call) -> ast.expr | None:
    return passed_argument(call, "Tout") or passed_argument(call, "2")


def _returned_type(scene: Scene) -> Told | None:
    wrapped = _wrapped(scene)
    types = _types(wrapped[2]) if wrapped is not None else None
    if wrapped is None or types is None:
        return None
    source, file, call = wrapped
    at = int(scene.said.match["at"])
    got, wanted = (_TYPES.get(scene.said.match[word], scene.said.match[word]) for word in ("got", "wanted"))
    one = types.elts[at] if isinstance(types, ast.List | ast.Tuple) and at < len(types.elts) else types
    edits: list[Edit] | None = None
    if isinstance(one, ast.Attribute):
        edits = [over(source, file, one, f"{written_in(source, one.value)}.{got}")]
    name = ast.unparse(call.args[0]) if call.args else "the function"
    which = f" as its value {at}" if isinstance(types, ast.List | ast.Tuple) and len(types.elts) > 1 else ""
    return Told(
        f"`{name}` returns {got}{which}, but `{callee(call)}` declares {wanted} (`{ast.unparse(types)}`)",
        advised(
            f'Return {wanted} (`.astype("{wanted}")`), or declare `tf.{got}`.',
            "argument",
            edits,
        ),
        place=located(scene.case.sources, file, call.lineno),
        culprit=name,
    )


def _returned_count(scene: Scene) -> Told | None:
    wrapped = _wrapped(scene)
    types = _types(wrapped[2]) if wrapped is not None else None
    if wrapped is None or types is None:
        return None
    _, file, call = wrapped
    got, wanted = scene.said.match["got"], scene.said.match["wanted"]
    name = ast.unparse(call.args[0]) if call.args else "the function"
    return Told(
        f"`{name}` returns {got} values, but `{callee(call)}` declares {wanted} (`{ast.unparse(types)}`)",
        advised(f"Declare one type for each value that `{name}` returns, in its order.", "argument"),
        place=located(scene.case.sources, file, call.lineno),
        culprit=name,
    )


def _listed(scene: Scene) -> tuple[Source, str, ast.Call, ast.expr] | None:
    """The list of a feature that the failing line makes, and what it is given."""
    calls = scene.calls(*_LISTS)
    value = (passed_argument(calls[0], "value") or passed_argument(calls[0], "0")) if len(calls) == 1 else None
    if value is None or scene.source is None or scene.said.place is None:
        return None
    return scene.source, scene.said.place.file, calls[0], value


def _only(value: ast.expr) -> ast.expr | None:
    return value.elts[0] if isinstance(value, ast.List | ast.Tuple) and len(value.elts) == 1 else None


def _text(scene: Scene) -> Told | None:
    listed = _listed(scene)
    if listed is None or callee(listed[2]) != "BytesList":
        return None
    source, file, _, value = listed
    one = _only(value)
    text = written_in(source, one) if one is not None else ""
    edits = [over(source, file, one, f"{text}.encode()")] if one is not None else None
    return Told(
        f"`BytesList` takes bytes, and `{ast.unparse(one or value)}` is a str",
        advised(f"Encode it: `{text or 'text'}.encode()`.", "argument", edits),
        culprit=ast.unparse(one or value),
    )


def _float(scene: Scene) -> Told | None:
    listed = _listed(scene)
    if listed is None or callee(listed[2]) != "Int64List":
        return None
    value = ast.unparse(_only(listed[3]) or listed[3])
    return Told(
        f"`Int64List` takes whole numbers, and `{value}` has floating point ones",
        advised(
            f"Use `FloatList` with `float_list=` (and read the field as `tf.float32`); or `int({value})` if it is a "
            "whole number.",
            "argument",
        ),
        culprit=value,
    )


def _row(scene: Scene) -> Told | None:
    listed = _listed(scene)
    if listed is None:
        return None
    source, file, call, value = listed
    one = _only(value)
    text = written_in(source, one if one is not None else value)
    return Told(
        f"`{callee(call)}` takes a flat list of numbers, and `{text}` has rows",
        advised(
            f"Flatten it: `value={text}.ravel()`, and give it its shape again where it is read (`tf.reshape`).",
            "argument",
            [over(source, file, value, f"{text}.ravel()")],
        ),
        culprit=text,
    )


def _example(scene: Scene) -> Told | None:
    calls = [call for call in scene.calls("write") if len(call.args) == 1]
    operands = {one.text: one.type for one in scene.said.link.operands}
    text = ast.unparse(calls[0].args[0]) if len(calls) == 1 else ""
    if scene.source is None or scene.said.place is None or not text or "Example" not in operands.get(text, ""):
        return None
    place = scene.said.place
    return Told(
        f"`{text}` is an Example, and `TFRecordWriter.write` takes its bytes",
        advised(
            f"Write `{text}.SerializeToString()`.",
            "argument",
            [over(scene.source, place.file, calls[0].args[0], f"{text}.SerializeToString()")],
        ),
        culprit=text,
    )


ENTRIES = (
    Entry(demands.RETURNED_TYPE.pattern, _returned_type),
    Entry(demands.RETURNED_COUNT.pattern, _returned_count),
    Entry(demands.TEXT_FOR_BYTES.pattern, _text),
    Entry(demands.FLOAT_FOR_INTEGER.pattern, _float),
    Entry(demands.ROW_FOR_NUMBER.pattern, _row),
    Entry(demands.EXAMPLE_WRITTEN.pattern, _example),
)
