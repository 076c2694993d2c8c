from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whydied.assistant.commands import refusal
from whydied.assistant.tool_arguments import Parameter, read, schema
from whydied.errors import UsageError

PARAMETERS = (
    Parameter("run", "string", "which"),
    Parameter("most", "integer", "how many", 50, least=1),
    Parameter("apply", "boolean", "write", False),
)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=3)


def test_what_is_left_out_has_its_default() -> None:
    assert read(PARAMETERS, {"run": None}) == {"run": None, "most": 50, "apply": False}
    assert read(PARAMETERS, {"run": "a", "most": 2, "apply": True}) == {"run": "a", "most": 2, "apply": True}


def test_the_schema_says_the_same() -> None:
    told = schema(PARAMETERS)
    assert told["properties"]["most"] == {"type": "integer", "description": "how many", "default": 50, "minimum": 1}
    assert told["additionalProperties"] is False


@given(st.dictionaries(st.sampled_from(["run", "most", "apply", "other"]), JSON))
def test_anything_else_is_a_sentence(sent: dict[str, Any]) -> None:
    with contextlib.suppress(UsageError):
        found = read(PARAMETERS, sent)
        assert isinstance(found["most"], int)
        assert isinstance(found["run"], str | None)


@pytest.mark.parametrize(
    ("said", "sentence", "hint"),
    [
        (["noise", "whydied: no run 'x'", "hint: look"], "no run 'x'", "look"),
        (["Usage: whydied", "Error: No such option: --x"], "No such option: --x", None),
        ([], "whydied ended with status 9 and said nothing", None),
    ],
)
def test_what_a_command_refused_is_told_in_its_words(said: list[str], sentence: str, hint: str | None) -> None:
    error = refusal(said, 9)
    assert (str(error), error.hint) == (sentence, hint)
