"""Changes that let a layer accept what it is given: of the data, of the declared Input, of the layer before it, or a
layer in between. Pure.

Each is tried on the layer's rule, on the layers behind it and on the targets of the call before it is named; what is
not known refuses nothing. A candidate has its edit of the source with it, where that can be written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import line_words
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, either
from whydied.diagnose.errors.error_edits import Edits
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, giver_of, layer_words, shape_words
from whydied.diagnose.errors.model_ends import input_layer
from whydied.diagnose.errors.samples.added_axes import added_axes, without_one
from whydied.diagnose.errors.samples.yielded_samples import yielding_batches
from whydied.records import Frame, InputWanted, LayerFacts, Party
from whydied.shapes import losses
from whydied.shapes.changes import Change, changes
from whydied.shapes.keras_layers import output
from whydied.shapes.plan import through
from whydied.shapes.shape import Refusal, agree, conforms, count

MOST_OFFERED = 2
_STEPWISE = ("LSTM", "GRU", "SimpleRNN", "Conv1D", "Bidirectional", "TimeDistributed")

_CHANNELS: dict[tuple[int | None, int | None], tuple[str, str]] = {
    (1, 3): ("np.repeat({x}, 3, -1)", "if the pictures are grey"),
    (4, 3): ("{x}[..., :3]", "if the fourth channel is how opaque they are"),
    (3, 1): ("{x}.mean(-1, keepdims=True)", "if the colours do not matter"),
}
"""What makes of pictures with so many channels such with so many."""


class Candidate(NamedTuple):
    """`cost` is how much it changes, `edits` are how it is written; `frame` is the line of what it changes, other than
    the value that was passed."""

    cost: int
    words: str
    edits: Edits = None
    frame: Frame | None = None


def layer_changes(error: FrameworkError, party: Party, given: Shape, trained: bool = False) -> Advice:
    """Advice for a layer that does not accept `given`; `party` is the value as the source has it. Empty where nothing
    that was tried passes. What was `trained` keeps its layers."""
    found = sorted(_candidates(error, party, given, trained), key=lambda one: one.cost)
    cheapest = [one for one in found if one.cost == found[0].cost][:MOST_OFFERED] if found else []
    return either("shape", [Way(one.words, one.edits, one.frame) for one in cheapest])


def _candidates(error: FrameworkError, party: Party, given: Shape, trained: bool) -> Iterator[Candidate]:
    facts = error.facts
    giver, feeding = giver_of(facts), facts.feeding
    if facts.layer is None or facts.wanted is None:
        return
    if feeding is not None and not facts.call:
        yield from _as_planned(error)
    if feeding is not None and feeding.type == "InputLayer" and not facts.call:
        yield from _declared(error, feeding)
        return
    if feeding is not None and feeding.type != "InputLayer" and giver is not None:
        yield from _every_step(error, giver)
        yield from _numbers_of_words(error)
        yield from _inserted(error, party, given)
        return
    names = [one.name for one in facts.layers if one.type != "InputLayer"]
    if facts.call and party.role == "input" and not facts.layer.is_model and names[:1] != [facts.layer.name]:
        # It was made on the way through the model.
        yield from _inserted(error, party, given)
        return
    yield from _of_data(error, party, given, trained)


def _as_planned(error: FrameworkError) -> Iterator[Candidate]:
    """An Input that declares what the program will pass to the model, where the layers behind it accept that."""
    entrance = input_layer(error)
    for party in error.of_role("planned") if entrance is not None else ():
        shape: Shape = [None, *(party.shape or [])[1:]]
        if entrance is None or len(shape) < 2 or shape[1:] == (entrance.output_shape or [])[1:]:
            continue
        if plan_passes(error, entrance.name, shape):
            where = f" ({line_words(entrance.made)})" if entrance.made else ""
            told = f"`{party.text}` {shape_words(party.shape)}, which is passed later"
            words = f"declare the shape of {told}, without its rows{where}: `{shape_words(shape[1:])}`"
            yield Candidate(0, words, error_edits.declared(error, entrance, shape[1:]), entrance.made)
            return


def _every_step(error: FrameworkError, giver: LayerFacts) -> Iterator[Candidate]:
    """A recurrent layer that gives its last step only."""
    inner = giver.wrapped or giver
    if inner.settings.get("return_sequences") != "False":
        return
    taken, made = giver.input_shape, giver.output_shape
    steps = taken[1] if taken is not None and len(taken) == 3 else None
    shape = [made[0], steps, made[-1]] if made is not None and len(made) == 2 else None
    if shape is None or _passes(error, shape):
        words = f"`return_sequences=True` in {layer_words(giver)} returns all steps, with 3 axes"
        yield Candidate(1, words, error_edits.setting(error, giver, "return_sequences", "True"), giver.made)


def _numbers_of_words(error: FrameworkError) -> Iterator[Candidate]:
    """An Input that declares an axis for the vocabulary, before an Embedding that takes numbers."""
    for layer in error.facts.layers:
        entrance = next((one for one in error.facts.layers if [one.name] == layer.inputs), None)
        shape = entrance.output_shape if entrance is not None and entrance.type == "InputLayer" else None
        if layer.type != "Embedding" or entrance is None or shape is None or len(shape) < 3:
            continue
        if layer.settings.get("input_dim") == str(shape[-1]) and plan_passes(error, entrance.name, shape[:-1]):
            where = f" ({line_words(entrance.made)})" if entrance.made else ""
            told = f"`Input({shape_words(shape[1:-1])})`{where}"
            words = f"{layer_words(layer)} takes numbers and not one-hot rows: declare {told}"
            yield Candidate(1, words, error_edits.declared(error, entrance, shape[1:-1]), entrance.made)


def _inserted(error: FrameworkError, party: Party, given: Shape) -> Iterator[Candidate]:
    """A layer that lays the values of each row out anew."""
    layer, inner = error.facts.layer, given[1:]
    name = party.text or "the value"
    where = f"before {layer_words(layer)}" if layer is not None else ""
    steps = layer is not None and layer.type in _STEPWISE
    for cost, shape in _layouts(given):
        if not _passes(error, shape):
            continue
        code = f"Reshape({shape_words(shape[1:])})" if len(shape) > 2 else "Flatten()"
        meaning = f": {shape[1]} steps with {shape[2]} features each" if steps and len(shape) == 3 else ""
        on = f" on `{name}`" if party.text else ""
        words = f"`layers.{code}`{on} {where} makes it {shape_words(shape)}{meaning}"
        yield Candidate(
            cost, words, error_edits.inserted(error, layer, code, party.text) if layer is not None else None
        )
    pooled: Shape = [given[0], given[-1]]
    if len(inner) in (2, 3, 4) and _passes(error, pooled):
        kind = f"GlobalAveragePooling{len(inner) - 1}D"
        words = f"`layers.{kind}()` {where} keeps one value for each channel: {shape_words(pooled)}"
        yield Candidate(
            2, words, error_edits.inserted(error, layer, f"{kind}()", party.text) if layer is not None else None
        )


def _layouts(given: Shape) -> Iterator[tuple[int, Shape]]:
    """The values of a row with fewer axes, or with one more of size 1."""
    inner = given[1:]
    flat = count(inner)
    if len(inner) > 1 and flat is not None:
        yield 2, [given[0], flat]
    for at in range(1, len(inner) - 1):
        merged = count(inner[at:])
        if merged is not None:
            yield 2, [given[0], *inner[:at], merged]
    if None not in inner:
        yield 2, [*given, 1]


def _declared(error: FrameworkError, entrance: LayerFacts) -> Iterator[Candidate]:
    """What an Input declares, with an axis less or more."""
    shape = entrance.output_shape or []
    line = f" ({line_words(entrance.made)})" if entrance.made else ""
    fewer: Shape = [*shape[:1], *shape[2:]]
    if len(shape) > 2 and _passes(error, fewer):
        told = shape_words(fewer[1:])
        words = f"the declared input shape{line} must not have the batch axis in it: `{told}`"
        yield Candidate(1, words, error_edits.declared(error, entrance, fewer[1:]), entrance.made)
    if _passes(error, [*shape, 1]):
        told = shape_words([*shape[1:], 1])
        words = f"declare the axis of channels or features, too{line}: `{told}`"
        yield Candidate(1, words, error_edits.declared(error, entrance, [*shape[1:], 1]), entrance.made)


def _of_data(error: FrameworkError, party: Party, given: Shape, trained: bool) -> Iterator[Candidate]:
    """What can be done with an array that was passed, or with the Input: the array is tried as a whole."""
    name = party.text or "x"
    wanted = error.facts.wanted
    asked = wanted.shape if wanted is not None else None
    whole = party.shape if party.shape is not None else given
    rows = party.role == "x"
    targets = [one for one in error.of_role("y") if one.shape and one.shape[0] not in (None, 1)]
    # Rows that each have their target are no single sample.
    in_rows = bool(whole) and any(one.shape and one.shape[0] == whole[0] for one in targets)
    if asked is not None and len(whole) == len(asked) - 1 and conforms(whole, asked[1:]) and not in_rows:
        if (yields := yielding_batches(error)) is not None:
            yield Candidate(0, yields.words, yields.edits, yields.frame)
        elif party.role == "element":
            words = f"it is not batched: `{name}.batch(32)` adds the batch axis"
            yield Candidate(0, words, error_edits.batched(error, party, "batch"))
        else:
            code = _for_type(party, "{x}[None]")
            told = f"`{code.format(x=name)}` makes it {shape_words([1, *whole])}"
            yield Candidate(
                0, f"it is a single sample without a batch axis: {told}", error_edits.passed(error, party, code)
            )
        return
    yield from _not_added(error, party, whole)
    laid_out: Shape | None = [whole[0], *asked[1:]] if asked is not None and whole else None
    for change in changes(whole, laid_out):
        # Who lays out the batch and the rest anew mixes the rows.
        mixes = change.kind == "reshape" and (change.shape[:1] != whole[:1] or None in change.shape[1:])
        # What is asked for says how the values are laid out.
        mixes |= change.kind == "flatten" and laid_out is not None
        # What is not known of a data set's batch are its rows.
        mixes |= change.kind == "transpose" and whole[0] is None and change.shape[0] is not None
        moved = change.kind == "transpose" and len(whole) > 2 and change.shape[0] != whole[0]
        if not mixes and _passes(error, change.shape, rows):
            words, code = _of_change(change, name, error.facts.layer, party)
            words += error_edits.beside(error, party)
            mapped = _mapped(error, code) if party.role == "element" else code
            yield Candidate(change.cost + moved, words, error_edits.passed(error, party, mapped) if mapped else None)
    if asked is not None and asked[-1:] == [3] and conforms(whole[1:], asked[1:-1]) and len(whole) == len(asked) - 1:
        words = f"if the pictures are grey, `np.repeat({name}[..., None], 3, -1)` makes it {shape_words([*whole, 3])}"
        yield Candidate(3, words, error_edits.passed(error, party, "np.repeat({x}[..., None], 3, -1)"))
    yield from _channels(error, party, whole)
    if not trained:
        yield from _other_input(error, party, whole)


def _not_added(error: FrameworkError, party: Party, whole: Shape) -> Iterator[Candidate]:
    """The axis too many left out, where the program added it."""
    fitting = next((one for one in without_one(whole) if _passes(error, one, party.role == "x")), None)
    for added in added_axes(error.sources, party) if fitting is not None else ():
        words = f"`{added.text}` ({line_words(added.frame)}) adds an axis that is there already: with `{added.inner}` "
        words += f"it is {shape_words(fitting)}"
        yield Candidate(0, words, added.edits, added.frame)


def _channels(error: FrameworkError, party: Party, whole: Shape) -> Iterator[Candidate]:
    """Pictures that fit but for the number of their channels."""
    wanted, last = error.facts.wanted, len(whole) - 1
    asked = (
        (wanted.shape[-1:] if wanted.shape else [wanted.axes.get("-1", wanted.axes.get(str(last)))]) if wanted else []
    )
    if last != 3 or not asked or not party.text or party.role == "element":
        return
    code, why = _CHANNELS.get((whole[-1], asked[0]), ("", ""))
    made = [*whole[:-1], asked[0]]
    if code and _passes(error, made, party.role == "x"):
        words = f"{why}, `{code.format(x=party.text)}` makes it {shape_words(made)}{error_edits.beside(error, party)}"
        yield Candidate(3, words, error_edits.passed(error, party, code))


def _meaning(axis: str, shape: Shape, layer: LayerFacts | None) -> str:
    """When an axis more is right."""
    if axis == "0":
        return " (if it is a single sample)"
    if layer is not None and (layer.type in _STEPWISE or layer.type == "InputLayer") and len(shape) == 3:
        return f" (if a row is {shape[1]} steps with {shape[2]} features)".replace(" 1 steps", " 1 step").replace(
            " 1 features", " 1 feature"
        )
    return " (if the channel or feature axis is missing)"


def _mapped(error: FrameworkError, code: str) -> str:
    """A change of each element of a data set; empty where one has other parts than x and y."""
    given, targets = error.of_role("element"), error.of_role("label")
    if len(given) != 1 or len(targets) > 1:
        return ""
    return f"{{x}}.map(lambda x, y: ({code}, y))" if targets else f"{{x}}.map(lambda x: {code})"


def _for_type(party: Party, code: str) -> str:
    """Code for an array as it is written for a list, a table or a tensor."""
    kind = party.type.rpartition(".")[2]
    if kind in ("list", "tuple", "DataFrame", "Series"):
        return code.replace("len({x})", "-1").replace("{x}", "np.asarray({x})")
    if kind == "EagerTensor" and ".reshape(" in code:
        return f"tf.reshape({{x}}, (-1, {code.partition(', ')[2]})"
    return "tf.transpose({x})" if kind == "EagerTensor" and code == "{x}.T" else code


def _of_change(change: Change, name: str, layer: LayerFacts | None, party: Party) -> tuple[str, str]:
    """The words for a change of data, and its code with `{x}` for the data; of a data set for one element."""
    made = f"makes it {shape_words(change.shape)}"
    if party.role == "element":
        in_map = change.code.format(x="x").replace(str(change.shape), str([-1, *change.shape[1:]]))
        return f"`{in_map}` in a `map` of `{name}` {made}", in_map
    if change.kind == "expand":
        axis = change.code.rpartition(",")[2].strip(" )")
        code = _for_type(party, "{x}[..., None]" if axis == "-1" else f"{{x}}[{':, ' * int(axis)}None]")
        return f"`{code.format(x=name)}` {made}{_meaning(axis, change.shape, layer)}", code
    if change.kind == "transpose":
        order = change.code.partition("[")[2].rstrip("])")
        code = f"np.transpose({{x}}, ({order}))" if order else _for_type(party, "{x}.T")
        return f"the axes are in the wrong order: `{code.format(x=name)}` {made}", code
    if change.kind in ("reshape", "flatten"):
        code = _for_type(party, f"{{x}}.reshape(len({{x}}), {', '.join(str(size) for size in change.shape[1:])})")
        return f"`{code.format(x=name)}` gives it the expected shape", code
    code = change.code.replace("tf.", "np.")
    return f"`{code.format(x=name)}` {made}", code


def _other_input(error: FrameworkError, party: Party, whole: Shape) -> Iterator[Candidate]:
    """The Input as the data are, where the layers behind it accept that; else with a Flatten."""
    entrance = input_layer(error)
    as_it_is = entrance is not None and (entrance.output_shape or [])[1:] == whole[1:]
    if entrance is None or as_it_is or len(whole) < 2 or None in whole[1:]:
        return
    inner = shape_words(whole[1:])
    where = f" ({line_words(entrance.made)})" if entrance.made else ""
    if plan_passes(error, entrance.name, [None, *whole[1:]], sure=True):
        words = f"`Input({inner})`{where} accepts the data as it is"
        yield Candidate(3, words, error_edits.declared(error, entrance, whole[1:]), entrance.made)
    elif (flat := count(whole[1:])) is not None and plan_passes(error, entrance.name, [None, flat], sure=True):
        words = f"use `Input({inner})` and a `Flatten`"
        yield Candidate(3, words, error_edits.declared_and_flat(error, entrance, whole[1:]), entrance.made)


def _passes(error: FrameworkError, shape: Shape, rows: bool = False) -> bool:
    """Whether the layer accepts a shape, those behind it what comes of it, and the loss the result. `rows` says that
    the shape is that of all rows of the call."""
    facts = error.facts
    layer = facts.layer
    if layer is None or (facts.wanted is not None and not accepts(facts.wanted, shape)):
        return False
    made = output(layer, [shape])
    if isinstance(made, Refusal):
        return False
    feeding = facts.feeding or input_layer(error)
    names = [one.name for one in facts.layers]
    if feeding is not None and feeding.name in names:
        return plan_passes(error, feeding.name, shape, rows)
    if layer.name in names and made is not None:
        return plan_passes(error, layer.name, made, rows)
    return True


def plan_passes(error: FrameworkError, start: str, shape: Shape, rows: bool = False, sure: bool = False) -> bool:
    """Whether the layers behind one accept that it gives a shape, and the targets go with what comes out. `sure` asks
    that the rule of every layer is known."""
    facts = error.facts
    at = next(n for n, one in enumerate(facts.layers) if one.name == start)
    passage = through(facts.layers[at:], {start: shape}, facts.model in ("", "Sequential"))
    if passage.refused is not None or (sure and not passage.is_known):
        return False
    made = passage.outputs.get(facts.layers[-1].name)
    targets = [party.shape for party in error.of_role("y") if party.shape]
    if not facts.call or made is None or len(targets) != 1 or targets[0] is None:
        return True
    agreed = not rows or agree(shape[0], targets[0][0])
    return agreed and losses.fits(facts.loss, [None, *targets[0][1:]], [None, *made[1:]])


def accepts(wanted: InputWanted, shape: Shape) -> bool:
    """Whether a shape is what a layer says that it wants."""
    rank = len(shape)
    if wanted.shape is not None and not conforms(shape, wanted.shape):
        return False
    if wanted.rank is not None and wanted.rank != rank:
        return False
    if (wanted.least_rank or 0) > rank or (wanted.most_rank is not None and wanted.most_rank < rank):
        return False
    return all(agree(shape[int(axis)], size) for axis, size in wanted.axes.items() if -rank <= int(axis) < rank)
