"""Edits that keep the update of a large batch and compute it from small ones: an optimizer of Keras that accumulates,
or the step of a training loop over slices of its batch. Pure.

Keras adds up the gradients of `gradient_accumulation_steps` batches and applies their mean, from Keras 3.5 on with the
optimizer's own count of steps. A schedule of the learning rate still counts the small batches, and a moving average of
the weights too: with these the result differs, and there is no edit.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, end_of, over
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.runs.literal_numbers import number_at
from whydied.source.edits.runs.optimizer_edits import KERAS_OPTIMIZERS, OPTIMIZER_NAMES
from whydied.source.edits.statement_edits import around_statements
from whydied.source.text import Source
from whydied.source.trees import Function, across, function_at, walk, written

_OTHERWISE = frozenset({"gradient_accumulation_steps", "use_ema", "**"})
_STEPS = "gradient_accumulation_steps"
_MEANS = frozenset({"reduce_mean", "mean"})
_LOSSES = ("Crossentropy", "Error", "Hinge", "Huber", "LogCosh", "KLDivergence", "Poisson")
_APPLIES = frozenset({"apply", "apply_gradients"})
_TRAINS = frozenset({"fit", "train_on_batch", "fit_generator"})
_SPARSE = frozenset({"Embedding", "gather", "embedding_lookup"})
_COUNTERS = ("start", "first", "part")
_BUILDS = frozenset({"Input", "InputLayer", "build", "input_shape", "input_dim"})
_NEW = ("totals", "share", "mean_loss")


def optimizer_accumulates(sources: Mapping[str, Source], steps: int) -> Edit | None:
    """The optimizer of the program's only `compile`, told to accumulate so many batches; of several calls that train
    with it the others would be changed too."""
    found = [(file, call) for file, call in across(sources, ast.Call) if callee(call) == "compile" and _compiles(call)]
    trained = [call for _, call in across(sources, ast.Call) if callee(call) in _TRAINS]
    if len(found) != 1 or len(trained) != 1:
        return None
    file, call = found[0]
    source = sources[file]
    given = passed_argument(call, "optimizer") or passed_argument(call, "0")
    if isinstance(given, ast.Constant) and str(given.value).lower() in OPTIMIZER_NAMES:
        keras = name_of(source, "keras")
        made = OPTIMIZER_NAMES[str(given.value).lower()]
        return over(source, file, given, f"{keras}.optimizers.{made}({_STEPS}={steps})") if keras else None
    maker = _made(source, given)
    if maker is None or callee(maker) not in KERAS_OPTIMIZERS or not _is_plain(source, maker):
        return None
    return add_argument(source, file, maker, f"{_STEPS}={steps}")


def _compiles(call: ast.Call) -> bool:
    """`re.compile` and the like take no loss."""
    return isinstance(call.func, ast.Attribute) and (
        passed_argument(call, "loss") is not None
        or len(call.args) > 1
        or passed_argument(call, "optimizer") is not None
    )


def _made(source: Source, given: ast.expr | None) -> ast.Call | None:
    if isinstance(given, ast.Name):
        values = [
            one.value for one in walk(source.tree, ast.Assign) if [written(part) for part in one.targets] == [given.id]
        ]
        given = values[0] if len(values) == 1 else None
    return given if isinstance(given, ast.Call) else None


def _is_plain(source: Source, maker: ast.Call) -> bool:
    """Whether an optimizer has a rate that is a number, and nothing that counts the small batches."""
    if any((word.arg or "**") in _OTHERWISE for word in maker.keywords) or "legacy" in written(maker.func):
        return False
    rate = passed_argument(maker, "learning_rate") or passed_argument(maker, "lr") or passed_argument(maker, "0")
    return rate is None or number_at(source, rate) is not None


class _Step(NamedTuple):
    """A step of a training loop: the tape, the statement with its gradient, and what that gives."""

    tape: ast.With
    gradient: ast.Assign
    loss: str
    weights: str
    block: list[ast.stmt]


def step_in_slices(source: Source, file: str, line: int, batch: str, rows: int) -> list[Edit]:
    """The step around a line over slices of so many rows: their gradients are added up by their share of the batch, and
    applied once. `batch` is the name of the input there. Only for a loss that is a mean, and a block whose other values
    nobody reads afterwards."""
    step = _step(source, line)
    tensorflow = name_of(source, "tensorflow")
    known = {node.id for node in walk(source.tree, ast.Name)}
    counter = next((name for name in _COUNTERS if name not in known), None)
    if step is None or tensorflow is None or known & set(_NEW) or counter is None or not batch.isidentifier():
        return []
    function = function_at(source.tree, line)
    traced = function is not None and any("function" in written(one) for one in function.decorator_list)
    parts = _batch_names(step, function, batch)
    if batch not in parts or (function is not None and function.name == "train_step" and not traced):
        return []
    result = written(step.gradient.targets[0])
    inner = " " * (step.tape.col_offset + 4)
    outer = " " * step.tape.col_offset
    cut = f"[{counter} : {counter} + {rows}]"
    over_rows = f"tf.range(0, tf.shape({batch})[0], {rows})" if traced else f"range(0, len({batch}), {rows})"
    grad = "tf.convert_to_tensor(grad)" if _is_sparse(source) else "grad"
    share = (
        f"tf.cast(tf.shape({batch}{cut})[0] / tf.shape({batch})[0], {step.loss}.dtype)"
        if traced
        else f"len({batch}{cut}) / len({batch})"
    )
    loop = f"for {counter} in {over_rows}:"
    if traced:
        # Iterations that overlap would hold their activations at the same time.
        loop += f"\n{inner}tf.autograph.experimental.set_loop_options(parallel_iterations=1)"
    built = _building(source, step, batch)
    first = f"{built}\n{outer}" if built else ""
    header = f"{first}totals, mean_loss = [tf.zeros_like(weight) for weight in {step.weights}], 0.0\n{outer}{loop}"
    after = (
        f"\n{inner}share = {share}\n{inner}totals = [total + share * {grad} for total, grad in zip(totals, {result})]"
        f"\n{inner}mean_loss += share * {step.loss}\n{outer}{result}, {step.loss} = totals, mean_loss"
    )
    wrapped = around_statements(source, file, step.tape, step.gradient, header.replace("tf.", f"{tensorflow}."))
    sliced = [
        over(source, file, node, f"{node.id}{cut}")
        for one in step.tape.body
        for node in walk(one, ast.Name)
        if node.id in parts and isinstance(node.ctx, ast.Load)
    ]
    last = end_of(source, step.gradient)
    end = (last[0], len(source.lines[last[0] - 1]))
    edits = [*wrapped, *sliced, Edit(file, end, end, after.replace("tf.", f"{tensorflow}."))]
    return edits if wrapped and sliced else []


def _building(source: Source, step: _Step, batch: str) -> str | None:
    """A call of the model with one row, where it may have no weights before it is first called."""
    if any(callee(call) in _BUILDS for call in walk(source.tree, ast.Call)) or any(
        word.arg in _BUILDS for word in walk(source.tree, ast.keyword)
    ):
        return None
    owner = step.weights.rpartition(".")[0]
    called = [call for one in step.tape.body for call in walk(one, ast.Call) if written(call.func) == owner]
    given = [written(call.args[0]) for call in called if call.args]
    return f"{owner}({batch}[:1])" if given == [batch] else None


def _step(source: Source, line: int) -> _Step | None:
    """The block with a tape, its gradient and an update, in the function or loop around a line."""
    found = []
    for block in _blocks(source.tree):
        for tape, gradient in itertools.pairwise(block):
            if (
                not isinstance(tape, ast.With)
                or not isinstance(gradient, ast.Assign)
                or not _is_near(source, block, line)
            ):
                continue
            step = _parts(source, tape, gradient, block)
            found += [step] if step is not None else []
    return found[0] if len(found) == 1 else None


def _blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    kinds = ast.Module | ast.FunctionDef | ast.For | ast.While | ast.If | ast.With
    return [node.body for node in ast.walk(tree) if isinstance(node, kinds)]


def _is_near(source: Source, block: list[ast.stmt], line: int) -> bool:
    """Whether a line lies in a block, or calls the function whose body it is."""
    if block[0].lineno <= line <= (block[-1].end_lineno or 0):
        return True
    named = [node.name for node in walk(source.tree, ast.FunctionDef) if node.body is block]
    return any(callee(call) in named for call in walk(source.tree, ast.Call) if call.lineno == line)


def _parts(source: Source, tape: ast.With, gradient: ast.Assign, block: list[ast.stmt]) -> _Step | None:
    names = [written(item.optional_vars) for item in tape.items if item.optional_vars is not None]
    call = gradient.value
    if (
        not isinstance(call, ast.Call)
        or callee(call) != "gradient"
        or len(call.args) != 2
        or len(gradient.targets) != 1
    ):
        return None
    owner = written(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    loss, weights = call.args
    applied = [one for one in block for node in walk(one, ast.Call) if callee(node) in _APPLIES]
    if (
        names != [owner]
        or not isinstance(loss, ast.Name)
        or not isinstance(gradient.targets[0], ast.Name)
        or not applied
    ):
        return None
    stored = {node.id for one in tape.body for node in walk(one, ast.Name) if isinstance(node.ctx, ast.Store)}
    later = block[block.index(gradient) + 1 :]
    read = {node.id for one in later for node in walk(one, ast.Name) if isinstance(node.ctx, ast.Load)}
    if not _is_mean(source, tape, loss.id) or (stored & read) - {loss.id}:
        return None
    return _Step(tape, gradient, loss.id, ast.unparse(weights), block)


def _is_mean(source: Source, tape: ast.With, loss: str) -> bool:
    """Whether the only thing that gives a loss its value is a mean: of a sum the parts would weigh otherwise."""
    named = [
        one for one in tape.body if isinstance(one, ast.Assign) and [written(part) for part in one.targets] == [loss]
    ]
    made = named[0].value if len(named) == 1 else None
    if not isinstance(made, ast.Call):
        return False
    plain = callee(made) in _MEANS and len(made.args) == 1
    return not made.keywords and (plain or (len(made.args) == 2 and _is_loss(source, made.func)))


def _is_loss(source: Source, function: ast.expr) -> bool:
    """Whether an object of one of Keras's losses is called, which takes the mean over rows unless it is told."""
    if not isinstance(function, ast.Call):
        values = [
            one.value
            for one in walk(source.tree, ast.Assign)
            if [written(part) for part in one.targets] == [written(function)]
        ]
        function = values[0] if len(values) == 1 else function
    return (
        isinstance(function, ast.Call)
        and callee(function)[:1].isupper()
        and callee(function).endswith(_LOSSES)
        and passed_argument(function, "reduction") is None
    )


def _batch_names(step: _Step, function: Function | None, batch: str) -> set[str]:
    """The names of the block that have a row for each row of the batch: they come from where the batch comes from, and
    are no functions and no objects."""
    own = {argument.arg for argument in function.args.args} if function is not None else set()
    if batch not in own:
        bound = [
            {one.id for target in _targets(node) for one in walk(target, ast.Name)}
            for node in ([*walk(function, ast.stmt)] if function is not None else step.block)
        ]
        own = next((names for names in bound if batch in names), {batch})
    nodes = [node for one in step.tape.body for node in ast.walk(one)]
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    called = {written(node.func) for node in nodes if isinstance(node, ast.Call)}
    held = {written(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    return (own & read) - called - held


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.For) else []


def _is_sparse(source: Source) -> bool:
    """Whether a gradient can come as rows of a table, which cannot be multiplied by a number."""
    return any(callee(call) in _SPARSE for call in walk(source.tree, ast.Call))
