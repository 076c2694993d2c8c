"""Arguments given by position that fit other parameters of the installed signature, passed by those names. Pure.

Keras 3 moved parameters (`add_weight(name, shape)` became `add_weight(shape, …, name)`). Which parameter a value is
meant for is told by the parameter's documentation, its default, what its name always stands for, and by the registry of
Keras that knows a text. Where several fit, each is a way of its own, to be tried.
"""

from __future__ import annotations

import ast
import itertools

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.errors.advice import Way
from whydied.diagnose.errors.argument_kinds import Taken, fit, kind_of, taken
from whydied.diagnose.errors.calls.refused_values import failing_call
from whydied.records import ApiCalled, Argument
from whydied.source.edits.edit import Edit, over, text_between, written_in
from whydied.source.edits.like_edits import at_like_calls
from whydied.source.text import Source

MOST_POSITIONS, MOST_WAYS = 4, 3
_REGISTRY, _NAMED, _DOCUMENTED = 3, 2, 1
_DTYPES = frozenset(
    {
        *("float16", "float32", "float64", "bfloat16", "bool", "string"),
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    }
)


def by_other_names(case: Case, called: ApiCalled) -> list[Way]:
    """The call with what is given by position passed by the names of the parameters that it fits."""
    call, frame = failing_call(case, called), called.frame
    given = [one for one in called.arguments if one.position is not None]
    if call is None or frame is None or not 0 < len(given) <= MOST_POSITIONS or len(given) != len(call.args):
        return []
    parameters = {one.parameter: one for one in [*given, *called.free] if one.parameter}
    places = [_places(one, list(parameters.values())) for one in given]
    ranked: list[tuple[int, tuple[str, ...]]] = []
    for chosen in itertools.product(*places):
        names = tuple(name for name, _ in chosen)
        if len(set(names)) == len(names) and names != tuple(one.parameter for one in given):
            ranked.append((sum(worth for _, worth in chosen), names))
    source = case.sources[frame.file]
    ways = []
    for _, names in sorted(ranked, key=lambda one: -one[0])[:MOST_WAYS]:
        pairs = list(zip(call.args, names, given, strict=True))
        # What stays where it is may stay without its name, up to the first that moves.
        first = next(at for at, (_, name, one) in enumerate(pairs) if name != one.parameter)
        named = [(node, f"{name}={written_in(source, node)}") for node, name, _ in pairs[first:]]
        edits = [over(source, frame.file, node, text) for node, text in named]
        words = " and ".join(f"`{text}`" for _, text in named)
        ways.append(Way(f"pass {words}", at_like_calls(source, edits)))
    return ways


def by_name(source: Source, edit: Edit, name: str) -> list[Edit]:
    """The argument as it is written, by its name; also in the other calls that are given such a value there, which
    would be refused next."""
    text = f"{name}={text_between(source, edit.start, edit.end)}"
    return at_like_calls(source, [msgspec.structs.replace(edit, text=text)])


def _places(argument: Argument, parameters: list[Argument]) -> list[tuple[str, int]]:
    """The parameters that a value fits, each with how sure that is."""
    found = [(one.parameter, _worth(argument, one)) for one in parameters]
    return [one for one in found if one[1]]


def _worth(argument: Argument, parameter: Argument) -> int:
    name, kind = parameter.parameter, kind_of(argument)
    known = any(name.endswith(registry.removeprefix("keras.").removesuffix("s")) for registry in argument.registries)
    if known:
        return _REGISTRY
    meant = _meant_by_name(argument, name)
    if meant is not None:
        return _NAMED if kind in meant else 0
    takes = taken(parameter) or _of_default(parameter)
    moved = Argument(
        parameter=name,
        type=argument.type,
        value=argument.value,
        shape=argument.shape,
        held=argument.held,
        says=parameter.says,
        default=parameter.default,
    )
    return _DOCUMENTED if takes is not None and kind in takes.kinds and fit(moved, takes) == 2 else 0


def _meant_by_name(argument: Argument, name: str) -> frozenset[str] | None:
    """The kinds of value that a parameter of such a name takes everywhere in Keras and TensorFlow."""
    if name == "name":
        return frozenset({"str"})
    if name == "shape" or name.endswith("_shape"):
        return frozenset({"tuple", "list"})
    if name == "dtype":
        return frozenset({"str"} if (argument.value or "").strip("'\"") in _DTYPES else ())
    return None


def _of_default(parameter: Argument) -> Taken | None:
    """The kind of the default, where nothing is said."""
    try:
        value = ast.literal_eval(parameter.default or "None")
    except (ValueError, SyntaxError):
        return None
    kind = type(value).__name__
    return (
        Taken(frozenset({kind}), by_default=True) if kind in ("int", "float", "bool", "str", "tuple", "list") else None
    )
