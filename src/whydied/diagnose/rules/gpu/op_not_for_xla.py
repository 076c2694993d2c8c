"""XLA is to compile a step with an op that it has no kernel for.

## What it detects
`InvalidArgumentError: Detected unsupported operations when trying to compile graph`.

## Why it happens
`jit_compile=True` compiles all of a function or nothing. Ops that call back into Python, that work on strings or whose
result has a size that depends on values have no kernel in XLA; on some devices single others lack one.

## Evidence
The exception with the op and the line that made it, and the line that asks for XLA.

## How it is proved
TensorFlow names the op: certain.

## Fix
Leave out `jit_compile=True`, for this function at least, or move the op out of it.

## References
tensorflow/tensorflow issues 51493, 52905, 59215, 60203.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import named_line, quoted
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.memory.compiled_steps import asked_by
from whydied.texts import gpu_failures

_CALLS = {"EagerPyFunc": "`tf.py_function`", "PyFunc": "`tf.numpy_function`", "PyFuncStateless": "`tf.numpy_function`"}

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    said = quoted(case, gpu_failures.NOT_FOR_XLA.pattern)
    if said is None:
        return None
    op = said.match["op"]
    made, asked = named_line(case, said.link.message), asked_by(case)
    place = asked or said.place
    origin = f", made on line {made.line}" if made is not None and made != said.place else ""
    what = f"{_CALLS[op]} (the op {op})" if op in _CALLS else f"the op {op}"
    where = f" on {line_words(asked)}" if asked is not None else " in `compile`"
    keep = "" if asked is not None else ", which Keras chooses on a GPU by itself"
    return Finding(
        message=f"{prefix(place)}XLA is to compile this, and it has no kernel for {what}{origin}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="op", name=op),
        evidence=evidence_of(said.link, said.raised),
        advice=[
            f"Write `jit_compile=False`{where}{keep}; or move what makes the op out of the compiled function, or write "
            "it with TensorFlow's own operations."
        ],
    )
