"""The form that Keras takes, written where a function of the program returns the data: what `fit` is given later, and
what another call of the function gives, is then of that form, too. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case
from whydied.diagnose.errors.advice import Way
from whydied.records import FormsTried, Frame, TakenForm
from whydied.source.edits.shapes import value_edits
from whydied.source.origins.trails import Call, Trails, expression
from whydied.source.trees import enclosing, nodes_on, tree_of

_AS_ARRAY = ("array", "asarray")


def made_way(case: Case, tried: FormsTried, form: TakenForm) -> Way | None:
    """The same form at the `return` that the value comes from; None where that is not of the program, or another form
    than an array is taken."""
    now = _parsed(form.now)
    if not form.part or not isinstance(now, ast.Call) or len(now.args) != 1 or ast.unparse(now.args[0]) != form.was:
        return None
    if not isinstance(now.func, ast.Attribute) or now.func.attr not in _AS_ARRAY:
        return None
    frame = form.frame or tried.frame
    node = expression(case.project, frame.file, frame.line, form.was)
    chain = case.uncaught.chain if case.uncaught is not None else []
    frames = [one for link in chain for one in link.frames if one.user]
    running = [Call(one.file, one.line, one.function) for one in frames]
    place = node.slice.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) else None
    for step in Trails(case.project, running).trail(frame.file, frame.line, node) if node is not None else []:
        source = case.project[step.file]
        if any(isinstance(one, ast.Return) for one in nodes_on(source, step.line)):
            value: ast.expr = step.value
            if isinstance(value, ast.Tuple):
                if not isinstance(place, int) or not -len(value.elts) <= place < len(value.elts):
                    return None
                value = value.elts[place]
            elif place is not None:
                return None
            edits = value_edits.written(source, step.file, value, "np.array({x})")
            function = enclosing(tree_of(case.project, step.file), step.line)
            at = Frame(file=step.file, line=step.line, function=function, user=True)
            return Way(f"return `np.array({ast.unparse(value)})` from `{function}`", edits, at)
    return None


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
