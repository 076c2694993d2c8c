"""Bytes of a record that are decoded in another type than their array had: there are then twice, or half, as many
values as a reshape asks for. Pure.

Invariant: the type of the writer is followed through the program, and the numbers that TensorFlow tells are exactly
those of the two types. Else nothing is said.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.data.record_contents import Told, field_of
from whydied.diagnose.errors.advice import Advice, Way, changes_of
from whydied.diagnose.errors.quotation import Quotation
from whydied.diagnose.finding import Location
from whydied.records import ErrorFacts
from whydied.source.arrays.array_types import BYTES, named_type, type_of, written_arrays
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.value_edits import in_words_of
from whydied.source.text import Source
from whydied.source.training.record_fields import Field, fields_written
from whydied.source.trees import across, located, nodes_at, scope_at, walk

_LARGEST_STEPS = 4


class _Decoding(NamedTuple):
    source: Source
    place: Location
    call: ast.Call
    key: str
    type: ast.expr


class _Bytes(NamedTuple):
    """The call that makes the bytes of an array, with that array and its type."""

    file: str
    call: ast.Call
    array: ast.expr
    dtype: str


def told(case: Case, said: Quotation) -> Told | None:
    came, wanted = int(said.match[1]), int(said.match[2])
    found = [
        (decoding, field, made)
        for decoding in _decodings(case, said)
        for field in fields_written(case.project)
        if field.key == decoding.key and (made := _bytes_of(case, field)) is not None
        # As many bytes, told once by the reader's type and once by the writer's.
        if made.dtype and came * BYTES[named_type(decoding.type)] == wanted * BYTES[made.dtype]
    ]
    if len(found) != 1 or came == wanted:
        return None
    decoding, field, made = found[0]
    read = named_type(decoding.type)
    at = msgspec.structs.replace(field.location, line=made.call.end_lineno or made.call.lineno)
    sizes = f"{BYTES[made.dtype]} bytes each" if BYTES[made.dtype] > 1 else "one byte each"
    return Told(
        f"the field `{decoding.key}` is written as {made.dtype} ({line_words(at)}), {sizes}, and decoded as {read}: "
        f"that gives {came:,} values where {wanted:,} were written",
        _advice(case, decoding, made, read, at),
        decoding.place,
        decoding.key,
        at,
    )


def _advice(case: Case, decoding: _Decoding, made: _Bytes, read: str, at: Location) -> Advice:
    source = case.project[made.file]
    dtype, needed = in_words_of(source, made.file, f"np.{read}")
    array = written_in(source, made.array)
    plain = isinstance(made.array, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    text = f"{array if plain else f'({array})'}.astype({dtype})"
    writer = [*needed, over(source, made.file, made.array, text)]
    own = decoding.type
    module = f"{written_in(decoding.source, own.value)}." if isinstance(own, ast.Attribute) else ""
    reader: list[Edit] | None = None
    if module:
        reader = [over(decoding.source, decoding.place.file, own, f"{module}{made.dtype}")]
    ways = [
        Way(f"write it as {read} on {line_words(at)}: `{text}`", writer),
        Way(f"decode it as it was written, with `{module or 'tf.'}{made.dtype}`", reader),
    ]
    # What the narrower type does not hold would be lost.
    if not made.dtype.startswith("float") or read.startswith(("int", "uint")):
        ways.reverse()
    words = f"{ways[0].words[:1].upper()}{ways[0].words[1:]}; or {ways[1].words}."
    return Advice([words], changes_of("records", ways))


def _decodings(case: Case, said: Quotation) -> Iterator[_Decoding]:
    """What decodes the bytes that the failing reshape is given; where its line is not known, all of them."""
    index = said.raised.chain.index(said.link)
    facts = [one for one in case.records.all(ErrorFacts) if one.link == index and one.place is not None]
    places = [case.locate(one.place) for one in facts if one.place is not None]
    places += [said.place] if said.place is not None else []
    for place in places:
        source = case.project.get(place.file)
        calls = [one for one in nodes_at(case.project, place) if isinstance(one, ast.Call) and callee(one) == "reshape"]
        if source is None or not calls:
            continue
        behind = [one for call in calls for one in _behind(source, place, call)]
        yield from (one for call in behind if (one := _decoding(case, place.file, call)) is not None)
        return
    for file, call in across(case.project, ast.Call):
        if callee(call) == "decode_raw" and (one := _decoding(case, file, call)) is not None:
            yield one


def _behind(source: Source, place: Location, call: ast.Call) -> list[ast.Call]:
    """The calls of `decode_raw` in a statement, or in the assignments of the names in it."""
    pending: list[ast.AST] = [call]
    line = place.line
    for _ in range(_LARGEST_STEPS):
        made = [one for part in pending for one in walk(part, ast.Call) if callee(one) == "decode_raw"]
        if made:
            return made
        names = {node.id for part in pending for node in walk(part, ast.Name)}
        steps = [last_assignment(name, scope_at(source.tree, place.line), line) for name in sorted(names)]
        found = [one for one in steps if isinstance(one, ast.Assign)]
        pending = [one.value for one in found]
        line = min((one.lineno for one in found), default=line)
    return []


def _decoding(case: Case, file: str, call: ast.Call) -> _Decoding | None:
    source, place = case.project[file], located(case.project, file, call.lineno)
    given = passed_argument(call, "out_type") or passed_argument(call, "1")
    value = call.args[0] if call.args else passed_argument(call, "input_bytes")
    key = field_of(source, place, value) if value is not None else ""
    return _Decoding(source, place, call, key, given) if key and given is not None and named_type(given) else None


def _bytes_of(case: Case, field: Field) -> _Bytes | None:
    """What makes the bytes of a field: in its entry, or in the assignments of the names in that."""
    file, place = field.location.file, field.location
    source = case.project[file]
    entries = [
        value
        for node in walk(source.tree, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and (key.value, key.lineno) == (field.key, place.line)
    ]
    pending: list[ast.expr] = entries
    for _ in range(_LARGEST_STEPS):
        made = [pair for part in pending for pair in written_arrays(part)]
        if made:
            call, array = made[0]
            return _Bytes(file, call, array, type_of(case.project, file, array)) if len(made) == 1 else None
        names = {node.id for part in pending for node in walk(part, ast.Name)}
        scope = scope_at(source.tree, place.line)
        steps = [last_assignment(name, scope, place.line) for name in sorted(names)]
        pending = [one.value for one in steps if isinstance(one, ast.Assign)]
    return None
