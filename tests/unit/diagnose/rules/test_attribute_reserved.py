"""FRM042: an attribute with the name of a property of the parent."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.engine import fixes_of
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework.attribute_reserved import check
from whydied.source.text import Source

SOURCE = """class Net(keras.Model):
    def __init__(self):
        self.output = Dense(1)

    def call(self, x):
        return self.output(x)
"""


def told(source: str, message: str) -> tuple[Finding | None, str]:
    case = case_of(exit_code=1, process=[raised("AttributeError", message, number=3)])
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(source)
    found = check(case)
    return found, "".join(fix.patch or "" for fix in fixes_of(case, [found])) if found is not None else ""


def test_it_is_renamed_wherever_the_class_uses_it() -> None:
    for message in ("property 'output' of 'Net' object has no setter", "can't set attribute 'output'"):
        found, patch = told(SOURCE, message)
        assert found is not None
        assert found.message == (
            "train.py:3: `output` is a property of `keras.Model`, which `Net` derives from, and cannot be set"
        )
        assert "+        self.own_output = Dense(1)" in patch
        assert "+        return self.own_output(x)" in patch


def test_an_attribute_that_is_read_or_of_a_class_without_parents_is_another_matter() -> None:
    message = "property 'output' of 'Net' object has no setter"
    assert told(SOURCE.replace("self.output = Dense(1)", "self.output"), message)[0] is None
    assert told(SOURCE.replace("(keras.Model)", ""), message)[0] is None
    assert told(SOURCE, "'Net' object has no attribute 'output'")[0] is None
