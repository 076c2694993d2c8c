"""A restore that asks a checkpoint for what an optimizer keeps: which saver asks, and how it asks for less. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from whydied.diagnose.case import Case
from whydied.diagnose.errors.session_error import v1
from whydied.diagnose.finding import Location
from whydied.records import Unsaved
from whydied.source.calls import callee, method_calls, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change, Edit, over
from whydied.source.text import Source
from whydied.source.training.session_calls import bindings
from whydied.source.trees import nodes_at, tree_of, walk, written

_SLOT = re.compile(r".+/(Adam|Momentum|RMSProp|Adagrad|AdagradDA|Adadelta|Ftrl|ProximalAdagrad|LARSMomentum)(_\d+)?$")
_COUNTER = re.compile(r"(?:.*/)?(beta1_power|beta2_power|global_step)(_\d+)?$")
_UNTRAINED = re.compile(r"batch_?norm|trainable\s*=\s*False|moving|MovingAverage|spectral|assign", re.IGNORECASE)
"""Signs of variables that are not trained and that a checkpoint may have all the same."""


def are_slots(missing: list[Unsaved]) -> bool:
    """Whether all of them belong to an optimizer, which nobody needs to use a model, and the checkpoint has no such
    by another name."""
    names = [one.node.name for one in missing]
    return (
        any(_SLOT.match(name) for name in names)
        and all(_SLOT.match(name) or _COUNTER.match(name) for name in names)
        and not any(_SLOT.match(near) for one in missing for near in one.near if near not in names)
    )


def restoring_less(case: Case, place: Location, missing: list[Unsaved]) -> tuple[str, list[Change]] | None:
    """What the saver that restores is to be made of, and the changes; None where the source does not show one that
    restores all variables."""
    sources = case.project
    calls = list(method_calls(nodes_at(sources, place), ("restore",)))
    if len(calls) != 1 or place.file not in sources:
        return None
    owner = calls[0][0]
    made: ast.expr | None = owner
    at = place.file
    if not isinstance(owner, ast.Call):
        found = [one for one in bindings(sources, place, written(owner)) if isinstance(one.value, ast.Call)]
        if len(found) != 1:
            return None
        at, made = found[0].place.file, found[0].value
    if not isinstance(made, ast.Call) or callee(made) != "Saver":
        return None
    given = passed_argument(made, "var_list") or passed_argument(made, "0")
    if at not in sources or (given is not None and "global_variables" not in written(given)):
        return None
    less = f"{_saver(case, made)}({_variables(case, made, missing)})"
    title = f"Restore with `{less}`, without what the optimizer keeps"
    if made is owner or not _saves_too(sources, owner, place):
        edit = _with_list(sources[at], at, made, given, _variables(case, made, missing))
        return less, [Change(title=title, kind="argument", edits=[edit])]
    own = over(sources[place.file], place.file, owner, less)
    return less, [Change(title=title, kind="expression", edits=[own])]


def _saves_too(sources: Mapping[str, Source], owner: ast.expr, place: Location) -> bool:
    """Whether the saver is used for more than this restore: what it saves shall stay complete."""
    calls = method_calls(walk(tree_of(sources, place.file), ast.Call), ("save", "restore"))
    return sum(written(one) == written(owner) for one, _ in calls) > 1


def _with_list(source: Source, file: str, made: ast.Call, given: ast.expr | None, text: str) -> Edit:
    if given is not None:
        return over(source, file, given, text)
    return add_argument(source, file, made, f"var_list={text}" if made.args or made.keywords else text)


def _saver(case: Case, made: ast.Call) -> str:
    return written(made.func) if written(made.func).endswith("train.Saver") else v1(case, "train.Saver")


def _variables(case: Case, made: ast.Call, missing: list[Unsaved]) -> str:
    """The trained ones; all but the optimizer's where the program may have others that were saved."""
    name = written(made.func).removesuffix(".train.Saver")
    tf = name if name != written(made.func) else v1(case, "").rstrip(".")
    text = "\n".join("\n".join(source.code_lines) for source in case.project.values())
    if not _UNTRAINED.search(text):
        return f"{tf}.trainable_variables()"
    ends = sorted({_end(one.node.name) for one in missing})
    listed = ", ".join(f'"{one}"' for one in ends)
    asked = listed if len(ends) == 1 else f"({listed})"
    return f"[v for v in {tf}.global_variables() if not v.op.name.endswith({asked})]"


def _end(name: str) -> str:
    last = name.rpartition("/")[2]
    return f"/{last}" if _SLOT.match(name) else last
