"""DAT066: one cache file for two readers."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.data.cache_file_shared import check
from whydied.records import CacheLocked, CacheStage, Frame
from whydied.source.edits.edit import edited
from whydied.source.text import Source

SOURCE = """\
spectra = clips.map(spectrum).cache(os.path.join(folder, "spectra"))
both = tf.data.Dataset.zip((spectra, spectra.map(bands)))
for one in both:
    pass
"""


def line(number: int) -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True)


def told(*stages: CacheStage, age_s: float = 0.1) -> Finding | None:
    facts = CacheLocked(
        file="/data/spectra_0.lockfile", prefix="/data/spectra", age_s=age_s, run_s=9.0, stages=list(stages)
    )
    case = case_of(process=[facts, raised("AlreadyExistsError", "lockfile", number=3)], exit_code=1)
    case.recording.sources[FILE] = Source(SOURCE)
    return check(case)


def test_a_stage_that_is_read_twice_in_one_pipeline() -> None:
    found = told(CacheStage(made=line(1), uses=2))
    assert found is not None
    assert found.location is not None
    assert (found.certainty, found.location.line) == ("certain", 1)
    assert "is read 2 times at once in one pipeline" in found.message
    (change,) = found.changes or []
    assert "clips.map(spectrum).cache()\n" in (edited(Source(SOURCE), change.edits) or "")


def test_two_data_sets_of_one_name() -> None:
    found = told(CacheStage(made=line(1), caller=line(2), uses=1), CacheStage(made=line(1), caller=line(3)))
    assert found is not None
    assert "2 data sets are cached in one file, `spectra` (made by line 2 of train.py and line 3" in found.message


def test_a_lock_that_is_older_than_the_run() -> None:
    found = told(CacheStage(made=line(1), uses=1), age_s=7200.0)
    assert found is not None
    assert "older than this run" in found.message
    assert "delete /data/spectra_0.lockfile" in found.advice[0]


def test_a_near_miss() -> None:
    assert told(CacheStage(made=line(1), uses=1)) is None
    assert check(case_of(process=[raised("AlreadyExistsError", "lockfile")], exit_code=1)) is None
