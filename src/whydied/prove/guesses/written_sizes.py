"""Numbers that are written: the size that the other side has, one more or one less, a whole number for a fraction.
Pure."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from whydied.prove.guesses.scene import Guess, Scene, Site
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.whole_numbers import number_edit, one_more
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import across, walk, written
from whydied.texts import python_errors
from whydied.texts.entry import any_of
from whydied.texts.range_error import parse

_MOST_PAIRS = 6
_COUNTED = {"Embedding": 0, "Dense": 0, "one_hot": 1, "to_categorical": 1, "embedding_lookup": 9, "eye": 0}
_COUNT_WORDS = ("input_dim", "units", "depth", "num_classes", "vocab_size")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?![\w.])")
_SHAPE = re.compile(r"[(\[]\s*(?:None|\?|\d+)(?:\s*,\s*(?:None|\?|\d+))*,?\s*[)\]]")
_FLOAT_FOR_INT = any_of(python_errors.FLOAT_FOR_INTEGER, python_errors.FLOAT_INDEX)


def sizes(scene: Scene) -> Iterator[Guess]:
    yield from _other_side(scene)
    yield from _in_range(scene)
    yield from _one_more(scene)
    yield from _fractions(scene)


def pairs(scene: Scene) -> list[tuple[int, int]]:
    """Two sizes that should have been the same, each way."""
    found: list[tuple[int, int]] = []
    misfit = scene.misfit
    for _, _, one, other in misfit.axes if misfit is not None else ():
        if one is not None and other is not None:
            found += [(one, other), (other, one)]
    facts = scene.facts
    if not found and facts is not None:
        wanted = facts.wanted
        for party in facts.parties if wanted is not None else []:
            for at, size in (wanted.axes if wanted is not None else {}).items():
                own = (
                    (party.shape or [])[int(at)]
                    if -len(party.shape or []) <= int(at) < len(party.shape or [])
                    else None
                )
                found += [(own, size), (size, own)] if own is not None and own != size else []
    if not found:
        shapes = [[int(one) for one in _NUMBER.findall(text)] for text in _SHAPE.findall(scene.link.message)]
        for here, there in itertools.pairwise(shapes):
            for first, second in zip(here[::-1], there[::-1], strict=False):
                found += [(second, first), (first, second)] if first != second else []
    if not found:
        said = [int(one) for one in _NUMBER.findall(scene.link.message)][:6]
        distinct = [one for one in dict.fromkeys(said) if one > 1]
        if len(distinct) == 2:
            found += [(distinct[0], distinct[1]), (distinct[1], distinct[0])]
    return [one for one in dict.fromkeys(found) if min(one) > 0][:_MOST_PAIRS]


def _other_side(scene: Scene) -> Iterator[Guess]:
    """A number of the program that is one of two sizes which differ: the other one in its place."""
    near = {(one.file, scene.sources[one.file].span(one.line)[0]): one.far for one in scene.sites}
    told = pairs(scene)
    for file, node in across(scene.sources, ast.Constant):
        if type(node.value) is not int:
            continue
        source = scene.sources[file]
        far = near.get((file, source.span(node.lineno)[0]))
        for was, new in told:
            if node.value == was:
                edit = over(source, file, node, str(new))
                cost = (
                    1.3
                    + (0.3 * far if far is not None else 1.2)
                    + (0.5 if _is_shared(source, node) else 0.0)
                    + (0.4 if was < 4 else 0.0)
                )
                yield Guess(
                    "size", f"Write {new} instead of {was}", f"{was} is written where {new} is needed", [edit], cost
                )
            elif was and new % was == 0 and node.value == 1 and new // was in (2, 3, 4):
                # `SIDE * SIDE * 1` for pictures of three channels.
                products = [one for one in walk(source.tree, ast.BinOp) if isinstance(one.op, ast.Mult)]
                if any(node in (one.left, one.right) for one in products):
                    edit = over(source, file, node, str(new // was))
                    wrong = f"the product is {was} where {new} is needed"
                    yield Guess("size", f"Write {new // was} instead of 1", wrong, [edit], 1.0)
    yield from _names_of_sizes(scene, told)


def _is_shared(source: Source, node: ast.Constant) -> bool:
    """Whether a number is the value of a name of the module that several lines use: all of them would change."""
    for top in source.tree.body:
        if isinstance(top, ast.Assign) and any(one is node for one in ast.walk(top.value)):
            names = {one.id for target in top.targets for one in walk(target, ast.Name)}
            return sum(one.id in names for one in walk(source.tree, ast.Name)) > 2
    return False


def _names_of_sizes(scene: Scene, told: list[tuple[int, int]]) -> Iterator[Guess]:
    """A constant of the program that has the other size, in the place of the one that has this."""
    for file, source in scene.sources.items():
        named = {
            target.id: value.value
            for node in source.tree.body
            if isinstance(node, ast.Assign)
            for target, value in _single(node)
            if type(value.value) is int
        }
        for site in scene.sites:
            if site.file != file:
                continue
            for node in scene.nodes(site, ast.Name):
                for was, new in told:
                    others = [name for name, value in named.items() if value == new]
                    if named.get(node.id) == was and isinstance(node.ctx, ast.Load):
                        for other in others[:1]:
                            edit = over(source, file, node, other)
                            wrong = f"`{node.id}` ({was}) is used where `{other}` ({new}) is meant"
                            title = f"Write `{other}` instead of `{node.id}`"
                            yield Guess("size", title, wrong, [edit], 1.5 + 0.3 * site.far)


def _single(node: ast.Assign) -> Iterator[tuple[ast.Name, ast.Constant]]:
    for target in node.targets:
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Constant):
            yield target, node.value
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for one, value in zip(target.elts, node.value.elts, strict=False):
                if isinstance(one, ast.Name) and isinstance(value, ast.Constant):
                    yield one, value


def _in_range(scene: Scene) -> Iterator[Guess]:
    """As many rows, classes or units as the refused number asks for, wherever the program makes them."""
    refused = parse(scene.link.message)
    if refused is None or refused.high is None:
        return
    wanted = refused.value + 1
    for file, call in across(scene.sources, ast.Call):
        name, source = callee(call), scene.sources[file]
        if name not in _COUNTED or any(isinstance(one, ast.Starred) for one in call.args):
            continue
        part = call.args[_COUNTED[name]] if len(call.args) > _COUNTED[name] else None
        part = part or next((word.value for word in call.keywords if word.arg in _COUNT_WORDS), None)
        if part is None or refused.value < 0:
            continue
        was = evaluate(part, constants(source.tree))
        if was is not None and was != refused.high:
            continue
        edit = number_edit(source, file, part, wanted) or one_more(source, file, part, wanted)
        wrong = f"`{name}` is made for {refused.high}, and {refused.value} occurs"
        cost = (0.4 if was is not None else 0.9) + (0.4 if name == "Dense" and refused.kind == "index" else 0.0)
        yield Guess("one-more", f"Make `{name}` for {wanted}", wrong, [edit] if edit is not None else [], cost)
        text = written_in(source, part)
        yield Guess("one-more", f"Write `{text} + 1`", wrong, [over(source, file, part, f"{text} + 1")], cost + 0.3)
    if refused.kind == "label" and refused.low == 0:
        yield from _counted_from_one(scene)
    if refused.value == refused.high:
        yield from _offset_left_out(scene)


def _offset_left_out(scene: Scene) -> Iterator[Guess]:
    """What is one too few because 1 was taken off, or one too many because it was added."""
    for file, node in across(scene.sources, ast.BinOp):
        if isinstance(node.op, ast.Sub | ast.Add) and getattr(node.right, "value", None) == 1:
            source = scene.sources[file]
            text, whole = written_in(source, node.left), written_in(source, node)
            wrong = f"`{whole}` is one off"
            cost = 0.8 if isinstance(node.op, ast.Sub) else 1.6
            yield Guess(
                "one-more", f"Write `{text}` instead of `{whole}`", wrong, [over(source, file, node, text)], cost
            )


def _counted_from_one(scene: Scene) -> Iterator[Guess]:
    """Labels that begin at 1, where they are passed."""
    for file, call in across(scene.sources, ast.Call):
        source, parts = scene.sources[file], call.args
        if callee(call) == "from_tensor_slices" and parts and isinstance(parts[0], ast.Tuple):
            parts = parts[0].elts
        given = parts[1:2] if callee(call) in ("fit", "from_tensor_slices", "evaluate") else []
        given = [*given, *(word.value for word in call.keywords if word.arg in ("labels", "y"))]
        for one in given:
            if not isinstance(one, ast.Starred):
                text = f"{written_in(source, one)} - 1"
                wrong = "the labels begin at 1"
                yield Guess("one-more", f"Pass `{text}`", wrong, [over(source, file, one, text)], 0.7)


def _one_more(scene: Scene) -> Iterator[Guess]:
    """One more or one less: ids, classes, positions, items that are taken apart."""
    about = (
        scene.link.type in ("IndexError", "InvalidArgumentError")
        or "out-of-range" in scene.rule
        or "index" in scene.rule
    )
    for site in scene.sites:
        source = scene.sources[site.file]
        if site.far > 3 or not about:
            continue
        for call in scene.nodes(site, ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if name == "len" or (name == "range" and call.args):
                part = call if name == "len" else call.args[-1 if len(call.args) < 3 else 1]
                for sign, cost in (("-", 1.4), ("+", 2.2)):
                    text = _shifted(written_in(source, part), sign)
                    yield _number(scene, site, part, text, cost + 0.4 * site.far)
            elif name in ("Embedding", "Dense", "one_hot", "to_categorical"):
                for part in [*call.args[-1 if name in ("one_hot", "to_categorical") else 0 :][:1]]:
                    if not isinstance(part, ast.Starred):
                        text = _shifted(written_in(source, part), "+")
                        yield _number(scene, site, part, text, 1.2 + 0.3 * site.far)
        for node in scene.nodes(site, ast.Subscript):
            if isinstance(node.slice, ast.Name | ast.BinOp | ast.Constant) and isinstance(node.ctx, ast.Load):
                text = written_in(source, node.slice)
                if not isinstance(node.slice, ast.Constant) or type(node.slice.value) is int:
                    yield _number(scene, site, node.slice, _shifted(text, "-"), 1.9 + 0.5 * site.far)


def _shifted(text: str, sign: str) -> str:
    """One more or one less, without a 1 that was added or taken off before: `len(rows)` of `len(rows) + 1`."""
    undone = f" {'+' if sign == '-' else '-'} 1"
    return text.removesuffix(undone) if text.endswith(undone) else f"{text} {sign} 1"


def _number(scene: Scene, site: Site, node: ast.expr, text: str, cost: float) -> Guess:
    old = written(node)
    edit = over(scene.sources[site.file], site.file, node, text)
    return Guess("one-more", f"Write `{text}` instead of `{old}`", f"`{old}` is off by one", [edit], cost)


def _fractions(scene: Scene) -> Iterator[Guess]:
    """`//` for `/` where a whole number is needed, and fractions (`1.0`) where whole numbers are given."""
    about_int = _FLOAT_FOR_INT.search(scene.link.message) is not None
    is_dtype = scene.misfit is not None and scene.misfit.kind == "dtype"
    for site in scene.sites:
        source = scene.sources[site.file]
        if site.far > 2:
            continue
        for node in scene.nodes(site, ast.BinOp):
            if isinstance(node.op, ast.Div):
                left, right = written_in(source, node.left), written_in(source, node.right)
                right = f"({right})" if isinstance(node.right, ast.BinOp) else right
                left = f"({left})" if isinstance(node.left, ast.BinOp) else left
                edit = over(source, site.file, node, f"{left} // {right}")
                cost = (0.5 if about_int else 2.2) + 0.4 * site.far
                yield Guess(
                    "whole", f"Write `{left} // {right}`", f"`{written(node)}` is not a whole number", [edit], cost
                )
        whole = [one for one in scene.nodes(site, ast.Constant) if type(one.value) is int]
        if is_dtype and whole:
            edits: list[Edit] = [over(source, site.file, one, f"{one.value!r}.0") for one in whole]
            wrong = "whole numbers are given where fractions are needed"
            yield Guess("fraction", "Write the numbers as fractions (`1.0`)", wrong, edits, 1.1 + 0.4 * site.far)
            for one, edit in zip(whole, edits, strict=True):
                yield Guess("fraction", f"Write `{one.value!r}.0`", wrong, [edit], 1.3 + 0.4 * site.far)
