"""Edits of optimizers: the learning rate, where it is written or defined, clipping, epsilon, a schedule. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import callee, method_calls, passed_argument
from whydied.source.edits.call_edits import add_argument, keyword_values
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.runs.literal_numbers import entries, literal, number_at, number_elsewhere, plain
from whydied.source.text import Source
from whydied.source.trees import function_at, nodes_on, walk

OPTIMIZER_NAMES = {"sgd": "SGD", "adam": "Adam", "rmsprop": "RMSprop", "adagrad": "Adagrad", "nadam": "Nadam"}
KERAS_OPTIMIZERS = frozenset({*OPTIMIZER_NAMES.values(), "AdamW", "Adamax", "Adadelta", "Ftrl", "Lion"})
_RATES = ("learning_rate", "lr")
_EPSILON = "1e-7"


def slower(source: Source, file: str, line: int, by: float) -> tuple[Edit, float] | None:
    """The learning rate that the statement at a line chooses or returns, divided, and what it then is. An optimizer
    that is given by its name has the library's rate, which is not known here."""
    found = [node for node in _rates(source, line) if number_at(source, node) is not None]
    return _divided(source, file, found[0], by) if len(found) == 1 else None


def slower_elsewhere(sources: Mapping[str, Source], file: str, line: int, by: float) -> tuple[Edit, float] | None:
    """The same where the number is written in another file."""
    found = [place for node in _rates(sources[file], line) if (place := number_elsewhere(sources, file, node))]
    if len(found) != 1:
        return None
    where, node = found[0]
    return _divided(sources[where], where, node, by)


def divided_rate(source: Source, file: str, line: int, by: float) -> Edit | None:
    """A rate that is computed somewhere, divided where the optimizer is given it."""
    found = [node for node in _rates(source, line) if isinstance(node, ast.Name | ast.Attribute | ast.Subscript)]
    makes = any(isinstance(node, ast.Call) for node in nodes_on(source, line))
    return (
        over(source, file, found[0], f"{written_in(source, found[0])} / {plain(by)}")
        if len(found) == 1 and makes
        else None
    )


def slower_by_hand(source: Source, file: str, line: int, by: float) -> tuple[Edit, float] | None:
    """The same where the statement at a line takes a multiple of the gradient off the weights itself, or all statements
    of its function that do so take the same multiple."""
    function = function_at(source.tree, line)
    around = list(ast.walk(function)) if function is not None else []
    for nodes in (nodes_on(source, line), around):
        given = [call.args[0] for _, call in method_calls(nodes, ("assign_sub",)) if call.args]
        given += [
            call.args[0].right
            for _, call in method_calls(nodes, ("assign",))
            if call.args and isinstance(call.args[0], ast.BinOp) and isinstance(call.args[0].op, ast.Sub)
        ]
        factors = {
            id(place): part
            for value in given
            for node in walk(value, ast.BinOp)
            if isinstance(node.op, ast.Mult)
            for part in (node.left, node.right)
            if (place := number_at(source, part)) is not None
        }
        if factors:
            return _divided(source, file, next(iter(factors.values())), by) if len(factors) == 1 else None
    return None


def _divided(source: Source, file: str, node: ast.expr, by: float) -> tuple[Edit, float] | None:
    place = number_at(source, node)
    rate = (literal(place) or 0.0) / by if place is not None else 0.0
    return (over(source, file, place, plain(rate)), rate) if place is not None and rate else None


def _rates(source: Source, line: int) -> list[ast.expr]:
    found = []
    for call in [node for node in nodes_on(source, line) if isinstance(node, ast.Call)]:
        makes = callee(call) in KERAS_OPTIMIZERS or callee(call).endswith("Optimizer")
        rate = next((value for word in _RATES if (value := passed_argument(call, word)) is not None), None)
        if rate is None and makes and call.args:
            rate = call.args[0]
        if rate is None and makes and any(word.arg is None for word in call.keywords):
            # `SGD(**options)`: what the only dictionary with a rate has.
            given = [value for word in _RATES for value in entries(source, word)]
            rate = given[0] if len(given) == 1 else None
        found += [rate] if rate is not None else []
    return found or [
        node.value for node in nodes_on(source, line) if isinstance(node, ast.Return) and node.value is not None
    ]


def named(source: Source, file: str, line: int, rate: float) -> Edit | None:
    """An optimizer that the statement at a line gives by its name, as an object with a rate."""
    keras = name_of(source, "keras")
    texts = [
        node for node in nodes_on(source, line) if isinstance(node, ast.Constant) and node.value in OPTIMIZER_NAMES
    ]
    if keras is None or len(texts) != 1:
        return None
    made = OPTIMIZER_NAMES[str(texts[0].value)]
    return over(source, file, texts[0], f"{keras}.optimizers.{made}(learning_rate={plain(rate)})")


def clipped(source: Source, file: str, line: int) -> Edit | None:
    """The gradients' norm limited by the only optimizer of Keras that the statement makes."""
    made = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) in KERAS_OPTIMIZERS]
    if len(made) != 1 or any((word.arg or "**").startswith(("clip", "**", "global_clip")) for word in made[0].keywords):
        return None
    return add_argument(source, file, made[0], "clipnorm=1.0")


def with_epsilon(source: Source, file: str, line: int) -> Edit | None:
    """An epsilon of zero as the small number that it is elsewhere."""
    given = keyword_values(source, line, "epsilon")
    places = [place for node in given if (place := number_at(source, node)) is not None and literal(place) == 0]
    return over(source, file, places[0], _EPSILON) if len(places) == 1 else None


def falling(source: Source, file: str, line: int) -> Edit | None:
    """A decay whose rate is above one, as its inverse."""
    given = keyword_values(source, line, "decay_rate")
    places = [place for node in given if (place := number_at(source, node)) is not None]
    rate = literal(places[0]) if len(places) == 1 else None
    return over(source, file, places[0], plain(round(1 / rate, 2))) if rate is not None and rate > 1 else None


def bounded_rate(source: Source, file: str, line: int, function: str, bound: float) -> Edit | None:
    """What a function of the program's returns as the rate at a line, kept above (`max`) or below (`min`) a bound."""
    nodes = nodes_on(source, line)
    returned = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
    returned += [node.body for node in nodes if isinstance(node, ast.Lambda)]
    if len(returned) != 1 or (isinstance(returned[0], ast.Call) and callee(returned[0]) == function):
        return None
    tensors = any(isinstance(part, ast.Attribute | ast.Call) for part in walk(returned[0], ast.expr))
    tensorflow = name_of(source, "tensorflow") if tensors else None
    name = f"{tensorflow}.{function}imum" if tensorflow else function
    return over(source, file, returned[0], f"{name}({written_in(source, returned[0])}, {plain(bound)})")


def constant_rate(source: Source, file: str, line: int, rate: float) -> Edit | None:
    """The rate that an optimizer is given by a schedule, as one number."""
    found = [node for node in _rates(source, line) if literal(node) is None]
    return over(source, file, found[0], plain(rate)) if len(found) == 1 else None
