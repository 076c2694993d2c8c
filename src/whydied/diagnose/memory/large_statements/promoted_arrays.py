"""float64 arrays that the program had made float32, and the operand that widened them again. Pure."""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.source.arrays.promotion import Wide, promotion_behind
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change
from whydied.source.edits.import_edits import name_of
from whydied.source.trees import located


class Promoted(NamedTuple):
    """The statement that widens, what it says of it and what to do."""

    place: Location
    words: str
    advice: str
    changes: list[Change]


def promoted(case: Case, place: Location) -> Promoted | None:
    """What makes float64 of the float32 that a statement computes, where the program makes that operand itself."""
    found = promotion_behind(case.sources, place.file, place.line)
    if found is None or not found.by:
        return None
    where = located(case.sources, found.file, found.line)
    named = " and ".join(f"`{one.name}` ({line_words(_made_at(case, one))})" for one in found.by)
    verb = "is" if len(found.by) == 1 else "are"
    edits = [
        add_argument(case.sources[one.file], one.file, one.maker, f"dtype={numpy}.float32")
        for one in found.by
        if (numpy := name_of(case.sources[one.file], "numpy")) is not None
    ]
    title = f"Make {' and '.join(f'`{one.name}`' for one in found.by)} float32"
    whole = len(edits) == len(found.by)
    return Promoted(
        where,
        f"`{found.narrow}` is float32, and {named}, which {verb} float64, makes float64 of it here"
        if len(found.by) == 1
        else f"`{found.narrow}` is float32, and {named}, which are float64, make float64 of it here",
        f"Give {named} `dtype=np.float32`: float32 and float64 together are float64, twice the memory.",
        change_of(title, "dtype", edits if whole else [], "same result", value="float32"),
    )


def _made_at(case: Case, one: Wide) -> Location:
    return located(case.sources, one.file, one.maker.lineno)
