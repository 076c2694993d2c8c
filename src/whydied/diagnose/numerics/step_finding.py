"""The finding about a step that went wrong: what all rules of the family NUM put into it. Pure."""

from __future__ import annotations

import msgspec

from whydied import words as spoken
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.diagnose.numerics.bad_steps import Step, Story
from whydied.diagnose.numerics.bad_value_place import chain_of, op_place
from whydied.diagnose.numerics.gradient_norms import Growth
from whydied.diagnose.numerics.guarding_changes import guards_of
from whydied.diagnose.numerics.op_advice import op_advice
from whydied.diagnose.numerics.symptom import edge_words, number_in_words, turned, when
from whydied.diagnose.numerics.unused_guard import unused_guard
from whydied.records import Numbers, OpInput, Suspect
from whydied.source.edits.edit import Change

_ASSERT = "Put `whydied.assert_finite(tensor)` into the step to find the op"

_MOST_SUSPECTS = 4
_MOST_INPUTS = 3


def finding(
    case: Case,
    story: Story,
    words: str,
    *,
    place: Location | None,
    culprit: Culprit | None,
    advice: list[str],
    first: list[Evidence] | None = None,
    certainty: Certainty | None = None,
    symptom: str | None = None,
    changes: list[Change] | None = None,
) -> Finding:
    """`train.py:12: the loss turned NaN at step 47 of fit: <words>`."""
    begin = symptom if symptom is not None else f"{turned(story.step)}{when(story.step)}"
    guard = unused_guard(case, place, culprit.name if culprit is not None else None)
    if guard is not None:
        # That nothing uses it is read off the source; that it would have helped is an inference.
        certainty, place, words = "likely", guard.place, f"{words}; {guard.words}"
        advice, changes = [guard.advice, *advice], [guard.change, *(changes or [])]
    return Finding(
        message=f"{prefix(place)}{begin}: {words}",
        certainty=certainty or story.certainty,
        location=place,
        culprit=culprit,
        evidence=[*(first or []), *evidence(story)],
        chain=chain_of(case, story),
        advice=advice,
        changes=changes or [],
    )


def with_changes(found: Finding, changes: list[Change]) -> Finding:
    return msgspec.structs.replace(found, changes=changes)


def near_edge(case: Case, story: Story) -> Finding | None:
    """Without bad values in the replay: the op whose argument was next to where it is no longer finite, with the
    number. That is an inference, and said as one."""
    replay = story.step.taken.replay
    op = replay.near if replay is not None and story.again is None else None
    place = op_place(case, story.step, op.line) if op is not None else None
    if op is None or place is None:
        return None
    return finding(
        case,
        story,
        f"{edge_words(op)}, and nothing keeps it away from there",
        place=place,
        culprit=Culprit(kind="op", name=op.op),
        certainty="likely",
        advice=[op_advice(case, story, op)],
        changes=guards_of(case, story.step, op),
    )


def op_unknown(step: Step) -> str:
    """What to do where no replay has named the op."""
    replay = step.taken.replay
    if replay is None:
        return "`whydied run` without --no-replay replays the step and names the op."
    if replay.status == "finite":
        return f"{_ASSERT}: replaying the captured step did not show it."
    return f"{_ASSERT}: the captured step could not be replayed."


def evidence(story: Story) -> list[Evidence]:
    step = story.step
    found = [*_again(story), _captured(step)]
    if story.growth is not None:
        found.append(norms(story.growth))
    if step.captured.late:
        found.append(Evidence(fact="noticed", value=step.captured.late, source="StepCaptured"))
    found += [Evidence(fact="not available", value=words, source="StepCaptured") for words in step.captured.missing]
    return found


def norms(rise: Growth) -> Evidence:
    return Evidence(
        fact=f"norm of all {rise.of}s in the {rise.steps + 1} steps before",
        value=" → ".join(number_in_words(value) for value in rise.values),
        source="NormsSeen",
    )


def _captured(step: Step) -> Evidence:
    suspects = step.captured.suspects
    words = [_suspect(suspect) for suspect in suspects[:_MOST_SUSPECTS]]
    if len(suspects) > _MOST_SUSPECTS:
        words.append(f"{len(suspects) - _MOST_SUSPECTS} more")
    return Evidence(
        fact=f"not finite{when(step)}",
        value="; ".join(words),
        source=f"{step.captured.directory}/step.json",
    )


def _suspect(suspect: Suspect) -> str:
    name = suspect.role if suspect.role == "loss" else f"{suspect.role} of {suspect.name}".removesuffix(" of ")
    return f"{name}: {_bad(suspect.numbers)}" if suspect.numbers else name


def _bad(numbers: Numbers) -> str:
    parts = [
        f"{count} {word}"
        for count, word in (
            (numbers.nan, "NaN"),
            (numbers.plus_infinity, "inf"),
            (numbers.minus_infinity, "-inf"),
        )
        if count
    ]
    if numbers.count == 1 and parts:
        return parts[0].split(" ", 1)[1]
    return f"{' and '.join(parts) or 'none bad'} of {numbers.count:,}"


def _again(story: Story) -> list[Evidence]:
    replay = story.step.taken.replay
    source = f"{story.step.captured.directory}/replay.json"
    if replay is None:
        return []
    if story.again is None:
        fact = "the replayed step was finite" if replay.status == "finite" else "the step was not replayed"
        return [Evidence(fact=fact, value=replay.reason, source=source)]
    found = []
    if replay.ran_on is not None and replay.ran_on.runs:
        value = f"from the variables of {spoken.count(replay.ran_on.runs, 'run')} before, with what the runs were fed"
        found.append(Evidence(fact="replayed", value=value, source=source))
    if replay.first is not None:
        op = replay.first
        value = f"{op.op} ({op.node}, {op.phase}): {_bad(op.output) if op.output else 'not finite'}"
        found.append(Evidence(fact="first bad op in the replay", value=value, source=source))
        found += [
            Evidence(fact=f"input {one.name or one.origin}", value=_range(one), source=source)
            for one in op.inputs[:_MOST_INPUTS]
            if one.numbers is not None
        ]
    blame = replay.blame
    if blame is not None and blame.tried:
        own = blame.words if blame.kind in ("rows", "weights", "precision", "op") else ""
        value = own or "the step is finite with other values instead"
        found.append(Evidence(fact="tried", value=value, source=source))
    return found


def _range(one: OpInput) -> str:
    numbers = one.numbers
    assert numbers is not None
    extent = (
        f"from {number_in_words(numbers.least)} to {number_in_words(numbers.greatest)}"
        if numbers.least is not None and numbers.greatest is not None
        else "no finite value"
    )
    bad = f", {_bad(numbers)}" if numbers.nonfinite else ""
    at = f"; at that place {', '.join(one.at_bad[:3])}" if one.at_bad else ""
    return f"{numbers.dtype} {numbers.shape}, {extent}{bad}{at}"
