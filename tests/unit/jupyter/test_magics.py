"""The words of the warning, and the account of a cell."""

from __future__ import annotations

from whydied.inside.notebook import low_memory, notebook_state
from whydied.jupyter import magics
from whydied.records import CellEnded, CensusTaken, Holder, MadeObject, ObjectGroup

MIB = 1 << 20


def test_a_warning_lists_the_largest_and_every_name_that_keeps_it() -> None:
    held = [Holder(path="x", root="global", also=["Out[3]", "_"])]
    groups = [
        ObjectGroup(kind="text", type="str", count=9, size_bytes=100),
        ObjectGroup(kind="array", type="a", count=2, size_bytes=512 * MIB, shape=[8, 4], dtype="float32", holders=held),
        ObjectGroup(kind="model", type="m", count=1, size_bytes=600 * MIB),
    ]
    text = low_memory.warning(1900 * MIB, 2048 * MIB, CensusTaken(trigger="t", rss_bytes=0, groups=groups))
    assert text.splitlines() == [
        "whydied: memory is almost exhausted: 1.86 GiB of 2.00 GiB used.",
        "  600 MiB in 1 model",
        "  512 MiB in 2 arrays (8, 4) float32: x (and Out[3], _)",
        "  Interrupt the cell, or free something: %whydied top shows what is large.",
    ]
    assert len(low_memory.warning(1, 1, None).splitlines()) == 2


def test_names_that_ipython_sets_are_known() -> None:
    hidden = ("_", "__", "_12", "_i", "_ii", "_i7", "_oh", "Out", "In", "get_ipython")
    assert all(notebook_state.is_hidden(name) for name in hidden)
    assert not any(notebook_state.is_hidden(name) for name in ("x", "_private", "_i_mine", "_1st", "index"))


def test_the_line_of_the_magic_leaves_the_others_where_they_are() -> None:
    assert magics._without_mark(["%%whydied\n", "x = 1\n"]) == ["\n", "x = 1\n"]
    assert magics._without_mark(["%%whydied_other\n", "x"]) == ["%%whydied_other\n", "x"]
    assert magics._without_mark([]) == []


def test_an_account_tells_what_changed() -> None:
    made = [MadeObject(name="x", type="numpy.ndarray", bytes=8 * MIB, shape=[1024, 1024], dtype="float64")]
    ended = CellEnded(number=4, ok=True, before=100 * MIB, after=90 * MIB, peak=200 * MIB, wall_s=1.5, made=made)
    assert magics._cell_summary(ended, magics._new({"a.py:1:f": 1}, {"a.py:1:f": 3, "a.py:9:g": 1})).splitlines() == [
        "cell [4] took 1.5 s",
        "memory: 100 MiB before, 90.0 MiB after (-10.0 MiB), 200 MiB at most",
        "new or changed:",
        "  x   8.00 MiB  numpy.ndarray (1024, 1024) float64",
        "traced: f, 2 times",
        "traced: g, 1 time",
    ]
