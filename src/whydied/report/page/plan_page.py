"""An estimate of memory as a page. Runs in the parent; pure but for the files of this package."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from whydied import words
from whydied.report import plain
from whydied.report.page.html_document import document
from whydied.report.views.alive_at_peak import Alive, Part
from whydied.report.views.trial_bars import Pair
from whydied.sizing.device import DeviceEstimate
from whydied.sizing.estimate import CallEstimate, Estimate
from whydied.sizing.layer_table import LayerRow

_MOST_LAYERS = 40


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes with one batch size; `rss` is the process without the files that it maps."""

    batch: int
    tensors: int
    rss: int


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    points: list[Batch]
    limit_bytes: int
    alive: Alive


class Plans(msgspec.Struct, frozen=True, kw_only=True):
    plans: list[Plan]


def plan_page(found: Estimate, program: str) -> str:
    calls = [_told(call) for call in found.calls]
    shown: dict[str, Any] = {
        "title": f"{plain.line(program)}: what it will need",
        "program": plain.line(program),
        "calls": calls,
        "reason": found.reason,
    }
    return document("plan.html", shown, Plans(plans=[_plan(call) for call in found.calls]) if calls else None)


def _plan(call: CallEstimate) -> Plan:
    points = [
        Batch(batch=one.batch_size, tensors=one.peak_tensor_bytes, rss=one.peak_rss_bytes - call.mapped_bytes)
        for one in call.curve
    ]
    return Plan(points=points, limit_bytes=call.largest_batch.limit_bytes, alive=_alive(call))


def _alive(call: CallEstimate) -> Alive:
    layers: dict[str, list[Part]] = {}
    for one in call.alive:
        shape = ", ".join(str(extent) for extent in one.shape)
        place = f", {_place(one.line.file, one.line.line)}" if one.line else ""
        part = Part(name=f"{one.type} ({shape})", bytes=one.size_bytes, words=f"{one.dtype}, {one.phase}{place}")
        layers.setdefault(one.layer.name if one.layer else "(no layer)", []).append(part)
    parts = [
        Part(name=name, bytes=sum(part.bytes for part in inner), parts=inner, rest=name == "(no layer)")
        for name, inner in layers.items()
    ]
    parts.sort(key=lambda part: -part.bytes)
    told = f"At the peak {parts[0].name} has {words.size(parts[0].bytes)}." if parts else ""
    return Alive(by="layer", title=f"at the peak, with a batch of {call.batch_size:,}", parts=parts, told=told)


def _told(call: CallEstimate) -> dict[str, Any]:
    now = call.as_written.peak_rss_bytes
    largest = sorted(call.layers, key=lambda row: -row.total_bytes)[:_MOST_LAYERS]
    return {
        "kind": call.kind,
        "place": _place(call.place.file, call.place.line) if call.place else "",
        "sentences": call.sentences,
        "how": call.how,
        "notes": list(call.notes),
        "device": _device(call.device) if call.device is not None else None,
        "batch_size": call.batch_size,
        "curve": [
            (f"{one.batch_size:,}", words.size(one.peak_tensor_bytes), words.size(one.peak_rss_bytes))
            for one in call.curve
        ],
        "layers": [_layer(row) for row in call.layers if row in largest],
        "alive": [
            (one.type, one.phase, words.size(one.size_bytes), one.layer.name if one.layer else "") for one in call.alive
        ],
        "remedies": [
            Pair(
                name=one.title,
                before=now,
                after=one.peak_rss_bytes,
                before_words=words.size(now),
                after_words=words.size(one.peak_rss_bytes),
            )
            for one in call.remedies
        ],
    }


def _device(device: DeviceEstimate) -> dict[str, Any]:
    return {
        "memory": words.size(device.memory_bytes),
        "points": [
            (
                f"{one.batch_size:,}",
                words.size(one.peak_tensor_bytes),
                words.size(one.peak_device_bytes),
                "fits" if one.peak_device_bytes <= device.memory_bytes else "does not fit",
            )
            for one in device.points
        ],
    }


def _layer(row: LayerRow) -> tuple[str, ...]:
    sizes = (row.weights_bytes, row.activations_bytes, row.gradients_bytes, row.slots_bytes)
    name = f"{row.name} ({row.type})" if row.name else "(no layer)"
    return (name, *(words.size(size) if size else "" for size in sizes), _place(row.file, row.line) if row.file else "")


def _place(file: str, line: int) -> str:
    return f"{plain.line(os.path.basename(file))}:{line}"
