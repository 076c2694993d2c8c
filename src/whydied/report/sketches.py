"""Pictures of a run without a script, for a notebook's cell: the same values that a page draws, as small SVG. Pure.

Invariant: texts are escaped; there is no script, no style sheet and no address; colours are those of the page in the
middle between light and dark, and lines and letters take the colour of the text around them.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from whydied import words
from whydied.report import plain
from whydied.report.views.alive_at_peak import Alive
from whydied.report.views.bad_value import Course
from whydied.report.views.memory_timeline import Timeline
from whydied.report.views.run_views import Views
from whydied.report.views.thinning import thinned

WIDTH, HEIGHT = 640, 150
LEFT, RIGHT, TOP, BOTTOM = 62, 10, 16, 20
MOST_POINTS = 240
MOST_BARS = 5
MOST_COURSES = 3
FAR_LIMIT = 3.0
"""A limit so many times above all that was used would press the lines to the ground."""
_COLOURS = ("#3b82d6", "#d9822b", "#2f9e55", "#8a63d2", "#2f9aa8")
_BAD = "#d64545"
_GREY = "#808890"
_LONGEST = 42

Point = tuple[float, float]


def sketches(views: Views) -> list[tuple[str, str]]:
    """Titles and pictures, those that the end asks for."""
    found: list[tuple[str, str]] = []
    if views.bad_value is not None and views.bad_value.chain and views.bad_value.courses:
        found.append(("Over the steps", _courses(views.bad_value.courses[:MOST_COURSES])))
    if views.alive and views.timeline is not None:
        found.append(("Memory over time", _timeline(views.timeline)))
    holders = [one for one in views.alive if one.by == "holder"] or views.alive[:1]
    found += [("What held the memory", _bars(one)) for one in holders]
    return [(title, picture) for title, picture in found if picture]


def _timeline(view: Timeline) -> str:
    last = max(point[0] for line in view.lines for point in line.points)
    top = max(point[1] for line in view.lines for point in line.points)
    limit = view.limit_bytes if view.limit_bytes and view.limit_bytes < FAR_LIMIT * top else None
    box = _Box((0.0, last or 1.0), (0.0, max(top, limit or 0) * 1.05))
    parts = [box.frame(words.size(box.vertical[1]), "0", words.duration(last))]
    for mark in view.marks:
        if mark.kind == "call" and mark.until is not None:
            parts.append(box.stretch(mark.at, mark.until, mark.words))
        elif mark.kind in ("end", "bad", "jump"):
            tone = _BAD if mark.kind != "jump" else _COLOURS[1]
            parts.append(box.upright(mark.at, tone, mark.words))
    if limit:
        parts.append(box.level(limit, view.limit_words))
    for at, line in enumerate(view.lines[: len(_COLOURS)]):
        parts.append(box.line(line.points, _COLOURS[at]))
    names = [(line.name, _COLOURS[at]) for at, line in enumerate(view.lines[: len(_COLOURS)])]
    return _svg(HEIGHT, view.told, parts) + _legend(names)


def _courses(courses: Sequence[Course]) -> str:
    values = [value for course in courses for _, value in course.points if value is not None and value > 0]
    steps = [step for course in courses for step, _ in course.points]
    if not values or not steps:
        return ""
    low, high = math.log10(min(values)), math.log10(max(values))
    box = _Box((min(steps), max(max(steps), min(steps) + 1)), (low - 0.05, max(high, low + 1)))
    parts = [box.frame(f"{max(values):.1e}", f"{min(values):.1e}", f"step {max(steps):.0f}")]
    for at, course in enumerate(courses):
        finite = [(step, math.log10(value)) for step, value in course.points if value is not None and value > 0]
        parts.append(box.line(finite, _COLOURS[at]))
    bad = [step for course in courses for step, value in course.points if value is None]
    if bad:
        parts.append(box.upright(min(bad), _BAD, f"not finite from step {min(bad):.0f} on"))
    told = f"{', '.join(course.name for course in courses)} over the steps, on a logarithmic scale"
    return _svg(HEIGHT, told, parts) + _legend([(course.name, _COLOURS[at]) for at, course in enumerate(courses)])


def _bars(alive: Alive) -> str:
    shown = alive.parts[:MOST_BARS]
    most = max((part.bytes for part in shown), default=0)
    if not most:
        return ""
    parts, used = [], 0
    for row, part in enumerate(shown):
        y = row * 22
        tone = _GREY if part.rest else _COLOURS[used % len(_COLOURS)]
        used += not part.rest
        wide = max(2.0, 230 * part.bytes / most)
        name = part.name if len(part.name) <= _LONGEST else f"{part.name[: _LONGEST - 1]}…"
        parts.append(
            f'<rect x="0" y="{y + 2}" width="{wide:.1f}" height="15" rx="2" fill="{tone}">'
            f"<title>{_text(part.words or part.name)}</title></rect>"
            f'<text x="{wide + 8:.1f}" y="{y + 14}" font-size="12" fill="currentColor">'
            f"{_text(f'{name}  {words.size(part.bytes)}')}</text>"
        )
    return _svg(22 * len(shown) + 2, alive.told, parts)


class _Box:
    """The part of a picture that lines are drawn in: from values to places."""

    tall = HEIGHT - TOP - BOTTOM

    def __init__(self, across: Point, vertical: Point) -> None:
        self.across, self.vertical = across, vertical

    def x(self, value: float) -> float:
        begin, end = self.across
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - begin) / ((end - begin) or 1.0)

    def y(self, value: float) -> float:
        low, high = self.vertical
        return TOP + self.tall * (1 - (value - low) / ((high - low) or 1.0))

    def line(self, points: Sequence[tuple[float, float]], tone: str) -> str:
        places = " ".join(f"{self.x(at):.1f},{self.y(value):.1f}" for at, value in thinned(points, MOST_POINTS))
        return f'<polyline points="{places}" fill="none" stroke="{tone}" stroke-width="1.6"/>'

    def stretch(self, begin: float, end: float, told: str) -> str:
        x, wide = self.x(begin), max(1.0, self.x(end) - self.x(begin))
        shape = f'x="{x:.1f}" y="{TOP}" width="{wide:.1f}" height="{self.tall}"'
        return f'<rect {shape} fill="{_GREY}" fill-opacity=".12"><title>{_text(told)}</title></rect>'

    def upright(self, at: float, tone: str, told: str) -> str:
        x = f"{self.x(at):.1f}"
        line = f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{TOP + self.tall}" stroke="{tone}" stroke-dasharray="4 3">'
        return f"{line}<title>{_text(told)}</title></line>"

    def level(self, value: float, told: str) -> str:
        y = self.y(value)
        return (
            f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{_BAD}" stroke-dasharray="2 3"/>'
            f'<text x="{LEFT + 4}" y="{y - 3:.1f}" font-size="11" fill="{_BAD}">{_text(told)}</text>'
        )

    def frame(self, highest: str, lowest: str, last: str) -> str:
        bottom = TOP + self.tall
        return (
            f'<path d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}" fill="none" stroke="{_GREY}" stroke-opacity=".6"/>'
            f'<g font-size="11" fill="currentColor" fill-opacity=".75">'
            f'<text x="{LEFT - 6}" y="{TOP + 8}" text-anchor="end">{_text(highest)}</text>'
            f'<text x="{LEFT - 6}" y="{bottom}" text-anchor="end">{_text(lowest)}</text>'
            f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{_text(last)}</text></g>'
        )


def _svg(height: int, told: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" aria-label="{_text(told)}" '
        f'style="max-width:100%;height:auto;font-family:sans-serif">{"".join(parts)}</svg>'
    )


def _legend(names: Sequence[tuple[str, str]]) -> str:
    shown = " &#160; ".join(f'<span style="color:{tone}">&#9632;</span> {_text(name)}' for name, tone in names)
    return f'<div style="font-size:.85em;opacity:.85">{shown}</div>'


def _text(text: str) -> str:
    return html.escape(plain.line(text))
