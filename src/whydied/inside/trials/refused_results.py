"""At an uncaught exception: the result of a function of the program's own that a library raised about, and the forms of
it that the library's own lines take; runs in the user's process.

What the library does between getting the value and raising is run again in a copy of the process, with the value in
another form: a form that is written down was seen to get past those lines.

Invariant: nothing of the user's is called here; in the copy, only the library's lines.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import TracebackType
from typing import Any

from whydied import redact
from whydied.inside.errors import exception_chain
from whydied.inside.errors.makers import maker_facts
from whydied.inside.errors.makers.activations import Program
from whydied.inside.errors.makers.given_statements import expressions, nothing_given
from whydied.inside.errors.makers.program_results import Called, Result, refused_result
from whydied.inside.errors.stack_steps import frame_of, steps_of
from whydied.inside.guest import live_source
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.value_facts import describe
from whydied.inside.journal import Journal
from whydied.inside.trials import forked
from whydied.inside.trials.forms import Form, forms
from whydied.inside.trials.variants import modules_of
from whydied.records import ResultRefused, TakenForm, ValueMade
from whydied.source.edits.edit import end_of, start_of, written_in
from whydied.source.guards import guards
from whydied.source.origins.reaching import reaching
from whydied.source.trees import Function, holds, walk, written

CPU_S = 0.4
MOST_FORMS, MOST_TAKEN, MOST_WANTED = 24, 3, 3
LONGEST_TEXT = 160
_VALUE = "_whydied_value"
_LOSING = (
    *(
        "{}[0]",
        "{}[-1]",
        "len({})",
        "{}.shape",
        "str({})",
        "range({})",
        "enumerate({})",
        "next(iter({}))",
        "[{}]",
        "({},)",
    ),
)
"""Forms that throw away what the function gave, or only wrap it up: that a check takes them says nothing."""
_MORE = {"tensorflow": (Form('{{"loss": {}}}', 1.5),)}


@guarded("refused_results.look")
def look(owner: Journal, error: BaseException, trace: TracebackType | None, *, ends: bool) -> None:
    """Write what was given and refused; forms are tried where the process is about to end."""
    for index, (link, link_trace, _) in reversed([*enumerate(exception_chain.links_of(error, trace))]):
        found = told(index, link, link_trace, owner.ownership, ends=ends)
        if found is not None:
            owner.write(found)
            return


def told(
    index: int, error: BaseException, trace: TracebackType | None, ownership: Ownership, *, ends: bool
) -> ValueMade | ResultRefused | None:
    """What one exception of a chain is about, where a function of the program's own gave it."""
    found = refused_result(steps_of(trace, None, ownership), ownership)
    if found is None:
        return None
    program = Program(ownership)
    result, called = found
    if result.value is None:
        return _none(index, result, called, program)
    return _refused(index, result, called, program, ownership, type(error) if ends else None)


def _none(index: int, result: Result, called: Called, program: Program) -> ValueMade | None:
    ways = nothing_given(result, program)
    if len(ways) != 1:
        return None
    subject = maker_facts.Subject(result.call, "NoneType", None)
    made = maker_facts.made(index, subject, ways, 0, program)
    return maker_facts.inside_of(made, f"`{written(result.subject)}` in {_name(called)}")


def _refused(
    index: int,
    result: Result,
    called: Called,
    program: Program,
    ownership: Ownership,
    kind: type[BaseException] | None,
) -> ResultRefused | None:
    file = ownership.resolve(result.code.co_filename)
    nodes = expressions(result, program)
    if not nodes:
        return None
    facts = describe(result.value)
    qualified = getattr(result.code, "co_qualname", result.code.co_name).rpartition("<locals>.")[2]
    only = nodes[0] if len(nodes) == 1 else None
    return ResultRefused(
        link=index,
        name=qualified,
        function=frame_of(file, result.code.co_firstlineno, result.code.co_name),
        kind="yield" if result.generator is not None else "return",
        given=[frame_of(file, one.lineno, result.code.co_name) for one in nodes],
        text=redact.text(written(only)[:LONGEST_TEXT]) if only is not None else "",
        type=facts.type,
        shape=facts.shape,
        dtype=facts.dtype,
        value=maker_facts.shown(result.value),
        length=facts.length,
        parts=maker_facts.items_of(result.value),
        call=written(result.call)[:LONGEST_TEXT],
        subject=written(result.subject)[:LONGEST_TEXT],
        inside=_name(called),
        wanted=_wanted(called, result.subject),
        taken=_taken(result, called, only, kind) if only is not None and kind is not None else [],
    )


def _name(called: Called) -> str:
    code = called.frame.f_code
    return str(getattr(code, "co_qualname", code.co_name))


def _wanted(called: Called, subject: ast.expr) -> list[str]:
    """The conditions on the value after which the library raised, as they would have to hold."""
    shown = written(subject)
    found = []
    for one in guards(called.source.tree, called.line):
        if one.encloses and any(written(part) == shown for part in walk(one.test, ast.expr)):
            negated = isinstance(one.test, ast.UnaryOp) and isinstance(one.test.op, ast.Not) and one.holds
            test = one.test.operand if negated and isinstance(one.test, ast.UnaryOp) else one.test
            found.append(written(test) if negated or not one.holds else f"not {written(test)}")
    return [one[:LONGEST_TEXT] for one in found[:MOST_WANTED]]


def _taken(result: Result, called: Called, node: ast.expr, kind: type[BaseException]) -> list[TakenForm]:
    rest = _rest(called, result.subject, result.call)
    source = live_source.source(result.code.co_filename)
    if rest is None or source is None:
        return []
    names = result.generator.f_globals if result.generator is not None else {}
    names = result.function.__globals__ if result.function is not None else names
    modules = modules_of(names)
    root = type(result.value).__module__.partition(".")[0]
    offered = [*forms(result.value, modules), *(_MORE.get(root, ()) if result.generator is None else ())]
    offered = sorted((one for one in offered if one.text not in _LOSING), key=lambda one: one.cost)[:MOST_FORMS]
    spaces = {"_": names}
    control = _question(result, called, rest, None, spaces, kind)
    first, *found = forked.answers(
        [control, *(_question(result, called, rest, one, spaces, kind) for one in offered)], CPU_S
    )
    if first != "again":
        return []
    was = written_in(source, node)
    start, end = list(start_of(source, node)), list(end_of(source, node))
    return [
        TakenForm(
            start=start,
            end=end,
            was=redact.text(was),
            now=redact.text(_now(one, was, node)),
            gives=gives,
            cost=one.cost,
        )
        for one, gives in zip(offered, found, strict=True)
        if gives
    ][:MOST_TAKEN]


def _now(form: Form, was: str, node: ast.expr) -> str:
    """The expression in another form, as a person would write it."""
    bare = was.strip()
    if form.text == "tuple({})" and isinstance(node, ast.List):
        return f"({bare[1:-1].rstrip(', ')})" if len(node.elts) != 1 else f"({bare[1:-1].rstrip(', ')},)"
    if form.text == "list({})" and isinstance(node, ast.Tuple):
        return f"[{bare[1:-1] if bare.startswith('(') and bare.endswith(')') else bare}]"
    inside = form.text.startswith(("{", "(", "[")) and not form.text.startswith("{}")
    plain = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    wraps = form.text.endswith("{})") or inside
    return form.text.replace("{{", "{").replace("}}", "}").replace("{}", was if plain or wraps else f"({was})")


def _rest(called: Called, subject: ast.expr, call: ast.expr) -> list[ast.stmt] | None:
    """The statements of the library's function from where it has the value up to the one that raised."""
    name = _base(subject)
    if called.function is None or name is None:
        return None
    seen = reaching(name.id, called.function, called.line)
    body: list[ast.stmt] = called.function.body
    # What the function converts on its way is converted again: it begins with what it was given.
    own = [one.line for one in seen.bindings if one.value is not None and call in walk(one.value, ast.expr)]
    begin = 0 if seen.from_before else max(own) if own else min((one.line for one in seen.bindings), default=0)
    while True:
        at = next((number for number, one in enumerate(body) if holds(one, called.line)), None)
        if at is None:
            return None
        if not begin or not holds(body[at], begin):
            first = next((number + 1 for number, one in enumerate(body) if begin and holds(one, begin)), 0)
            return body[first : at + 1] if first <= at else None
        blocks = [getattr(body[at], field, None) for field in ("body", "orelse", "finalbody")]
        blocks += [one.body for one in getattr(body[at], "handlers", [])]
        inner = next((one for one in blocks if isinstance(one, list) and _has(one, called.line)), None)
        if inner is None:
            return None
        body = inner


def _has(block: list[Any], line: int) -> bool:
    return any(holds(one, line) for one in block if isinstance(one, ast.stmt))


def _base(subject: ast.expr) -> ast.Name | None:
    inner = subject.value if isinstance(subject, ast.Subscript) else subject
    return inner if isinstance(inner, ast.Name) else None


def _question(
    result: Result,
    called: Called,
    rest: list[ast.stmt],
    form: Form | None,
    spaces: dict[str, dict[str, Any]],
    kind: type[BaseException],
) -> Callable[[], str]:
    def ask() -> str:
        value = result.value
        if form is not None:
            text = form.text.replace("{{", "{").replace("}}", "}").replace("{}", _VALUE, 1)
            value = eval(compile(text, "<whydied>", "eval"), dict(spaces["_"]), {_VALUE: result.value})
        names = {name: one for name, one in called.frame.f_locals.items() if name.isidentifier()}
        base = _base(result.subject)
        assert base is not None
        names[base.id] = _in_place(names[base.id], result, value)
        run = _function(rest, list(names), called.frame.f_globals)
        try:
            run(**names)
        except kind:
            return "again" if form is None else ""
        return "" if form is None else _words(value)

    return ask


def _in_place(whole: Any, result: Result, value: Any) -> Any:
    """The refused value in another form: by itself, or as the item of a collection that it was."""
    if not isinstance(result.subject, ast.Subscript):
        return value
    items = [value if one is result.value else one for one in whole]
    return type(whole)(items)


def _function(rest: list[ast.stmt], names: list[str], space: dict[str, Any]) -> Callable[..., Any]:
    given = ast.arguments(
        posonlyargs=[], args=[ast.arg(one) for one in names], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    made = ast.parse("def _whydied(): pass")
    function = made.body[0]
    assert isinstance(function, Function)
    function.args, function.body = given, rest
    own: dict[str, Any] = {}
    exec(compile(ast.fix_missing_locations(made), "<whydied>", "exec"), space, own)
    found: Callable[..., Any] = own["_whydied"]
    return found


def _words(value: Any) -> str:
    facts = describe(value)
    return facts.type.rpartition(".")[2] or "a value"
