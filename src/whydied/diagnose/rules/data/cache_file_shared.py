"""One cache file of a data set is used by two readers at a time.

## What it detects
A data set with `cache(filename)` that finds the lock of its file: the same stage is read twice in one pipeline, several
data sets have one file name, or the lock is older than the run.

## Why it happens
The first pass writes the file, and only one reader may. `zip` of a cached data set with something that is made of it
reads it twice at once; a function that makes the training and the validation data gives both the same name; a run
that was killed in its first pass leaves its lock.

## Evidence
The stages that have this file, with the lines that made them and the calls that led there; how often each stands in
the pipeline that failed; the age of the lock against that of the process.

## How it is proved
The pipeline and the stages are read when it fails: certain.

## Fix
Cache after the `zip`, a file name for each data set, or memory (`cache()`); remove an old lock.

## Known problems
Two iterators over one data set are told only by what is left: one stage, read once, and a lock of this run.

## References
TensorFlow documentation: tf.data.Dataset.cache.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import CacheLocked, CacheStage
from whydied.source.calls import callee
from whydied.source.edits.call_edits import calls_at
from whydied.source.edits.edit import Change, over, written_in
from whydied.words import duration

ROLE = "explanation"
_MARGIN_S = 1.0


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    found = [one for one in case.records.all(CacheLocked) if raised and one.link < len(raised.chain)]
    if raised is None or not found:
        return None
    locked, link = found[-1], raised.chain[found[-1].link]
    end = case.locate_exception([link, *raised.chain])
    told = _told(case, locked, end)
    if told is None:
        return None
    words, advice, place, changes = told
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="file", name=locked.prefix),
        evidence=[*evidence_of(link, raised)[:1], *(_stage(case, one) for one in locked.stages[:3])],
        advice=[advice],
        changes=changes,
    )


def _told(
    case: Case, locked: CacheLocked, end: Location | None
) -> tuple[str, str, Location | None, list[Change]] | None:
    name = locked.prefix.rpartition("/")[2]
    if locked.age_s is not None and locked.run_s is not None and locked.age_s > locked.run_s + _MARGIN_S:
        return (
            f"the lock of the cache file `{name}` is {duration(locked.age_s)} old, older than this run: another "
            "process writes it, or one was killed while it did",
            f"If no other run uses it, delete {locked.file} and all files that begin with {name}.",
            end,
            [],
        )
    twice = next((one for one in locked.stages if one.uses > 1 and one.made is not None), None)
    if twice is not None and twice.made is not None:
        place = case.locate(twice.made)
        return (
            f"the data set that is cached in the file `{name}` is read {twice.uses} times at once in one pipeline, and "
            "only one reader may write the file",
            "Put the `cache(…)` after the `zip` that joins them, so that it is there once; or cache in memory: "
            "`cache()`.",
            place,
            _in_memory(case, place),
        )
    lines = [one for one in locked.stages if one.made is not None]
    if len(lines) < 2:
        return None
    places = [case.locate(one.caller or one.made) for one in lines if one.made is not None]
    made = lines[0].made
    at = case.locate(made) if made is not None else end
    listed = " and ".join(dict.fromkeys(line_words(one) for one in places))
    return (
        f"{len(lines)} data sets are cached in one file, `{name}` (made by {listed}), and the second is read while the "
        "first still writes it",
        "Give each data set a file of its own: put something of the call into the name, such as "
        "`os.path.join(folder, split)`.",
        at,
        [],
    )


def _in_memory(case: Case, place: Location) -> list[Change]:
    source = case.sources.get(place.file)
    calls = calls_at(source, place.line, "cache") if source is not None else []
    if source is None or len(calls) != 1 or callee(calls[0]) != "cache":
        return []
    text = f"{written_in(source, calls[0].func)}()"
    return [Change(title="Cache in memory", kind="data", edits=[over(source, place.file, calls[0], text)])]


def _stage(case: Case, stage: CacheStage) -> Evidence:
    made = case.locate(stage.made) if stage.made is not None else None
    at = f"{made.file}:{made.line}" if made is not None else "unknown"
    return Evidence(
        fact="cached in that file at", value=f"{at}, {stage.uses} in the failing pipeline", source="CacheLocked"
    )
