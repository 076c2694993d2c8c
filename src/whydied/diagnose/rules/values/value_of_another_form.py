"""A value is used in a form that the failing expression does not take, and takes in another one.

## What it detects
An uncaught exception of an expression of the program's own, or of a call of a library in it, that no rule explains by
its kind: an object in the place of what it holds (`trainer[0]` for `trainer.history[0]`), a method that was not called,
an array in the place of its length, two arguments in the place of their pairs, arguments in the wrong order.

## Why it happens
The value has another type or structure than the line takes it for.

## Evidence
The expression was evaluated again in a copy of the dying process, with the values of that line and one of its parts in
another form: as it is it fails there too, and with this form it gives a value, and the statements behind it do not fail
as far as they only compute. Where no part of the expression is wrong, the assignments that made its values are tried in
the same way, with all statements between run again, and the program's own call of the function. Of a Keras call the
step was traced with data or loss in another form. `inside/trials/failing_expression.py` bounds the time (`_CPU_S`).

## How it is proved
That the expression takes the form was seen; that it is the one that was meant is not: likely. Where several forms
change as little, possible, and all of them are named.

## Fix
The form.

## Known problems
Nothing is tried that reads, writes or trains, nothing before Python 3.11, nothing with a GPU. The program's own
functions are run again only where their text shows that they compute.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.calls.tried_forms import evidence_of, form_advice, form_words, parsed, tried_of
from whydied.diagnose.errors.usage import root_link, said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import FormsTried, Frame, RaisedException, TakenForm
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Change
from whydied.source.origins.value_makers import option_behind
from whydied.source.trees import walk, written

ROLE = "explanation"
YIELDS_TO = (
    *("relative-path-moved", "option-not-declared", "json-keys-are-texts", "generator-past-end"),
    *("header-read-as-data", "pickle-read-past-end", "word-not-in-vocabulary", "listed-file-of-another-kind"),
    *("picture-channels-differ", "list-used-as-array", "batch-axis-shown", "nothing-listed", "lines-of-json"),
    *("unguarded-main", "not-picklable", "files-left-open", "result-taken-for-another", "argument-unlike-default"),
    *("result-refused", "axis-mismatch", "lazy-values"),
)


def check(case: Case) -> Finding | None:
    link = root_link(case)
    tried = tried_of(case, link) if link is not None else None
    if link is None or tried is None or not tried.taken or link.near:
        return None
    advice = form_advice(case, link)
    place = case.locate(advice.frame) if advice.frame is not None else None
    if not advice or place is None:
        return None
    best = tried.taken[0]
    of_option = _of_option(case, link, tried, best)
    if of_option is not None:
        return of_option
    return Finding(
        message=f"{prefix(place)}{form_words(link, tried)}",
        certainty="likely" if len(advice.changes) == 1 else "possible",
        location=place,
        culprit=Culprit(kind="value", name=best.was) if best.was else None,
        evidence=[said(link), evidence_of(tried)],
        advice=advice.sentences,
        changes=advice.changes,
    )


def _of_option(case: Case, link: RaisedException, tried: FormsTried, best: TakenForm) -> Finding | None:
    """A text for a number that comes from an option of the command line, where that is declared without a type."""
    kind = next((one for one in ("int", "float") if best.now == f"{one}({best.was})"), "")
    node = parsed(best.was) if kind else None
    if node is None:
        return None
    for part in walk(node, (ast.expr,)):
        part.lineno = tried.frame.line
    found = option_behind(case.project, tried.frame.file, node)
    if found is None or any(word.arg in ("type", "action") for word in found[1].keywords):
        return None
    file, call = found
    place = case.locate(Frame(file=file, line=call.lineno, function="", user=True))
    name = written(call.args[0]) if call.args else "the option"
    edit = set_argument(case.project[file], file, call, "type", None, kind)
    return Finding(
        message=f"{prefix(place)}the option {name} is declared without a type, so it is a text; "
        f"{line_words(tried.frame)} takes `{best.was}` for a number",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="value", name=best.was),
        evidence=[said(link), evidence_of(tried)],
        advice=[f"Write `type={kind}` in the `add_argument` of {name}."],
        changes=[Change(title=f"Declare it with `type={kind}`", kind="argument", edits=[edit])] if edit else [],
    )
