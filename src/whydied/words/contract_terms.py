"""The terms of a contract, with their words; runs in the user's process."""

from __future__ import annotations

from whydied.records import Term


def number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:g}"


def finite(by: str, source: str = "") -> Term:
    return Term(kind="finite", words="finite values", by=by, source=source)


def shape(text: str, by: str, source: str = "") -> Term:
    return Term(kind="shape", words=f"shape ({text})", by=by, source=source, shape=text)


def dtype(name: str, by: str, source: str = "") -> Term:
    return Term(kind="dtype", words=f"dtype {name}", by=by, source=source, dtype=name)


def within(low: float | None, high: float | None, by: str, source: str = "") -> Term:
    if low is None:
        words = f"values of at most {number(high or 0)}"
    elif high is None:
        words = f"values of at least {number(low)}"
    else:
        words = f"values from {number(low)} to {number(high)}"
    return Term(kind="range", words=words, by=by, source=source, low=low, high=high)


def classes(count: int, by: str, source: str = "", spared: list[float] | None = None) -> Term:
    also = f" or {', '.join(number(value) for value in spared)}" if spared else ""
    words = f"classes from 0 to {count - 1}{also}"
    return Term(
        kind="classes", words=words, by=by, source=source, low=0, high=count, below=True, spared=list(spared or [])
    )


def vocabulary(size: int, by: str, source: str = "") -> Term:
    words = f"ids from 0 to {size - 1}"
    return Term(kind="vocabulary", words=words, by=by, source=source, low=0, high=size, below=True)


def one_hot(width: int, by: str, source: str = "") -> Term:
    return Term(kind="one-hot", words=f"{width} values that sum to 1", by=by, source=source)


def one_of(members: list[str], by: str) -> Term:
    shown = ", ".join(members[:12]) + (", …" if len(members) > 12 else "")
    return Term(kind="one-of", words=f"one of {shown}", by=by, members=members[:100])


def unique(by: str) -> Term:
    return Term(kind="unique", words="no row twice", by=by)
