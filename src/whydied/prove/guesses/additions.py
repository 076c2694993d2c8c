"""What is often missing: an argument with which a call does what is meant, shapes of what Python functions give, whole
batches, sizes that can be halved. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from whydied.prove.guesses.scene import Guess, Scene, Site, is_about_shapes
from whydied.source.calls import callee
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, line_after, over, written_in
from whydied.source.edits.programs.pipeline_edits import begun_anew
from whydied.source.edits.shapes.loss_edits import called_name
from whydied.source.edits.statement_edits import statement_at
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import across, walk, written
from whydied.texts import estimators, python_errors

_ADDED: dict[str, tuple[tuple[str, float], ...]] = {
    "load_weights": (("skip_mismatch=True", 1.6), ("by_name=True", 1.4), ("by_name=True, skip_mismatch=True", 1.8)),
    "load_model": (("compile=False", 1.0), ("safe_mode=False", 1.4)),
    "batch": (("drop_remainder=True", 0.9),),
    "padded_batch": (("drop_remainder=True", 1.6),),
    "read_csv": (
        *(("header=None", 1.2), ("skipinitialspace=True", 1.4), ('encoding="latin-1"', 1.6), ("index_col=0", 1.6)),
        *(("header=0", 1.8), ('sep=";"', 1.8), ("low_memory=False", 2.4)),
    ),
    "load": (("allow_pickle=True", 0.8),),
    "dumps": (("default=str", 1.8),),
    "dump": (("default=str", 1.8),),
    "open": (('encoding="utf-8"', 1.6), ('errors="ignore"', 2.2)),
    "decode_jpeg": (("channels=3", 0.9),),
    "decode_png": (("channels=3", 0.9),),
    "decode_image": (("channels=3, expand_animations=False", 0.7),),
    "variable_scope": (("reuse=tf.AUTO_REUSE", 0.9),),
    "get_variable": (("use_resource=True", 2.6),),
    "pad_sequences": (('padding="post"', 2.2), ("maxlen=100", 2.4)),
    "Embedding": (("mask_zero=True", 2.6),),
    "concat": (("axis=1", 1.8), ("axis=-1", 1.6)),
    "concatenate": (("axis=-1", 1.6), ("axis=1", 1.8)),
    "stack": (("axis=-1", 1.8), ("axis=1", 1.8)),
    "merge": (('how="left"', 1.8),),
    "matmul": (("transpose_b=True", 0.9), ("transpose_a=True", 1.2)),
    "Variable": (("dtype=tf.float32", 1.8), ("trainable=False", 2.4)),
    "constant": (("dtype=tf.float32", 1.4),),
    "zeros": (('dtype="float32"', 2.0),),
    "ones": (('dtype="float32"', 2.0),),
    "Input": (('dtype="int32"', 2.2), ('dtype="string"', 2.4)),
    "gradient": (('unconnected_gradients="zero"', 2.2),),
    "map_fn": (("fn_output_signature=tf.float32", 0.9),),
    "import_meta_graph": (("clear_devices=True", 1.8),),
    "Saver": (("max_to_keep=None", 3.0),),
    "makedirs": (("exist_ok=True", 0.4),),
    "mkdir": (("exist_ok=True", 0.6), ("parents=True, exist_ok=True", 0.7)),
    "drop": (("axis=1", 0.8), ('errors="ignore"', 1.8)),
    "reset_index": (("drop=True", 1.4),),
}
_OF_SHAPES = {"batch", "padded_batch", "concat", "concatenate", "stack", "matmul", "Embedding", "pad_sequences"}
_OF_TYPES = {"Input", "constant", "Variable", "zeros", "ones", "map_fn"}
_PYTHON = ("py_function", "numpy_function", "py_func")
_MOST_AXES, _MOST_SHAPES = 4, 8
_TO_PYTHON = "default=lambda value: value.tolist()"


def additions(scene: Scene) -> Iterator[Guess]:
    for site in scene.sites:
        for call in scene.nodes(site, ast.Call):
            yield from _arguments(scene, site, call)
    yield from _as_json(scene)
    yield from _of_objects(scene)
    yield from _shapes_of_functions(scene)
    yield from _shapes_written(scene)
    yield from _whole_batches(scene)
    yield from _listed(scene)
    yield from _resized(scene)
    yield from _repeated(scene)
    yield from _opened(scene)


def _of_objects(scene: Scene) -> Iterator[Guess]:
    """An array of rows that are not alike as one of objects, which NumPy once made by itself."""
    if not estimators.ITEMS_DIFFER.search(scene.link.message):
        return
    for site in scene.sites[:1]:
        for call in scene.nodes(site, ast.Call):
            if callee(call) in ("array", "asarray") and not any(word.arg == "dtype" for word in call.keywords):
                edit = add_argument(scene.sources[site.file], site.file, call, "dtype=object")
                what = written(call.args[0]) if call.args else "the list"
                wrong = f"the rows of `{what}` hold lists of several lengths, which make no array of numbers"
                yield Guess("objects", f"Write `{written(call.func)}({what}, dtype=object)`", wrong, [edit], 0.4)


def _as_json(scene: Scene) -> Iterator[Guess]:
    """NumPy's arrays and numbers as Python's own, wherever they lie in what is written as JSON."""
    told = python_errors.NOT_FOR_JSON.search(scene.link.message)
    if told is None or scene.link.type != "TypeError":
        return
    for site in scene.sites[:2]:
        for call in scene.nodes(site, ast.Call):
            if callee(call) in ("dumps", "dump") and not any(word.arg == "default" for word in call.keywords):
                edit = add_argument(scene.sources[site.file], site.file, call, _TO_PYTHON)
                title = f"Pass `{_TO_PYTHON}` to `{written(call.func)}`, or convert the values before"
                wrong = f"what `{written(call.func)}` is given has a NumPy value in it ({told['type']})"
                yield Guess("json", title, wrong, [edit], 0.3, "same result")


def _arguments(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    source = scene.sources[site.file]
    given = {word.arg for word in call.keywords}
    if None in given or any(isinstance(one, ast.Starred) for one in call.args):
        return
    for text, cost in _ADDED.get(callee(call), ()):
        words = {one.partition("=")[0].strip() for one in text.split(", ")}
        if words & given or (callee(call) == "load" and "np" not in written(call.func)):
            continue
        fits = (callee(call) not in _OF_SHAPES or is_about_shapes(scene)) and (
            callee(call) not in _OF_TYPES or "dtype" in f"{scene.rule}{scene.link.message[:200]}"
        )
        cost += 0.0 if fits else 1.5
        edit = add_argument(source, site.file, call, text)
        wrong = f"`{callee(call)}` needs `{text}` here"
        yield Guess("added", f"Add `{text}` to `{callee(call)}`", wrong, [edit], cost + 0.5 * site.far)


def _shapes_of_functions(scene: Scene) -> Iterator[Guess]:
    """The shapes that what a Python function gives to a data set has: those of the model's Input and of its targets."""
    facts = scene.facts
    inputs = [one.output_shape[1:] for one in (facts.layers if facts is not None else []) if _is_entrance(one.type)
              and one.output_shape]  # fmt: skip
    outputs = [one.output_shape[1:] for one in (facts.layers[-1:] if facts is not None else []) if one.output_shape]
    for file, call in across(scene.sources, ast.Call):
        source = scene.sources[file]
        node = statement_at(source, call.lineno)
        if callee(call) not in _PYTHON or not isinstance(node, ast.Assign | ast.Return) or node.value is not call:
            continue
        names = _names(node, call)
        shapes = [*inputs, *outputs]
        for at, second in enumerate(([], outputs[0] if outputs else [None], [None])):
            known = [shapes[0] if shapes else [None], second][: len(names)]
            lines = [f"{name}.set_shape({list(shape)})" for name, shape in zip(names, known, strict=False)]
            wrong = "what a Python function gives has no known shape"
            yield Guess("shapes", "Tell the shapes of what the function gives", wrong,
                        _told(source, file, node, call, names, lines), 0.9 + 0.4 * at)  # fmt: skip


def _shapes_written(scene: Scene) -> Iterator[Guess]:
    """The shapes that stand in the program, for what a Python function gives: one that is wrong is refused as soon as
    the data come."""
    for file, call in across(scene.sources, ast.Call):
        source = scene.sources[file]
        node = statement_at(source, call.lineno)
        if callee(call) not in _PYTHON or not isinstance(node, ast.Assign | ast.Return) or node.value is not call:
            continue
        names, known = _names(node, call), constants(source.tree)
        parts = [(one, one.elts) for one in walk(source.tree, ast.Tuple)]
        texts = dict.fromkeys(
            written(one)
            for one, sizes in parts
            if 0 < len(sizes) <= _MOST_AXES and all(_is_size(evaluate(part, known)) for part in sizes)
        )
        for at, text in enumerate(list(texts)[:_MOST_SHAPES]):
            lines = [f"{name}.set_shape({text if number == 0 else '()'})" for number, name in enumerate(names[:2])]
            wrong = f"what `{callee(call)}` gives has no known shape"
            edits = _told(source, file, node, call, names, lines)
            yield Guess("shapes", f"Tell the shape of what the function gives: `{text}`", wrong, edits, 1.0 + 0.05 * at)


def _is_size(value: object) -> bool:
    return type(value) is int and value > 0


def _is_entrance(kind: str) -> bool:
    return kind == "InputLayer"


def _names(node: ast.Assign | ast.Return, call: ast.Call) -> list[str]:
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        return [written(one) for one in target.elts] if isinstance(target, ast.Tuple) else [written(target)]
    last = call.args[-1] if call.args else next((word.value for word in call.keywords if word.arg == "Tout"), None)
    number = len(last.elts) if isinstance(last, ast.List | ast.Tuple) else 1
    return ["given", "wanted", "third", "fourth"][:number]


def _told(
    source: Source, file: str, node: ast.stmt, call: ast.Call, names: Sequence[str], lines: list[str]
) -> list[Edit]:
    indent = " " * node.col_offset
    if isinstance(node, ast.Assign):
        return [line_after(source, file, node.lineno, f"\n{indent}".join(lines))]
    joined = ", ".join(names)
    text = f"\n{indent}".join([f"{joined} = {written_in(source, call)}", *lines, f"return {joined}"])
    return [over(source, file, node, text)]


def _whole_batches(scene: Scene) -> Iterator[Guess]:
    """Only as many rows as fill whole batches."""
    if not is_about_shapes(scene):
        return
    cost = 0.8 if "batch" in scene.rule else 2.2
    for site in scene.sites[:6]:
        source = scene.sources[site.file]
        for call in scene.nodes(site, ast.Call):
            size = next((word.value for word in call.keywords if word.arg == "batch_size"), None)
            if callee(call) not in ("fit", "evaluate", "predict") or size is None or not call.args:
                continue
            text = written_in(source, size)
            rows = [one for one in call.args[:2] if isinstance(one, ast.Name | ast.Attribute)]
            edits = [
                over(source, site.file, one, f"{written(one)}[: len({written(one)}) // {text} * {text}]")
                for one in rows
            ]
            wrong = f"the rows do not fill whole batches of `{text}`"
            yield Guess("batch", "Leave out the rows of the last, smaller batch", wrong, edits, cost + 0.4 * site.far)


def _listed(scene: Scene) -> Iterator[Guess]:
    """Of a directory's entries only the directories, or only those that are not hidden."""
    for site in scene.sites:
        source = scene.sources[site.file]
        for call in scene.nodes(site, ast.Call):
            if callee(call) != "listdir" or len(call.args) != 1:
                continue
            path = written_in(source, call.args[0])
            module = written_in(source, call.func.value) if isinstance(call.func, ast.Attribute) else "os"
            for test, words, cost in (
                (f"{module}.path.isdir({module}.path.join({path}, one))", "directories", 1.2),
                ('not one.startswith(".")', "entries that are not hidden", 1.4),
                (f"{module}.path.isfile({module}.path.join({path}, one))", "files", 1.6),
            ):
                text = f"[one for one in {written_in(source, call)} if {test}]"
                edit = over(source, site.file, call, text)
                wrong = f"`{written(call)}` lists more than {words}"
                yield Guess("listed", f"List only {words}", wrong, [edit], cost + 0.4 * site.far)


def _resized(scene: Scene) -> Iterator[Guess]:
    """Pictures of one size and kind, where they are opened."""
    told = re.search(r"shape \((\d+), (\d+)", scene.cause.message)
    for site in scene.sites:
        source = scene.sources[site.file]
        for call in scene.nodes(site, ast.Call):
            if written(call.func) not in ("Image.open", "PIL.Image.open"):
                continue
            outer = [one for one in scene.nodes(site, ast.Call) if _begins(one, call)]
            whole = max(outer, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0), default=call)
            text = written_in(source, whole)
            codes = [(f'{text}.convert("RGB")', 1.2)] if "convert" not in text else []
            codes += [(f"{text}.resize(({told[2]}, {told[1]}))", 0.8)] if told is not None else []
            for new, cost in codes:
                wrong = f"the pictures of `{text}` differ in size or in channels"
                edit = over(source, site.file, whole, new)
                yield Guess("pictures", f"Write `{new}`", wrong, [edit], cost + 0.3 * site.far)


def _begins(node: ast.Call, call: ast.Call) -> bool:
    """Whether a chain of methods begins with a call."""
    inner: ast.AST = node
    while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner is not call:
        inner = inner.func.value
    return inner is call


def _repeated(scene: Scene) -> Iterator[Guess]:
    """Data that begin anew at their end, and elements of different lengths padded to one."""
    ended = scene.rule in ("iterator-exhausted", "endless-data", "training-cut-short") or scene.link.type in (
        *("StopIteration", "OutOfRangeError", "IndexError"),
    )
    uneven = any(one in scene.rule for one in ("uneven", "padding", "generator-mismatch"))
    for file, call in across(scene.sources, ast.Call):
        source = scene.sources[file]
        if callee(call) in ("batch", "prefetch", "shuffle", "cycle") and isinstance(call.func, ast.Attribute) and ended:
            edit = over(source, file, call, f"{written_in(source, call)}.repeat()")
            yield Guess("repeated", "Begin the data anew at their end", "the data end too early", [edit], 0.8)
        if callee(call) in ("iter", "make_one_shot_iterator") and call.args and ended:
            edit = over(source, file, call.args[0], f"{written_in(source, call.args[0])}.repeat()")
            yield Guess("repeated", "Begin the data anew at their end", "the data end too early", [edit], 0.9)
        if callee(call) == "batch" and uneven:
            edits = called_name(source, file, call.lineno, "batch", "padded_batch") or []
            wrong = "the elements differ in length"
            yield Guess("repeated", "Use `padded_batch` instead of `batch`", wrong, edits, 0.7)
    for file, function in across(scene.sources, ast.FunctionDef):
        if ended and any(isinstance(one, ast.Yield) for one in ast.walk(function)):
            edits = begun_anew(scene.sources[file], file, function)
            wrong = f"`{function.name}` ends after one pass over its data"
            yield Guess("repeated", f"Let `{function.name}` begin anew", wrong, edits, 0.8)


_OTHER_MODES = {"r": ("rb",), "w": ("wb",), "rb": ("r",), "wb": ("w",), "a": ("ab",)}


def _opened(scene: Scene) -> Iterator[Guess]:
    """A file opened as text or as bytes."""
    if scene.link.type not in ("TypeError", "UnicodeDecodeError", "ValueError", "UnpicklingError"):
        return
    for site in scene.sites:
        source = scene.sources[site.file]
        for call in scene.nodes(site, ast.Call):
            if callee(call) != "open":
                continue
            mode = call.args[1] if len(call.args) > 1 else None
            now = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
            for other in _OTHER_MODES.get(now, ()):
                text = f'"{other}"'
                edit = (
                    over(source, site.file, mode, text)
                    if mode is not None
                    else add_argument(source, site.file, call, text)
                )
                wrong = f"the file is opened as {'bytes' if 'b' in now else 'text'}"
                yield Guess("opened", f"Open it with {text}", wrong, [edit], 1.0 + 0.4 * site.far)
