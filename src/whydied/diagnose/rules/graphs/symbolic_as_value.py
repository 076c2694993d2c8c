"""A symbolic tensor was used as if it had a value.

## What it detects
`if tensor:`, `a if tensor else b`, `tensor.numpy()`, `float(tensor)`, a loop over a tensor, a NumPy or TensorFlow
function on a Keras input, while a graph is being built; a NumPy function on a tensor that Keras trains with on PyTorch
or JAX; and a tensor of one graph that is used outside of it.

## Why it happens
Inside of a `tf.function`, a Keras model's `call`, `Dataset.map`, a v1 graph, or between `keras.Input` and
`keras.Model`, a tensor stands for values that come later. Python and NumPy need the values now.

## Evidence
The exception with its line, and the parts of that line that are symbolic.

## How it is proved
The exception is direct evidence: certain.

## Fix
The TensorFlow or Keras operation in the place of the Python or NumPy one (`tf.cond`, `tf.reduce_sum`, `keras.ops`), a
layer around it, or `tf.py_function` where it must be Python; return a tensor from the function instead of keeping it.
`a if tensor else b` is written as `tf.where` (as `tf.math.divide_no_nan` where it avoids a division by zero), `and`,
`or`, `not`, a chain of comparisons, `max` and `min` as the operation of the same meaning, `float(tensor)` as the
tensor. A function with an `if`, `while` or `assert` on a tensor is decorated with `@tf.function`.

## References
TensorFlow documentation: guide/function; Keras documentation: functional API.
"""

from __future__ import annotations

import ast
import re

import msgspec

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.misfit import misfit
from whydied.diagnose.errors.ops.graph_loops import Kept, as_array, as_python_loop, is_carried, kept_in_loop, reading
from whydied.diagnose.errors.quotation import Quotation, named_lines, quoted
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import Frame, ModuleImported, Operand, RaisedException
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit, text_between
from whydied.source.edits.programs.python_in_map import Line, wrapped
from whydied.source.edits.programs.tensor_edits import as_tensors, in_lambda, unpacked
from whydied.source.edits.runs.graph_choices import Choice, graph_choices
from whydied.source.text import Source
from whydied.source.trees import across, nodes_at, written
from whydied.texts import tensors
from whydied.texts.entry import any_of

_PYTHON = tensors.AS_PYTHON_VALUE.pattern
_ITERATED = any_of(tensors.ITERATED, tensors.KERAS_ITERATED)
_NUMPY = tensors.TO_NUMPY.pattern
_ATTRIBUTE = tensors.NO_VALUE_METHOD.pattern
_NUMBER = tensors.TO_NUMBER.pattern
_KERAS_VALUE = any_of(tensors.KERAS_TO_VALUE, tensors.KERAS_AS_BOOLEAN)
_KERAS_OP = tensors.KERAS_IN_TENSORFLOW.pattern
_SCOPE = tensors.OUT_OF_SCOPE.pattern
_ADDED_LOSS = (
    "Compute the loss inside of a layer: in the `call` of a Layer that gets these tensors, with "
    "`self.add_loss(…)` there. `add_loss` of a finished model takes no Keras tensors."
)
_OF_BACKENDS = ("Tensor", "Parameter", "ArrayImpl", "DynamicJaxprTracer", "JVPTracer")
_SYMBOLIC = ("SymbolicTensor", "KerasTensor", "Tensor", "Placeholder")

_READ_AS_NUMBER = re.compile(r"\b(?:float|int|bool)\(.*\.(?:numpy|item)\(\)")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)

_LONGEST_CALL, _MOST_WRITTEN = 60, 3

ROLE = "explanation"
YIELDS_TO = ("deleted-variable", "layer-misuse", "variable-rebound")


def check(case: Case) -> Finding | None:
    said = quoted(case, _SCOPE)
    if said is not None:
        return _out_of_scope(case, said)
    said = quoted(case, _PYTHON, _ITERATED, _NUMPY, _ATTRIBUTE, _NUMBER, _KERAS_OP)
    if said is None and (said := quoted(case, _KERAS_VALUE)) is not None and "KerasTensor" not in said.link.message:
        return None
    if said is None and (other := quoted(case, tensors.OTHER_TO_NUMPY.pattern)) is not None:
        return _of_backend(case, other)
    # An array that does not fit the tensor is a matter of their shapes.
    if said is None or _does_not_fit(case, said):
        return None
    return _unpacked(case, said) or _finding(case, said)


def _unpacked(case: Case, said: Quotation) -> Finding | None:
    """One tensor where the statement expects several: to take a tensor apart is to loop over it."""
    place = said.place
    source = case.sources.get(place.file) if place is not None else None
    found = unpacked(source, place.file, place.line) if source is not None and place is not None else None
    if said.match.re is not _ITERATED or found is None or place is None:
        return None
    call, names, edits = found.call, found.names, found.edits
    shown = call if len(call) <= _LONGEST_CALL else f"{call[:_LONGEST_CALL]}…"
    title = f"Write `{found.first} = …`: one name for one tensor"
    return Finding(
        message=f"{prefix(place)}`{shown}` gives one tensor, and the line unpacks it into {names} names",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="tensor", name=call),
        evidence=evidence_of(said.link, said.raised),
        advice=[f"{title}; or let the call give as many results."] if edits else ["Let the call give as many results."],
        changes=[Change(title=title, kind="expression", edits=edits)] if edits else [],
    )


def _does_not_fit(case: Case, said: Quotation) -> bool:
    found = misfit(case) if said.match.re is _NUMPY else None
    return found is not None and found.kind == "shape"


def _of_backend(case: Case, said: Quotation) -> Finding | None:
    """NumPy on a tensor of PyTorch or JAX whose gradient is wanted, or which is being traced, while Keras computes."""
    loaded = {module.name for module in case.records.all(ModuleImported)}
    if "keras" not in loaded or said.place is None:
        return None
    name = "PyTorch" if "torch" in loaded and "jax" not in loaded else "JAX" if "jax" in loaded else "the backend"
    one = next((one for one in said.link.operands if one.type.rpartition(".")[2] in _OF_BACKENDS), None)
    what = f"`{one.text}`" if one is not None else "a tensor"
    called = re.findall(r"\bnp\.(\w+)\(", said.place.source or "")
    instead = ", ".join(f"`keras.ops.{word}` for `np.{word}`" for word in dict.fromkeys(called))
    use = "NumPy cannot use it here"
    advice = f"Use Keras's own operations, here and in the rest of the function: {instead or '`keras.ops`'}."
    if said.match["bool"] or said.match["number"]:
        use = "it has no value while the step is traced"
        advice = "Choose with `keras.ops.where(condition, one, other)`, or `keras.ops.cond` for two functions."
    return Finding(
        message=f"{prefix(said.place)}{what} is a tensor of {name} that Keras trains with, and {use}; expected an "
        "operation of `keras.ops`",
        certainty="certain",
        location=said.place,
        culprit=Culprit(
            kind="tensor",
            name=one.text if one is not None else None,
            shape=one.shape if one is not None else None,
            dtype=one.dtype if one is not None else None,
        ),
        evidence=evidence_of(said.link, said.raised),
        advice=[advice],
    )


def _finding(case: Case, said: Quotation) -> Finding:
    one = _operand(said)
    keras = "KerasTensor" in said.link.message
    choices = _choices(case, said, keras)
    name = one.text if one is not None else _read_of(said)
    what = f"`{name}`" if name else "a tensor"
    stands = "a Keras tensor without values" if keras else "a symbolic tensor without values"
    form = f" (shape {one.shape})" if one is not None and one.shape is not None else ""
    changes = [Change(title=choice.title, kind="expression", edits=choice.edits) for choice in choices]
    others = _changes(case, said, one, keras)
    return Finding(
        message=f"{prefix(said.place)}{what} is {stands}{form} and is used {_use(case, said)}; expected an operation "
        "that works on symbolic tensors",
        certainty="certain",
        location=said.place,
        culprit=Culprit(
            kind="tensor",
            name=name,
            shape=one.shape if one is not None else None,
            dtype=one.dtype if one is not None else None,
        ),
        evidence=evidence_of(said.link, said.raised),
        advice=[choice.advice for choice in choices]
        or _written_out(others)
        or ([_ADDED_LOSS] if keras and _adds_loss(case) else [_advice(case, said, keras)]),
        changes=changes + others,
    )


def _choices(case: Case, said: Quotation, keras: bool) -> list[Choice]:
    """What the failing statement chooses or counts with in Python, as operations."""
    place = said.place
    source = case.sources.get(place.file) if place is not None else None
    if place is None or source is None or said.match.re not in (_PYTHON, _ATTRIBUTE, _NUMBER, _KERAS_VALUE):
        return []
    if said.match.re is _ATTRIBUTE and not _READ_AS_NUMBER.search(place.source or ""):
        return []
    link = _read_there(case, said, place)
    symbolic = {one.text: one.dtype for one in link.operands if one.type.rpartition(".")[2] in _SYMBOLIC}
    return graph_choices(source, place.file, place.line, symbolic, "keras.ops" if keras else "tensorflow")


def _changes(case: Case, said: Quotation, one: Operand | None, keras: bool) -> list[Change]:
    place = said.place
    source = case.sources.get(place.file) if place is not None else None
    if place is None or source is None:
        return []
    if keras:
        edits = in_lambda(source, place.file, place.line, one.text) if one is not None else []
        return [Change(title="Put the operation into a Lambda layer", kind="expression", edits=edits)] if edits else []
    if said.match.re in (_NUMPY, _ATTRIBUTE) and (mapped := _mapped(case, said)):
        return mapped
    edits = as_tensors(source, place.file, place.line) if said.match.re in (_NUMPY, _ATTRIBUTE) else []
    in_python = any("tf.py_function" in edit.text for edit in edits)
    title = "Run it outside of the graph, with `tf.py_function`" if in_python else _operations(source, edits)
    return [Change(title=title, kind="expression", edits=edits)] if edits else []


def _mapped(case: Case, said: Quotation) -> list[Change]:
    """A function that works with arrays all over, where `Dataset.map` traces it: TensorFlow calls it as Python."""
    lines = [Line(frame.file, case.locate(frame).line) for frame in said.link.frames if frame.user]
    found = wrapped(case.project, lines) if len(lines) > 1 else []
    return [Change(title=f"Write `{one.text}`", kind="expression", edits=one.edits) for one in found]


def _operations(source: Source, edits: list[Edit]) -> str:
    """What the edits write instead of what, where they are few."""
    pairs = [(edit.text, text_between(source, edit.start, edit.end)) for edit in edits[:_MOST_WRITTEN]]
    if len(edits) > len(pairs) or any("\n" in old for _, old in pairs):
        return "Use TensorFlow's own operations"
    return f"Write {', '.join(f'`{new}` instead of `{old}`' for new, old in pairs)}"


def _adds_loss(case: Case) -> bool:
    """Whether the program adds a loss to a model from outside, which Keras 3 takes from inside of a layer only."""
    return any(
        callee(call) == "add_loss" and isinstance(call.func, ast.Attribute) and written(call.func.value) != "self"
        for _, call in across(case.project, ast.Call)
    )


def _written_out(changes: list[Change]) -> list[str]:
    """The edit in words, where it is one expression that runs outside of the graph."""
    edits = changes[0].edits if changes else []
    in_python = len(edits) == 1 and ("py_function" in edits[0].text or "numpy_function" in edits[0].text)
    return [f"Write `{edits[0].text}`."] if in_python else []


def _operand(said: Quotation) -> Operand | None:
    symbolic = [one for one in said.link.operands if one.type.rpartition(".")[2] in _SYMBOLIC]
    return symbolic[0] if symbolic else None


def _read_of(said: Quotation) -> str | None:
    """The receiver of `.numpy()`, as the line writes it."""
    text = said.place.source if said.place and said.place.source else ""
    found = re.search(r"([A-Za-z_][\w.]*(?:\[[^\]]*\])?)\.(?:numpy|item|tolist)\(", text)
    return found[1] if found else None


def _use(case: Case, said: Quotation) -> str:
    found = said.match
    if found.re is _PYTHON:
        return f"as a Python {found['type']}"
    if found.re is _ITERATED:
        return "in a comprehension" if _comprehension(case, said) else "in a Python loop"
    if found.re is _NUMPY:
        return "as a NumPy array"
    if found.re is _ATTRIBUTE:
        return f"with `.{found['attribute']}()`"
    if found.re is _NUMBER:
        return f"as a Python {found['call']}"
    if found.re is _KERAS_OP:
        return "in a TensorFlow function"
    return "as a Python bool" if found["bool"] else f"as a {found['what']}"


def _advice(case: Case, said: Quotation, keras: bool) -> str:
    if keras:
        return (
            "Use `keras.ops`, or put the operation into a layer (`keras.layers.Lambda`, or a Layer with `call`) and "
            "call "
            "that."
        )
    if (said.place.source or "").lstrip().startswith(("if ", "elif ")) if said.place is not None else False:
        return (
            "Compute both results with TensorFlow's operations (`tf.reduce_max` for `np.max`) and choose with "
            "`tf.where(condition, one, other)`: while the graph is built the condition has no value."
        )
    comprehension = _comprehension(case, said)
    if comprehension is not None:
        return comprehension
    if said.match.re in (_NUMPY, _ATTRIBUTE):
        return (
            "Use the TensorFlow operation instead (`tf.reduce_sum` for `np.sum`), read the value outside the graph, "
            "or wrap the code in `tf.py_function`."
        )
    return (
        "Use `tf.cond`, `tf.where` or `tf.while_loop`, or put the code into a `tf.function`, which turns `if` and "
        "`for` into these."
    )


def _comprehension(case: Case, said: Quotation) -> str | None:
    """For a loop over a tensor within an expression, which AutoGraph leaves as it is."""
    if said.match.re is not _ITERATED or said.place is None:
        return None
    found = [node for node in nodes_at(case.sources, said.place) if isinstance(node, _COMPREHENSIONS)]
    if not found:
        return None
    form = ""
    if len(found) == 1 and len(found[0].generators) == 1 and not found[0].generators[0].ifs:
        over = found[0].generators[0]
        form = f", such as `tf.map_fn(lambda {written(over.target)}: {written(found[0].elt)}, {written(over.iter)})`"
    return (
        "A `tf.function` turns `for` statements into loops of the graph, but not a comprehension. Compute on the whole "
        f"tensor at once, use `tf.map_fn`{form}, or write a `for` statement that fills a `tf.TensorArray`."
    )


def _read_there(case: Case, said: Quotation, place: Location) -> RaisedException:
    """The exception with those operands only that stand in the statement at a place: code that AutoGraph made has none,
    and those are then of a line above it."""
    there = {written(node) for node in nodes_at(case.sources, place) if isinstance(node, ast.expr)}
    if not there:
        return said.link
    return msgspec.structs.replace(said.link, operands=[one for one in said.link.operands if one.text in there])


def _kept(case: Case, said: Quotation, kept: Kept, used: Location) -> Finding:
    """A tensor of a loop of the graph that a Python list keeps."""
    unrolled = as_python_loop(case.sources, kept)
    line = kept.loop.lineno if unrolled else kept.line
    place = case.locate(Frame(file=kept.file, line=line, function=used.function or "", user=True))
    loop = line_words(Frame(file=kept.file, line=kept.loop.lineno, function=""))
    item, name = written(kept.item), kept.container
    dtype, shape = said.match["dtype"] or "float32", said.match["shape"]
    rank = len([one for one in shape.split(",") if one.strip()]) if shape is not None else None
    read = reading(case.sources, kept, used, rank)
    behind = f", and `{read[1]}` behind it" if read is not None else ""
    # What a turn needs of the turn before it, `tf.map_fn` does not have.
    mapped = "" if is_carried(kept.loop) else "; or use `tf.map_fn`"
    return Finding(
        message=f"{prefix(place)}`{item}` is made in the loop `{kept.header}` ({loop}), which is a loop of the graph, "
        f"and is kept in the Python list `{name}`, which {line_words(used)} reads behind the loop",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="tensor", name=item),
        evidence=evidence_of(_read_there(case, said, used), said.raised),
        advice=[
            f"Keep them in a `tf.TensorArray`: `{name} = tf.TensorArray(tf.{dtype}, size=0, dynamic_size=True)` before "
            f"the loop, `{name} = {name}.write({name}.size(), {item})` in it{behind}{mapped}."
        ],
        changes=[*unrolled, *as_array(case.sources, kept, used, dtype, rank)],
    )


def _out_of_scope(case: Case, said: Quotation) -> Finding:
    """A tensor that was kept from inside of a function."""
    defined = tensors.WHERE_DEFINED.pattern.search(said.link.message)
    lines = named_lines(case, defined["stack"]) if defined is not None else []
    made = next(iter(lines), None)
    found = (kept_in_loop(case.sources, said.match["node"], line, said.place) for line in lines)
    kept = next((one for one in found if one is not None), None)
    if kept is not None and said.place is not None:
        return _kept(case, said, kept, said.place)
    symbolic = _operand(said)
    # What another frame's line was given is not what this line reads.
    link = _read_there(case, said, said.place) if said.place is not None else said.link
    name = symbolic.text if symbolic is not None and symbolic in link.operands else None
    what = f"`{name}`" if name else f"tensor '{said.match['node']}'"
    origin = f", made on {line_words(made)}," if made is not None else ""
    evidence = evidence_of(link, said.raised)
    if made is not None:
        evidence.append(Evidence(fact="created at", value=f"{made.file}:{made.line}", source="ExceptionRaised"))
    place = made or said.place
    user = f" on {line_words(said.place)}" if made is not None and said.place is not None else ""
    return Finding(
        message=f"{prefix(place)}{what}{origin} belongs to the graph of a function but is used outside it{user}; "
        "expected a value that the function returns",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="tensor", name=name or said.match["node"]),
        evidence=evidence,
        advice=[
            "Return the tensor from the function and use what the call returns; do not keep it in a list or attribute."
        ],
    )
