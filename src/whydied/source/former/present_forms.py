"""A former name, argument or call as it is written now, in the names of the program. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from whydied.source.bindings import cell_number
from whydied.source.edits.argument_edits import drop_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import add_import
from whydied.source.edits.shapes.library_names import bound_names
from whydied.source.former.former_entry import Former
from whydied.source.text import Source
from whydied.source.trees import walk, written

_PLACE = re.compile(r"\{(\w+)(\??)\}")
_NAME = re.compile(r"<([\w.]+)>")
_SHORT = {"numpy": "np", "pandas": "pd", "matplotlib.pyplot": "plt"}
_OF_NAMES = frozenset({"base"})


def is_of_call(form: str) -> bool:
    """Whether a form takes the place of a whole call, and not of the name alone."""
    return bool({name for name, _ in _PLACE.findall(form)} - _OF_NAMES) or form.endswith(")")


class Names:
    """The names that a file has of libraries, and the imports that a form needs more. A cell of a notebook sees what
    the other cells have imported."""

    def __init__(self, sources: Mapping[str, Source], file: str) -> None:
        self._source, self._file = sources[file], file
        cells = [one for name, one in sources.items() if cell_number(name) is not None]
        places = [*cells, self._source] if cell_number(file) is not None else [self._source]
        self._bound = {name: module for one in places for name, module in bound_names(one.tree).items()}
        self.imports: dict[str, None] = {}

    def written(self, dotted: str) -> str:
        """`pd.concat` for `pandas.concat`; with an import where the file has no name for it."""
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            module, rest = ".".join(parts[:length]), parts[length:]
            for name, meant in self._bound.items():
                if meant == module:
                    return ".".join([name, *rest])
        module, _, last = dotted.rpartition(".")
        if dotted in _SHORT or not module:
            short = _SHORT.get(dotted, dotted)
            self.imports[f"import {dotted} as {short}" if short != dotted else f"import {dotted}"] = None
            return short
        if module in _SHORT:
            self.imports[f"import {module} as {_SHORT[module]}"] = None
            return f"{_SHORT[module]}.{last}"
        self.imports[f"from {module} import {last}"] = None
        return last

    def edits(self) -> list[Edit]:
        """One edit for each import, below the others."""
        found = [add_import(self._source, self._file, text) for text in self.imports]
        return [one for one in found if one is not None]


def of_call(source: Source, names: Names, call: ast.Call, former: Former, form: str) -> str | None:
    """A call in its new form; None where it gives what the form has no place for, or lacks what it needs."""
    if any(isinstance(one, ast.Starred) for one in call.args) or any(word.arg is None for word in call.keywords):
        return None
    base = written_in(source, call.func.value) if isinstance(call.func, ast.Attribute) else ""
    given: dict[str, ast.expr] = dict(zip(former.parameters, call.args, strict=False))
    beyond = [written_in(source, one) for one in call.args[len(former.parameters) :]]
    given |= {word.arg: word.value for word in call.keywords if word.arg}
    wanted = {name for name, _ in _PLACE.findall(form)}
    left = [
        f"{name}={written_in(source, value)}"
        for name, value in given.items()
        if name not in wanted and name != former.argument and name not in former.parameters
    ]
    if "rest" not in wanted and (beyond or left):
        return None
    shown = [*beyond, *left]

    def shown_value(name: str) -> str:
        other = dict(former.values).get(ast.unparse(given[name]))
        return other or written_in(source, given[name])

    def placed(found: re.Match[str]) -> str:
        name, optional = found.groups()
        if name == "base":
            return base
        if name == "rest":
            return "".join(f", {one}" for one in shown)
        if optional:
            return f", {name}={shown_value(name)}" if name in given else ""
        return shown_value(name)

    if any(
        name not in given and not optional and name not in ("base", "rest") for name, optional in _PLACE.findall(form)
    ):
        return None
    text = _PLACE.sub(placed, form).replace("(, ", "(")
    return _NAME.sub(lambda found: names.written(found[1]), text)


def of_name(source: Source, names: Names, node: ast.Attribute | ast.Name, form: str) -> str:
    base = written_in(source, node.value) if isinstance(node, ast.Attribute) else ""
    return _NAME.sub(lambda found: names.written(found[1]), form.replace("{base}", base))


def uses(tree: ast.AST, text: str) -> list[ast.Attribute | ast.Name]:
    """Where a name is read, as it is written."""
    found: list[ast.Attribute | ast.Name] = [*walk(tree, ast.Attribute), *walk(tree, ast.Name)]
    return [node for node in found if isinstance(node.ctx, ast.Load) and written(node) == text]


def of_use(
    source: Source, file: str, names: Names, node: ast.Attribute | ast.Name, former: Former, form: str
) -> Edit | None:
    """One use of a name in its new form: of the call where the form is of one."""
    if not is_of_call(form):
        return over(source, file, node, of_name(source, names, node, form))
    call = next((one for one in walk(source.tree, ast.Call) if one.func is node), None)
    if call is None:
        return over(source, file, node, of_name(source, names, node, form)) if not _needs(form) else None
    if not _needs(form) and not former.parameters and (call.args or call.keywords):
        return None
    text = of_call(source, names, call, former, form)
    return over(source, file, call, text) if text is not None else None


def _needs(form: str) -> bool:
    return bool({name for name, _ in _PLACE.findall(form)} - _OF_NAMES)


def of_argument(source: Source, file: str, names: Names, call: ast.Call, former: Former, form: str) -> Edit | None:
    """An argument in its new form; the whole call where the form is one."""
    word = next((one for one in call.keywords if one.arg == former.argument), None)
    if is_of_call(form) and "{value}" not in form:
        text = of_call(source, names, call, former, form)
        return over(source, file, call, text) if text is not None else None
    if word is None:
        return None
    if not form:
        return drop_argument(source, file, call, word)
    return over(source, file, word, form.replace("{value}", written_in(source, word.value)))


def together(names: Names, edits: Iterable[Edit | None]) -> list[Edit]:
    """Edits with the imports that they need; none where one of them cannot be written."""
    made = list(edits)
    whole = [one for one in made if one is not None]
    return [*names.edits(), *dict.fromkeys(whole)] if whole and len(whole) == len(made) else []
