"""Shapes as text, in the manner of jaxtyping: `"batch 28 28 1"`; runs in the user's process, and imports nothing.

Invariant: nothing is computed. A text is words with blanks between them, one an axis:

    28        this size
    batch     any size, the same wherever the name is said again with the same `Sizes`
    _  _any   any size
    ...       any number of axes (at most once, also as *name)
    *name     any number of axes, the same wherever the name is said again
    n=28      this size, with a name for the reader

The empty text is a scalar. A tuple or list says the same: None for any size, an ellipsis for any number of axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class ShapeTextError(ValueError):
    """The text is not a shape."""


class Axis(NamedTuple):
    """One word. `size` is set for a fixed one, `name` for one that is bound; `many` for any number of axes."""

    text: str
    size: int | None = None
    name: str | None = None
    many: bool = False


class Pattern(NamedTuple):
    text: str
    axes: tuple[Axis, ...]

    @property
    def rank(self) -> int | None:
        """The number of axes, None where any number will do."""
        return None if any(axis.many for axis in self.axes) else len(self.axes)


Sizes = dict[str, "int | tuple[int, ...]"]
"""What names stand for so far. Share one between the shapes that must agree."""


def parse(text: str | Sequence[object]) -> Pattern:
    """The shape that a text or a tuple says. Raises ShapeTextError, which is a ValueError."""
    if isinstance(text, str):
        axes = tuple(_axis(word) for word in text.split())
    elif isinstance(text, Sequence):
        axes = tuple(_axis_of(part) for part in text)
    else:
        raise ShapeTextError(f"{text!r} is not a shape: write words like 'batch 28 28 1', or a tuple")
    if sum(axis.many for axis in axes) > 1:
        raise ShapeTextError(f"{text!r} has more than one part that stands for any number of axes")
    return Pattern(" ".join(axis.text for axis in axes), axes)


def _axis(word: str) -> Axis:
    if word == "...":
        return Axis(word, many=True)
    if word.startswith("*"):
        name = word[1:]
        _require_name(name, word)
        return Axis(word, name=None if name.startswith("_") else name, many=True)
    label, sign, size = word.partition("=")
    if sign:
        _require_name(label, word)
        return Axis(word, size=_size(size, word))
    if word[0].isdigit() or word[0] in "+-":
        return Axis(word, size=_size(word, word))
    _require_name(word, word)
    return Axis(word, name=None if word.startswith("_") else word)


def _axis_of(part: object) -> Axis:
    if part is Ellipsis:
        return Axis("...", many=True)
    if part is None:
        return Axis("_")
    if isinstance(part, str):
        return _axis(part) if part else Axis("_")
    try:
        size = int(part)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise ShapeTextError(f"{part!r} is not an axis size") from None
    return Axis(str(size), size=_size(str(size), str(size)))


def _size(digits: str, word: str) -> int:
    if not digits.isdigit():
        raise ShapeTextError(f"{word!r} is not an axis size: write a number, a name, _ or ...")
    return int(digits)


def _require_name(name: str, word: str) -> None:
    if not name.isidentifier():
        raise ShapeTextError(f"{word!r} is not an axis size: write a number, a name, _ or ...")


def mismatch(pattern: Pattern, actual: Sequence[int | None], sizes: Sizes | None = None) -> str | None:
    """What is wrong with a shape, in words ("axis 1 is 27, not 28"), or None. A size of None is not known yet and fits.

    Where all is right, the sizes of names are added to `sizes`; where not, it stays as it was.
    """
    known: Sizes = dict(sizes or {})
    wrong = _rank_mismatch(pattern, len(actual)) or _sizes_mismatch(pattern, actual, known)
    if wrong is None and sizes is not None:
        sizes.update(known)
    return wrong


def is_decided(pattern: Pattern, actual: Sequence[int | None] | None) -> bool:
    """Whether a shape, as far as it is known while a graph is traced, leaves nothing to look at when it runs."""
    if actual is None:
        return not pattern.axes or (len(pattern.axes) == 1 and pattern.axes[0].text == "...")
    if _rank_mismatch(pattern, len(actual)) is not None:
        return True
    return all(size is not None or (axis.size is None and axis.name is None) for axis, size in _paired(pattern, actual))


def _rank_mismatch(pattern: Pattern, rank: int) -> str | None:
    wanted = pattern.rank
    if wanted is not None and rank != wanted:
        return f"it has {_axes(rank)}, not {wanted}"
    fewest = sum(not axis.many for axis in pattern.axes)
    if rank < fewest:
        return f"it has {_axes(rank)}, not at least {fewest}"
    return None


def _sizes_mismatch(pattern: Pattern, actual: Sequence[int | None], known: Sizes) -> str | None:
    many: dict[str, list[int | None]] = {}
    for at, (axis, size) in enumerate(_paired(pattern, actual)):
        if axis.many:
            if axis.name is not None:
                many.setdefault(axis.name, []).append(size)
            continue
        wanted = axis.size if axis.size is not None else known.get(axis.name) if axis.name is not None else None
        if size is None:
            continue
        if wanted is not None and size != wanted:
            also = f" ({axis.name} is {wanted} elsewhere)" if axis.name is not None else ""
            return f"axis {at} is {size}, not {wanted}{also}"
        if axis.name is not None:
            known[axis.name] = size
    for axis in pattern.axes:
        if axis.many and axis.name is not None:
            wrong = _many_mismatch(axis.name, many.get(axis.name, []), known)
            if wrong is not None:
                return wrong
    return None


def _many_mismatch(name: str, sizes: list[int | None], known: Sizes) -> str | None:
    wanted = known.get(name)
    if isinstance(wanted, tuple):
        fits = len(wanted) == len(sizes) and all(
            size in (None, other) for size, other in zip(sizes, wanted, strict=True)
        )
        if not fits:
            return f"the axes *{name} are {_text(sizes)}, not {_text(wanted)} as elsewhere"
    elif wanted is not None:
        return f"{name} stands for one axis elsewhere, and for any number here"
    elif None not in sizes:
        known[name] = tuple(size for size in sizes if size is not None)
    return None


def _paired(pattern: Pattern, actual: Sequence[int | None]) -> list[tuple[Axis, int | None]]:
    """Each size with the axis that it answers to, for a rank that fits."""
    spare = len(actual) - sum(not axis.many for axis in pattern.axes)
    axes: list[Axis] = []
    for axis in pattern.axes:
        axes += [axis] * spare if axis.many else [axis]
    return list(zip(axes, actual, strict=True))


def _axes(count: int) -> str:
    return "1 axis" if count == 1 else f"{count} axes"


def _text(sizes: Sequence[int | None]) -> str:
    return "(" + ", ".join("?" if size is None else str(size) for size in sizes) + ")"
