"""PRC045: descriptors that are used up, and who holds them."""

from __future__ import annotations

import errno

from tests.unit.diagnose.case_of import FILE, SOURCE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.process.files_left_open import check
from whydied.records import CensusTaken, DescriptorsCounted, Holder, ObjectGroup, OpenFiles, Record
from whydied.source.text import Source

REFUSED = raised("OSError", "Too many open files", errno=errno.EMFILE)
COUNTED = DescriptorsCounted(
    count=250,
    limit=256,
    groups=[OpenFiles(kind="file", what="/data/*.npy", count=240), OpenFiles(kind="pipe", what="pipe", count=3)],
)


def census(count: int, root: str = "global") -> CensusTaken:
    holder = Holder(path="tensors", root=root, container="list", length=count, file=FILE, function="<module>")
    return CensusTaken(
        trigger="exception",
        rss_bytes=1 << 20,
        groups=[ObjectGroup(kind="file", type="_io.BufferedReader", count=count, size_bytes=100, holders=[holder])],
    )


def told(*records: Record) -> Finding | None:
    case = case_of(process=[*records], exit_code=1)
    case.recording.sources[FILE] = Source(SOURCE)
    return check(case)


def test_the_holder_is_named_at_the_line_that_fills_it() -> None:
    found = told(census(240), COUNTED, REFUSED)
    assert found is not None
    assert found.location is not None
    assert (found.certainty, found.location.line) == ("certain", 5)
    assert found.message == "train.py:5: `tensors` keeps 240 files open (/data/*.npy); the limit is 256 (`ulimit -n`)"
    assert found.advice == [
        "Close each file once it is read (`with open(…) as file:`), and keep what was read in `tensors`, not the file."
    ]


def test_a_holder_of_few_of_them_is_not_to_blame() -> None:
    found = told(census(40), COUNTED, REFUSED)
    assert found is not None
    assert found.certainty == "likely"
    assert "240 files are open (/data/*.npy), and were never closed" in found.message


def test_what_a_library_keeps_is_not_the_programs() -> None:
    found = told(census(240, root="library"), COUNTED, REFUSED)
    assert found is not None
    assert found.certainty == "likely"


def test_an_older_recording_has_no_count() -> None:
    found = told(REFUSED)
    assert found is not None
    assert "the system gives this process no more descriptors" in found.message


def test_another_error_of_the_system_is_not_about_descriptors() -> None:
    assert told(census(240), COUNTED, raised("OSError", "No space left on device", errno=errno.ENOSPC)) is None
