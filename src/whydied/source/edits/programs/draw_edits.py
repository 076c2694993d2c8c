"""Random numbers of Python and NumPy as ops of TensorFlow's, which draw in each step of a graph. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.value_edits import in_words_of
from whydied.source.text import Source
from whydied.source.trees import walk, written


def drawn_by_tensorflow(sources: Mapping[str, Source], draws: Sequence[tuple[str, ast.Call]]) -> list[Edit] | None:
    """The same draws as ops of the graph, which draw in each step; None where one of them has no such op."""
    edits: list[Edit] = []
    for file, call in draws:
        source = sources[file]
        code = _op(source, call)
        if code is None:
            return None
        whole = next((one for one in walk(source.tree, ast.Call) if _is_cast_of(one, call)), call)
        text, needed = in_words_of(source, file, code)
        edits += [*(one for one in needed if one not in edits), over(source, file, whole, text)]
    return edits or None


def _is_cast_of(node: ast.Call, call: ast.Call) -> bool:
    """`np.random.normal(…).astype("float32")`: a tensor of TensorFlow's is that already, and has no `astype`."""
    method = node.func
    return isinstance(method, ast.Attribute) and method.attr == "astype" and method.value is call


def _op(source: Source, call: ast.Call) -> str | None:
    of_python = isinstance(call.func, ast.Attribute) and written(call.func.value) == "random"

    def given(at: int, *names: str) -> str:
        found = [passed_argument(call, str(at)), *(passed_argument(call, name) for name in names)]
        node = next((one for one in found if one is not None), None)
        return written_in(source, node) if node is not None else ""

    if any(isinstance(one, ast.Starred) for one in call.args) or any(word.arg is None for word in call.keywords):
        return None
    name = callee(call)
    if name in ("rand", "randn"):
        kind = "uniform" if name == "rand" else "normal"
        return f"tf.random.{kind}([{', '.join(written_in(source, one) for one in call.args)}])"
    if name in ("random", "random_sample", "standard_normal"):
        kind = "normal" if name == "standard_normal" else "uniform"
        return f"tf.random.{kind}({given(0, 'size') or '[]'})"
    size = given(2, "size") or "[]"
    if name == "uniform":
        low, high = given(0, "low", "a") or "0.0", given(1, "high", "b") or "1.0"
        return f"tf.random.uniform({size}, {low}, {high})"
    if name in ("normal", "gauss"):
        return f"tf.random.normal({size}, {given(0, 'loc', 'mu') or '0.0'}, {given(1, 'scale', 'sigma') or '1.0'})"
    if name in ("randint", "integers", "randrange"):
        low, high = given(0, "low", "a", "start"), given(1, "high", "b", "stop")
        low, high = (low, high) if high else ("0", low)
        # That of Python counts its end.
        ends = high.removesuffix(" - 1") if high.endswith(" - 1") else f"{high} + 1"
        high = ends if of_python and name == "randint" else high
        return f"tf.random.uniform({size}, {low}, {high}, dtype=tf.int32)"
    return None
