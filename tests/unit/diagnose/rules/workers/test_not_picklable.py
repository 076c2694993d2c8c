"""PRC042: what cannot go to another process, and the line that makes it."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.rules.process.workers import not_picklable
from whydied.records import PartRefused
from whydied.source.text import Source

SOURCE = """\
class Speech:
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path)

pool.map(load, [Speech("a")])
"""


def _case(found: PartRefused | None, source: str = SOURCE) -> Case:
    case = case_of(process=[*([found] if found else []), raised("TypeError", "no", number=6)], exit_code=1)
    case.recording.sources = {FILE: Source(source)}
    return case


def test_the_attribute_is_told_at_the_line_that_makes_it() -> None:
    part = PartRefused(link=0, type="h5py._hl.files.File", path="[0][0].file", owner="Speech", attribute="file")
    found = not_picklable.check(_case(part))
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (4, "certain")
    assert "`self.file`, a h5py._hl.files.File, cannot be pickled" in found.message
    assert "with the Speech that holds it" in found.message
    assert found.advice[0].startswith("Make `self.file` in the worker")


def test_a_part_of_a_library_is_told_where_it_failed() -> None:
    part = PartRefused(link=0, type="_thread.lock", path=".args[0]", owner="_CallItem", attribute="args")
    found = not_picklable.check(_case(part))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 6
    assert "_CallItem" not in found.message
    assert "Manager" in found.advice[0]


def test_a_function_inside_another_is_told_at_its_line() -> None:
    part = PartRefused(link=0, type="function", path=".fn", function="main.<locals>.work", file=FILE, line=2)
    found = not_picklable.check(_case(part))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert "the function `work`, which is defined inside another," in found.message


def test_another_exception_is_not_explained() -> None:
    assert not_picklable.check(_case(None)) is None


SPAWNED = """\
source = sweeps(8)
p = context.Process(target=pump, args=(source, queue))
p.start()
"""
GENERATOR = PartRefused(link=0, type="builtins.generator", path="._args[0]", owner="SpawnProcess", attribute="_args")


def _spawned(part: PartRefused) -> Case:
    error = raised("TypeError", "cannot pickle 'generator' object", number=3)
    case = case_of(process=[part, error], exit_code=1)
    case.recording.sources = {FILE: Source(SPAWNED)}
    return case


def test_an_argument_of_a_process_is_told_where_it_is_handed_over() -> None:
    found = not_picklable.check(_spawned(GENERATOR))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert found.message.endswith("`source`, a generator, cannot be pickled, and so cannot go to another process")
    assert found.advice[0].startswith("Give the worker what `source` is made of")


def test_a_part_of_another_type_than_the_message_names_is_not_told() -> None:
    assert not_picklable.check(_spawned(PartRefused(link=0, type="builtins.NoneType", path="._popen"))) is None
