"""The arguments of a call: one left out, two swapped, a switch turned, an axis changed, one that is missing. Pure."""

from __future__ import annotations

import ast
import difflib
import itertools
import re
from collections.abc import Iterator

from whydied.prove.guesses.scene import Guess, Scene, Site, is_about_shapes
from whydied.source.calls import callee
from whydied.source.edits.argument_edits import drop_argument
from whydied.source.edits.call_edits import add_argument, constant_behind, rename_argument
from whydied.source.edits.edit import over, written_in
from whydied.source.edits.shapes.value_edits import written as rewritten
from whydied.source.numbers import constants, evaluate
from whydied.source.trees import written
from whydied.texts import python_errors

_REDUCTIONS = {
    *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_any", "reduce_all"),
    *("mean", "sum", "max", "min", "std", "var", "norm", "prod", "any", "all"),
}
_AXES = (-1, 0, 1, 2)
_OF_SHAPES = {
    *(
        "strides",
        "padding",
        "axis",
        "input_shape",
        "batch_input_shape",
        "dilation_rate",
        "data_format",
        "initial_state",
    ),
    *("return_sequences", "return_state", "include_top", "stateful", "mask", "mask_zero", "batch_size", "input_dim"),
}
_CARRIED_OUT = {"validation_data", "callbacks", "metrics", "feed_dict", "validation_split", "x", "y", "epochs", "loss"}
"""Without them what fails would not be done at all."""
_RECURRENT = ("LSTM", "GRU", "SimpleRNN", "ConvLSTM2D", "RNN", "CuDNNLSTM", "CuDNNGRU")
_RANGES = ("range", "arange", "linspace", "slice")
"""Backwards they are empty, and what would have failed in them does not run."""


def arguments(scene: Scene) -> Iterator[Guess]:
    for site in scene.sites:
        if site.far > 3:
            continue
        for call in scene.nodes(site, ast.Call):
            yield from _dropped(scene, site, call)
            yield from _switched(scene, site, call)
            yield from _axis(scene, site, call)
            if site.far <= 1:
                yield from _swapped(scene, site, call)
                yield from _made_positional(scene, site, call)
                yield from _listed_otherwise(scene, site, call)
            yield from _outside(scene, site, call)
    yield from _accepted(scene)
    yield from _missing(scene)
    yield from _counts(scene)
    yield from _named(scene)


def _dropped(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    source = scene.sources[site.file]
    shapes = is_about_shapes(scene)
    demanded = {one.parameter or one.given_as for one in (scene.refused.demands if scene.refused else [])}
    for word in call.keywords:
        unknown = python_errors.UNEXPECTED_ARGUMENT.search(scene.link.message) is not None
        if word.arg is None or (word.arg in _CARRIED_OUT and not unknown):
            continue
        named = word.arg in demanded or f"'{word.arg}'" in scene.link.message or f"`{word.arg}`" in scene.link.message
        yield Guess(
            "argument-dropped",
            f"Leave out `{written(word)}`",
            f"`{callee(call)}` must not be given `{word.arg}` here",
            [drop_argument(source, site.file, call, word)],
            (0.6 if named else 1.4 if shapes and word.arg in _OF_SHAPES else 2.9) + 0.5 * site.far,
        )


def _switched(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    if callee(call) in _RECURRENT and not any(word.arg == "return_sequences" for word in call.keywords):
        edit = add_argument(scene.sources[site.file], site.file, call, "return_sequences=True")
        wrong = f"`{callee(call)}` gives the last step alone"
        yield Guess("sequences", "Set `return_sequences=True`", wrong, [edit], 1.0 + 0.3 * site.far)
    for word in call.keywords:
        if isinstance(word.value, ast.Constant) and isinstance(word.value.value, bool):
            new = str(not word.value.value)
            cost = 0.9 if word.arg in ("return_sequences", "include_top", "return_state", "from_logits") else 2.2
            yield Guess(
                "switch",
                f"Set `{word.arg}={new}`",
                f"`{callee(call)}` has `{written(word)}`",
                [over(scene.sources[site.file], site.file, word.value, new)],
                cost + 0.4 * site.far,
            )


def _axis(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    """Another axis, and the axis of a reduction kept."""
    source = scene.sources[site.file]
    shapes = is_about_shapes(scene)
    word = next((one for one in call.keywords if one.arg in ("axis", "axes", "perm", "dims")), None)
    cost = (1.6 if shapes else 2.8) + 0.5 * site.far
    now = evaluate(word.value, constants(source.tree)) if word is not None else None
    if word is not None and now is not None:
        for at, axis in enumerate(one for one in _AXES if one != now):
            by_name = constant_behind(source.tree, word.value)
            edit = over(source, site.file, by_name or word.value, str(axis))
            title = f"Use `{word.arg}={axis}` in `{callee(call)}`"
            yield Guess("axis", title, f"`{written(call)}` works along the wrong axis", [edit], cost + 0.3 * at)
    reduces = callee(call) in _REDUCTIONS and not any(one.arg == "keepdims" for one in call.keywords)
    if reduces and shapes and (word is not None or len(call.args) > 1):
        edit = add_argument(source, site.file, call, "keepdims=True")
        wrong = f"`{written(call)}` loses the axis that it goes over"
        yield Guess("axis", f"Add `keepdims=True` to `{callee(call)}`", wrong, [edit], cost - 0.2)


def _swapped(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    """Two positional arguments in the other order; of three also the first as the last one."""
    source = scene.sources[site.file]
    given = call.args
    if any(isinstance(one, ast.Starred) for one in given) or not 2 <= len(given) <= 4 or callee(call) in _RANGES:
        return
    for at, moved in enumerate(itertools.combinations(range(len(given)), 2)):
        order = list(range(len(given)))
        order[moved[0]], order[moved[1]] = moved[1], moved[0]
        kinds = {str(scene.known(site, given[one]) or _literal(given[one])) for one in moved}
        if len(kinds) < 2 and scene.misfit is None:
            continue
        texts = [written_in(source, given[place]) for place in order]
        edits = [over(source, site.file, given[one], texts[one]) for one in moved]
        new = f"{written(call.func)}({', '.join(texts)})"
        wrong = f"the arguments of `{callee(call)}` are in the wrong order"
        yield Guess("order", f"Swap the arguments: `{new}`", wrong, edits, 1.9 + 0.2 * at + 0.8 * site.far)


def _listed_otherwise(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    """Two values of a list in the other order: the inputs of a model."""
    source = scene.sources[site.file]
    given = [*call.args, *(word.value for word in call.keywords)]
    for node in given if is_about_shapes(scene) else []:
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) in (2, 3) and not _has_numbers(node):
            for one, other in itertools.combinations(node.elts, 2):
                edits = [over(source, site.file, one, written_in(source, other))]
                edits.append(over(source, site.file, other, written_in(source, one)))
                wrong = f"`{written(node)}` is in the wrong order"
                yield Guess(
                    "order", f"Swap `{written(one)}` and `{written(other)}`", wrong, edits, 1.4 + 0.5 * site.far
                )


def _has_numbers(node: ast.List | ast.Tuple) -> bool:
    return any(isinstance(one, ast.Constant | ast.Starred) for one in node.elts)


def _named(scene: Scene) -> Iterator[Guess]:
    """The positional arguments by their names, in the order in which they are declared or the other way round."""
    called = scene.called
    if called is None or called.frame is None or called.frame.file not in scene.sources or called.defined is not None:
        return
    file, source = called.frame.file, scene.sources[called.frame.file]
    for call in scene.nodes(_at(scene, file, called.frame.line), ast.Call):
        names = called.parameters[: len(call.args)]
        if written(call.func) != called.callee or not call.args or len(names) != len(call.args):
            continue
        if any(isinstance(one, ast.Starred) for one in call.args):
            continue
        texts = [written_in(source, one) for one in call.args]
        wrong = f"the arguments of `{called.callee}` do not stand for what is meant"
        offered = [
            names[::-1],
            *([called.parameters[1 : len(names) + 1]] if len(called.parameters) > len(names) else []),
        ]
        for at, own in enumerate([names, *offered]):
            pairs = zip(call.args, own, texts, strict=True)
            edits = [over(source, file, one, f"{name}={text}") for one, name, text in pairs]
            title = f"Pass {', '.join(f'`{name}=`' for name in own)}"
            yield Guess("named", title, wrong, edits, 1.9 + 0.3 * at)


def _literal(node: ast.expr) -> object:
    return type(node.value).__name__ if isinstance(node, ast.Constant) else written(node)


def _made_positional(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    """A list that is to be several arguments, and several that are to be one list."""
    source = scene.sources[site.file]
    if scene.link.type != "TypeError":
        return
    if len(call.args) == 1 and isinstance(call.args[0], ast.Name | ast.Attribute):
        text = written_in(source, call.args[0])
        edit = over(source, site.file, call.args[0], f"*{text}")
        wrong = f"`{callee(call)}` takes the items of `{text}` one by one"
        yield Guess("unpacked", f"Pass `*{text}`", wrong, [edit], 2.0 + site.far)
    if len(call.args) > 1 and not any(isinstance(one, ast.Starred) for one in call.args):
        words = ", ".join(written_in(source, one) for one in call.args)
        first, last = over(source, site.file, call.args[0], ""), over(source, site.file, call.args[-1], "")
        edit = first.__class__(site.file, first.start, last.end, f"[{words}]")
        taker = callee(call.func) if isinstance(call.func, ast.Call) else callee(call)
        wrong = f"`{taker or written(call.func)}` takes one list"
        yield Guess("packed", f"Pass `[{words}]`", wrong, [edit], 1.8 + site.far)


def _outside(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    """`Concatenate([a, b], axis=1)` as `Concatenate(axis=1)([a, b])`: tensors given to what makes a layer."""
    source = scene.sources[site.file]
    name = callee(call)
    is_layer = name[:1].isupper() and not name.isupper() and call.args
    if not is_layer or site.far > 2 or isinstance(call.args[0], ast.Constant | ast.Starred):
        return
    if any(one.func is call for one in scene.nodes(site, ast.Call)):
        return
    given = written_in(source, call.args[0])
    others = [written_in(source, one) for one in call.args[1:]] + [written_in(source, one) for one in call.keywords]
    text = f"{written_in(source, call.func)}({', '.join(others)})({given})"
    about = 0.0 if scene.link.type in ("TypeError", "ValueError", "AttributeError") else 1.0
    wrong = f"`{name}` makes a layer, which is called on `{given}`"
    yield Guess("called", f"Write `{text}`", wrong, [over(source, site.file, call, text)], 1.9 + about + 0.6 * site.far)


def _accepted(scene: Scene) -> Iterator[Guess]:
    """An argument that the callee does not have, under the names that are like it."""
    called = scene.called
    if called is None or called.frame is None or called.frame.file not in scene.sources or not called.accepted:
        return
    source = scene.sources[called.frame.file]
    for call in scene.nodes(_at(scene, called.frame.file, called.frame.line), ast.Call):
        for word in call.keywords:
            if word.arg is None or word.arg in called.accepted or written(call.func) != called.callee:
                continue
            near = difflib.get_close_matches(word.arg, called.accepted, 3, 0.5)
            for at, other in enumerate(near):
                edit = rename_argument(source, called.frame.file, call, word.arg, other)
                wrong = f"`{callee(call)}` has no argument `{word.arg}`"
                if edit is not None:
                    yield Guess("near", f"Write `{other}` instead of `{word.arg}`", wrong, [edit], 0.6 + 0.4 * at)


def _at(scene: Scene, file: str, line: int) -> Site:
    return Site(file, line, 0, {})


def _missing(scene: Scene) -> Iterator[Guess]:
    """A required argument that was not given, where something in sight is called so."""
    called = scene.called
    if called is None or called.frame is None or called.frame.file not in scene.sources:
        return
    given = {one.parameter for one in called.arguments if one.text}
    source, site = scene.sources[called.frame.file], _at(scene, called.frame.file, called.frame.line)
    sight = scene.names_in_sight(site)
    calls = [one for one in scene.nodes(site, ast.Call) if written(one.func) == called.callee]
    for name in [one for one in called.required if one not in given and one in sight]:
        for call in calls[:1]:
            edit = add_argument(source, called.frame.file, call, f"{name}={name}")
            yield Guess("argument", f"Pass `{name}={name}`", f"`{called.callee}` needs `{name}`", [edit], 0.8)


_COUNT = re.compile(r"(size|num|count|depth|units|length|classes|^n_|^n$|^k$)")


def _counts(scene: Scene) -> Iterator[Guess]:
    """A tensor or an array for a parameter that takes a number of it: its rows, or its width."""
    called = scene.called
    if called is None or called.frame is None or called.frame.file not in scene.sources:
        return
    source, site = scene.sources[called.frame.file], _at(scene, called.frame.file, called.frame.line)
    calls = [one for one in scene.nodes(site, ast.Call) if written(one.func) == called.callee]
    for given in called.arguments:
        counted = given.shape or given.length is not None
        if not _COUNT.search(given.parameter) or not counted or not given.text or len(calls) != 1:
            continue
        for node in [one for one in calls[0].args if written(one) == given.text]:
            of_tensor = "Tensor" in given.type
            codes = ("tf.shape({x})[0]", "{x}.shape[-1]") if of_tensor else ("len({x})", "{x}.shape[-1]")
            for at, code in enumerate(codes if given.shape else codes[:1]):
                edits = rewritten(source, called.frame.file, node, f"{given.parameter}={code}")
                new = code.replace("{x}", given.text)
                wrong = f"`{given.parameter}` is a number, and `{given.text}` has shape {tuple(given.shape or [])}"
                yield Guess("count", f"Pass `{given.parameter}={new}`", wrong, edits, 0.6 + 0.5 * at)
