"""The facts about an exception, put together and kept until it is known whether anybody catches it; runs in the user's
process.

Invariant: of an exception only its address, its type and the beginning of its text are kept, never itself, so
nothing of the program's lives longer. A line that fails over and over is looked at a few times only.
"""

from __future__ import annotations

import ast
from types import FrameType, TracebackType
from typing import Any, NamedTuple

import msgspec

from whydied.inside import journal
from whydied.inside.errors.framework import (
    call_arguments,
    data_elements,
    failed_metric,
    fed_values,
    given_labels,
    keras_context,
    layer_listing,
    looked_values,
    loop_variables,
    op_operands,
    op_trials,
    planned_data,
)
from whydied.inside.errors.framework.value_sources import is_layer
from whydied.inside.errors.stack_steps import Step, frame_of, steps_of
from whydied.inside.guest import guard, lookup
from whydied.inside.guest.guard import guarded
from whydied.records import ErrorFacts, LayerFacts, Party

LARGEST_KEPT = 8
LARGEST_LOOKS = 40
LARGEST_CHAIN = 6
_PASSED_OVER = ("StopIteration", "OutOfRangeError", "AttributeError", "ImportError", "NotImplementedError")
_SAID = 200


class _Kept(msgspec.Struct, frozen=True):
    address: int
    type: str
    said: str
    facts: ErrorFacts
    call: op_trials.Prepared | None = None


_kept: list[_Kept] = []
_looks: list[int] = [0]


@guarded("error_facts.look")
def look(error: BaseException, running: FrameType | None) -> None:
    """An exception is about to lose its frames: keep what is around it. `running` is the frame outside of it."""
    owner = journal.current()
    if owner is None or type(error).__name__ in _PASSED_OVER or _looks[0] >= LARGEST_LOOKS or found(error) is not None:
        return
    _looks[0] += 1
    gathered = gather(error, error.__traceback__, running)
    if gathered is not None:
        _kept.append(_Kept(id(error), type(error).__name__, _text(error)[:_SAID], *gathered))
        del _kept[:-LARGEST_KEPT]


def found(error: BaseException) -> Gathered | None:
    """What was kept about an exception, or about the one that a library told again in more words."""
    text = _text(error)
    current: BaseException | None = error
    for _ in range(LARGEST_CHAIN):
        if current is None:
            return None
        for kept in _kept:
            if kept.address == id(current) and kept.type == type(current).__name__ and kept.said.strip() in text:
                return Gathered(kept.facts, kept.call)
        current = current.__context__ or current.__cause__
    return None


def facts_quoted_in(text: str, *, dying: bool) -> ErrorFacts | None:
    """What was kept about an exception that rose in a function which TensorFlow called, and of which only the text is
    left."""
    fitting = [kept for kept in _kept if kept.said.strip() and f"{kept.type}: {kept.said.strip()}" in text]
    return _completed(Gathered(fitting[-1].facts, fitting[-1].call), dying) if fitting else None


@guarded("error_facts.uncaught")
def uncaught(chain: list[tuple[BaseException, TracebackType | None]], dying: bool) -> list[ErrorFacts]:
    """The facts about each exception of a chain that nobody caught; `chain` as the record has it. With `dying` it ends
    the program."""
    facts = []
    for number, (error, trace) in enumerate(chain[:LARGEST_CHAIN]):
        one = found(error) or (gather(error, trace, None) if _is_of_framework(error, trace) else None)
        if one is not None:
            facts.append(msgspec.structs.replace(_completed(one, dying), link=number))
    return facts


def _completed(gathered: Gathered, dying: bool) -> ErrorFacts:
    """With what TensorFlow's rules say to other operands, where the program ends and nobody sees that they were
    asked."""
    facts, call = gathered
    accepted = op_trials.trials(call) if call is not None and dying else None
    if call is None or accepted is None or (call.op and not accepted):
        return facts
    own = {"op": call.op, "parties": call.parties} if call.op else {}
    return msgspec.structs.replace(facts, refused=True, trials=accepted, **own)


def _is_of_framework(error: BaseException, trace: TracebackType | None) -> bool:
    if type(error).__module__.startswith("tensorflow."):
        return True
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    name = trace.tb_frame.f_globals.get("__name__")
    return isinstance(name, str) and name.partition(".")[0] in ("tensorflow", "keras", "tf_keras")


class Gathered(NamedTuple):
    """What is known of an exception, and the call that failed, to be tried with other operands."""

    facts: ErrorFacts
    call: op_trials.Prepared | None = None


def gather(error: BaseException, trace: TracebackType | None, running: FrameType | None) -> Gathered | None:
    owner = journal.current()
    if owner is None:
        return None
    owner.find_main()
    steps = steps_of(trace, running, owner.ownership)
    users = [step for step in steps if step.file is not None]
    if not users:
        return None
    facts = ErrorFacts(
        type=type(error).__name__,
        raiser=steps[-1].frame.f_code.co_name,
        place=frame_of(users[-1].file or "", users[-1].line, users[-1].function),
    )
    for add in (_add_operation, _add_layer, _add_call, _add_loss, _add_arguments):
        try:
            facts = add(facts, error, steps, users)
        except Exception as ours:
            if guard.is_the_users(ours):
                raise
            guard.swallowed(f"error_facts.{add.__name__.strip('_')}", ours)
    return Gathered(facts, _call(error, steps[steps.index(users[-1]) :], users))


@guard.otherwise(None)
def _call(error: BaseException, below: list[Step], users: list[Step]) -> op_trials.Prepared | None:
    """The op that failed, or the function of TensorFlow's that refused its arguments before there was an op."""
    if loop_variables.loop_variables(below) or loop_variables.written_element(below):
        return None
    operation = op_operands.operation(below, _text(error), error)
    if operation is not None:
        return op_trials.prepared(below, operation.inputs) if operation.made is None else None
    step = op_trials.library_step(below)
    inputs = op_trials.tensors_of(step) if step is not None else []
    if step is None or not inputs:
        return None
    own = op_operands.Operation(step.frame.f_code.co_name, "", inputs, [])
    return op_trials.prepared(below, inputs, own.op, op_operands.parties(own, users))


def _add_operation(facts: ErrorFacts, error: BaseException, steps: list[Step], users: list[Step]) -> ErrorFacts:
    below = steps[steps.index(users[-1]) :]
    if looped := loop_variables.loop_variables(below):
        return msgspec.structs.replace(facts, op=loop_variables.LOOP, parties=looped)
    if element := loop_variables.written_element(below):
        return msgspec.structs.replace(facts, op=loop_variables.ARRAY, parties=element)
    operation = op_operands.operation(below, _text(error), error)
    if operation is None:
        parts = data_elements.padded_parts(below)
        return msgspec.structs.replace(facts, parties=parts or op_operands.without_shape(below))
    return msgspec.structs.replace(
        facts,
        place=operation.made or facts.place,
        op=operation.op,
        node=operation.node,
        in_data=operation.in_data,
        transposed=operation.transposed,
        axis=operation.axis,
        # What `fit` was given is not what an op of the model's was given.
        parties=[
            *op_operands.parties(
                operation, users, named=not keras_context.calls_keras(below), inner=keras_context.is_in_layer(below)
            ),
            *fed_values.feeds_of(below),
        ],
    )


def _add_layer(facts: ErrorFacts, error: BaseException, steps: list[Step], users: list[Step]) -> ErrorFacts:
    layer = keras_context.layer_at_work(steps)
    if layer is None:
        return facts
    feeding = keras_context.feeding(steps, layer)
    asked = keras_context.wanted(steps)
    more: list[Party] = []
    if asked is not None:
        feeding = feeding if feeding is not None else layer_listing.maker(asked[1])
        call = keras_context.call_node(users[-1])
        # Only a call that passes one thing says in the source what went in; `add` of a model passes a layer.
        alone = call is not None and len(call.args) == 1 and not call.keywords
        adds = call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "add"
        node: ast.AST | None = call.args[0] if call is not None and alone and not adds else None
        more = [looked_values.looked_at("input", asked[1], node, users)]
        feeding = feeding if feeding is not None else _called_layer(more[0], users[-1])
    else:
        more = keras_context.inputs_of(steps, layer, users)
    given = keras_context.given_to(steps, layer)
    if not keras_context.calls_keras(steps):
        more += planned_data.planned(users)
    return msgspec.structs.replace(
        facts,
        layer=layer_listing.layer_facts(layer),
        feeding=layer_listing.layer_facts(feeding) if feeding is not None else None,
        shaping=_shaping(feeding),
        wanted=asked[0] if asked is not None else None,
        parties=[*facts.parties, *more],
        layers=_plan(steps, layer, given[0] if given else []),
    )


def _called_layer(party: Party, step: Step) -> Any:
    """The layer that a value came out of, by the words of the source: `self.lstm(x)`."""
    source = party.sources[0] if party.sources else None
    if source is None or source.kind != "layer":
        return None
    made = ast.parse(source.text, mode="eval").body
    found = lookup.evaluate(made.func, step.frame) if isinstance(made, ast.Call) else None
    return found if found is not None and is_layer(found) else None


def _plan(steps: list[Step], layer: Any, given: list[Any]) -> list[LayerFacts]:
    """The layers of a model; of a layer that is called alone, those that its inputs came through. What is being added
    to a model comes last: Keras 2 lists it, and the Input that the first layer declares, only once it is built."""
    model = _model(steps, layer)
    behind = layer_listing.layers_behind(given) if not layer_listing.is_model(model) else []
    listed = behind or layer_listing.layers_of(model)
    adds = any(step.get("self") is model and step.frame.f_code.co_name == "add" for step in steps)
    if model is layer or not adds or layer.name in [one.name for one in listed]:
        return listed
    return [*(listed or layer_listing.layers_behind(given)), layer_listing.layer_facts(layer)]


def _shaping(feeding: Any) -> LayerFacts | None:
    shaping = keras_context.shaping(feeding) if feeding is not None else None
    return layer_listing.layer_facts(shaping) if shaping is not feeding else None


def _model(steps: list[Step], layer: Any) -> Any:
    for step in steps:
        candidate = step.get("self")
        if candidate is not None and is_layer(candidate):
            return candidate
    return layer


def _add_call(facts: ErrorFacts, error: BaseException, steps: list[Step], users: list[Step]) -> ErrorFacts:
    step = keras_context.call_at_work(steps)
    if step is None:
        return facts
    at = steps.index(step)
    callers = [one for one in users if steps.index(one) < at]
    if not callers:
        return facts
    kind = step.frame.f_code.co_name
    node = keras_context.call_node(callers[-1], kind)
    given = {word.arg: word.value for word in node.keywords if word.arg} if node is not None else {}
    positions = list(node.args) if node is not None else []
    if kind == "evaluate" and (validation := keras_context.validation_data(callers[-1])) is not None:
        given, positions, node = {}, *validation
    data = []
    for n, word in enumerate(("x", "y")):
        value = step.get(word)
        if value is not None:
            text = given.get(word) or (positions[n] if n < len(positions) else None)
            # Keras gives the name to what is left of the data after a split.
            value = callers[-1].names.get(text.id, value) if isinstance(text, ast.Name) else value
            parts = keras_context.parts_of(value, text)
            data += [looked_values.looked_at(word, part, words, callers) for part, words in parts]
            data += data_elements.elements_of(value, text, callers)
            data += data_elements.yields_of(word, value)
            if word == "x" and step.get("y") is None:
                data = given_labels.with_labels(data, value, ast.unparse(text)[:80] if text is not None else "")
    weights = step.get("sample_weight")
    if weights is not None:
        data.append(looked_values.looked_at("weight", weights, given.get("sample_weight"), callers))
    receiver = ast.unparse(node.func.value) if node is not None and isinstance(node.func, ast.Attribute) else ""
    model = step.get("self")
    return msgspec.structs.replace(
        facts,
        call=kind,
        receiver=receiver,
        model=type(model).__name__,
        loss=keras_context.loss_name(model),
        metric=failed_metric.metric_at_work(steps, users, _text(error), model),
        compiled=keras_context.compile_line(callers[-1], receiver),
        layers=layer_listing.layers_of(model) or facts.layers,
        parties=[*facts.parties, *data],
    )


def _add_loss(facts: ErrorFacts, error: BaseException, steps: list[Step], users: list[Step]) -> ErrorFacts:
    pair = keras_context.loss_parties(steps, users)
    if not pair:
        return facts
    layers = facts.layers or _layers_behind(pair[1], users[-1])
    return msgspec.structs.replace(facts, parties=[*facts.parties, *pair], layers=layers)


def _add_arguments(facts: ErrorFacts, error: BaseException, steps: list[Step], users: list[Step]) -> ErrorFacts:
    given = call_arguments.given_to(steps[steps.index(users[-1]) :], users)
    if given is None:
        return facts
    return msgspec.structs.replace(facts, function=given.function, arguments=given.arguments)


def _layers_behind(output: Party, step: Step) -> list[LayerFacts]:
    """The layers of the model that a loop of the user's own called to get an output."""
    source = next((one for one in output.sources if one.kind == "layer"), None)
    name = source.text.partition("(")[0] if source is not None else ""
    if not name.replace(".", "").isidentifier():
        return []
    model = lookup.evaluate(ast.parse(name, mode="eval").body, step.frame)
    return layer_listing.layers_of(model) if is_layer(model) else []


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as failed:
        if guard.is_the_users(failed):
            raise
        return ""
