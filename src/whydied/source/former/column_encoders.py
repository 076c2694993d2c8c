"""An encoder that was told which columns to encode, as the transformer of columns that does so now. Pure."""

from __future__ import annotations

import ast

from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.former.present_forms import Names
from whydied.source.text import Source
from whydied.source.trees import walk

ARGUMENT = "categorical_features"
_DROPPED = frozenset({ARGUMENT, "sparse", "n_values"})
_APPLIED = frozenset({"fit_transform", "transform"})


def as_column_transformer(source: Source, file: str, names: Names, call: ast.Call) -> list[Edit]:
    """The encoder within a `ColumnTransformer` that passes the other columns on, and numbers where its sparse matrix
    became an array. The encoded columns came first, and still do."""
    word = next((one for one in call.keywords if one.arg == ARGUMENT), None)
    if word is None or call.args:
        return []
    if isinstance(word.value, ast.Constant) and word.value.value == "all":
        return []
    encoder = written_in(source, call.func)
    kept = ", ".join(written_in(source, one) for one in call.keywords if one.arg not in _DROPPED)
    transformer = names.written("sklearn.compose.ColumnTransformer")
    columns = written_in(source, word.value)
    text = f'{transformer}([("onehot", {encoder}({kept}), {columns})], remainder="passthrough", sparse_threshold=0)'
    return [over(source, file, call, text), *_numbers(source, file, call)]


def _numbers(source: Source, file: str, made: ast.Call) -> list[Edit]:
    """`.toarray()` of what the encoder gives: the transformer gives an array, of objects where it was given such."""
    own = {
        one.targets[0].id
        for one in walk(source.tree, ast.Assign)
        if one.value is made and isinstance(one.targets[0], ast.Name)
    }
    edits = []
    for call in walk(source.tree, ast.Call):
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr not in ("toarray", "todense") or call.args:
            continue
        inner = func.value
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute):
            continue
        giver = inner.func.value
        is_own = giver is made or (isinstance(giver, ast.Name) and giver.id in own)
        if is_own and inner.func.attr in _APPLIED:
            end = over(source, file, inner, "").end
            whole = over(source, file, call, "")
            edits.append(Edit(file, end, whole.end, ".astype(float)"))
    return edits
