"""A field of the example records is read in another way than it was written.

## What it detects
`parse_example` or `parse_single_example` that asks for a field that the records do not have, or that has another type
or another number of values. Bytes that are decoded in another way than they were made: `decode_raw` of a serialized
tensor, or in another type than the array had whose bytes were written, `parse_tensor` of bare numbers or in another
type, a picture decoded of bare numbers. Files of records that are
compressed and read as if they were not.

## Why it happens
Writer and reader are two places, often two programs, and only their texts agree: a name is spelled differently, a
number was written and a text is read, a list is read as one value.

## Evidence
The message of TensorFlow, the entry that reads the field, and the entry that writes it, where it is in the files of the
program.

## How it is proved
The exception is direct evidence: certain. The writer is named where it writes the same field, or one whose name is
close and that nobody reads.

## Fix
Read what is written, or write what is read.

## References
TensorFlow documentation: TFRecord and tf.train.Example.
"""

from __future__ import annotations

import ast
import difflib

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data import record_contents, record_types
from whydied.diagnose.errors.advice import Advice, Way, advised
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.training.record_fields import Field, fields_read, fields_written
from whydied.source.trees import nodes_on, walk
from whydied.texts import data_pipelines, shapes_and_types

_TYPES = {"float": "float32"}
_LOOK = (
    "`tf.train.Example.FromString(record.numpy())` for one record of `tf.data.TFRecordDataset(path)` shows its fields."
)

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    said = quoted(
        case,
        data_pipelines.FIELD_MISSING.pattern,
        data_pipelines.FIELD_TYPE.pattern,
        data_pipelines.FIELD_SIZE.pattern,
    )
    if said is None:
        return _contents(case)
    key = said.match["key"]
    read = fields_read(case.project, key)
    written = _writer(case, key)
    message, advice = _told(case, said, key, read[0] if len(read) == 1 else None, written)
    place = read[0].location if len(read) == 1 else said.place
    evidence = evidence_of(said.link, said.raised)
    if written is not None:
        at = f"{written.location.file}:{written.location.line}"
        evidence.insert(
            0, Evidence(fact=f"`{written.key}` is written at", value=f"{at}: {written.text}", source="source")
        )
    return Finding(
        message=f"{prefix(place)}{message}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="field", name=key, near=[written.key] if written and written.key != key else []),
        evidence=evidence,
        advice=advice.sentences,
        changes=advice.changes,
    )


def _contents(case: Case) -> Finding | None:
    """What decodes the bytes of a field, or opens the file, against what made them."""
    said = quoted(
        case,
        data_pipelines.RAW_LENGTH.pattern,
        data_pipelines.NOT_A_TENSOR.pattern,
        data_pipelines.PARSED_TYPE.pattern,
        data_pipelines.RECORD_CORRUPT.pattern,
        data_pipelines.NO_PICTURE.pattern,
    )
    told = record_contents.told(case, said) if said is not None else None
    certainty: Certainty = "certain"
    if told is None and (said := quoted(case, shapes_and_types.VALUES_TO_RESHAPE.pattern)) is not None:
        # Writer and reader can both be the wrong one.
        told, certainty = record_types.told(case, said), "likely"
    if said is None or told is None:
        return None
    at = f"{told.written.file}:{told.written.line}" if told.written is not None else ""
    return Finding(
        message=f"{prefix(told.place)}{told.words}",
        certainty=certainty,
        location=told.place,
        culprit=Culprit(kind="field", name=told.key or None),
        evidence=[
            *([Evidence(fact="written at", value=at, source="source")] if at else []),
            *evidence_of(said.link, said.raised)[:1],
        ],
        advice=told.advice.sentences,
        changes=told.advice.changes,
    )


def _writer(case: Case, key: str) -> Field | None:
    """The entry that writes a field; else the one with the nearest name among those that nobody reads."""
    fields = {field.key: field for field in fields_written(case.project)}
    if key in fields:
        return fields[key]
    unread = [name for name in fields if not fields_read(case.project, name)]
    near = difflib.get_close_matches(key, unread, 1) or (unread if len(unread) == 1 else [])
    return fields[near[0]] if near else None


def _told(case: Case, said: Quotation, key: str, read: Field | None, written: Field | None) -> tuple[str, Advice]:
    found = said.match.groupdict()
    if said.match.re is data_pipelines.FIELD_SIZE.pattern:
        got, wanted = found["got"], found["wanted"]
        return (
            f"the field `{key}` of a record has {got} values, but is read with the shape {wanted}",
            advised(
                f"`FixedLenFeature([{got}], …)` where all records have as many, else `VarLenFeature` or "
                "`RaggedFeature`.",
                "records",
                Way(f"read {got} values: `FixedLenFeature([{got}], …)`", _other_shape(case, read, got)),
            ),
        )
    if said.match.re is data_pipelines.FIELD_TYPE.pattern:
        got, wanted = (found[name] or found[f"{name}_2"] for name in ("got", "wanted"))
        by = f" ({line_words(written.location)})" if written is not None else ""
        return (
            f"the field `{key}` is written as {_TYPES.get(got, got)}{by}, but read as {_TYPES.get(wanted, wanted)}",
            advised(
                f"Read it as `tf.{_TYPES.get(got, got)}`, or write it as {_TYPES.get(wanted, wanted)}.",
                "records",
                Way(f"Read it as `tf.{_TYPES.get(got, got)}`", _other_type(case, read, _TYPES.get(got, got))),
            ),
        )
    if written is None:
        return f"the records have no field `{key}`, which is read here", Advice([_LOOK], [])
    if written.key == key:
        return (
            f"a record has no field `{key}`, although {line_words(written.location)} writes it: it is an older one",
            Advice([f"Write the records again, or give the field a `default_value`. {_LOOK}"], []),
        )
    there = Way(f"Write `{key}` on {line_words(written.location)}", _other_key(case, written, key))
    return (
        f"the records have no field `{key}`: {line_words(written.location)} writes `{written.key}`",
        advised(f"Use one name in both places: `{written.key}` here, or `{key}` there.", "records", there),
    )


def _other_key(case: Case, field: Field, key: str) -> list[Edit] | None:
    """The key of an entry, which stands just once on its line."""
    source, place = case.project.get(field.location.file), field.location
    keys = [
        node
        for node in (nodes_on(source, place.line) if source is not None else [])
        if isinstance(node, ast.Constant) and node.value == field.key
    ]
    if source is None or len(keys) != 1:
        return None
    return [over(source, place.file, keys[0], written_in(source, keys[0]).replace(field.key, key))]


def _other_type(case: Case, field: Field | None, dtype: str) -> list[Edit] | None:
    """The type that a field is read with, as an attribute of a module."""
    source = case.project.get(field.location.file) if field is not None else None
    call = _reading(source, field) if source is not None and field is not None else None
    if field is None or source is None or call is None:
        return None
    position = "0" if callee(call) in ("VarLenFeature", "RaggedFeature") else "1"
    given = passed_argument(call, "dtype") or passed_argument(call, position)
    if not isinstance(given, ast.Attribute):
        return None
    return [over(source, field.location.file, given, f"{written_in(source, given.value)}.{dtype}")]


def _other_shape(case: Case, field: Field | None, values: str) -> list[Edit] | None:
    """The shape that a field of a fixed length is read with."""
    source = case.project.get(field.location.file) if field is not None else None
    call = _reading(source, field) if source is not None and field is not None else None
    if field is None or source is None or call is None or callee(call) != "FixedLenFeature":
        return None
    given = passed_argument(call, "shape") or passed_argument(call, "0")
    return [over(source, field.location.file, given, f"[{values}]")] if given is not None else None


def _reading(source: Source, field: Field) -> ast.Call | None:
    """The call that an entry reads a field with."""
    place = field.location
    calls = [
        value
        for node in walk(source.tree, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and (key.value, key.lineno) == (field.key, place.line)
        if isinstance(value, ast.Call)
    ]
    return calls[0] if len(calls) == 1 else None
