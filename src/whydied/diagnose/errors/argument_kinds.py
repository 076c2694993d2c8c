"""What kind of value a parameter takes, by what the installed documentation says, whether an argument is one, and how
it becomes one. Pure.

The documentation of TensorFlow and Keras begins what it says of a parameter with its type: "Positive integer, …", "A
shape tuple (…)", "0-D `int32` `Tensor`." Only that beginning is read. Where it names no kind that is known, nothing
is said.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied.records import Argument
from whydied.source.trees import written

_SENTENCE = re.compile(r"\.(?:\s|$)")
_SEQUENCES = re.compile(
    r"\b(?:(?:shape )?tuples?|lists?)(?:(?:/| or | and )(?:tuples?|lists?))* of (?:\d+ )?`?[\w. ]+`?"
)
_WORDS = {
    "int": r"\b(?:integers?|ints?)\b|`(?:tf\.)?int\d*`",
    "float": r"\b(?:floats?|numbers?|scalars?)\b|`float\d*`",
    "bool": r"\b(?:booleans?|bools?)\b|`(?:True|False)`",
    "str": r"\b(?:[Ss]trings?|str)\b|`\"|^\"",
    "tuple": r"\btuples?\b",
    "list": r"\blists?\b",
    "tensor": r"\b(?:tensors?|arrays?|array-likes?)\b",
    "dict": r"\b(?:dicts?|dictionary|dictionaries|mapping)\b",
    "callable": r"\b(?:callables?|functions?)\b",
}
_MAPPING = re.compile(r"^(?:Optional )?[Dd]ict(?:ionary)? mapping\b")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_FLOATING = ("np.ceil", "np.floor", "np.round", "numpy.ceil", "numpy.floor", "float", "np.divide")
_SCALAR = re.compile(r"\b(?:0-D|scalar)\b", re.IGNORECASE)
_TENSORS = (
    "ndarray",
    "EagerTensor",
    "SymbolicTensor",
    "KerasTensor",
    "Tensor",
    "Variable",
    "ResourceVariable",
    "Series",
)
_NAMES = {"int": "an integer", "float": "a number", "bool": "True or False", "str": "a string", "tuple": "a tuple",
          "list": "a list", "tensor": "an array or tensor", "dict": "a dict", "callable": "a function"}  # fmt: skip


class Taken(NamedTuple):
    """The kinds that a parameter takes; `scalar`: of tensors only single values; `data`: arrays that are not made from
    lists of numbers; `by_default`: told by the default alone."""

    kinds: frozenset[str]
    scalar: bool = False
    data: bool = False
    by_default: bool = False

    @property
    def words(self) -> str:
        return " or ".join(words for known, words in _NAMES.items() if known in self.kinds)


def taken(argument: Argument) -> Taken | None:
    """What a parameter takes; what its default is where its documentation names no kind, else None."""
    head = _SENTENCE.split(argument.says.replace("e.g.", "e,g,"), maxsplit=1)[0]
    if re.match(r"(?:Input|Target) data\b", head):
        return Taken(frozenset({"tensor", "dict"}), data=True)
    if _MAPPING.search(head):
        return Taken(frozenset({"dict"}))
    kinds = set()
    sequences = _SEQUENCES.findall(head)
    for words in sequences:
        kinds |= {kind for kind in ("tuple", "list") if kind in words}
    # "a tuple of integers" takes no integer.
    rest = _SEQUENCES.sub(" ", head)
    rest = re.split(r",(?! or)|\bspecifying\b|\bindicating\b|\bdefining\b", rest, maxsplit=1)[0]
    kinds |= {kind for kind, words in _WORDS.items() if re.search(words, rest, re.IGNORECASE if kind != "str" else 0)}
    scalar = _SCALAR.search(rest) is not None
    if "tensor" in kinds and "int" in kinds and scalar:
        kinds.discard("float")
    if not kinds and (argument.default or "N")[0] in "'\"" and not re.search(r"\binstance", argument.says):
        return Taken(frozenset({"str"}), by_default=True)
    return Taken(frozenset(kinds), scalar) if kinds else None


def kind_of(argument: Argument) -> str | None:
    name = argument.type.rpartition(".")[2]
    if argument.type in ("int", "float", "bool", "str", "tuple", "list", "dict", "NoneType", "generator"):
        return argument.type
    if name in _TENSORS:
        return "tensor"
    if argument.type.startswith("numpy."):
        return "int" if name.startswith(("int", "uint")) else "float" if name.startswith("float") else None
    return "callable" if argument.type in ("function", "builtin_function_or_method") else None


def _is_listed(argument: Argument) -> bool:
    """Whether the documentation lists the value, or the default is of its kind: `"auto"`, 0, 1, or 2."""
    if argument.value is None:
        return False
    default = argument.default or ""
    alike = default[:1] in "'\"" if argument.type == "str" else bool(re.fullmatch(r"-?\d+", default))
    listed = re.search(rf"(?<![\w.\"'`]){re.escape(argument.value)}(?![\w.\"'`]\w|\w)", argument.says)
    return bool(listed) or (bool(default) and alike and argument.type in ("str", "int"))


def fit(argument: Argument, parameter: Taken | None) -> int | None:
    """2: as documented; 1: can be converted; 0: is not what the parameter takes; None: not known."""
    kind = kind_of(argument)
    if parameter is None or kind is None:
        return None
    if _is_listed(argument):
        return 2
    kinds = parameter.kinds
    many = (kind == "tensor" and bool(argument.shape)) or (
        kind in ("list", "tuple") and any("Tensor" in one for one in argument.held)
    )
    if kind == "NoneType":
        return 2 if argument.default == "None" else None
    if parameter.scalar and many:
        return 0
    if parameter.data and kind in ("list", "tuple"):
        return 0 if set(argument.held) & {"int", "float", "str", "bool"} else None
    if kind in kinds:
        return 2
    if kind in ("str", "dict") and re.search(_WORDS[kind], argument.says):
        # Named further on: "Loss function. May be a string".
        return None
    if kind == "bool" and kinds & {"int", "float", "tensor"}:
        return 1
    if kind == "int" and kinds & {"float", "tensor"}:
        return 2 if "float" in kinds or parameter.scalar else 1
    if kind in ("float", "list", "tuple") and "tensor" in kinds:
        return 1
    if {kind} <= {"list", "tuple"} and kinds & {"list", "tuple"}:
        return 1
    if kind == "tensor" and kinds & {"int", "float"} and not argument.shape:
        return 1
    return 0


def converted(text: str, kind: str, takes: Taken, argument: Argument) -> str:
    """An expression as the parameter takes it; empty where that is not known."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return ""
    if kind == "str" and takes.kinds & {"int", "float"}:
        number = (argument.value or "").strip("'\"")
        if not _NUMBER.fullmatch(number):
            return ""
        if isinstance(node, ast.Constant):
            # A number that is only quoted is written without its quotes, where it is of the kind.
            return number if "float" in takes.kinds or number.lstrip("+-").isdigit() else ""
        return f"{'int' if 'int' in takes.kinds else 'float'}({text})"
    if kind == "int" and takes.kinds & {"float"} and "int" not in takes.kinds:
        return _as_float(node, argument)
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant))
    if kind == "float" and "int" in takes.kinds:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return f"{ast.unparse(node.left)} // {ast.unparse(node.right)}"
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value.is_integer():
            return str(int(node.value))
        return f"int({text})"
    if kind == "int" and "tuple" in takes.kinds:
        return f"({text},)"
    if kind == "generator" and "callable" in takes.kinds and isinstance(node, ast.Call):
        return f"lambda: {text}" if node.args or node.keywords else ast.unparse(node.func)
    row = kind == "tensor" and len(argument.shape or []) == 1
    if (kind in ("list", "tuple") or row) and takes.kinds == {"dict"}:
        return f"dict(enumerate({text}))" if plain else ""
    if kind in ("list", "tuple") and takes.kinds & {"tensor"} and plain:
        return f"np.array({text})"
    if kind == "tensor" and takes.kinds & {"int", "float"} and not argument.shape:
        return f"{'int' if 'int' in takes.kinds else 'float'}({text})"
    return ""


def _as_float(node: ast.expr, argument: Argument) -> str:
    """An integer, or the items of a list that are that integer, as a float."""
    if isinstance(node, ast.List | ast.Tuple):
        items = [f"{written(one)}.0" if written(one) == argument.value else written(one) for one in node.elts]
        return f"[{', '.join(items)}]" if isinstance(node, ast.List) else f"({', '.join(items)},)"
    return f"{written(node)}.0" if isinstance(node, ast.Constant) else f"float({written(node)})"


def gives_float(node: ast.expr) -> bool:
    """Whether an expression is a float by what it is written with."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Div) or gives_float(node.left) or gives_float(node.right)
    return isinstance(node, ast.Call) and written(node.func) in _FLOATING
