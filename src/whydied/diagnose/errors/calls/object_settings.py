"""A setting of an object, given when it was made, that a later call does not go with. Pure.

The library's condition names an attribute, its constructor the parameter that it keeps there, and the exception names
that parameter: so the other value of it, or no such call, does not meet the condition.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.calls.refused_values import Made, maker_of, makers, passed, refusal
from whydied.diagnose.errors.usage import call_of, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import CallBegan, CallEnded, CallRefused, Demanded, Frame, RaisedException
from whydied.source.calls import callee, receiver
from whydied.source.edits.argument_edits import drop_keyword
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.statement_edits import left_out, statement_at
from whydied.source.trees import across, enclosing, function_at, holds, walk, written

_BATCH_AXIS = re.compile(r"shape\w*\[0\]$")
_PLAIN_DEFAULTS = ("True", "False", "None")


def finding(case: Case, link: RaisedException) -> Finding | None:
    """The first setting that the exception names and that the program gave, or left as it is by default."""
    refused = refusal(case)
    if refused is None:
        return None
    for demand in refused.demands:
        if demand.kind not in ("true", "false") or demand.default not in _PLAIN_DEFAULTS or not demand.given_as:
            continue
        if not re.search(rf"\b{re.escape(demand.given_as)}", text_of(link)):
            continue
        made = _maker(case, refused, demand) if not _held_before(case) else None
        if made is not None:
            return _of_setting(case, link, refused, demand, made)
    return None


def _held_before(case: Case) -> bool:
    """Whether a call of the same model went well before the one that failed: its settings were the same then."""
    process = case.principal
    begun = {one.call: one for one in process.all(CallBegan)} if process is not None else {}
    ended = [one for one in process.all(CallEnded) if one.call in begun] if process is not None else []
    failed = [begun[one.call] for one in ended if one.raised]
    return bool(failed) and any(
        not one.raised and begun[one.call].model == failed[-1].model and one.call < failed[-1].call for one in ended
    )


def _maker(case: Case, refused: CallRefused, demand: Demanded) -> Made | None:
    """The call that made the object: one of its own class, else one of the class whose method was called, which passes
    the setting on."""
    called = call_of(case)
    name = called.callee.rpartition(".")[0] if called is not None else ""
    if called is None and refused.frame is not None:
        # AutoGraph's copy of the line is not the call that is recorded.
        name = receiver(case.sources, case.locate(refused.frame), (refused.function.rpartition(".")[2],)) or ""
    own = maker_of(case, {demand.holder}, name) or _beside(case, refused, demand, name)
    if own is not None or called is None:
        return own
    outer = maker_of(case, set(called.function.split(".")[1:-1]), name)
    return outer if outer is not None and passed(outer.call, demand.given_as, None) is not None else None


def _beside(case: Case, refused: CallRefused, demand: Demanded, name: str) -> Made | None:
    """Of several that are called so, the one in the function of the failing line."""
    failing = refused.frame
    if failing is None or failing.file not in case.project:
        return None
    scope = function_at(case.project[failing.file].tree, failing.line)
    found = [
        one
        for one in makers(case, {demand.holder})
        if (one.file, one.name) == (failing.file, name)
        and function_at(case.project[one.file].tree, one.call.lineno) is scope
    ]
    return found[0] if len(found) == 1 else None


def _of_setting(
    case: Case, link: RaisedException, refused: CallRefused, demand: Demanded, made: Made
) -> Finding | None:
    name = demand.given_as
    node = passed(made.call, name, demand.position if callee(made.call) == demand.holder else None)
    failing = refused.frame
    if failing is None:
        return None
    source = case.project[made.file]
    place = _place(case, made.file, made.call.lineno)
    what = f"`{made.name or written(made.call.func)}`"
    if demand.kind == "true" and node is None:
        words = f"{what} is made without `{name}=True`, which {line_words(failing)} needs"
        edit = add_argument(source, made.file, made.call, f"{name}=True")
        changes = [Change(title=f"Pass `{name}=True`", kind="argument", edits=[edit])]
        advice = [f"Write `{name}=True` in `{written(made.call)}`."]
        return _found(link, words, place, name, "False", advice, changes, demand, refused)
    if demand.kind == "false" and node is not None:
        return _not_with(case, link, refused, demand, made, node)
    return None


def _not_with(
    case: Case, link: RaisedException, refused: CallRefused, demand: Demanded, made: Made, node: ast.expr
) -> Finding:
    """A setting that was given, and a call that is refused because of it."""
    name, failing = demand.given_as, refused.frame
    assert failing is not None
    source = case.project[made.file]
    place = _place(case, made.file, made.call.lineno)
    shown = f"`{name}={written(node)}`"
    dropped = drop_keyword(source, made.file, made.call, name)
    without = [Change(title=f"Leave {shown} out", kind="argument", edits=[dropped])] if dropped else []
    if any(_BATCH_AXIS.search(one.text) and one.kind == "given" for one in refused.demands):
        sized = _sized_input(case)
        if sized is not None:
            at, text, change = sized
            words = f"{shown} ({line_words(place)}) needs a fixed batch size, and `{text}` leaves it open"
            advice = [f"{change.title}.", f"Or leave {shown} out."]
            return _found(link, words, at, name, demand.value, advice, [change, *without], demand, refused)
    statement = statement_at(case.sources[failing.file], failing.line) if failing.file in case.sources else None
    apart = statement is not None and not (made.file == failing.file and holds(statement, made.call.lineno))
    if isinstance(statement, ast.Expr) and apart:
        refusing = _place(case, failing.file, failing.line)
        words = f"`{written(statement)[:80]}` does not go with {shown} ({line_words(place)})"
        edit = left_out(case.sources[failing.file], failing.file, statement)
        changes = [Change(title="Leave this line out", kind="statement", edits=[edit])] if edit else []
        advice = ["Leave this line out.", f"Or leave {shown} out on {line_words(place)}."]
        return _found(link, words, refusing, name, demand.value, advice, [*changes, *without], demand, refused)
    words = f"{shown} is refused on {line_words(failing)}"
    return _found(link, words, place, name, demand.value, [f"Leave {shown} out."], without, demand, refused)


def _sized_input(case: Case) -> tuple[Location, str, Change] | None:
    """The only input of the program, with the batch size that it trains with in its shape."""
    inputs = [
        (file, call, word)
        for file, call in across(case.project, ast.Call)
        for word in call.keywords
        if callee(call) in ("Input", "InputLayer") and word.arg == "shape" and isinstance(word.value, ast.Tuple)
    ]
    sizes = {written(node): node for _, node in _batch_sizes(case)}
    if len(inputs) != 1 or len(sizes) != 1:
        return None
    file, call, word = inputs[0]
    source = case.project[file]
    size, node = next(iter(sizes.items()))
    scope = function_at(source.tree, call.lineno)
    if isinstance(node, ast.Name) and not _is_global(case, file, node.id) and scope is not None:
        return None
    if not isinstance(node, ast.Name | ast.Constant):
        return None
    extents = ", ".join(written_in(source, one) for one in walk(word.value, ast.Tuple)[0].elts)
    new = f"batch_shape=({size}, {extents})"
    change = Change(title=f"Write `{new}`", kind="argument", edits=[over(source, file, word, new)])
    return _place(case, file, call.lineno), written(call), change


def _batch_sizes(case: Case) -> list[tuple[str, ast.expr]]:
    return [
        (file, word.value)
        for file, call in across(case.project, ast.Call)
        for word in call.keywords
        if callee(call) == "fit" and word.arg == "batch_size"
    ]


def _is_global(case: Case, file: str, name: str) -> bool:
    return any(
        isinstance(target, ast.Name) and target.id == name
        for node in case.project[file].tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
    )


def _place(case: Case, file: str, line: int) -> Location:
    function = enclosing(case.project[file].tree, line) if file in case.project else ""
    return case.locate(Frame(file=file, line=line, function=function, user=True))


def _found(
    link: RaisedException,
    words: str,
    place: Location,
    name: str,
    value: str | None,
    advice: list[str],
    changes: list[Change],
    demand: Demanded,
    refused: CallRefused,
) -> Finding:
    seen = Evidence(fact=f"`{demand.text}` in {refused.function}", value=demand.value, source="CallRefused")
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="argument", name=name, value=value),
        evidence=[said(link), seen],
        advice=advice,
        changes=changes,
    )
