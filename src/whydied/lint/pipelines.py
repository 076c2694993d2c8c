"""Input pipelines of `tf.data` as chains of steps, and how large an element is after them. Pure.

A chain is followed through names, functions that return one, and the methods of a data set in the order in which they
apply. Sizes count only where the source says them.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.lint.unit import Unit
from whydied.source.calls import callee, passed_argument
from whydied.source.trees import Function

_STEPS = frozenset(
    {
        *("map", "batch", "shuffle", "repeat", "prefetch", "cache", "take", "skip", "filter", "interleave", "flat_map"),
        *("padded_batch", "shard", "unbatch", "enumerate", "with_options", "apply", "ignore_errors", "window"),
    }
)
_DECODING = (
    "decode_jpeg",
    "decode_png",
    "decode_image",
    "decode_bmp",
    "decode_gif",
    "decode_and_crop_jpeg",
    "load_img",
    "decode_wav",
    "decode_raw",
    "imread",
)
_RESIZING = (
    "reshape",
    "ensure_shape",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "resize_images",
    "random_crop",
    "central_crop",
)
_DEEPEST = 10
_FLOAT_BYTES = 4
_LARGE_ELEMENT_BYTES = 64 << 10
_MAKING = frozenset({"tf.random.normal", "tf.random.uniform", "tf.zeros", "tf.ones", "tf.fill"})


class PipelineStep(NamedTuple):
    name: str
    call: ast.Call


class Decoding(NamedTuple):
    """A step that decodes files: what it calls, and the bytes of an element after it where the source says them."""

    call: ast.Call
    element_bytes: float | None


def chain(unit: Unit, node: ast.AST, depth: int = _DEEPEST) -> list[PipelineStep]:
    """The steps of a data set, the first first."""
    steps: list[PipelineStep] = []
    while depth:
        depth -= 1
        if isinstance(node, ast.Name):
            bound = [one for one in unit.scopes.reaching(node) if one.kind != "augment"]
            if len(bound) != 1 or bound[0].kind != "assign" or bound[0].place or bound[0].value is None:
                break
            node = bound[0].value
            continue
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _STEPS:
            if isinstance(node, ast.Call):
                steps.append(PipelineStep(callee(node), node))
            break
        # A method chain of any length is one expression.
        depth += 1
        steps.append(PipelineStep(node.func.attr, node))
        node = node.func.value
    return steps[::-1]


def decoding(unit: Unit, step: PipelineStep) -> Decoding | None:
    """What a step decodes, if it does: the function that it is given, or one that this calls, reads pictures."""
    given = passed_argument(step.call, "map_func") or passed_argument(step.call, "0")
    if step.name not in ("map", "interleave", "flat_map") or given is None:
        return None
    body: tuple[Unit, ast.AST] | None = None
    if isinstance(given, ast.Lambda):
        body = unit, given.body
    else:
        found = unit.definition(given)
        body = (found[0], found[1]) if found is not None and isinstance(found[1], Function) else None
    if body is None:
        return None
    calls = list(_calls(body[0], body[1]))
    decoders = [call for _, call in calls if callee(call) in _DECODING]
    if not decoders:
        return _made_elements(body[0], calls)
    channels = unit.number(passed_argument(decoders[0], "channels")) or 3
    sizes = [size for where, call in calls if callee(call) in _RESIZING and (size := _area(where, call)) is not None]
    return Decoding(decoders[0], sizes[-1] * channels * _FLOAT_BYTES if sizes else None)


def _made_elements(unit: Unit, calls: list[tuple[Unit, ast.Call]]) -> Decoding | None:
    """A tensor of a size in the source that the function makes: as large as a picture at least."""
    for where, call in calls:
        shape = passed_argument(call, "shape") or passed_argument(call, "dims") or passed_argument(call, "0")
        if where.called(call) not in _MAKING or not isinstance(shape, ast.List | ast.Tuple) or len(shape.elts) < 2:
            continue
        size = float(_FLOAT_BYTES)
        for one in shape.elts:
            size *= where.number(one) or 0
        if size >= _LARGE_ELEMENT_BYTES:
            return Decoding(call, size)
    return None


def _calls(unit: Unit, top: ast.AST, depth: int = 3) -> list[tuple[Unit, ast.Call]]:
    found: list[tuple[Unit, ast.Call]] = []
    for node in ast.walk(top):
        if isinstance(node, ast.Call):
            found.append((unit, node))
            own = unit.function(node) if depth else None
            if own is not None and own[1] is not top:
                found += _calls(own[0], own[1], depth - 1)
    return found


def _area(unit: Unit, call: ast.Call) -> float | None:
    given = passed_argument(call, "size") or passed_argument(call, "1")
    if isinstance(given, ast.Name):
        bound = unit.scopes.visible(given.id, given)
        given = bound[1][0].value if bound is not None and len(bound[1]) == 1 else None
    if not isinstance(given, ast.List | ast.Tuple) or len(given.elts) < 2:
        return None
    height, width = unit.number(given.elts[0]), unit.number(given.elts[1])
    return height * width if height is not None and width is not None else None
