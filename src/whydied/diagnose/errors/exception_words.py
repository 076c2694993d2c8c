"""A recorded exception in words: what it says, what was missed, what exists instead. Pure."""

from __future__ import annotations

import re

from whydied.diagnose.finding import Culprit, Evidence
from whydied.records import ExceptionRaised, Operand, RaisedException
from whydied.texts import graph_messages, python_output

_LONGEST = 300
_MADE = graph_messages.MADE_NODE_WHOLE.pattern
_CONVERTED = graph_messages.CONVERTED_ERROR.pattern
_VALUES = graph_messages.VALUES_SHOWN.pattern
_AROUND = (
    re.compile(r"\x1b\[\d*m"),
    graph_messages.FUNCTION_NODE.pattern,
    graph_messages.EXECUTION_ERROR.pattern,
    graph_messages.EXECUTION_ERROR_WITHOUT_STACK.pattern,
    graph_messages.IN_A_TRANSFORMATION.pattern,
    python_output.TRACEBACK_AND_ALL_AFTER.pattern,
    graph_messages.NODE_AND_ALL_AFTER.pattern,
    graph_messages.OP_AT_THE_END.pattern,
    graph_messages.CALLING_AROUND.pattern,
    graph_messages.ARGUMENTS_RECEIVED.pattern,
)
"""What TensorFlow puts around the words of an error."""
_KINDS = {
    "NameError": "name",
    "UnboundLocalError": "name",
    "AttributeError": "attribute",
    "KeyError": "key",
    "ModuleNotFoundError": "module",
    "ImportError": "import",
    "FileNotFoundError": "file",
    "NotADirectoryError": "file",
    "IsADirectoryError": "file",
    "PermissionError": "file",
    "IndexError": "index",
}


_SUGGESTED = "; did you mean "


def describe(link: RaisedException) -> str:
    """`KeyError: 'lable' is not in config; did you mean 'label'?`."""
    message = plain_message(link.message)
    message = message if len(message) <= _LONGEST else message[: _LONGEST - 1] + "…"
    text = f"{link.type}: {message}" if message else link.type
    if link.type == "KeyError" and (holder := _looked_in(link)):
        # pandas tells in a sentence which of several columns it misses.
        among = bool(link.wanted) and link.wanted != message and (link.wanted or "") in message
        text = f"{f'KeyError: {link.wanted}' if among else text} is not in {holder}"
    if link.type == "IndexError" and (sequence := _sequence(link)):
        text += f": {sequence}"
    if link.near and link.near[0] not in message:
        text += f"{_SUGGESTED}{_near_names(link)}?"
    return text


def without_suggestion(text: str) -> str:
    """A description whose near name was tried in vain."""
    return text.partition(_SUGGESTED)[0]


def _suggestion(link: RaisedException) -> str:
    return f"did you mean {_near_names(link)}?"


def _near_names(link: RaisedException) -> str:
    return " or ".join(_quoted(near) for near in link.near[:2])


def plain_message(text: str) -> str:
    """What an error says, on one line: without the nodes, devices and stacks that TensorFlow puts around it."""
    text = _MADE.sub(r"\1", _CONVERTED.sub(r"\1", text))
    text = _VALUES.sub("value=…", text)
    for pattern in _AROUND:
        text = pattern.sub(" ", text)
    return " ".join(text.split())


def _looked_in(link: RaisedException) -> str | None:
    """What was looked in, as the source writes it, else its type. Older recordings have only that: then it is what has
    that type in the failing expression."""
    if link.holder:
        return f"`{link.holder}`"
    alike = [one.text for one in link.operands if one.length is not None and one.type == link.wanted_in]
    return f"`{alike[0]}`" if alike else link.wanted_in


def _quoted(name: str) -> str:
    """A name in quotes; keys come as they are written, the quotes of a text included."""
    return name if name[:1] in "'\"" or name.lstrip("-").isdigit() else f"'{name}'"


def _sequence(link: RaisedException) -> str | None:
    sized = [operand for operand in link.operands if operand.length is not None or operand.shape]
    index = [operand for operand in link.operands if operand.value is not None and operand.type == "int"]
    if not sized:
        return None
    what = sized[0]
    extent = f"{what.length:,} items" if what.length is not None else f"shape {what.shape}"
    asked = next((operand for operand in index if operand.text != what.text), None)
    return f"{what.text} has {extent}" + (
        f", {asked.text} is {asked.value}"
        if asked and asked.text != asked.value
        else f", index {asked.value} was requested"
        if asked
        else ""
    )


def culprit_of(link: RaisedException) -> Culprit | None:
    # A file is named as the program asked for it, not by the absolute path that was looked at.
    name = link.filename or (_bare(link.wanted) if link.wanted else None)
    if name is None and link.operands:
        first = link.operands[0]
        return Culprit(kind="expression", name=first.text, shape=first.shape, dtype=first.dtype, value=first.value)
    return (
        Culprit(kind=_KINDS.get(link.type, "name"), name=name, near=[_bare(near) for near in link.near])
        if name
        else None
    )


def _bare(name: str) -> str:
    """A key without the quotes around it."""
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"" else name


def evidence_of(link: RaisedException, raised: ExceptionRaised, told: frozenset[str] = frozenset()) -> list[Evidence]:
    """The exception, and the parts of the failing expression but for those that are told elsewhere."""
    # Without a line of the user's they are those of a library's line.
    operands = link.operands if not link.frames or any(frame.user for frame in link.frames) else []
    found = [
        Evidence(
            fact="exception",
            value=f"{link.type}: {plain_message(link.message)}"[:2000],
            source="ExceptionRaised",
        )
    ]
    found += [
        Evidence(fact=f"`{operand.text}` on that line", value=_operand(operand), source="ExceptionRaised")
        for operand in [one for one in operands if _is_telling(one, link) and one.text not in told][:6]
    ]
    if len({other.type for other in raised.chain}) > 1:
        chain = " <- ".join(other.type for other in raised.chain)
        found.append(Evidence(fact="chain of exceptions", value=chain, source="ExceptionRaised"))
    return found


def _is_telling(operand: Operand, link: RaisedException) -> bool:
    """A constant says nothing that its words do not; what something is matters where that was the fault."""
    if operand.value is not None:
        return operand.value != operand.text
    if operand.text[:1] in "'\"":
        return False
    sized = operand.shape is not None or operand.length is not None
    return sized or link.type in ("AttributeError", "TypeError", "NotImplementedError")


def _operand(operand: Operand) -> str:
    words = [operand.type.rpartition(".")[2]]
    if operand.value is not None:
        words.append(f"= {operand.value}")
    if operand.shape is not None:
        words.append(f"of shape {operand.shape}")
    elif operand.length is not None:
        words.append(f"of length {operand.length:,}")
    if operand.dtype:
        words.append(operand.dtype)
    return " ".join(words)


_IN_GRAPHS = (
    (
        graph_messages.ONE_BRANCH_SETS.pattern,
        "Give `{name}` a value before the `if`, or in its {branch} branch too: in a graph both must create the same "
        "variables.",
    ),
    (
        graph_messages.LOOP_SETS.pattern,
        "Give `{name}` a value before the loop, with the type and shape that it has in the loop.",
    ),
    (
        graph_messages.DTYPE_CHANGES.pattern,
        "Keep `{name}` at one type, with `tf.cast` or a literal of that type: in a graph its type cannot change from "
        "{one} to {two}.",
    ),
    (
        graph_messages.SHAPE_CHANGES.pattern,
        "A loop variable keeps its shape: give `{name}` in the loop the shape that it has before it (`tf.reshape`, "
        "`[:, 0]`), or begin with the shape of the loop. What is meant to grow belongs into a `tf.TensorArray`.",
    ),
    (
        graph_messages.ONE_BRANCH_RETURNS.pattern,
        "Return a value from the {branch} branch too, or set a variable in both and return it at the end.",
    ),
)
"""What AutoGraph demands of Python code that becomes a graph, and how to meet it."""


_GROWING = (
    "A loop variable keeps its shape: collect values in a `tf.TensorArray`, or allow `{name}` to grow with "
    "`tf.autograph.experimental.set_loop_options(shape_invariants=[({name}, tf.TensorShape(…))])`."
)


def _grows(found: dict[str, str]) -> bool:
    """Whether a loop variable has as many axes after an iteration as before, and only their sizes are others."""
    before, after = found.get("before"), found.get("after")
    return bool(before and after) and (before or "").count(",") == (after or "").count(",")


def advice_for(link: RaisedException) -> list[str]:
    for pattern, words in _IN_GRAPHS:
        if (told := pattern.search(link.message)) is not None:
            found = told.groupdict()
            return [(_GROWING if _grows(found) else words).format(**found)]
    if not link.near:
        return _of_nothing(link)
    return [f"D{_suggestion(link)[1:]}"]


def _of_nothing(link: RaisedException) -> list[str]:
    """A slice in the failing call that has no items, and what it was cut out of."""
    sizes = {one.text: one.length if one.length is not None else (one.shape or [None])[0] for one in link.operands}
    for text, size in sizes.items():
        name, _, cut = text.partition("[")
        if size == 0 and ":" in cut and sizes.get(name):
            return [f"`{text}` has no items: `{name}` has only {sizes[name]:,}."]
    return []
