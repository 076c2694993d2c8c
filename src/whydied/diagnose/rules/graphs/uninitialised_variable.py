"""A variable, table or iterator of a graph was used before it was initialised.

## What it detects
A v1 session that reads a variable, a lookup table or an iterator which has no value in that session yet.

## Why it happens
No initialiser was run; it was run in another session; it was made before the variable, and so does not know it:
`global_variables_initializer()` covers the variables that exist when it is called; it is for other variables (a list,
or the global ones where metrics keep local ones); the initial value of one variable reads another that is initialised
in the same run; a saver that is given no list reads all variables, also those that nothing else uses.

## Evidence
The collections that hold the variable; the ops that ran in this session and in others of the graph, and what each
gives a value to, with the lines that made and ran them.

## How it is proved
Which variables an op assigns is read from the graph: certain.

## Fix
The initialiser that covers it (`local_variables_initializer()`, `tables_initializer()`, `iterator.initializer`), made
after it and run in the session that uses it.

## Known problems
A variable that was deleted gives the same words: outside of a session see deleted-variable.

## References
TensorFlow documentation: tf.compat.v1.global_variables_initializer.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, named_line, quoted
from whydied.diagnose.errors.session_error import created, made_at, node_name, session_facts, v1
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import Assigning, Blank, Frame, SessionFacts, SessionOpened, SessionRan
from whydied.source.assignments import target
from whydied.source.bindings import bindings
from whydied.source.calls import callee, method_calls, passed_argument, receiver
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Change, Edit, over
from whydied.source.edits.programs.session_edits import before_loops, move_before_use, run_before
from whydied.source.edits.statement_edits import below, statement_at
from whydied.source.origins.trails import root_name
from whydied.source.text import Source
from whydied.source.training.session_calls import initialised_on, initialisers, may_initialise, variable
from whydied.source.trees import across, last_name, located, nodes_at, scope_at, walk, written
from whydied.texts import session_errors
from whydied.texts.entry import any_of

_VARIABLE = any_of(
    session_errors.UNINITIALISED_REFERENCE, session_errors.VARIABLE_NOT_FOUND, session_errors.RESOURCE_GONE
)
_ITERATOR = session_errors.ITERATOR_UNINITIALISED.pattern
_TABLE = session_errors.TABLE_UNINITIALISED.pattern

_TRAINS = ("minimize", "apply_gradients")
_OF_VARIABLES = re.compile(
    r"(?:variables|tables)_initializer$|\binitialize_\w+$|initializers\.\w*(?:variables|tables)$"
)
_RESTORING = ("restore", "load_weights", "init_from_checkpoint")

ROLE = "explanation"
YIELDS_TO = ("eager-in-session",)


def check(case: Case) -> Finding | None:
    if case.principal is None or not (len(case.principal.all(SessionRan)) + len(case.principal.all(SessionOpened))):
        return None
    said = quoted(case, _VARIABLE, _ITERATOR, _TABLE)
    facts = session_facts(case)
    if said is not None and facts is not None and facts.blank is not None:
        return _by_facts(case, said, facts, facts.blank)
    if (said := quoted(case, _VARIABLE)) is not None:
        return _variable(case, said)
    if (said := quoted(case, _ITERATOR)) is not None:
        return _other(case, said, "an iterator", "`session.run(iterator.initializer)`")
    if (said := quoted(case, _TABLE)) is not None:
        return _other(case, said, "a lookup table", "`session.run(tf.compat.v1.tables_initializer())`")
    return None


def _by_facts(case: Case, said: Quotation, facts: SessionFacts, blank: Blank) -> Finding:
    kind = _kind(said, blank)
    made = made_at(case, blank.node)
    maker = target(case.sources, made) if made is not None else None
    name = node_name(case, blank.node) if "variable" in kind else maker or blank.node.name
    words, advice, place, changes = _reason(case, said, facts, blank, kind, name)
    what = kind if kind in ("table", "iterator") else "variable"
    return Finding(
        message=f"{prefix(place)}{kind} `{name}`{_in_graph(blank, name)} {words}; expected a value before it is read",
        certainty="certain",
        location=place,
        culprit=Culprit(kind=what, name=name),
        evidence=[*evidence_of(said.link, said.raised), *created(case, blank.node, what), *_runs(case, blank)],
        advice=[advice],
        changes=changes,
    )


def _kind(said: Quotation, blank: Blank) -> str:
    if said.match.re is _TABLE:
        return "table"
    if said.match.re is _ITERATOR:
        return "iterator"
    return "local variable" if blank.collections and "variables" not in blank.collections else "variable"


def _in_graph(blank: Blank, name: str) -> str:
    """The name in the graph, where it says more than that in the source."""
    return f" ('{blank.node.name}')" if "/" in blank.node.name and blank.node.name != name else ""


def _reason(
    case: Case, said: Quotation, facts: SessionFacts, blank: Blank, kind: str, name: str
) -> tuple[str, str, Location | None, list[Change]]:
    """Why it has no value, what to do, where, and the change that does it."""
    session = facts.session or "session"
    made = made_at(case, blank.node)
    initialiser = _initialiser(case, kind, name)
    run = f"`{_running(session if facts.session or not _is_default(case, said) else '', initialiser)}`"
    first = _run_before(case, said, facts, initialiser)
    here = [one for one in blank.runs if one.here and not one.failed]
    if any(one.failed and one.covers for one in blank.runs):
        return (
            "is read by the initial value of another variable, in the run that initialises both, in any order",
            f"Use `{name}.initialized_value()` in that initial value, or initialise `{name}` in a run before.",
            said.place,
            [],
        )
    elsewhere = next((one for one in blank.runs if one.covers and not one.here), None)
    if elsewhere is not None and not any(one.covers for one in here):
        line = f" ({_line(case, elsewhere)})" if elsewhere.frame is not None else ""
        return (
            f"was initialised in another session{line}; `{session}` has values of its own, and none for it",
            f"Use the session that was initialised, or run {run} in this one {_before(case, said)}.",
            said.place,
            first,
        )
    last = next((one for one in here if _is_initialiser(case, one)), here[0] if here else None)
    if last is not None and last.covers:
        return "has no value in this session", f"Run {run} in this session {_before(case, said)}.", said.place, first
    if last is None or last.frame is None:
        words = "has no value: nothing was initialised in this session"
        opened = case.locate(facts.opened) if facts.opened is not None else None
        if opened is not None and said.place is not None and opened.line != said.place.line:
            words = f"has no value on {line_words(said.place)}: nothing was initialised in the session that opens here"
        return words, f"Run {run} {_before(case, said)}.", opened or said.place, first
    of_several = last.made is not None and _makes_initialiser(case, last.made)
    place = case.locate(last.made if last.made is not None and of_several else last.frame)
    ran = f"the initialiser of {_line(case, last)}"
    if kind != "variable":
        return (
            f"is not covered by {ran}, which is for variables: a{'n' if kind == 'iterator' else ''} {kind} has an "
            "initialiser of its own"
            if kind in ("table", "iterator")
            else f"is not covered by {ran}: it is in the collection `local_variables`, which keeps metrics and "
            "epoch counters",
            f"Run {run} as well, after {line_words(case.locate(last.frame))}.",
            case.locate(last.frame),
            _run_after(case, last.frame, session, initialiser),
        )
    if last.older and (of_several or last.made is None):
        created_on = f" on {line_words(made)}" if made is not None else ""
        beside = [frame for frame in blank.node.made if (frame.file, frame.function) == (place.file, place.function)]
        lower = f"below {line_words(case.locate(beside[-1]))}" if beside else "below the line that builds the model"
        return (
            f"is created{created_on}, after the initialiser on {line_words(place)}, which does not cover it",
            f"Move the initialiser {lower}, and below all else that creates variables (an optimizer does).",
            place,
            [*_moved(case, said, last), *_run_before(case, said, facts, initialiser, last.frame)],
        )
    # One line may run the initialisers of single variables.
    count = sum(one.variables for one in here if one.frame == last.frame)
    others = f"which is for {count} other variable{'s' if count != 1 else ''}"
    if made is not None and _is_of_optimizer(case, made):
        every = v1(case, "global_variables_initializer()")
        return (
            f"is not covered by {ran}, {others}: the optimizer made it on {line_words(made)}",
            f"Run `{session}.run({every})`, which covers all variables, or add `optimizer.variables()` to those of "
            f"{line_words(place)}.",
            place,
            _run_after(case, last.frame, session, every),
        )
    every = v1(case, "global_variables_initializer()")
    saver, where = _saver(case, facts), case.locate(last.frame)
    added = _run_after(case, last.frame, session, f"{name}.initializer") if _is_seen(case, said, made, where) else []
    instead = _initialised_instead(case, where, session, every)
    if saver is not None:
        return (
            f"is not covered by {ran}, {others}, and the saver of {line_words(saver)}, which is given no list, saves "
            "all variables",
            f"Run `{_running(session, every)}` instead, which covers all variables; or give the saver a list of those "
            "to keep.",
            where,
            [*(instead or added), *_saved_alone(case, where, saver)],
        )
    listed = "Run" if _is_own(case, where) else f"Add `{name}` to the variables of {line_words(place)}, or run"
    return (
        f"is not covered by {ran}, {others}",
        f"{listed} `{session}.run({name}.initializer)`.",
        place,
        added or instead,
    )


def _makes_initialiser(case: Case, made: Frame) -> bool:
    """Whether a line makes an initialiser: that of one variable is made with the variable."""
    calls = [one for one in nodes_at(case.sources, case.locate(made)) if isinstance(one, ast.Call)]
    return not calls or any(_OF_VARIABLES.search(written(one.func)) for one in calls)


def _is_initialiser(case: Case, run: Assigning) -> bool:
    """Whether a run is for first values: what a step assigns is none."""
    if run.made is not None and _makes_initialiser(case, run.made):
        return True
    return run.frame is not None and (_is_own(case, case.locate(run.frame)) or _makes_initialiser(case, run.frame))


def _is_own(case: Case, place: Location) -> bool:
    """Whether a line runs the initialisers of single variables: `w.initializer`."""
    nodes = nodes_at(case.sources, place)
    return any(isinstance(one, ast.Attribute) and one.attr == "initializer" for one in nodes)


def _saver(case: Case, facts: SessionFacts) -> Location | None:
    """The line that made the saver which read the variable, where it was given no list."""
    if facts.call != "save" or facts.place is None:
        return None
    place = case.locate(facts.place)
    owners = [last_name(owner) for owner, _ in method_calls(nodes_at(case.sources, place), ("save",))]
    made = [
        located(case.sources, file, one.lineno)
        for file, one in across(case.sources, ast.Assign)
        if last_name(one.targets[0]) in owners and isinstance(one.value, ast.Call) and callee(one.value) == "Saver"
    ]
    made = [one for one in made if (one.file, one.function) == (place.file, place.function)] or made
    return made[0] if len(made) == 1 and _saver_call(case, made[0]) is not None else None


def _saver_call(case: Case, place: Location) -> ast.Call | None:
    calls = [one for one in nodes_at(case.sources, place) if isinstance(one, ast.Call) and callee(one) == "Saver"]
    plain = [one for one in calls if not one.args and passed_argument(one, "var_list") is None]
    return plain[0] if len(plain) == 1 else None


def _initialised_instead(case: Case, place: Location, session: str, every: str) -> list[Change]:
    """All variables in place of some of them, where none of the others has its value from a checkpoint."""
    source = case.sources.get(place.file)
    node = statement_at(source, place.line) if source is not None else None
    if source is None or not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return []
    restored = [one for one in walk(scope_at(source.tree, place.line), ast.Call) if callee(one) in _RESTORING]
    if restored or callee(node.value) != "run":
        return []
    text = _running(_own_session(case, place, session), every)
    title = f"Initialise all variables: `{text}`"
    return [Change(title=title, kind="statement", edits=[over(source, place.file, node, text)])]


def _saved_alone(case: Case, place: Location, saver: Location) -> list[Change]:
    """The saver with a list of the variables that a line initialises, where both stand in one function."""
    source, call = case.sources.get(saver.file), _saver_call(case, saver)
    if source is None or call is None or (place.file, place.function) != (saver.file, saver.function):
        return []
    nodes = nodes_at(case.sources, place)
    owners = [one.value for one in nodes if isinstance(one, ast.Attribute) and one.attr == "initializer"]
    bound = [one for owner in owners for one in bindings(root_name(owner), scope_at(source.tree, saver.line))]
    if not owners or not bound or any(one.line > saver.line for one in bound):
        return []
    text = f"[{', '.join(dict.fromkeys(written(one) for one in owners))}]"
    edit = set_argument(source, saver.file, call, "var_list", 0, text)
    return [Change(title=f"Save only `{text}`", kind="argument", edits=[edit])] if edit is not None else []


def _run_before(
    case: Case, said: Quotation, facts: SessionFacts | None, initialiser: str, other: Frame | None = None
) -> list[Change]:
    """The initialiser's run above the failing line and the loops around it, where the session is opened there too, or
    the `other` one runs there. A function that gets its session would begin anew in each call: then above the call in
    the function that opened it, or right below that line."""
    place = said.place
    opened = facts.opened if facts is not None else None
    if place is None or place.file not in case.sources:
        return []
    begun = {(one.file, one.function) for one in (opened, other) if one is not None}
    if opened is not None and (place.file, place.function) not in begun:
        return _run_where_opened(case, said, opened, initialiser)
    text = _running(_session(case, place, facts), initialiser)
    return _change(text, run_before(case.sources[place.file], place.file, place.line, text))


def _run_where_opened(case: Case, said: Quotation, opened: Frame, initialiser: str) -> list[Change]:
    source = case.sources.get(opened.file)
    if source is None:
        return []
    name = _opened_as(source, opened.line)
    beside = [one for one in said.link.frames if (one.file, one.function) == (opened.file, opened.function)]
    text = _running(name, initialiser)
    if beside and beside[-1].line > opened.line:
        return _change(text, run_before(source, opened.file, beside[-1].line, text))
    edit = below(source, opened.file, opened.line, text) if name else None
    return _change(text, edit) if edit is not None else []


def _change(text: str, edit: Edit) -> list[Change]:
    return [Change(title=f"Run `{text}` first", kind="statement", edits=[edit])]


def _running(session: str, initialiser: str) -> str:
    """Without a name for the session it is the default one."""
    return f"{session}.run({initialiser})" if session else f"{initialiser}.run()"


def _session(case: Case, place: Location, facts: SessionFacts | None) -> str:
    """The session as the failing line can write it. What has a `run` may also be an op, which is only fed."""
    if facts is not None and facts.session:
        return facts.session
    for owner, call in method_calls(nodes_at(case.sources, place), ("run",)):
        fetched = call.args[0] if call.args else passed_argument(call, "fetches")
        if fetched is not None and not isinstance(fetched, ast.Dict):
            return written(owner)
    return ""


def _is_default(case: Case, said: Quotation) -> bool:
    """Whether the failing line leaves the session to TensorFlow."""
    return said.place is not None and not _session(case, said.place, None)


def _opened_as(source: Source, line: int) -> str:
    """The name that a session gets where it is opened."""
    node = statement_at(source, line)
    if isinstance(node, ast.With):
        names = [one.optional_vars for one in node.items if one.optional_vars is not None]
        return written(names[-1]) if names else ""
    return written(node.targets[0]) if isinstance(node, ast.Assign) and len(node.targets) == 1 else ""


def _run_after(case: Case, frame: Frame, session: str, initialiser: str) -> list[Change]:
    """A second initialiser below the line that runs the first, in the same session."""
    if frame.file not in case.sources:
        return []
    text = _running(_own_session(case, case.locate(frame), session), initialiser)
    edit = below(case.sources[frame.file], frame.file, frame.line, text)
    return [Change(title=f"Run `{text}` too", kind="statement", edits=[edit])] if edit is not None else []


def _own_session(case: Case, place: Location, session: str) -> str:
    """The session of a line that runs an initialiser, as that line can write it: `op.run()` has none, and the session
    is the one that the function has, or the default one."""
    if _is_own(case, place) and not [
        one for _, one in method_calls(nodes_at(case.sources, place), ("run",)) if one.args
    ]:
        source = case.sources.get(place.file)
        known = source is not None and bindings(session, scope_at(source.tree, place.line))
        return session if known else ""
    return receiver(case.sources, place, ("run",)) or session


def _moved(case: Case, said: Quotation, last: Assigning) -> list[Change]:
    """The initialiser further down: above the line that runs it where it is made before, else above the failing one."""
    made, ran, place = last.made or last.frame, last.frame, said.place
    if made is None or ran is None or place is None or made.file != place.file or made.file not in case.sources:
        return []
    use = ran.line if ran.line != made.line else before_loops(case.sources[place.file], place.line)
    edits = move_before_use(case.sources[made.file], made.file, made.line, use)
    return (
        [Change(title="Initialise after the last variable is created", kind="statement", edits=edits)] if edits else []
    )


def _is_seen(case: Case, said: Quotation, made: Location | None, frame: Location) -> bool:
    """Whether the variable is created in the function that runs the initialiser, or at the level of its module, or its
    name is that of the failing line in that function."""
    if said.place is not None and (said.place.file, said.place.function) == (frame.file, frame.function):
        return True
    return made is not None and made.file == frame.file and made.function in (frame.function, "<module>")


def _is_of_optimizer(case: Case, made: Location) -> bool:
    """Whether a line asks an optimizer for its op, which makes variables that the program has no names for."""
    return any(isinstance(one, ast.Call) and callee(one) in _TRAINS for one in nodes_at(case.sources, made))


def _before(case: Case, said: Quotation) -> str:
    """Before the failing line, or before the loop that it is in: an initialiser in a loop undoes what was learnt."""
    place = said.place
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return "before this line"
    loops = [one for one in walk(scope_at(source.tree, place.line), (ast.For, ast.While)) if _holds(one, place.line)]
    first = min((one.lineno for one in loops), default=None)
    return f"before the loop on line {first}" if first is not None else "before this line"


def _holds(loop: ast.stmt, line: int) -> bool:
    return loop.lineno <= line <= (loop.end_lineno or loop.lineno)


def _initialiser(case: Case, kind: str, name: str) -> str:
    if kind == "iterator":
        return f"{name}.initializer"
    function = {"table": "tables_initializer()", "local variable": "local_variables_initializer()"}
    return v1(case, function.get(kind, "global_variables_initializer()"))


def _line(case: Case, run: Assigning) -> str:
    frame = run.frame or run.made
    return line_words(case.locate(frame)) if frame is not None else f"op '{run.node}'"


def _runs(case: Case, blank: Blank) -> list[Evidence]:
    return [
        Evidence(
            fact=f"initialised by {_line(case, one)}",
            value=f"{one.variables} variables, {'this one too' if one.covers else 'not this one'}, in "
            f"{'this session' if one.here else 'another session'}",
            source="SessionFacts",
        )
        for one in blank.runs[:2]
        if not one.failed
    ]


def _variable(case: Case, said: Quotation) -> Finding:
    """By the message and the source alone, of a recording that has no facts about the session."""
    node = next(group for group in said.match.groups() if group)
    name, made = variable(case.sources, node) or (node, None)
    early = _made_early(case, made)
    never = early is None and not may_initialise(case.sources)
    place = early or said.place
    if early is not None and made is not None:
        words = f"is created on line {made.line}, after the initialiser on line {early.line}, which does not cover it"
    elif never:
        words = "has no value in this session: no initialiser is created anywhere in the program"
    else:
        words = "has no value in this session: its initialiser was not run"
    evidence = evidence_of(said.link, said.raised)
    if made is not None:
        evidence.append(
            Evidence(fact="variable created at", value=f"{made.file}:{made.line}", source="ExceptionRaised")
        )
    return Finding(
        message=f"{prefix(place)}variable `{name}` {words}; expected a value before it is read",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="variable", name=name),
        evidence=evidence,
        advice=[
            f"Create the initialiser after line {made.line}, or move the variable above line {early.line}."
            if early is not None and made is not None
            else "Run `session.run(tf.compat.v1.global_variables_initializer())` in this session, after the last "
            "variable was created and before this line; or restore a checkpoint."
        ],
        changes=_by_source(case, said, early),
    )


def _by_source(case: Case, said: Quotation, early: Location | None) -> list[Change]:
    if early is None:
        return _run_before(case, said, None, _initialiser(case, "variable", ""))
    source = case.sources[early.file]
    runs = [line for line in initialised_on(source, early.line) if line > early.line]
    edits = move_before_use(source, early.file, early.line, runs[0]) if runs else []
    return (
        [Change(title="Initialise after the last variable is created", kind="statement", edits=edits)] if edits else []
    )


def _other(case: Case, said: Quotation, what: str, call: str) -> Finding:
    made = named_line(case, session_errors.WHERE_IT_WAS_MADE.pattern.split(said.link.message)[0])
    name = target(case.sources, made) if made else None
    called = f" (`{name}` reads from it)" if name else ""
    return Finding(
        message=f"{prefix(said.place)}{what}{called} was used before it was initialised in this session",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind=what.rpartition(" ")[2], name=name),
        evidence=evidence_of(said.link, said.raised),
        advice=[f"Run {call} in this session before this line."],
    )


def _made_early(case: Case, made: Location | None) -> Location | None:
    """The only initialiser of the file, where its line comes before that of the variable in the same function."""
    if made is None:
        return None
    found = [place for place in initialisers(case.sources) if place.file == made.file]
    if len(found) == 1 and found[0].line < made.line and found[0].function == made.function:
        return found[0]
    return None
