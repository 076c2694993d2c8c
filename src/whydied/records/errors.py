"""What was found around an exception of TensorFlow or Keras while its frames were alive. See `whydied.records`.

One `ErrorFacts` belongs to one link of the chain of an `ExceptionRaised` of the same process and is written before it.
It holds what was seen, and no verdict: which shapes do not fit, and why, is said by the rules.
"""

from __future__ import annotations

from whydied.records.values import Frame, Important, Value


class ValueSource(Value, frozen=True, kw_only=True):
    """Where a value came from. `kind` is "variable" (assigned on a line of the user's), "layer" (what a layer gave),
    "weight", "argument" (of a call into Keras: x, y), "op" (the op of a graph that made it, named by its type), "file"
    (loaded from one), "placeholder", "parameter" (of a function of the user's) or "generator" (the `yield` that gave
    it). `name` is written as in the source, `text` is the expression that made it, `frame` its line; `takes` and
    `gives` are the shapes of an op's first input and output."""

    kind: str
    name: str
    text: str = ""
    frame: Frame | None = None
    file: str | None = None
    takes: list[int | None] | None = None
    gives: list[int | None] | None = None


class Party(Value, frozen=True, kw_only=True):
    """A value that took part in what failed. `role` is "operand" (in the order of the op's inputs), "input" (of a
    layer or model), "target", "output", "x" or "y" (of a call of Keras), "element" or "label" (what a data set gives at
    a time for x and y), "size" (asked of a Reshape), "feed" (of a v1 session), "loop" (a variable
    of a graph's loop), "component" (a part of the elements that a data set was to pad), "yielded" (a part of what a
    generator's `yield` gives, by its type and shape). `text` is as the source writes
    it, empty where it has no words of its own. `lowest` and `highest` are known for whole numbers, `one_hot` where each
    row has a single one; `classes` are how many different numbers, or columns of one-hot rows, occur, and `first_class`
    is the lowest of them. `held` are the types of what an array of Python objects holds, `shortest` and `longest` their
    lengths. `whole` is the range of an array whose rows this one has a part of. `sources` begin with the nearest;
    `size_makers` has for each axis where its size comes from, where the
    program writes the shape out."""

    role: str
    text: str = ""
    type: str = ""
    shape: list[int | None] | None = None
    dtype: str | None = None
    lowest: int | None = None
    highest: int | None = None
    one_hot: bool = False
    classes: int | None = None
    first_class: int | None = None
    held: list[str] = []
    shortest: int | None = None
    longest: int | None = None
    whole: list[int] = []
    sources: list[ValueSource] = []
    size_makers: list[list[ValueSource]] = []


class OperandTrial(Value, frozen=True, kw_only=True):
    """A change with which TensorFlow's own rule of the op accepts the call that it refused. `at` counts the operands;
    it is -1 for another argument: an "axis" whose number is `code`, a list of which the first "entries" are kept, whose
    number is `code`. Else `kind` is that of a `shapes.changes.Change` or "cast", and `code` has `{x}` for the operand;
    `shape` is what becomes of it and `gives` what comes out."""

    kind: str
    code: str
    at: int = -1
    shape: list[int | None] | None = None
    gives: list[int | None] | None = None
    cost: int = 0
    meaning: str = ""


class LayerFacts(Value, frozen=True, kw_only=True):
    """A Keras layer or model. `settings` are the plain values of its configuration, `made` the line that made it,
    `inputs` the names of the layers that it is fed by, where they are known, `wrapped` the layer inside of a wrapper
    (Bidirectional, TimeDistributed)."""

    name: str
    type: str
    input_shape: list[int | None] | None = None
    output_shape: list[int | None] | None = None
    settings: dict[str, str] = {}
    made: Frame | None = None
    is_model: bool = False
    inputs: list[str] = []
    wrapped: LayerFacts | None = None


class InputWanted(Value, frozen=True, kw_only=True):
    """What a layer asks of its input: a shape with None for any size, a number of axes, sizes of single axes."""

    shape: list[int | None] | None = None
    rank: int | None = None
    least_rank: int | None = None
    most_rank: int | None = None
    axes: dict[str, int] = {}


class ErrorFacts(Important, frozen=True, kw_only=True):
    """`link` is the index of the exception in the chain. `layer` is the innermost layer that was at work, `feeding` the
    one whose output it was given, `shaping` the one before it that gave that its shape, where `feeding` only passes it
    on, `layers` those of the model. `call` is the call into Keras ("fit"), `loss` and
    `receiver` its loss and its model as the source writes it, `metric` the type of the metric that was being updated,
    `compiled` the line of `compile`. `raiser` is the
    library's function that raised. `in_data` says that the op belongs to a function of a data set (`map`).
    `refused` says that the op's own rule refuses the operands as they are, and `trials` what it accepts instead.
    `function` is the library's function that the user's line called, `arguments` what it was given: `role` is the name
    of the parameter."""

    link: int = 0
    type: str = ""
    raiser: str = ""
    op: str = ""
    node: str = ""
    in_data: bool = False
    transposed: list[bool] = []
    axis: int | None = None
    refused: bool = False
    trials: list[OperandTrial] = []
    place: Frame | None = None
    parties: list[Party] = []
    wanted: InputWanted | None = None
    layer: LayerFacts | None = None
    feeding: LayerFacts | None = None
    shaping: LayerFacts | None = None
    layers: list[LayerFacts] = []
    call: str = ""
    receiver: str = ""
    model: str = ""
    loss: str = ""
    metric: str = ""
    compiled: Frame | None = None
    function: str = ""
    arguments: list[Party] = []


class NamedLayer(Value, frozen=True, kw_only=True):
    """`made` is the line that made a layer, `caller` the line that called the function which that is in."""

    type: str
    made: Frame | None = None
    caller: Frame | None = None


class HeldInput(Important, frozen=True, kw_only=True):
    """A layer of Keras' own that holds tensors, layers or models as its setting `parameter`: they were given to its
    constructor. `default` is the setting's default where that is plain, `says` what the installed documentation says of
    it, `held` the types, `kind` "tensor", "layer" or "model". `made` is the line of the constructor."""

    link: int = 0
    type: str
    name: str = ""
    parameter: str
    default: str | None = None
    says: str = ""
    held: list[str] = []
    kind: str = "tensor"
    made: Frame | None = None


class LayerNameTaken(Important, frozen=True, kw_only=True):
    """The layers of one model that have one name, in the order of the model."""

    link: int = 0
    name: str
    layers: list[NamedLayer] = []
