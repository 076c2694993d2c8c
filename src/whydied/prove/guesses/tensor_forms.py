"""A value with other axes or of another type: at its use, at its function's beginning, where it is made. Pure.

What TensorFlow's own rule of the op accepted comes first (`OperandTrial`), then what gives the recorded shapes and
types the wanted ones, then the usual changes of a value's axes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whydied.diagnose.errors.framework_error import sizes_in
from whydied.prove.guesses.scene import Guess, Known, Scene, Site, is_about_shapes
from whydied.records import Party
from whydied.shapes.changes import changes
from whydied.shapes.shape import Shape, conforms, count
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.value_edits import (
    every_use_edits,
    in_words_of,
    made_edits,
    operand_edits,
    parameter_edits,
    use_edits,
)
from whydied.source.edits.shapes.value_edits import written as rewritten
from whydied.source.trees import around, walk, written
from whydied.texts import graph_messages

_ARRAYS = ("ndarray", "list", "Series", "DataFrame")
_FEEDS = ("{x}[None]", "np.array({x})", "np.reshape({x}, (-1, 1))", "np.reshape({x}, (len({x}), -1))", "{x}[0]")
_DTYPE = re.compile(r"\b(float16|float32|float64|int8|uint8|int32|int64|bool|string)\b")
_WHOLE = ("int", "uint", "bool")


def tensors(scene: Scene) -> Iterator[Guess]:
    yield from _accepted(scene)
    yield from _axes(scene)
    yield from _types(scene)
    yield from _written_types(scene)
    yield from _open_sizes(scene)
    yield from _fed(scene)
    yield from _looped(scene)


def _looped(scene: Scene) -> Iterator[Guess]:
    """A variable of a graph's loop that has another shape or type after an iteration, kept as it was before."""
    text = scene.link.message
    shapes, types = graph_messages.SHAPE_CHANGES.pattern.search(text), graph_messages.DTYPE_CHANGES.pattern.search(text)
    told = shapes or types
    codes = _kept_shape(sizes_in(shapes["before"]), sizes_in(shapes["after"] or "")) if shapes else []
    codes += [f"tf.cast({{x}}, tf.{types['one']})"] if types else []
    if told is None or not scene.frames:
        return
    file = scene.frames[0].file
    source, function = scene.sources[file], scene.frames[0].line
    loops = [one for one in around(source.tree, function, ast.stmt) if isinstance(one, ast.For | ast.While)]
    inside = [one for loop in loops[-1:] for one in walk(loop, ast.Assign) if written(one.targets[0]) == told["name"]]
    for one in inside[-1:]:
        for at, code in enumerate(codes):
            edits = rewritten(source, file, one.value, code)
            wrong = f"`{told['name']}` has another form after an iteration of the loop than before it"
            new = code.format(x=written_in(source, one.value))
            yield Guess("looped", f"Write `{new}`", wrong, edits, 0.4 + 0.1 * at)


def _kept_shape(before: Shape, after: Shape) -> list[str]:
    """What brings the second shape back to the first: an axis of one taken away or added, else a reshape."""
    for axis in range(len(after)):
        if after[axis] == 1 and after[:axis] + after[axis + 1 :] == before:
            return [f"tf.squeeze({{x}}, {axis})"]
    for axis in range(len(before)):
        if before[axis] == 1 and before[:axis] + before[axis + 1 :] == after:
            return [f"tf.expand_dims({{x}}, {axis})"]
    return []


def _open_sizes(scene: Scene) -> Iterator[Guess]:
    """`tf.shape(x)[0]` for `x.shape[0]`, and a size of a reshape left to the values."""
    for site in scene.sites:
        source = scene.sources[site.file]
        if site.far > 2:
            continue
        for node in scene.nodes(site, ast.Subscript):
            value = node.value
            if isinstance(value, ast.Attribute) and value.attr == "shape" and isinstance(node.ctx, ast.Load):
                text = f"tf.shape({written_in(source, value.value)})[{written_in(source, node.slice)}]"
                new, needed = in_words_of(source, site.file, text)
                wrong = f"`{written(node)}` is not known while a function is traced"
                edits = [*needed, over(source, site.file, node, new)]
                yield Guess("open-size", f"Write `{new}`", wrong, edits, 0.9 + 0.5 * site.far)
        for call in scene.nodes(site, ast.Call):
            if callee(call) not in ("reshape", "Reshape", "view"):
                continue
            last = call.args[-1] if call.args else None
            parts = last.elts if isinstance(last, ast.Tuple | ast.List) else call.args[:]
            if any(written(one) == "-1" for one in parts):
                continue
            for at, one in enumerate(parts):
                if isinstance(one, ast.Starred) or (len(parts) > 1 and scene.known(site, one) is not None and
                                                    (scene.known(site, one) or Known("")).shape):  # fmt: skip
                    continue
                wrong = f"`{written(call)}` asks for another number of values"
                edit = over(source, site.file, one, "-1")
                yield Guess("open-size", f"Leave `{written(one)}` to the values (-1)", wrong, [edit],
                            1.1 + 0.2 * at + 0.5 * site.far)  # fmt: skip


def _written_types(scene: Scene) -> Iterator[Guess]:
    """Another type where one is written: of a placeholder, a constant, an Input, a cast."""
    dtypes = _dtypes(scene)
    if len(dtypes) < 2 or is_about_shapes(scene):
        return
    for site in scene.sites:
        source = scene.sources[site.file]
        for node in scene.nodes(site, (ast.Attribute, ast.Constant)):
            own = node.attr if isinstance(node, ast.Attribute) else getattr(node, "value", None)
            if own not in dtypes or not isinstance(node, ast.expr):
                continue
            for other in [one for one in dtypes if one != own]:
                new = f"{written(node)[: -len(own)]}{other}" if isinstance(node, ast.Attribute) else f'"{other}"'
                wrong = f"it is made as {own} where {other} is expected"
                edit = over(source, site.file, node, new)
                yield Guess("dtype", f"Write `{new}` instead of `{written(node)}`", wrong, [edit], 0.9 + 0.4 * site.far)


def _dtypes(scene: Scene) -> list[str]:
    """The types that the exception is about."""
    parties = [one.dtype for one in (scene.facts.parties if scene.facts is not None else []) if one.dtype]
    said = _DTYPE.findall(scene.link.message)
    return list(dict.fromkeys([*parties, *said]))[:3]


def _fed(scene: Scene) -> Iterator[Guess]:
    """What a session is fed: a batch of it, an array, columns."""
    if "feed" not in scene.rule and "feed" not in scene.link.message:
        return
    for site in scene.sites:
        for literal in scene.nodes(site, ast.Dict):
            for value in literal.values:
                for at, code in enumerate(_FEEDS):
                    edits = rewritten(scene.sources[site.file], site.file, value, code)
                    new = code.replace("{x}", written(value))
                    wrong = f"`{written(value)}` is not what the placeholder takes"
                    yield Guess("feed", f"Feed `{new}`", wrong, edits, 1.0 + 0.25 * at + 0.3 * site.far)


def _accepted(scene: Scene) -> Iterator[Guess]:
    """What the op's own rule accepts."""
    facts = scene.facts
    if facts is None or facts.place is None or facts.place.file not in scene.sources:
        return
    operands = [one for one in facts.parties if one.role == "operand"]
    source, place = scene.sources[facts.place.file], facts.place
    for trial in facts.trials:
        if not 0 <= trial.at < len(operands) or not operands[trial.at].text:
            continue
        party = operands[trial.at]
        texts = [one.text for one in operands]
        wrong = _wrong(party.text or f"operand {trial.at}", party.shape, party.dtype, trial.code)
        cost = 0.3 + 0.4 * trial.cost
        at_use = operand_edits(source, place.file, place.line, texts, trial.at, trial.code)
        yield from _written(trial.code, party.text, wrong, at_use, cost)
        if party.text.isidentifier():
            begun = parameter_edits(source, place.file, place.line, party.text, trial.code)
            yield from _written(trial.code, party.text, wrong, begun, cost + 0.3)
            made = made_edits(source, place.file, place.line, party.text, trial.code)
            yield from _written(trial.code, party.text, wrong, made, cost + 0.4)


def _written(code: str, text: str, wrong: str, edits: list[Edit] | None, cost: float) -> Iterator[Guess]:
    if edits:
        new = code.replace("{x}", text or "…")
        yield Guess("shape", f"Write `{new}` instead of `{text or 'the operand'}`", wrong, edits, cost)


def _wrong(text: str, shape: Shape | None, dtype: str | None, code: str) -> str:
    what = "cast" in code or "astype" in code
    if what:
        return f"`{text}` is {dtype or 'of another type'}"
    return f"`{text}` has shape {tuple(shape) if shape is not None else 'unknown'}"


def _axes(scene: Scene) -> Iterator[Guess]:
    """Other axes of what the failing statements use, where the exception is about shapes."""
    if not is_about_shapes(scene):
        return
    wanted = _wanted(scene)
    roles = {party.text: party.role for party in (scene.facts.parties if scene.facts is not None else [])}
    for site in scene.sites:
        if not site.is_running or site.far > 2:
            continue
        nodes = scene.nodes(site, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
        for node in nodes:
            known = scene.known(site, node)
            if known is None or known.shape is None or not isinstance(node, ast.expr):
                continue
            if isinstance(getattr(node, "ctx", None), ast.Store) or _is_inner(scene, site, node):
                continue
            party = roles.get(written(node), "")
            near = site.far + (0.0 if party else 0.7)
            for code, cost in _codes(known, wanted, known.name in _ARRAYS, len(nodes)):
                edits = rewritten(scene.sources[site.file], site.file, node, code)
                wrong = _wrong(written(node), known.shape, known.dtype, code)
                yield from _written(code, written(node), wrong, edits, cost + near)


def _is_inner(scene: Scene, site: Site, node: ast.expr) -> bool:
    """Whether only a part of a value is used: its shape, its length, an item of it."""
    for one in scene.nodes(site, (ast.Attribute, ast.Subscript)):
        if isinstance(one, ast.Attribute | ast.Subscript) and one.value is node:
            return True
    return any(one.func is node for one in scene.nodes(site, ast.Call))


def _wanted(scene: Scene) -> list[Shape]:
    """The shapes that something asked for."""
    found: list[Shape] = []
    facts = scene.facts
    if facts is not None:
        if facts.wanted is not None and facts.wanted.shape is not None:
            found.append(facts.wanted.shape)
        found += [one.output_shape for one in facts.layers if one.type == "InputLayer" and one.output_shape]
        found += [party.shape for party in facts.parties if party.shape is not None and party.role != "size"]
    return found


def _codes(known: Known, wanted: list[Shape], is_array: bool, others: int) -> list[tuple[str, float]]:
    """Each way to write other axes, with its cost: less where the shape then is one that is wanted."""
    shape: Shape = known.shape or []
    found: dict[str, float] = {}
    for one in wanted:
        for change in changes(shape, one):
            fits = one != shape and (change.shape == one or (None not in one and conforms(change.shape, one)))
            if "None" in change.code:
                continue
            if fits or (change.kind in ("expand", "squeeze") and len(change.shape) == len(one)):
                code = _short(change.code, is_array)
                found[code] = min(found.get(code, 9.0), (0.7 if fits else 1.3) + 0.3 * change.cost)
        if len(one) == 2 and len(shape) > 2 and None not in shape[1:] and one[-1] == count(shape[1:]):
            found["tf.reshape({x}, (len({x}), -1))" if not is_array else "{x}.reshape(len({x}), -1)"] = 0.8
    usual = ["{x}[..., None]", "{x}[None, ...]"] if is_array else ["tf.expand_dims({x}, -1)", "tf.expand_dims({x}, 0)"]
    usual += ["{x}[0]"] if len(shape) > 1 else []
    usual += ["{x}.shape"] if is_array else ["tf.shape({x})[0]"]
    usual += ["{x}[..., 0]"] if len(shape) > 1 and shape[-1] == 1 else []
    usual += ["{x}[:, -1]"] if len(shape) == 3 else []
    usual += ["np.transpose({x})" if is_array else "tf.transpose({x})"] if len(shape) == 2 else []
    usual += ["np.squeeze({x})" if is_array else "tf.squeeze({x})"] if 1 in shape else []
    for number, code in enumerate(usual):
        found.setdefault(code, 2.0 + 0.2 * number)
    return sorted(found.items(), key=lambda one: one[1])[:6]


def _short(code: str, is_array: bool) -> str:
    """As one writes it for an array."""
    if not is_array:
        return code
    if code == "tf.expand_dims({x}, -1)":
        return "{x}[..., None]"
    return code.replace("tf.expand_dims({x}, 0)", "{x}[None, ...]").replace("tf.", "np.")


def _types(scene: Scene) -> Iterator[Guess]:
    """A cast of one side or the other, and of what an array holds."""
    found = scene.misfit
    is_about = found is not None and found.kind == "dtype"
    if not is_about and "dtype" not in scene.rule and ("dtype" not in scene.link.message or is_about_shapes(scene)):
        return
    facts = scene.facts
    parties = [one for one in (facts.parties if facts is not None else []) if one.dtype]
    dtypes = list(dict.fromkeys([*(one.dtype for one in parties), "float32"]))
    for site in scene.sites:
        if not site.is_running or site.far > 1:
            continue
        for node in scene.nodes(site, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            known = scene.known(site, node)
            if known is None or known.dtype is None or not isinstance(node, ast.expr):
                continue
            if isinstance(getattr(node, "ctx", None), ast.Store) or _is_inner(scene, site, node):
                continue
            for dtype in dtypes:
                if dtype and dtype != known.dtype and dtype not in ("resource", "variant", "string", "object"):
                    yield from _cast(scene, site, node, known, dtype)
    for party in parties:
        yield from _at_maker(scene, party, dtypes)


def _cast(scene: Scene, site: Site, node: ast.expr, known: Known, dtype: str) -> Iterator[Guess]:
    code = f'{{x}}.astype("{dtype}")' if known.name in _ARRAYS[:1] else f"tf.cast({{x}}, tf.{dtype})"
    # To a wider type nothing is lost.
    loses = not (known.dtype or "").startswith(_WHOLE) and dtype.startswith(_WHOLE)
    cost = 0.8 + (0.6 if loses else 0.0) + 0.8 * site.far
    source = scene.sources[site.file]
    wrong = f"`{written(node)}` is {known.dtype} where {dtype} is expected"
    yield from _written(code, written(node), wrong, rewritten(source, site.file, node, code), cost)
    if isinstance(node, ast.Name):
        every = every_use_edits(source, site.file, site.line, node.id, code)
        yield from _written(code, node.id, wrong, every, cost + 0.1)
        begun = parameter_edits(source, site.file, site.line, node.id, code)
        yield from _written(code, node.id, wrong, begun, cost - 0.1)
        yield from _written(code, node.id, wrong, made_edits(source, site.file, site.line, node.id, code), cost + 0.3)


def _at_maker(scene: Scene, party: Party, dtypes: list[str | None]) -> Iterator[Guess]:
    """The type that a line says where a value is made: of a placeholder, a constant, an Input."""
    for source_of in party.sources[:3]:
        frame = source_of.frame
        source = scene.sources.get(frame.file) if frame is not None else None
        if frame is None or source is None or party.dtype is None:
            continue
        for dtype in dtypes:
            if not dtype or dtype == party.dtype:
                continue
            for old, new in ((f"tf.{party.dtype}", f"tf.{dtype}"), (f"np.{party.dtype}", f"np.{dtype}"),
                             (repr(party.dtype), repr(dtype))):  # fmt: skip
                edits = use_edits(source, frame.file, frame.line, old, new)
                if edits:
                    wrong = f"it is made as {party.dtype} where {dtype} is expected"
                    yield Guess("dtype", f"Write `{new}` instead of `{old}`", wrong, edits, 0.9)
