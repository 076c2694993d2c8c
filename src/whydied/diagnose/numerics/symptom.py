"""A step that went wrong, in words: what turned, when, at which op, brought by which rows. Pure."""

from __future__ import annotations

import math
import re

from whydied.diagnose.finding import Culprit, Rows
from whydied.diagnose.numerics.bad_steps import Step, Story, call_of, extent, main_suspect
from whydied.records import Blame, FedValue, FoundOp, Numbers
from whydied.source import container_parts

MOST_ROWS = 20
_NAMED = 3
_SPOKEN = {
    "Log": "log",
    "Log1p": "log1p",
    "Sqrt": "sqrt",
    "Rsqrt": "rsqrt",
    "Exp": "exp",
    "Expm1": "expm1",
    "Pow": "pow",
    "Acos": "acos",
    "Asin": "asin",
    "Acosh": "acosh",
    "Atanh": "atanh",
    "Cast": "the cast of",
    "Reciprocal": "1 /",
    "Inv": "1 /",
    "Square": "square",
    "Sinh": "sinh",
    "Cosh": "cosh",
    "Tan": "tan",
    "Lgamma": "lgamma",
    "Digamma": "digamma",
    "SqrtGrad": "the gradient of sqrt",
    "RsqrtGrad": "the gradient of rsqrt",
    "ReciprocalGrad": "the gradient of 1 / x",
    "InvGrad": "the gradient of 1 / x",
}
_INFIX = {
    "RealDiv": "/",
    "Div": "/",
    "DivNoNan": "/",
    "FloorDiv": "//",
    "Mul": "*",
    "Sub": "-",
    "Add": "+",
    "AddV2": "+",
    "Xdivy": "/",
}
_ONE_VALUE = 40
_REDUCED = {"Mean": "the mean", "Max": "the maximum", "Min": "the minimum"}
_FLOATS = ("float", "bfloat")
_BIG = 1e4
"""Below this no product or sum of reasonable length overflows, also in half precision."""
_BASE = re.compile(r"\w+")


def turned(step: Step) -> str:
    """`the loss turned NaN`."""
    suspect = main_suspect(step.captured)
    if suspect is None:
        return "a value of the step was not finite"
    value = value_word(suspect.numbers)
    name = suspect.name
    if suspect.role == "loss":
        return f"the loss turned {value}"
    if suspect.role == "result":
        return f"{_result(step, name)} is {value}"
    if suspect.role == "metric":
        return f"the metric {name or 'of the step'} turned {value}"
    if suspect.role == "weight":
        return f"the weight {name} turned {value}"
    of = f" of {name}" if name else ""
    return f"the {suspect.role}{of} turned {value}"


def _result(step: Step, name: str) -> str:
    call = call_of(step)
    if step.captured.kind == "session":
        return f"the value fetched from {name}"
    if call is not None and step.captured.kind == "traced":
        return f"the output of {call.kind}"
    line = step.captured.frames[-1].line if step.captured.frames else 0
    return f"`{name}`, read on line {line}," if name else f"a value read on line {line}"


def value_word(numbers: Numbers | None) -> str:
    """`NaN` or `infinite`."""
    if numbers is None or numbers.nan or not numbers.nonfinite:
        return "NaN"
    return "infinite"


def when(step: Step) -> str:
    """` at step 47 of fit`, with the epoch where it is known; "" where nothing is."""
    captured = step.captured
    if captured.suspects and all(suspect.role == "result" for suspect in captured.suspects):
        run = captured.kind == "session" and captured.step is not None
        batch = captured.kind == "traced" and captured.step is not None
        return f" in run {captured.step}" if run else f" at batch {captured.step}" if batch else ""
    loop = loop_of(step)
    epoch = f" (epoch {captured.epoch + 1})" if captured.epoch is not None else ""
    if captured.step is None:
        return f" in {loop}{epoch}" if loop else ""
    return f" at step {captured.step}{f' of {loop}' if loop else ''}{epoch}"


def loop_of(step: Step) -> str:
    """What the user calls the loop: the method of Keras, else the function that is the step."""
    call = call_of(step)
    if call is not None and call.kind == "evaluate" and call.parent_call is not None:
        return "validation"
    name = call.kind if call is not None else step.captured.function.rpartition(".")[2]
    return "" if name.startswith("<") else name


def edge_words(op: FoundOp) -> str:
    """`log of values down to 3e-12: at 0 it is infinite`: of an op that was finite, and nearly was not."""
    given = op.inputs[-1 if op.op in _INFIX or op.op in ("Xlogy", "Xdivy") else 0].numbers if op.inputs else None
    name = _SPOKEN.get(op.op, op.op).removesuffix(" of").removesuffix(" /").removeprefix("the ")
    if given is None or given.least is None or given.greatest is None:
        return f"{name} was next to the edge of its domain"
    if op.op == "Exp":
        return f"{name} of values up to {number_in_words(given.greatest)}: beyond 88 it is infinite in float32"
    if op.op in ("Acos", "Asin", "Atanh"):
        largest = max(abs(given.least), abs(given.greatest))
        return f"{name} of values up to {number_in_words(largest)}: beyond 1 it is NaN, at 1 its gradient is infinite"
    if op.op in _INFIX or op.op == "Xdivy":
        return "a division by values that come within a millionth of 0"
    what = "its gradient is infinite" if op.op == "Sqrt" else "it is infinite"
    return f"{name} of values down to {number_in_words(given.least)}: at 0 {what}"


def expression(op: FoundOp) -> str:
    """`log(0)`, `0 / 0`: the op with the values that took it out of its domain, as far as they are known."""
    values = [_value(one.at_bad[0]) if one.at_bad else "" for one in op.inputs]
    if op.op in _INFIX and len(values) == 2 and all(values):
        return f"{values[0]} {_INFIX[op.op]} {values[1]}"
    name = _SPOKEN.get(op.op, op.op)
    given = [value for value in values if value]
    if op.op in _SPOKEN and given and len(given) == len(values):
        if name.endswith((" of", " /")):
            return f"{name} {given[0]}"
        if name.startswith("the "):
            return f"{name} at {given[0]}"
        return f"{name}({', '.join(given)})"
    return of_nothing(op) or name + _overflowed(op)


def of_nothing(op: FoundOp) -> str:
    """`the mean of no values`."""
    first = op.inputs[0].numbers if op.inputs else None
    return f"{_REDUCED[op.op]} of no values" if op.op in _REDUCED and first is not None and first.count == 0 else ""


def _overflowed(op: FoundOp) -> str:
    """` of values up to 3.3e+38`, where finite values gave an infinite one."""
    given = [one.numbers for one in op.inputs if one.numbers is not None and one.numbers.dtype.startswith(_FLOATS)]
    if not given or op.output is None or any(numbers.nonfinite for numbers in given):
        return ""
    largest = max(extent(numbers) for numbers in given)
    return f" of values up to {number_in_words(largest)}" if largest >= _BIG else ""


def is_overflow(op: FoundOp) -> bool:
    """Whether an op without a domain of its own was given values so large that the result does not fit."""
    return op.op not in _SPOKEN and bool(_overflowed(op))


def _value(text: str) -> str:
    """A value of a tensor, shortened: `0.0` is `0`, and seven digits are enough."""
    try:
        number = float(text)
    except ValueError:
        return text if len(text) <= _ONE_VALUE else ""
    return number_in_words(number)


def number_in_words(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return f"{number:.4g}"


def op_words(op: FoundOp) -> str:
    """`log(0) in layer badlog`."""
    layer = op.line.layer if op.line else ""
    return expression(op) + (f" in layer {layer}" if layer else "")


def rows_words(story: Story) -> str:
    """`row 3 of the batch (row 1500 of x)`; "" where no rows are known."""
    blame = story.blame
    if blame is None or not blame.rows:
        return ""
    count = max(blame.row_count, len(blame.rows))
    if blame.kind == "rows" and count >= blame.batch_rows > 1 and len(blame.values) == 1:
        return _together(story, blame)
    if blame.batch_rows and count >= blame.batch_rows > 1:
        words = f"every row of the batch ({blame.batch_rows:,})"
    else:
        words = f"{_listed('row', blame.rows, count)} of the batch"
    data_set, rows = data_set_of(story)
    if rows and count < max(blame.batch_rows, 2):
        words += f" ({_listed('row', rows, max(count, len(rows)))} of {data_set or 'the data'})"
    return words


def _together(story: Story, blame: Blame) -> str:
    """`w, which is 0 in every row of the batch (32)`; `x as a whole (0 to 254)`: no rows alone bring it."""
    name = written_name(story, blame.name) or "the batch"
    if " to " in blame.values[0]:
        return f"{name} as a whole ({blame.values[0]})"
    return f"{name}, which is {blame.values[0]} in every row of the batch ({blame.batch_rows:,})"


def columns_words(blame: Blame) -> str:
    return _listed("column", blame.columns, len(blame.columns)) if blame.columns else ""


def _listed(noun: str, numbers: list[int], count: int) -> str:
    """`row 3`; `rows 3, 5 and 8`; `rows 3, 5, 8 and 12 more`."""
    shown = [str(number) for number in numbers[:_NAMED]]
    more = count - len(shown)
    if count == 1:
        return f"{noun} {shown[0]}"
    if more > 0:
        return f"{noun}s {', '.join(shown)} and {more:,} more"
    return f"{noun}s {', '.join(shown[:-1])} and {shown[-1]}"


def fed_of(story: Story) -> FedValue | None:
    """What the step was given under the name that is blamed."""
    blame, capture = story.blame, story.step.taken.capture
    fed = capture.fed if capture else []
    named = [value for value in fed if blame is not None and blame.name in (value.name, value.tensor)]
    batch = [value for value in fed if value.role == "batch"]
    return next(iter(named or batch), None)


def data_set_of(story: Story) -> tuple[str, list[int]]:
    """The array that the blamed rows come from, and their places there."""
    blame = story.blame
    if blame is None:
        return "", []
    fed = fed_of(story)
    rows = [row for row in blame.data_set_rows if row >= 0]
    if not rows and fed is not None and fed.rows:
        rows = [fed.rows[row] for row in blame.rows if row < len(fed.rows) and fed.rows[row] >= 0]
    return container_parts.whole(written_name(story, blame.data_set or (fed.data_set if fed else ""))), rows


def written_name(story: Story, name: str) -> str:
    """A name as the source has it: `x` of `fit(readings, y)` is `readings`, and `x[1]` of `fit([ids, mask], y)` is
    `mask`."""
    found = _BASE.match(name)
    base, rest = (found[0], name[found.end() :]) if found else (name, "")
    text = story.names.get(base, base)
    return container_parts.item_in(text, rest)


def source_name(story: Story) -> str | None:
    """The data as the source names it: the array, else what the step was given."""
    fed = fed_of(story)
    data_set, _ = data_set_of(story)
    blame = story.blame
    given = (blame.name if blame and blame.name else "") or (fed.name if fed else "")
    return data_set or written_name(story, given) or None


def same_throughout(story: Story) -> str | None:
    """The one value that all elements of the blamed rows have."""
    values = story.blame.values if story.blame is not None and story.blame.kind == "rows" else []
    value, _, word = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return value if word == "throughout" else None


def rows_culprit(story: Story, kind: str = "row") -> Culprit:
    """The rows, or the columns, that brought it."""
    blame, fed = story.blame, fed_of(story)
    _, rows = data_set_of(story)
    batch = blame.rows if blame else []
    return Culprit(
        kind=kind,
        name=source_name(story),
        shape=list(fed.shape) if fed else None,
        dtype=fed.dtype if fed else None,
        rows=Rows(
            batch=batch[:MOST_ROWS],
            dataset=rows[:MOST_ROWS],
            count=max(blame.row_count if blame else 0, len(batch)),
        ),
        columns=blame.columns[:MOST_ROWS] if blame else [],
        value=blame.values[0] if blame and blame.values else None,
    )
