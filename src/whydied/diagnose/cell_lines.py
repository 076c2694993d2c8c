"""The lines around the place of a finding, as they ran. Pure.

They go along with the finding: when the report is shown the file may have been edited, and a cell has none.
"""

from __future__ import annotations

import msgspec

from whydied.diagnose.finding import Finding, Location
from whydied.read.recording import Recording

AROUND = 6
"""More lines than any report shows."""
LONGEST = 500


def surrounded(finding: Finding, recording: Recording) -> Finding:
    """A finding whose places have their lines with them."""
    place = finding.location
    links = [msgspec.structs.replace(link, location=_with_lines(link.location, recording)) for link in finding.chain]
    return msgspec.structs.replace(finding, location=_with_lines(place, recording), chain=links)


def _with_lines(place: Location | None, recording: Recording) -> Location | None:
    source = recording.sources.get(place.file) if place is not None else None
    if place is None or source is None:
        return place
    first = max(0, place.line - 1 - AROUND)
    lines = [line[:LONGEST] for line in source.lines[first : place.line + AROUND]]
    return msgspec.structs.replace(place, around=lines, around_line=first + 1)
