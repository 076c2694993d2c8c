"""One name, argument or value that a library of data once had, and how it is written now. Pure.

Invariant: an entry is only a proposal. Whether the old one is gone is told by the installed package's own exception,
and what stands in `<…>` of a form, and in `needs`, is looked up there before anything is said.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_LIBRARY_NAME = re.compile(r"<([\w.]+)>")


class Former(NamedTuple):
    """`old` is a name below the package: of a module (`numpy.product`), or of a class (`pandas.DataFrame.append`; the
    class may be a base of that of the object). With `argument` it is a function or class that no longer takes it, with
    `value`, the old one's text, that no longer takes that value for it.

    `forms` are written in its place, the likeliest first: of a name the name itself, or the whole call where the form
    has a `{` other than `{base}`; of an argument the argument, "" to leave it out, or the whole call. `{base}` is the
    object of a method, `{value}` the value of the argument, `{x}` the one that the call gives for the parameter `x`
    of `parameters`, `{x?}` the same with a comma and its keyword, or nothing, `{rest}` all others with a comma before
    them; `<pandas.concat>` is a name of a library, for which the program's own is written. `given` is the type of the
    first argument that a form is for, `values` are arguments that are written otherwise, too."""

    old: str
    forms: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    argument: str = ""
    value: str = ""
    note: str = ""
    needs: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the installed packages must have, in the order of use."""
        named = [name for form in self.forms for name in _LIBRARY_NAME.findall(form)]
        return tuple(dict.fromkeys([*named, *self.needs]))

    @property
    def key(self) -> str:
        return " ".join(part for part in (self.old, self.argument, self.value, ",".join(self.given)) if part)


def renamed(module: str, names: str, now: str = "") -> list[Former]:
    """Names of a module that have other ones now: `"product=prod cumproduct=cumprod"`."""
    pairs = [pair.partition("=") for pair in names.split()]
    return [Former(f"{module}.{old}", (f"<{now or module}.{new or old}>",)) for old, _, new in pairs]


def methods(owners: str, names: str) -> list[Former]:
    """Methods of classes that have other names now: `"iteritems=items"`."""
    pairs = [pair.split("=") for pair in names.split()]
    return [
        Former(f"{owner}.{old}", (f"{{base}}.{new}",), needs=(f"{owner}.{new}",))
        for owner in owners.split()
        for old, new in pairs
    ]


def arguments(callees: str, names: str) -> list[Former]:
    """Arguments that have other names now, `"line_terminator=lineterminator"`, or none, `"presort="`."""
    pairs = [pair.partition("=") for pair in names.split()]
    return [
        Former(callee, (f"{new}={{value}}" if new else "",), argument=old)
        for callee in callees.split()
        for old, _, new in pairs
    ]
