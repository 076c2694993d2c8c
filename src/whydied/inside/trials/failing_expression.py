"""At an uncaught exception: which other forms of its parts the failing expression takes, found out by evaluating it
with each of them in a copy of the process; runs in the user's process.

Invariant: what is written down was seen: the expression as it is fails in the copy too, with the same type of
exception, and with the form it gives a value. That the value is the one that was meant is not known.
"""

from __future__ import annotations

import ast
import itertools
import resource
from collections.abc import Callable
from types import TracebackType
from typing import Any

import msgspec

from whydied import redact
from whydied.inside.errors import exception_chain, operands
from whydied.inside.errors.stack_steps import Step, frame_of, steps_of
from whydied.inside.guest import live_source
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import MISSING, Missing, attribute, evaluate
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.value_facts import describe
from whydied.inside.journal import Journal
from whydied.inside.trials import earlier, forked, given_values, keras_step
from whydied.inside.trials.computing import Scope
from whydied.inside.trials.forms import methods
from whydied.inside.trials.onward import Place, place_of, run_on
from whydied.inside.trials.own_code import OwnCode
from whydied.inside.trials.variants import Variant, modules_of, variants
from whydied.records import FormsTried, TakenForm
from whydied.source.edits.edit import end_of, start_of, text_between, written_in
from whydied.source.statements import statement_at
from whydied.source.text import Source
from whydied.source.trees import enclosing

EXPRESSION_CPU_S, STEP_CPU_S = 0.4, 0.8
"""Most of the time nothing like that: an expression takes a millisecond, the trace of a step a tenth of a second."""
STEPS_CPU_S = 1.5
"""After so much of the processor, in all copies, no further forms of a step are begun."""
ONWARD_CPU_S, EARLIER_CPU_S = 0.4, 1.2
"""After so much no further forms are followed, and none of earlier statements is begun."""
MOST_TAKEN = 6
MOST_FOLLOWED = 10
_ERRORS = (TypeError, AttributeError, KeyError, IndexError, ValueError)
_AGAIN, _RAISED = "as before", "raised"


@guarded("failing_expression.look")
def look(owner: Journal, error: BaseException, trace: TracebackType | None) -> None:
    """Write which forms the failing expression takes: that of the exception at the root of the chain."""
    for index, (link, link_trace, _) in reversed([*enumerate(exception_chain._links(error, trace, set()))]):
        found = tried(index, link, link_trace, owner.ownership)
        if found is not None:
            owner.write(found)
            return


def tried(index: int, error: BaseException, trace: TracebackType | None, ownership: Ownership) -> FormsTried | None:
    """The forms with which the expression of one exception of a chain gives a value, those that change least first."""
    steps = steps_of(trace, None, ownership)
    users = [step for step in steps if step.file is not None and step.trace is not None]
    if not users or not _is_about_values(error):
        return None
    step = users[-1]
    assert step.trace is not None
    assert step.file is not None
    failure = _generated(step) if step.is_generated else _whole(operands.failing(step.trace, step.file))
    if failure is None:
        return None
    data = keras_step.data_of(failure.node, steps[steps.index(step) :])
    node, scope = given_values.stood_in(failure, steps[steps.index(step) + 1 :])
    offered = variants(node, scope) if data is None else []
    refused: list[str] = []
    if data is not None:
        taken, refused = _step_forms(failure, data, type(error))
    else:
        taken = _method(failure)
    if data is None and not taken:
        place, own = place_of(steps[: steps.index(step) + 1]), OwnCode(ownership)
        found, refused = _taken(failure.source, node, scope, offered, type(error))
        taken = _going_on(found, scope, place, own)[:MOST_TAKEN]
        if place is not None and (not taken or _is_of_maker(taken[0])):
            taken = _earlier(place, own, type(error), slips_only=bool(taken)) or taken
    if not taken and not refused:
        return None
    return FormsTried(
        link=index,
        frame=frame_of(step.file, step.line, step.function),
        expression=redact.text(_shown(failure.node)[:200]),
        tried=len(offered),
        taken=taken,
        refused=refused,
    )


def _generated(step: Step) -> operands.Failure | None:
    """What AutoGraph made of a statement has its variables; of the statement itself the whole expression is known."""
    parsed = live_source.source(step.file) if step.file is not None else None
    node = statement_at(parsed.tree, step.line) if parsed is not None else None
    node = node.value if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) else node
    plain = isinstance(node, ast.expr | ast.With)
    return operands.Failure(node, step.frame, parsed) if parsed is not None and node is not None and plain else None


def _shown(node: ast.AST) -> str:
    """What failed, of a loop its header."""
    if isinstance(node, ast.For):
        return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    if isinstance(node, ast.With):
        return f"with {', '.join(ast.unparse(one) for one in node.items)}"
    return ast.unparse(node)


def _step_forms(
    failure: operands.Failure, data: keras_step.Data, kind: type[BaseException]
) -> tuple[list[TakenForm], list[str]]:
    """Data and losses with which the step of a Keras call can be traced, and the texts of those that it refuses."""
    before_s = _used_s()
    side = forked.answers([keras_step.control(data, kind)], STEP_CPU_S)[0]
    names = modules_of(failure.frame.f_globals)
    offered = sorted(keras_step.forms_of(data, side, names), key=lambda one: one.cost) if side else []
    refused: list[str] = []
    for _, alike in itertools.groupby(offered, key=lambda one: one.cost):
        if _used_s() - before_s > STEPS_CPU_S:
            break
        asked = list(alike)
        found = forked.answers([keras_step.question(data, one) for one in asked], STEP_CPU_S)
        made = [_step_form(failure.source, data, one) for one in asked]
        taken = [one for one, gives in zip(made, found, strict=True) if gives]
        if taken:
            return taken, refused
        refused += [one.now for one in made if one.part == "data"]
    return [], refused


def _used_s() -> float:
    """The processor time of all copies that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _step_form(source: Source, data: keras_step.Data, one: keras_step.StepForm) -> TakenForm:
    if one.role == "loss":
        return TakenForm(start=[], end=[], was="", now=one.text, gives="a step", cost=one.cost, part="loss")
    if one.packing is not None:
        x = "*{}" if one.packing.spread else one.packing.x.text if one.packing.x else ""
        y = one.packing.y.text if one.packing.y else ""
    else:
        x, y = (one.text, "") if one.role == "x" else ("", one.text)
    given = [(data.x_node, x), (data.y_node, y)]
    nodes = sorted(
        ((node, text) for node, text in given if node is not None and text), key=lambda at: start_of(source, at[0])
    )
    if len(nodes) < bool(x) + bool(y):
        # The call has it from a collection that it spreads: there is no place to write it.
        parts = [(name, text) for name, text in (("x", x), ("y", y)) if text]
        was, now = ", ".join(name for name, _ in parts), ", ".join(text.replace("{}", name) for name, text in parts)
        return TakenForm(start=[], end=[], was=was, now=now, gives="a step", cost=one.cost, part=one.role)
    first, last = nodes[0][0], nodes[-1][0]
    was = written_in(source, first)
    now = _in_form(source, first, nodes[0][1])
    if last is not first:
        between = text_between(source, end_of(source, first), start_of(source, last))
        was = f"{was}{between}{written_in(source, last)}"
        now = f"{now}{between}{_in_form(source, last, nodes[-1][1])}"
    return TakenForm(
        start=list(start_of(source, first)),
        end=list(end_of(source, last)),
        was=redact.text(was),
        now=redact.text(now),
        gives="a step",
        cost=one.cost,
        part=one.role,
    )


def _in_form(source: Source, node: ast.expr, form: str) -> str:
    """In parentheses where something is done to it that binds closer than what it is."""
    was = written_in(source, node)
    closed = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) or not form.startswith("{}")
    return form.replace("{}", was if closed else f"({was})")


def _whole(failure: operands.Failure | None) -> operands.Failure | None:
    """The loop, where what it goes through cannot be gone through: the expression by itself does not fail."""
    if failure is None or not isinstance(failure.node, ast.expr):
        return failure
    loop = statement_at(failure.source.tree, failure.node.lineno)
    over = isinstance(loop, ast.For) and loop.iter is failure.node
    return msgspec.structs.replace(failure, node=loop) if over else failure


def _is_about_values(error: BaseException) -> bool:
    name = type(error).__name__
    return isinstance(error, _ERRORS) or name in ("InvalidArgumentError", "UnimplementedError", "UFuncTypeError")


def _taken(
    source: Source, node: ast.AST, scope: Scope, offered: list[Variant], kind: type[BaseException]
) -> tuple[list[tuple[Variant, TakenForm]], list[str]]:
    """The forms that are taken, and the texts of those that raise."""
    if not offered:
        return [], []
    control = _control(node, scope, kind) if isinstance(node, ast.expr) else (lambda: _AGAIN)
    first, *found = forked.answers([control, *(_question(one, scope) for one in offered)], EXPRESSION_CPU_S)
    if first != _AGAIN:
        return [], []
    made = [(one, _form(source, one, gives)) for one, gives in zip(offered, found, strict=True) if gives is not None]
    taken = [one for one in made if one[1].gives != _RAISED]
    return taken[:MOST_FOLLOWED], [form.now for _, form in made if form.gives == _RAISED]


def _going_on(
    found: list[tuple[Variant, TakenForm]], scope: Scope, place: Place | None, own: OwnCode
) -> list[TakenForm]:
    """Those forms with which the statements that follow do not fail, as far as they only compute."""
    if place is None:
        return [form for _, form in found]
    kept = []
    before_s = _used_s()
    for variant, form in found:
        asked = isinstance(variant.code, ast.Expression) and _used_s() - before_s < ONWARD_CPU_S
        said = forked.answers([_onward(variant, scope, place, own)], ONWARD_CPU_S)[0] if asked else None
        kept += [form] if said != _RAISED else []
    return kept


def _onward(variant: Variant, scope: Scope, place: Place, own: OwnCode) -> Callable[[], str]:
    def ask() -> str:
        names = {**scope.frame.f_globals, **scope.names}
        with scope.graph(variant.code):
            value = eval(compile(variant.code, "<whydied>", "eval"), names)
            try:
                run_on(place, value, names, own)
            except Exception:
                return _RAISED
        return "taken"

    return ask


def _is_of_maker(form: TakenForm) -> bool:
    """Whether a form is one that is rather left out where the value is made: a number in quotes, a missing call."""
    return form.was.isidentifier() and form.now in (f"int({form.was})", f"float({form.was})", f"{form.was}()")


def _earlier(place: Place, own: OwnCode, kind: type[BaseException], *, slips_only: bool) -> list[TakenForm]:
    """Forms of what made the values of the failing expression, with which it gives a value."""
    before_s = _used_s()
    for trial in earlier.trials(place, own, kind, _words, slips_only=slips_only):
        if _used_s() - before_s > EARLIER_CPU_S:
            break
        if forked.answers([trial.control], EXPRESSION_CPU_S)[0] != _AGAIN:
            continue
        taken = []
        for one in trial.changes:
            if _used_s() - before_s > EARLIER_CPU_S:
                break
            gives = forked.answers([one.ask], EXPRESSION_CPU_S)[0]
            if gives is not None and gives != earlier.RAISED:
                made = _form(one.place.source, one.variant, gives)
                frame = frame_of(one.place.file, one.line, enclosing(one.place.source.tree, one.line))
                taken.append(msgspec.structs.replace(made, frame=frame))
        if taken:
            return taken[:MOST_TAKEN]
    return []


def _control(node: ast.expr, scope: Scope, kind: type[BaseException]) -> Callable[[], str]:
    code = ast.parse(ast.unparse(node), mode="eval")

    def ask() -> str:
        try:
            with scope.graph(node):
                eval(compile(code, "<whydied>", "eval"), scope.frame.f_globals, dict(scope.names))
        except kind:
            return _AGAIN
        return ""

    return ask


def _question(variant: Variant, scope: Scope) -> Callable[[], str]:
    def ask() -> str:
        try:
            return given()
        except Exception:
            return _RAISED

    def given() -> str:
        names = dict(scope.names)
        with scope.graph(variant.code):
            if isinstance(variant.code, ast.Module):
                exec(compile(variant.code, "<whydied>", "exec"), scope.frame.f_globals, names)
                return "taken"
            return _words(eval(compile(variant.code, "<whydied>", "eval"), scope.frame.f_globals, names))

    return ask


def _words(value: Any) -> str:
    """What came of it, never its contents."""
    if value is NotImplemented:
        raise TypeError
    facts = describe(value)
    name = facts.type.rpartition(".")[2]
    if facts.shape is not None:
        return f"{name} of shape {tuple(facts.shape)}" if facts.shape else name
    return f"{name} of length {facts.length}" if facts.length is not None else name


def _form(source: Source, one: Variant, gives: str) -> TakenForm:
    start, end = list(start_of(source, one.part)), list(end_of(source, one.part))
    was, now = written_in(source, one.part), given_values.as_written(source, one.text, one.part)
    return TakenForm(start=start, end=end, was=redact.text(was), now=redact.text(now), gives=gives, cost=one.cost)


def _method(failure: operands.Failure) -> list[TakenForm]:
    """The method that was left out of a call of an object: the only one that takes the call's keywords."""
    node = failure.node
    if isinstance(node, ast.With | ast.expr) and (opened := _not_opened(failure)):
        return opened
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return []
    value = evaluate(node.func, failure.frame)
    if isinstance(value, (Missing, type)) or not _is_object(value):
        return []
    words = [word.arg for word in node.keywords if word.arg is not None]
    found = methods(value, len(node.args), words)
    if not found:
        return []
    was = written_in(failure.source, node.func)
    start, end = start_of(failure.source, node.func), end_of(failure.source, node.func)
    now = f"{was}.{found[0]}"
    return [TakenForm(start=list(start), end=list(end), was=was, now=now, gives="", cost=1.0)]


def _not_opened(failure: operands.Failure) -> list[TakenForm]:
    """The class of a context manager in a `with`, in the place of an object of it."""
    whole = statement_at(failure.source.tree, getattr(failure.node, "lineno", 0))
    for item in whole.items if isinstance(whole, ast.With) else ():
        node = item.context_expr
        value = evaluate(node, failure.frame) if failure.node in (whole, node) else MISSING
        if isinstance(value, type) and not isinstance(attribute(value, "__enter__"), Missing):
            was = written_in(failure.source, node)
            start, end = list(start_of(failure.source, node)), list(end_of(failure.source, node))
            return [TakenForm(start=start, end=end, was=was, now=f"{was}()", gives="", cost=1.0)]
    return []


def _is_object(value: Any) -> bool:
    kind = type(value)
    return kind.__module__.partition(".")[0] in (
        "keras",
        "tf_keras",
        "tensorflow",
        "sklearn",
        "pandas",
    ) and not hasattr(value, "__code__")
