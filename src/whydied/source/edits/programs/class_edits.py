"""Edits of layers, models and other classes that Keras makes and saves: constructors, configurations, state. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import own_names, parameters
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, over, text_between, written_in
from whydied.source.edits.programs import definition_edits as definitions
from whydied.source.edits.statement_edits import without_statement
from whydied.source.text import Source
from whydied.source.trees import dotted_name, last_name, walk, within

_OF_BASE = ("name", "dtype", "trainable")
_REPEATED = ast.For | ast.While | ast.comprehension


def begin_parent(source: Source, file: str, owner: ast.ClassDef) -> list[Edit]:
    """`super().__init__()` as the first statement of the constructor; where it stands further below it moves up."""
    begun = definitions.method_in(owner, "__init__")
    if begun is None:
        return []
    late = definitions.parent_call(begun)
    statement = next((one for one in begun.body if isinstance(one, ast.Expr) and one.value is late), None)
    if late is not None and statement is None:
        return []
    passed = f"**{begun.args.kwarg.arg}" if begun.args.kwarg else ""
    text = written_in(source, late) if late is not None else f"super().__init__({passed})"
    first = definitions.first_statement(source, file, begun, text)
    if first is None:
        return []
    return [first, without_statement(source, file, statement)] if statement is not None else [first]


def pass_keywords_on(source: Source, file: str, owner: ast.ClassDef) -> list[Edit]:
    """`**kwargs` in the constructor and in what it calls of its parent."""
    begun = definitions.method_in(owner, "__init__")
    parent = definitions.parent_call(begun) if begun is not None else None
    if begun is None or parent is None or any(word.arg is None for word in parent.keywords):
        return []
    # What the constructor fixes itself would be passed twice: it becomes the default of a parameter.
    fixed = [word for word in parent.keywords if word.arg in _OF_BASE and word.arg not in own_names(begun)]
    if not all(isinstance(word.value, ast.Constant) for word in fixed) or (fixed and begun.args.kwarg is not None):
        return []
    name = begun.args.kwarg.arg if begun.args.kwarg else "kwargs"
    edits: list[Edit | None] = [over(source, file, word.value, word.arg or "") for word in fixed]
    edits.append(add_argument(source, file, parent, f"**{name}"))
    if begun.args.kwarg is None:
        texts = [f"{word.arg}={written_in(source, word.value)}" for word in fixed]
        edits.append(add_parameter(source, file, begun, ", ".join([*texts, f"**{name}"])))
    return [edit for edit in edits if edit is not None] if None not in edits else []


def add_parameter(source: Source, file: str, node: ast.FunctionDef, text: str) -> Edit | None:
    """One more parameter, behind the others."""
    found = definitions.parameters_of(source, node)
    if found is None:
        return None
    own = text_between(source, *found)
    kept = own.rstrip().removesuffix(",")
    joined = f"{kept}, {text}" if kept.strip() else text
    return Edit(file, *found, joined + own[len(own.rstrip()) :])


def configuration(
    source: Source,
    file: str,
    owner: ast.ClassDef,
    wanted: list[str],
    objects: Mapping[str, ast.ClassDef] | None = None,
    *,
    extends: bool = True,
) -> list[Edit]:
    """`get_config` that returns what the constructor takes: entries for its `return`, or the method where there is
    none, with those of its parent where that has some (`extends`). Of an argument that is an object of the program's
    own (`objects`) it returns what makes one, and `from_config` makes it. An argument that the constructor keeps in no
    attribute is kept in one of its name, as it is given."""
    kept = {name: _plain(owner, name, (objects or {}).get(name)) for name in wanted}
    lost = [name for name, text in kept.items() if not text]
    keeping = [] if extends else _kept(source, file, owner, lost)
    plain = {name: text or f"self.{name}" for name, text in kept.items()}
    if (extends and not wanted) or len(keeping) != bool(lost):
        return []
    pairs = ", ".join(f'"{name}": {text}' for name, text in plain.items())
    own = definitions.method_in(owner, "get_config")
    if objects and (own is not None or definitions.method_in(owner, "from_config") is not None):
        return []
    if own is None:
        text = f"def get_config(self):\n    return {{{'**super().get_config(), ' if extends else ''}{pairs}}}"
        if objects:
            made = ", ".join(f'"{name}": {one.name}(**config["{name}"])' for name, one in objects.items())
            text += f"\n\n@classmethod\ndef from_config(cls, config):\n    return cls(**{{**config, {made}}})"
        added = definitions.add_method(source, file, owner, text)
        return [added, *keeping] if added is not None else []
    values = [node.value for node in within(own) if isinstance(node, ast.Return) and node.value is not None]
    if len(values) != 1:
        return []
    value = values[0]
    if isinstance(value, ast.Dict) and value.keys:
        inner = written_in(source, value)[1:-1].rstrip().removesuffix(",")
        return [over(source, file, value, f"{{{inner}, {pairs}}}")]
    return [over(source, file, value, f"{{**{written_in(source, value)}, {pairs}}}")]


def _kept(source: Source, file: str, owner: ast.ClassDef, names: list[str]) -> list[Edit]:
    """Arguments of the constructor in attributes of their names, as its first statements; nothing where it has one of
    them for something else."""
    begun = definitions.method_in(owner, "__init__")
    taken = {node.attr for node in walk(owner, ast.Attribute)} | {
        node.name for node in owner.body if isinstance(node, ast.FunctionDef)
    }
    if begun is None or not names or taken & set(names):
        return []
    indent = " " * begun.body[0].col_offset
    text = f"\n{indent}".join(f"self.{name} = {name}" for name in names)
    added = definitions.first_statement(source, file, begun, text)
    return [added] if added is not None else []


def _plain(owner: ast.ClassDef, parameter: str, kind: ast.ClassDef | None) -> str:
    """An argument of a constructor as plain values: the attribute that keeps it, of an object what makes one; "" where
    that is not known."""
    attribute = attribute_of(owner, parameter)
    if not attribute or kind is None:
        return f"self.{attribute}" if attribute else ""
    begun = definitions.method_in(kind, "__init__")
    kept = {name: attribute_of(kind, name) for name in parameters(begun)} if begun is not None else _fields(kind)
    if not kept or not all(kept.values()) or (begun is not None and (begun.args.vararg or begun.args.kwonlyargs)):
        return ""
    return "{" + ", ".join(f'"{name}": self.{attribute}.{one}' for name, one in kept.items()) + "}"


def _fields(kind: ast.ClassDef) -> dict[str, str]:
    """Those of a data class, each kept under its own name."""
    decorators = [one.func if isinstance(one, ast.Call) else one for one in kind.decorator_list]
    if not any(last_name(one) == "dataclass" for one in decorators):
        return {}
    return {name: name for node in kind.body if isinstance(node, ast.AnnAssign) and (name := last_name(node.target))}


def without_entry(source: Source, file: str, literal: ast.Dict, at: int) -> Edit:
    """A dictionary without one of its entries."""
    pairs = [
        f"{written_in(source, key)}: {written_in(source, value)}"
        if key is not None
        else f"**{written_in(source, value)}"
        for index, (key, value) in enumerate(zip(literal.keys, literal.values, strict=True))
        if index != at
    ]
    return over(source, file, literal, f"{{{', '.join(pairs)}}}")


def attribute_of(owner: ast.ClassDef, parameter: str) -> str:
    """The attribute that the constructor keeps an argument in, as it is."""
    begun = definitions.method_in(owner, "__init__")
    for node in walk(begun, ast.Assign) if begun is not None else []:
        target = node.targets[0]
        kept = isinstance(target, ast.Attribute) and last_name(target.value) == "self"
        if kept and isinstance(node.value, ast.Name) and node.value.id == parameter:
            return last_name(target)
    return ""


def create_once(source: Source, file: str, owner: ast.ClassDef, method: str) -> list[Edit]:
    """Layers and variables that a method creates anew in each call, as attributes that the constructor makes. Nothing
    where one of them depends on the method's own values."""
    called, begun = definitions.method_in(owner, method), definitions.method_in(owner, "__init__")
    if called is None or (begun is not None and definitions.parent_call(begun) is None):
        return []
    own = own_names(called) - {"self"}
    own |= {node.id for node in walk(called, ast.Name) if isinstance(node.ctx, ast.Store)}
    made = [node for node in walk(called, ast.Call) if _is_state(source, node)]
    made.sort(key=lambda node: (node.lineno, node.col_offset))
    if not made or any(one.id in own for node in made for one in walk(node, ast.Name)):
        return []
    if any(isinstance(one, _REPEATED) for one in ast.walk(called)):
        # One layer for all rounds would be another model.
        return []
    used = {node.attr for node in walk(owner, ast.Attribute)}
    names: list[str] = []
    for node in made:
        names.append(_free(_lower(last_name(node.func)), {*used, *names}))
    texts = [written_in(source, node) if node.end_lineno == node.lineno else ast.unparse(node) for node in made]
    lines = [f"self.{name} = {text}" for name, text in zip(names, texts, strict=True)]
    edits = [over(source, file, node, f"self.{name}") for name, node in zip(names, made, strict=True)]
    if begun is not None:
        added = definitions.last_statement(source, file, begun, "\n".join(lines))
    else:
        body = "\n    ".join(["super().__init__(**kwargs)", *lines])
        added = method_before(source, file, owner.body[0], called, f"def __init__(self, **kwargs):\n    {body}\n")
    return [added, *edits] if added is not None else []


def method_before(source: Source, file: str, first: ast.stmt, method: ast.FunctionDef, text: str) -> Edit:
    """A method above another of the same class."""
    indent = " " * first.col_offset
    line = min([method.lineno, *(one.lineno for one in method.decorator_list)])
    shifted = "\n".join(f"{indent}{one}" if one else "" for one in text.split("\n"))
    return Edit(file, (line, 0), (line, 0), f"{shifted}\n")


def _is_state(source: Source, node: ast.Call) -> bool:
    """Whether a call creates a layer of Keras or a variable."""
    name = dotted_name(node.func) or ""
    if name in ("tf.Variable", "tensorflow.Variable", "keras.Variable"):
        return True
    imported = {
        alias.asname or alias.name
        for one in walk(source.tree, ast.ImportFrom)
        for alias in one.names
        if (one.module or "").endswith("layers")
    }
    last = name.rpartition(".")[2]
    return last[:1].isupper() and (".layers." in f".{name}" or name in imported)


def _lower(name: str) -> str:
    """`Conv2D` as `conv2d`, `BatchNormalization` as `batch_normalization`."""
    parts = [f"_{letter}" if at and letter.isupper() and name[at - 1].islower() else letter
             for at, letter in enumerate(name)]  # fmt: skip
    return "".join(parts).lower()


def _free(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
