"""How often and in which way code runs: rounds of a loop, loops that train, functions that are called in a loop, code
that TensorFlow traces. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import DATASET
from whydied.lint.scopes import Loop
from whydied.lint.unit import Unit
from whydied.source.calls import callee
from whydied.source.trees import Function

_DEEPEST = 3
_TRAINING = frozenset({"gradient", "apply_gradients", "minimize", "train_on_batch", "train_step", "apply"})
_TRACED_METHODS = frozenset({"call", "train_step", "test_step", "predict_step", "compute_loss", "build", "get_config"})
_TRACING = frozenset(
    {"map", "interleave", "flat_map", "filter", "run", "function", "while_loop", "cond", "map_fn", "scan", "Lambda"}
)


def rounds(unit: Unit, loop: Loop) -> float | None:
    """How often a loop goes round, where the source says it; None where it does not."""
    if isinstance(loop, ast.While):
        return None
    return length(unit, loop.iter)


def length(unit: Unit, node: ast.AST, depth: int = 5) -> float | None:
    if not depth:
        return None
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return None if any(isinstance(one, ast.Starred) for one in node.elts) else len(node.elts)
    if isinstance(node, ast.Dict):
        return len(node.keys)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return len(node.value)
    if isinstance(node, ast.Name):
        found = unit.scopes.reaching(node)
        if len(found) == 1 and found[0].kind == "assign" and found[0].value is not None and not found[0].place:
            return length(unit, found[0].value, depth - 1)
        return None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        last = unit.number(node.slice.upper)
        first = unit.number(node.slice.lower) if node.slice.lower is not None else 0
        if last is not None and last >= 0 and first is not None and node.slice.step is None:
            return max(last - first, 0)
        return None
    if not isinstance(node, ast.Call):
        return None
    name = callee(node)
    if isinstance(node.func, ast.Name) and name in ("range", "trange", "xrange") and node.args:
        return _length_of_range(unit, node.args)
    if (
        isinstance(node.func, ast.Name)
        and name in ("enumerate", "list", "tqdm", "reversed", "sorted", "iter")
        and node.args
    ):
        return length(unit, node.args[0], depth - 1)
    if isinstance(node.func, ast.Name) and name == "zip":
        known = [one for one in (length(unit, argument, depth - 1) for argument in node.args) if one is not None]
        return min(known, default=None)
    if isinstance(node.func, ast.Attribute) and name == "take" and node.args:
        return unit.number(node.args[0])
    if isinstance(node.func, ast.Attribute) and name in ("items", "keys", "values"):
        return length(unit, node.func.value, depth - 1)
    if unit.called(node).startswith("np.") and node.args:
        return _rows_of(unit, node)
    if isinstance(node.func, ast.Attribute) and name == "split":
        return _splits(unit, node.func.value)
    return None


def _rows_of(unit: Unit, call: ast.Call) -> float | None:
    """`np.random.rand(20, 10)`, `np.zeros((20, 10))`: the first axis."""
    name = callee(call)
    given = next((one.value for one in call.keywords if one.arg in ("size", "shape")), None)
    if given is None and name in ("rand", "randn", "zeros", "ones", "empty", "random", "arange", "linspace"):
        given = call.args[2] if name == "linspace" and len(call.args) > 2 else call.args[0]
    first = given.elts[0] if isinstance(given, ast.Tuple | ast.List) and given.elts else given
    return (
        unit.number(first)
        if first is not None and (name not in ("arange", "linspace") or len(call.args) != 2)
        else None
    )


def _splits(unit: Unit, node: ast.expr) -> float | None:
    """`KFold(5)`, whose `split` is gone through."""
    made = kinds_of(unit).maker(node)
    if made is None:
        return None
    given = next((one.value for one in made.keywords if one.arg == "n_splits"), made.args[0] if made.args else None)
    return unit.number(given) if given is not None else 5


def _length_of_range(unit: Unit, given: list[ast.expr]) -> float | None:
    numbers = [unit.number(one) for one in given]
    if any(one is None for one in numbers):
        return None
    known = [one for one in numbers if one is not None]
    first, last = (0.0, known[0]) if len(known) == 1 else (known[0], known[1])
    step = known[2] if len(known) > 2 else 1
    return max(0.0, -(-(last - first) // step)) if step else None


def repeated(unit: Unit, node: ast.AST) -> list[Loop]:
    """The loops that keep running a node: around it, or around the calls of the function that it stands in."""
    found = unit.scopes.loops_around(node)
    function = unit.scopes.function(node)
    for _ in range(_DEEPEST):
        if function is None:
            break
        calls = calls_to(unit, function)
        for call in calls:
            found += [loop for loop in unit.scopes.loops_around(call) if loop not in found]
        function = unit.scopes.function(calls[0]) if len(calls) == 1 else None
    return found


def calls_to(unit: Unit, function: Function) -> list[ast.Call]:
    """The calls of a function of this file, by its own name."""
    known = unit.memory.get("calls by name")
    if not isinstance(known, dict):
        by_name: dict[str, list[ast.Call]] = {}
        for call in unit.calls:
            by_name.setdefault(callee(call), []).append(call)
        known = unit.memory["calls by name"] = by_name
    found: list[ast.Call] = known.get(function.name, [])
    own = []
    for call in found:
        made = unit.definition(call.func)
        if made is not None and made[1] is function:
            own.append(call)
    owner = unit.scopes.parent(function)
    if isinstance(owner, ast.ClassDef) and function.name == "__init__":
        built: list[ast.Call] = known.get(owner.name, [])
        own += [call for call in built if (made := unit.definition(call.func)) is not None and made[1] is owner]
    return own


def calls_in(
    unit: Unit, nodes: list[ast.stmt], depth: int = _DEEPEST, in_loops: bool = True
) -> Iterator[tuple[Unit, ast.Call]]:
    """The calls in some statements, and in the functions of the project that these call; `in_loops` says whether those
    of a loop among them count."""
    seen: set[ast.AST] = set()
    waiting: list[tuple[Unit, ast.AST, int]] = [(unit, node, depth) for node in nodes]
    while waiting:
        where, top, left = waiting.pop()
        for node in ast.walk(top) if in_loops else _outside_loops(top):
            if not isinstance(node, ast.Call):
                continue
            yield where, node
            own = where.function(node) if left else None
            if own is not None and own[1] not in seen:
                seen.add(own[1])
                waiting += [(own[0], one, left - 1) for one in own[1].body]


def _outside_loops(top: ast.AST) -> Iterator[ast.AST]:
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Loop):
            waiting += ast.iter_child_nodes(node)


def trains(unit: Unit, loop: Loop) -> bool:
    """Whether each round of a loop makes one update of a model's weights. A loop over epochs makes many."""
    key = f"trains {id(loop)}"
    if key not in unit.memory:
        unit.memory[key] = any(
            isinstance(call.func, ast.Attribute) and call.func.attr in _TRAINING
            for _, call in calls_in(unit, loop.body, in_loops=False)
        )
    return bool(unit.memory[key])


def goes_over_data(unit: Unit, loop: Loop) -> bool:
    """Whether a loop goes through a data set, batch by batch."""
    if isinstance(loop, ast.While):
        return False
    inner = loop.iter
    while (
        isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Name)
        and inner.func.id in ("enumerate", "tqdm", "zip")
    ):
        if not inner.args:
            return False
        inner = inner.args[0]
    return kinds_of(unit).of(inner) == DATASET


def is_traced(unit: Unit, node: ast.AST, depth: int = _DEEPEST) -> bool:
    """Whether code runs once as a graph is made of it, and not each time: in `tf.function`, in a layer's `call`, in
    what is given to `map`, or in a function that only such code calls."""
    for above in [node, *unit.scopes.ancestors(node)]:
        if isinstance(above, ast.Lambda):
            parent = unit.scopes.parent(above)
            if isinstance(parent, ast.Call) and callee(parent) in _TRACING:
                return True
        if isinstance(above, Function) and _is_traced_function(unit, above, depth):
            return True
    return False


def _is_traced_function(unit: Unit, function: Function, depth: int) -> bool:
    if any(is_function_wrapper(unit, one) for one in function.decorator_list):
        return True
    owner = unit.scopes.parent(function)
    if isinstance(owner, ast.ClassDef) and function.name in _TRACED_METHODS and kinds_of(unit).class_kind(owner):
        return True
    if function.name in _given_to_tracers(unit):
        return True
    calls = calls_to(unit, function) if depth else []
    return bool(calls) and all(
        is_traced(unit, call, depth - 1) for call in calls if not unit.scopes.within(call, function)
    )


def is_function_wrapper(unit: Unit, node: ast.expr) -> bool:
    """`tf.function`, `tf.function(jit_compile=True)`, `functools.partial(tf.function, …)`."""
    if isinstance(node, ast.Call):
        if unit.called(node) == "functools.partial" and node.args:
            return is_function_wrapper(unit, node.args[0])
        return is_function_wrapper(unit, node.func)
    return unit.named(node) in ("tf.function", "tf.contrib.eager.defun", "jax.jit", "tf.autograph.to_graph")


def _given_to_tracers(unit: Unit) -> set[str]:
    found = unit.memory.get("given to tracers")
    if not isinstance(found, set):
        found = {
            argument.id
            for call in unit.calls
            if callee(call) in _TRACING
            for argument in [*call.args, *(one.value for one in call.keywords)]
            if isinstance(argument, ast.Name)
        }
        unit.memory["given to tracers"] = found
    return found
