"""What was recorded of two runs and differs: command, versions, machine, models, data, calls, memory, speed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whydied import words
from whydied.compare.difference import Difference, Kind
from whydied.diagnose.case import Case
from whydied.diagnose.step_times import step_seconds
from whydied.read.recording import Recording
from whydied.records import BatchChosen, CallBegan, DataSeen, LayerSeen, ModelSeen
from whydied.source.location import Location
from whydied.words.contract_terms import number

MUCH_MEMORY, MUCH_TIME = 1.1, 1.3
"""Smaller differences are those of two runs of one program on a busy machine."""
_OPTIONS = ("batch_size", "epochs", "steps_per_epoch", "steps", "workers", "max_queue_size", "validation_split")


def changed_facts(good: Case, bad: Case) -> Iterator[Difference]:
    first, second = good.recording, bad.recording
    yield from _command(first, second)
    yield from _models(good, bad)
    yield from _data(good, bad)
    yield from _calls(good, bad)
    yield from _mapping("version", first.versions, second.versions)
    yield from _machine(first, second)
    yield from _memory(first, second)
    yield from _speed(good, bad)


def _mapping(
    kind: Kind, good: Mapping[str, str], bad: Mapping[str, str], what: str = "", place: Location | None = None
) -> Iterator[Difference]:
    """What differs between two tables of names and words."""
    for name in [*bad, *(one for one in good if one not in bad)]:
        was, now = good.get(name), bad.get(name)
        if was != now:
            yield Difference(kind=kind, what=f"{what}{name}", good=was or "-", bad=now or "-", location=place)


def _command(good: Recording, bad: Recording) -> Iterator[Difference]:
    was, now = (_arguments(one) for one in (good, bad))
    if was != now:
        yield Difference(kind="command", what="arguments", good=was or "none", bad=now or "none")
    here, there = (one.started.cwd if one.started else "" for one in (good, bad))
    if here != there:
        yield Difference(kind="command", what="directory", good=here, bad=there)


def _arguments(recording: Recording) -> str:
    return " ".join((recording.started.argv if recording.started else [])[1:])


def _machine(good: Recording, bad: Recording) -> Iterator[Difference]:
    yield from _mapping("machine", _machine_facts(good), _machine_facts(bad))


def _machine_facts(recording: Recording) -> dict[str, str]:
    started, limit = recording.started, recording.limit
    found = {}
    if started is not None:
        found = {"host": started.hostname, "system": started.system, "processors": str(started.cpus)}
        found["memory"] = words.size(started.memory_total_bytes)
    if limit is not None:
        found["memory limit"] = f"{words.size(limit.limit_bytes)} ({limit.kind})"
    return found


def _models(good: Case, bad: Case) -> Iterator[Difference]:
    before, after = _by_model(good), _by_model(bad)
    for place, now in enumerate(after):
        was = before[place] if place < len(before) else None
        if was is not None:
            yield from _model(was, now)
        elif before:
            yield Difference(kind="model", what=now.model, good="-", bad=_size(now))
    for was in before[len(after) :]:
        if after:
            yield Difference(kind="model", what=was.model, good=_size(was), bad="-")


def _by_model(case: Case) -> list[ModelSeen]:
    """Each model once, in the order of their first calls, as it was last seen: built."""
    found: dict[str, ModelSeen] = {}
    for one in case.records.all(ModelSeen):
        found[one.model] = one
    return list(found.values())


def _model(was: ModelSeen, now: ModelSeen) -> Iterator[Difference]:
    told = {one: _compiled(model) for one, model in (("was", was), ("now", now))}
    yield from _mapping("model", told["was"], told["now"], f"{now.model}: ")
    same = [one.type for one in was.layers] == [one.type for one in now.layers]
    if same:
        for one, other in zip(was.layers, now.layers, strict=True):
            here, there = _layer(one), _layer(other)
            if here != there:
                yield Difference(kind="model", what=f"{now.model}: {other.name}", good=here, bad=there)
    else:
        before, after = ({one.name: _layer(one) for one in model.layers} for model in (was, now))
        yield from _mapping("model", before, after, f"{now.model}: ")
    if _size(was) != _size(now):
        yield Difference(kind="model", what=now.model, good=_size(was), bad=_size(now))


def _compiled(model: ModelSeen) -> dict[str, str]:
    return {name: value for name, value in (("optimizer", model.optimizer), ("loss", model.loss)) if value}


def _layer(layer: LayerSeen) -> str:
    parts = [layer.type]
    if layer.shape is not None:
        parts.append(f"({', '.join('None' if one is None else str(one) for one in layer.shape)})")
    parts += [layer.dtype] if layer.dtype not in ("", "float32") else []
    parts += [words.count(layer.parameters, "parameter")] if layer.parameters else []
    return " ".join(parts if layer.trainable else [*parts, "frozen"])


def _size(model: ModelSeen) -> str:
    total = sum(one.parameters or 0 for one in model.layers)
    return f"{words.count(len(model.layers), 'layer')}, {words.count(total, 'parameter')}"


def _data(good: Case, bad: Case) -> Iterator[Difference]:
    before, after = _by_input(good), _by_input(bad)
    for key, now in after.items():
        was = before.get(key)
        if was is None:
            continue
        place = bad.locate(now.frames[-1]) if now.frames else None
        yield from _mapping("data", _seen(was), _seen(now), f"`{now.name}` of {now.kind}: ", place)


def _by_input(case: Case) -> dict[tuple[int, str, str], DataSeen]:
    """By the place of the call among those of its kind: two versions of a program call at other lines."""
    places: dict[int | None, int] = {}
    found: dict[tuple[int, str, str], DataSeen] = {}
    for one in case.records.all(DataSeen):
        place = places.setdefault(one.call, len(places))
        found[place, one.kind, one.name] = one
    return found


def _seen(data: DataSeen) -> dict[str, str]:
    shape = ", ".join("None" if one is None else str(one) for one in data.shape)
    found = {"shape": f"({shape})", "dtype": data.dtype}
    if data.rows is not None:
        found["rows"] = f"{data.rows:,}"
    numbers = data.numbers
    if numbers is not None and numbers.least is not None and numbers.greatest is not None:
        found["range"] = f"{number(numbers.least)} to {number(numbers.greatest)}"
    if numbers is not None:
        found["not finite"] = f"{numbers.nan + numbers.plus_infinity + numbers.minus_infinity:,}"
    if data.distinct:
        found["values"] = f"{len(data.distinct)} distinct"
    return found


def _calls(good: Case, bad: Case) -> Iterator[Difference]:
    before, after = list(_told_calls(good)), list(_told_calls(bad))
    for place, (now, told) in enumerate(after):
        if place < len(before) and before[place][0].kind == now.kind:
            yield from _mapping("call", before[place][1], told, f"{now.kind}: ")
    was, new = (_batches(one) for one in (good, bad))
    if was != new and (was or new):
        yield Difference(kind="call", what="`Dataset.batch`", good=_listed(was), bad=_listed(new))


def _told_calls(case: Case) -> Iterator[tuple[CallBegan, dict[str, str]]]:
    """The first call of each line."""
    seen: set[tuple[str, int, str]] = set()
    for call in case.records.all(CallBegan):
        line = (call.frames[-1].file, call.frames[-1].line, call.kind) if call.frames else ("", 0, call.kind)
        if line in seen or call.parent_call is not None:
            continue
        seen.add(line)
        told = {name: str(call.arguments[name]) for name in _OPTIONS if name in call.arguments}
        told |= {name: shape for name in ("x", "y") if (shape := _passed(call.arguments.get(name)))}
        yield call, told


def _passed(value: Any) -> str:
    """The type and shape of what was passed, where that says something that the data themselves do not."""
    if not isinstance(value, dict):
        return ""
    shape = value.get("shape")
    kind = str(value.get("type", "")).rpartition(".")[2]
    return f"{kind} {tuple(shape)}" if shape is not None else str(value.get("element_spec") or kind)


def _batches(case: Case) -> list[str]:
    return [str(one.rows) for one in case.records.all(BatchChosen)]


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts) or "-"


def _memory(good: Recording, bad: Recording) -> Iterator[Difference]:
    was, now = good.peak_rss_bytes, bad.peak_rss_bytes
    if was and now and max(was, now) > MUCH_MEMORY * min(was, now):
        yield Difference(kind="memory", what="peak RSS", good=words.size(was), bad=words.size(now))


def _speed(good: Case, bad: Case) -> Iterator[Difference]:
    was, now = step_seconds(good), step_seconds(bad)
    if was and now and max(was, now) > MUCH_TIME * min(was, now):
        yield Difference(kind="speed", what="a step", good=_milliseconds(was), bad=_milliseconds(now))
    taken, takes = (one.recording.ended.wall_s if one.recording.ended else None for one in (good, bad))
    if taken and takes and max(taken, takes) > MUCH_TIME * min(taken, takes):
        yield Difference(kind="speed", what="the whole run", good=words.duration(taken), bad=words.duration(takes))


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else words.duration(seconds)
