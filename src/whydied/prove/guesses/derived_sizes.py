"""Sizes that follow from others: those that are halved several times, a multiple of another, the rows of a batch that
nobody chose. Pure.

Two sizes that differ are often not written anywhere: 25 and 24 come of a picture of 101 that is halved and doubled
again, 48 of 24 units that are there twice. A rehearsal is cheap, so the numbers from which they can come are tried.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whydied.prove.guesses.scene import Guess, Scene, is_about_shapes
from whydied.prove.guesses.written_sizes import pairs
from whydied.source.calls import callee
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, Harm, over
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import across, walk

_BY = (4, 8, 16, 32)
"""The smallest that helps is what the sizes have to be a multiple of."""
_SMALLEST, _LARGEST = 9, 8192
_MOST_HALVINGS = 6
_CLOSE = 32
"""Of sizes that were halved and doubled again: each halving loses at most one, and each doubling back doubles that."""
_DOUBLING = ("UpSampling", "Transpose", "_transpose", "depth_to_space", "upsample")
_REPEATING = ("resize", "repeat")
"""They double, too, but stand in programs that halve nothing as well."""
_RATIOS = (2, 3, 4)
_SEVERAL = 1.1
_NUMBER = re.compile(r"(?<![\w.])\d{1,4}(?![\w.])")
_DEFAULT_ROWS = 32
"""What Keras takes for a batch where nobody said."""
_INPUTS = ("Input", "InputLayer")
_BATCHED = ("fit", "evaluate", "predict")


def derived(scene: Scene) -> Iterator[Guess]:
    yield from halved(scene)
    if not is_about_shapes(scene):
        return
    yield from _multiples(scene)
    yield from _batches(scene)


def halved(scene: Scene) -> Iterator[Guess]:
    """A size of which the two that differ come by halving, as a multiple of a power of two: where it has a name, then
    wherever it is written."""
    halves = {one for pair in pairs(scene) if abs(pair[0] - pair[1]) < _CLOSE for one in pair}
    fewest = _fewest_halvings(scene)
    if not halves or fewest is None or not is_about_shapes(scene):
        return
    found: dict[int, list[tuple[str, ast.Constant]]] = {}
    for file, node in across(scene.sources, ast.Constant):
        if type(node.value) is int and _SMALLEST <= node.value <= _LARGEST and _comes_to(node.value, halves, fewest):
            found.setdefault(node.value, []).append((file, node))
    for at, by in enumerate(_BY):
        for up, words in ((0, "down"), (1, "up")):
            other = {size: (size // by + up) * by for size in found if size % by and size // by + up}
            edits = [
                (size, over(scene.sources[file], file, node, str(new)), _is_named(scene.sources[file], node))
                for size, new in other.items()
                for file, node in found[size]
            ]
            named = [one for one in edits if one[2]]
            cost = 0.9 + 0.3 * at + 0.2 * up
            # 88 of 90 is a multiple of 8, too.
            of = max(one for one in _BY if not any(size % one for size in other.values()))
            how = f"rounded {words} to multiples of {of}"
            yield _rounded(named, other, of, how, cost)
            if len(edits) > len(named):
                yield _rounded(edits, other, of, f"{how}, wherever they are written", cost + _SEVERAL)


def _rounded(edits: list[tuple[int, Edit, bool]], other: dict[int, int], of: int, how: str, cost: float) -> Guess:
    sizes = list(dict.fromkeys(size for size, _, _ in edits))
    are = "is not a multiple" if len(sizes) == 1 else "are not multiples"
    wrong = f"{' and '.join(map(str, sizes))} {are} of {of}: halved and doubled again a size is another one"
    title = f"Write {' and '.join(f'{other[size]} instead of {size}' for size in sizes)}: {how}"
    return Guess("rounded", title, wrong, [edit for _, edit, _ in edits], cost)


def _fewest_halvings(scene: Scene) -> int | None:
    """How often a size has been halved at least before it met the other one; None where nothing makes sizes larger. An
    autoencoder gives back another size than it was given: there it may be the size itself."""
    names = {callee(call) for _, call in across(scene.sources, ast.Call)}
    if any(word in name for word in _DOUBLING for name in names):
        return 0
    return 1 if names & {*_REPEATING} else None


def _comes_to(size: int, halves: set[int], fewest: int) -> bool:
    """Whether halving a size some times, rounded down or up, gives one of those that differ."""
    times = range(fewest, _MOST_HALVINGS)
    return any(size >> one in halves or -(-size // (1 << one)) in halves for one in times)


def _is_named(source: Source, node: ast.Constant) -> bool:
    """Whether a number is the value of a name, a field or a parameter, or a part of an Input's shape."""
    for owner in walk(source.tree, (ast.Assign, ast.AnnAssign)):
        if isinstance(owner, ast.Assign | ast.AnnAssign) and owner.value is not None and _lies_in(node, owner.value):
            return not any(isinstance(one, ast.Call) for one in ast.walk(owner.value)) or _in_input(owner.value, node)
    defaults = [
        one for function in walk(source.tree, ast.arguments) for one in (*function.defaults, *function.kw_defaults)
    ]
    return any(one is node for one in defaults) or _in_input(source.tree, node)


def _in_input(tree: ast.AST, node: ast.Constant) -> bool:
    return any(callee(call) in _INPUTS and _lies_in(node, call) for call in walk(tree, ast.Call))


def _lies_in(node: ast.AST, tree: ast.AST) -> bool:
    return any(one is node for one in ast.walk(tree))


def _multiples(scene: Scene) -> Iterator[Guess]:
    """`2 * UNITS` for `UNITS`, where one size is a multiple of the other: both directions of a layer, parts that were
    joined, channels."""
    for was, new in pairs(scene):
        ratio = next((one for one in _RATIOS if was * one == new), None)
        part = next((one for one in _RATIOS if new * one == was), None)
        if ratio is None and part is None:
            continue
        for site in scene.sites:
            source = scene.sources[site.file]
            known = constants(source.tree)
            for node in scene.nodes(site, ast.Name):
                if evaluate(node, known) == was and isinstance(node.ctx, ast.Load):
                    text = f"{ratio} * {node.id}" if ratio is not None else f"{node.id} // {part}"
                    wrong = f"`{node.id}` is {was} where {new} is needed"
                    title, cost = f"Write `{text}` instead of `{node.id}`", 1.2 + 0.3 * site.far
                    yield Guess("size", title, wrong, [over(source, site.file, node, text)], cost)
                    inputs = [one for one in _in_inputs(source) if one.id == node.id]
                    if len(inputs) > 1:
                        edits = [over(source, site.file, one, text) for one in inputs]
                        yield Guess("size", f"{title} in every Input", wrong, edits, cost + 0.2)


def _in_inputs(source: Source) -> list[ast.Name]:
    """The names in the shapes of Inputs: states of several layers are declared side by side."""
    inputs = [call for call in walk(source.tree, ast.Call) if callee(call) in _INPUTS]
    return [one for call in inputs for one in walk(call, ast.Name) if isinstance(one.ctx, ast.Load)]


def _batches(scene: Scene) -> Iterator[Guess]:
    """As many rows in a batch as something is made for, where nobody said and Keras takes 32."""
    said = {int(one) for one in _NUMBER.findall(scene.link.message)}
    told = [new for was, new in pairs(scene) if was == _DEFAULT_ROWS]
    wanted = told or sorted(said - {_DEFAULT_ROWS, 0, 1} if _DEFAULT_ROWS in said else ())
    for site in scene.sites:
        source = scene.sources[site.file]
        for call in scene.nodes(site, ast.Call):
            chosen = any(word.arg == "batch_size" for word in call.keywords)
            if callee(call) not in _BATCHED or chosen:
                continue
            for rows in wanted[:2]:
                edit = add_argument(source, site.file, call, f"batch_size={rows}")
                wrong = f"`{callee(call)}` makes batches of {_DEFAULT_ROWS} rows where {rows} are needed"
                title = f"Pass `batch_size={rows}` to `{callee(call)}`"
                # A training with other batches is another one.
                harm: Harm = "changed result" if callee(call) == "fit" else "exact"
                yield Guess("batch", title, wrong, [edit], 1.0 + 0.4 * site.far, harm)
