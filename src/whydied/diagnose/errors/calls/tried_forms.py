"""Forms of a part of the failing expression that were tried on the live values, as advice and as a change. Pure.

Invariant: a form is only offered where the expression gave a value with it in a copy of the dying process, the step of
a Keras call could be traced with it there, or the signature of the only method that fits speaks for it. Where several
change as little, all are named and each is a patch: which of them the program goes on with is found out later.
"""

from __future__ import annotations

import ast

import msgspec

from whydied.diagnose.case import Case, prefix, root_of
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, capital, changes_of, frame_of, nothing
from whydied.diagnose.errors.calls.made_forms import made_way
from whydied.diagnose.errors.framework_error import framework_error
from whydied.diagnose.finding import Certainty, Evidence, Finding
from whydied.records import FormsTried, Frame, Operand, RaisedException, TakenForm
from whydied.shapes.shape import conforms
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit, edited, end_of, over, start_of
from whydied.source.text import Source
from whydied.source.trees import enclosing, nodes_on, walk, written

MOST_NAMED = 3
_AS_CHEAP = 0.05
_PARTS = (
    *("{}[0]", "{}[-1]", "{}[None]", "{}[..., None]", "{}.shape", "{}.ravel()", "{}.T", "{}.item()", "str({})"),
    *("[{}]", "({},)", "{}.tolist()", "{}.astype(str)", "next(iter({}))"),
)
_NUMBERS = ("len({})", "int({})", "float({})", "{}.item()", "{}[0]", "{}[-1]", "{}.shape", "str({})")
_WHOLE = frozenset(
    {"array", "asarray", "constant", "convert_to_tensor", "stack", "vstack", "from_tensor_slices", "Variable"}
)
"""Functions that make one tensor of all that they are given: a single item is not what was meant."""
_CROSSENTROPIES = ("sparse_categorical_crossentropy", "categorical_crossentropy", "binary_crossentropy")


def tried_of(case: Case, link: RaisedException) -> FormsTried | None:
    """What was tried of the expression that raised it, with the forms that may be meant."""
    raised = case.uncaught
    if raised is None or case.principal is None or link not in raised.chain:
        return None
    index = raised.chain.index(link)
    while index > 0 and not any(frame.user for frame in raised.chain[index].frames):
        # One that a library caught itself and told again has no line of the user's.
        index -= 1
    found = next((one for one in reversed(case.principal.all(FormsTried)) if one.link == index), None)
    if found is None:
        return None
    taken = [one for one in found.taken if _is_meant(link, found, one) and not _is_of_other_sizes(case, one)]
    return msgspec.structs.replace(found, taken=taken)


def form_advice(case: Case, link: RaisedException) -> Advice:
    """What may be written in the place of a part of the failing expression, or as the loss of the model."""
    tried = tried_of(case, link)
    if tried is None or not tried.taken:
        return nothing()
    least = tried.taken[0].cost
    ways = [_way(case, tried, one) for one in tried.taken if one.cost - least < _AS_CHEAP]
    written = [way for way in ways if way is not None]
    if not written:
        return nothing()
    words = "; or ".join(way.words for way in written[:MOST_NAMED])
    made = made_way(case, tried, tried.taken[0])
    # A part of a tuple is given on with the others elsewhere: there, too, it is to be of that form.
    named = [made, *written[:MOST_NAMED]] if made is not None else written[:MOST_NAMED]
    changes = changes_of("expression", named)
    return Advice([f"{capital(words)}."], changes, frame_of(written))


def _is_meant(link: RaisedException, tried: FormsTried, form: TakenForm) -> bool:
    """An op that refuses what a value holds is not answered by a part of the value, its shape or its text; nor are two
    arrays that do not go together by a number in the place of one."""
    if form.part:
        return True
    if link.type == "KeyError" and form.now in (f"{form.was}[0]", f"{form.was}[-1]"):
        # One of several keys that were asked for does not stand for them.
        return False
    if _is_crossed(link, tried, form):
        return False
    called, texts = _call(tried.expression), set[str]()
    if link.module.startswith("tensorflow."):
        texts.update(_PARTS)
    if called is not None and callee(called) in _WHOLE:
        texts.update((*_PARTS, "len({})", "enumerate({})"))
    if _is_arithmetic(tried.expression) and any(one.text == form.was and one.shape for one in link.operands):
        texts.update(_NUMBERS)
    return not any(form.now == text.format(form.was) for text in texts)


def _is_of_other_sizes(case: Case, form: TakenForm) -> bool:
    """Whether all rows as one sample have other sizes than the model declares: a layer that takes any number of steps
    lets them pass."""
    error = framework_error(case) if form.now == f"{form.was}[None]" else None
    wanted = error.facts.wanted.shape if error is not None and error.facts.wanted is not None else None
    shapes = [one.shape for one in (error.of_role("x") if error is not None else []) if one.text == form.was]
    return bool(wanted and shapes and shapes[0]) and not conforms([1, *(shapes[0] or [])], wanted or [])


def _is_crossed(link: RaisedException, tried: FormsTried, form: TakenForm) -> bool:
    """Whether a transposed operand of an operator meets another one that is not as large: every value of one with every
    value of the other is not what somebody meant who wrote them side by side."""
    shapes = {one.text: one.shape for one in link.operands if one.shape}
    turned = shapes.get(form.was)
    if turned is None or not form.now.endswith((f"{form.was}.T", f".transpose({form.was})")):
        return False
    node = parsed(tried.expression)
    if not isinstance(node, ast.BinOp) or isinstance(node.op, ast.MatMult):
        return False
    return all(shape != turned[::-1] for text, shape in shapes.items() if text != form.was)


def _is_arithmetic(text: str) -> bool:
    try:
        statement = ast.parse(text).body[0]
    except (SyntaxError, IndexError):
        return False
    return isinstance(statement, ast.AugAssign) or isinstance(getattr(statement, "value", None), ast.BinOp)


def supplemented(case: Case, finding: Finding) -> Finding:
    """A finding about the exception that ended the program, with what was tried where it has no change of its own. What
    was seen to go through takes the place of what was not; and the finding its line, where that is another one."""
    raised = case.uncaught
    if raised is None or not raised.chain:
        return finding
    link = raised.chain[root_of(raised.chain)]
    tried, advice = tried_of(case, link), form_advice(case, link)
    left = [one for one in finding.changes or [] if tried is None or not _is_refused(tried, one)]
    # What Keras was seen to take as data stands above what was only thought of.
    surer = bool(tried and tried.taken and tried.taken[0].part == "data" and finding.certainty != "certain")
    if (left and not surer) or tried is None or not advice or advice.frame is None:
        return finding
    at = finding.location
    elsewhere = at is not None and (at.file, at.line) not in _lines(tried)
    if not _is_traced(tried) and (elsewhere or (finding.advice and len(advice.changes) > 1)):
        return finding
    # A change of the finding's own that was seen to fail takes what was said of it along.
    certainty: Certainty = finding.certainty
    if certainty == "certain" and (finding.changes or tried.taken[0].frame is not None):
        certainty = "likely"
    place = case.locate(advice.frame) or at
    best = tried.taken[0]
    told = bool(finding.changes) or best.part == "data" or best.frame is not None or _is_reordered(best)
    words = form_words(link, tried) if told else finding.message.removeprefix(prefix(at))
    return msgspec.structs.replace(
        finding,
        message=f"{prefix(place)}{words}",
        certainty=certainty,
        advice=advice.sentences,
        changes=advice.changes,
        evidence=[*finding.evidence, evidence_of(tried)],
        location=place,
    )


def _lines(tried: FormsTried) -> set[tuple[str, int]]:
    """The lines that were tried."""
    frames = [tried.frame, *(one.frame for one in tried.taken)]
    return {(one.file, one.line) for one in frames if one is not None}


def _is_refused(tried: FormsTried, change: Change) -> bool:
    """Whether a change is one with which the failing expression raised again."""
    again = tuple(f"{text}." for text in tried.refused)
    texts = [one.text for one in change.edits if one.file == tried.frame.file]
    return len(texts) == len(change.edits) and all(
        text in tried.refused or (again and text.startswith(again)) for text in texts
    )


def evidence_of(tried: FormsTried) -> Evidence:
    best = tried.taken[0]
    if not best.gives and best.now == f"{best.was}()":
        return Evidence(fact="its objects are context managers", value=best.was, source="FormsTried")
    if not best.gives:
        return Evidence(fact="the only method that takes these arguments", value=best.now, source="FormsTried")
    if _is_traced(tried):
        what = f"the step of `{tried.expression}` with `{best.now}`"
        return Evidence(fact=what, value="can be traced", source="FormsTried")
    what = f"`{tried.expression}` with `{best.now}` for `{best.was}`"
    return Evidence(fact=f"{what}, evaluated with the values of that line", value=best.gives, source="FormsTried")


def _is_traced(tried: FormsTried) -> bool:
    return bool(tried.taken[0].part)


def _way(case: Case, tried: FormsTried, one: TakenForm) -> Way | None:
    """A form as an edit; None where the source does not have what it changes."""
    if one.part == "loss":
        return _loss(case, one.now)
    frame = one.frame or tried.frame
    source = case.sources.get(frame.file)
    if source is None:
        return None
    if not one.start:
        return Way(f"pass `{one.now}` for `{one.was}`", None, frame)
    kept = _kept_class(source, one) if one.frame is None else None
    if kept is not None:
        made = Frame(file=frame.file, line=kept.lineno, function=enclosing(source.tree, kept.lineno), user=True)
        words = f"write `{written(kept)}()` instead of `{written(kept)}` on line {kept.lineno}"
        return Way(words, [over(source, frame.file, kept, f"{written(kept)}()")], made)
    places = [(tuple(one.start), tuple(one.end)), *_alike(source, frame.line, one)]
    edits = [Edit(frame.file, (start[0], start[1]), (end[0], end[1]), one.now) for start, end in places]
    if edited(source, edits) is None:
        return None
    where = f" on line {frame.line}" if one.frame is not None else ""
    return Way(f"write `{one.now}` instead of `{one.was}`{where}", edits, frame)


def _kept_class(source: Source, form: TakenForm) -> ast.expr | None:
    """A class that the program keeps under the name that is to be called first, where it does so only once."""
    assigned = [
        one
        for one in walk(source.tree, ast.Assign)
        if form.now == f"{form.was}()" and any(written(target) == form.was for target in one.targets)
    ]
    value = assigned[0].value if len(assigned) == 1 else None
    return value if isinstance(value, ast.Name | ast.Attribute) else None


def _alike(source: Source, line: int, form: TakenForm) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The other places of the statement at which the same name is used in the same way."""
    nodes = nodes_on(source, line)
    used = {id(part): user for user in nodes for part in ast.iter_child_nodes(user)}
    names = [one for one in nodes if isinstance(one, ast.Name) and one.id == form.was]
    here = next((one for one in names if start_of(source, one) == tuple(form.start)), None)
    if here is None:
        return []
    same = [one for one in names if one is not here and type(used.get(id(one))) is type(used.get(id(here)))]
    return [(start_of(source, one), end_of(source, one)) for one in same]


def _loss(case: Case, name: str) -> Way | None:
    error = framework_error(case)
    for old in _CROSSENTROPIES if error is not None else ():
        edits = error_edits.loss(error, old, name) if old != name and error is not None else None
        if edits and error is not None:
            frame = error_edits.loss_frame(error)
            return Way(f"use the loss `{name}` instead of `{old}`", edits, frame)
    return None


def form_words(link: RaisedException, tried: FormsTried) -> str:
    """What the form that is taken says of the expression."""
    best = tried.taken[0]
    if best.part == "loss":
        return f"the loss does not take these targets and outputs together; `{best.now}` does"
    if best.part == "data":
        return _data_words(link, best)
    if best.part:
        return f"the step of `{tried.expression}` does not take `{best.was}` as it is; it takes `{best.now}`"
    if best.frame is not None:
        return f"{_made_words(best)}; `{tried.expression}` on line {tried.frame.line} does not take what comes of it"
    if best.now == f"{best.was}()":
        return f"`{best.was}` is not called: it is the class or function itself, not its result"
    if not best.gives:
        method = best.now.rpartition(".")[2]
        return f"`{best.was}` itself is called; of its methods only `{method}` takes these arguments"
    if (before := _call(best.was)) and (after := _call(best.now)) and ast.dump(before.func) == ast.dump(after.func):
        how = "in another order than it takes them" if _is_reordered(best) else "not what it takes"
        return f"the arguments of `{ast.unparse(before.func)}` are {how}"
    operand = next((one for one in link.operands if one.text == best.was), None)
    kind = f", {_type(operand)}," if operand is not None and operand.type else ""
    return f"`{best.was}`{kind} is not what `{tried.expression}` takes; it takes `{best.now}`"


def _data_words(link: RaisedException, best: TakenForm) -> str:
    """What the data are that Keras does not take, as far as it is known."""
    if best.now == f"*{best.was}":
        return f"`{best.was}` holds input and targets and is given as the input alone; `{best.now}` gives both"
    whole = parsed(f"({best.was})")
    parts = [ast.unparse(one) for one in (whole.elts if isinstance(whole, ast.Tuple) else [whole] if whole else [])]
    kinds = [f"`{one.text}` is {_type(one)}" for one in link.operands if one.text in parts and one.type]
    if not kinds:
        return f"Keras does not take `{best.was}` as the data of this model; it takes `{best.now}`"
    return f"{' and '.join(kinds)}, which Keras does not take as the data of this model; it takes `{best.now}`"


def _is_reordered(form: TakenForm) -> bool:
    """Whether a form is the same call with its arguments in another order, which says what is wrong by itself."""
    before, after = _call(form.was), _call(form.now)
    if before is None or after is None or ast.dump(before.func) != ast.dump(after.func):
        return False
    return sorted(map(ast.dump, before.args)) == sorted(map(ast.dump, after.args))


def _made_words(form: TakenForm) -> str:
    """What is wrong with an earlier statement."""
    if form.now == f"{form.was}()":
        return f"`{form.was}` is not called: it is the class or function itself, not its result"
    if parsed(form.was) is not None and isinstance(parsed(form.was), ast.Constant):
        return f"`{form.was}` stands where `{form.now}` is taken"
    if (before := _call(form.was)) and (after := _call(form.now)) and ast.dump(before.func) == ast.dump(after.func):
        return f"the arguments of `{ast.unparse(before.func)}` look exchanged"
    return f"`{form.was}` is given on, and `{form.now}` is taken"


def _call(text: str) -> ast.Call | None:
    node = parsed(text)
    return node if isinstance(node, ast.Call) else None


def parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def _type(operand: Operand) -> str:
    kind = operand.type.rpartition(".")[2].removeprefix("nd")
    article = "an" if kind[:1].lower() in "aeio" else "a"
    if operand.shape:
        sizes = ", ".join("None" if n is None else str(n) for n in operand.shape)
        return f"{article} {kind} of shape ({sizes})" + (f" {operand.dtype}" if operand.dtype else "")
    return f"{article} {kind} of length {operand.length}" if operand.length is not None else f"{article} {kind}"
