"""Edits of the source by what was recorded of an error: of its layers, its Input, the data that were passed. Pure.

None where the source does not tell what would have to be written.
"""

from __future__ import annotations

import ast

from whydied.diagnose.errors.advice import source_at
from whydied.diagnose.errors.framework_error import FrameworkError, Shape
from whydied.records import Frame, LayerFacts, Party
from whydied.source.calls import callee
from whydied.source.edits.call_edits import calls_at, insert_layer, keyword_values, set_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes import layer_edits
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.edits.shapes.loss_edits import compiled_loss, loss_line
from whydied.source.edits.shapes.passed_data import all_samples, given_likewise, likewise
from whydied.source.edits.shapes.value_edits import (
    every_use_edits,
    is_parameter,
    operand_edits,
    parameter_edits,
    use_edits,
)
from whydied.source.edits.shapes.whole_numbers import number_edit, sizes_edits
from whydied.source.text import Source
from whydied.source.trees import nodes_on, written

Edits = list[Edit] | None


def setting(error: FrameworkError, layer: LayerFacts, word: str, value: str) -> Edits:
    """A setting of a layer; of a wrapper that has it not, of the layer inside."""
    found, kind = _call(error, layer), layer.type
    if found is None or layer.made is None:
        return None
    source, call = found
    if word not in layer.settings and layer.wrapped is not None:
        inner = layer_edits.wrapped_call(call, layer.wrapped.type)
        if inner is None:
            return None
        call, kind = inner, layer.wrapped.type
    if (word, value) == ("return_sequences", "False"):
        return layer_edits.without_setting(source, layer.made.file, call, word)
    return layer_edits.set_setting(source, layer.made.file, call, kind, word, value)


def inserted(error: FrameworkError, layer: LayerFacts, code: str, text: str = "") -> Edits:
    """A layer before another one: where that is made, else around the value `text` in the failing statement, which
    calls it."""
    found = _call(error, layer)
    if found is None or layer.made is None:
        return None
    source, call = found
    put = insert_layer(source, layer.made.file, call, code)
    place = error.facts.place
    if put is not None or not text or place is None or place.file != layer.made.file:
        return put
    if not isinstance(call.func, ast.Attribute):
        kind, _, settings = code.partition("(")
        named = library_name(source, place.file, f"keras.layers.{kind}")
        made, needed = f"{named.text}({settings}", named.needed
    else:
        made, needed = f"{written_in(source, call.func.value)}.{code}", []
    edits = use_edits(source, place.file, place.line, text, f"{made}({{x}})")
    return [*needed, *edits] if edits else None


def _call(error: FrameworkError, layer: LayerFacts) -> tuple[Source, ast.Call] | None:
    source = source_at(error.sources, layer.made)
    if source is None or layer.made is None:
        return None
    beside = [one for one in error.facts.layers if one.made is not None and _place(one) == _place(layer)]
    if layer.name not in [one.name for one in beside]:
        beside.append(layer)
    call = layer_edits.layer_call(source, layer.made.line, _made(layer), [_made(one) for one in beside])
    return (source, call) if call is not None else None


def layer_made(error: FrameworkError, layer: LayerFacts) -> ast.Call | None:
    """The call of the source that made a layer."""
    found = _call(error, layer)
    return found[1] if found is not None else None


def _place(layer: LayerFacts) -> tuple[str, int]:
    return (layer.made.file, layer.made.line) if layer.made is not None else ("", 0)


def _made(layer: LayerFacts) -> layer_edits.Made:
    return layer_edits.Made(layer.type, layer.name, layer.settings)


def declared(error: FrameworkError, entrance: LayerFacts, wanted: Shape) -> Edits:
    """The shape that an Input declares; both without the axis of the batch."""
    source = source_at(error.sources, entrance.made)
    if source is None or entrance.made is None or not entrance.output_shape or not wanted:
        return None
    file, line = entrance.made.file, entrance.made.line
    return layer_edits.input_edits(source, file, line, entrance.output_shape[1:], wanted)


def declaring(error: FrameworkError, entrance: LayerFacts, wanted: Shape) -> Frame | None:
    """The line that writes the shape which an Input declares, where that is not its own."""
    source, made, edits = source_at(error.sources, entrance.made), entrance.made, declared(error, entrance, wanted)
    if source is None or made is None or not edits:
        return made
    first, last = source.span(edits[0].start[0])
    return made if first <= made.line <= last else edited_line(error, edits)


def edited_line(error: FrameworkError, edits: list[Edit]) -> Frame:
    """The statement of the first edit, which stands in a module."""
    file, source = edits[0].file, error.sources[edits[0].file]
    first, last = source.span(edits[0].start[0])
    return Frame(file=file, line=first, function="<module>", user=True, source=source.text(first, last).strip()[:300])


def declared_and_flat(error: FrameworkError, entrance: LayerFacts, wanted: Shape) -> Edits:
    """An Input of another shape, and a Flatten before the layer behind it. A layer that declares its input itself is
    left alone: the Flatten would have to declare it."""
    behind = next((one for one in error.facts.layers if one.type != "InputLayer"), None)
    shaped = declared(error, entrance, wanted)
    flat = inserted(error, behind, "Flatten()") if behind is not None and shaped else None
    source, made = source_at(error.sources, entrance.made), entrance.made
    nodes = nodes_on(source, made.line) if source is not None and made is not None else []
    is_input = any(isinstance(one, ast.Call) and callee(one) in ("Input", "InputLayer") for one in nodes)
    return [*shaped, *flat] if shaped and flat and is_input else None


def turned(error: FrameworkError, entrance: LayerFacts, wanted: Shape, code: str) -> Edits:
    """An Input with its axes in another order, and the data that its model will be given in the same order."""
    source, made = source_at(error.sources, entrance.made), entrance.made
    shaped = declared(error, entrance, wanted)
    data = all_samples(source, made.file, code) if source is not None and made is not None else None
    return [*shaped, *data] if shaped and data else None


def passed_there(error: FrameworkError, party: Party, code: str) -> Edits:
    """A value where it is passed to the call that failed."""
    source, place, call = source_at(error.sources, error.facts.place), error.facts.place, error.facts.call
    if source is None or place is None or not party.text:
        return None
    return use_edits(source, place.file, place.line, party.text, code, [call] if call else [])


def passed(error: FrameworkError, party: Party, code: str) -> Edits:
    """The same; of a training what the model is given later, too."""
    edits, place = passed_there(error, party, code), error.facts.place
    source = source_at(error.sources, place)
    if not edits or error.facts.call != "fit" or party.role not in ("x", "y") or source is None or place is None:
        return edits
    several = len([one for one in error.of_role(party.role) if one.shape]) > 1
    if several or "{x}" not in code:
        return edits
    later = likewise(source, place.file, place.line, error.facts.receiver, party.role, code)
    return list(dict.fromkeys([*edits, *later]))


def batched(error: FrameworkError, given: Party, code: str) -> Edits:
    """A data set in batches (`code` is the method) where it is passed, and the one for validation beside it."""
    edits, place = passed(error, given, f"{{x}}.{code}(32)"), error.facts.place
    source = source_at(error.sources, place)
    if not edits or source is None or place is None:
        return edits
    others = [one for one in keyword_values(source, place.line, "validation_data") if isinstance(one, ast.Name)]
    return [*edits, *(over(source, place.file, one, f"{one.id}.{code}(32)") for one in others)]


def beside(error: FrameworkError, party: Party) -> str:
    """` (and `val_y` likewise)`: what the same change is needed for that the model is given later."""
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    if error.facts.call != "fit" or party.role not in ("x", "y") or source is None or place is None:
        return ""
    others = given_likewise(source, place.line, error.facts.receiver, party.role)
    return f" (and {' and '.join(f'`{one}`' for one in others[:3])} likewise)" if others else ""


def operand(error: FrameworkError, texts: list[str], at: int, code: str) -> Edits:
    """One of the operands of the op that failed."""
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    if source is None or place is None:
        return None
    return operand_edits(source, place.file, place.line, texts, at, code)


def operator(error: FrameworkError, texts: list[str], symbol: str) -> Edits:
    """Another operator between two operands of the statement that failed."""
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    nodes = nodes_on(source, place.line) if source is not None and place is not None else []
    found = [one for one in nodes if isinstance(one, ast.BinOp) and [written(one.left), written(one.right)] == texts]
    if len(found) != 1 or source is None or place is None:
        return None
    text = f"{written_in(source, found[0].left)} {symbol} {written_in(source, found[0].right)}"
    return [over(source, place.file, found[0], text)]


def every_use(error: FrameworkError, party: Party, code: str) -> Edits:
    """A variable wherever the failing statement reads it; a parameter that others read, too, at the beginning of its
    function. For code that may be done twice."""
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    if source is None or place is None or not party.text.isidentifier():
        return None
    found = parameter_edits(source, place.file, place.line, party.text, code)
    return found or every_use_edits(source, place.file, place.line, party.text, code)


def argument(error: FrameworkError, party: Party, code: str) -> Edits:
    """A value that the failing statement has from its function's caller, where it was made."""
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    made = next((one for one in party.sources if one.kind == "variable" and one.frame is not None), None)
    other = source_at(error.sources, made.frame) if made is not None else None
    if source is None or place is None or made is None or made.frame is None or other is None:
        return None
    if not is_parameter(source, place.line, party.text):
        return None
    return use_edits(other, made.frame.file, made.frame.line, made.text, code)


def loss_frame(error: FrameworkError) -> Frame | None:
    """The line that makes the loss of the model: that of `compile`, or the one that keeps it in a variable before."""
    source, frame = source_at(error.sources, error.facts.compiled), error.facts.compiled
    line = loss_line(source, frame.line) if source is not None and frame is not None else None
    if source is None or frame is None or line is None or frame.line <= line <= (frame.end_line or frame.line):
        return frame
    first, last = source.span(line)
    return Frame(
        file=frame.file, line=first, function=frame.function, user=True, source=source.text(first, last).strip()[:300]
    )


def loss(error: FrameworkError, old: str, new: str) -> Edits:
    """Another loss in the `compile` of the model."""
    source, frame = source_at(error.sources, error.facts.compiled), error.facts.compiled
    return compiled_loss(source, frame.file, frame.line, old, new) if source is not None and frame is not None else None


def reshaped(error: FrameworkError, at: int, size: int) -> Edits:
    """One of the sizes that the reshape of the failing statement asks for."""
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    calls = calls_at(source, place.line, "reshape") if source is not None and place is not None else []
    if len(calls) != 1 or source is None or place is None or not calls[0].args:
        return None
    # `tf.reshape(x, [2, 3])` and `x.reshape(2, 3)`.
    last = calls[0].args[-1]
    sizes = last.elts if isinstance(last, ast.Tuple | ast.List) else calls[0].args
    edit = number_edit(source, place.file, sizes[at], size) if at < len(sizes) else None
    return [edit] if edit is not None else None


def target_shape(error: FrameworkError, layer: LayerFacts, was: Shape, wanted: Shape) -> Edits:
    """The shape of a Reshape layer."""
    found = _call(error, layer)
    given = layer_edits.argument_of(found[1], layer.type, "target_shape") if found is not None else None
    if found is None or given is None or layer.made is None:
        return None
    return sizes_edits(found[0], layer.made.file, given, was, wanted)


def other_layer(error: FrameworkError, layer: LayerFacts, kind: str) -> Edits:
    """A layer of another type without settings."""
    found = _call(error, layer)
    made = found[1].func if found is not None else None
    if found is None or layer.made is None or not isinstance(made, ast.Attribute):
        return None
    source, call = found
    return [over(source, layer.made.file, call, f"{written_in(source, made.value)}.{kind}()")]


def call_argument(error: FrameworkError, word: str, value: str) -> Edits:
    """A keyword of the call into Keras that failed."""
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    calls = calls_at(source, place.line, error.facts.call) if source is not None and place is not None else []
    if len(calls) != 1 or source is None or place is None:
        return None
    edit = set_argument(source, place.file, calls[0], word, None, value)
    return [edit] if edit is not None else None
