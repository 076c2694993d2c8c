"""Forms of a part of the failing expression that were tried on the live values, as advice and as a change. Pure.

Invariant: a form is only offered where the expression gave a value with it in a copy of the dying process, or where the
signature of the only method that fits speaks for it. Where several change as little, all are named and none is a patch.
"""

from __future__ import annotations

import msgspec

from whydied.diagnose.case import Case, root_of
from whydied.diagnose.errors.advice import Advice, nothing
from whydied.diagnose.finding import Evidence, Finding
from whydied.records import FormsTried, RaisedException, TakenForm
from whydied.source.edits.edit import Change, Edit, edited

MOST_NAMED = 3
_AS_CHEAP = 0.05


def tried_of(case: Case, link: RaisedException) -> FormsTried | None:
    raised = case.uncaught
    if raised is None or case.principal is None or link not in raised.chain:
        return None
    index = raised.chain.index(link)
    return next((one for one in reversed(case.principal.all(FormsTried)) if one.link == index and one.taken), None)


def form_advice(case: Case, link: RaisedException) -> Advice:
    """What may be written in the place of a part of the failing expression."""
    tried = tried_of(case, link)
    source = case.sources.get(tried.frame.file) if tried is not None else None
    if tried is None or source is None:
        return nothing()
    if link.module.startswith("tensorflow."):
        # An op that refuses what a value holds is not answered by a part of it, its shape or its text.
        tried = msgspec.structs.replace(tried, taken=[one for one in tried.taken if _is_same_call(one)])
        if not tried.taken:
            return nothing()
    least = tried.taken[0].cost
    best = [one for one in tried.taken if one.cost - least < _AS_CHEAP]
    changes = [_change(tried, one) for one in best]
    changes = [one for one in changes if edited(source, one.edits) is not None]
    if not changes:
        return nothing()
    if len(best) == 1:
        return Advice([f"{_sentence(best[0])}."], changes, tried.frame)
    words = "; or ".join(_sentence(one, first=n == 0) for n, one in enumerate(best[:MOST_NAMED]))
    return Advice([f"{words}."], [], tried.frame)


def _is_same_call(one: TakenForm) -> bool:
    """Whether a form is the call as it was, with its arguments in another order."""
    (was, given, _), (now, other, _) = one.was.partition("("), one.now.partition("(")
    return bool(given and other) and was == now and not one.now.startswith(one.was)


def supplemented(case: Case, finding: Finding) -> Finding:
    """A finding about the exception that ended the program, with what was tried where it has nothing to say itself."""
    raised = case.uncaught
    if raised is None or finding.advice or finding.changes or not raised.chain:
        return finding
    link = raised.chain[root_of(raised.chain)]
    advice = form_advice(case, link)
    tried = tried_of(case, link)
    at = finding.location
    if not advice or tried is None or at is None or (at.file, at.line) != (tried.frame.file, tried.frame.line):
        return finding
    return msgspec.structs.replace(
        finding, advice=advice.sentences, changes=advice.changes, evidence=[*finding.evidence, evidence_of(tried)]
    )


def evidence_of(tried: FormsTried) -> Evidence:
    best = tried.taken[0]
    what = f"`{tried.expression}` with `{best.now}` for `{best.was}`"
    if not best.gives:
        return Evidence(fact="the only method that takes these arguments", value=best.now, source="FormsTried")
    return Evidence(fact=f"{what}, evaluated with the values of that line", value=best.gives, source="FormsTried")


def _sentence(one: TakenForm, first: bool = True) -> str:
    verb = "Write" if first else "write"
    return f"{verb} `{one.now}` instead of `{one.was}`"


def _change(tried: FormsTried, one: TakenForm) -> Change:
    edit = Edit(tried.frame.file, (one.start[0], one.start[1]), (one.end[0], one.end[1]), one.now)
    return Change(title=_sentence(one), kind="expression", edits=[edit])
