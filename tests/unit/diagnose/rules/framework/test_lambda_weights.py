"""FRM002: layers that the function of a Lambda makes."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.framework.layer_misuse import check
from whydied.source.text import Source

SOURCE = """def part(x):
    return Dense(4)(x)
model = Sequential([Lambda(part), Dense(1)])
model.fit(x, y)
"""
MESSAGE = (
    "Exception encountered when calling {}.call().\n\n"
    "tf.function only supports singleton tf.Variables created on the first call."
)


def _case(source: str, layer: str = "Lambda") -> Case:
    case = case_of(exit_code=1, process=[raised("ValueError", MESSAGE.format(layer), number=2)])
    case.recording.sources[FILE] = Source(source)
    return case


def test_they_are_told_at_the_lambda() -> None:
    case = _case(SOURCE)
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (3, "certain")
    assert patches_of(case, found) == [
        [
            "-def part(x):",
            "-    return Dense(4)(x)",
            "-model = Sequential([Lambda(part), Dense(1)])",
            "+def part():",
            "+    return Dense(4)",
            "+model = Sequential([part(), Dense(1)])",
        ]
    ]


def test_a_layer_of_the_programs_own_is_told_as_before() -> None:
    found = check(_case(SOURCE, "Memory"))
    assert found is not None
    assert "Lambda" not in found.message
    # The failing line is in no function of a Lambda.
    found = check(_case(SOURCE.replace("Lambda(part)", "Lambda(other)")))
    assert found is not None
    assert "keeps no weights" not in found.message
