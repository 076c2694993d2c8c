"""A v1 checkpoint does not have the variables of the graph that restores it.

## What it detects
`Saver.restore` with variables that the checkpoint does not know by their names, or knows with another shape.

## Why it happens
The graph that restores was built with other scopes, sizes or layers than the one that was saved, or has variables that
were not saved (those of an optimizer).

## Evidence
The names and shapes in the checkpoint, read when it was restored, against the variables of the saver, each with the
line that made it.

## How it is proved
Each name and shape is looked up: certain. That the program's only saver for some variables wrote the checkpoint is an
inference: likely. So is that variables of an optimizer, by their names, were left out on purpose.

## Fix
The scope or the size of the checkpoint; a saver with a dictionary of names, or for the variables that were saved alone.

## Known problems
A checkpoint whose index is larger than 1 MiB is not read.

## References
TensorFlow documentation: tf.compat.v1.train.Saver.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.demands.restored_slots import are_slots, restoring_less
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.framework_error import shape_words
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.errors.session_error import created, made_at, session_facts, v1
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import SessionFacts, Unsaved
from whydied.source.calls import callee
from whydied.source.edits.argument_edits import drop_argument
from whydied.source.edits.call_edits import add_argument, calls_at
from whydied.source.edits.edit import Change
from whydied.source.edits.name_edits import replace_text_on
from whydied.source.training.session_calls import limited_savers
from whydied.source.trees import across, located
from whydied.texts import session_errors

_MISSING = session_errors.KEY_NOT_IN_CHECKPOINT.pattern
_SHAPE = session_errors.SHAPE_NOT_OF_CHECKPOINT.pattern
_MOST_NAMES = 4

ROLE = "explanation"
YIELDS_TO = ("graph-built-twice",)


def check(case: Case) -> Finding | None:
    said = quoted(case, _MISSING, _SHAPE)
    facts = session_facts(case)
    if said is None or facts is None or not facts.unsaved:
        return None
    missing = [one for one in facts.unsaved if one.stored is None]
    return _missing(case, said, facts, missing) if missing else _shape(case, said, facts.unsaved)


def _missing(case: Case, said: Quotation, facts: SessionFacts, missing: list[Unsaved]) -> Finding:
    if are_slots(missing) and (asked := _of_the_optimizer(case, said, facts, missing)) is not None:
        return asked
    scopes = _scopes(missing)
    if scopes is None and (finding := _not_saved(case, said, facts, missing)) is not None:
        return finding
    first = missing[0]
    place = _line_of_scope(case, first, scopes[0]) if scopes is not None else said.place
    names = ", ".join(f"`{one.node.name}`" for one in missing[:_MOST_NAMES])
    names += f" and {len(missing) - _MOST_NAMES} more" if len(missing) > _MOST_NAMES else ""
    if scopes is not None:
        words = (
            f"the variables are created in the scope `{scopes[0]}`, and the checkpoint has them under `{scopes[1]}`"
            if all(scopes)
            else f"the names in the checkpoint differ: it has `{first.near[0]}` for `{first.node.name}`"
        )
        advice = [_scope_advice(case, scopes, place)]
        changes = [*_scoped(case, scopes, place), *_under_saved_names(case, scopes)]
    else:
        changes = []
        words = f"{len(missing)} of {facts.variables} variables of the saver are not in the checkpoint: {names}"
        advice = [
            f"Restore only what was saved: `{v1(case, 'train.Saver')}([…])` with the other variables, created before "
            "these or given as a list; and initialise these."
        ]
    stored = Evidence(fact="names in the checkpoint", value=facts.stored, source="SessionFacts")
    return Finding(
        message=f"{prefix(place)}{words}; expected the names that were saved",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="variable", name=first.node.name, near=first.near),
        evidence=[*evidence_of(said.link, said.raised), *created(case, first.node, f"`{first.node.name}`"), stored],
        advice=advice,
        changes=changes,
    )


def _of_the_optimizer(case: Case, said: Quotation, facts: SessionFacts, missing: list[Unsaved]) -> Finding | None:
    """A saver for all variables that restores what another one wrote without an optimizer's."""
    found = restoring_less(case, said.place, missing) if said.place is not None else None
    if found is None:
        return None
    less, changes = found
    first = missing[0]
    names = ", ".join(f"`{one.node.name}`" for one in missing[:_MOST_NAMES])
    stored = Evidence(fact="names in the checkpoint", value=facts.stored, source="SessionFacts")
    return Finding(
        message=(
            f"{prefix(said.place)}the saver restores all {facts.variables} variables, and the {len(missing)} that the "
            f"checkpoint does not have belong to the optimizer: {names}; the model itself was saved"
        ),
        certainty="likely",
        location=said.place,
        culprit=Culprit(kind="variable", name=first.node.name),
        evidence=[*evidence_of(said.link, said.raised), *created(case, first.node, f"`{first.node.name}`"), stored],
        advice=[f"Restore only the model: `{less}`. The optimizer begins anew, with its initial values."],
        changes=changes,
    )


def _scoped(case: Case, scopes: tuple[str, str], place: Location | None) -> list[Change]:
    """The scope's saved name on the line that writes it out."""
    if place is None or place.file not in case.sources or not all(scopes):
        return []
    edits = replace_text_on(case.sources, place.file, place.line, *scopes)
    title = f"Use the scope `{scopes[1]}` instead of `{scopes[0]}`"
    return [Change(title=title, kind="near-name", edits=edits)] if edits else []


def _under_saved_names(case: Case, scopes: tuple[str, str]) -> list[Change]:
    """The names of the checkpoint for the only saver of the program, where that has no list of its own and does not
    save."""
    made = [(file, call) for file, call in across(case.sources, ast.Call) if callee(call) == "Saver"]
    saves = any(callee(call) == "save" for _, call in across(case.sources, ast.Call))
    if len(made) != 1 or made[0][1].args or made[0][1].keywords or saves:
        return []
    file, call = made[0]
    edit = add_argument(case.sources[file], file, call, _names(case, scopes))
    return [Change(title="Restore under the saved names", kind="argument", edits=[edit])]


def _names(case: Case, scopes: tuple[str, str]) -> str:
    """The variables by the names that they were saved under."""
    here, there = scopes
    if here and there:
        name = f'v.op.name.replace("{here}/", "{there}/", 1)'
    else:
        name = f'"{there}/" + v.op.name' if there else f'v.op.name.removeprefix("{here}/")'
    return f"{{{name}: v for v in {v1(case, 'global_variables()')}}}"


def _not_saved(case: Case, said: Quotation, facts: SessionFacts, missing: list[Unsaved]) -> Finding | None:
    """The program's own saver that wrote fewer variables than are restored, where it has just one that could have."""
    found = limited_savers(case.project)
    if len(found) != 1 or said.place is None or found[0].line == said.place.line:
        return None
    one, first = found[0], missing[0]
    place = located(case.project, one.file, one.line)
    names = ", ".join(f"`{each.node.name}`" for each in missing[:_MOST_NAMES])
    stored = Evidence(fact="names in the checkpoint", value=facts.stored, source="SessionFacts")
    return Finding(
        message=(
            f"{prefix(place)}this saver saves only `{one.text}`, so {len(missing)} of the {facts.variables} variables "
            f"that {line_words(said.place)} restores are not in the checkpoint: {names}"
        ),
        certainty="likely",
        location=place,
        culprit=Culprit(kind="variable", name=first.node.name, near=first.near),
        evidence=[*evidence_of(said.link, said.raised), *created(case, first.node, f"`{first.node.name}`"), stored],
        advice=[
            f"Save them too: `{v1(case, 'train.Saver')}()` without a list, and run what saves once more. If they were "
            "left out on purpose, restore only what was saved, and initialise these."
        ],
        changes=_saving_all(case, place),
    )


def _saving_all(case: Case, place: Location) -> list[Change]:
    """The saver without its list."""
    source = case.project[place.file]
    calls = [call for call in calls_at(source, place.line, "Saver") if call.args or call.keywords]
    if len(calls) != 1:
        return []
    part = next((word for word in calls[0].keywords if word.arg == "var_list"), None) or next(iter(calls[0].args), None)
    if part is None:
        return []
    edit = drop_argument(source, place.file, calls[0], part)
    return [Change(title="Save all variables, without a list", kind="argument", edits=[edit])]


def _scopes(missing: list[Unsaved]) -> tuple[str, str] | None:
    """What stands before the part that the names of the graph and of the checkpoint share, the same for all."""
    found: set[tuple[str, str]] = set()
    for one in missing:
        if not one.near:
            return None
        mine, theirs = one.node.name.split("/"), one.near[0].split("/")
        shared = 0
        while shared < min(len(mine), len(theirs)) and mine[-1 - shared] == theirs[-1 - shared]:
            shared += 1
        found.add(("/".join(mine[: len(mine) - shared]), "/".join(theirs[: len(theirs) - shared])))
    return found.pop() if len(found) == 1 else None


def _line_of_scope(case: Case, one: Unsaved, scope: str) -> Location | None:
    """The innermost line on the way to a variable that writes the scope out."""
    for frame in reversed(one.node.made):
        if scope and (f'"{scope}"' in frame.source or f"'{scope}'" in frame.source):
            return case.locate(frame)
    return made_at(case, one.node)


def _scope_advice(case: Case, scopes: tuple[str, str], place: Location | None) -> str:
    here, there = scopes
    saved = f"or restore under the saved names: `{v1(case, 'train.Saver')}({_names(case, scopes)})`."
    if here and there:
        at = f" on {line_words(place)}" if place is not None else ""
        return f'Use the scope "{there}" instead of "{here}"{at}; {saved}'
    if there:
        return f'Build it inside of `with {v1(case, "variable_scope")}("{there}"):`; {saved}'
    return f'Build it outside of the scope "{here}"; {saved}'


def _shape(case: Case, said: Quotation, differing: list[Unsaved]) -> Finding:
    first = differing[0]
    place = made_at(case, first.node) or said.place
    pairs = [
        f"`{one.node.name}` is {shape_words(one.node.shape)}, saved as {shape_words(one.stored)}"
        for one in differing[:_MOST_NAMES]
    ]
    return Finding(
        message=f"{prefix(place)}the checkpoint holds other shapes: {'; '.join(pairs)}; expected the sizes that were "
        "saved",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="variable", name=first.node.name, shape=first.node.shape),
        evidence=[*evidence_of(said.link, said.raised), *created(case, first.node, f"`{first.node.name}`")],
        advice=[
            f"Build `{first.node.name}` with shape {shape_words(first.stored)}, the sizes that the saved model had, or "
            "leave it out of the saver and train it anew."
        ],
    )
