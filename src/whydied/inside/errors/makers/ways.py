"""The ways that a value can have come to an expression, back to the statements that made it: through names, unpacked
tuples, attributes, items, loops, parameters, defaults and the results of the program's own functions; runs in the
user's process, after an exception.

Invariant: nothing of the user's is called. Live objects say which function, class or module is meant; where only the
source can tell, every way that it leaves open is followed, and those that cannot have made such a value are dropped.
"""

from __future__ import annotations

import ast
import sys
from types import ModuleType
from typing import Any, NamedTuple

from whydied.inside.errors.makers.activations import LATEST, Activation, Program, Space
from whydied.inside.guest import live_source
from whydied.inside.guest.lookup import Missing, instance_dict
from whydied.source.bindings import Binding, bindings
from whydied.source.calls import bound_arguments, callee, own_names
from whydied.source.origins.reaching import reaching
from whydied.source.origins.value_makers import default_of, options
from whydied.source.results import Gap, gaps, has_result
from whydied.source.trees import Function, around, function_at, holds, walk, within, written

DEEPEST = 24
MOST_WAYS = 24
MOST_FOLLOWED = 300
ITEM = "*"
"""Any item of a container."""
_SAME_ITEMS = frozenset({"list", "tuple", "sorted", "reversed", "iter", "set"})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
_LITERALS: dict[type[ast.AST], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Tuple: "tuple",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.JoinedStr: "str",
    ast.GeneratorExp: "generator",
    ast.Compare: "bool",
    ast.Lambda: "function",
}
_METHODS = ("builtin_function_or_method", "method", "function", "method-wrapper", "method_descriptor")
Part = tuple[Any, ...]


class Passed(NamedTuple):
    """A place that the value came through: the kinds are those of `records.MakerStep`."""

    kind: str
    name: str
    node: ast.AST
    at: Activation
    gap: Gap | None = None


class Use(NamedTuple):
    """An expression, and the part of its value that is meant."""

    node: ast.expr
    at: Activation
    part: Part = ()


Way = list[Passed]


class Follower:
    """`kind` is the name of the value's type, `value` the value itself where it is known."""

    def __init__(self, program: Program, kind: str, value: Any) -> None:
        self._program = program
        self._kind = kind
        self._value = value
        self._left = MOST_FOLLOWED
        self._inlined: dict[str, list[ast.expr]] = {}

    def ways(self, node: ast.expr, at: Activation) -> list[Way]:
        """The ways that end in a statement which can have made such a value, each the nearest step first."""
        return self._ways(Use(node, at), DEEPEST)[:MOST_WAYS]

    def _ways(self, use: Use, depth: int) -> list[Way]:
        self._left -= 1
        if not depth or self._left < 0:
            return [[Passed("unknown", "", use.node, use.at)]]
        node, part = _narrowed(use.node, use.part)
        use = Use(node, use.at, part)
        if isinstance(node, ast.NamedExpr):
            return self._ways(use._replace(node=node.value), depth - 1)
        if isinstance(node, ast.IfExp | ast.BoolOp):
            several = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
            return [way for one in several for way in self._ways(use._replace(node=one), depth - 1)]
        if isinstance(node, ast.Name):
            return self._of_name(use, node, depth)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(use, node, depth)
        if isinstance(node, ast.Subscript):
            return self._of_item(use, node, depth)
        if isinstance(node, ast.Call):
            return self._of_call(use, node, depth)
        if part[:1] == (ITEM,) and isinstance(node, ast.List | ast.Tuple | ast.Set):
            return [way for one in node.elts for way in self._ways(use._replace(node=one, part=part[1:]), depth - 1)]
        if part[:1] == (ITEM,) and isinstance(node, _COMPREHENSIONS):
            return self._ways(use._replace(node=node.elt, part=part[1:]), depth - 1)
        return self._end(use, "constant" if isinstance(node, ast.Constant) else "expression")

    def _then(self, step: Passed, use: Use, depth: int) -> list[Way]:
        return [[step, *way] for way in self._ways(use, depth - 1)]

    def _end(self, use: Use, kind: str) -> list[Way]:
        # Of a call whose result was taken apart it is known where the value was, not that the call gave just that.
        kind = "part" if use.part and kind == "call" else kind
        return [[Passed(kind, "", use.node, use.at)]] if self._can_be(use) else []

    def _can_be(self, use: Use) -> bool:
        """Whether an expression can have given the value."""
        node = use.node
        if use.part:
            return not isinstance(node, ast.Constant)
        if isinstance(node, ast.Constant):
            return type(node.value).__name__ == self._kind and (
                isinstance(self._value, Missing) or node.value == self._value
            )
        if type(node) in _LITERALS:
            return _LITERALS[type(node)] == self._kind
        if self._kind == "NoneType" and isinstance(node, ast.BinOp | ast.UnaryOp):
            return False
        called = use.at.value(node.func) if isinstance(node, ast.Call) else None
        return not isinstance(called, type) or called.__name__ == self._kind

    def _of_name(self, use: Use, node: ast.Name, depth: int) -> list[Way]:
        at = use.at
        iterated = self._comprehended(node, at)
        if iterated is not None:
            value, place = iterated
            return self._then(Passed("item", node.id, value, at), Use(value, at, (ITEM, *place, *use.part)), depth)
        seen = reaching(node.id, at.scope, at.line)
        found: list[Way] = []
        for one in seen.bindings:
            found += self._bound(use, node.id, one, depth)
        if use.part[:1] == (ITEM,):
            found += self._appended(use, node, depth)
        if not seen.from_before:
            return found
        if at.function is not None and node.id in own_names(at.function):
            return found + self._of_parameter(use, node.id, at.function, depth)
        outside = self._around(at) if at.function is not None else self._program.cell_before(at)
        return found + (self._of_name(use._replace(at=outside), node, depth - 1) if outside is not None else [])

    def _comprehended(self, node: ast.Name, at: Activation) -> tuple[ast.expr, tuple[int, ...]] | None:
        """What a variable of a comprehension goes over."""
        if at.file not in self._inlined:
            self._inlined[at.file] = list(walk(at.source.tree, (*_COMPREHENSIONS, ast.DictComp)))
        for one in self._inlined[at.file]:
            if not holds(one, getattr(node, "lineno", 0)) or not any(inner is node for inner in ast.walk(one)):
                continue
            for part in getattr(one, "generators", ()):
                if isinstance(part.target, ast.Name) and part.target.id == node.id:
                    return part.iter, ()
                for place, target in enumerate(getattr(part.target, "elts", ())):
                    if isinstance(target, ast.Name) and target.id == node.id:
                        return part.iter, (place,)
        return None

    def _around(self, at: Activation) -> Activation | None:
        """The scope around a function: the one that it is defined in, else its module as far as that has run."""
        function = at.function
        holders = (
            [one for one in around(at.source.tree, function.lineno, ast.stmt) if one is not function]
            if function
            else []
        )
        holder = next((one for one in reversed(holders) if isinstance(one, Function)), None)
        caller = at.caller
        while caller is not None:
            if caller.file == at.file and caller.scope is (holder or at.source.tree):
                return caller
            if caller.function is None and {caller.file, at.file} <= set(live_source.provided()):
                # A function of an earlier cell sees the names of all cells up to the one that runs.
                return caller
            caller = caller.caller
        space = Space({}, at.space.f_globals)
        return at._replace(scope=holder or at.source.tree, line=LATEST, space=space, call=None, caller=None)

    def _bound(self, use: Use, name: str, one: Binding, depth: int) -> list[Way]:
        at = use.at._replace(line=one.line)
        if isinstance(one.node, ast.ImportFrom):
            return self._imported(use, name, one.node, depth)
        if one.value is None:
            return []
        if one.kind == "with":
            return self._end(Use(one.value, at, (ITEM,)), "call")
        is_loop = one.kind == "loop"
        part = ((ITEM,) if is_loop else ()) + one.place + use.part
        return self._then(
            Passed("item" if is_loop else "variable", name, one.value, at), Use(one.value, at, part), depth
        )

    def _imported(self, use: Use, name: str, node: ast.ImportFrom, depth: int) -> list[Way]:
        own = next((one.name for one in node.names if (one.asname or one.name) == name), name)
        package = str(use.at.space.f_globals.get("__package__") or "") if node.level else ""
        full = ".".join(part for part in (package, node.module or "") if part)
        module = self._program.module_of(sys.modules.get(full))
        return self._of_name(use._replace(at=module), ast.Name(own, ast.Load()), depth - 1) if module else []

    def _appended(self, use: Use, node: ast.Name, depth: int) -> list[Way]:
        """What is put into a list that was begun empty."""
        found: list[Way] = []
        for one in within(use.at.scope):
            call = one if isinstance(one, ast.Call) and callee(one) == "append" and len(one.args) == 1 else None
            if call is not None and isinstance(call.func, ast.Attribute) and written(call.func.value) == node.id:
                at = use.at._replace(line=call.lineno)
                found += self._then(
                    Passed("item", node.id, call.args[0], at), Use(call.args[0], at, use.part[1:]), depth
                )
        return found

    def _of_parameter(self, use: Use, name: str, function: Function, depth: int) -> list[Way]:
        at = use.at
        if at.call is None or at.caller is None:
            owners = [one.name for one in around(at.source.tree, function.lineno, ast.ClassDef)]
            known = self._program.only_call(
                at, {owners[-1] if function.name == "__init__" and owners else function.name}
            )
            if known is None:
                return [[Passed("unknown", name, use.node, at)]]
            at = known
        assert at.call is not None
        assert at.caller is not None
        given = bound_arguments(at.call, function).get(name)
        if given is not None:
            return self._then(Passed("parameter", name, given, at.caller), Use(given, at.caller, use.part), depth)
        default = default_of(function, name)
        if default is None or any(isinstance(one, ast.Starred) for one in at.call.args) or _spread(at.call):
            return [[Passed("unknown", name, use.node, at)]]
        passed = Passed("default", name, at.call, at.caller)
        outside = self._around(at) or at
        return self._then(passed, Use(default, outside._replace(line=function.lineno), use.part), depth)

    def _of_attribute(self, use: Use, node: ast.Attribute, depth: int) -> list[Way]:
        base = use.at.value(node.value)
        if isinstance(base, Missing):
            kept = self._kept_method(use, node)
            return kept or [[Passed("unknown", "", node, use.at)]]
        if isinstance(base, ModuleType):
            module = self._program.module_of(base)
            return self._of_name(use._replace(at=module), ast.Name(node.attr, ast.Load()), depth - 1) if module else []
        found = self._stored_before(use, node, depth)
        if found:
            return found
        kinds = type.__dict__["__mro__"].__get__(base if isinstance(base, type) else type(base))
        for kind in kinds:
            written_at = self._program.class_node(kind, use.at)
            if written_at is not None:
                found += self._of_class(use, node.attr, base, kind, *written_at, depth)
        if node.attr in instance_dict(base) and not isinstance(base, type):
            found += self._from_outside(use, node.attr, depth)
        if type(base).__name__ == "Namespace":
            found += self._of_option(use, node.attr)
        return found or self._kept_method(use, node) or [[Passed("unknown", "", node, use.at)]]

    def _stored_before(self, use: Use, node: ast.Attribute, depth: int) -> list[Way]:
        """What the same function has given an attribute on its way here, whatever others gave it before."""
        body = use.at.scope.body if isinstance(use.at.scope, Function) else []
        certain = {one.lineno for one in body if isinstance(one, ast.Assign | ast.AnnAssign)}
        stored = [
            one
            for one in bindings(written(node), use.at.scope)
            if one.line < use.at.line and one.line in certain and one.value is not None
        ]
        if not stored or (value := stored[-1].value) is None:
            return []
        at = use.at._replace(line=stored[-1].line)
        step = Passed("attribute", written(node), value, at)
        return self._then(step, Use(value, at, stored[-1].place + use.part), depth)

    def _from_outside(self, use: Use, name: str, depth: int) -> list[Way]:
        """What other code gives an attribute of an object: `net.model = build()`."""
        found: list[Way] = []
        for file, (parsed, names) in self._program.files.items():
            for node in walk(parsed.tree, ast.Assign):
                target = next(
                    (one for one in node.targets if isinstance(one, ast.Attribute) and one.attr == name), None
                )
                owners = [one.name for one in around(parsed.tree, node.lineno, ast.ClassDef)]
                if target is None or (written(target.value) in ("self", "cls") and owners):
                    # The methods of the object's own class are asked by themselves; those of others mean others.
                    continue
                scope = function_at(parsed.tree, node.lineno) or parsed.tree
                at = Activation(file, parsed, scope, node.lineno, Space({}, names))
                step = Passed("attribute", written(target), node.value, at)
                found += self._then(step, Use(node.value, at, use.part), depth)
        return found

    def _kept_method(self, use: Use, node: ast.Attribute) -> list[Way]:
        """`line.split` without its call."""
        is_method = self._kind in _METHODS and not use.part
        return [[Passed("method", "", node, use.at)]] if is_method else []

    def _of_class(
        self, use: Use, name: str, base: Any, kind: type, file: str, owner: ast.ClassDef, depth: int
    ) -> list[Way]:
        """What the methods and the body of a class give an attribute."""
        found: list[Way] = []
        own = type.__dict__["__dict__"].__get__(kind)
        for method in (one for one in owner.body if isinstance(one, Function) and one.args.args):
            run = (
                self._program.run_of(own[method.name], base)
                if type(own.get(method.name)).__name__ == "function"
                else None
            )
            for one in bindings(f"{method.args.args[0].arg}.{name}", method) if run is not None else ():
                if one.value is not None and run is not None:
                    at = run._replace(line=one.line)
                    step = Passed("attribute", f"{method.args.args[0].arg}.{name}", one.value, at)
                    found += self._then(step, Use(one.value, at, one.place + use.part), depth)
        if name not in instance_dict(base) and (module := self._program.module(file)) is not None:
            for one in bindings(name, owner):
                if one.value is not None:
                    at = module._replace(line=one.line)
                    step = Passed("attribute", f"{owner.name}.{name}", one.value, at)
                    found += self._then(step, Use(one.value, at, one.place + use.part), depth)
        elif not found:
            found += self._of_field(use, name, owner, depth)
        return found

    def _of_field(self, use: Use, name: str, owner: ast.ClassDef, depth: int) -> list[Way]:
        """What the only call that makes such an object passes for a field of a data class, else the field's default."""
        files = self._program.files
        calls = [
            (file, call, keyword.value)
            for file, (parsed, _) in files.items()
            for call in walk(parsed.tree, ast.Call)
            if callee(call) == owner.name
            for keyword in call.keywords
            if keyword.arg == name
        ]
        found: list[Way] = []
        for file, call, value in calls:
            module = self._program.module(file)
            if module is not None:
                at = module._replace(line=call.lineno)
                found += self._then(Passed("parameter", name, value, at), Use(value, at, use.part), depth)
        for file, (_, _) in files.items():
            module = self._program.module(file)
            for one in (
                bindings(name, owner) if module is not None and owner in walk(module.scope, ast.ClassDef) else ()
            ):
                if one.value is not None and module is not None:
                    at = module._replace(line=one.line)
                    step = Passed("attribute", f"{owner.name}.{name}", one.value, at)
                    found += self._then(step, Use(one.value, at, use.part), depth)
        return found

    def _of_option(self, use: Use, name: str) -> list[Way]:
        """The default of an option of the command line, which has the very value."""
        found: list[Way] = []
        for file, call in options({file: parsed for file, (parsed, _) in self._program.files.items()}, name):
            module = self._program.module(file)
            for one in call.keywords:
                if one.arg == "default" and module is not None:
                    found += self._end(Use(one.value, module._replace(line=call.lineno), use.part), "constant")
        return found

    def _of_item(self, use: Use, node: ast.Subscript, depth: int) -> list[Way]:
        text = written(node)
        stored = [one for one in bindings(text, use.at.scope) if one.line < use.at.line and one.value is not None]
        if stored and (value := stored[-1].value) is not None:
            at = use.at._replace(line=stored[-1].line)
            return self._then(Passed("item", text, value, at), Use(value, at, stored[-1].place + use.part), depth)
        key = use.at.value(node.slice)
        if isinstance(node.slice, ast.Slice) or isinstance(key, Missing) or type(key) not in (int, str):
            return self._end(use, "expression")
        return self._ways(Use(node.value, use.at, (key, *use.part)), depth - 1)

    def _of_call(self, use: Use, node: ast.Call, depth: int) -> list[Way]:
        name = callee(node)
        if use.part[:1] == (ITEM,) and node.args:
            if name in _SAME_ITEMS and isinstance(node.func, ast.Name):
                return self._ways(use._replace(node=node.args[0]), depth - 1)
            if name == "enumerate" and use.part[1:2] == (1,):
                return self._ways(Use(node.args[0], use.at, (ITEM, *use.part[2:])), depth - 1)
            at = use.part[1] if len(use.part) > 1 else None
            if name == "zip" and isinstance(at, int) and at < len(node.args):
                return self._ways(Use(node.args[at], use.at, (ITEM, *use.part[2:])), depth - 1)
        run = self._program.called(node, use.at)
        if run is None or run.function is None:
            return self._end(use, "call")
        return self._returned(use, node, run, run.function, depth)

    def _returned(self, use: Use, call: ast.Call, run: Activation, function: Function, depth: int) -> list[Way]:
        inner = list(within(function))
        generates = any(isinstance(one, ast.Yield | ast.YieldFrom) for one in inner)
        if generates and use.part[:1] == (ITEM,):
            given = [one.value for one in inner if isinstance(one, ast.Yield) and one.value is not None]
            use = use._replace(part=use.part[1:])
        elif generates or isinstance(function, ast.AsyncFunctionDef):
            return self._end(use, "call")
        else:
            given = [one.value for one in inner if isinstance(one, ast.Return) and one.value is not None]
        found: list[Way] = []
        if self._kind == "NoneType" and not use.part and not generates:
            kind = "gap" if has_result(function) else "no-return"
            ends = gaps(function) if kind == "gap" else [None]
            # A `return None` is told as a way through the function, not as a constant.
            given = (
                [one for one in given if not (isinstance(one, ast.Constant) and one.value is None)] if ends else given
            )
            found = [[Passed(kind, function.name, call, run, gap)] for gap in ends]
        for one in given:
            at = run._replace(line=one.lineno)
            found += self._then(Passed("return", function.name, one, at), Use(one, at, use.part), depth)
        return found


def _narrowed(node: ast.expr, part: Part) -> tuple[ast.expr, Part]:
    """The part of a written tuple, list or dictionary, as far as it is written out."""
    while part:
        if (
            isinstance(node, ast.Tuple | ast.List)
            and type(part[0]) is int
            and -len(node.elts) <= part[0] < len(node.elts)
        ):
            if any(isinstance(one, ast.Starred) for one in node.elts):
                break
            node, part = node.elts[part[0]], part[1:]
            continue
        keys = node.keys if isinstance(node, ast.Dict) else []
        at = next((at for at, key in enumerate(keys) if isinstance(key, ast.Constant) and key.value == part[0]), None)
        if at is None or not isinstance(node, ast.Dict):
            break
        node, part = node.values[at], part[1:]
    return node, part


def _spread(call: ast.Call) -> bool:
    return any(one.arg is None for one in call.keywords)
