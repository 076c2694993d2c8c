"""Values and ops in words; runs in the process of the replay. Pure."""

from __future__ import annotations

from typing import Any

from whydied.records import Numbers

_FUNCTIONS = {
    "Log": "log",
    "Log1p": "log1p",
    "Sqrt": "sqrt",
    "Rsqrt": "rsqrt",
    "Exp": "exp",
    "Expm1": "expm1",
    "Acos": "acos",
    "Asin": "asin",
    "Acosh": "acosh",
    "Atanh": "atanh",
    "Reciprocal": "1 /",
    "Inv": "1 /",
    "Pow": "pow",
    "Square": "square",
    "Cosh": "cosh",
    "Sinh": "sinh",
    "Tan": "tan",
    "Erfinv": "erfinv",
    "Digamma": "digamma",
    "Lgamma": "lgamma",
    "Atan2": "atan2",
    "Xlogy": "xlogy",
    "Abs": "abs",
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
    "Relu": "relu",
    "Neg": "-",
}
_SIGNS = {
    "RealDiv": "/",
    "Div": "/",
    "TruncateDiv": "/",
    "FloorDiv": "//",
    "Mul": "*",
    "AddV2": "+",
    "Add": "+",
    "Sub": "-",
    "FloorMod": "%",
}


def number(value: Any) -> str:
    """`0`; `-1.5`; `3.4e+38`; `nan`."""
    import numpy

    if isinstance(value, (bytes, numpy.bytes_)):
        return repr(bytes(value))[1:]
    if numpy.iscomplexobj(value):
        return f"{complex(value):.4g}"
    if isinstance(value, (bool, numpy.bool_)):
        return str(bool(value))
    if numpy.asarray(value).dtype.kind in "iu":
        return str(int(value))
    text = f"{float(value):.4g}"
    return "0" if text == "-0" else text


def expression(op: str, operands: list[str], result: str) -> str:
    """`log(0) = -inf`; `0 / 0 = nan`."""
    if op in _SIGNS and len(operands) == 2:
        return f"{operands[0]} {_SIGNS[op]} {operands[1]} = {result}"
    name = _FUNCTIONS.get(op, op)
    if name in ("1 /", "-") and len(operands) == 1:
        return f"{name} {operands[0]} = {result}"
    return f"{name}({', '.join(operands)}) = {result}"


def op_name(op: str) -> str:
    """What a reader knows an op by."""
    sign, function = _SIGNS.get(op, ""), _FUNCTIONS.get(op, "")
    words = {"/": "division", "*": "product", "+": "sum", "-": "difference"}
    return words.get(sign) or {"1 /": "reciprocal", "-": "negation"}.get(function) or function or op


def amount(numbers: Numbers) -> str:
    """`3 NaN and 1 Inf of 64`."""
    parts = []
    if numbers.nan:
        parts.append(f"{numbers.nan:,} NaN")
    infinite = numbers.plus_infinity + numbers.minus_infinity
    if infinite:
        parts.append(f"{infinite:,} {'-Inf' if not numbers.plus_infinity else 'Inf'}")
    return f"{' and '.join(parts) or 'no bad value'} of {numbers.count:,}"


def span(numbers: Numbers) -> str:
    """`0.5 to 900`; `30`."""
    least, greatest = number(numbers.least), number(numbers.greatest)
    return least if least == greatest else f"{least} to {greatest}"


def listed(items: list[int], largest: int = 5) -> str:
    """`3, 5 and 9`; `3, 5, 9, 11, 12 and 7 more`."""
    if len(items) == 1:
        return str(items[0])
    if len(items) > largest:
        return f"{', '.join(map(str, items[:largest]))} and {len(items) - largest} more"
    return f"{', '.join(map(str, items[:-1]))} and {items[-1]}"
