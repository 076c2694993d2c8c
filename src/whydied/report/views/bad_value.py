"""How a value that was not finite came about: the chain from its source, and the steps before. Pure but for reading the
captured values from the run's own directory."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import msgspec

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.numerics.bad_steps import Step, steps_of
from whydied.records import LossesSeen, NormsSeen, Numbers, TensorLogged
from whydied.report.views.histogram import Histogram, of_file
from whydied.report.views.thinning import thinned

MOST_COURSES = 8
MOST_HISTOGRAMS = 6
MOST_LAYERS = 40


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """One link of the chain. `place` is a line of the program's, `numbers` the tensor in words."""

    kind: str
    words: str
    place: str = ""
    numbers: str = ""
    bad: bool = False


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """A number over the steps; None where it was not finite."""

    name: str
    of: str
    points: list[tuple[float, float | None]]


class Level(msgspec.Struct, frozen=True, kw_only=True):
    layer: str
    largest: float | None
    place: str = ""


class BadValue(msgspec.Struct, frozen=True, kw_only=True):
    chain: list[Stop] = []
    courses: list[Course] = []
    levels: list[Level] = []
    histograms: list[Histogram] = []
    told: str = ""


def bad_value(case: Case) -> BadValue | None:
    steps = steps_of(case.recording)
    found = BadValue(
        chain=_chain(case, steps[0]) if steps else [],
        courses=_courses(case),
        levels=_levels(case, steps[0]) if steps else [],
        histograms=_histograms(case, steps[0] if steps else None),
    )
    if not (found.chain or found.courses or found.histograms):
        return None
    return msgspec.structs.replace(found, told=_told(found))


def _chain(case: Case, step: Step) -> list[Stop]:
    replay = step.taken.replay
    if replay is None:
        return [
            Stop(kind=one.role, words=f"{one.role} {one.name}", numbers=_in_words(one.numbers), bad=True)
            for one in step.captured.suspects[:MOST_COURSES]
        ]
    found = []
    for link in replay.chain:
        place = case.locate_user(link.line.frames) if link.line else None
        bad = link.numbers is None or link.numbers.nonfinite > 0
        found.append(
            Stop(
                kind=link.kind,
                words=link.words,
                place=place.spelled if place else "",
                numbers=_in_words(link.numbers),
                bad=bad,
            )
        )
    return found


def _in_words(numbers: Numbers | None) -> str:
    if numbers is None:
        return ""
    shape = f"{tuple(numbers.shape)} {numbers.dtype}"
    parts = [shape]
    if numbers.least is not None and numbers.greatest is not None:
        parts.append(f"{numbers.least:.3g} to {numbers.greatest:.3g}")
    if numbers.nonfinite:
        parts.append(f"{numbers.nonfinite:,} of {numbers.count:,} not finite")
    return ", ".join(parts)


def _courses(case: Case) -> list[Course]:
    """Losses first, then the norms of what grew most."""
    found = []
    longest: dict[int, LossesSeen] = {}
    for seen in case.records.all(LossesSeen):
        if len(seen.losses) > len(longest.get(seen.number, LossesSeen(function="", number=0, losses=[])).losses):
            longest[seen.number] = seen
    for seen in longest.values():
        found.append(_course(f"loss of {seen.function}" if seen.function else "loss", "loss", enumerate(seen.losses)))
        if seen.norms:
            found.append(_course(f"all gradients of {seen.function}", "norm", enumerate(seen.norms)))
    named, of, losses = _norms(case)
    if losses and not found:
        found.append(_course("loss", "loss", losses.items()))
    ranked = sorted(named.items(), key=lambda pair: -_size(pair[1].values()))
    found += [_course(f"{of} of {name}", "norm", points.items()) for name, points in ranked[:MOST_COURSES]]
    return [course for course in found if len(course.points) > 1]


def _norms(case: Case) -> tuple[dict[str, dict[int, float]], str, dict[int, float]]:
    """Norms by name and step, what they are of, and losses by step: of the function that the first bad step belongs to,
    from all records about it, each of which knows some steps only."""
    seen = case.records.all(NormsSeen)
    first = next((one for one in seen if one.moment == "capture"), seen[-1] if seen else None)
    named: dict[str, dict[int, float]] = {}
    losses: dict[int, float] = {}
    for one in seen:
        if first is None or (one.function, one.of) != (first.function, first.of):
            continue
        losses |= dict(zip(one.steps, one.losses, strict=False))
        for step, row in zip(one.steps, one.norms, strict=False):
            for name, norm in zip(one.names, row, strict=False):
                named.setdefault(name, {})[step] = norm
    return named, first.of if first else "", losses


def _size(norms: Iterable[float]) -> float:
    return max((norm if math.isfinite(norm) else math.inf for norm in norms), default=0.0)


def _course(name: str, of: str, points: Iterable[tuple[int, float]]) -> Course:
    pairs = sorted((float(step), value) for step, value in points)
    finite = thinned([pair for pair in pairs if math.isfinite(pair[1])])
    bad: list[tuple[float, float | None]] = [(step, None) for step, value in pairs if not math.isfinite(value)]
    return Course(name=name, of=of, points=sorted([*finite, *bad[:20]], key=lambda pair: pair[0]))


def _levels(case: Case, step: Step) -> list[Level]:
    replay = step.taken.replay
    found = []
    for level in replay.levels[:MOST_LAYERS] if replay else []:
        place = case.locate_user(level.line.frames) if level.line else None
        largest = level.largest if math.isfinite(level.largest) else None
        found.append(Level(layer=level.layer or "the batch", largest=largest, place=place.spelled if place else ""))
    return found


def _histograms(case: Case, step: Step | None) -> list[Histogram]:
    """Of the captured step's batch and bad weights, else of the tensors that were watched, when they were last seen."""
    found = []
    if step is not None and step.taken.capture is not None:
        directory = Path(case.recording.directory.path) / step.captured.directory
        wanted = [(fed.name, fed.file) for fed in step.taken.capture.fed if fed.role == "batch"]
        bad = {one.name for one in step.captured.suspects}
        wanted += [(one.name, one.file) for one in step.taken.capture.state if one.name in bad]
        found = [of_file(directory, name, file) for name, file in wanted if file]
    last = {(logged.name, logged.role): logged for logged in case.records.all(TensorLogged) if logged.counts}
    found += [
        Histogram(
            name=f"{logged.name}, {logged.role} at use {logged.step}",
            edges=logged.edges,
            counts=logged.counts,
            nonfinite=logged.numbers.nonfinite,
        )
        for logged in last.values()
    ]
    return [one for one in found if one is not None][:MOST_HISTOGRAMS]


def _told(found: BadValue) -> str:
    if found.chain:
        return " Then: ".join(stop.words for stop in found.chain)
    return f"{words.count(len(found.courses), 'course')} over the steps."
