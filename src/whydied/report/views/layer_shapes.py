"""The shapes along a model, and where what a layer was given parts from what it takes. Pure."""

from __future__ import annotations

import msgspec

from whydied.diagnose.case import Case
from whydied.records import ErrorFacts, InputWanted, LayerFacts, ModelSeen, Party

MOST_LAYERS = 60


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """`given` and `wanted` are told where they part."""

    name: str
    type: str
    shape: str = ""
    place: str = ""
    parts: bool = False
    given: str = ""
    wanted: str = ""


class Operand(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor that met another one."""

    name: str
    role: str
    shape: str
    dtype: str = ""
    place: str = ""


class Shapes(msgspec.Struct, frozen=True, kw_only=True):
    layers: list[Layer] = []
    left_out: int = 0
    operands: list[Operand] = []
    op: str = ""
    told: str = ""


def shapes(case: Case) -> Shapes | None:
    """None where the run did not end over shapes."""
    facts = case.records.last(ErrorFacts)
    if facts is None or case.uncaught is None or not (facts.layer or facts.parties):
        return None
    layers = _layers(case, facts)
    operands = [
        Operand(
            name=party.text or party.role,
            role=party.role,
            shape=_shape(party.shape),
            dtype=party.dtype or "",
            place=_made_at(case, party),
        )
        for party in facts.parties
        if party.shape is not None
    ]
    if not layers and len(operands) < 2:
        return None
    at = next((layer for layer in layers if layer.parts), None)
    told = f"{at.name} was given {at.given} and takes {at.wanted}." if at and at.given and at.wanted else ""
    return Shapes(
        layers=layers[:MOST_LAYERS],
        left_out=max(0, len(layers) - MOST_LAYERS),
        operands=operands,
        op=facts.op,
        told=told,
    )


def _made_at(case: Case, party: Party) -> str:
    frame = next((source.frame for source in party.sources if source.frame is not None), None)
    return case.locate(frame).spelled if frame is not None else ""


def _layers(case: Case, facts: ErrorFacts) -> list[Layer]:
    """Those that the exception's frames knew, else those of the model of the last call."""
    failing = facts.layer.name if facts.layer else ""
    given = next((_shape(party.shape) for party in facts.parties if party.role == "input" and party.shape), "")
    wanted = _wanted(facts.wanted)
    if facts.layers:
        return [_layer(case, one, one.name == failing, given, wanted) for one in facts.layers]
    model = case.records.last(ModelSeen)
    if model is not None and any(layer.name == failing for layer in model.layers):
        return [
            Layer(
                name=layer.name,
                type=layer.type,
                shape=_shape(layer.shape),
                parts=layer.name == failing,
                given=given if layer.name == failing else "",
                wanted=wanted if layer.name == failing else "",
            )
            for layer in model.layers
        ]
    return [_layer(case, facts.layer, True, given, wanted)] if facts.layer else []


def _layer(case: Case, one: LayerFacts, parts: bool, given: str, wanted: str) -> Layer:
    made = case.locate(one.made) if one.made else None
    return Layer(
        name=one.name,
        type=one.type,
        shape=_shape(one.output_shape),
        place=made.spelled if made else "",
        parts=parts,
        given=given if parts else "",
        wanted=wanted if parts else "",
    )


def _shape(shape: list[int | None] | None) -> str:
    if shape is None:
        return ""
    inner = ", ".join("any" if size is None else str(size) for size in shape)
    return f"({inner}{',' if len(shape) == 1 else ''})"


def _wanted(wanted: InputWanted | None) -> str:
    if wanted is None:
        return ""
    parts = [_shape(wanted.shape)] if wanted.shape is not None else []
    if wanted.rank is not None:
        parts.append(f"{wanted.rank} axes")
    if wanted.least_rank is not None:
        parts.append(f"at least {wanted.least_rank} axes")
    if wanted.most_rank is not None:
        parts.append(f"at most {wanted.most_rank} axes")
    parts += [f"{size} on axis {axis}" for axis, size in wanted.axes.items()]
    return ", ".join(parts)
