"""DAT009: what is written and what is read of example records."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.data.record_mismatch import check
from whydied.source.edits.edit import edited
from whydied.source.text import Source

WRITER = """\
def number(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))
fields = {
    "file": number(3),
    "label/points": tf.train.Feature(float_list=tf.train.FloatList(value=marks)),
}
"""
READER = """\
spec = {
    "file": tf.io.FixedLenFeature([], tf.string),
    "label/marks": tf.io.FixedLenFeature([10], tf.float32),
}
"""


def told(message: str, source: str) -> Finding | None:
    case = case_of(process=[raised("InvalidArgumentError", message)], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return check(case)


@pytest.mark.parametrize(
    ("message", "source", "expected", "advice"),
    [
        (
            "Feature: label/marks (data type: float) is required but could not be found.",
            WRITER + READER,
            "train.py:9: the records have no field `label/marks`: line 5 of train.py writes `label/points`",
            "`label/points` here, or `label/marks` there",
        ),
        (
            "Name: <unknown>, Feature: label/marks (data type: float) is required but could not be found.",
            READER,
            "train.py:3: the records have no field `label/marks`, which is read here",
            "FromString",
        ),
        (
            "Key: file.  Data types don't match. Data type: int64 but expected type: string",
            WRITER + READER,
            "train.py:8: the field `file` is written as int64 (line 4 of train.py), but read as string",
            "Read it as `tf.int64`",
        ),
        (
            "Name: <unknown>, Key: file, Index: 0.  Data types don't match. Expected type: string, Actual type: float",
            READER,
            "train.py:2: the field `file` is written as float32, but read as string",
            "Read it as `tf.float32`",
        ),
        (
            "Key: file, Index: 0.  Number of int64 values != expected.  Values size: 3 but output shape: []",
            READER,
            "train.py:2: the field `file` of a record has 3 values, but is read with the shape []",
            "`FixedLenFeature([3], …)`",
        ),
    ],
)
def test_writer_and_reader_are_compared(message: str, source: str, expected: str, advice: str) -> None:
    found = told(message, source)
    assert found is not None
    assert (found.certainty, found.message) == ("certain", expected)
    assert advice in found.advice[0]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (
            "Feature: label/marks (data type: float) is required but could not be found.",
            '"label/marks": tf.train.Feature',
        ),
        (
            "Key: file.  Data types don't match. Data type: int64 but expected type: string",
            "FixedLenFeature([], tf.int64)",
        ),
        (
            "Key: file, Index: 0.  Number of int64 values != expected.  Values size: 3 but output shape: []",
            "FixedLenFeature([3], tf.string)",
        ),
    ],
)
def test_the_entry_is_written_anew(message: str, wanted: str) -> None:
    found = told(message, WRITER + READER)
    assert found is not None
    (change,) = found.changes or []
    text = edited(Source(WRITER + READER), change.edits) or ""
    assert wanted in text
    assert wanted not in WRITER + READER


def test_a_field_that_is_read_elsewhere_is_not_the_one_that_was_meant() -> None:
    reads_both = WRITER + READER + 'other = {"label/points": tf.io.VarLenFeature(tf.float32)}\n'
    found = told("Feature: label/marks (data type: float) is required but could not be found.", reads_both)
    assert found is not None
    assert found.message.endswith("the records have no field `label/marks`, which is read here")


def test_a_near_miss() -> None:
    assert told("Feature: is required", WRITER) is None


RAW = """\
def write(patch):
    raw = {make}
    return {{"patch": tf.train.Feature(bytes_list=tf.train.BytesList(value=[raw]))}}
def read(record):
    item = tf.io.parse_single_example(record, {{"patch": tf.io.FixedLenFeature([], tf.string)}})
    return {read}
"""


@pytest.mark.parametrize(
    ("make", "read", "message", "wanted"),
    [
        (
            "tf.io.serialize_tensor(patch).numpy()",
            'tf.io.decode_raw(item["patch"], tf.float32)',
            "Input to DecodeRaw has length 439 that is not a multiple of 4, the size of float",
            'tf.io.parse_tensor(item["patch"], out_type=tf.float32)',
        ),
        (
            "patch.tobytes()",
            'tf.io.parse_tensor(item["patch"], tf.float32)',
            "Could not parse `serialized` as TensorProto, base64: abc",
            'tf.io.decode_raw(item["patch"], out_type=tf.float32)',
        ),
        (
            "tf.io.serialize_tensor(patch).numpy()",
            'tf.io.parse_tensor(item["patch"], tf.float32)',
            "Type mismatch between parsed tensor (double) and dtype (float)",
            'tf.io.parse_tensor(item["patch"], tf.float64)',
        ),
    ],
)
def test_what_decodes_a_field_against_what_made_it(make: str, read: str, message: str, wanted: str) -> None:
    source = RAW.format(make=make, read=read)
    case = case_of(process=[raised("InvalidArgumentError", message, number=6)], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.certainty, found.location.line) == ("certain", 6)
    (change,) = found.changes or []
    assert wanted in (edited(Source(source), change.edits) or "")


@pytest.mark.parametrize("make", ["patch.tobytes()", "packed(patch)"])
def test_a_field_that_is_decoded_as_it_was_made_or_made_elsewhere(make: str) -> None:
    source = RAW.format(make=make, read='tf.io.decode_raw(item["patch"], tf.float32)')
    text = "Input to DecodeRaw has length 439 that is not a multiple of 4, the size of float"
    case = case_of(process=[raised("InvalidArgumentError", text, number=6)], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    assert check(case) is None


@pytest.mark.parametrize(("opened", "said"), [("path", True), ('path, compression_type="GZIP"', False)])
def test_compressed_records(opened: str, said: bool) -> None:
    source = f'writer = tf.io.TFRecordWriter(path, options="GZIP")\nds = tf.data.TFRecordDataset({opened})\n'
    found = told("corrupted record at 0 (Is this even a TFRecord file?)", source)
    assert (found is not None) == said
    if found is not None:
        (change,) = found.changes or []
        assert 'TFRecordDataset(path, compression_type="GZIP")' in (edited(Source(source), change.edits) or "")


VOLUMES = """\
def volume(rng):
    lo = rng.normal(0, 1, (4, 5))
    seg = np.zeros(lo.shape, dtype=np.int16)
    seg[1:3] = 1
    return lo.astype(np.float32), seg
def write(path, value=None):
    lo, label = volume(rng)
    fields = {
        "lo": bytes_of(lo.tobytes()),
        "label": bytes_of(label.tostring()),
    }
def bytes_of(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
def read(parsed):
    lo = tf.reshape(tf.io.decode_raw(parsed["lo"], tf.float32), [4, 5])
    label = tf.io.decode_raw(parsed["label"], tf.uint8)
    label = tf.reshape(label, [4, 5])
"""
RESHAPED = "Input to reshape is a tensor with {} values, but the requested shape has {}"


def test_bytes_are_decoded_in_another_type_than_they_were_written() -> None:
    finding = told(RESHAPED.format(40, 20), VOLUMES)
    assert finding is not None
    assert finding.message == (
        "train.py:16: the field `label` is written as int16 (line 10 of train.py), 2 bytes each, and decoded as uint8: "
        "that gives 40 values where 20 were written"
    )
    lines = [(edited(Source(VOLUMES), one.edits) or "").splitlines() for one in finding.changes or []]
    assert lines[0][15] == '    label = tf.io.decode_raw(parsed["label"], tf.int16)'
    assert lines[1][10] == '        "label": bytes_of(label.astype(np.uint8).tostring()),'


@pytest.mark.parametrize(
    ("came", "wanted", "old", "new"),
    [
        (60, 20, "", ""),
        (40, 20, "np.int16", "np.uint8"),
        (40, 20, "return lo.astype(np.float32), seg", "return load(lo), load(seg)"),
    ],
)
def test_other_numbers_or_types_are_not_told_as_that(came: int, wanted: int, old: str, new: str) -> None:
    assert told(RESHAPED.format(came, wanted), VOLUMES.replace(old, new) if old else VOLUMES) is None


def test_fractions_of_numpy_are_narrowed_by_the_writer_first() -> None:
    source = VOLUMES.replace("lo.astype(np.float32), seg", "lo, seg.astype('uint8')")
    finding = told(RESHAPED.format(40, 20), source)
    assert finding is not None
    assert [one.title.partition(" on ")[0] for one in finding.changes or []] == [
        "Write it as float32",
        "Decode it as it was written, with `tf.float64`",
    ]
