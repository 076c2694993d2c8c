"""Which data and which layers of a model stand behind what failed, what its Input declares, as the source writes it,
and what the values are. Pure."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.records import Frame, LayerFacts, Party
from whydied.source.assignments import assigned
from whydied.source.calls import callee
from whydied.source.trees import nodes_on, scope_at

_WORDS = ("input_shape", "batch_input_shape", "shape", "batch_shape")
_OF_TEXTS = ("TextVectorization", "StringLookup", "Hashing", "HashedCrossing")
_KEEP_WIDTH = ("Activation", "Softmax", "ReLU", "LeakyReLU", "Dropout", "BatchNormalization", "LayerNormalization")


def data_behind(error: FrameworkError, party: Party) -> Party:
    """The data that were passed to a call, where they are what a layer was given a batch of; else the value itself."""
    if not error.facts.call or party.role != "input":
        return party
    shape = party.shape or []
    for given in error.of_role("x", "element"):
        if given.shape is not None and len(given.shape) == len(shape) and given.shape[1:] == shape[1:]:
            return given
    return party


def last_layer(error: FrameworkError) -> LayerFacts | None:
    """The layer that gives the model's output its width."""
    output = next(iter(error.of_role("output")), None)
    shape = output.shape if output is not None else None
    for layer in reversed(error.facts.layers):
        if layer.type in _KEEP_WIDTH:
            continue
        fits = shape is None or layer.output_shape is None or layer.output_shape[-1:] == shape[-1:]
        return layer if fits else None
    return None


def input_layer(error: FrameworkError) -> LayerFacts | None:
    """The Input that says what the model wants, where its line is known and there is only one."""
    found = [layer for layer in error.facts.layers if layer.type == "InputLayer"]
    return found[0] if len(found) == 1 and found[0].made is not None else None


def takes_text(error: FrameworkError) -> bool:
    """Whether the model begins with a layer that is made for texts, or an Input that declares them."""
    layers = error.facts.layers
    declared = any(one.settings.get("dtype") == "string" for one in layers if one.type == "InputLayer")
    first = next((one for one in layers if one.type != "InputLayer"), None)
    return declared or (first is not None and first.type in _OF_TEXTS)


def input_layers(error: FrameworkError) -> list[LayerFacts]:
    """The Inputs of the model, in the order of its layers."""
    return [layer for layer in error.facts.layers if layer.type == "InputLayer"]


class Declared(NamedTuple):
    """`name` is how the Input is given the shape, `text` and `frame` are the expression of the shape and its line:
    where it is a name, those of what the name was assigned."""

    name: str
    text: str
    frame: Frame

    @property
    def is_of_array(self) -> bool:
        """Whether it is the shape of an array, and so has the number of its rows in it."""
        node = ast.parse(self.text, mode="eval").body
        return (isinstance(node, ast.Attribute) and node.attr == "shape") or (
            isinstance(node, ast.Call) and callee(node) == "shape" and len(node.args) == 1
        )


def declared(case: Case, entrance: LayerFacts) -> Declared | None:
    frame = entrance.made
    source = case.sources.get(frame.file) if frame is not None else None
    if frame is None or source is None:
        return None
    for call in [node for node in nodes_on(source, frame.line) if isinstance(node, ast.Call)]:
        given = next((word.value for word in call.keywords if word.arg in _WORDS), None)
        if given is None and callee(call) in ("Input", "InputLayer") and call.args:
            given = call.args[0]
        if given is None:
            continue
        if isinstance(given, ast.Name):
            made = [one for one in assigned(given.id, scope_at(source.tree, frame.line)) if one.line <= frame.line]
            if made:
                place = Frame(file=frame.file, line=made[-1].line, function=frame.function, user=True)
                return Declared(given.id, ast.unparse(made[-1].value), place)
        return Declared(ast.unparse(given), ast.unparse(given), frame)
    return None


def single_samples(error: FrameworkError) -> Party | None:
    """What a data set gives that was not batched: the targets of an element are single numbers."""
    given, labels = error.of_role("element"), error.of_role("label")
    if error.facts.call not in ("fit", "evaluate") or not given or not labels or not given[0].text:
        return None
    known = all(party.shape is not None for party in given)
    return given[0] if known and all(party.shape == [] for party in labels) else None


def refused_text(error: FrameworkError) -> list[Party]:
    """Data of text that can be what was refused: of the dtype that the message names, where it names that of one, and
    not the input of a model that begins with a layer for texts."""
    data = [party for party in error.of_role("x", "y") if is_text(party)]
    words = set(re.findall(r"\w+", error.message))
    named = [party for party in data if party.dtype in words] or data
    return [party for party in named if party.role != "x" or not takes_text(error)]


def written_tensors(error: FrameworkError) -> list[Party]:
    """The tensors in the failing expression, where an operator refused them before there was an op."""
    tensors = [one for one in error.link.operands if one.shape is not None and one.dtype and "Tensor" in one.type]
    return [Party(role="operand", text=one.text, shape=one.shape, dtype=one.dtype) for one in tensors]


def is_text(party: Party) -> bool:
    return (party.dtype or "").lower().startswith(("str", "object", "<u", "bytes", "string"))


def is_own_array(party: Party) -> bool:
    """Whether a value is an array of the program's own, with the line that made it."""
    made = party.sources[0] if party.sources else None
    plain = bool(party.text) and party.type.endswith(("ndarray", "EagerTensor"))
    return plain and made is not None and made.frame is not None and made.kind == "variable"
