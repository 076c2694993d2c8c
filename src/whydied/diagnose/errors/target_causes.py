"""Why target and output do not go together, where neither the last layer nor the loss is to blame. Pure.

Each cause is told by arithmetic on what was recorded: the rows of one side are those of the other times a size that a
reshape took in, the training targets fit where the validation targets do not, a reduction of the loss takes the rows
away.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, advised, source_at
from whydied.diagnose.errors.framework_error import (
    FrameworkError,
    Shape,
    culprit_of,
    layer_words,
    name_of,
    shape_words,
)
from whydied.diagnose.errors.misfit import Misfit, first_of, is_sparse
from whydied.diagnose.errors.ops.inputs_for_targets import (
    inputs_for_targets,
    mistaken_advice,
    mistaken_frame,
    mistaken_words,
)
from whydied.diagnose.finding import Culprit
from whydied.records import CallBegan, Frame, LayerFacts, Party, ValueSource
from whydied.shapes import losses
from whydied.source.calls import callee, calls_of
from whydied.source.container_parts import expression
from whydied.source.edits.call_edits import calls_at, set_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.library_names import Named, bound_names, library_name
from whydied.source.edits.shapes.loss_edits import DENSE, SPARSE
from whydied.source.edits.shapes.value_edits import use_edits
from whydied.source.trees import function_at, nodes_on, within

_ONE_HOT = ("to_categorical", "one_hot", "get_dummies", "OneHotEncoder", "LabelBinarizer")


class Meeting(NamedTuple):
    """Target and output at the loss, with the labels as the program passed them."""

    found: Misfit
    labels: Party
    target: Shape
    output: Shape
    layer: LayerFacts | None

    @property
    def name(self) -> str:
        return name_of(self.labels, "the target")

    @property
    def shown(self) -> str:
        """`y` is (100, 3): of an array its own shape, and not that of a batch."""
        return f"{self.name} is {shape_words(self.labels.shape or self.target)}"

    @property
    def gives(self) -> str:
        return f"the output of {layer_words(self.layer)}" if self.layer else "the output of the model"

    @property
    def is_evaluated(self) -> bool:
        return self.found.error.facts.call == "evaluate"

    @property
    def loss(self) -> str:
        facts = self.found.error.facts
        return facts.loss or (facts.op if facts.op and not losses.is_a_loss(facts.raiser) else facts.raiser)


class Verdict(NamedTuple):
    """`advice` has its edits with it; sentences alone are advice that cannot be written."""

    words: str
    frame: Frame | None
    culprit: Culprit
    advice: Advice


def other_cause(case: Case, met: Meeting) -> Verdict | None:
    return (
        _count(met)
        or _exchanged(met)
        or _mistaken(met)
        or _own_loss(met)
        or _unlike_training(case, met)
        or _merged_rows(case, met)
    )


def _mistaken(met: Meeting) -> Verdict | None:
    """Targets that were made of what the inputs are made of."""
    error = met.found.error
    found = inputs_for_targets(error, met.labels, met.output)
    if found is None:
        return None
    words = f"{mistaken_words(found, met.labels.text)}; {met.gives} is {shape_words(met.output)}, but {met.shown}"
    culprit = culprit_of(met.labels, "target")
    return Verdict(words, mistaken_frame(error, found), culprit, mistaken_advice(error, found))


def _exchanged(met: Meeting) -> Verdict | None:
    """A loss that the program calls itself with its two arguments for each other: by turns they fit, and the call is
    written with both."""
    error, place = met.found.error, met.found.error.facts.place
    source = source_at(error.sources, place)
    loss = "sparse" if is_sparse(error) else ""
    if error.facts.call or source is None or place is None or not loss:
        return None
    if not losses.fits(loss, met.output, met.target) or losses.fits(loss, met.target, met.output):
        return None
    calls = [one for one in nodes_on(source, place.line) if isinstance(one, ast.Call) and losses.is_a_loss(callee(one))]
    given = calls[0].args[:2] if len(calls) == 1 else []
    if len(given) != 2:
        return None
    first, second = (written_in(source, one) for one in given)
    called = ast.unparse(calls[0].func)
    words = (
        f"`{called}` takes the labels first, and `{first}` {shape_words(met.target)} has the axes of the logits; "
        f"`{second}` {shape_words(met.output)} those of the labels"
    )
    edits = [over(source, place.file, given[0], second), over(source, place.file, given[1], first)]
    told = f"Exchange them: `{called}({second}, {first})`."
    return Verdict(words, place, culprit_of(met.labels, "target"), advised(told, "argument", edits))


def _count(met: Meeting) -> Verdict | None:
    """A model with several outputs that is given another number of targets."""
    error = met.found.error
    targets, outputs = error.of_role("target"), error.of_role("output")
    if len(targets) == len(outputs):
        return None
    fed = {name for layer in error.facts.layers for name in layer.inputs}
    ends = [layer for layer in error.facts.layers if layer.name not in fed and layer.type != "InputLayer"]
    named = ends if len(ends) == len(outputs) else []
    told = f" ({', '.join(map(layer_words, named))})" if named else ""
    order = f"`({', '.join(layer.name for layer in named)})`" if named else "the order of the outputs"
    yields = [one for party in error.of_role("x") for one in party.sources if one.kind == "generator"]
    frame = yields[0].frame if yields else None
    gives = f"`{yields[0].name}` yields" if yields else "the data has"
    words = (
        f"the model has {_some(len(outputs), 'output')}{told}, and {gives} {_some(len(targets), 'target')} per batch: "
        "each output needs one"
    )
    verb = "Yield" if yields else "Pass"
    advice = f"{verb} a tuple with one target for each output, in the order {order}."
    return Verdict(words, frame, culprit_of(targets[0], "target"), Advice([advice], []))


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _own_loss(met: Meeting) -> Verdict | None:
    """A loss of the program's own that does not give one value for each row."""
    rows = met.target[0] if met.target else None
    for party in met.found.error.of_role("operand"):
        for source in party.sources:
            if (
                rows is None
                or source.kind != "op"
                or not source.takes
                or source.takes[0] != rows
                or party.shape is None
            ):
                continue
            if first_of(source) != rows and party.shape[:1] != [rows]:
                return _lost_rows(met, source, party.shape, rows)
    return None


def _lost_rows(met: Meeting, source: ValueSource, gives: Shape, rows: int) -> Verdict:
    culprit = Culprit(kind="tensor", name=met.loss, shape=gives)
    needs = f"the loss {met.loss} gives {shape_words(gives)} for {rows} rows, and each row needs a value of its own"
    if source.takes is not None and source.gives == source.takes[1:]:
        call = _reducing(source.text)
        code = f"`{ast.unparse(call)}`" if call is not None else "it"
        told = f"`axis=-1` in place of `axis=0` gives one value per row: {shape_words([rows])}."
        advice = advised(told, "loss", _over_columns(met, source))
        return Verdict(
            f"{needs}: {code} reduces {shape_words(source.takes)} over the rows", source.frame, culprit, advice
        )
    words = f"{needs}: `{source.text}` makes {shape_words(source.gives)} of {shape_words(source.takes)}"
    made = gives[0] if gives else None
    told = "Return one value per row of the batch."
    edits: list[Edit] | None = None
    if made and rows % made == 0:
        told = f"Return one value per row: `tf.repeat(…, {rows // made})` gives {rows} of the {made}."
        edits = _repeated(met, source, rows // made)
    return Verdict(words, source.frame, culprit, advised(told, "loss", Way("return one value per row", edits)))


def _repeated(met: Meeting, made: ValueSource, times: int) -> list[Edit] | None:
    """What the loss function returns, as often as there are rows for each value."""
    source, frame = source_at(met.found.error.sources, made.frame), made.frame
    function = function_at(source.tree, frame.line) if source is not None and frame is not None else None
    returns = [one for one in within(function) if isinstance(one, ast.Return)] if function is not None else []
    value = returns[0].value if len(returns) == 1 else None
    if source is None or frame is None or value is None:
        return None
    bound = bound_names(source.tree)
    ops = next((f"{name}.repeat" for name, module in bound.items() if module.endswith("keras.ops")), "")
    home = "tensorflow.repeat" if "tensorflow" in bound.values() else "keras.ops.repeat"
    repeat = library_name(source, frame.file, home) if not ops else Named(ops, [])
    text = f"{repeat.text}({written_in(source, value)}, {times})"
    return [*repeat.needed, over(source, frame.file, value, text)]


def _over_columns(met: Meeting, made: ValueSource) -> list[Edit] | None:
    """The only reduction of a statement over the last axis."""
    source = source_at(met.found.error.sources, made.frame)
    if source is None or made.frame is None:
        return None
    calls = [
        node
        for node in nodes_on(source, made.frame.line)
        if isinstance(node, ast.Call) and callee(node).startswith("reduce_")
    ]
    edit = set_argument(source, made.frame.file, calls[0], "axis", 1, "-1") if len(calls) == 1 else None
    return [edit] if edit is not None else None


def _reducing(text: str) -> ast.Call | None:
    calls = [
        node for node in ast.walk(_parsed(text)) if isinstance(node, ast.Call) and callee(node).startswith("reduce_")
    ]
    return calls[0] if len(calls) == 1 else None


def _parsed(text: str) -> ast.AST:
    """An expression or a statement; what is cut off or not Python is empty."""
    code = text.partition("#")[0].strip()
    try:
        return ast.parse(code.removeprefix("return "))
    except SyntaxError:
        return ast.Module([], [])


def _unlike_training(case: Case, met: Meeting) -> Verdict | None:
    """Targets that are evaluated and do not fit an output that fitted those of the training."""
    trained = trained_shape(case, "y") if met.is_evaluated else None
    if trained is None or len(trained) < 2 or len(met.target) != len(trained):
        return None
    if not losses.fits(met.loss, [None, *trained[1:]], [None, *met.output[1:]]):
        return None
    frame = next((each.frame for each in met.labels.sources if each.frame is not None), None)
    words = (
        f"{met.name} {shape_words(met.labels.shape)} does not match {met.gives} {shape_words(met.output)}, which fits "
        f"the targets of the training {shape_words(trained)}"
    )
    advice = Advice([f"Make the validation targets like those of the training, with {trained[-1]} columns."], [])
    if met.labels.one_hot and met.labels.classes is not None:
        told = (
            f"Encode both with the classes of the training: the validation part has {met.labels.classes} of the "
            f"{trained[-1]} classes, and was encoded on its own."
        )
        advice = advised(told, "labels", _encoded(met, frame, trained[-1]))
    return Verdict(words, frame, culprit_of(met.labels, "target"), advice)


def _encoded(met: Meeting, frame: Frame | None, classes: int | None) -> list[Edit] | None:
    """`to_categorical` with the number of classes, where the line has just one and does not say it."""
    source = source_at(met.found.error.sources, frame)
    calls = calls_at(source, frame.line, "to_categorical") if source is not None and frame is not None else []
    if len(calls) != 1 or source is None or frame is None or classes is None:
        return None
    edit = set_argument(source, frame.file, calls[0], "num_classes", 1, str(classes))
    return [edit] if edit is not None else None


def trained_shape(case: Case, word: str) -> Shape | None:
    """The shape of what a `fit` before or around the call that failed was given as x or y."""
    fits = [one for one in (case.principal.all(CallBegan) if case.principal else []) if one.kind == "fit"]
    given = fits[-1].arguments.get(word) if fits else None
    shape = given.get("shape") if isinstance(given, dict) else None
    return shape if isinstance(shape, list) else None


def _merged_rows(case: Case, met: Meeting) -> Verdict | None:
    """One side has as many rows as the other times a size: a reshape made rows of an axis."""
    if not met.target or not met.output or None in (met.target[0], met.output[0]):
        return None
    target, output = met.target[0] or 0, met.output[0] or 0
    few, many = sorted((target, output))
    if not few or few == many or many % few:
        return None
    party = _side(met, target > output)
    times = many // few
    flat = _flattened(case, met, times) if target > output else None
    if flat is not None:
        return flat
    merged = next((one for one in party.sources if one.kind == "op" and _merges(one, times)), None)
    if merged is None:
        return None
    what = "steps" if len(merged.takes or []) == 3 else "rows"
    words = (
        f"{name_of(party, 'one side')} has {many} rows and the other side {few}: {many} = {times} × {few}, and "
        f"{line_words(merged.frame) if merged.frame else 'a reshape'} makes rows of the {times} {what} of "
        f"{shape_words(merged.takes)}"
    )
    told = (
        f"Keep one row per sample: take the last of the {times} {what} (`[:, -1]`) or their mean "
        "(`tf.reduce_mean(…, 1)`) instead of the reshape; or give a target for each of them."
    )
    taken = Way(f"Take the last of the {times} {what}", _last_step(met, merged, times))
    return Verdict(words, merged.frame, culprit_of(party), advised(told, "operand", taken))


def _last_step(met: Meeting, merged: ValueSource, times: int) -> list[Edit] | None:
    """The last step in the place of the only reshape of a statement, where its steps are the second axis."""
    source, takes = source_at(met.found.error.sources, merged.frame), merged.takes or []
    calls = calls_at(source, merged.frame.line, "reshape") if source is not None and merged.frame is not None else []
    if len(calls) != 1 or source is None or merged.frame is None or len(takes) != 3 or takes[1] != times:
        return None
    call = calls[0]
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    module = isinstance(owner, ast.Name) and owner.id in bound_names(source.tree)
    value = call.args[0] if call.args and (module or owner is None) else owner
    if value is None:
        return None
    return [over(source, merged.frame.file, call, f"{written_in(source, value)}[:, -1]")]


def _side(met: Meeting, is_target: bool) -> Party:
    first, second = met.found.first, met.found.second
    assert first is not None
    assert second is not None
    return first if is_target else second


def _merges(source: ValueSource, times: int) -> bool:
    """Whether an op took an axis of that size into the rows."""
    takes, gives = source.takes or [], source.gives or []
    return len(takes) > len(gives) > 0 and times in takes[1:-1] and takes[-1:] == gives[-1:]


def _flattened(case: Case, met: Meeting, times: int) -> Verdict | None:
    """One-hot rows that were laid out as a vector, for a loss that wants class numbers."""
    labels = met.found.first
    if labels is None or not is_sparse(met.found.error) or times != met.output[-1] or labels.highest not in (None, 1):
        return None
    made = next((one for one in labels.sources if "reshape" in one.text or "flatten" in one.text), None)
    before = _argument(made.text) if made is not None else ""
    line = f" on {line_words(made.frame)}" if made is not None and made.frame is not None else ""
    by = f" by `{made.text}`{line}" if made is not None else ""
    words = (
        f"{name_of(labels, 'the target')} {shape_words(labels.shape)} has {times} values for each of the "
        f"{met.output[0]} rows of the output {shape_words(met.output)}: one-hot rows were flattened{by}, but "
        f"{met.loss} expects one integer class label per row"
    )
    coded = one_hot_line(case)
    where = f" (they are encoded on {coded})" if coded else ""
    name = before or "the one-hot rows"
    numbers = f"`tf.argmax({name}, -1)`" if before else "class numbers"
    told = (
        f"Pass {numbers} in its place, or leave out the one-hot encoding{where}; or keep the rows and use "
        "`softmax_cross_entropy_with_logits` without the reshape."
    )
    source = source_at(met.found.error.sources, made.frame) if made is not None else None
    edits = None
    if made is not None and made.frame is not None and source is not None and before:
        code = f"tf.argmax({before}, -1)".replace("{", "{{").replace("}", "}}")
        edits = use_edits(source, made.frame.file, made.frame.line, made.text, code)
    advice = advised(told, "labels", Way(f"Pass {numbers} in the place of `{made.text if made else ''}`", edits))
    return Verdict(words, made.frame if made is not None else None, culprit_of(labels, "target"), advice)


def _argument(text: str) -> str:
    node = expression(text)
    if isinstance(node, ast.Call) and node.args:
        return ast.unparse(node.args[0])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return ast.unparse(node.func.value)
    return ""


def one_hot_line(case: Case) -> str:
    """`line 12`, where the program has a single call that makes one-hot rows."""
    found = calls_of(case.sources, lambda name: name in _ONE_HOT)
    return f"line {found[0].line} of {found[0].file.rpartition('/')[2]}" if len(found) == 1 else ""


def span(labels: Party) -> str:
    """` from 0 to 9`, for class numbers."""
    if labels.one_hot or labels.highest is None or len(labels.shape or []) > 1:
        return ""
    return f" from {labels.lowest} to {labels.highest}"


def of_metric(met: Meeting) -> Verdict:
    """A metric that compares target and output value by value."""
    metric = met.found.error.facts.metric
    words = (
        f"the metric {metric} compares {met.name} {shape_words(met.labels.shape)}{span(met.labels)} with {met.gives} "
        f"{shape_words(met.output)} element by element, and their shapes do not match"
    )
    numbers = (len(met.target) < 2 or met.target[-1] == 1) and met.output[-1] not in (None, 1)
    advice = Advice(["Give the metric targets and outputs of the same shape."], [])
    if numbers and metric.endswith("IoU") and not metric.startswith(("Binary", "OneHot")):
        told = (
            f"`{metric}(…, sparse_y_pred=False)` takes the most likely of the {met.output[-1]} classes of each value."
        )
        advice = advised(told, "metric", _most_likely(met, metric))
    elif numbers:
        beside = error_edits.beside(met.found.error, met.labels)
        told = (
            f"Use one-hot targets as wide as the output: `keras.utils.to_categorical({met.labels.text or 'y'}, "
            f"{met.output[-1]})`{beside}, with `categorical_crossentropy`. For integer class labels use the metric "
            "`SparseCategoricalAccuracy`."
        )
        advice = advised(told, "labels", Way("Use one-hot targets with `categorical_crossentropy`", _one_hot(met)))
    return Verdict(words, met.found.error.facts.compiled, culprit_of(met.labels, "target"), advice)


def _most_likely(met: Meeting, metric: str) -> list[Edit] | None:
    """The setting of a metric that is made in just one place."""
    sources = met.found.error.sources
    found = calls_of(sources, lambda name: name == metric)
    source = sources.get(found[0].file) if len(found) == 1 else None
    calls = calls_at(source, found[0].line, metric) if source is not None else []
    if source is None or len(calls) != 1:
        return None
    edit = set_argument(source, found[0].file, calls[0], "sparse_y_pred", None, "False")
    return [edit] if edit is not None else None


def _one_hot(met: Meeting) -> list[Edit] | None:
    """One-hot rows in the place of class numbers, with the loss for them."""
    error = met.found.error
    rows = error_edits.passed(error, met.labels, f"keras.utils.to_categorical({{x}}, {met.output[-1]})")
    if not rows or not is_sparse(error):
        return rows
    other = error_edits.loss(error, SPARSE, DENSE)
    return [*rows, *other] if other else None


def weight_verdict(error: FrameworkError, weights: Party, gives: Shape) -> Verdict:
    """Weights of the samples for more axes than the loss has values."""
    shape = weights.shape or []
    name, loss = name_of(weights, "sample_weight"), error.facts.loss or "the loss"
    words = (
        f"{name} {shape_words(shape)} has a weight for each of {shape[-1]} values of a row, but {loss} gives "
        f"{shape_words(gives)}, one value per row"
    )
    targets = next((party for party in error.of_role("y") if party.text and party.shape), None)
    same = targets is not None and targets.shape == shape
    steps = f" (`{targets.text}[..., None]`)" if targets is not None and same else ""
    told = (
        f"For a weight per step the targets{steps} and the output (`Reshape(({shape[-1]}, 1))` behind the last layer) "
        f"need an axis of features, over which the loss takes its mean; for a weight per row pass "
        f"`{weights.text or 'sample_weight'}.mean(axis=1)`."
    )
    way = Way("pass one weight per row", error_edits.passed_there(error, weights, "{x}.mean(axis=1)"))
    return Verdict(words, None, culprit_of(weights, "data"), advised(told, "data", way))


def listed_verdict(error: FrameworkError, labels: Party) -> Verdict:
    """Targets that are a list of numbers: Keras takes a list for one target of each of as many outputs."""
    name = labels.text or "y"
    words = f"`{name}` is a list of numbers, which Keras takes for the targets of as many outputs and not for an array"
    ends = [layer.output_shape for layer in error.facts.layers[-1:] if layer.output_shape]
    column = "[:, None]" if ends and len(ends[0]) == 2 and ends[0][1] == 1 else ""
    code = f"np.array({{x}}){column}"
    told = f"Pass an array: `{code.format(x=name)}`."
    edits = error_edits.passed_there(error, labels, code)
    return Verdict(words, None, culprit_of(labels, "target"), advised(told, "data", edits))
