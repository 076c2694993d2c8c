"""What a session was fed does not fit its placeholders.

## What it detects
Values of another shape than their placeholders, placeholders that were not fed, keys of the feed that are not tensors,
tensors in the place of values, text for numbers, and variables that the same run writes; all bad entries of a feed at
once.

## Why it happens
Class numbers where one column per class is declared; an axis too few or too many (one image instead of a batch);
another column count than the network was made for; a placeholder that only some ops need (`keep_prob`, a merged
summary) and that was forgotten; a name that now stands for something else than the placeholder; something to fetch
that was put into the feed.

## Evidence
Every entry of the feed with its placeholder's declared shape and line, and the shape, type and range of its value; the
way through the graph from what was fetched to the placeholder that was not fed; the line that gave a key's name
another value.

## How it is proved
The entries are compared with the graph when the run fails: certain. A change of a value is offered after it was tried
on the recorded shapes and numbers; one of a placeholder after the forward part of the graph was built with it, and all
reshapes and variables whose sizes belong to it are named with it.

## Fix
The change of the value that fits; where none does, the placeholder's shape or the data's, with what each means.

## Known problems
Whether the ops behind a placeholder take another shape is tried by building them again in a copy of the dying process;
gradients and updates are not built there, and before Python 3.11 nothing is.

## References
TensorFlow documentation: tf.compat.v1.Session.run.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.makers import is_of_function_without_return
from whydied.diagnose.errors.advice import Advice, Way, advised, changes_of, source_at
from whydied.diagnose.errors.demands.fed_variables import fed_variable
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.feed_changes import (
    declared_as_fed,
    difference,
    feed_changes,
    is_batch_only,
    is_misfit,
    plain_values,
    value_changes,
)
from whydied.diagnose.errors.framework_error import shape_words, sizes_in
from whydied.diagnose.errors.quotation import Quotation, named_line, quoted
from whydied.diagnose.errors.session_error import created, made_at, node_name, session_facts
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import Fed, Fetched, Frame, GraphNode, Party, SessionFacts, SessionRan
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes.feed_entries import fed_elsewhere, fed_key, fed_more, fed_value
from whydied.source.edits.shapes.rebound_names import own_name
from whydied.source.edits.shapes.value_edits import use_edits
from whydied.source.training.session_calls import as_key, bindings, calls_any, fed_for
from whydied.source.training.session_calls import fed_value as value_fed
from whydied.source.training.session_calls import placeholder as placeholder_named
from whydied.texts import session_errors

_SHAPE = session_errors.FEED_SHAPE.pattern
_MISSING = session_errors.NOT_FED.pattern
_KEY = session_errors.FEED_KEY.pattern
_TENSOR = session_errors.FEED_IS_TENSOR.pattern
_TEXT = session_errors.FEED_IS_TEXT.pattern
_RAGGED = session_errors.FEED_IS_RAGGED.pattern
_PLACEHOLDERS = ("placeholder", "placeholder_with_default", "sparse_placeholder", "Input")
_ANYTHING = re.compile("")
_MOST_TOLD = 3

ROLE = "explanation"
YIELDS_TO = ("fetch-mismatch", "other-graph", "graph-built-twice")


def check(case: Case) -> Finding | None:
    answers = (
        (_SHAPE, _shape),
        (_MISSING, _missing),
        (_KEY, _key),
        (_TENSOR, _tensor),
        (_TEXT, _text),
        (_RAGGED, _ragged),
    )
    for pattern, answer in answers:
        said = quoted(case, pattern)
        if said is not None and not is_of_function_without_return(case):
            return answer(case, said, session_facts(case))
    facts, raised = session_facts(case), quoted(case, _ANYTHING)
    found = fed_variable(case, facts) if facts is not None else None
    if found is None or raised is None:
        return None
    return _finding(case, raised, found.words, Culprit(kind="feed", name=found.name), found.advice, [found.node])


def _shape(case: Case, said: Quotation, facts: SessionFacts | None) -> Finding:
    entries = facts.feeds if facts is not None and facts.feeds else [_from_text(case, said)]
    bad = [one for one in entries if is_misfit(one)] or entries[:1]
    first = next((one for one in bad if one.node is not None and one.node.name == said.match["name"]), bad[0])
    ordered = [first, *(one for one in bad if one is not first)][:_MOST_TOLD]
    line = facts.place if facts is not None else None
    if line is None and said.place is not None:
        line = Frame(file=said.place.file, line=said.place.line, function="", user=True)
    advice = declared_as_fed(case, ordered, [_key_name(case, one) for one in ordered])
    if not advice:
        told = [feed_changes(case, one, _key_name(case, one), line) for one in ordered]
        sentences = [words for one in told for words in one.sentences]
        advice = Advice(sentences, [each for one in told for each in one.changes])
    return _finding(
        case,
        said,
        "; and ".join(_misfit_words(case, one, advice.frame is not None) for one in ordered),
        Culprit(kind="feed", name=first.value.text or _key_name(case, first), shape=first.value.shape),
        advice,
        [one.node for one in ordered],
        place=case.locate(advice.frame) if advice.frame is not None else _to_edit(case, first),
    )


def _to_edit(case: Case, fed: Fed) -> Location | None:
    """The placeholder's line, where only its declared sizes are wrong for data that is read from a file as it is."""
    came, wanted = fed.value.shape or [], fed.node.shape or [] if fed.node is not None else []
    loaded = any(source.kind == "file" for source in fed.value.sources)
    kept = loaded and len(came) == len(wanted) and not value_changes(case, fed, None)
    return made_at(case, fed.node) if kept else None


def _from_text(case: Case, said: Quotation) -> Fed:
    """The entry by the message and the source alone, of a recording that has no facts about the session."""
    name, made = placeholder_named(case.sources, said.match["name"])
    key = as_key(case.sources, said.place, name) if said.place is not None else name
    fed = fed_for(case.sources, said.place, key) if said.place is not None else None
    node = GraphNode(
        name=said.match["name"],
        op="Placeholder",
        text=key,
        shape=sizes_in(said.match["shape"]),
        made=[Frame(file=made.file, line=made.line, function="", user=True)] if made is not None else [],
    )
    return Fed(text=key, node=node, value=Party(role="feed", text=fed or "", shape=sizes_in(said.match["value"])))


def _misfit_words(case: Case, one: Fed, declared: bool) -> str:
    """`declared` says that the placeholder is the wrong one of the two."""
    came, wanted = one.value.shape or [], one.node.shape or [] if one.node is not None else []
    what = f"`{one.value.text}`" if one.value.text else "the value fed"
    place = made_at(case, one.node)
    line = f" ({line_words(place)})" if place is not None else ""
    if is_batch_only(one):
        return f"{what} has {came[0]} rows, and `{_key_name(case, one)}`{line} is declared for exactly {wanted[0]}"
    if declared:
        return (
            f"`{_key_name(case, one)}`{line} is declared as {shape_words(wanted)}, but {what}, which is fed to it, is "
            f"{shape_words(came)}, and the ops behind it take that"
        )
    return (
        f"{what} of shape {shape_words(came)} is fed to `{_key_name(case, one)}`: {difference(came, wanted)}; "
        f"expected {shape_words(wanted)}"
    )


def _key_name(case: Case, one: Fed) -> str:
    return one.text or (node_name(case, one.node) if one.node is not None else "a key")


def _missing(case: Case, said: Quotation, facts: SessionFacts | None) -> Finding:
    unfed = facts.unfed if facts is not None else []
    missed = next((one for one in unfed if one.name == said.match["name"]), None)
    if missed is None or facts is None:
        return _missing_by_text(case, said)
    name = node_name(case, missed)
    needing = [one for one in facts.fetches if missed.name in one.unfed]
    others = [node_name(case, one) for one in unfed if one.name != missed.name]
    what = (
        f"placeholders {', '.join(f'`{one}`' for one in [name, *others])} were"
        if others
        else f"placeholder `{name}` was"
    )
    needs = f", but {_needs(needing)} needs it{_through(case, facts, missed)}" if needing else ", but the run needs it"
    form = f" and shape {shape_words(missed.shape)}" if missed.shape else ""
    return _finding(
        case,
        said,
        f"{what} not fed{needs}; expected a value of dtype {missed.dtype}{form}",
        Culprit(kind="placeholder", name=name, dtype=missed.dtype),
        _feeding_advice(case, facts, missed, needing, [name, *others]),
        [missed],
    )


def _needs(needing: list[Fetched]) -> str:
    named = [f"`{one.text}`" for one in needing if one.text]
    return " and ".join(named[:_MOST_TOLD]) if named else "what is fetched"


def _through(case: Case, facts: SessionFacts, missed: GraphNode) -> str:
    """The last steps before the placeholder that the source has words for."""
    steps = [one for one in facts.way[1:] if one.made and one.name != missed.name]
    if not steps:
        return ""
    place = made_at(case, steps[-1])
    called = f"`{steps[-1].text}`, " if steps[-1].text else ""
    return f" (through {called}{line_words(place)})" if place is not None else ""


def _feeding_advice(
    case: Case, facts: SessionFacts, missed: GraphNode, needing: list[Fetched], names: list[str]
) -> Advice:
    found: list[str] = []
    ways: list[Way] = []
    for fetch in needing:
        # Names of the graph are no Python, and some of the parts would be another summary.
        parts = [one.text for one in fetch.free]
        if parts and all(parts) and fetch.text:
            instead = f"`{parts[0]}`" if len(parts) == 1 else f"`[{', '.join(parts)}]`"
            found.append(
                f"`{fetch.text}` merges all summaries of the graph. Fetch {instead} instead: what is fed here is all "
                "that it needs."
            )
            ways.append(Way(f"fetch {instead} instead of `{fetch.text}`", _fetched(case, facts, fetch, instead)))
    free = [one.text for one in facts.fetches if one.text and not one.unfed]
    if not found and free and needing and needing[0].text:
        found.append(
            f"If its value is not there yet: leave `{needing[0].text}` out of this run; "
            f"{', '.join(f'`{one}`' for one in free)} {'does' if len(free) == 1 else 'do'} without it."
        )
    names = [name for name in names if all(name != one.text for one in facts.feeds)]
    if not names:  # What is fed goes by the same name.
        return Advice(found, changes_of("feed", ways))
    other = _fed_elsewhere(case, missed, facts)
    like = f", as {line_words(other)} does" if other is not None else ""
    entry = ", ".join(f"{name}: …" for name in names[:_MOST_TOLD])
    found.append(f"{'Or add' if found else 'Add'} `{entry}` to the `feed_dict` of this line{like}.")
    added = _fed_like(case, facts, names[0], other) if len(names) == 1 else None
    ways.append(Way(f"add `{names[0]}` to the `feed_dict`{like}", added))
    return Advice(found, changes_of("feed", ways))


def _fetched(case: Case, facts: SessionFacts, fetch: Fetched, instead: str) -> list[Edit] | None:
    """Something else in the place of a fetch."""
    source = source_at(case.sources, facts.place)
    if source is None or facts.place is None:
        return None
    return use_edits(source, facts.place.file, facts.place.line, fetch.text, instead.strip("`"), ["run"])


def _fed_like(case: Case, facts: SessionFacts, name: str, other: Location | None) -> list[Edit] | None:
    """The entry that another line of the file has, where its value means the same here."""
    source, place = source_at(case.sources, facts.place), facts.place
    if source is None or place is None or other is None or other.file != place.file:
        return None
    value = fed_elsewhere(source, other.line, name)
    return fed_more(source, place.file, place.line, name, value) if value is not None else None


def _fed_elsewhere(case: Case, missed: GraphNode, facts: SessionFacts) -> Location | None:
    """Another line that feeds the same placeholder."""
    runs = case.principal.all(SessionRan) if case.principal is not None else []
    for run in runs:
        place = case.locate(run.frames[-1]) if run.frames and f"{missed.name}:0" in run.feeds else None
        if place is not None and (facts.place is None or place.line != case.locate(facts.place).line):
            return place
    return None


def _missing_by_text(case: Case, said: Quotation) -> Finding:
    name, made = placeholder_named(case.sources, said.match["name"])
    key = as_key(case.sources, said.place, name) if said.place is not None else name
    made = made or named_line(case, session_errors.WHERE_IT_WAS_MADE.pattern.split(said.link.message)[0])
    form = f" and shape [{said.match['shape']}]" if said.match["shape"] else ""
    return _finding(
        case,
        said,
        f"placeholder `{key}` was not fed, but the run needs it; expected a value of dtype {said.match['dtype']}{form}",
        Culprit(kind="placeholder", name=key, dtype=said.match["dtype"]),
        Advice([f"Add `{key}: …` to the `feed_dict` of this line."], []),
        [],
        made,
    )


def _key(case: Case, said: Quotation, facts: SessionFacts | None) -> Finding:
    """A key that stands for no tensor of any graph; one of another graph is other-graph's."""
    bad = [one for one in facts.feeds if one.node is None or one.type == "str"] if facts is not None else []
    lost = next((one for one in bad if one.node is None), None)
    bare = next((one for one in bad if one.node is not None and ":" not in (one.text or "")), None)
    if lost is not None and lost.type == "str":
        return _named_key(case, said, lost)
    if lost is not None:
        return _rebound_key(case, said, lost)
    node = session_errors.NAMED_IN_KEY.pattern.search(said.match["why"])
    name = bare.text.strip("'\"") if bare is not None else (node["name"] or node["text"]) if node else None
    what = f"key `{name}`" if name else "a key"
    return _finding(
        case,
        said,
        f"{what} of the feed is not a tensor in the graph; expected a placeholder in the graph that the session runs",
        Culprit(kind="feed", name=name),
        _as_output(case, said, bare, name)
        if bare is not None
        else Advice(["Use the placeholder itself as the key, or its name with an output (`x:0`)."], []),
        [],
    )


def _as_output(case: Case, said: Quotation, bare: Fed, name: str | None) -> Advice:
    """The name of an op as a key, with its output."""
    place = case.locate(bare.written) if bare.written is not None else said.place
    source = case.sources.get(place.file) if place is not None else None
    edits = fed_key(source, place.file, place.line, bare.text, f'"{name}:0"') if source and place else None
    return advised(f'`{name}` is an op: its output is the key, `"{name}:0"`.', "feed", edits)


def _named_key(case: Case, said: Quotation, lost: Fed) -> Finding:
    place = case.locate(lost.written) if lost.written is not None else said.place
    name = lost.text.strip("'\"")
    if lost.tensor is not None:
        value = lost.value.text or lost.tensor.text or lost.tensor.name
        words = (
            f"the feed has the entry `{lost.text}: {value}`: no tensor is called '{name}', and `{value}` is a tensor "
            "of the graph, not a value; expected placeholders with their values"
        )
        advice = Advice([f"`{value}` is a result: move the entry from the feed to what is fetched."], [])
    else:
        words = f"no tensor of the graph is called '{name}', the key of `{lost.value.text or 'a value'}`"
        near = [f'`"{one}:0"`' for one in lost.near]
        source = case.sources.get(place.file) if place is not None else None
        edits = None
        if source is not None and place is not None and len(near) == 1:
            edits = fed_key(source, place.file, place.line, lost.text, near[0].strip("`"))
        advice = (
            advised(f"Did you mean {' or '.join(near)}?", "feed", Way(f"use the key {near[0]}", edits))
            if near
            else Advice(["Use the placeholder itself as the key, not its text."], [])
        )
    culprit = Culprit(kind="feed", name=name, near=lost.near)
    return _finding(case, said, words, culprit, advice, [lost.tensor], place=place)


def _rebound_key(case: Case, said: Quotation, lost: Fed) -> Finding:
    """A name that meant the placeholder once."""
    kind = lost.type.rpartition(".")[2]
    place, name = said.place, lost.text
    entry = case.locate(lost.written) if lost.written is not None else said.place
    found = bindings(case.sources, entry, name) if entry is not None and name else []
    was = next((one for one in found if calls_any(one.value, _PLACEHOLDERS)), None)
    others = [one for one in found if one is not was]
    now = others[-1] if was is not None and others else None
    advice = "Use the placeholder itself as the key, or its name with an output (`x:0`)."
    because = ""
    if now is not None and was is not None:
        how = "the loop" if now.loop else "the assignment"
        place = now.place
        because = f": {how} on {line_words(now.place)} takes the name of the placeholder of {line_words(was.place)}"
        advice = f"Use another name than `{name}` on {line_words(now.place)}."
    return _finding(
        case,
        said,
        f"key `{name}` of the feed is {_a(kind)}, not a tensor{because}; expected the placeholder"
        if name
        else f"a key of the feed is {_a(kind)}, not a tensor; expected a placeholder",
        Culprit(kind="feed", name=name or None),
        Advice([advice], own_name(case.project, now.place if now is not None else None, name)),
        [],
        was.place if was is not None else None,
        place,
    )


def _a(kind: str) -> str:
    return "None" if kind == "NoneType" else f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind}"


def _tensor(case: Case, said: Quotation, facts: SessionFacts | None) -> Finding:
    bad = [one for one in facts.feeds if one.tensor is not None] if facts is not None else []
    if not bad or bad[0].tensor is None:
        bad = [_fed_tensor(case, said)]
    fed = [one.value.text or "a tensor" for one in bad]
    keys = [_key_name(case, one) for one in bad]
    many = len(bad) > 1
    place = made_at(case, bad[0].tensor) if bad[0].tensor is not None and bad[0].tensor.op == "Const" else None
    lines = [made for one in bad if (made := made_at(case, one.tensor)) is not None]
    if place is not None:
        at = " and ".join(dict.fromkeys(line_words(one) for one in lines))
        words = f"Feed the plain list or array: leave out the `constant` call on {at}."
        advice = advised(words, "feed", plain_values(case, lines))
    else:
        session = facts.session if facts is not None and facts.session else "session"
        words = (
            f"Feed an array, or the result of `{session}.run({fed[0]})`; or build the graph from "
            f"`{fed[0]}` in the place of `{keys[0]}`, and feed nothing."
        )
        run = f"{session}.run({{x}})"
        source = case.sources.get(said.place.file) if said.place is not None else None
        edits = None
        if source is not None and said.place is not None and not many and facts is not None and facts.session:
            edits = fed_value(source, said.place.file, said.place.line, keys[0], run)
        advice = advised(words, "feed", Way(f"feed the result of `{run.format(x=fed[0])}`", edits))
    return _finding(
        case,
        said,
        f"{' and '.join(f'`{one}`' for one in fed)} for {' and '.join(f'`{one}`' for one in keys)} "
        f"{'are tensors' if many else 'is a tensor'}; expected {'values' if many else 'a value'}: an array, a list or "
        "a number",
        Culprit(kind="feed", name=fed[0]),
        advice,
        [one.node for one in bad],
        place=place,
    )


def _fed_tensor(case: Case, said: Quotation) -> Fed:
    name, _ = placeholder_named(case.sources, said.match["name"])
    key = as_key(case.sources, said.place, name) if said.place is not None else name
    fed = fed_for(case.sources, said.place, key) if said.place is not None else None
    return Fed(text=key, value=Party(role="feed", text=fed or ""))


def _ragged(case: Case, said: Quotation, facts: SessionFacts | None) -> Finding | None:
    """Rows of several lengths make no array."""
    bad = [one for one in facts.feeds if _lengths(one.value)] if facts is not None else []
    if not bad:
        return None
    first = bad[0]
    low, high = first.value.shortest, first.value.longest
    wanted = first.node.shape if first.node is not None else None
    width = wanted[1] if wanted is not None and len(wanted) > 1 and wanted[1] is not None else high
    return _finding(
        case,
        said,
        f"the rows of `{first.value.text}`, fed to `{_key_name(case, first)}`, have {low} to {high} items; expected "
        "rows of one length",
        Culprit(kind="feed", name=first.value.text or _key_name(case, first)),
        Advice([f"Pad or cut each row to {width} items before it is fed."], []),
        [first.node],
    )


def _lengths(value: Party) -> bool:
    return value.shortest is not None and value.shortest != value.longest


def _text(case: Case, said: Quotation, facts: SessionFacts | None) -> Finding | None:
    """Text where a session wants numbers; elsewhere the same words have other reasons."""
    text = said.place.source if said.place and said.place.source else ""
    if "client/session.py" not in "".join(frame.file for frame in said.link.frames) or ".run(" not in text:
        return None
    fed = value_fed(case.sources, said.place) if said.place else None
    return _finding(
        case,
        said,
        f"the value fed contains the text {said.match['value']}; expected numbers ({said.match['dtype']})",
        Culprit(kind="feed", name=fed, value=said.match["value"]),
        Advice(["Convert the text to numbers before feeding it."], []),
        [],
    )


def _finding(
    case: Case,
    said: Quotation,
    words: str,
    culprit: Culprit,
    advice: Advice,
    nodes: list[GraphNode | None],
    made: Location | None = None,
    place: Location | None = None,
) -> Finding:
    evidence = evidence_of(said.link, said.raised)
    for node in nodes:
        evidence += created(case, node, "placeholder" if node is None or node.op == "Placeholder" else f"`{node.name}`")
    if made is not None:
        value = f"{made.file}:{made.line}"
        evidence.append(Evidence(fact="placeholder created at", value=value, source="the source"))
    where = place or said.place
    return Finding(
        message=f"{prefix(where)}{words}",
        certainty="certain",
        location=where,
        culprit=culprit,
        evidence=evidence,
        advice=advice.sentences,
        changes=advice.changes,
    )
