"""An object of another kind than a library can use where the program gave it, told where the object was made. Pure.

What is taken instead comes from the installed classes: the parameters of the method that refused, a class beside it
whose method fits, the argument that the documentation has for the same.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.candidates import Answer
from whydied.diagnose.errors.calls.refused_values import Made, failing_call, makers, passed
from whydied.diagnose.errors.framework_error import framework_error
from whydied.diagnose.errors.usage import call_of
from whydied.diagnose.finding import Culprit
from whydied.records import Demanded, RaisedException
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change, over, start_of, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.text import Source
from whydied.source.trees import across, nodes_on, scope_at, walk, written
from whydied.texts import layers, python_errors

_NUMPY_NUMBERS = ("float32", "float64", "int32", "int64")
_METRICS_AT = 4
"""By position, after the optimizer, the loss and its weights."""
_LOSS_ALONE = ("train_on_batch", "test_on_batch", "evaluate")


def unfit_receiver(case: Case, demand: Demanded) -> Answer | None:
    """An object whose method has other parameters than the library passes to all that are given there: a metric of
    values among those of targets and outputs."""
    made = makers(case, {demand.holder}) if demand.kind == "receiver" else []
    if len(made) != 1:
        return None
    one = made[0]
    text = written(one.call)
    passes = demand.wanted.partition("(")[2].removesuffix(")")
    words = (
        f"`{text}` does not go here: its `{demand.attribute}` takes ({', '.join(demand.accepted)}), and Keras calls it "
        f"with ({passes})"
    )
    changes = [*_wrapped(case, one, demand), *_left_out(case, one)]
    advice = [f"{change.title}." for change in changes] or [
        f"Pass something whose `{demand.attribute}` takes ({passes})."
    ]
    culprit = Culprit(kind="argument", name=text)
    return Answer(words, one.file, one.call.lineno, culprit, advice, changes)


def _wrapped(case: Case, made: Made, demand: Demanded) -> list[Change]:
    """The class beside it that takes what is passed, with what the object was made with."""
    source = case.project[made.file]
    func = made.call.func
    if not demand.offers or made.call.args or not isinstance(func, ast.Attribute):
        return []
    others = ", ".join(written_in(source, word) for word in made.call.keywords)
    text = f"{written_in(source, func.value)}.{demand.offers[0].replace('{}', others)}".replace(", )", ")")
    edit = over(source, made.file, made.call, text)
    return [Change(title=f"To have it of the outputs, write `{text}`", kind="expression", edits=[edit])]


def _left_out(case: Case, made: Made) -> list[Change]:
    source = case.project[made.file]
    holders = [
        (holder, item)
        for holder in walk(source.tree, ast.List)
        for item in holder.elts
        if item is made.call or (made.name and written(item) == made.name)
    ]
    if len(holders) != 1 or len(holders[0][0].elts) < 2:
        return []
    holder, item = holders[0]
    kept = ", ".join(written_in(source, one) for one in holder.elts if one is not item)
    edit = over(source, made.file, holder, f"[{kept}]")
    return [Change(title=f"Leave `{written(item)}` out of the list", kind="expression", edits=[edit])]


def weights_per_output(case: Case, text: str) -> Answer | None:
    """Weights of classes for a model of several outputs: Keras takes them there as weights of samples."""
    called = call_of(case) if layers.CLASS_WEIGHT_OF_ONE_OUTPUT.pattern.search(text) else None
    call = failing_call(case, called) if called is not None else None
    given = {one.parameter: one for one in called.arguments} if called is not None else {}
    if called is None or called.frame is None or call is None or "class_weight" not in given:
        return None
    file, source = called.frame.file, case.sources[called.frame.file]
    word = next((one for one in call.keywords if one.arg == "class_weight"), None)
    targets = passed(call, "y", given["y"].position if "y" in given else None)
    weights = written(word.value) if word is not None else given["class_weight"].text
    words = f"`class_weight={weights}` is for models with one output; with several, each sample is given its weight"
    advice = ["Pass `sample_weight`, one array per output, with the weight of each sample's class."]
    changes: list[Change] = []
    new = _sample_weights(case, source, targets, word.value) if word is not None else []
    if new and word is not None:
        advice = ["Pass the weight of each sample's class, one array per output: see the patch."]
        begun = source.lines[start_of(source, word)[0] - 1]
        margin = f"\n{begun[: len(begun) - len(begun.lstrip())]}    "
        first, last = "{}" if isinstance(targets, ast.Dict) else "[]"
        text = f"sample_weight={first}{margin}{margin.join(f'{one},' for one in new)}{margin[:-4]}{last}"
        edits = [over(source, file, word, text)]
        changes = [Change(title="Pass the weights of the classes as `sample_weight`", kind="argument", edits=edits)]
    culprit = Culprit(kind="argument", name="class_weight")
    line = word.value.lineno if word is not None else call.lineno
    return Answer(words, file, line, culprit, advice, changes)


def _sample_weights(case: Case, source: Source, targets: ast.expr | None, weights: ast.expr) -> list[str]:
    """`"kind": np.array([weights["kind"][int(one)] for one in kinds])` and so on, without the names where the targets
    are a list; empty where they are not written out, or are no classes."""
    numpy, error = name_of(source, "numpy"), framework_error(case)
    if not isinstance(targets, ast.Dict | ast.List) or numpy is None or error is None:
        return []
    known = {one.text: one for one in error.of_role("y")}
    named = isinstance(targets, ast.Dict)
    keys = [written_in(source, key) for key in targets.keys if key] if isinstance(targets, ast.Dict) else []
    values = targets.values if isinstance(targets, ast.Dict) else targets.elts
    entries = []
    for at, value in enumerate(values):
        target = known.get(written(value))
        if target is None or target.classes is None or (named and len(keys) != len(values)):
            return []
        labels = written_in(source, value)
        classes = f"{numpy}.argmax({labels}, axis=-1)" if target.one_hot else labels
        own = _weights_at(source, weights, keys[at] if named else str(at), at)
        array = f"{numpy}.array([{own}[int(one)] for one in {classes}])"
        entries.append(f"{keys[at]}: {array}" if named else array)
    return entries


def _weights_at(source: Source, weights: ast.expr, key: str, at: int) -> str:
    """The weights of the classes of one output."""
    if isinstance(weights, ast.List) and at < len(weights.elts):
        return written_in(source, weights.elts[at])
    if isinstance(weights, ast.Dict) and at < len(weights.values) and not _is_of_classes(source, weights):
        # Of targets in a list the names are not known: the weights are written down in the order of the outputs.
        keys = [written_in(source, one) for one in weights.keys if one is not None]
        return written_in(source, weights.values[keys.index(key) if key in keys else at])
    text = written_in(source, weights)
    return text if _is_of_classes(source, weights) else f"{text}[{key}]"


def _is_of_classes(source: Source, weights: ast.expr) -> bool:
    """Whether the weights have the numbers of classes as keys, and not the names of outputs."""
    made = last_assignment(written(weights), scope_at(source.tree, weights.lineno), weights.lineno)
    value = getattr(made, "value", None) if isinstance(weights, ast.Name) else weights
    keys = value.keys if isinstance(value, ast.Dict) else []
    return bool(keys) and all(isinstance(one, ast.Constant) and type(one.value) is int for one in keys)


def single_result(case: Case, link: RaisedException) -> Answer | None:
    """A number that a call gave, of which an item is asked: `train_on_batch` without metrics gives the loss alone."""
    told = python_errors.NOT_SUBSCRIPTABLE.pattern.search(link.message)
    frames = [one for one in link.frames if one.user]
    if told is None or told["kind"] not in ("float", "int", *_NUMPY_NUMBERS) or not frames:
        return None
    file, line = frames[-1].file, frames[-1].line
    source = case.sources.get(file)
    nodes = nodes_on(source, line) if source is not None and frames[-1] is link.frames[-1] else []
    found = [
        one
        for one in nodes
        if isinstance(one, ast.Subscript) and written(one.slice).isdigit() and isinstance(one.ctx, ast.Load)
    ]
    numbers = {one.text for one in link.operands if one.type.rpartition(".")[2] == told["kind"]}
    asked = [one for one in found if written(one.value) in numbers] or [
        one for one in found if isinstance(one.value, ast.Call)
    ]
    if source is None or len({written(one.value) for one in asked}) != 1:
        return None
    node = asked[0]
    made = node.value
    if isinstance(made, ast.Name):
        last = last_assignment(made.id, scope_at(source.tree, line), line)
        made = getattr(last, "value", made)
    shown, item = written(node.value), f"[{written(node.slice)}]"
    words = f"`{shown}` is one number here ({told['kind']}), and `{item}` asks for one of several"
    is_loss = isinstance(made, ast.Call) and callee(made) in _LOSS_ALONE
    if is_loss and isinstance(made, ast.Call):
        words += f": `{callee(made)}` gives the loss alone where `compile` was given no metrics"
    asked_for = {written(one.slice) for one in walk(source.tree, ast.Subscript) if written(one.value) == shown}
    if asked_for - {"0"}:
        # What comes behind the loss is a metric.
        advice, changes = _with_metric(case) if is_loss else ([], [])
    else:
        edit = over(source, file, node, written_in(source, node.value))
        advice = [f"Drop the `{item}`."]
        changes = [Change(title=f"Drop the `{item}`", kind="expression", edits=[edit])]
    return Answer(words, file, node.lineno, Culprit(kind="expression", name=shown), advice, changes)


def _with_metric(case: Case) -> tuple[list[str], list[Change]]:
    """A metric for the only model that is compiled, without one."""
    found = [one for one in across(case.project, ast.Call) if callee(one[1]) == "compile"]
    plain = [
        one
        for one in found
        if "metrics" not in {word.arg for word in one[1].keywords} and len(one[1].args) < _METRICS_AT
    ]
    advice = ['Ask for the metric in `compile`: `metrics=["accuracy"]` for classes, `metrics=["mae"]` for numbers.']
    if len(found) != 1 or len(plain) != 1:
        return advice, []
    file, call = plain[0]
    edit = add_argument(case.project[file], file, call, 'metrics=["accuracy"]')
    return advice, [Change(title='Compile with `metrics=["accuracy"]`', kind="argument", edits=[edit])]
