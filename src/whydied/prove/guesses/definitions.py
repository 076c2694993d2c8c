"""The program's own classes and functions: what a library calls or saves of them. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.diagnose.errors.class_changes import return_result
from whydied.prove.guesses.scene import Guess, Scene
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, text_between
from whydied.source.edits.programs.class_edits import begin_parent, create_once, pass_keywords_on
from whydied.source.edits.programs.class_edits import configuration as configured
from whydied.source.edits.programs.definition_edits import (
    method_in,
    parameters_of,
    rename_definition,
)
from whydied.source.edits.programs.function_edits import created_outside
from whydied.source.results import ends_in_vain, functions_without_result
from whydied.source.text import Source
from whydied.source.trees import Function, across, around, walk
from whydied.texts import layers, python_errors, saving
from whydied.texts.entry import any_of

_METHODS = {"forward": "call", "__call__": "call", "call_": "call", "_call": "call", "build_weights": "build",
            "_init_": "__init__", "__int__": "__init__", "init": "__init__", "config": "get_config", "__len": "__len__",
            "__getitem": "__getitem__", "on_epoch_ends": "on_epoch_end", "getitem": "__getitem__"}  # fmt: skip
_MANY = any_of(
    *(python_errors.TAKES_OTHER_NUMBER, python_errors.UNEXPECTED_ARGUMENT, python_errors.MISSING_ARGUMENTS),
    *(python_errors.TAKES_NONE, python_errors.SEVERAL_VALUES),
)
_SAVED = any_of(
    *(saving.NO_CONFIG, saving.NO_CONFIG_2, saving.NOT_DESERIALIZED, saving.CLASS_NOT_DESERIALIZED),
    *(saving.NOT_REVIVED, python_errors.CONSTRUCTOR_REFUSES, python_errors.CONSTRUCTOR_MISSES),
)
_VARIABLES = any_of(
    *(layers.STATE_AFTER_BUILD, layers.VARIABLES_IN_FUNCTION, layers.VARIABLES_IN_LATER_CALL),
    layers.VARIABLE_OF_A_TRACED_VALUE,
)
_MOST_IN_VAIN = 3
_ELSEWHERE = 2.0
"""As far as two or three steps back."""


def definitions(scene: Scene) -> Iterator[Guess]:
    yield from _returned(scene)
    yield from _parameters(scene)
    for file, owner in across(scene.sources, ast.ClassDef):
        if owner.bases:
            yield from _classes(scene, file, owner)
    for frame in scene.frames[:3]:
        edits = created_outside(scene.sources[frame.file], frame.file, frame.line)
        about = 0.6 if _VARIABLES.search(scene.link.message) else 2.2
        wrong = "what is to exist once is made in each call"
        yield Guess("definition", "Make it above the function", wrong, edits, about)


def _near(scene: Scene, file: str, owner: ast.ClassDef) -> float:
    """Less for a class whose code ran, that the exception names or that a running line makes an object of."""
    if owner.name in scene.link.message:
        return 0.0
    if any(frame.file == file and owner in around(scene.sources[file].tree, frame.line, ast.ClassDef)
           for frame in scene.frames):  # fmt: skip
        return 0.1
    made = {callee(call) for site in scene.sites[:3] for call in scene.nodes(site, ast.Call)}
    return 0.3 if owner.name in made else 0.8


def _classes(scene: Scene, file: str, owner: ast.ClassDef) -> Iterator[Guess]:
    source, near = scene.sources[file], _near(scene, file, owner)
    text = scene.link.message
    about = 0.5 if scene.link.type in ("AttributeError", "RuntimeError", "ValueError") else 1.6
    wrong = f"`{owner.name}` sets attributes before its parent is ready"
    title = f"Call `super().__init__()` first in `{owner.name}`"
    yield Guess("definition", title, wrong, begin_parent(source, file, owner), about + near)
    saves = 0.3 if _SAVED.search(text) else 1.6
    wrong = f"`{owner.name}` does not take what its parent takes"
    title = f"Let `{owner.name}` take `**kwargs` and pass them on"
    yield Guess("definition", title, wrong, pass_keywords_on(source, file, owner), saves + 0.3 + near)
    begun = method_in(owner, "__init__")
    wanted = [one.arg for one in begun.args.args[1:]] if begun is not None else []
    wrong = f"`get_config` of `{owner.name}` does not return what its constructor takes"
    title = f"Let `get_config` of `{owner.name}` return its arguments"
    yield Guess("definition", title, wrong, configured(source, file, owner, wanted), saves + 0.4 + near)
    for method in [one for one in owner.body if isinstance(one, ast.FunctionDef)]:
        new = _METHODS.get(method.name)
        if new is not None and method_in(owner, new) is None:
            edits = rename_definition(source, file, method, new)
            wrong = f"Keras calls `{new}`, and `{owner.name}` has `{method.name}`"
            yield Guess("definition", f"Rename `{method.name}` to `{new}`", wrong, edits, 0.5 + near)
        if method.name in ("call", "train_step", "__call__"):
            edits = create_once(source, file, owner, method.name)
            made = 0.6 if _VARIABLES.search(text) else 1.8
            wrong = f"`{method.name}` of `{owner.name}` makes layers anew in each call"
            yield Guess("definition", "Make its layers once, in the constructor", wrong, edits, made + near)


def _parameters(scene: Scene) -> Iterator[Guess]:
    """A function of the program that cannot take what it is passed: all the rest, by position and by name."""
    if scene.link.type != "TypeError" or _MANY.search(scene.link.message) is None:
        return
    for file, node in across(scene.sources, ast.FunctionDef):
        if f"{node.name}()" not in scene.link.message:
            continue
        source = scene.sources[file]
        wrong = f"`{node.name}` is passed more than it takes"
        for text, cost in (("*_, **__", 0.7), ("logs=None", 0.6 if node.name.startswith("on_") else 3.0)):
            edits = _more_parameters(source, file, node, text)
            yield Guess("parameters", f"Let `{node.name}` take `{text}`", wrong, edits, cost)
        first = [one.arg for one in node.args.args[:1]]
        owners = [one for one in walk(source.tree, ast.ClassDef) if node in one.body]
        if owners and first != ["self"] and not node.decorator_list:
            edits = _first_parameter(source, file, node, "self")
            wrong = f"`{node.name}` is a method without `self`"
            yield Guess("parameters", f"Give `{node.name}` its `self`", wrong, edits, 0.4)


def _more_parameters(source: Source, file: str, node: Function, text: str) -> list[Edit]:
    found = parameters_of(source, node)
    if found is None or node.args.vararg is not None or node.args.kwarg is not None:
        return []
    own = text_between(source, *found).rstrip().removesuffix(",")
    return [Edit(file, *found, f"{own}, {text}" if own.strip() else text)]


def _first_parameter(source: Source, file: str, node: Function, text: str) -> list[Edit]:
    found = parameters_of(source, node)
    if found is None:
        return []
    own = text_between(source, *found)
    return [Edit(file, *found, f"{text}, {own.lstrip()}" if own.strip() else text)]


def _returned(scene: Scene) -> Iterator[Guess]:
    """A function that gives nothing back: one that a statement in question calls, or one that the library or another
    function of the program may have called. One whose last statement computes what nobody can see is tried whatever
    the exception says."""
    if not scene.is_of_none:
        in_vain = [(file, one) for file, one in across(scene.sources, ast.FunctionDef) if ends_in_vain(one)]
        for file, function in in_vain[:_MOST_IN_VAIN]:
            for change in return_result(scene.case, file, function.lineno):
                wrong = f"`{function.name}` has no `return`: what its last line computes is lost"
                yield Guess("return", change.title, wrong, change.edits, 0.8)
        return
    called = [
        (found[0], found[1].lineno, site.far)
        for site in scene.sites[:6]
        for call in scene.nodes(site, ast.Call)
        if (found := scene.trails.called(call)) is not None
    ]
    others = [
        (one.file, one.line, _ELSEWHERE) for one in functions_without_result(scene.sources) if one.expression_line
    ]
    for file, line, far in [*called, *others]:
        for change in return_result(scene.case, file, line):
            yield Guess("return", change.title, "its value is not returned", change.edits, 0.5 + 0.3 * far)
