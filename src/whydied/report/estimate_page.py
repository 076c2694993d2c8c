"""An estimate of memory as text, HTML and JSON. Runs in the parent, and beside a notebook's kernel."""

from __future__ import annotations

import html
import io
import os
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from whydied import words

if TYPE_CHECKING:
    from rich.console import Console

    from whydied.graph.step_memory import LiveTensor
    from whydied.graph.traced_step import Place
    from whydied.report.terminal.listing import Listing
    from whydied.sizing.device import DeviceEstimate
    from whydied.sizing.estimate import CallEstimate, Estimate

SCHEMA = 1
_WIDTH, _LEAST_BAR, _BESIDE_BAR = 48, 12, 22
"""Of a bar, and of what stands on its two sides."""
_TEXT_WIDTH = 110
_MOST_LAYERS = 20


def as_json(found: Estimate) -> str:
    return msgspec.json.encode(as_object(found)).decode()


def as_object(found: Estimate) -> dict[str, Any]:
    """Schema 1."""
    told: dict[str, Any] = {"schema": SCHEMA, "calls": [_call(one) for one in found.calls]}
    if found.reason:
        told["reason"] = found.reason
    return told


def _call(call: CallEstimate) -> dict[str, Any]:
    return {
        "kind": call.kind,
        "location": _location(call.place),
        "batch_size": call.batch_size,
        "mapped_bytes": call.mapped_bytes,
        "points": [one._asdict() for one in call.points],
        "largest_batch": call.largest_batch._asdict(),
        "layers": [one._asdict() for one in call.layers],
        "alive": [_alive(one) for one in call.alive],
        "curve": [one._asdict() for one in call.curve],
        "remedies": [one._asdict() for one in call.remedies],
        "notes": list(call.notes),
        "trace_s": call.trace_s,
        "estimate_s": call.estimate_s,
        "eager": call.eager,
        "without": call.partial or None,
        "untraced": call.untraced or None,
        "device": _device(call.device),
    }


def _device(device: DeviceEstimate | None) -> dict[str, Any] | None:
    if device is None:
        return None
    return {
        "memory_bytes": device.memory_bytes,
        "assumed_bytes": device.assumed_bytes,
        "points": [one._asdict() for one in device.points],
        "largest_batch": {"batch_size": device.largest_batch, "limit_bytes": device.memory_bytes},
    }


def _location(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {
        "file": place.file,
        "line": place.line,
        "end_line": place.end_line,
        "function": place.function,
        "source": place.source,
        "cell": None,
    }


def _alive(one: LiveTensor) -> dict[str, Any]:
    return {
        "op": one.op,
        "type": one.type,
        "shape": list(one.shape),
        "dtype": one.dtype,
        "bytes": one.size_bytes,
        "copies": one.copies,
        "phase": one.phase,
        "layer": one.layer.name if one.layer else None,
        "file": one.line.file if one.line else None,
        "line": one.line.line if one.line else None,
    }


def show(found: Estimate, stream: TextIO) -> None:
    from whydied.report.terminal.console import console_on, write

    console = console_on(stream)
    write(_page(found, console), console)


def _page(found: Estimate, console: Console) -> list[Any]:
    from rich.text import Text

    if not found.calls:
        return [Text(f"No estimate: {found.reason}.")]
    return [part for call in found.calls for part in _parts(call, console)]


def as_text(found: Estimate) -> str:
    """The page without colour, for who has no terminal."""
    from rich.console import Console

    from whydied.report.terminal.console import write

    stream = io.StringIO()
    console = Console(
        file=stream,
        width=_TEXT_WIDTH,
        force_terminal=False,
        color_system=None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    write(_page(found, console), console)
    return stream.getvalue()


def as_html(found: Estimate) -> str:
    """One element for a notebook's cell: the same page, the answer first and in words."""
    answers = [sentence for call in found.calls for sentence in call.sentences] or [f"No estimate: {found.reason}."]
    told = "".join(f'<div style="font-weight:600">{html.escape(one)}</div>' for one in answers)
    page = f'<pre style="line-height:1.3;overflow-x:auto">{html.escape(as_text(found))}</pre>' if found.calls else ""
    return f'<div class="whydied-estimate">{told}{page}</div>'


def _parts(call: CallEstimate, console: Console) -> list[Any]:
    from rich.text import Text

    place = f" at {os.path.basename(call.place.file)}:{call.place.line}" if call.place else ""
    parts: list[Any] = [Text(f"{call.kind}{place}: {call.how}", "bold"), Text("")]
    parts += [*_points(call).drawn(console), Text(""), *_curve(call, console.width)]
    if call.layers:
        parts += [Text(""), *_layers(call).drawn(console), Text(""), *_tensors(call).drawn(console)]
    if call.remedies:
        parts += [Text(""), *_remedies(call).drawn(console)]
    if call.notes:
        parts += [Text(""), *(Text(f"note: {note}") for note in call.notes)]
    return [*parts, Text(""), *(Text(sentence, "bold") for sentence in call.sentences)]


def _listing(title: str, headings: list[str], rows: list[list[str]]) -> Listing:
    """The first column leads a row; the others are figures and places."""
    from rich.text import Text

    from whydied.report.terminal.listing import Column, Listing

    first, *others = headings
    columns = [Column(first, lead=True), *(Column(one, whole=True, right=True, named=True) for one in others)]
    return Listing(columns, [[Text(cell) for cell in row] for row in rows], title)


def _points(call: CallEstimate) -> Listing:
    rows = []
    written = [call.as_written] if call.as_written not in call.points else []
    for one in sorted([*call.points, *written]):
        mark = " (as written)" if one.batch_size == call.batch_size else ""
        rows.append([f"{one.batch_size:,}{mark}", words.size(one.peak_tensor_bytes), words.size(one.peak_rss_bytes)])
    return _listing("Peak by batch size", ["batch", "tensors", "process"], rows)


def _curve(call: CallEstimate, width: int) -> list[Any]:
    """A bar for each batch that was looked at, with the limit as a line."""
    from rich.text import Text

    room = max(_LEAST_BAR, min(_WIDTH, width - _BESIDE_BAR))
    limit = call.largest_batch.limit_bytes + call.mapped_bytes
    most = max(one.peak_rss_bytes for one in call.curve)
    scale = room / max(most, 1)
    at = round(limit * scale) if limit * scale <= room else -1
    lines = [
        Text(
            "Process by batch size"
            + (f" (| is the limit and mapped libraries, {words.size(limit)})" if at >= 0 else ""),
            "bold",
        )
    ]
    for one in call.curve:
        bar = list("#" * max(1, round(one.peak_rss_bytes * scale)) + " " * room)[: room + 1]
        if at >= 0:
            bar[at] = "|"
        style = "red" if one.peak_rss_bytes > limit else ""
        lines.append(Text(f"{one.batch_size:>9,} {''.join(bar)} {words.size(one.peak_rss_bytes)}", style))
    return lines


def _layers(call: CallEstimate) -> Listing:
    largest = sorted(call.layers, key=lambda row: -row.total_bytes)[:_MOST_LAYERS]
    rows = []
    for row in [row for row in call.layers if row in largest]:
        sizes = (row.weights_bytes, row.activations_bytes, row.gradients_bytes, row.slots_bytes)
        line = f"{os.path.basename(row.file)}:{row.line}" if row.file else ""
        name = f"{row.name} ({row.type})" if row.name else "(no layer)"
        rows.append([name, *(words.size(size) if size else "-" for size in sizes), line])
    headings = ["layer", "weights", "activations", "gradients", "slots", "line"]
    return _listing(f"By layer, at batch {call.batch_size:,}", headings, rows)


def _tensors(call: CallEstimate) -> Listing:
    rows = []
    for one in call.alive:
        line = f"{os.path.basename(one.line.file)}:{one.line.line}" if one.line else ""
        times = f" x{one.copies}" if one.copies > 1 else ""
        shape = ",".join(str(extent) for extent in one.shape)
        layer = one.layer.name if one.layer else ""
        rows.append([f"{one.type} ({one.phase})", f"[{shape}]{times}", words.size(one.size_bytes), layer, line])
    return _listing("Alive at the peak", ["tensor", "shape", "size", "layer", "line"], rows)


def _remedies(call: CallEstimate) -> Listing:
    rows = [[one.title, words.size(one.peak_rss_bytes), words.size(one.saves_bytes)] for one in call.remedies]
    return _listing("What would help", ["change", "process", "saves"], rows)
