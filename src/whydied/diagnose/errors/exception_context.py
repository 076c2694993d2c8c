"""The context of an uncaught exception: the call, epoch and step it was raised in, the values that took part in it,
the memory at failure, the last warning before it. Pure.

Every uncaught exception gets it, and it is all there is to say about one that no rule explains. It states what was
recorded and gives no reason.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, line_words
from whydied.diagnose.errors.framework_error import layer_words, party_evidence
from whydied.diagnose.finding import Evidence
from whydied.read.path_owner import is_user_path
from whydied.records import (
    CallBegan,
    CallEnded,
    EpochBegan,
    ErrorFacts,
    ExceptionRaised,
    ModuleImported,
    Record,
    SessionRan,
    StepBegan,
    WarningIssued,
)

_LONGEST_WARNING = 200
_FRAMEWORKS = ("tensorflow", "keras", "tf_keras")
_UNITS = {"train": "training", "test": "evaluation", "predict": "prediction"}


def surroundings_of(case: Case) -> list[Evidence]:
    """The facts, the nearest first; none where no recorder was inside."""
    raised = case.uncaught
    if raised is None or case.principal is None:
        return []
    before = _before(case, raised)
    return [*_at_work(case), *_progress(before, raised), *_memory(case), *_warning(before)]


def party_texts(case: Case) -> frozenset[str]:
    """The expressions of the source that are told as values which took part."""
    facts = case.principal.all(ErrorFacts) if case.principal else []
    return frozenset(party.text for one in facts for party in one.parties if party.text and party.shape is not None)


def _before(case: Case, raised: ExceptionRaised) -> list[Record]:
    """The records of the process up to the exception."""
    entries = case.principal.entries if case.principal else []
    found = [entry.record for entry in entries]
    at = next((n for n, record in enumerate(found) if record is raised), len(found))
    return found[:at]


def _at_work(case: Case) -> list[Evidence]:
    """The layer and the values that took part in what failed."""
    facts = case.principal.all(ErrorFacts) if case.principal else []
    if not facts:
        return []
    nearest = max(facts, key=lambda one: one.link)
    found = []
    if nearest.layer is not None and not nearest.layer.is_model:
        value = layer_words(nearest.layer)
        found.append(Evidence(fact="layer", value=value, source="ErrorFacts"))
    # What a data set gives is told where it is what does not fit.
    return [*found, *party_evidence([one for one in nearest.parties if one.role not in ("element", "label")])]


def _progress(before: list[Record], raised: ExceptionRaised) -> list[Evidence]:
    """How far the program had come."""
    call = _call(before, raised)
    if call is not None:
        place = call.frames[-1] if call.frames else None
        line = f" on {line_words(place)}" if place else ""
        value = f"`{call.kind}`{f' of {call.model}' if call.model else ''}{line}{_moment(before, call)}"
        return [Evidence(fact="raised during", value=value, source="CallBegan")]
    unit, count = _counted(before)
    return [Evidence(fact=f"{unit} so far", value=count, source="StepBegan")] if count else []


def _call(before: list[Record], raised: ExceptionRaised) -> CallBegan | None:
    """The outermost call into Keras that the exception went through."""
    ended = {record.call for record in before if isinstance(record, CallEnded)}
    lines = {(frame.file, frame.line) for link in raised.chain for frame in link.frames if frame.user}
    for record in before:
        if isinstance(record, CallBegan) and record.call not in ended and record.frames:
            place = record.frames[-1]
            if (place.file, place.line) in lines:
                return record
    return None


def _moment(before: list[Record], call: CallBegan) -> str:
    """`, epoch 3, step 14`: epochs count from 1, as Keras prints them; steps from 0, as rows do."""
    epochs = [record.epoch for record in before if isinstance(record, EpochBegan) and record.call == call.call]
    steps = [record for record in before if isinstance(record, StepBegan) and record.call == call.call]
    if not steps:
        return ", before its first step" if not epochs else f", epoch {epochs[-1] + 1}, before its first step"
    last = steps[-1]
    epoch = f", epoch {epochs[-1] + 1}" if epochs else ""
    if epochs and last.epoch is not None and last.epoch < epochs[-1]:
        return f"{epoch}, before its first step"
    return f"{epoch}, step {last.step}" if last.step is not None else epoch


def _counted(before: list[Record]) -> tuple[str, int]:
    """Steps of a loop that the program runs itself: weight updates, session runs. Zero where there were none."""
    ran = [record.count for record in before if isinstance(record, SessionRan)]
    steps: dict[str, int] = {}
    for record in before:
        if isinstance(record, StepBegan):
            steps[record.unit] = max(record.count, steps.get(record.unit, 0))
    if ran or steps.get("session"):
        return "session runs", max([*ran, steps.get("session", 0)])
    if steps.get("apply"):
        return "weight updates", steps["apply"]
    for unit, noun in _UNITS.items():
        if steps.get(unit):
            return f"{noun} steps", steps[unit]
    return "tf.function calls", steps.get("function", 0)


def _memory(case: Case) -> list[Evidence]:
    """What the program held when it was last measured: told of programs that compute with tensors."""
    sample = case.last_sample
    imported = case.principal.all(ModuleImported) if case.principal else []
    if sample is None or not any(module.name in _FRAMEWORKS for module in imported):
        return []
    limit, started = case.recording.limit, case.recording.started
    most = limit.limit_bytes if limit is not None else started.memory_total_bytes if started is not None else None
    of = f" of {words.size(most)}" if most else ""
    return [Evidence(fact="memory at failure", value=f"{words.size(sample.rss_bytes)}{of}", source="MachineSampled")]


def _warning(before: list[Record]) -> list[Evidence]:
    """The last warning at a line of the user's: those of the libraries' own lines are seldom about the program."""
    warned = [record for record in before if isinstance(record, WarningIssued) and is_user_path(record.file)]
    if not warned:
        return []
    last = warned[-1]
    message = " ".join(last.message.split())
    message = message if len(message) <= _LONGEST_WARNING else message[: _LONGEST_WARNING - 1] + "…"
    place = f"{last.file.rsplit('/', 1)[-1]}:{last.line}: " if last.file else ""
    value = f"{place}{last.category}: {message}"
    return [Evidence(fact="last warning before it", value=value, source="WarningIssued")]
