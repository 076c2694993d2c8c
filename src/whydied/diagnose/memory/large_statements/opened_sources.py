"""Tensors that the data sets of an `interleave` begin with: as many of them live at a time as it has open. Pure.

Invariant: the size of one is known from its shapes, or it is not told.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import PART, change_of, room_bytes
from whydied.records import DatasetMade
from whydied.source.calls import called_names, calls_of
from whydied.source.edits.call_edits import calls_at, set_argument
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.runs.literal_numbers import rounded_down
from whydied.source.edits.runs.size_edits import keyword_set

KIND = "tensors"
_SETTING = "cycle_length"
_STAGE = "interleave"


def opened(case: Case, stage: DatasetMade, grown: int) -> Finding:
    """What `interleave` holds open, where memory grew by so much."""
    place = _place(case, stage)
    size = stage.element_bytes * stage.copies if stage.element_bytes else None
    limit = case.recording.limit
    of = f"; the limit is {words.size(limit.limit_bytes)}" if limit else ""
    each = f", {words.size(stage.element_bytes)}" if stage.element_bytes else ""
    total = f": {words.size(size)}{of}" if size else f", while memory grew by {words.size(grown)}{of}"
    return Finding(
        message=f"{prefix(place)}`{_STAGE}` keeps {stage.copies} data sets open at a time, and each holds all of the "
        f"tensors that it was made from{each}{total}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="buffer", name=_SETTING, bytes=size, value=str(stage.copies)),
        evidence=[
            Evidence(fact="what each of them begins with", value=stage.element_spec, source="DatasetMade"),
            Evidence(fact="memory beyond the libraries", value=words.size(grown), source="MachineSampled"),
        ],
        advice=[
            f"Lower `{_SETTING}={stage.copies}`: that many are open at a time, whatever `num_parallel_calls` says.",
            "Or let each data set read its file bit by bit (`TextLineDataset`, `TFRecordDataset`, a generator) instead "
            "of all of it.",
        ],
        changes=_fewer(case, stage, place, grown),
    )


def _place(case: Case, stage: DatasetMade) -> Location:
    """The line of the `interleave`: what AutoGraph makes of its function has no line of the program's."""
    places = [case.locate(frame) for frame in reversed(stage.frames)]
    own = [one for one in places if _STAGE in {name.rpartition(".")[2] for name in called_names(one)}]
    calls = calls_of(case.sources, lambda name: name == _STAGE)
    return own[0] if own else case.locate(calls[0]) if len(calls) == 1 else places[0]


def _fewer(case: Case, stage: DatasetMade, place: Location, grown: int) -> list[Change]:
    source, room = case.sources.get(place.file), room_bytes(case)
    if source is None or not room:
        return []
    each = stage.element_bytes or grown / stage.copies
    wanted = max(1, rounded_down(room / PART / each))
    calls = calls_at(source, place.line, _STAGE)
    if wanted >= stage.copies or len(calls) != 1:
        return []
    edit: Edit | None = keyword_set(source, place.file, place.line, _SETTING, wanted)
    if edit is None:
        edit = set_argument(source, place.file, calls[0], _SETTING, 1, str(wanted))
    title = f"Keep {wanted} data sets open at a time (`{_SETTING}={wanted}`)"
    return change_of(title, "buffer", edit, value=wanted, harm="same result")
