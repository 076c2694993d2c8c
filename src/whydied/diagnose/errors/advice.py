"""Advice with the edits that it speaks of: the words and the change of the source are made together. Pure.

Invariant: a change says what its sentence says. Where the source does not tell how to write it there is no change.
The line of a change that was tried and found right is that of the fault: a finding is placed there (`Advice.frame`),
and the line that failed is told by the exception. Where several changes on different lines are as good, none of them
is the fault's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from whydied.diagnose.finding import Certainty, Location
from whydied.records import Frame
from whydied.source.edits.edit import Change, Edit
from whydied.source.text import Source

Sources = Mapping[str, Source]


class Advice(NamedTuple):
    """Sentences, and the changes of which they speak; false where there is nothing to say."""

    sentences: list[str]
    changes: list[Change]
    frame: Frame | None = None

    def __bool__(self) -> bool:
        return bool(self.sentences)


class Way(NamedTuple):
    """One way out in words, as a part of a sentence, and as edits of the source where it can be written. `frame` is the
    line of the layer, the Input or the value that it changes, where that is known to be the wrong one."""

    words: str
    edits: list[Edit] | None = None
    frame: Frame | None = None


def nothing() -> Advice:
    return Advice([], [])


def advised(sentence: str, kind: str, *ways: Way | list[Edit] | None) -> Advice:
    """A sentence with its changes: of a `Way` the title is its own, of edits alone that of the sentence."""
    made = [way if isinstance(way, Way) else Way(sentence, way) for way in ways]
    return Advice([sentence], changes_of(kind, made), frame_of(made))


def either(kind: str, ways: Iterable[Way]) -> Advice:
    """The ways as one sentence, and each as a change of its own."""
    told = [way for way in ways if way.words]
    if not told:
        return nothing()
    words = "; or ".join(way.words for way in told)
    sentence = f"Either {words}." if len(told) > 1 else f"{capital(words)}."
    return Advice([sentence], changes_of(kind, told), frame_of(told))


def frame_of(ways: list[Way]) -> Frame | None:
    """The line that all ways change."""
    places = {(way.frame.file, way.frame.line) if way.frame is not None else None for way in ways}
    return ways[0].frame if len(places) == 1 else None


def certainty_of(advice: Advice, place: Location | None) -> Certainty:
    """Of a mismatch: certain where a line is known to be the wrong one, or one tried change is left and it is of the
    line that is told. Where changes on both sides would do, or none is known, it is not told which side is wrong."""
    if advice.frame is not None:
        return "certain"
    alone = place is not None and len(advice.changes) == 1
    last = (place.end_line or place.line) if place is not None else 0
    here = alone and all(
        place is not None and edit.file == place.file and place.line <= edit.start[0] <= last
        for edit in advice.changes[0].edits
    )
    return "certain" if here else "likely"


def changes_of(kind: str, ways: Iterable[Way]) -> list[Change]:
    return [Change(title=capital(way.words).rstrip("."), kind=kind, edits=way.edits) for way in ways if way.edits]


def capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def source_at(sources: Sources, frame: Frame | None) -> Source | None:
    """The text of a line's file, where that is the program's own and known."""
    return sources.get(frame.file) if frame is not None else None
