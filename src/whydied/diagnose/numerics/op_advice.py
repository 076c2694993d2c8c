"""What to do about an op whose value was not finite, in words. Pure.

Advice names a function or a guard for the op's own expression. Where the op stands in a library, the program has no
expression to change, and what it was given is what can be changed.
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.numerics.bad_steps import Story
from whydied.diagnose.numerics.guarding_changes import guards_of, is_own, stable_of
from whydied.diagnose.numerics.symptom import is_overflow, of_nothing, rows_words, same_throughout, source_name
from whydied.records import FoundOp
from whydied.source.edits.edit import text_between

_LONGEST = 120

_SOFTMAX = (
    "The softmax of a row that is masked entirely with -inf is undefined: mask with a large negative number "
    "(`-1e9`), or drop such rows. The same holds for an infinite score: limit what goes into it."
)
_FRAMES = (
    "CTC needs a frame for each letter and one more for each repeated letter: shrink the time axis less (smaller "
    "strides or pooling along it), or leave out labels that are too long."
)
_MASKED = frozenset({"Softmax", "LogSoftmax"})
_SAFE = {
    "Log": "Keep its argument above zero: `tf.math.log(tf.maximum(x, 1e-7))`, or use a loss that takes logits.",
    "Sqrt": "Keep its argument above zero: `tf.sqrt(tf.maximum(x, 1e-12))`.",
    "Rsqrt": "Add a small number under the root: `tf.math.rsqrt(x + 1e-12)`.",
    "RealDiv": "Guard the division: `tf.math.divide_no_nan(a, b)`, or add a small number to the divisor.",
    "Div": "Guard the division: `tf.math.divide_no_nan(a, b)`, or add a small number to the divisor.",
    "Reciprocal": "Guard the division: `tf.math.divide_no_nan(1., x)`.",
    "Exp": "Bound its argument: `tf.exp(tf.minimum(x, 80.))`, or stay in logarithms (`tf.reduce_logsumexp`).",
    "Softmax": _SOFTMAX,
    "LogSoftmax": _SOFTMAX,
    "Log1p": "Keep its argument above -1: `tf.math.log1p(tf.maximum(x, -1 + 1e-7))`.",
    "Expm1": "Bound its argument: `tf.math.expm1(tf.minimum(x, 80.))`.",
    "Square": "The square overflows: scale its input, or limit it (`tf.clip_by_value`).",
    "Acosh": "Keep its argument above one: `tf.acosh(tf.maximum(x, 1 + 1e-6))`.",
    "Atanh": "Clip its argument: `tf.atanh(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))`.",
    "Xdivy": "Guard the division: `tf.math.divide_no_nan(a, b)`, or add a small number to the divisor.",
    "Pow": "A fractional power needs a non-negative base, a negative power a nonzero base.",
    "Acos": "Clip its argument: `tf.acos(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))`.",
    "Asin": "Clip its argument: `tf.asin(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))`.",
}


def op_advice(case: Case, told: Story, op: FoundOp) -> str:
    """For an op of the forward pass."""
    stable = stable_of(case, told.step, op)
    if stable is not None:
        return f"Write it as `{stable.function}(…)`, which computes the same and does not overflow."
    if op.why:
        return _FRAMES
    if not is_own(case, told.step, op) and rows_words(told) and op.op not in _MASKED:
        name = source_name(told) or "the data"
        same = same_throughout(told)
        if same is not None:
            kept = f"`{name}[({name} != {same}).any(axis=1)]`, and their targets with them"
            return f"Leave out the rows of {name} that are {same} throughout: {kept}."
        return f"The op stands in the library: fix or drop these rows of {name} before the model gets them."
    if of_nothing(op):
        return (
            "Skip what has no values, or divide safely: `tf.math.divide_no_nan(tf.reduce_sum(x), n)` is 0 where n is 0."
        )
    if op.op not in _SAFE and is_overflow(op):
        return (
            "The result is too large for its type: keep its inputs small, with scaled data, smaller initial weights, "
            "or a limit (`tanh`, `tf.clip_by_value`) between repeated products."
        )
    general = _SAFE.get(op.op, f"Keep the inputs of {op.op} in its domain, or look at the rows that cause it.")
    return _in_own_words(case, told, op, general)


def _in_own_words(case: Case, told: Story, op: FoundOp, general: str) -> str:
    """The guard as the program would write it, in the place of the general form."""
    changes = guards_of(case, told.step, op)
    every = changes[0].edits if len(changes) == 1 else []
    edits = [one for one in every if one.start[0] == every[0].start[0]]
    source = case.sources.get(edits[0].file) if len(edits) == 1 else None
    head, _, rest = general.partition("`")
    _, code, tail = rest.partition("`")
    if source is None or not code:
        return general
    was, now = text_between(source, edits[0].start, edits[0].end), edits[0].text
    if not was.strip() or "\n" in was + now or len(was + now) > _LONGEST:
        return general
    others = ", ".join(str(line) for line in sorted({one.start[0] for one in every} - {edits[0].start[0]}))
    alike = f", likewise on line{'s' if ',' in others else ''} {others}" if others else ""
    return f"{head}`{now}` instead of `{was}`{alike}{tail}"
