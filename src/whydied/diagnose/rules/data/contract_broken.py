"""Data that are not as the model, the loss or the program itself requires.

## What it detects
Rows that break a contract, where that made the run go wrong: labels outside of the classes that the loss has, ids
outside of an embedding, targets outside of the range that the loss is made for, and anything that `whydied.expect` was
told of.

## Why it happens
Labels that count from one instead of zero, a class more in the data than in the last layer, a vocabulary that grew,
missing values that became NaN or -1, a column in another unit.

## Evidence
The rows of the data themselves, looked at in the program: arrays when the call begins (the rest of large ones between
steps), elements of generators and PyDatasets as they come, the arrays that a tf.data pipeline was made from. What is
required comes from the model's inputs, from its Embedding layers, from the loss, or was declared.

## How it is proved
A declared contract raised: certain. Labels and ids: certain where the exception that ended the call quotes one of the
values, likely where it only came out of the same call. A range of the loss: likely where a step of that call had values
that are not finite, certain where the loss was below zero, which a cross entropy cannot be. Values that are not finite
in the data of a Keras model on JAX or PyTorch, whose steps are not watched: likely where the program ended itself
because of such a value.

## Fix
Mend or leave out the rows, or widen the layer. `whydied contract RUN --pytest FILE` writes tests with these very rows.

## Known problems
A contract that is broken without harm is not a finding. Data that a `tf.data` stage changes (`map`, `filter`) are not
looked at; rows of a shuffled PyDataset are told by the order in which its batches came.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors import contracts
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location, Rows
from whydied.diagnose.numerics.nonfinite_end import led_to_end
from whydied.records import ContractBroken, DataSeen, ExceptionRaised, Frame, LossesSeen, NormsSeen
from whydied.source.edits.edit import Change
from whydied.source.edits.shapes.value_edits import use_edits
from whydied.words.contract_terms import rows_text, values_text

# What `whydied.inside.public.contract.contract_ops` puts into an Assert op, as TensorFlow prints it.
_ASSERTED = re.compile(
    r"\[whydied\.expect: (?P<where>.*?): (?P<name>.*?): expected (?P<words>.*?)\]"
    r"(?: \[rows that break it:\] \[(?P<count>\d+)\] \[the first is row\] \[(?P<row>\d+)\]"
    r"(?: \[with\] \[(?P<value>.*?)\])?)?"
)

_CALLS = ("fit", "train_on_batch")

ROLE = "explanation"
YIELDS_TO = ("empty-input", "label-out-of-range", "index-out-of-range")


def check(case: Case) -> Finding | None:
    broken = contracts.broken_in(case)
    declared = _declared(case, broken) or _asserted(case)
    if declared is not None:
        return declared
    silent = [one for one in broken if not one.raised]
    for kinds in (("classes", "vocabulary"), ("range", "one-hot"), ("finite",)):
        for one in silent:
            if one.term.kind in kinds and (certainty := _consequence(case, one)):
                return _finding(case, one, certainty)
    return None


def _declared(case: Case, broken: list[ContractBroken]) -> Finding | None:
    """The contract whose error nobody caught."""
    raised = case.uncaught
    said = " ".join(link.message for link in raised.chain) if raised else ""
    for one in reversed(broken):
        if one.raised and f"{one.name}: " in said and f"expected {one.term.words}" in said:
            return _finding(case, one, "certain")
    return None


def _asserted(case: Case) -> Finding | None:
    """The same inside of a graph, where only the exception tells of it."""
    raised = case.uncaught
    for link in raised.chain if raised else ():
        if found := _ASSERTED.search(link.message):
            return _from_assert(case, raised, found)
    return None


def _from_assert(case: Case, raised: ExceptionRaised | None, found: re.Match[str]) -> Finding:
    place = _line_of(case, found["where"]) or (case.locate_exception(raised.chain) if raised else None)
    count, row, value = found["count"], found["row"], found["value"]
    what = f"{count} rows break it, the first is row {row}" + (f" with {value}" if value else "") if count else "broken"
    return Finding(
        message=f"{prefix(place)}{found['name']}: {what}; expected {found['words']}",
        certainty="certain",
        location=place,
        culprit=Culprit(
            kind="row",
            name=found["name"],
            value=value,
            rows=Rows(batch=[int(row)], count=int(count)) if count else None,
        ),
        evidence=[Evidence(fact="declared contract", value=f"{found['words']} ({found['where']})", source="exception")],
        advice=["Fix or drop these rows before they reach this line."],
    )


def _line_of(case: Case, where: str) -> Location | None:
    """`train.py:12` as a place in the one source file of that name."""
    name, _, line = where.rpartition(":")
    files = [file for file in case.recording.sources if file.rsplit("/", 1)[-1] == name]
    if len(files) != 1 or not line.isdigit():
        return None
    return case.locate(Frame(file=files[0], line=int(line), function="", user=True))


def _consequence(case: Case, one: ContractBroken) -> Certainty | None:
    """How sure it is that a broken contract made the run go wrong; None where nothing says so."""
    raised = case.uncaught
    kind = one.term.kind
    if kind in ("classes", "vocabulary"):
        if raised is not None and contracts.call_failed(case, one) and _is_of_the_runtime(raised):
            return "certain" if contracts.quotes_value(raised, one) else "likely"
        return "likely" if contracts.step_captured(case, one) and led_to_end(case) else None
    if contracts.step_captured(case, one):
        # For values that are not finite the rules on numerics know more: the op, and whether these rows did it.
        return "likely" if kind in ("range", "one-hot") and led_to_end(case) else None
    if kind == "range" and one.role == "target" and _is_negative(case):
        return "certain"
    if kind == "finite" and raised is not None and _speaks_of_nonfinite(raised):
        return "likely"
    if kind == "finite" and contracts.steps_unwatched(case) and case.exit_code != 0 and led_to_end(case):
        return "likely"
    return None


def _is_negative(case: Case) -> bool:
    """Whether a training's loss was below zero, which that of targets in its range cannot be."""
    seen = [loss for one in case.records.all(NormsSeen) for loss in one.losses]
    seen += [loss for one in case.records.all(LossesSeen) for loss in one.losses]
    return any(loss < 0 for loss in seen)


def _is_of_the_runtime(raised: ExceptionRaised) -> bool:
    return any(link.type == "InvalidArgumentError" for link in raised.chain)


def _speaks_of_nonfinite(raised: ExceptionRaised) -> bool:
    return any(re.search(r"\b(nan|inf|infinity|not finite|non-finite)\b", link.message, re.I) for link in raised.chain)


def _finding(case: Case, one: ContractBroken, certainty: Certainty) -> Finding:
    place = case.locate(one.frames[-1]) if one.frames else None
    name = contracts.name_in_source(case, place, one) if place else one.name
    maker = contracts.warned_on_way(case, place, name) if place and one.term.kind == "finite" else None
    place, warning = maker if maker is not None else (place, None)
    scale = _scale(case, one)
    batch = f" of batch {one.batch}" if one.batch is not None else ""
    found = f"{rows_text(one)}{batch} {values_text(one)}" if one.rows else "".join(one.values[:1])
    by = f" ({one.term.source})" if one.term.source else ""
    dataset, rows = ([], one.rows) if one.batch is not None else (one.rows, [])
    return Finding(
        message=f"{prefix(place)}{name}: {found}; expected {one.term.words}{by}",
        certainty=certainty,
        location=place,
        culprit=Culprit(
            kind="row" if one.rows else "data",
            name=name,
            shape=one.shape or None,
            dtype=one.dtype or None,
            value=one.values[0] if one.values else None,
            rows=Rows(batch=rows, dataset=dataset, count=one.count) if one.rows else None,
        ),
        evidence=[
            Evidence(fact="rows that break the contract", value=one.count, source="ContractBroken"),
            Evidence(fact="rows checked", value=one.rows_seen, source="ContractBroken"),
            Evidence(fact="first values", value=", ".join(one.values), source="ContractBroken"),
            Evidence(fact="required by", value=one.term.source or one.term.by, source="ContractBroken"),
            *([Evidence(fact="NumPy warned here", value=warning, source="WarningIssued")] if warning else []),
        ],
        advice=[_scaled_words(name, scale) if scale else _advice(one)],
        changes=_scaled(case, place, name, scale) if scale and place is not None else [],
    )


def _scale(case: Case, one: ContractBroken) -> int | None:
    """What to divide targets by whose only value out of range is the largest: 255 for a mask that was read as a
    picture."""
    seen = [data.numbers for data in case.records.all(DataSeen) if (data.role, data.call) == (one.role, one.call)]
    numbers = next((one for one in reversed(seen) if one is not None), None)
    if numbers is None or numbers.least != 0 or one.term.kind != "range" or one.term.high != 1:
        return None
    highest = numbers.greatest or 0.0
    is_pair = highest > 1 and highest.is_integer() and set(one.values) == {f"{highest:g}"}
    return int(highest) if is_pair else None


def _scaled_words(name: str, scale: int) -> str:
    return f"The values go from 0 to {scale}: divide by {scale} where they are read, or pass `{name} / {scale}`."


def _scaled(case: Case, place: Location, name: str, scale: int) -> list[Change]:
    source = case.sources.get(place.file)
    edits = use_edits(source, place.file, place.line, name, f"{{x}} / {scale}", _CALLS) if source is not None else None
    if not edits:
        return []
    return [Change(title=f"Pass `{name} / {scale}`", kind="scale", edits=list(edits), value=scale)]


def _advice(one: ContractBroken) -> str:
    if one.term.kind == "classes" and one.term.high is not None:
        return (
            f"The model has {one.term.high:g} classes, counted from 0. If the labels are right, the last layer needs "
            "more units; if they count from 1, subtract 1; otherwise fix these rows."
        )
    if one.term.kind == "vocabulary":
        return "If the ids are right, `input_dim` of the Embedding must be larger than the largest of them."
    return "Fix or drop these rows."
