"""What TensorFlow's own shape and type rules say to an op with other operands; runs in the user's process, after an
exception.

Invariant: nothing of the program's is computed and nothing of it is changed. The generated function of the op that
failed, or the function of TensorFlow's that refused its arguments, is called again in a graph of its own, with
placeholders for the tensors; the graph is dropped. What does not refuse the arguments as they were tells nothing: then
it failed over something else.

TensorFlow numbers its functions by a count of all that was made in the process, and errors quote these numbers. So a
trial is only prepared while the program may go on, without a tensor of it, and carried out when it ends.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

import msgspec

from whydied.inside.errors.stack_steps import Step, is_of
from whydied.inside.guest import guard
from whydied.inside.guest.value_facts import describe
from whydied.records import OperandTrial, Party
from whydied.shapes.changes import changes

LARGEST_TRIALS = 60
LARGEST_ACCEPTED = 12
LONGEST_S = 0.08
_LARGEST_CONSTANT = 64
_CASTS = ("float32", "int32", "int64")
_AXES = ("axis", "concat_dim", "split_dim")


class _Slot(msgspec.Struct, frozen=True):
    """A tensor of the call: the argument, its place in a list of them (-1 where it is alone), and what it is.
    `constant` is the value of small whole numbers, on which the rule may depend; `is_list` says that it is a list that
    becomes one."""

    word: str
    item: int
    dtype: str
    shape: list[int | None] | None
    constant: Any = None
    is_list: bool = False


class Prepared(msgspec.Struct, frozen=True):
    """A call that can be tried again. `given` has no tensors: the slots stand for them, and `places` tells which input
    of the op each of them is. `op` and `parties` are those of a function of the library, for which there is no op."""

    function: Any
    given: dict[str, Any]
    slots: list[_Slot]
    places: dict[int, int]
    op: str = ""
    parties: list[Party] = []


def prepared(steps: list[Step], inputs: list[Any], op: str = "", parties: Sequence[Party] = ()) -> Prepared | None:
    """The call that failed; `inputs` are the op's, in its order. None where there is no rule to ask."""
    step = next((one for one in reversed(steps) if _is_generated(one)), None) or library_step(steps)
    tensorflow: Any = sys.modules.get("tensorflow")
    if step is None or tensorflow is None:
        return None
    given = arguments_of(step)
    slots = _slots(tensorflow, given)
    if not slots:
        return None
    kept = {word: None if any(slot.word == word for slot in slots) else value for word, value in given.items()}
    # The lengths of lists are asked for; what is in them is made anew.
    kept |= {word: [None] * len(value) for word, value in given.items() if kept[word] is None and _is_listed(value)}
    function = FunctionType(step.frame.f_code, step.frame.f_globals)
    return Prepared(function, kept, slots, _places(slots, given, inputs), op, list(parties))


def _is_listed(value: Any) -> bool:
    return type(value) in (list, tuple)


def trials(call: Prepared) -> list[OperandTrial] | None:
    """Changes of one operand with which the rule of the op accepts the call. None where it does not refuse the call as
    it was."""
    tensorflow: Any = sys.modules.get("tensorflow")
    function, given, slots = call.function, call.given, call.slots
    if tensorflow is None or _accepts(tensorflow, function, given, slots) is not None:
        return None
    began = time.thread_time()
    found: list[OperandTrial] = []
    for at, trial, changed, words in itertools.islice(_candidates(slots, given, call.places), LARGEST_TRIALS):
        if len(found) >= LARGEST_ACCEPTED or time.thread_time() - began > LONGEST_S:
            break
        gives = _accepts(tensorflow, function, {**given, **words}, changed)
        if gives is not None:
            found.append(msgspec.structs.replace(trial, at=at, gives=gives[0]))
    return found


def library_step(steps: list[Step]) -> Step | None:
    """The function of TensorFlow's that the user's line called, where it refused its arguments itself: one that takes
    nothing but tensors and plain values, so that calling it again runs no code of the user's."""
    for step in steps[1:]:
        module, code = step.frame.f_globals.get("__name__"), step.frame.f_code
        if step.file is not None or not isinstance(module, str) or not module.startswith("tensorflow.python."):
            return None
        if not module.startswith("tensorflow.python.ops.") or code.co_flags & _VARIABLE or code.co_freevars:
            continue
        plain = all(_is_plain(value) for value in arguments_of(step).values())
        return step if plain and not code.co_name.startswith("_") and "self" not in code.co_varnames[:1] else None
    return None


_VARIABLE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def _is_plain(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(_is_plain(one) for one in value)
    return type(value) in (int, float, bool, str, bytes, type(None)) or _is_tensor(value)


def arguments_of(step: Step) -> dict[str, Any]:
    """What a function of the library was given, by name."""
    code = step.frame.f_code
    return {word: step.names.get(word) for word in code.co_varnames[: code.co_argcount]}


def tensors_of(step: Step) -> list[Any]:
    """The tensors among them, in their order."""
    return [value for value in arguments_of(step).values() if _is_tensor(value)]


def _is_generated(step: Step) -> bool:
    name = step.frame.f_code.co_name
    return "/gen_" in step.code_file and is_of(step, "_ops.py") and not name.endswith("_eager_fallback")


def _slots(tensorflow: Any, given: dict[str, Any]) -> list[_Slot]:
    found = []
    for word, value in given.items():
        several = type(value) in (list, tuple) and bool(value) and all(_is_tensor(one) for one in value)
        for item, one in enumerate(value) if several else [(-1, value)]:
            if _is_tensor(one):
                facts = describe(one)
                constant = _constant(tensorflow, one, facts.dtype or "")
                found.append(_Slot(word, item, facts.dtype or "", facts.shape, constant))
            elif type(one) in (list, tuple) and (inner := _tensors_in(one)):
                # Tensors of another graph within nested lists, such as the paddings of `tf.pad`.
                found.append(_Slot(word, -1, describe(inner[0]).dtype or "", _nested_sizes(one), is_list=True))
    return found


def _tensors_in(value: Any, depth: int = 3) -> list[Any]:
    if type(value) in (list, tuple) and depth:
        return [one for part in value for one in _tensors_in(part, depth - 1)]
    return [value] if _is_tensor(value) else []


def _nested_sizes(value: Any) -> list[int | None]:
    sizes: list[int | None] = []
    while type(value) in (list, tuple) and value:
        sizes.append(len(value))
        value = value[0]
    return sizes


def _is_tensor(value: Any) -> bool:
    library = type(value).__module__.partition(".")[0]
    return library in ("tensorflow", "numpy", "keras") and not isinstance(value, type) and bool(describe(value).dtype)


def _constant(tensorflow: Any, value: Any, dtype: str) -> Any:
    """Small whole numbers, such as an axis or the sizes of a shape."""
    if not dtype.startswith(("int", "uint")):
        return None
    if type(value).__name__ == "EagerTensor":
        known = value.numpy() if int(value.shape.num_elements() or 0) <= _LARGEST_CONSTANT else None
    elif type(value).__module__.partition(".")[0] == "numpy":
        known = value if value.size <= _LARGEST_CONSTANT else None
    else:
        known = tensorflow.get_static_value(value) if hasattr(type(value), "op") else None
    return known


def _places(slots: list[_Slot], given: dict[str, Any], inputs: list[Any]) -> dict[int, int]:
    """Which input of the op each tensor of the call is."""
    places = {}
    for n, slot in enumerate(slots):
        value = given[slot.word] if slot.item < 0 else given[slot.word][slot.item]
        same = [at for at, one in enumerate(inputs) if one is value]
        places[n] = same[0] if len(same) == 1 else n
    return places


_Candidate = tuple[int, OperandTrial, list[_Slot], dict[str, Any]]


def _candidates(slots: list[_Slot], given: dict[str, Any], places: dict[int, int]) -> Iterator[_Candidate]:
    """Each with the input that it changes, the tensors of the call after it, and other arguments."""
    for word in _AXES:
        axis: Any = given.get(word)
        rank = max((len(slot.shape) for slot in slots if slot.shape is not None), default=0)
        for other in range(rank) if type(axis) is int else ():
            if other not in (axis, axis + rank):
                yield -1, OperandTrial(kind="axis", code=str(other), cost=2), slots, {word: other}
    yield from _entries(slots, given)
    kinds = list(dict.fromkeys([*(slot.dtype for slot in slots), *_CASTS]))
    for n, slot in enumerate(slots):
        # Numbers that the rule reads are arguments rather than values.
        if slot.is_list or (slot.constant is not None and slot.dtype.startswith("int")):
            continue
        for kind in kinds:
            if kind != slot.dtype and kind.rstrip("0123456789") in ("float", "int"):
                changed = _with(slots, n, msgspec.structs.replace(slot, dtype=kind, constant=None))
                yield places[n], OperandTrial(kind="cast", code=f"tf.cast({{x}}, tf.{kind})", cost=1), changed, {}
    for n, slot in enumerate(slots):
        if slot.shape is None or slot.is_list:
            continue
        # A few whole numbers may be labels as well: with more than one axis they are no axis and no sizes.
        is_read = slot.constant is not None and slot.dtype.startswith("int")
        for change in changes(slot.shape):
            if is_read and (change.kind != "squeeze" or len(slot.shape) < 2):
                continue
            known = slot.constant.reshape(change.shape) if is_read else None
            changed = _with(slots, n, msgspec.structs.replace(slot, shape=change.shape, constant=known))
            trial = OperandTrial(
                kind=change.kind, code=change.code, shape=change.shape, cost=change.cost, meaning=change.meaning
            )
            yield places[n], trial, changed, {}


def _entries(slots: list[_Slot], given: dict[str, Any]) -> Iterator[_Candidate]:
    """A list that has an entry for each axis, with as many as the first tensor has axes."""
    rank = len(slots[0].shape or []) if slots else 0
    for word, value in given.items():
        if type(value) not in (list, tuple) or not rank or len(value) <= rank:
            continue
        trial = OperandTrial(kind="entries", code=str(rank), cost=1)
        at = next((n for n, slot in enumerate(slots) if slot.word == word and slot.is_list), None)
        if at is None:
            yield -1, trial, slots, {word: value[:rank]}
        else:
            shorter = msgspec.structs.replace(slots[at], shape=[rank, *(slots[at].shape or [])[1:]])
            yield -1, trial, _with(slots, at, shorter), {}


def _with(slots: list[_Slot], at: int, other: _Slot) -> list[_Slot]:
    return [other if n == at else slot for n, slot in enumerate(slots)]


def _accepts(
    tensorflow: Any, function: Callable[..., Any], given: dict[str, Any], slots: list[_Slot]
) -> list[list[int | None] | None] | None:
    """The shapes that come out of a call; None where it is refused."""
    try:
        with tensorflow.Graph().as_default():
            words = dict(given)
            for word in {slot.word for slot in slots}:
                made = [_stand_in(tensorflow, slot) for slot in slots if slot.word == word]
                words[word] = made if next(one for one in slots if one.word == word).item >= 0 else made[0]
            result = function(**words)
    except Exception as refused:
        if guard.is_the_users(refused):
            raise
        return None
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    return [describe(one).shape for one in results] or [None]


def _stand_in(tensorflow: Any, slot: _Slot) -> Any:
    if slot.constant is not None:
        return tensorflow.constant(slot.constant, slot.dtype)
    return tensorflow.compat.v1.placeholder(slot.dtype, slot.shape)
