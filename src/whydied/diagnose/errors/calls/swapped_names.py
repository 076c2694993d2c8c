"""Two names that a call was given for each other's parameters. Pure.

The documentation of a parameter says which module its names are of ("See `keras.optimizers`"); which modules know a
name was looked up in the installed Keras. Only where each of two names is known to the other's module and not to its
own is anything said.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.candidates import Answer
from whydied.diagnose.errors.calls.refused_values import failing_call
from whydied.diagnose.errors.usage import call_of
from whydied.diagnose.finding import Culprit
from whydied.records import Argument
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.trees import written

_MODULE = re.compile(r"`(?:tf\.)?(keras\.\w+)(?:\.\w+)*`")


def swapped_names(case: Case) -> Answer | None:
    called = call_of(case)
    call = failing_call(case, called) if called is not None else None
    if called is None or called.frame is None or call is None:
        return None
    pairs = [
        (one, other)
        for at, one in enumerate(called.arguments)
        for other in called.arguments[at + 1 :]
        if _is_of(one, other) and _is_of(other, one) and not _is_of(one, one) and not _is_of(other, other)
    ]
    if len(pairs) != 1:
        return None
    pair, file = pairs[0], called.frame.file
    given = [*call.args, *(word.value for word in call.keywords)]
    nodes = [[node for node in given if written(node) == one.text] for one in pair]
    if any(len(found) != 1 for found in nodes):
        return None
    source = case.sources[file]
    first, second = (found[0] for found in nodes)
    edits = [
        over(source, file, first, written_in(source, second)),
        over(source, file, second, written_in(source, first)),
    ]
    one, other = pair
    words = (
        f"`{called.callee}` was given {one.text} as `{one.parameter}` and {other.text} as `{other.parameter}`: each is "
        f"a name for the other"
    )
    title = f"Pass {other.text} as `{one.parameter}` and {one.text} as `{other.parameter}`"
    culprit = Culprit(kind="argument", name=one.text, value=one.value)
    return Answer(words, file, call.lineno, culprit, [f"{title}."], [Change(title=title, kind="argument", edits=edits)])


def _is_of(name: Argument, parameter: Argument) -> bool:
    """Whether the module of a parameter's names knows a name."""
    told = _MODULE.search(parameter.says)
    return told is not None and told[1] in name.registries
