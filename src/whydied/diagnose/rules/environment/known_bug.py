"""The failure has the signature of a known problem.

## What it detects
A crash or an import error whose text is one of the catalogue's: a tensor with more elements than 64 bits can count, an
attribute that does not fit into 32 bits, no further thread, two copies of one native library, libdevice not found.

## Why it happens
Native code that checks its input with an assertion ends the whole process, and says so in words about itself.

## Evidence
The line in which the signature was found, the class of the op that ran and the innermost native frames, where
TensorFlow printed its native stack; the threads in which the problem is reported.

## How it is proved
The text of the failed check with its values is direct evidence: certain. An entry that only knows the problem by its
looks is likely. Entries that are bound to versions are asked only where the version fits or is not known.

## Fix
It stands in the advice, with the values of this run.

## Known problems
The text is only known when the error output passed through us. A check that the catalogue does not have is told by
native-abort in its own words.

## References
The entry's own stand in the evidence.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.catalogue.match import known_cause, words_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.gpu.devices import failure_of, place_of

_FRAMES = 5

ROLE = "cause"
YIELDS_TO = ("duplicate-openmp", "abi-mismatch", "cpu-feature-missing")


def check(case: Case) -> Finding | None:
    found = known_cause(case)
    if found is None:
        return None
    known = found.known
    place, seen = place_of(case, failure_of(case))
    words = words_of(case) if case.uncaught is None else None
    kernel = words.kernel if words else None
    evidence = [Evidence(fact="message", value=found.line, source="OutputWritten")] if words else []
    if words and words.frames:
        evidence.append(
            Evidence(fact="native frames", value=" <- ".join(words.frames[:_FRAMES]), source="OutputWritten")
        )
    evidence.append(Evidence(fact="reported in", value=", ".join(known.references), source="catalogue"))
    if known.versions:
        evidence.append(Evidence(fact="known to affect", value=known.versions, source="catalogue"))
    return Finding(
        message=f"{prefix(place)}{f'in {kernel}, ' if kernel else ''}{found.filled(known.words)}",
        certainty=known.certainty,
        location=place,
        culprit=Culprit(kind="known problem", name=found.groups.get("attribute") or kernel or known.name),
        evidence=[*evidence, *seen],
        advice=[found.filled(known.advice)],
    )
