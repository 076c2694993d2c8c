"""What was tried on a program and what came of it, kept beside the recording; and the diagnosis in its light.

Reading and writing touch the file that they are given alone; `settled` is pure.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from whydied.diagnose.engine import Diagnosis
from whydied.diagnose.errors.exception_words import without_suggestion
from whydied.diagnose.finding import Evidence, Finding, Fix
from whydied.places import replace_whole
from whydied.source.edits.edit import Edit, Harm

SOURCE = "trials of the changed program"
BY_COPY = "copy"


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """A change that was run, or was not. `cause` is what it would remove, `words` why the verdict is what it is;
    `before` and `after` are what the program did without and with it."""

    title: str
    kind: str
    harm: Harm
    patch: str
    edits: list[Edit]
    cause: Finding
    verdict: str = "untested"
    words: str = ""
    value: object = None
    before: dict[str, object] | None = None
    after: dict[str, object] | None = None
    guessed: bool = False
    gives_up: str = ""
    """What the program then does without, where the change only silences the failure."""


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """`reproduced` is None where the program was not run again to the end. `sandbox` says what held it. What was tried
    `by` a copy of the process that died, before the report, was not recorded: that a program ends well is all that is
    known of it."""

    reproduced: bool | None = None
    before: dict[str, object] | None = None
    sandbox: str = ""
    by: str = ""
    wall_s: float = 0.0
    stopped: str = ""
    tried: list[Tried] = []
    errors: list[str] = []
    """Ours."""


def read(file: Path) -> Proof | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Proof)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def write(file: Path, proof: Proof) -> None:
    replace_whole(file, msgspec.json.encode(proof))


def settled(diagnosis: Diagnosis, proof: Proof | None) -> Diagnosis:
    """The diagnosis with the verdicts in it. Where no change of the cause's removed the failure and one of a rival's
    did, the rival is the cause. What the cause brought about takes its place only where its own changes failed; a
    guess also where nothing but the exception is known."""
    if proof is None:
        return diagnosis
    diagnosis = diagnosis._replace(
        notes=[*diagnosis.notes, *_notes(proof)],
        errors=[*diagnosis.errors, *(one for one in proof.errors if one not in diagnosis.errors)],
    )
    cause = diagnosis.cause
    if cause is not None:
        codes = {one.code for one in (cause, diagnosis.death) if one}
        own = [one for one in proof.tried if one.cause.code in codes and not one.guessed]
        # That a program runs on without what it asked for does not show what was wrong.
        proved = [one for one in proof.tried if one.verdict == "proved" and not one.gives_up]
        chain = {one.id for one in diagnosis.findings}
        in_vain = any(one.verdict == "refuted" for one in own)
        rivals = [one for one in proved if in_vain or one.guessed or one.cause.id not in chain]
        by_copy = proof.by == BY_COPY
        # Before a report only such guesses are tried as say themselves what was wrong.
        said_better = by_copy and _is_meeting(cause)
        if any(one in own for one in proved):
            diagnosis = _confirmed(diagnosis, cause, [one for one in proved if one in own], by_copy=by_copy)
        elif rivals and rivals[0].guessed and not in_vain and _is_explained(diagnosis, cause) and not said_better:
            diagnosis = _with_cause(diagnosis, cause, _supported(cause, rivals[0], by_copy=by_copy))
        elif rivals:
            diagnosis = _overturned(diagnosis, cause, rivals[0], by_copy=by_copy)
        elif in_vain and by_copy and not _is_first_untried(diagnosis, proof):
            diagnosis = _with_cause(diagnosis, cause, _doubted(cause, own))
    return diagnosis._replace(fixes=_fixes(diagnosis, proof))


def _notes(proof: Proof) -> list[str]:
    if proof.reproduced is False:
        return ["the program did not fail again when it was run a second time, so no change could be tried"]
    return []


def _confirmed(diagnosis: Diagnosis, cause: Finding, proved: list[Tried], *, by_copy: bool) -> Diagnosis:
    # Where the change at the line that the rule blames was not enough, the line that made the value is to blame.
    moved = proved[0].cause if by_copy else cause
    told = msgspec.structs.replace(
        cause,
        message=moved.message,
        location=moved.location,
        certainty=cause.certainty if by_copy else "certain",
        evidence=[*cause.evidence, _removal(proved[0])],
        advice=_told(cause.advice, diagnosis.fixes, proved[0]) if by_copy else cause.advice,
    )
    return _with_cause(diagnosis, cause, told)


def _told(advice: list[str], fixes: list[Fix], proved: Tried) -> list[str]:
    """The advice of a rule is about its first change; where another one is what helps, that is the advice."""
    return advice if not fixes or fixes[0].patch == proved.patch else [f"{proved.title.rstrip('.')}."]


def _doubted(cause: Finding, tried: list[Tried]) -> Finding:
    """A cause none of whose changes removes the failure: what was tried is told, and not advised. What the rule says
    beside its changes stays."""
    titles = {one.title.rstrip(".") for one in tried}
    seen = [
        Evidence(fact=f"tried on the program: {one.title.rstrip('.')}", value=one.words, source=SOURCE)
        for one in tried
        if one.verdict == "refuted"
    ]
    return msgspec.structs.replace(
        cause,
        message=without_suggestion(cause.message),
        certainty="likely" if cause.certainty == "certain" else cause.certainty,
        evidence=[*cause.evidence, *seen[:1]],
        advice=[one for one in cause.advice if one.rstrip(".") not in titles],
    )


def _is_first_untried(diagnosis: Diagnosis, proof: Proof) -> bool:
    """Whether there was no time for the change that the advice is about: that others failed says nothing of it."""
    return bool(diagnosis.fixes) and diagnosis.fixes[0].patch not in [one.patch for one in proof.tried]


def _is_explained(diagnosis: Diagnosis, cause: Finding) -> bool:
    return diagnosis.death is None or diagnosis.death.id != cause.id


def _is_meeting(cause: Finding) -> bool:
    """Whether a cause says which shapes met, and not what is wrong with one of them."""
    return cause.code.startswith("SHP")


def _supported(cause: Finding, proved: Tried, *, by_copy: bool) -> Finding:
    """A cause that a rule explains, with the change that a guess found for it."""
    advice = [f"{proved.title.rstrip('.')}."] if by_copy else cause.advice
    return msgspec.structs.replace(cause, evidence=[*cause.evidence, _removal(proved)], advice=advice)


def _overturned(diagnosis: Diagnosis, cause: Finding, proved: Tried, *, by_copy: bool) -> Diagnosis:
    seen = Evidence(fact="told as the cause before this was tried", value=cause.message, source=SOURCE)
    told = msgspec.structs.replace(
        proved.cause,
        id=cause.id,
        certainty="likely" if by_copy else "certain",
        # A guess says where the fault is made; what it is about was known before.
        culprit=proved.cause.culprit or (cause.culprit if proved.guessed else None),
        because_of=None,
        docs=f"docs/rules/{proved.cause.code}.md",
        evidence=[*proved.cause.evidence, _removal(proved), *([] if proved.cause.message == cause.message else [seen])],
    )
    return _with_cause(diagnosis, cause, told)


def _removal(proved: Tried) -> Evidence:
    return Evidence(fact=f"the failure is gone with this change: {proved.title}", value=proved.words, source=SOURCE)


def _with_cause(diagnosis: Diagnosis, cause: Finding, told: Finding) -> Diagnosis:
    # What ended the program is what it was: a cause that lay nowhere deeper is told beside it.
    is_end = diagnosis.death is not None and diagnosis.death.id == cause.id and cause.code != told.code
    others = [one for one in diagnosis.findings if one.id != cause.id or is_end]
    return diagnosis._replace(cause=told, findings=[told, *others], undetermined=None)


def _fixes(diagnosis: Diagnosis, proof: Proof) -> list[Fix]:
    """Proved ones first, refuted ones last. A guess that failed is nobody's advice."""
    tried = {one.patch: one for one in proof.tried if not one.guessed or one.verdict == "proved"}
    given_up = {patch for patch, one in tried.items() if one.gives_up}
    cause_id = diagnosis.cause.id if diagnosis.cause else ""
    fixes = [_judged(fix, tried.pop(fix.patch or "", None)) for fix in diagnosis.fixes]
    fixes += [
        _judged(
            Fix(
                title=one.title,
                kind=one.kind,
                value=one.value,
                answers=cause_id,
                patch=patch,
                edits=one.edits,
                harm=one.harm,
            ),
            one,
        )
        for patch, one in tried.items()
        if one.verdict == "proved"
    ]
    order = [one.patch for one in proof.tried] if proof.by == BY_COPY else []
    return sorted(
        fixes,
        key=lambda fix: (
            *_rank(fix),
            fix.patch in given_up,
            order.index(fix.patch) if fix.patch in order else len(order),
        ),
    )


def _rank(fix: Fix) -> tuple[int, bool]:
    """A change that lets the program finish comes before one that only gets it past a failure."""
    fails = isinstance(fix.after, dict) and fix.after.get("outcome") == "failed"
    return ("proved", "untested", "refuted").index(fix.verdict), fails


def _judged(fix: Fix, tried: Tried | None) -> Fix:
    if tried is None:
        return fix
    title = f"{fix.title} ({tried.gives_up})" if tried.gives_up else fix.title
    return msgspec.structs.replace(
        fix, title=title, verdict=tried.verdict, before=tried.before, after=tried.after, harm=tried.harm
    )
