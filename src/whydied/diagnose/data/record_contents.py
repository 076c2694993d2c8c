"""What the bytes of a record's field were made with, against what reads them; and how a file of records was compressed,
against how it is opened. Pure.

Invariant: writer and reader are lines of the program. Where one of them is not there, nothing is said.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.errors.advice import Advice, advised
from whydied.diagnose.errors.quotation import Quotation
from whydied.diagnose.finding import Location
from whydied.records import ErrorFacts
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument, walk_calls
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.training.record_fields import Field, fields_written
from whydied.source.trees import located, scope_at, walk
from whydied.texts import data_pipelines

_READERS = {
    "parse_tensor": "tensor",
    "decode_raw": "raw",
    **dict.fromkeys(("decode_image", "decode_jpeg", "decode_png", "decode_gif", "decode_bmp"), "picture"),
}
_WRITERS = {
    "serialize_tensor": "tensor",
    "tobytes": "raw",
    "tostring": "raw",
    **dict.fromkeys(("encode_jpeg", "encode_png", "imencode", "read_file"), "picture"),
}
_WORDS = {
    "tensor": "a tensor with its type and shape",
    "raw": "the bare numbers of an array",
    "picture": "an encoded picture",
}
_TYPES = {"double": "float64", "float": "float32", "half": "float16"}
_LARGEST_STEPS = 3


class Told(NamedTuple):
    """`written` is the line that writes what cannot be read."""

    words: str
    advice: Advice
    place: Location
    key: str
    written: Location | None = None


class _Reading(NamedTuple):
    source: Source
    place: Location
    call: ast.Call
    key: str


def told(case: Case, said: Quotation) -> Told | None:
    if said.match.re is data_pipelines.RECORD_CORRUPT.pattern:
        return _compressed(case)
    reading = _reading(case, said)
    if reading is None:
        return None
    if said.match.re is data_pipelines.PARSED_TYPE.pattern:
        return _type(case, said, reading)
    writer = next((one for one in fields_written(case.project) if one.key == reading.key), None)
    made = _made_with(case, writer) if writer is not None else None
    if writer is None or made is None or _WRITERS[made] == _READERS[callee(reading.call)]:
        return None
    kind, reader = _WRITERS[made], callee(reading.call)
    return Told(
        f"the field `{reading.key}` holds {_WORDS[kind]}: {line_words(writer.location)} writes it with `{made}`, and "
        f"`{reader}` reads {_WORDS[_READERS[reader]]}",
        _matching(reading, kind),
        reading.place,
        reading.key,
        writer.location,
    )


def _reading(case: Case, said: Quotation) -> _Reading | None:
    """The call that decodes a field, in the line whose op failed."""
    index = said.raised.chain.index(said.link)
    facts = [one for one in case.records.all(ErrorFacts) if one.link == index and one.place is not None]
    places = [case.locate(one.place) for one in facts if one.place is not None and one.in_data]
    places += [said.place] if said.place is not None else []
    for place in places:
        source = case.project.get(place.file)
        calls = [call for call in walk_calls(source, place.line) if callee(call) in _READERS] if source else []
        if (
            source is not None
            and len(calls) == 1
            and calls[0].args
            and (key := field_of(source, place, calls[0].args[0]))
        ):
            return _Reading(source, place, calls[0], key)
    return None


def field_of(source: Source, place: Location, node: ast.expr) -> str:
    """The field that an expression is: `item["patch"]`, or a name that was given one."""
    for _ in range(_LARGEST_STEPS):
        if isinstance(node, ast.Subscript):
            index = node.slice
            return index.value if isinstance(index, ast.Constant) and isinstance(index.value, str) else ""
        made = (
            last_assignment(node.id, scope_at(source.tree, place.line), place.line)
            if isinstance(node, ast.Name)
            else None
        )
        if not isinstance(made, ast.Assign):
            return ""
        node = made.value
    return ""


def _made_with(case: Case, writer: Field) -> str | None:
    """The call that makes the bytes of a field, in its entry or in the assignments of the names in it."""
    source = case.project.get(writer.location.file)
    pending: list[ast.AST] = [ast.parse(writer.text, mode="eval")]
    seen: set[str] = set()
    for _ in range(_LARGEST_STEPS):
        made = [name for part in pending for call in walk(part, ast.Call) if (name := callee(call)) in _WRITERS]
        if made or source is None:
            return made[0] if len(set(made)) == 1 else None
        names = {node.id for part in pending for node in walk(part, ast.Name)} - seen
        seen |= names
        scope = scope_at(source.tree, writer.location.line)
        steps = [last_assignment(name, scope, writer.location.line) for name in sorted(names)]
        pending = [one.value for one in steps if isinstance(one, ast.Assign)]
    return None


def _matching(reading: _Reading, kind: str) -> Advice:
    call, source, file = reading.call, reading.source, reading.place.file
    first = written_in(source, call.args[0])
    module = f"{written_in(source, call.func.value)}." if isinstance(call.func, ast.Attribute) else ""
    given = passed_argument(call, "out_type") or passed_argument(call, "1")
    plain = len(call.args) + len(call.keywords) <= 2
    pictured = _READERS[callee(call)] == "picture"
    given = None if pictured else given
    dtype = written_in(source, given) if given is not None else "tf.uint8" if pictured else "tf.float32"
    if kind == "tensor":
        text = f"{module}parse_tensor({first}, out_type={dtype})"
        edits = [over(source, file, call, text)] if plain and given is not None else None
        return advised(f"Read it with `{text}`, and give it its shape (`tf.ensure_shape`).", "call", edits)
    if kind == "raw":
        text = f"{module}decode_raw({first}, out_type={dtype})"
        edits = [over(source, file, call, text)] if plain and given is not None else None
        return advised(
            f"Read it with `{text}`, in the type that was written, and give it its shape: `tf.reshape(…, shape)`.",
            "call",
            edits,
        )
    text = f"{module}decode_image({first}, expand_animations=False)"
    return advised(f"Read it with `{text}`.", "call", [over(source, file, call, text)])


def _type(case: Case, said: Quotation, reading: _Reading) -> Told | None:
    got, wanted = (_TYPES.get(said.match[word], said.match[word]) for word in ("got", "wanted"))
    given = passed_argument(reading.call, "out_type") or passed_argument(reading.call, "1")
    writer = next((one for one in fields_written(case.project) if one.key == reading.key), None)
    by = f" ({line_words(writer.location)})" if writer is not None else ""
    edits: list[Edit] | None = None
    if isinstance(given, ast.Attribute):
        text = f"{written_in(reading.source, given.value)}.{got}"
        edits = [over(reading.source, reading.place.file, given, text)]
    return Told(
        f"the tensor in the field `{reading.key}` was written as {got}{by}, but is read as {wanted}",
        advised(f"Read it as `tf.{got}` and cast it (`tf.cast`), or write it as {wanted}.", "records", edits),
        reading.place,
        reading.key,
        writer.location if writer is not None else None,
    )


def _compressed(case: Case) -> Told | None:
    """The only writer and the only reader of record files in the program, where one compresses and the other does
    not."""
    calls = [(file, call) for file, source in case.project.items() for call in walk(source.tree, ast.Call)]
    writers = [(file, call) for file, call in calls if callee(call) == "TFRecordWriter"]
    readers = [(file, call) for file, call in calls if callee(call) == "TFRecordDataset"]
    if len(writers) != 1 or len(readers) != 1:
        return None
    (written_in_file, writer), (file, reader) = writers[0], readers[0]
    options = passed_argument(writer, "options") or passed_argument(writer, "1")
    kinds = {node.value for node in walk(options, ast.Constant) if node.value in ("GZIP", "ZLIB")} if options else set()
    opened = passed_argument(reader, "compression_type") or passed_argument(reader, "1")
    if len(kinds) != 1 or opened is not None:
        return None
    kind = str(kinds.pop())
    place = located(case.project, file, reader.lineno)
    at = located(case.project, written_in_file, writer.lineno)
    return Told(
        f"the records are written with {kind} compression ({line_words(at)}) and read without",
        advised(
            f'Say so where they are read: `compression_type="{kind}"`.',
            "records",
            [add_argument(case.project[file], file, reader, f'compression_type="{kind}"')],
        ),
        place,
        "",
        at,
    )
