"""A library does not take what a function of the program gave it.

## What it detects
An exception raised inside of a library about a value that it had from a function of the program's own: the rate that a
`schedule` returns, the item that a generator yields, what `train_step`, `get_config`, `compute_output_shape` or
`__getitem__` give.

## Why it happens
The library calls the function later, on its own, and checks what comes out: the failing line of the program is then
`fit` or `save`, and the function is no longer on the stack.

## Evidence
The value as the library's frame had it, by type and shape; the call in the library's source that it came out of, whose
callee is the program's function; the `return` that can have given it, or the `yield` at which the generator stands; the
conditions around the library's `raise`.

## How it is proved
The value came from that call by the library's own source and live frames. Certain where one statement of the function
can have given it, likely where several can. A form is advised only where the library's lines, run again in a copy of
the process with the value in that form, did not raise.

## Fix
The `return` or `yield` in a form that the library takes.

## Known problems
What passes through a function of the library that computes with it is not followed.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.usage import root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import RaisedException, ResultRefused, TakenForm
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit, edited

ROLE = "explanation"
YIELDS_TO = (
    *("layer-misuse", "generator-mismatch", "demand-not-met", "none-result", "shape-mismatch", "rank-mismatch"),
    *("dtype-mismatch", "target-mismatch", "wrong-input-shape", "unknown-size", "uneven-items", "signature-mismatch"),
    *("not-a-callback", "custom-object-missing", "symbolic-as-value", "missing-log-name", "inputs-miscounted"),
    "outputs-among-inputs",
)
_AS_CHEAP = 0.05
_VERBS = {"return": ("returns", "Return"), "yield": ("yields", "Yield")}


def check(case: Case) -> Finding | None:
    link = root_link(case)
    refused = _refused(case, link) if link is not None else None
    if link is None or refused is None or not refused.given:
        return None
    only = len(refused.given) == 1
    place = case.locate(refused.given[0] if only else refused.function)
    verb, _ = _VERBS[refused.kind]
    words = f"`{refused.name}` {verb} {value_words(refused)}"
    if not only:
        words += f" (line {' or '.join(str(one.line) for one in refused.given)})"
    words += f", which `{refused.inside}` does not take"
    advice, changes = _advice(case, refused)
    return Finding(
        message=f"{prefix(place)}{words}",
        # What a generator yielded is known by its parts, not by itself.
        certainty="certain" if only and refused.kind == "return" else "likely",
        location=place,
        culprit=Culprit(kind="function", name=refused.name, shape=refused.shape, dtype=refused.dtype),
        evidence=[said(link), *_evidence(refused)],
        advice=advice,
        changes=changes,
    )


def _refused(case: Case, link: RaisedException) -> ResultRefused | None:
    raised = case.uncaught
    if raised is None or case.principal is None:
        return None
    index = raised.chain.index(link)
    return next((one for one in case.principal.all(ResultRefused) if one.link == index), None)


def value_words(refused: ResultRefused) -> str:
    kind = refused.type.rpartition(".")[2]
    article = "an" if kind[:1].lower() in "aeio" else "a"
    if refused.shape == []:
        return f"{article} {kind}" if kind == refused.dtype else f"a scalar {kind} ({refused.dtype})"
    if refused.shape is not None:
        sizes = ", ".join("None" if one is None else str(one) for one in refused.shape)
        comma = "," if len(refused.shape) == 1 else ""
        return f"{article} {kind} of shape ({sizes}{comma})" + (f" {refused.dtype}" if refused.dtype else "")
    if refused.value is not None:
        return f"`{refused.value}`, {article} {kind}"
    if refused.length is None:
        return f"{article} {kind}"
    held = ", ".join(dict.fromkeys(one.type.rpartition(".")[2] for one in refused.parts))
    return f"{article} {kind} of length {refused.length}" + (f" ({held})" if held else "")


def _evidence(refused: ResultRefused) -> list[Evidence]:
    source = "ResultRefused"
    found = [Evidence(fact=f"`{refused.subject}` in {refused.inside}", value=value_words(refused), source=source)]
    if refused.call != refused.subject:
        found.append(Evidence(fact="which it had from", value=f"`{refused.call}`", source=source))
    if refused.wanted:
        found.append(Evidence(fact="it wants", value=" and ".join(f"`{one}`" for one in refused.wanted), source=source))
    if refused.taken:
        best = refused.taken[0]
        found.append(Evidence(fact=f"its lines run again with `{best.now}`", value="do not raise", source=source))
    return found


def _advice(case: Case, refused: ResultRefused) -> tuple[list[str], list[Change]]:
    _, verb = _VERBS[refused.kind]
    best = [one for one in refused.taken if one.cost - refused.taken[0].cost < _AS_CHEAP]
    if best:
        words = " or ".join(f"`{one.now}`" for one in best[:2])
        edit = _edit(case, refused, best[0])
        change = Change(title=f"{verb} `{best[0].now}`", kind="expression", edits=[edit]) if edit is not None else None
        return [f"{verb} {words}."], [change] if change is not None else []
    kinds = _kinds(refused.wanted[0], refused.subject) if len(refused.wanted) == 1 else []
    return ([f"{verb} {' or '.join(f'`{one}`' for one in kinds)} instead."] if kinds else []), []


def _edit(case: Case, refused: ResultRefused, form: TakenForm) -> Edit | None:
    frame = refused.given[0]
    source = case.sources.get(frame.file)
    edit = Edit(frame.file, (form.start[0], form.start[1]), (form.end[0], form.end[1]), form.now)
    return edit if source is not None and edited(source, [edit]) is not None else None


def _kinds(wanted: str, subject: str) -> list[str]:
    """The types that a condition asks for."""
    try:
        node = ast.parse(wanted, mode="eval").body
    except SyntaxError:
        return []
    if not isinstance(node, ast.Call) or callee(node) != "isinstance" or ast.unparse(node.args[0]) != subject:
        return []
    kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
    return [ast.unparse(one) for one in kinds]
