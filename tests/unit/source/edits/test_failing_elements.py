"""Elements of a data set that cannot be made are left out."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.runs import failing_elements as edits


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("names.map(decoded, 4).batch(2)", "names.map(decoded, 4).ignore_errors().batch(2)"),
        ("names.map(self.decoded)", "names.map(self.decoded).ignore_errors()"),
        ("names.map(other)", None),
    ],
)
def test_behind_the_stage_that_maps_the_function(stage: str, expected: str | None) -> None:
    source = source_of(f"def decoded(name):\n    return decode_png(name)\ndata = {stage}\n")
    made = edits.ignored_where_mapped({FILE: source}, FILE, 2)
    assert (after(source, made) if made else None) == ([f"data = {expected}"] if expected else None)


def test_behind_a_lambda_of_the_line() -> None:
    source = source_of("data = names.map(lambda name: decode_png(name)).batch(2)\nrest = names.map(lambda x: x)\n")
    made = edits.ignored_where_mapped({FILE: source}, FILE, 1)
    assert after(source, made) == ["data = names.map(lambda name: decode_png(name)).ignore_errors().batch(2)"]


def test_a_folder_is_batched_after_its_pictures_were_read() -> None:
    for given, expected in (
        ("a", "a, batch_size=None).ignore_errors().batch(32)"),
        ("a, batch_size=ROWS", "a, batch_size=None).ignore_errors().batch(ROWS)"),
        ("a, batch_size=None", "a, batch_size=None).ignore_errors()"),
    ):
        source = source_of(f"data = image_dataset_from_directory({given})\n")
        assert after(source, edits.ignored_in_folder({FILE: source})) == [
            f"data = image_dataset_from_directory({expected}"
        ]
    named = source_of("data = image_dataset_from_directory(a)\nprint(data.class_names)\n")
    assert edits.ignored_in_folder({FILE: named}) == []
