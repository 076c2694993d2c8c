"""A value in another form: an array of a list, the value of a tensor, a call that is missing or one too many. Pure.

By the recorded type of an expression of the failing statement: what a value of that type is usually turned into, and
what was done to it that can be left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whydied.prove.guesses.scene import Guess, Known, Scene, Site, is_about_shapes
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.shapes.value_edits import in_words_of
from whydied.source.edits.shapes.value_edits import written as rewritten
from whydied.source.trees import written

_FORMS: dict[str, tuple[tuple[str, float], ...]] = {
    "list": (("np.array({x})", 1.0), ("{x}[0]", 2.2), ("tuple({x})", 2.4)),
    "tuple": (("{x}[0]", 1.2), ("list({x})", 1.6), ("np.array({x})", 2.0)),
    "ndarray": (("{x}.tolist()", 2.4), ("tf.constant({x})", 2.8)),
    "EagerTensor": (("{x}.numpy()", 1.0),),
    "ResourceVariable": (("{x}.numpy()", 1.4),),
    "str": (("int({x})", 1.8), ("float({x})", 2.2), ("[{x}]", 2.0)),
    "bytes": (("{x}.decode()", 1.0),),
    "float": (("int({x})", 0.8),),
    "float64": (("int({x})", 1.2), ("float({x})", 1.4)),
    "float32": (("float({x})", 1.2), ("int({x})", 1.4)),
    "int64": (("int({x})", 1.0),),
    "int32": (("int({x})", 1.0),),
    "int": (("float({x})", 1.6), ("str({x})", 1.8), ("[{x}]", 1.8), ("({x},)", 1.6)),
    "function": (("{x}()", 1.0),),
    "method": (("{x}()", 0.8),),
    "type": (("{x}()", 1.0),),
    "ABCMeta": (("{x}()", 1.0),),
    "dict": (("{x}.values()", 1.6), ("{x}.items()", 1.4), ("list({x}.values())", 1.8)),
    "dict_keys": (("list({x})", 0.6),),
    "dict_values": (("list({x})", 0.6),),
    "dict_items": (("list({x})", 0.6),),
    "map": (("list({x})", 0.6),),
    "zip": (("list({x})", 0.6),),
    "filter": (("list({x})", 0.6),),
    "range": (("list({x})", 0.9),),
    "set": (("list({x})", 0.6), ("next(iter({x}))", 1.6)),
    "generator": (("list({x})", 1.0), ("next({x})", 1.4)),
    "Index": (("list({x})", 1.0),),
    "DataFrame": (("{x}.to_numpy()", 1.0),),
    "Series": (("{x}.to_numpy()", 0.9), ("{x}.tolist()", 1.4)),
    "PosixPath": (("str({x})", 0.6),),
    "csr_matrix": (("{x}.toarray()", 0.6),),
    "csc_matrix": (("{x}.toarray()", 0.6),),
    "coo_matrix": (("{x}.toarray()", 0.6),),
    "Image": (("np.array({x})", 1.0), ('{x}.convert("RGB")', 1.4)),
    "History": (("{x}.history", 0.4),),
    "Sequential": (("{x}.output", 1.4), ("{x}.layers", 2.6)),
    "Functional": (("{x}.output", 1.4), ("{x}.layers", 2.6)),
    "NpzFile": (('{x}["arr_0"]', 1.4),),
    "Tokenizer": (("{x}.word_index", 1.6),),
}
_OF_TYPES = re.compile(r"\bu?int\d*\b.*\bfloat\d*\b|\bfloat\d*\b.*\bu?int\d*\b", re.DOTALL)
_LAYERS = ("keras.src.layers", "tf_keras.src.layers")
_SHAPING = {"expand_dims", "squeeze", "reshape", "transpose", "flatten", "ravel", "newaxis", "repeat", "tile", "batch"}
_FORMING = {
    *("array", "asarray", "constant", "convert_to_tensor", "list", "tuple", "Variable", "to_categorical", "one_hot"),
    *("argmax", "float", "int", "str", "cast", "astype", "numpy", "decode", "encode", "tolist", "toarray", "Series"),
    *("DataFrame", "set", "unbatch", "values", "to_numpy", "item", "items", "keys", "get_shape"),
}
_FLAT = {"round", "stop_gradient", "sign", "floor", "ceil", "rint", "argmax", "cast"}
"""They have no gradient."""
_CARRIED_OUT = {"list", "tuple", "set"}
"""Without them what they go through would not run, and could not fail."""
_PLAIN = {
    *("dict_keys", "dict_values", "dict_items", "map", "zip", "filter", "generator"),
    *("PosixPath", "csr_matrix", "csc_matrix", "coo_matrix", "History", "bytes"),
}
"""Types whose first form is what was meant wherever they are refused."""
_AT_HAND = {"list", "tuple", "ndarray", "dict", "range", "str", "DataFrame", "Series", "set"}


def conversions(scene: Scene) -> Iterator[Guess]:
    for site in scene.sites:
        if site.is_running and site.far <= 1:
            yield from _forms(scene, site)
        if site.far <= 2:
            yield from _left_out(scene, site)
            yield from _brackets(scene, site)
            yield from _given_out(scene, site)
            yield from _minimised(scene, site)
            yield from _casts(scene, site)


def _forms(scene: Scene, site: Site) -> Iterator[Guess]:
    for node in scene.nodes(site, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)):
        known = scene.known(site, node)
        if known is None or not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        if known.name == "int" and scene.link.type != "TypeError":
            continue
        for code, cost in _forms_of(known):
            if _is_spared(scene, site, node, code):
                continue
            if known.name == "dict" and scene.link.type not in ("TypeError", "AttributeError", "KeyError"):
                continue
            if code == "int({x})" and _has_fraction(known):
                # A rate of 0.1 would become one of 0: the program runs, and does not do what it is for.
                continue
            cost += site.far + (0.0 if written(node) in _about(scene) else 0.8) + _unlike(scene, node, known, code)
            is_plain = known.name in _PLAIN and code == _FORMS[known.name][0][0]
            yield _guess(scene, site, node, code, known, cost, "plain-form" if is_plain else "form")


def _has_fraction(known: Known) -> bool:
    try:
        return not float(known.value or "0").is_integer()
    except ValueError:
        return False


def _casts(scene: Scene, site: Site) -> Iterator[Guess]:
    """A tensor of whole numbers that is computed with fractions, as one of fractions."""
    if not _OF_TYPES.search(scene.link.message):
        return
    source = scene.sources[site.file]
    tensorflow = name_of(source, "tensorflow")
    operands = [part for node in scene.nodes(site, ast.BinOp) for part in (node.left, node.right)]
    given = [part for call in scene.nodes(site, ast.Call) for part in call.args]
    for node in [*operands, *given] if tensorflow is not None else []:
        known = scene.known(site, node)
        is_whole = known is None or known.dtype is None or known.dtype.startswith(("int", "uint"))
        if isinstance(node, ast.Name | ast.Attribute) and is_whole and (known is None or known.name not in _AT_HAND):
            text = f"{tensorflow}.cast({written(node)}, {tensorflow}.float32)"
            wrong = f"`{written(node)}` has whole numbers where fractions are computed"
            edit = over(source, site.file, node, text)
            yield Guess("dtype", f"Write `{text}` instead of `{written(node)}`", wrong, [edit], 1.0 + 0.4 * site.far)


def _forms_of(known: Known) -> tuple[tuple[str, float], ...]:
    if known.type.endswith("Dataset"):
        return (("enumerate({x})", 2.2), ("{x}.batch(1)", 2.0), ("next(iter({x}))", 1.8), ("list({x})", 2.4))
    if known.name == "ndarray" and known.shape == []:
        return (("{x}.item()", 0.8),)
    if (known.name == "ndarray" and known.dtype in ("object", "string")) or (known.dtype or "").startswith("<U"):
        return (('{x}.astype("float32")', 0.6), ("np.stack({x})", 1.2), ("{x}.tolist()", 1.6))
    if known.name == "KerasTensor":
        return ()
    if known.type.startswith(_LAYERS):
        return (("{x}.output", 1.6), ("{x}()", 2.4))
    return _FORMS.get(known.name, ())


def _unlike(scene: Scene, node: ast.expr, known: Known, code: str) -> float:
    """Less where the exception is about the very thing that the other form has."""
    wanted = scene.link.wanted or ""
    if scene.link.type == "AttributeError" and wanted:
        has = {"np.array": ("shape", "astype", "reshape", "ndim", "dtype", "mean", "T", "tolist"),
               "{x}[0]": (), "{x}.numpy": ("tolist", "astype"), "list(": ("append", "extend", "index", "sort"),
               "{x}.output": ("shape", "dtype"), "{x}.history": ("keys",)}  # fmt: skip
        return -0.8 if any(code.startswith(form) and wanted in names for form, names in has.items()) else 0.4
    return 0.0


def _about(scene: Scene) -> set[str]:
    """The expressions that took part in what failed."""
    own = {one.text for one in scene.link.operands}
    return own | {party.text for party in scene.facts.parties} if scene.facts is not None else own


def _is_spared(scene: Scene, site: Site, node: ast.expr, code: str) -> bool:
    """A function that is called here, and what is taken apart, stay as they are."""
    wanted = scene.link.wanted if scene.link.type == "AttributeError" else None
    for call in scene.nodes(site, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.value is node and call.func.attr != wanted:
            return True
        if call.func is node or (isinstance(call.func, ast.Attribute) and call.func.value is node and "[0]" in code):
            return code.startswith(("{x}()", "np.", "list(", "tuple(")) or call.func is node
    return code == "{x}[0]" and any(one.value is node for one in scene.nodes(site, ast.Subscript))


def _guess(scene: Scene, site: Site, node: ast.expr, code: str, known: Known, cost: float, kind: str) -> Guess:
    text = written(node)
    new = code.replace("{x}", text)
    edits = rewritten(scene.sources[site.file], site.file, node, code)
    wrong = f"`{text}` is a {known.name} here; `{new}` works"
    return Guess(kind, f"Write `{new}` instead of `{text}`", wrong, edits, cost)


def _left_out(scene: Scene, site: Site) -> Iterator[Guess]:
    """A conversion or a change of shape that is one too many."""
    source = scene.sources[site.file]
    shapes = is_about_shapes(scene)
    for call in scene.nodes(site, ast.Call):
        name = callee(call)
        of_object = isinstance(call.func, ast.Attribute) and not _is_module(call.func.value)
        is_flat = name in _FLAT and scene.rule == "no-gradient"
        formed = name in _FORMING or is_flat
        if name not in _SHAPING and not formed and not (name and not call.args and not call.keywords):
            continue
        cost = (1.0 if shapes else 2.6) if name in _SHAPING else 0.9 if is_flat else 2.0
        if name not in _SHAPING and not formed:
            # `Dataset().from_generator`, `model.summary()`.
            if not any(one.value is call for one in scene.nodes(site, ast.Attribute)) or not name[:1].isupper():
                # Without its call a function would not run, and nothing in it could fail.
                continue
            kept: ast.expr = call.func
            cost = 2.2
        elif of_object and isinstance(call.func, ast.Attribute):
            kept = call.func.value
        elif call.args and not isinstance(call.args[0], ast.Starred):
            kept = call.args[0]
        else:
            continue
        own = scene.known(site, kept)
        if name in _CARRIED_OUT and (own is None or own.name not in _AT_HAND):
            continue
        new, old = written_in(source, kept), written(call)
        about = 0.0 if scene.link.wanted == name or name in scene.link.message else 0.4
        yield Guess(
            "left-out",
            f"Leave out `{name}`: `{written(kept)}` instead of `{old}`",
            f"`{old}` changes a value that is right without it",
            [over(source, site.file, call, new)],
            cost + 0.7 * site.far + about,
        )


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("tf", "np", "numpy", "tensorflow", "keras", "K", "pd", "os")


def _brackets(scene: Scene, site: Site) -> Iterator[Guess]:
    """Brackets around one thing left out, and one kind of them for another."""
    source = scene.sources[site.file]
    for node in scene.nodes(site, (ast.List, ast.Tuple, ast.Set)):
        if not isinstance(node, ast.List | ast.Tuple | ast.Set) or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        words = [written_in(source, one) for one in node.elts]
        if not words:
            continue
        inner = ", ".join(words)
        cost = 0.6 * site.far + (0.0 if site.is_running else 0.2)
        if len(words) == 1:
            yield _swap(scene, site, node, words[0], 1.4 + cost)
        if isinstance(node, ast.Set):
            yield _swap(scene, site, node, f"[{inner}]", 0.6 + cost)
        elif isinstance(node, ast.List) and (len(words) > 1 or scene.link.type == "TypeError"):
            yielded = any(getattr(one, "value", None) is node for one in scene.nodes(site, (ast.Yield, ast.Return)))
            text = f"({inner},)" if len(words) == 1 else f"({inner})"
            yield _swap(scene, site, node, text, (0.9 if yielded else 2.6) + cost)
        elif isinstance(node, ast.Tuple) and len(words) > 1 and not _is_assigned(scene, site, node):
            yield _swap(scene, site, node, f"[{inner}]", 2.4 + cost)


def _is_assigned(scene: Scene, site: Site, node: ast.Tuple) -> bool:
    """Whether a tuple is the several values of an assignment, or the indices of an item: only names of columns are as
    well a list."""
    indices = any(one.slice is node for one in scene.nodes(site, ast.Subscript))
    names = all(isinstance(one, ast.Constant) and type(one.value) is str for one in node.elts)
    return (indices and not names) or any(one.value is node for one in scene.nodes(site, ast.Assign))


def _swap(scene: Scene, site: Site, node: ast.expr, text: str, cost: float) -> Guess:
    source = scene.sources[site.file]
    old = written_in(source, node)
    edit = over(source, site.file, node, text) if old[:1] in "([{" else _bare(scene, site, node, text)
    return Guess("brackets", f"Write `{text}` instead of `{old}`", f"`{old}` should be `{text}`", [edit], cost)


def _bare(scene: Scene, site: Site, node: ast.expr, text: str) -> Edit:
    """A tuple without brackets: `x = make(),`."""
    source = scene.sources[site.file]
    edit = over(source, site.file, node, text)
    line = source.lines[edit.end[0] - 1]
    return (
        edit
        if not line[edit.end[1] :].startswith(",")
        else Edit(edit.file, edit.start, (edit.end[0], edit.end[1] + 1), text)
    )


def _given_out(scene: Scene, site: Site) -> Iterator[Guess]:
    """What a generator yields or a function returns as Keras takes it: tuples of arrays."""
    source = scene.sources[site.file]
    kinds = (ast.Yield, ast.Return) if scene.rule == "generator-mismatch" else ast.Yield
    for node in scene.nodes(site, kinds):
        value = getattr(node, "value", None)
        if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) < 2:
            continue
        texts = [_as_array(one, written_in(source, one)) for one in value.elts]
        text, needed = in_words_of(source, site.file, ", ".join(texts))
        edits = [*needed, over(source, site.file, value, text)]
        wrong = f"`{written(value)}` has lists where arrays are taken"
        yield Guess("given-out", f"Give out `{text}`", wrong, edits, 1.3 + 0.4 * site.far)


def _as_array(node: ast.expr, text: str) -> str:
    if isinstance(node, ast.List | ast.Tuple):
        return f"({', '.join(written(one) for one in node.elts)},)"
    return f"np.array({text})" if isinstance(node, ast.Name | ast.Attribute | ast.ListComp) else text


def _minimised(scene: Scene, site: Site) -> Iterator[Guess]:
    """An optimizer of TensorFlow 1 in the place of its training op."""
    source = scene.sources[site.file]
    losses = [one for one in scene.names_in_sight(site) if any(word in one for word in ("loss", "cost", "error"))]
    for call in scene.nodes(site, ast.Call):
        used = any(one.value is call for one in scene.nodes(site, ast.Attribute))
        if callee(call).endswith("Optimizer") and "train" in written(call.func) and losses and not used:
            text = f"{written_in(source, call)}.minimize({losses[-1]})"
            wrong = f"`{callee(call)}` is an optimizer; what it minimises is not said"
            yield Guess(
                "minimised", f"Write `{text}`", wrong, [over(source, site.file, call, text)], 1.0 + 0.3 * site.far
            )
