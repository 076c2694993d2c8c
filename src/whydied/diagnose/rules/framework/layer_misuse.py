"""A layer or model of the program's own breaks a rule that Keras has for them.

## What it detects
A constructor without `super().__init__()`; a layer or model without `call`; a weight that `call` uses and nothing made,
because `build` is missing; variables or layers made in `call`, or in a `tf.function`, where each call would make new
ones, be it by an optimizer at its first update; layers that the function of a `Lambda` makes; a model that is asked for
its weights, its input or its training before it is built or compiled; a loss function or a `call` without `return`; a
layer's input given to its constructor.

## Why it happens
Keras calls these methods itself, in this order: `__init__` once, `build` once with the first input's shape, `call`
each time, traced into a graph.

## Evidence
The layers that the failing frames hold, and which of their settings holds tensors, layers or models. The exception; the
class of the program's own, with the lines of its methods and the names that its constructor uses,
read from its code.

## How it is proved
Keras or TensorFlow states the broken rule, or the code of the class shows it: certain. A constructor that calls no
other, below an attribute that Keras makes there: likely.

## Fix
See the advice of the finding. Variables, layers and optimizers that a `tf.function` makes of nothing of its own become
attributes that the constructor makes, for a method, or names above the function. They then keep their values from one
call to the next.

## Known problems
None known.

## References
https://keras.io/guides/making_new_layers_and_models_via_subclassing/
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors import class_changes
from whydied.diagnose.errors.calls.lambda_weights import lambda_weights
from whydied.diagnose.errors.calls.misplaced_inputs import misplaced_input
from whydied.diagnose.errors.calls.refused_values import failing_call
from whydied.diagnose.errors.usage import call_of, class_named, classes, links, method_place, place_of, said, text_of
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.records import Argument, CallBegan, ClassSeen, ErrorFacts, Frame, RaisedException
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee, method_calls
from whydied.source.edits.edit import Change, line_after, line_before, over, written_in
from whydied.source.edits.import_edits import module_names
from whydied.source.edits.runs.built_optimizers import built_first
from whydied.source.edits.runs.created_once import Created, created_once, made_by_method
from whydied.source.results import NoResult, functions_without_result
from whydied.source.trees import around, last_name, located, nodes_at, nodes_on, scope_at, walk, written
from whydied.texts import graph_messages, layers, python_errors, tensors
from whydied.texts.entry import any_of

_NO_SUPER = layers.NO_SUPER.pattern
_NO_SUPER_2 = any_of(layers.NO_SUPER_2, layers.NO_SUPER_OF_MODEL_2)
_NO_CALL = any_of(layers.NO_CALL, layers.NO_CALL_2)
_NO_ATTRIBUTE = python_errors.OBJECT_WITHOUT_ATTRIBUTE.pattern
_CALLING = any_of(graph_messages.CALLING, graph_messages.CALLING_2)
_STATE = any_of(
    layers.STATE_AFTER_BUILD,
    layers.VARIABLES_IN_FUNCTION,
    layers.VARIABLES_IN_LATER_CALL,
    layers.VARIABLE_OF_A_TRACED_VALUE,
)
_UNBUILT = (
    (layers.NOT_COMPILED, "is not compiled", "Call `compile(optimizer, loss)` before this line."),
    (layers.NOT_COMPILED_2, "is not compiled", "Call `compile(optimizer, loss)` before this line."),
    (layers.NOT_YET_BUILT, "is not built: it has no weights yet", "build"),
    (layers.LAYER_NOT_BUILT, "is not built: it has no weights yet", "build"),
    (layers.ACCESSED_BEFORE_BUILD, "is not built: it has no weights yet", "build"),
    (layers.NO_INPUT_SHAPE, "is not built: it has no input yet", "build"),
    (layers.NEVER_CALLED, "has not been called yet, so it has no input and no output", "build"),
)
_MOST_ROWS = 3
_BUILD = "Give it an `Input(shape)` first, or call it on one batch before this line."
_OF_NONE = any_of(tensors.NONE_UNSUPPORTED, tensors.NONE_CONVERTED)
_GOT_NONE = layers.GOT_NONE.pattern
_END_IT = "End it with `return` and its result."
_UPDATES = ("apply_gradients", "minimize", "apply")
_ADD_ONLY = layers.NOT_A_LAYER.pattern

ROLE = "explanation"
YIELDS_TO = ("weights-mismatch",)


def check(case: Case) -> Finding | None:
    for link in reversed(links(case)):
        text = text_of(link)
        finding = (
            _no_super(case, link, text)
            or _no_call(case, link, text)
            or _state_in_call(case, link, text)
            or _no_attribute(case, link, text)
            or _too_early(case, link, text)
            or _not_a_layer(case, link, text)
            or _inputs_to_constructor(case, link)
            or _tensor_to_constructor(case, link)
            or _loss_of_nothing(case, link, text)
            or _call_of_nothing(case, link, text)
        )
        if finding is not None:
            return finding
    return None


def _finding(
    link: RaisedException,
    place: Location | None,
    words: str,
    name: str | None,
    advice: list[str],
    seen: ClassSeen | None = None,
    certainty: Certainty = "certain",
    changes: list[Change] | None = None,
) -> Finding:
    evidence = [said(link)]
    if seen is not None:
        methods = ", ".join(f"{method} {line}" for method, line in seen.methods.items())
        evidence.append(Evidence(fact=f"methods of {seen.name}, by line", value=methods, source="ClassSeen"))
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty=certainty,
        location=place,
        culprit=Culprit(kind="class", name=name),
        evidence=evidence,
        advice=advice,
        changes=changes or [],
    )


def _no_super(case: Case, link: RaisedException, text: str) -> Finding | None:
    named = _NO_SUPER.search(text)
    if named is None and not _NO_SUPER_2.search(text):
        return None
    found = class_named(case, named[1]) if named else None
    seen = found or next((one for one in classes(case) if not one.calls_parent), None)
    name = named[1] if named else seen.name if seen else None
    return _skipping_parent(case, link, name) or _without_parent(case, link, name, seen, "certain")


def _skipping_parent(case: Case, link: RaisedException, name: str | None) -> Finding | None:
    """`super(Layer, self).__init__()` in a class of its own: it begins behind Layer and leaves its constructor out."""
    owner = class_changes.owner_of(case, name)
    if owner is None or name is None:
        return None
    source, file, node = owner
    for call in walk(node, ast.Call):
        if callee(call) != "super" or len(call.args) != 2 or ast.unparse(call.args[0]).rpartition(".")[2] == name:
            continue
        place = case.locate(Frame(file=file, line=call.lineno, function="__init__", user=True))
        given = ast.unparse(call.args[0])
        edit = over(source, file, call, "super()")
        return _finding(
            link,
            place,
            f"`super({given}, …)` in {name} begins behind {given}, so the constructor of {given} itself is left out",
            name,
            [f"Write `super()`, or `super({name}, self)`."],
            changes=[Change(title=f"Write `super()` in {name}", kind="definition", edits=[edit])],
        )
    return None


def _without_parent(
    case: Case, link: RaisedException, name: str | None, seen: ClassSeen | None, certainty: Certainty
) -> Finding:
    place = (method_place(case, seen, "__init__") if seen else None) or place_of(case)
    return _finding(
        link,
        place,
        f"__init__ of {name or 'the layer'} does not call super().__init__() before it uses what Keras sets up there",
        name,
        [f"Begin `__init__` of {name or 'the class'} with `super().__init__()`."],
        seen,
        certainty,
        class_changes.begin_parent(case, name),
    )


def _no_call(case: Case, link: RaisedException, text: str) -> Finding | None:
    found = _NO_CALL.search(text)
    if found is None:
        return None
    named = found[1] or found[2]
    seen = class_named(case, named)
    place = (method_place(case, seen, next(iter(seen.methods))) if seen and seen.methods else None) or place_of(case)
    near = [method for method in seen.methods if method in ("forward", "Call", "__call__", "calls")] if seen else []
    advice = f"Rename `{near[0]}` to `call`." if near else f"Give {named} a method `call(self, inputs)`."
    if near and seen:
        place = method_place(case, seen, near[0]) or place
    has = f"; it has {', '.join(seen.methods)}" if seen and seen.methods else ""
    changes = class_changes.rename_method(case, named, near[0], "call") if near else []
    return _finding(link, place, f"{named} has no method call{has}", named, [advice], seen, changes=changes)


def _state_in_call(case: Case, link: RaisedException, text: str) -> Finding | None:
    if not _STATE.search(text):
        return None
    place = place_of(case)
    mine = [frame for one in links(case) for frame in one.frames if frame.user]
    function = place.function if place else mine[-1].function if mine else ""
    told = (found for one in links(case) if (found := _CALLING.search(text_of(one))))
    caller = next((found[1] or found[2] for found in told), None) or _class_around(case, place)
    if (kept := lambda_weights(case, mine) if caller in (None, "Lambda") else None) is not None:
        return _finding(link, kept.place, kept.words, kept.name, kept.advice, changes=kept.changes)
    making = _making(case, mine) if caller is not None else None
    place, caller = making or (_line_of_class(case, caller, mine) or place, caller)
    inside = f"`call` of {caller}" if caller else f"the tf.function {function}" if function else "a tf.function"
    once = _created_once(case, place) if caller is None else None
    if caller is None and once is None and (optimizer := _updating(case, place)):
        words = f"`{optimizer}` creates its variables at its first update, which is in a later call of the tf.function"
        build = f"Build each optimizer before the first call, with all that it updates: `{optimizer}.build(…)`"
        advice = [f"{build}; or use one tf.function for each optimizer."]
        built = _built_first(case, place, mine)
        return _finding(link, place, f"{words} {function}", optimizer, advice, changes=built)
    keep = (
        "Create it once, in `__init__` or `build`, keep it in an attribute, and only use it in `call`."
        if caller
        else "Create the variable once, outside the function, and use it there."
    )
    changes = class_changes.create_once(case, caller, "call") if caller else []
    if once is not None:
        title, keep = _once_words(once)
        changes = [Change(title=title, kind="statement", edits=once.edits)]
    return _finding(
        link,
        place,
        f"{inside} creates a variable or layer, which may happen only once and not in each call",
        caller or function,
        [keep],
        class_named(case, caller) if caller else None,
        changes=changes,
    )


def _line_of_class(case: Case, name: str | None, frames: list[Frame]) -> Location | None:
    """The innermost line that runs in a method of a class: it is there that the layer is made, and not in the
    constructor of that layer."""
    for frame in reversed(frames):
        source = case.sources.get(frame.file)
        around_it = around(source.tree, frame.line, ast.ClassDef) if source is not None else []
        if name is not None and any(one.name == name for one in around_it):
            return case.locate(frame)
    return None


def _making(case: Case, frames: list[Frame]) -> tuple[Location, str] | None:
    """The line in a layer's or model's method that makes a layer, and its class: what fails may be the first call of
    what was made, far below."""
    for frame in reversed(frames):
        source = case.sources.get(frame.file)
        made = made_by_method(source, frame.line) if source is not None else None
        if made is not None:
            return located(case.sources, frame.file, made[0].lineno), made[1].name
    return None


def _created_once(case: Case, place: Location | None) -> Created | None:
    """What the function at a place makes anew in each call, made outside of it."""
    source = case.sources.get(place.file) if place is not None else None
    return created_once(source, place.file, place.line) if source is not None and place is not None else None


def _once_words(once: Created) -> tuple[str, str]:
    """A title and a sentence."""
    names = " and ".join(f"`{name}`" for name in once.names)
    where = f"in `__init__` of {once.of}" if once.of else "above the function"
    it, keep = ("it", "it keeps its value") if len(once.names) == 1 else ("them", "they keep their values")
    title = f"Create {names} once, {where}"
    return title, f"{title}, and only use {it} in the function; {keep} from one call to the next."


def _updating(case: Case, place: Location | None) -> str | None:
    """The optimizer that the statement at a place updates variables with."""
    calls = method_calls(nodes_at(case.sources, place), _UPDATES) if place is not None else iter(())
    return next((written(one) for one, _ in calls if not isinstance(one, ast.Call)), None)


def _built_first(case: Case, place: Location | None, frames: list[Frame]) -> list[Change]:
    """Each optimizer of the function built before its first call."""
    if place is None or place.file not in case.project:
        return []
    callers = [case.locate(frame) for frame in reversed(frames)]
    found = built_first(case.project, place.file, place.line, callers)
    title = "Build each optimizer before the first call"
    return [Change(title=f"{title}, {one.where}", kind="statement", edits=one.edits) for one in found]


def _class_around(case: Case, place: Location | None) -> str | None:
    """The class whose `call` a line is in."""
    if place is None or place.function != "call":
        return None
    begun = [
        (one.methods["call"], one.name) for one in classes(case) if "call" in one.methods and one.file == place.file
    ]
    return max((pair for pair in begun if pair[0] <= place.line), default=(0, None))[1]


def _no_attribute(case: Case, link: RaisedException, text: str) -> Finding | None:
    """An attribute that is missing because a method that should have made it did not run."""
    named = _NO_ATTRIBUTE.search(text)
    seen = class_named(case, named[1]) if named and link.type == "AttributeError" else None
    if named is None or seen is None:
        return None
    name, attribute = named[1], named[2]
    if "__init__" in seen.methods and not seen.calls_parent and attribute.startswith("_"):
        return _without_parent(case, link, name, seen, "likely")
    in_call = any(frame.user and frame.function == "call" for frame in link.frames)
    if not in_call or attribute in seen.methods:
        return None
    place = place_of(case)
    makers = [method for method in seen.stored.get(attribute, []) if method not in ("call", "__init__", "build")]
    if "build" not in seen.methods and makers:
        maker = makers[0]
        words = f"{name}.call uses self.{attribute}, which only {maker} creates, but Keras calls build instead"
        where = method_place(case, seen, maker) or place
        changes = class_changes.rename_method(case, name, maker, "build", parameters=2)
        advice = [f"Rename `{maker}` to `build`."]
        return _finding(link, where, words, f"self.{attribute}", advice, seen, changes=changes)
    if attribute in seen.stored:
        return None
    words = f"{name}.call uses self.{attribute}, which no method of {name} creates"
    maker = "build" if "build" in seen.methods else "__init__, or in a method build(self, input_shape)"
    return _finding(link, place, words, f"self.{attribute}", [f"Create self.{attribute} in {maker}."], seen)


def _too_early(case: Case, link: RaisedException, text: str) -> Finding | None:
    for told, state, advice in _UNBUILT:
        if told.pattern.search(text):
            place = place_of(case)
            named = layers.NAMED.pattern.search(text)
            operand = next((one.text for one in link.operands if "keras" in one.type or one.text == "model"), None)
            name = operand or (named[1] if named else "the model")
            built = _built(case, link, place, name) if advice == "build" else []
            words = [_BUILD if advice == "build" else advice]
            lines = {edit.start[0] for one in built for edit in one.edits}
            if place is not None and len(lines) == 1 and min(lines) < place.line:
                state = f"{state} on {line_words(place)}, as nothing has called it"
                place = located(case.sources, place.file, min(lines))
                words = ["Call it on one row right below this line, which gives it its weights."]
            return _finding(link, place, f"{name} {state}", name, words, changes=built)
    return None


def _built(case: Case, link: RaisedException, place: Location | None, name: str) -> list[Change]:
    """A call on one row of zeros, of the shape and kind that the program gave to all calls of its models. `build` would
    only mark a model of the program's own as built."""
    source = case.sources.get(place.file) if place is not None else None
    began = case.principal.all(CallBegan) if case.principal else []
    given = [one.arguments.get("x") for one in began]
    rows: dict[tuple[tuple[int | None, ...], bool], None] = {
        (tuple(one["shape"][1:]), "int" in str(one.get("dtype", ""))): None
        for one in given
        if isinstance(one, dict) and one.get("shape")
    }
    most = 1 if rows else _MOST_ROWS
    rows = rows or _rows_in_sight(link)
    if source is None or place is None or not name.isidentifier() or not 1 <= len(rows) <= most:
        return []
    library = next((one for one in ("tf", "np") if one in module_names(source)), None)
    if library is None:
        return []
    found = []
    for shape, whole in rows:
        sizes = ", ".join(str(size) for size in (1, *shape))
        kind = ', dtype="int32"' if whole else ""
        text = f"{name}({library}.zeros(({sizes}){kind}))"
        made = last_assignment(name, scope_at(source.tree, place.line), place.line) if most > 1 else None
        edit = line_before(source, place.file, place.line, text)
        edit = line_after(source, place.file, made.lineno, text) if isinstance(made, ast.Assign) else edit
        found.append(Change(title=f"Call `{text}` first, which builds it", kind="statement", edits=[edit]))
    return found


def _rows_in_sight(link: RaisedException) -> dict[tuple[tuple[int | None, ...], bool], None]:
    """The rows of the arrays that the failing line can see, for a program that trains in a loop of its own."""
    mine = [frame for frame in link.frames if frame.user]
    return {
        (tuple(one.shape[1:]), "int" in (one.dtype or "")): None
        for frame in reversed(mine)
        for one in frame.locals
        if one.shape and len(one.shape) > 1 and one.type.endswith(("ndarray", "EagerTensor"))
    }


def _inputs_to_constructor(case: Case, link: RaisedException) -> Finding | None:
    """What a layer is to be called on was given to its constructor."""
    raised = case.uncaught
    at = raised.chain.index(link) if raised is not None and link in raised.chain else 0
    found = misplaced_input(case, at)
    if found is None:
        return None
    return _finding(link, found.place, found.words, found.name, [found.advice], changes=found.changes)


def _tensor_to_constructor(case: Case, link: RaisedException) -> Finding | None:
    """The same in the failing call itself, also of a class of the program's own."""
    called = call_of(case)
    if called is None or called.frame is None or not {"trainable", "name", "dtype"} <= set(called.accepted):
        return None
    given = [one for one in called.arguments if _is_symbolic(one)]
    call = failing_call(case, called)
    if len(given) != 1 or call is None or not _is_class_name(called.callee) or given[0].position is None:
        return None
    source, file = case.sources[called.frame.file], called.frame.file
    node = call.args[given[0].position]
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    settings = [written_in(source, one) for one in parts if one is not node]
    right = f"{written(call.func)}({', '.join(settings)})({written_in(source, node)})"
    words = f"`{called.callee}` was given its input, `{written(node)}`, as an argument of its constructor"
    return _finding(
        link,
        case.locate(called.frame),
        words,
        called.callee,
        [f"Make the layer first and call it on its input: `{right}`."],
        certainty="likely",
        changes=[Change(title=f"Write `{right}`", kind="call", edits=[over(source, file, call, right)])],
    )


def _is_symbolic(argument: Argument) -> bool:
    return any(one.endswith("KerasTensor") for one in (argument.type, *argument.held))


def _is_class_name(name: str) -> bool:
    return name.rpartition(".")[2][:1].isupper()


def _loss_of_nothing(case: Case, link: RaisedException, text: str) -> Finding | None:
    """A loss function of the program's own that ends without `return`."""
    if not _OF_NONE.search(text):
        return None
    facts = case.principal.all(ErrorFacts) if case.principal else []
    names = {one.loss for one in facts if one.call and one.loss}
    for found in functions_without_result(case.sources):
        if found.name in names:
            words = f"the loss function {found.name} has no return, so it returns None; expected a tensor"
            changes = class_changes.return_result(case, found.file, found.line)
            return _finding(link, _defined(case, found), words, found.name, [_return_advice(found)], changes=changes)
    return None


def _call_of_nothing(case: Case, link: RaisedException, text: str) -> Finding | None:
    """A layer of the program's own whose `call` ends without `return`, below a layer or a loss that was given None."""
    facts = case.principal.all(ErrorFacts) if case.principal else []
    in_step = bool(_OF_NONE.search(text)) and any(one.call for one in facts)
    if not _GOT_NONE.search(text) and not in_step:
        return None
    found = [one for one in functions_without_result(case.sources) if one.owner and one.name == "call"]
    if len(found) != 1:
        return None
    owner, advice = found[0].owner, _return_advice(found[0])
    what = "what follows it" if in_step else "the next layer"
    words = f"call of {owner} has no return, so {what} gets None; expected a tensor"
    seen, changes = class_named(case, owner), class_changes.return_result(case, found[0].file, found[0].line)
    return _finding(link, _defined(case, found[0]), words, owner, [advice], seen, "likely", changes)


def _defined(case: Case, found: NoResult) -> Location:
    line = found.expression_line or found.line
    return case.locate(Frame(file=found.file, line=line, function=found.name, user=True))


def _return_advice(found: NoResult) -> str:
    line = found.expression_line
    return f"Put `return` before the expression on line {line}." if line is not None else _END_IT


def _not_a_layer(case: Case, link: RaisedException, text: str) -> Finding | None:
    found = _ADD_ONLY.search(text)
    if found is None:
        return None
    place = place_of(case)
    thing = found[1]
    made = re.fullmatch(r"<class '(?:[\w.]+\.)?(\w+)'>", thing)
    if made:
        words, advice = f"Sequential was given the class {made[1]} instead of a layer", f"Write `{made[1]}()`: call it."
    else:
        words, advice = f"Sequential was given {thing[:80]}, which is not a layer", "Put a layer there."
    changes = _called(case, place, made[1]) if made else []
    return _finding(link, place, words, made[1] if made else thing[:80], [advice], changes=changes)


def _called(case: Case, place: Location | None, name: str) -> list[Change]:
    """A class that stands for an object of it, where the statement has it once."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return []
    nodes = nodes_on(source, place.line)
    makers = [node.func for node in nodes if isinstance(node, ast.Call)]
    found = [node for node in nodes if isinstance(node, (ast.Name, ast.Attribute)) and last_name(node) == name]
    bare = [node for node in found if node not in makers]
    edits = [over(source, place.file, node, f"{written(node)}()") for node in bare]
    return [Change(title=f"Write `{name}()`", kind="call", edits=edits)] if len(edits) == 1 else []
