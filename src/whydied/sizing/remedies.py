"""What a step would take if the program were changed: by a simulation like that of the step itself, or, for what is not
part of the step (slots of an optimizer, data, weights of 8 bits), by the bytes that are left out. Pure."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from whydied import words
from whydied.graph.expansion import Cell, Expansion
from whydied.graph.step_memory import phases_of
from whydied.sizing.layer_table import LayerRow, layer_rows
from whydied.sizing.prediction import Predicted, Steps, input_bytes, predict
from whydied.sizing.recomputation import blocks_of, recomputed
from whydied.sizing.shrinking import Narrower, candidates, narrowed

ACCUMULATED = 4
EVALUATION_BATCH = 32
LARGE_NODES = 2_000
"""A remedy need not be known to the last per cent: larger steps are simulated less often."""
LARGEST_NODES = 20_000
"""Of a larger step what needs several more simulations is not told."""
MOST_LAYERS = 3
COPIES = 2
_INFERENCE = ("evaluate", "predict", "predict_on_batch", "test_on_batch")
_QUANTIZED = ("Dense", "EinsumDense", "Embedding")
_SLOTLESS = ("SGD", "Lion", "")


class Remedy(NamedTuple):
    """`name` is for programs, `title` for people. The bytes are those with the remedy."""

    name: str
    title: str
    peak_tensor_bytes: int
    peak_rss_bytes: int
    saves_bytes: int


def remedies_of(steps: Steps, now: Predicted) -> list[Remedy]:
    """Those that apply and save something, the most first."""
    rows = layer_rows(steps.table, now.expansion, now.peak.alive)
    found = [_smaller(steps, now), *_accumulated(steps, now, rows), _mixed(steps, now, rows)]
    found += [_without_slots(steps, now, rows), _single_precision(steps, now), _batched(steps, now)]
    found += [_recomputed(steps, now), _eight_bits(steps, now, rows), _streamed(steps, now), *_narrower(steps, now)]
    useful = [one for one in found if one is not None and one.saves_bytes > 0]
    return sorted(useful, key=lambda one: -one.saves_bytes)


def _told(name: str, title: str, now: Predicted, tensors: int, rss: int) -> Remedy:
    return Remedy(name, title, tensors, rss, now.peak_rss_bytes - rss)


def _is_large(now: Predicted) -> bool:
    return len(now.expansion.nodes) > LARGE_NODES


def _smaller(steps: Steps, now: Predicted) -> Remedy | None:
    half = now.batch // 2
    if half < 1:
        return None
    found = steps.predict(half, roughly=_is_large(now))
    return _told("half_batch", f"half the batch ({half:,})", now, found.peak_tensor_bytes, found.peak_rss_bytes)


def _accumulated(steps: Steps, now: Predicted, rows: list[LayerRow]) -> list[Remedy]:
    """The same batch in parts: a sum of gradients lives beside them."""
    part, gradients = now.batch // ACCUMULATED, sum(row.gradients_bytes for row in rows)
    if part < 1 or not gradients:
        return []
    found = steps.predict(part, roughly=_is_large(now))
    title = f"gradients accumulated over {ACCUMULATED} parts of {part:,}"
    tensors, rss = found.peak_tensor_bytes + gradients, found.peak_rss_bytes + gradients
    return [_told("accumulation", title, now, tensors, rss)]


def _mixed(steps: Steps, now: Predicted, rows: list[LayerRow]) -> Remedy:
    """Activations and their gradients in 16 bits, weights in 32 with a copy in 16 for the time of their use."""
    copies = sum(row.weights_bytes for row in rows) // 2
    found = steps.changed(_half_precision).predict(now.batch, roughly=_is_large(now))
    tensors, rss = found.peak_tensor_bytes + copies, found.peak_rss_bytes + copies
    return _told("mixed_precision", "mixed precision (mixed_bfloat16)", now, tensors, rss)


def _half_precision(expansion: Expansion) -> Expansion:
    phases = phases_of(expansion)
    cells = []
    for cell in expansion.cells:
        computed = cell.node >= 0 and cell.variable < 0 and phases[cell.node] != "update"
        if computed and cell.dtype == "float32":
            changed = Cell(cell.node, cell.shape, "float16", cell.value)
            changed.items, changed.source, changed.size_bytes = cell.items, cell.source, cell.size_bytes // 2
            changed.in_rows = cell.in_rows
            cells.append(changed)
        else:
            cells.append(cell)
    return expansion._replace(cells=cells)


def _without_slots(steps: Steps, now: Predicted, rows: list[LayerRow]) -> Remedy | None:
    slots = sum(row.slots_bytes for row in rows)
    if not slots or steps.step.optimizer in _SLOTLESS:
        return None
    title = f"SGD instead of {steps.step.optimizer}"
    return _told("sgd", title, now, now.peak_tensor_bytes - slots, now.peak_rss_bytes - slots)


def _single_precision(steps: Steps, now: Predicted) -> Remedy | None:
    """Data of 64 bits are copied as such, row by row and as a whole."""
    step = steps.step
    if "float64" not in step.input_dtypes:
        return None
    narrow = msgspec.structs.replace(
        step, input_dtypes=["float32" if one == "float64" else one for one in step.input_dtypes]
    )
    held = step.rows if step.rows and step.feeding == "pipeline" else 0
    rows = held + max(1, step.ready) * now.batch
    saved = input_bytes(step, rows, 0) - input_bytes(narrow, rows, 0)
    title = "float32 data instead of float64"
    return _told("float32_input", title, now, now.peak_tensor_bytes - saved, now.peak_rss_bytes - saved)


def _batched(steps: Steps, now: Predicted) -> Remedy | None:
    if steps.step.kind not in _INFERENCE:
        return None
    if now.batch <= EVALUATION_BATCH:
        return None
    found = steps.predict(EVALUATION_BATCH)
    title = f"evaluation in batches of {EVALUATION_BATCH}"
    return _told("batched_evaluation", title, now, found.peak_tensor_bytes, found.peak_rss_bytes)


def _recomputed(steps: Steps, now: Predicted) -> Remedy | None:
    if steps.step.eager or len(now.expansion.nodes) > LARGEST_NODES:
        return None
    blocks = blocks_of(now.expansion)
    made = recomputed(now.expansion, blocks) if blocks else None
    if made is None:
        return None
    found = steps.changed(lambda _: made).predict(now.batch, roughly=_is_large(now))
    title = f"activations recomputed in {max(blocks.values()) + 1} blocks of layers (tf.recompute_grad)"
    return _told("recomputation", title, now, found.peak_tensor_bytes, found.peak_rss_bytes)


def _eight_bits(steps: Steps, now: Predicted, rows: list[LayerRow]) -> Remedy | None:
    """Keras quantizes the kernels of these layers, and keeps a scale for each of their outputs."""
    if steps.step.kind not in _INFERENCE:
        return None
    saved = sum(row.weights_bytes for row in rows if row.type in _QUANTIZED) * 3 // 4
    title = 'int8 weights (model.quantize("int8"))'
    return _told("int8_weights", title, now, now.peak_tensor_bytes - saved, now.peak_rss_bytes - saved)


def _streamed(steps: Steps, now: Predicted) -> Remedy | None:
    """Arrays are held by the program, and once more by the pipeline that is made of them."""
    step = steps.step
    if not step.rows or step.feeding != "pipeline":
        return None
    held = input_bytes(step, step.rows, 0)
    saved = COPIES * held - max(1, step.ready) * input_bytes(step, now.batch, 0)
    title = f"data read from disk batch by batch, instead of {words.size(held)} of arrays"
    return _told("streamed_input", title, now, now.peak_tensor_bytes - saved // COPIES, now.peak_rss_bytes - saved)


def _narrower(steps: Steps, now: Predicted) -> list[Remedy]:
    """The layers of which half the width is worth most."""
    if len(now.expansion.nodes) > LARGEST_NODES:
        return []
    found: list[Remedy] = []
    widest = _widest(steps, now)
    # As rough as what it is compared with.
    same = predict(steps, now.batch, roughly=True) if widest else now
    for one in widest:
        if narrowed(now.expansion, one) is None:
            continue

        def change(expansion: Expansion, one: Narrower = one) -> Expansion:
            return narrowed(expansion, one) or expansion

        # The variables are there before the step: what goes of them is told by their bytes.
        gone = _variable_bytes(now.expansion) - _variable_bytes(change(now.expansion))
        less = steps.changed(change).predict(now.batch, roughly=True)
        tensors = same.step_bytes - less.step_bytes + gone
        rss = same.touched_bytes - less.touched_bytes + gone
        title = f"half the {one.what} of {one.name} ({one.width:,} to {one.width // 2:,})"
        found.append(_told("narrower_layer", title, now, now.peak_tensor_bytes - tensors, now.peak_rss_bytes - rss))
    return sorted(found, key=lambda remedy: -remedy.saves_bytes)[:MOST_LAYERS]


def _widest(steps: Steps, now: Predicted) -> list[Narrower]:
    rows = {row.name: row.total_bytes for row in layer_rows(steps.table, now.expansion, now.peak.alive)}
    known = candidates(steps.table, now.expansion)
    return sorted(known, key=lambda one: -rows.get(one.name, 0))[: MOST_LAYERS + 1]


def _variable_bytes(expansion: Expansion) -> int:
    sizes = {cell.variable: cell.size_bytes for cell in expansion.cells if cell.node < 0 and cell.variable >= 0}
    return sum(sizes.values())
