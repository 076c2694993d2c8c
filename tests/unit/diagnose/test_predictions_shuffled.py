"""DAT084: a generator that shuffles what is predicted, where a check of the program fails over it."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.inputs.predictions_shuffled import check
from whydied.source.edits.edit import edited
from whydied.source.text import Source

REPORT = """import numpy as np

class Net:
    def read(self, x):
        flow = self.plain.flow(x, batch_size=8)
        return np.argmax(self.net.predict(flow, verbose=0), axis=1)

def table(truth, guess):
    return np.histogram2d(truth, guess)

def main():
    net = Net()
    net.net.fit(net.plain.flow(x_train, y_train))
    guess = net.read(x)
    found = table(truth, guess)
    right = np.trace(found)
    assert right > 0.9  # here
"""


def told(text: str) -> Finding | None:
    line = next(at for at, one in enumerate(text.splitlines(), 1) if "# here" in one)
    case = case_of(process=[raised("AssertionError", "", number=line)], exit_code=1)
    case.recording.sources[FILE] = case.recording.project[FILE] = Source(text)
    return check(case)


def test_the_generator_is_told_and_keeps_the_order() -> None:
    found = told(REPORT)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (5, "likely")
    assert "`self.plain.flow` shuffles the rows, so `predict` on line 6" in found.message
    text = edited(Source(REPORT), found.changes[0].edits)
    assert text == REPORT.replace("flow(x, batch_size=8)", "flow(x, batch_size=8, shuffle=False)")


def test_what_was_asked_for_is_taken_back() -> None:
    asked = REPORT.replace("batch_size=8)", "shuffle=True)")
    found = told(asked)
    assert found is not None
    assert edited(Source(asked), found.changes[0].edits) == asked.replace("shuffle=True", "shuffle=False")


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("return np.argmax", "self.net.fit(flow)\n        return np.argmax"),
        ("batch_size=8)", "shuffle=False)"),
        ("batch_size=8)", "**options)"),
        ("predict(flow, verbose=0)", "predict(x, verbose=0)"),
        ("right = np.trace(found)", "right = len(x)"),
        ("assert right > 0.9  # here", "print(right)  # here"),
    ],
    ids=["trained", "kept", "unknown", "array", "no prediction", "no check"],
)
def test_otherwise_nothing_is_said(was: str, now: str) -> None:
    assert was in REPORT
    assert told(REPORT.replace(was, now)) is None
