"""One statement that gathers all it loads: the statement, the container, and what is no such thing."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.growing import MIB, Timed, census, frame, group, growing, ramp
from whydied.diagnose.case import Case
from whydied.diagnose.rules.memory import gathered_at_once
from whydied.records import LineSampled

LOADING = "def load(path):\n    return decode(path)\npaths = names()\n"
ARRAY = LOADING + "x = np.array([load(path) for path in paths])\n"
COURSE = ramp(1000)


def _looks(*stack: tuple[int, str], since: float = 1.0) -> list[Timed]:
    """The main thread with the same lines, the innermost last, ten times a second; before that at line 3."""
    before = [frame(3)]
    return [
        (
            n / 10,
            LineSampled(frames=[frame(*at) for at in stack] if n / 10 >= since else before, rss_bytes=COURSE(n / 10)),
        )
        for n in range(10, 100)
    ]


def _case(source: str, *stack: tuple[int, str], since: float = 1.0, kept_mib: int = 0) -> Case:
    taken = [(9.0, census(900, group("array", 9, kept_mib), python_mib=kept_mib))]
    return growing([*_looks(*stack, since=since), *taken], COURSE, source=source)


IN_ITEM = ((4, "<module>"), (4, "<listcomp>"), (2, "load"))
INLINED = ((4, "<module>"), (2, "load"))
"""From Python 3.12 on a comprehension has no frame of its own."""


@pytest.mark.parametrize("stack", [IN_ITEM, INLINED])
def test_a_comprehension_is_told_with_the_name_that_it_is_for(stack: tuple[tuple[int, str], ...]) -> None:
    found = gathered_at_once.check(_case(ARRAY, *stack))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.kind, found.culprit.name) == (4, "list", "x")
    assert found.culprit.bytes == pytest.approx(1000 * MIB, rel=0.05)
    assert found.certainty == "likely"
    assert any("`np.array` of the whole list" in advice for advice in found.advice)


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("x = [load(path) for path in paths]", "list"),
        ("x = {path: load(path) for path in paths}", "dict"),
        ("x = {load(path) for path in paths}", "set"),
        ("x = list(map(load, paths))", "list"),
        ("x = tuple(load(path) for path in paths)", "tuple"),
        ("x = sorted(load(path) for path in paths)", "list"),
        ("x = table.apply(load)", "result"),
    ],
)
def test_it_is_told_however_it_is_written(statement: str, kind: str) -> None:
    found = gathered_at_once.check(_case(f"{LOADING}{statement}\n", *INLINED))
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.kind, found.culprit.name) == (kind, "x")
    assert len(found.advice) == 2


def test_what_was_complete_and_then_copied_is_told_so() -> None:
    looks = _looks(*IN_ITEM)
    done = [(at, LineSampled(frames=[frame(4)], rss_bytes=COURSE(at))) for at, _ in looks if at >= 7]
    found = gathered_at_once.check(growing([*(one for one in looks if one[0] < 7), *done], COURSE, source=ARRAY))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.bytes == pytest.approx(1000 * MIB, rel=0.05)
    assert "took 656 MiB, and 989 MiB together with what `np.array` makes of it (limit 2.00 GiB)" in found.message


def test_of_statements_that_call_one_another_the_one_that_gathers_now_counts() -> None:
    source = LOADING + "data = Data([str(n) for n in paths])\nclass Data:\n    def __init__(self, names):\n"
    source += "        self.rows = {name: load(name) for name in names}\n"
    found = gathered_at_once.check(_case(source, (4, "<module>"), (7, "__init__"), (2, "load")))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.name == "self.rows"


def test_what_is_gathered_inside_an_item_is_not_blamed() -> None:
    source = (
        "def load(path):\n    return np.stack([crop(path, n) for n in range(4)])\nx = 0\nx = [load(p) for p in paths]\n"
    )
    looks = _looks((4, "<module>"), (4, "<listcomp>"), (2, "load"))
    between = (9.5, LineSampled(frames=[frame(4), frame(4, "<listcomp>")], rss_bytes=COURSE(9.5)))
    found = gathered_at_once.check(growing([*looks, between], COURSE, source=source))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 4


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(_case(ARRAY, (4, "<module>")), id="not at work on an item: the array is made"),
        pytest.param(_case(LOADING + "x = np.concatenate([rows[p] for p in paths])\n", *INLINED), id="nothing is made"),
        pytest.param(_case(LOADING + "x = sum(load(path) for path in paths)\n", *INLINED), id="nothing is kept"),
        pytest.param(_case(ARRAY, *IN_ITEM, since=8.5), id="most was there before"),
        pytest.param(_case(ARRAY, *IN_ITEM, kept_mib=600), id="a variable holds it"),
        pytest.param(
            _case(ARRAY.replace("decode(path)", "tf.py_function(decode, [path], tf.float32)"), *IN_ITEM), id="a leak"
        ),
        pytest.param(growing(_looks(*IN_ITEM), COURSE, source=ARRAY, killed=False), id="it finished"),
        pytest.param(growing([], COURSE, source=ARRAY), id="nothing was seen"),
    ],
)
def test_near_misses(case: Case) -> None:
    assert gathered_at_once.check(case) is None
