"""Objects of two versions of Keras were put together.

## What it detects
A layer, optimizer, loss or tensor of `tf_keras` (Keras 2) that was given to `keras` or `tf.keras` (Keras 3), or the
other way round; objects of either with those of `tensorflow.python.keras`, a private copy.

## Why it happens
Since TensorFlow 2.16 `tf.keras` is Keras 3. Packages that still build on Keras 2 import `tf_keras`, and neither of the
two takes the other's objects: for Keras 3 a layer of `tf_keras` is not a layer.

## Evidence
The package of what was called, and that of the class, or of its parents, of each argument.

## How it is proved
The classes were seen at the failing call: certain where the exception names the one that does not belong, else likely.

## Fix
All from one of the two: the imports that have to change are in the patch. Changed is what the program uses less,
never an installed package.

## Known problems
None known.

## References
https://keras.io/getting_started/#tensorflow--keras-2-backwards-compatibility
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import call_of, place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import ApiCalled, Argument, Frame, RaisedException
from whydied.source.edits.edit import Change, Edit, over
from whydied.source.edits.programs.keras_edits import keras_uses, on_other_keras
from whydied.source.text import Source
from whydied.source.trees import across

ROLE = "explanation"
_NAMES = {"keras": "Keras 3 (`keras`, `tf.keras`)", "tf_keras": "Keras 2 (`tf_keras`)"}


def check(case: Case) -> Finding | None:
    link, called = root_link(case), call_of(case)
    library = called.function.partition(".")[0] if called is not None else ""
    if link is not None and called is not None and library == "tensorflow":
        return _private(case, link, called)
    if link is None or called is None or library not in _NAMES:
        return None
    foreign = [(one, root) for one in called.arguments for root in _roots(one) if root != library]
    if not foreign:
        return None
    given, other = foreign[0]
    failing = place_of(case)
    package, edits = _edits(case.project, called, given, other)
    first = min(edits, key=lambda one: one.start) if edits else None
    frame = Frame(file=first.file, line=first.start[0], function="<module>", user=True) if first is not None else None
    place = case.locate(frame) if frame is not None else failing
    at = f" on {line_words(failing)}" if failing is not None and place != failing else ""
    words = f"`{called.callee}`{at} is of {_NAMES[library]} and was given `{given.text}`, which is of {_NAMES[other]}"
    return Finding(
        message=f"{prefix(place)}{words}; objects of the two do not work together",
        certainty="certain" if given.type.rpartition(".")[2] in text_of(link) else "likely",
        location=place,
        culprit=Culprit(kind="argument", name=given.text),
        evidence=[said(link), Evidence(fact=f"class of `{given.text}`", value=given.type, source="ApiCalled")],
        advice=_advice(case.project, package, edits),
        changes=[Change(title=f"Take all of it from {package}", kind="import", edits=edits)] if edits else [],
    )


def _private(case: Case, link: RaisedException, called: ApiCalled) -> Finding | None:
    """`tensorflow.python.keras` is an old copy that TensorFlow keeps for itself: a third Keras."""
    foreign = [one for one in called.arguments if _roots(one)]
    imports = [
        (file, node)
        for file, node in across(case.project, ast.ImportFrom)
        if (node.module or "").startswith("tensorflow.python.keras")
    ]
    if not foreign or not imports:
        return None
    file, first = imports[0]
    place = case.locate(Frame(file=file, line=first.lineno, function="<module>", user=True))
    edits = []
    for where, node in imports:
        names = ", ".join(ast.unparse(alias) for alias in node.names)
        module = (node.module or "").replace("tensorflow.python.keras", "tensorflow.keras")
        edits.append(over(case.project[where], where, node, f"from {module} import {names}"))
    given, at = foreign[0], f" on {line_words(called.frame)}" if called.frame is not None else ""
    return Finding(
        message=f"{prefix(place)}`{called.callee}`{at} is of `tensorflow.python.keras`, a private copy, and was given "
        f"`{given.text}`, which is of `{_roots(given)[0]}`; objects of the two do not work together",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="argument", name=given.text),
        evidence=[said(link), Evidence(fact=f"class of `{given.text}`", value=given.type, source="ApiCalled")],
        advice=["Import from `tensorflow.keras` instead of `tensorflow.python.keras`."],
        changes=[Change(title="Import from tensorflow.keras", kind="import", edits=edits)],
    )


def _roots(argument: Argument) -> list[str]:
    return argument.keras or [root for root in [argument.type.partition(".")[0]] if root in _NAMES]


def _edits(project: Mapping[str, Source], called: ApiCalled, given: Argument, other: str) -> tuple[str, list[Edit]]:
    """The Keras that all of the program is to use, and its imports changed to that: the one that an installed package
    needs, else the one that the program uses more, else that of the argument."""
    library = "keras" if other == "tf_keras" else "tf_keras"
    counts = {one: sum(len(keras_uses(source)[one]) for source in project.values()) for one in _NAMES}
    module = given.type.rpartition(".")[0].replace(".", "/")
    is_own = not module or any(file.endswith((f"{module}.py", f"{module}/__init__.py")) for file in project)
    is_library = given.type.startswith(("keras.", "tf_keras."))
    package = other if (not is_own and not is_library) or counts[other] >= counts[library] else library
    edits = [edit for file, source in project.items() for edit in on_other_keras(source, file, package)]
    return package, edits


def _advice(project: Mapping[str, Source], package: str, edits: list[Edit]) -> list[str]:
    found = []
    if edits:
        lines = sorted({(edit.file.rsplit("/", 1)[-1], edit.start[0]) for edit in edits})
        where = ", ".join(f"{file}:{line}" for file, line in lines[:4])
        found.append(f"Take everything from `{package}`: change {where}.")
    else:
        found.append(f"Take everything from `{package}`.")
    if package == "tf_keras" and not any(_is_plain(source) for source in project.values()):
        found.append(
            "Or set `TF_USE_LEGACY_KERAS=1` in the environment before TensorFlow is imported: `tf.keras` is `tf_keras` "
            "then."
        )
    return found


def _is_plain(source: Source) -> bool:
    """Whether a file imports `keras` itself, which the variable does not change."""
    heads = [source.lines[node.lineno - 1].split()[:2] for node in keras_uses(source)["keras"]]
    return any(len(head) == 2 and head[0] in ("import", "from") and head[1].split(".")[0] == "keras" for head in heads)
