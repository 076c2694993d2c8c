"""What makes a statement fit that creates one large array: blocks of rows, a mapped file, a smaller type, scaling in
the model, smaller dimensions. Pure."""

from __future__ import annotations

import ast
from math import prod

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.bounding_changes import change_of, room_bytes
from whydied.diagnose.memory.memory_over_time import censuses
from whydied.diagnose.memory.statement_shapes import Made
from whydied.source.arrays.array_shapes import written_rank
from whydied.source.assignments import target
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.memory.mapped_arrays import mapped_load, mapped_table
from whydied.source.edits.memory.narrower_types import divided_in_place, narrowed
from whydied.source.edits.memory.row_blocks import in_row_blocks
from whydied.source.edits.memory.scaled_in_model import scaled_in_model
from whydied.source.edits.memory.sparse_targets import is_copied, labels_kept
from whydied.source.edits.runs.literal_numbers import literal, number_at, rounded_down
from whydied.source.edits.runs.size_edits import float32_array
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import across, names_at, nodes_at, written

FITS = 0.95
"""A half that takes at most this part of the room can fit: it is tried."""
BLOCKS = 16
"""A block of rows takes one part of so many of the room: an expression holds several of them at once."""
MOST_ROWS = 4096
FEW_ROWS = 32
"""Of a block, where nobody knows how large the array is."""


def table_changes(case: Case, place: Location, made: Made | None, room: int | None) -> list[Change]:
    """The gentlest first. `place` is the statement that makes the array, or made it empty."""
    source = case.sources.get(place.file)
    if source is None:
        return []
    room = room if room is not None else room_bytes(case)
    # Keras and tf.data make a tensor of the whole of an array, mapped or not.
    copied = is_copied(case.project, place.file, place.line)
    return [
        *change_of(
            "Keep the labels, and use the loss that takes them",
            "loss",
            labels_kept(case.project, place.file, place.line),
            harm="same result",
        ),
        *change_of(
            'Map the file into memory instead of reading all of it (`mmap_mode="c"`)',
            "memmap",
            mapped_load(source, place.file, place.line) if not copied else [],
            harm="exact",
        ),
        *change_of(
            "Keep the array in a file that is mapped into memory (numpy.memmap)",
            "memmap",
            mapped_table(source, place.file, place.line) if not copied else [],
            harm="exact",
        ),
        *_in_blocks(case, source, place, made, room),
        *change_of(
            "Keep the integers as they are, and let the model's first layer divide them batch by batch",
            "preprocessing",
            scaled_in_model(source, place.file, place.line) if made is not None and made.dtype == "float64" else [],
            harm="same result",
        ),
        *narrower(case, source, place, made, room),
    ]


def _in_blocks(case: Case, source: Source, place: Location, made: Made | None, room: int | None) -> list[Change]:
    if (made is not None and len(made.shape) < 2) or not room:
        return []
    row = made.size_bytes / max(1, made.shape[0]) if made is not None else 0
    rows = rounded_down(min(MOST_ROWS, room / BLOCKS / max(1, row))) if row else FEW_ROWS
    found = in_row_blocks(source, place.file, place.line, _ranks(case, place), rows)
    if found is None:
        return []
    title = f"Compute it in blocks of {rows:,} rows of `{found.rows_of}`"
    return change_of(title, "blocks", found.edits, value=rows, harm="same result")


def _ranks(case: Case, place: Location) -> dict[str, int]:
    """The axes of arrays that the statement names: as they were counted, else as the source makes them."""
    found = {}
    for name in names_at(case.sources, place):
        rank = written_rank(case.sources[place.file].tree, name)
        if rank is not None:
            found[name] = rank
    taken = censuses(case)
    for group in taken[-1][1].groups if taken else []:
        for holder in group.holders:
            if group.shape is not None and (holder.length or 0) <= 1:
                found[holder.path] = len(group.shape)
    return found


def narrower(case: Case, source: Source, place: Location, made: Made | None, room: int | None) -> list[Change]:
    """float32, where half of the bytes fits beside what else there is."""
    numpy = name_of(source, "numpy")
    if numpy is None or room is None or made is None or made.dtype != "float64":
        return []
    if made.size_bytes // 2 * (2 if _is_fed(case, place) else 1) > FITS * room:
        return []
    where = source, place.file, place.line, numpy
    edit = divided_in_place(*where) or float32_array(*where) or narrowed(*where)
    return change_of("Make it float32, which takes half", "dtype", edit, value="float32", harm="same result")


def _is_fed(case: Case, place: Location) -> bool:
    """Whether what a statement makes goes to a call that makes a tensor of all of it besides."""
    name = target(case.sources, place)
    return any(
        callee(call) in ("fit", "from_tensor_slices") and name in [written(one) for one in ast.walk(call)]
        for _, call in across(case.sources, ast.Call)
    )


def smaller_dimension(case: Case, place: Location, shape: list[int], size_bytes: int, room: int) -> list[Change]:
    """The largest dimension that the source writes as a number, so small that the array takes a part of the room."""
    source = case.sources.get(place.file)
    if source is None or not shape or not size_bytes:
        return []
    known = constants(source.tree)
    item = size_bytes / prod(shape)
    for extent in sorted(set(shape), reverse=True):
        others = prod(one for one in shape if one != extent)
        times = shape.count(extent)
        wanted = rounded_down((room / 4 / item / others) ** (1 / times))
        nodes = [
            node
            for node in nodes_at(case.sources, place)
            if isinstance(node, ast.expr) and evaluate(node, known) == extent and not isinstance(node, ast.UnaryOp)
        ]
        places = {id(found): found for node in nodes if (found := number_at(source, node) or node) is not None}
        own = [one for one in places.values() if literal(one) == extent] or list(places.values())[:1]
        if len(own) == 1 and 1 < wanted < extent:
            title = f"Use {wanted:,} in the place of {extent:,}"
            return change_of(title, "size", over(source, place.file, own[0], str(wanted)), value=wanted)
    return []
