"""Where the user's source makes an optimizer and chooses its learning rate. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.location import Location
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import located, tree_of, walk, written

_OPTIMIZERS = {"SGD", "Adam", "AdamW", "Adamax", "Nadam", "RMSprop", "Adagrad", "Adadelta", "Ftrl", "Lion", "Lamb"}
_OPTIMIZERS |= {"Muon", "Adafactor", "GradientDescentOptimizer", "MomentumOptimizer", "AdamOptimizer"}
_OPTIMIZERS |= {"RMSPropOptimizer", "AdagradOptimizer"}


class RateSetting(NamedTuple):
    """A line that chooses a learning rate: as it is written there, "" where it is left to the library, and its value,
    where that can be followed."""

    location: Location
    text: str
    value: float | None
    scheduled: bool = False
    """Whether a function of the program's returns it, which a callback of Keras asks in each epoch."""


def rate_settings(sources: Mapping[str, Source]) -> list[RateSetting]:
    """The lines that make an optimizer or give anything a learning rate, in the order of each file."""
    found = []
    for file, source in sources.items():
        known = constants(source.tree)
        for call in sorted(walk(source.tree, ast.Call), key=lambda call: call.lineno):
            makes = callee(call) in _OPTIMIZERS
            rate = passed_argument(call, "learning_rate") or passed_argument(call, "lr")
            rate = rate or (passed_argument(call, "0") if makes else None)
            if rate is not None:
                found.append(RateSetting(located(sources, file, call.lineno), written(rate), evaluate(rate, known)))
            elif makes:
                found.append(RateSetting(located(sources, file, call.lineno), "", None))
            elif callee(call) == "LearningRateScheduler":
                found += _scheduled(sources, file, passed_argument(call, "schedule") or passed_argument(call, "0"))
    return found


def _scheduled(sources: Mapping[str, Source], file: str, asked: ast.expr | None) -> list[RateSetting]:
    """What the function returns that a callback asks for the rate."""
    if isinstance(asked, ast.Lambda):
        returned = [asked.body]
    else:
        name = written(asked) if asked is not None else ""
        functions = [one for one in walk(sources[file].tree, ast.FunctionDef) if one.name == name]
        returned = [node.value for one in functions for node in walk(one, ast.Return) if node.value is not None]
    known = constants(sources[file].tree)
    return [
        RateSetting(located(sources, file, node.lineno), written(node), evaluate(node, known), scheduled=True)
        for node in sorted(returned, key=lambda node: node.lineno)
    ]


def schedule(sources: Mapping[str, Source], choice: Location, rate: str) -> Location | None:
    """The line that made what an optimizer was given as its rate: the only assignment of a call to that name, or the
    only call that the function returns which is called there."""
    tree = tree_of(sources, choice.file)
    lines = [
        node.lineno
        for node in walk(tree, ast.Assign)
        if isinstance(node.value, ast.Call) and any(written(target) == rate for target in node.targets)
    ]
    lines += [
        node.lineno
        for function in walk(tree, ast.FunctionDef)
        if rate.startswith(f"{function.name}(")
        for node in walk(function, ast.Return)
        if isinstance(node.value, ast.Call)
    ]
    return located(sources, choice.file, lines[0]) if len(lines) == 1 else None
