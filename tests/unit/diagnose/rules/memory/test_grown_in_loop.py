"""One thing under one name that is made larger and larger: the statement, the size, and what is no such thing."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.growing import MIB, census, frame, group, growing, ramp
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.memory import grown_in_loop
from whydied.records import VariablesMade
from whydied.source.enlargements import enlargements
from whydied.source.text import Source

JOINED = "import numpy as np\nrows = make()\nwhile True:\n    rows = np.append(rows, make(), axis=0)\n"
OTHER = "rows = make()\nwhile True:\n    rows = load()\n"


def _case(*sizes: int, source: str = JOINED, count: int = 1, at_mib: int = 1000, root: str = "global") -> Case:
    """A run that held so many mebibytes in `rows`, one census after another."""
    last = 9.0
    step = 1.0
    taken = [
        (
            last - step * (len(sizes) - 1 - n),
            census(at_mib, group("array", count, size, "rows", root, shape=[size, 10], dtype="float32")),
        )
        for n, size in enumerate(sizes)
    ]
    return growing(taken, ramp(1000), source=source)


def _found(case: Case) -> Finding:
    found = grown_in_loop.check(case)
    assert found is not None
    assert found.culprit is not None
    assert found.location is not None
    return found


def test_it_is_told_with_the_statement_that_makes_it_of_itself() -> None:
    found = _found(_case(100, 200, 400))
    assert found.certainty == "certain"
    assert found.location is not None
    assert found.culprit is not None
    assert found.location.line == 4
    assert (found.culprit.kind, found.culprit.name, found.culprit.bytes) == ("array", "rows", 400 * MIB)
    assert "to about 400 MiB" in found.message
    assert "takes 800 MiB" in found.message
    assert found.evidence[0].value == "from 100 MiB to 400 MiB in 2.0 s"


def test_a_smaller_part_is_likely() -> None:
    assert _found(_case(50, 100, 200)).certainty == "likely"


def test_a_loop_that_joins_is_enough_where_nothing_was_there_before() -> None:
    earlier = (5.0, census(300))
    later = (9.0, census(1000, group("array", 1, 400, "rows", shape=[400, 10], dtype="float32")))
    found = _found(growing([earlier, later], ramp(1000), source=JOINED))
    assert found.certainty == "likely"
    once = JOINED.replace("while True:", "if True:")
    assert grown_in_loop.check(growing([earlier, later], ramp(1000), source=once)) is None


@pytest.mark.parametrize("sizes", [(400,), (400, 400), (300, 400), (10, 20, 40), (100, 400, 300), (100, 500, 20, 600)])
def test_one_look_no_growth_little_growth_small_things_and_what_shrinks_are_nothing(sizes: tuple[int, ...]) -> None:
    assert grown_in_loop.check(_case(*sizes)) is None


def test_without_such_a_statement_more_looks_are_needed() -> None:
    assert grown_in_loop.check(_case(100, 200, 400, source=OTHER)) is None
    case = _case(100, 200, 300, 400, source=OTHER)
    found = grown_in_loop.check(case)
    assert found is not None
    assert found.certainty == "likely"


def test_many_things_and_things_of_libraries_are_left_to_other_rules() -> None:
    assert grown_in_loop.check(_case(100, 200, 400, count=3)) is None
    assert grown_in_loop.check(_case(100, 200, 400, root="library")) is None


SOURCE = """\
rows = np.concatenate([rows, batch])
rows = normalise(rows)
rows.resize((n, 10))
text += line
longer = np.vstack((table, part))
table = longer
counter.assign(tf.concat([counter, x], 0))
xs, ys = np.append(xs, a), np.append(ys, b)
frame.loc[len(frame)] = row
stored["a"] = np.append(stored["a"], x)
plain = load()
total -= 1
class Memory:
    def add(self, state):
        self.states = tf.concat([self.states, state], 0)
        notes = ""
        notes += "x"
"""


@pytest.mark.parametrize(
    ("path", "made"),
    [
        ("rows", [(2, "rows", True), (1, "rows", True), (3, "rows", False)]),
        ("text", [(4, "text", True)]),
        ("table", [(5, "table", True)]),
        ("counter", [(7, "counter", True)]),
        ("ys", [(8, "ys", True)]),
        ("frame", [(9, "frame", True)]),
        ("stored['a']", [(10, "stored['a']", True)]),
        ("plain", []),
        ("total", []),
        ("memory.states", [(15, "self.states", True)]),
        ("notes", [(17, "notes", False)]),
        ("[0]", []),
    ],
)
def test_statements_that_may_make_it_larger(path: str, made: list[tuple[int, str, bool]]) -> None:
    found = enlargements(path, {FILE: Source(SOURCE)})
    assert [(one.line, one.name, one.copies) for one in found] == made


APPENDED = "seen = tf.Variable(start, shape=(None, 8))\nfor x in data:\n    seen.assign(tf.concat([seen, x], 0))\n"


def test_a_variable_without_a_fixed_shape_is_known_by_the_statement_that_joins_to_it() -> None:
    made = (1.5, VariablesMade(count=1, size_bytes=0, frames=[frame(1)], resizable=True))
    found = _found(growing([made], ramp(1000), source=APPENDED))
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.certainty) == (3, "seen", "likely")
    assert "its own size was not measured" in found.message
    kept = (9.0, census(900, group("array", 90, 700)))
    fixed = (1.5, VariablesMade(count=1, size_bytes=0, frames=[frame(1)]))
    replaced = APPENDED.replace("tf.concat([seen, x], 0)", "x")
    for case in (
        growing([fixed], ramp(1000), source=APPENDED),
        growing([made], ramp(1000), source=replaced),
        growing([made, kept], ramp(1000), source=APPENDED),
    ):
        assert grown_in_loop.check(case) is None
