"""Values of types that cannot be mixed, or of a type that is not taken, went into an op or a call.

## What it detects
An op between tensors of different dtypes, or between a tensor of whole numbers and a Python float, an op that has no
kernel for a dtype, and text or Python objects in the data of a call into Keras, labels included.

## Why it happens
TensorFlow converts Python numbers and not tensors, so int32 and float32 do not mix. A Python number is given the type
of the tensor that it meets, and 0.5 is not an int64: a schedule gets the step of the optimizer as an int64, a metric
class numbers, a layer pixels. A table with one text in it is a table of text.

## Evidence
The dtypes of the operands or of the data, with their words in the source and the lines that made them.

## How it is proved
The dtypes are read from the objects: certain of a value that is not taken at all. Of two that do not mix it is certain
where a line is known to be the wrong one, or one cast on the line is left; likely where either could be cast.

## Fix
A cast of the odd one is written out in the advice.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, advised, certainty_of
from whydied.diagnose.errors.framework_error import FrameworkError, culprit_of, evidence_of, name_of, shape_words
from whydied.diagnose.errors.misfit import Misfit, misfit
from whydied.diagnose.errors.model_ends import is_text
from whydied.diagnose.errors.ops.accepted_changes import accepted_cast, accepted_type
from whydied.diagnose.errors.ops.written_types import written_type
from whydied.diagnose.finding import Finding
from whydied.records import Party
from whydied.shapes.op_words import ELEMENTWISE

_FLOATS = ("float", "bfloat", "complex")

ROLE = "explanation"
YIELDS_TO = ("uneven-batch", "partial-batch", "texts-in-array")


def check(case: Case) -> Finding | None:
    found = misfit(case)
    if found is None or found.kind != "dtype" or found.first is None:
        return None
    facts = found.error.facts
    odd = _odd(found.first, found.second)
    advice = _advice(found, odd)
    frame = advice.frame or facts.place
    place = case.locate(frame) if frame else case.locate_exception([found.error.link])
    return Finding(
        message=f"{prefix(place)}{_words(found, found.first)}",
        certainty="certain" if found.second is None else certainty_of(advice, place),
        location=place,
        culprit=culprit_of(odd),
        evidence=evidence_of(found.error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _odd(first: Party, second: Party | None) -> Party:
    """The one to cast. Between a float and an integer it is the integer. Between two floats it is the data and not the
    weight, because the other weights have the weight's type, too."""
    if second is None:
        return first
    if all((one.dtype or "").startswith(_FLOATS) for one in (first, second)) and _is_weight(first) != _is_weight(
        second
    ):
        return second if _is_weight(first) else first
    return second if (first.dtype or "").startswith(_FLOATS) else first


def _is_weight(party: Party) -> bool:
    return party.type.rpartition(".")[2].endswith("Variable") or any(one.kind == "weight" for one in party.sources)


def _words(found: Misfit, first: Party) -> str:
    facts, second = found.error.facts, found.second
    if second is None:
        taker = facts.op or facts.call or "the op"
        if is_text(first):
            shown = f"{name_of(first, 'the data')} {shape_words(first.shape)}"
            return f"{shown} holds {_held(first)} ({first.dtype}), but {taker} takes {_taken(first)}"
        return f"{name_of(first, 'the value')} is {first.dtype}, which {taker} does not accept"
    if second.type == "float":
        return (
            f"{name_of(first, 'the tensor')} is {first.dtype}, and {ELEMENTWISE.get(facts.op, facts.op) or 'the op'} "
            f"cannot make the float `{second.text}` beside it {first.dtype}, too"
        )
    if not facts.op:
        return (
            f"{name_of(first, 'the first operand')} is {first.dtype} and {name_of(second, 'the second')} is "
            f"{second.dtype}: TensorFlow does not convert types implicitly"
        )
    return (
        f"{ELEMENTWISE.get(facts.op, facts.op)} of {name_of(first, 'the first operand')}, {first.dtype}, and "
        f"{name_of(second, 'the second')}, {second.dtype}: TensorFlow does not convert types implicitly"
    )


def _held(party: Party) -> str:
    """What data that are no numbers are."""
    if not party.held:
        return "Python objects" if party.dtype == "object" else "text"
    if party.longest is not None:
        kind = "arrays" if party.held[0] == "ndarray" else f"{party.held[0]}s"
        span = f"{party.shortest} to {party.longest}" if party.shortest != party.longest else f"{party.longest}"
        return f"{kind} of {span} items"
    texts = {"str", "bytes"} & set(party.held)
    if texts == set(party.held):
        return "text"
    return f"{'text among ' if texts else ''}Python objects of type {', '.join(party.held)}"


def _taken(party: Party) -> str:
    return "numbers in rows of one length" if party.longest is not None else "numbers"


def _of_lengths(error: FrameworkError, party: Party, name: str) -> Advice:
    if party.held[0] == "ndarray":
        return Advice([f"Bring all of `{name}` to one shape and combine them with `np.stack({name})`."], [])
    if party.shortest == party.longest:
        words = f"`np.array({name}.tolist())` turns them into one numeric array."
        return advised(words, "dtype", error_edits.passed(error, party, "np.array({x}.tolist())"))
    words = (
        f"`keras.utils.pad_sequences({name}, padding='post')` pads all rows to {party.longest} items; or pass "
        "`maxlen` to cut them."
    )
    title = f"`pad_sequences` pads all rows of `{name}` to {party.longest} items"
    edits = error_edits.passed(error, party, 'keras.utils.pad_sequences({x}, padding="post")')
    return advised(words, "data", Way(title, edits))


def _advice(found: Misfit, odd: Party) -> Advice:
    other = found.second if odd is found.first else found.first
    if other is not None and other.type == "float" and (known := _cast(found, odd, other)).changes:
        # What a number is beside says nothing of where whole numbers were to be made otherwise.
        return known
    if other is not None:
        return written_type(found.error, odd, other.dtype or "") or _cast(found, odd, other)
    error, name = found.error, odd.text or "x"
    if odd.longest is not None:
        return _of_lengths(error, odd, name)
    if cast := accepted_type(error, odd):
        return written_type(error, odd, cast) or accepted_cast(error, odd)
    if odd.role == "y":
        words = (
            f"`np.unique({name}, return_inverse=True)[1]` gives each class name a number; if they are numbers "
            f"stored as text, `np.asarray({name}, dtype='int64')` reads them."
        )
        title = f"`np.unique({name}, return_inverse=True)[1]` gives each class name a number"
        # Objects of several types have no order.
        edits = error_edits.passed(error, odd, "np.unique({x}, return_inverse=True)[1]") if len(odd.held) < 2 else None
        return advised(words, "dtype", Way(title, edits))
    if not is_text(odd):
        return Advice([], [])
    words = f"Convert it to numbers first, for example with `np.asarray({name}, dtype='float32')`."
    # Texts are not numbers, and only their author knows which are meant.
    numbers = bool(odd.held) and not {"str", "bytes"} & set(odd.held)
    edits = error_edits.passed(error, odd, 'np.asarray({x}, dtype="float32")') if numbers else None
    return advised(words, "dtype", Way(f"`np.asarray({name}, dtype='float32')` converts it to numbers", edits))


def _cast(found: Misfit, odd: Party, other: Party) -> Advice:
    code = f"tf.cast({{x}}, tf.{other.dtype})"
    words = f"`{code.format(x=odd.text or 'x')}` makes both {other.dtype}."
    if odd.dtype == "float64" and other.dtype == "float32" and _is_weight(other):
        words += ' Or make all data so where they are made: NumPy\'s numbers are float64 without `.astype("float32")`.'
    texts = [party.text for party in (found.first, found.second) if party is not None]
    at = 0 if odd is found.first else 1
    # A value that is no tensor, such as a resource, has no type to cast to.
    plain = (other.dtype or "").rstrip("0123456789") in ("float", "bfloat", "int", "uint", "complex")
    edits = error_edits.every_use(found.error, odd, code) or error_edits.operand(found.error, texts, at, code)
    return advised(words, "dtype", edits if plain else None)
