"""The lines of a notebook's cell around the place of a finding. Pure.

A report shows the neighbours of a line from the file. A cell has none, so they go along with the finding.
"""

from __future__ import annotations

import msgspec

from whydied.diagnose.finding import Finding, Location
from whydied.read.recording import Recording

AROUND = 6
"""More lines than any report shows."""


def surrounded(finding: Finding, recording: Recording) -> Finding:
    """A finding whose places in cells have their lines with them."""
    place = finding.location
    links = [msgspec.structs.replace(link, location=_with_lines(link.location, recording)) for link in finding.chain]
    if place is None or place.cell is None:
        return msgspec.structs.replace(finding, chain=links) if links != finding.chain else finding
    return msgspec.structs.replace(finding, location=_with_lines(place, recording), chain=links)


def _with_lines(place: Location | None, recording: Recording) -> Location | None:
    source = recording.sources.get(place.file) if place is not None and place.cell is not None else None
    if place is None or source is None:
        return place
    first = max(0, place.line - 1 - AROUND)
    lines = source.lines[first : place.line + AROUND]
    return msgspec.structs.replace(place, around=lines, around_line=first + 1)
