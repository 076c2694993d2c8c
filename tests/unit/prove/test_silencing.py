"""Changes that only silence a failure: what is said of them, and that others come before."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.test_edits import FILE, source_of
from whydied.prove.silencing import given_up
from whydied.source.edits.argument_edits import drop_keyword
from whydied.source.edits.call_edits import add_argument, only_call, rename_argument
from whydied.source.edits.edit import Change, Edit

PROGRAM = 'model.fit(x, y, class_weight=weights, verbose=0)\nmodel.load_weights("a.h5")\n'


def cost(edit: Edit | None) -> str:
    assert edit is not None
    return given_up({FILE: source_of(PROGRAM)}, Change(title="", kind="", edits=[edit]))


@pytest.mark.parametrize(
    ("word", "expected"), [("class_weight", "what `class_weight=weights` was for is given up"), ("verbose", "")]
)
def test_an_argument_that_is_left_out_is_lost(word: str, expected: str) -> None:
    source = source_of(PROGRAM)
    call = only_call({FILE: source}, FILE, 1, "fit")
    assert call is not None
    assert cost(drop_keyword(source, FILE, call, word)) == expected


def test_weights_that_are_passed_over_are_not_loaded() -> None:
    source = source_of(PROGRAM)
    call = only_call({FILE: source}, FILE, 2, "load_weights")
    assert call is not None
    assert cost(add_argument(source, FILE, call, "skip_mismatch=True")).startswith("the weights that do not fit")
    assert cost(add_argument(source, FILE, call, "by_name=True")) == ""


def test_what_is_written_otherwise_is_not_lost() -> None:
    source = source_of(PROGRAM)
    call = only_call({FILE: source}, FILE, 1, "fit")
    assert call is not None
    assert cost(rename_argument(source, FILE, call, "class_weight", "sample_weight")) == ""
