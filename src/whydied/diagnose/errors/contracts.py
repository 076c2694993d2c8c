"""The broken contracts of a run, what they led to, and the names that their data have in the source. Pure."""

from __future__ import annotations

import re

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.records import (
    CallBegan,
    CallEnded,
    ContractBroken,
    ExceptionRaised,
    Frame,
    ModuleImported,
    StepCaptured,
    WarningIssued,
)
from whydied.source.calls import argument
from whydied.source.container_parts import item_in
from whydied.source.training.data_way import DataWay, loss_target, names_passed, sliced
from whydied.source.trees import enclosing, tree_of
from whydied.texts import numpy_warnings

_POSITIONS = {"x": "0", "y": "1"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def broken_in(case: Case) -> list[ContractBroken]:
    """The last word on each input, term and batch, in the order in which they were found."""
    found: dict[tuple[object, ...], ContractBroken] = {}
    for broken in case.principal.all(ContractBroken) if case.principal else []:
        line = broken.frames[-1].line if broken.frames else 0
        found[broken.call, broken.name, broken.term.kind, broken.batch, line, broken.raised] = broken
    return list(found.values())


def call_failed(case: Case, broken: ContractBroken) -> bool:
    """Whether the exception that ended the program came out of the call, or of the line, that was given the data."""
    raised = case.uncaught
    if raised is None or case.principal is None:
        return False
    if broken.call is not None:
        ended = {call.call: call.raised for call in case.principal.all(CallEnded)}
        if ended.get(broken.call, "") is None:
            return False
    places = {(frame.file, frame.line) for frame in broken.frames[-1:]}
    return any((frame.file, frame.line) in places for link in raised.chain for frame in link.frames if frame.user)


def quotes_value(raised: ExceptionRaised, broken: ContractBroken) -> bool:
    """Whether an exception's text has one of the offending values in it."""
    said = {_plain(number) for link in raised.chain for number in _NUMBER.findall(link.message)}
    return any(_plain(value) in said for value in broken.values)


def _plain(text: str) -> str:
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


def step_captured(case: Case, broken: ContractBroken) -> bool:
    """Whether a step of the same call had values that are not finite."""
    steps = case.principal.all(StepCaptured) if case.principal else []
    return any(step.call == broken.call for step in steps)


def steps_unwatched(case: Case) -> bool:
    """Whether Keras computed on JAX or PyTorch, whose steps nobody looks into."""
    loaded = {module.name for module in case.records.all(ModuleImported)}
    return "keras" in loaded and "tensorflow" not in loaded and bool(loaded & {"jax", "torch"})


def warned_on_way(case: Case, passed: Location, name: str) -> tuple[Location, str] | None:
    """The last line on the way of the data at which NumPy warned of values that are not finite, with its words."""
    way = DataWay(case.sources, {name, *names_passed(case.sources, passed)})
    for warned in reversed(case.records.all(WarningIssued)):
        if not numpy_warnings.NOT_A_NUMBER.search(warned.message) or warned.file not in case.sources:
            continue
        if way.holds(warned.file, warned.line):
            function = enclosing(tree_of(case.sources, warned.file), warned.line)
            frame = Frame(file=warned.file, line=warned.line, function=function, user=True)
            return case.locate(frame), warned.message
    return None


def name_in_source(case: Case, place: Location, broken: ContractBroken) -> str:
    """What the program calls the data: the argument of the call, or of `from_tensor_slices` for a pipeline."""
    base, part = _split(broken.name)
    if broken.raised or base not in (*_POSITIONS, "y_true"):
        return broken.name
    if base == "y_true":
        return loss_target(case.sources, place) or broken.name
    call = next((call for call in _calls(case) if call.call == broken.call), None)
    given = _validation(case, place, call, base) or _argument(case, place, call.kind if call else "fit", base)
    if given is not None and not _is_pipeline(case, broken):
        return item_in(given, part)
    return sliced(case.sources, int(_POSITIONS[base]), part) or (f"{base}{part} of {given}" if given else broken.name)


def _argument(case: Case, place: Location, kind: str, base: str) -> str | None:
    return argument(case.sources, place, kind, base) or argument(case.sources, place, kind, _POSITIONS[base])


def _validation(case: Case, place: Location, call: CallBegan | None, base: str) -> str | None:
    """Of an `evaluate` inside of a `fit`: what stands in its `validation_data`."""
    if call is None or call.kind != "evaluate" or call.parent_call is None:
        return None
    given = argument(case.sources, place, "fit", "validation_data")
    return item_in(given, f"[{_POSITIONS[base]}]") if given else None


def _split(name: str) -> tuple[str, str]:
    base = re.split(r"[\[.]", name, maxsplit=1)[0]
    return base, name[len(base) :]


def _calls(case: Case) -> list[CallBegan]:
    return case.principal.all(CallBegan) if case.principal else []


def _is_pipeline(case: Case, broken: ContractBroken) -> bool:
    call = next((call for call in _calls(case) if call.call == broken.call), None)
    told = call.arguments.get("x") if call else None
    return isinstance(told, dict) and "shape" not in told and "parts" not in told
