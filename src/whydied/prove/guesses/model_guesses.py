"""Keras models: a setting of a layer, a layer put in, the Input's shape, the loss, the targets. Pure.

The edit-makers of the rules are used without what the rules ask before: the trial decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.prove.guesses.scene import Guess, Scene
from whydied.records import LayerFacts, Party
from whydied.shapes.keras_layers import is_recurrent
from whydied.shapes.shape import Shape
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes.loss_edits import DENSE, SPARSE

_MOST_LAYERS = 30
_LOSSES = (SPARSE, DENSE, "binary_crossentropy", "mean_squared_error", "mse")


def layers(scene: Scene) -> Iterator[Guess]:
    error = scene.error
    if error is None or not (error.facts.layers or error.facts.layer is not None or error.facts.call):
        return
    yield from _sequences(error)
    yield from _put_in(error)
    yield from _widths(error)
    yield from _inputs(scene, error)
    # Elsewhere the targets are seldom to blame.
    other = 0.0 if scene.misfit is None or scene.misfit.kind == "target" else 1.0
    for guess in (*_targets(error), *_losses(error)):
        yield guess._replace(cost=guess.cost + other)
    yield from _convolutions(error)
    yield from _calls(error)


def _made(kind: str, title: str, wrong: str, edits: list[Edit] | None, cost: float) -> Iterator[Guess]:
    if edits:
        yield Guess(kind, title, wrong, edits, cost)


def _near(error: FrameworkError, layer: LayerFacts) -> float:
    """How far a layer is from the one that failed."""
    facts = error.facts
    names = [one.name for one in (facts.layer, facts.feeding, facts.shaping) if one is not None]
    return 0.0 if layer.name in names else 0.5


def _all(error: FrameworkError) -> list[LayerFacts]:
    facts = error.facts
    found = {one.name: one for one in facts.layers[:_MOST_LAYERS]}
    for one in (facts.layer, facts.feeding, facts.shaping):
        if one is not None:
            found.setdefault(one.name, one)
    return list(found.values())


def _sequences(error: FrameworkError) -> Iterator[Guess]:
    """Every step of a recurrent layer, or the last one alone."""
    for layer in _all(error):
        inner = layer.wrapped or layer
        if not is_recurrent(inner) or inner.settings.get("return_sequences") not in ("True", "False"):
            continue
        gives = inner.settings["return_sequences"] == "True"
        new = str(not gives)
        wrong = f'{layer.type} "{layer.name}" gives {"every step" if gives else "the last step alone"}'
        edits = error_edits.setting(error, layer, "return_sequences", new)
        yield from _made("sequences", f"Set `return_sequences={new}`", wrong, edits, 0.7 + _near(error, layer))


def _put_in(error: FrameworkError) -> Iterator[Guess]:
    """A layer before the one that failed, or before the last one."""
    facts = error.facts
    last = next((one for one in reversed(facts.layers) if one.type in ("Dense", "Activation", "Softmax")), None)
    about = [*error.of_role("input"), *error.of_role("output")]
    shape = next((one.shape for one in about if one.shape), None) or []
    targets = [one.shape for one in error.of_role("target", "y", "label") if one.shape is not None]
    for at, layer in enumerate(one for one in (facts.layer, last) if one is not None and one.made is not None):
        own = (layer.input_shape or shape) if at else shape
        for code, cost in _layers_for(own, error, targets):
            wrong = f'{layer.type} "{layer.name}" is given {tuple(own)}'
            text = next((party.text for party in error.of_role("input")), "")
            edits = error_edits.inserted(error, layer, code, text)
            yield from _made("layer", f"Put `{code}` before {layer.type}", wrong, edits, cost + 0.4 * at)


def _layers_for(shape: Shape, error: FrameworkError, targets: list[Shape]) -> Iterator[tuple[str, float]]:
    wanted = error.facts.wanted
    rank = (wanted.rank or wanted.least_rank or (len(wanted.shape) if wanted.shape else None)) if wanted else None
    if len(shape) >= 3:
        yield "Flatten()", 1.0
        yield f"GlobalAveragePooling{len(shape) - 2}D()", 1.4
    if rank is not None and len(shape) == rank - 1 and None not in shape[1:]:
        sizes = ", ".join(str(one) for one in shape[1:])
        yield f"Reshape(({sizes}, 1))", 1.3
        yield f"Reshape((1, {sizes}))", 1.6
    if rank is not None and len(shape) == rank + 1 and len(shape) >= 4 and None not in shape[1:]:
        yield f"Reshape(({shape[1]}, {_product(shape[2:])}))", 1.2
    for target in targets[:1]:
        if len(target) == len(shape) - 1:
            yield "Flatten()", 0.9


def _product(sizes: Shape) -> int:
    result = 1
    for one in sizes:
        result *= one or 1
    return result


def _widths(error: FrameworkError) -> Iterator[Guess]:
    """As many units or filters as the other side has."""
    facts = error.facts
    sizes = _sizes(error)
    chosen = _all(error)
    for layer in chosen[-6:] if len(chosen) > 6 else chosen:
        for word in ("units", "filters", "output_dim", "input_dim"):
            own = layer.settings.get(word)
            if own is None or not own.isdigit():
                continue
            for size in sizes:
                if size == int(own) or size <= 0:
                    continue
                is_last = bool(facts.layers) and layer.name == facts.layers[-1].name
                cost = 1.0 + _near(error, layer) - (0.5 if is_last and _is_of_target(error, size) else 0.0)
                edits = error_edits.setting(error, layer, word, str(size))
                wrong = f'{layer.type} "{layer.name}" has {word}={own} where {size} is needed'
                yield from _made("width", f"Set `{word}={size}`", wrong, edits, cost)


def _is_of_target(error: FrameworkError, size: int) -> bool:
    for party in error.of_role("target", "y", "label"):
        highest = (party.highest + 1) if party.highest is not None else None
        if size in (party.classes, highest, (party.shape or [None])[-1]):
            return True
    return False


def _sizes(error: FrameworkError) -> list[int]:
    """The sizes that the other side of the failure has."""
    found: list[int] = []
    for party in error.facts.parties:
        found += [one for one in (party.shape or [])[1:][-1:] if one is not None]
        if party.role in ("target", "y", "label"):
            found += [one for one in (party.classes, (party.highest + 1) if party.highest is not None else None) if one]
    wanted = error.facts.wanted
    if wanted is not None:
        found += [one for one in (wanted.shape or [])[-1:] if one is not None]
        found += list(wanted.axes.values())
    return list(dict.fromkeys(found))[:5]


def _inputs(scene: Scene, error: FrameworkError) -> Iterator[Guess]:
    """The shape that an Input declares, as the data have it: with an axis more or less, or without the rows."""
    given = [one.shape for one in error.of_role("x", "element", "feed") if one.shape]
    if not given and not _arrays(scene) and (scene.misfit is None or scene.misfit.kind != "shape"):
        given = [one.shape for one in error.of_role("input") if one.shape]
    for entrance in [one for one in _all(error) if one.type == "InputLayer" and one.output_shape]:
        was = (entrance.output_shape or [])[1:]
        wanted: list[tuple[Shape, float]] = [(shape[1:], 0.8) for shape in given if shape[1:]]
        wanted += [(shape, 1.5) for shape in given]
        wanted += [(shape[1:], 1.2) for shape in _arrays(scene) if len(shape) > 1 and not given]
        inner = 0.8 if scene.misfit is not None and scene.misfit.kind == "shape" else 0.0
        usual = ((was[1:], 1.5), ([*was, 1], 1.7), ([None, *was], 1.8), (was[:-1], 1.8))
        wanted += [(shape, cost + inner) for shape, cost in usual]
        told: list[Shape] = []
        for shape, cost in wanted:
            if not shape or shape == was or shape in told:
                continue
            told.append(shape)
            wrong = f"the Input declares {tuple(was)}"
            edits = error_edits.declared(error, entrance, shape)
            yield from _made("input", f"Declare the Input's shape as {tuple(shape)}", wrong, edits, cost)
            if len(shape) > len(was):
                flat = error_edits.declared_and_flat(error, entrance, shape)
                title = f"Declare the Input's shape as {tuple(shape)}, and flatten it"
                yield from _made("input", title, wrong, flat, cost + 0.4)


def _arrays(scene: Scene) -> list[Shape]:
    """The shapes of the arrays in sight: a model may fail while it is built, before it is given them."""
    found = [one.shape for frame in scene.frames for one in frame.locals if one.type.endswith("ndarray") and one.shape]
    return sorted({tuple(one): one for one in found}.values(), key=len, reverse=True)[:4]


def _targets(error: FrameworkError) -> Iterator[Guess]:
    """The targets as class numbers, as columns of classes, with an axis more or less; the data as arrays."""
    outputs = [one.shape for one in error.of_role("output") if one.shape] or [
        one.output_shape for one in error.facts.layers[-1:] if one.output_shape
    ]
    width = outputs[0][-1] if outputs else None
    ends = len(error.of_role("output")) or len(outputs)
    for party in error.of_role("y", "target", "label"):
        for code, cost in (*_for_several(party, ends), *_target_codes(party, width)):
            wrong = f"the targets `{party.text}` have shape {tuple(party.shape or [])}, the output {outputs[:1]}"
            edits = error_edits.passed(error, party, code) if party.text else None
            new = code.replace("{x}", party.text)
            yield from _made("target", f"Pass `{new}` instead of `{party.text}`", wrong, edits, cost)
    for party in error.of_role("x"):
        if party.type.endswith("list") and party.text:
            edits = error_edits.passed(error, party, "np.array({x})")
            wrong = f"`{party.text}` is a list"
            yield from _made("target", f"Pass `np.array({party.text})`", wrong, edits, 0.8)


def _for_several(party: Party, ends: int) -> Iterator[tuple[str, float]]:
    """One array for each output of a model that has several, and one array of all columns for a single one."""
    if ends > 1 and party.shape is not None and len(party.shape) > 1:
        yield f"[{{x}}[:, at] for at in range({ends})]", 0.6 if party.shape[-1] == ends else 1.6
        yield f"[{{x}}] * {ends}", 1.6
    if party.type.endswith(("list", "tuple")) and ends == 1:
        yield "np.stack({x}, axis=-1)", 1.0


def _target_codes(party: Party, width: int | None) -> Iterator[tuple[str, float]]:
    shape = party.shape
    if party.type.endswith(("list", "tuple")) or shape is None:
        yield "np.array({x})", 0.9
        return
    classes = party.classes or ((party.highest or 0) + 1)
    if not party.one_hot and width is not None and width > 1:
        yield f"keras.utils.to_categorical({{x}}, {max(width, classes)})", 1.1
    if party.one_hot or (shape and len(shape) > 1 and (shape[-1] or 0) > 1):
        yield "np.argmax({x}, axis=-1)", 1.2
    yield "{x}[..., None]", 1.5
    if party.lowest is not None and party.lowest > 0 and (party.highest or 0) >= (width or 1 << 30):
        yield f"{{x}} - {party.lowest}", 0.4
    if shape[-1:] == [1]:
        yield "{x}[..., 0]", 1.4
    if len(shape) > 2:
        yield "{x}.reshape(len({x}), -1)", 1.8
    if party.dtype in ("object", "string") or (party.dtype or "").startswith(("<U", "str")):
        yield "np.unique({x}, return_inverse=True)[1]", 0.6
        yield '{x}.astype("float32")', 0.8


def _losses(error: FrameworkError) -> Iterator[Guess]:
    loss = error.facts.loss
    known = loss.rpartition(".")[2]
    old = next((one for one in _LOSSES if one.replace("_", "") in known.lower().replace("_", "")), "")
    others = {SPARSE: (DENSE,), DENSE: (SPARSE, "binary_crossentropy"), "binary_crossentropy": (SPARSE, DENSE)}
    for at, new in enumerate(others.get(old, ())):
        edits = error_edits.loss(error, old, new)
        wrong = f"the loss {old} does not go with these targets"
        yield from _made("loss", f"Compile with {new}", wrong, edits, 1.0 + 0.4 * at)


def _convolutions(error: FrameworkError) -> Iterator[Guess]:
    """`padding="same"`, and steps of one."""
    for layer in _all(error):
        if layer.settings.get("padding") == "valid":
            edits = error_edits.setting(error, layer, "padding", '"same"')
            wrong = f'{layer.type} "{layer.name}" takes the edges away'
            yield from _made("padding", 'Set `padding="same"`', wrong, edits, 1.5 + _near(error, layer))
        strides = layer.settings.get("strides", "")
        if strides and strides.strip("[](), 1"):
            edits = error_edits.setting(error, layer, "strides", "1")
            wrong = f'{layer.type} "{layer.name}" goes in steps of {strides}'
            yield from _made("strides", "Set `strides=1`", wrong, edits, 2.0 + _near(error, layer))


def _calls(error: FrameworkError) -> Iterator[Guess]:
    """Data in batches, whole batches alone, single samples, data sets without or with batches."""
    for party in error.of_role("x", "element"):
        if not party.text:
            continue
        if party.type.endswith("Dataset") or party.role == "element":
            for code, cost in (("{x}.batch(32)", 0.8), ("{x}.unbatch()", 2.0)):
                edits = error_edits.passed_there(error, party, code)
                new = code.replace("{x}", party.text)
                wrong = f"`{party.text}` gives elements of shape {tuple(party.shape or [])}"
                yield from _made("batch", f"Pass `{new}`", wrong, edits, cost)
        elif party.shape is not None:
            for code, cost in _sample_codes(party, _asked(error)):
                edits = error_edits.passed(error, party, code)
                new = code.replace("{x}", party.text)
                wrong = f"`{party.text}` has shape {tuple(party.shape)}"
                yield from _made("data", f"Pass `{new}`", wrong, edits, cost)


def _asked(error: FrameworkError) -> Shape | None:
    """The shape that the layer at work wants, or the model's Input."""
    facts = error.facts
    if facts.wanted is not None and facts.wanted.shape is not None:
        return facts.wanted.shape
    return next((one.output_shape for one in facts.layers if one.type == "InputLayer" and one.output_shape), None)


def _sample_codes(party: Party, wanted: Shape | None) -> Iterator[tuple[str, float]]:
    shape = party.shape or []
    one_more = wanted is not None and len(wanted) == len(shape) + 1
    yield "{x}[..., None]", 0.9 if one_more else 2.0
    yield "{x}[None]", 1.0 if one_more else 2.2
    if len(shape) > 2:
        yield "{x}.reshape(len({x}), -1)", 1.6
    if shape[-1:] == [1]:
        yield "{x}[..., 0]", 1.4
        if wanted is not None and wanted[-1:] == [3]:
            yield "np.repeat({x}, 3, axis=-1)", 0.6
    if wanted is not None and len(wanted) == len(shape) + 1 and wanted[-1:] == [3]:
        yield "np.repeat({x}[..., None], 3, axis=-1)", 0.7
