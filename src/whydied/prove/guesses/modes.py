"""How the program runs: eagerly or traced, its graph and session, initialisers, tapes, the TensorFlow 1 mode. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.prove.guesses.scene import Guess, Scene
from whydied.source.calls import callee
from whydied.source.edits.call_edits import add_argument, set_argument
from whydied.source.edits.edit import Edit, line_after, line_before, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.programs.old_code_edits import run_as_version_1
from whydied.source.edits.programs.session_edits import into_tape, move_before_use, watch, with_graph, without_eager
from whydied.source.edits.programs.tensor_edits import as_tensors, in_lambda
from whydied.source.edits.statement_edits import move_above, stands_alone, statement_at, without_statement
from whydied.source.text import Source
from whydied.source.trees import across, function_at, walk, written
from whydied.texts import session_errors as texts
from whydied.texts.entry import any_of

_SYMBOLIC = ("symbolic", "eager", "Keras", "graph", "numpy", "OperatorNotAllowed", "Tensor")
_SWITCHES = ("disable_eager_execution", "disable_v2_behavior", "disable_v2_tensorshape")
_BUILT_BEFORE = any_of(texts.VARIABLE_EXISTS, texts.FETCH_OF_OTHER_GRAPH, texts.NOT_OF_THIS_GRAPH)
_UNINITIALISED = any_of(
    texts.UNINITIALISED_REFERENCE, texts.VARIABLE_NOT_FOUND, texts.ITERATOR_UNINITIALISED, texts.TABLE_UNINITIALISED
)
_INITIALISERS = ("local_variables_initializer", "tables_initializer")


def modes(scene: Scene) -> Iterator[Guess]:
    if not _has_sessions(scene):
        yield from _eagerly(scene)
    else:
        yield from _graphs(scene)
        yield from _initialisers(scene)
        yield from _results(scene)
    yield from _tapes(scene)
    yield from _switches(scene)
    yield from _symbolic(scene)


def _about_tracing(scene: Scene) -> bool:
    said = f"{scene.link.type} {scene.link.message[:300]}"
    return scene.rule in ("symbolic-as-value", "eager-in-session", "no-gradient") or any(
        one in said for one in _SYMBOLIC
    )


def _eagerly(scene: Scene) -> Iterator[Guess]:
    """A training step that runs line by line, a function without its decorator."""
    about = 0.0 if _about_tracing(scene) else 1.6
    for file, call in across(scene.sources, ast.Call):
        if callee(call) == "compile" and isinstance(call.func, ast.Attribute) and (call.args or call.keywords):
            edit = set_argument(scene.sources[file], file, call, "run_eagerly", None, "True")
            wrong = "the step fails while it is traced, and not when it runs line by line"
            if about == 0.0:
                wrong = "the code of the model needs values, which a traced step does not have"
            edits = [edit] if edit is not None else []
            yield Guess("eager", "Compile with `run_eagerly=True`", wrong, edits, 1.3 + about, "same result")
    for frame in scene.frames[:4]:
        source = scene.sources[frame.file]
        function = function_at(source.tree, frame.line)
        for one in function.decorator_list if function is not None else []:
            if written(one).partition("(")[0].endswith(("tf.function", "function")):
                first = source.span(one.lineno)[0]
                taken = Edit(frame.file, (first, 0), (first + 1, 0), "")
                wrong = f"`{function.name if function else ''}` is traced, and its values are not known then"
                yield Guess("eager", "Leave out `@tf.function`", wrong, [taken], 0.9 + about, "same result")
        if (
            function is not None
            and not function.decorator_list
            and function.name in ("train_step", "test_step", "call")
        ):
            tensorflow = name_of(source, "tensorflow")
            if tensorflow and "Operator" in scene.link.type:
                edit = line_before(source, frame.file, function.lineno, f"@{tensorflow}.function")
                wrong = f"`{function.name}` has conditions on tensors, which only AutoGraph can trace"
                yield Guess("traced", "Add `@tf.function`", wrong, [edit], 0.8, "same result")
    for file, source in scene.sources.items():
        tensorflow = name_of(source, "tensorflow")
        found = _import(source)
        if tensorflow and found is not None and file == scene.frames[-1].file:
            text = f"{tensorflow}.config.run_functions_eagerly(True)"
            wrong = "a traced function needs values, which it does not have"
            edit = line_after(source, file, found.lineno, text)
            yield Guess("eager", f"Add `{text}`", wrong, [edit], 2.0 + about, "same result")


def _import(source: Source) -> ast.stmt | None:
    """The last import at the head of the file: only behind it every name is there."""
    found = [one for one in source.tree.body if isinstance(one, ast.Import | ast.ImportFrom)]
    return found[-1] if found else None


def _has_sessions(scene: Scene) -> bool:
    return any(callee(call) in ("Session", "InteractiveSession") for _, call in across(scene.sources, ast.Call))


def _graphs(scene: Scene) -> Iterator[Guess]:
    """A new graph before what builds one again, and the session on the graph that has the ops."""
    about = scene.rule in ("other-graph", "graph-built-twice", "checkpoint-mismatch", "graph-growth")
    about |= _BUILT_BEFORE.search(scene.link.message) is not None
    for site in scene.sites:
        if not site.is_running and not about:
            continue
        source = scene.sources[site.file]
        tensorflow = name_of(source, "tensorflow")
        if not tensorflow:
            continue
        old = "compat.v1." if f"{tensorflow}.compat.v1" in "\n".join(source.lines) else ""
        text = f"{tensorflow}.{old}reset_default_graph()"
        edit = line_before(source, site.file, site.line, text)
        wrong = "the graph still has the ops and variables of before"
        yield Guess("graph", f"Call `{text}` before", wrong, [edit], (0.9 if about else 2.4) + 0.3 * site.far)
    for file, call in across(scene.sources, ast.Call):
        source = scene.sources[file]
        if callee(call) == "Session" and not any(word.arg == "graph" for word in call.keywords):
            for name in _graph_names(source):
                opened = with_graph(source, file, call.lineno, name)
                wrong = f"the session is not on `{name}`, which has the ops"
                yield Guess("graph", f"Open the session on `{name}`", wrong, [opened] if opened else [], 0.9)
        if callee(call) == "reset_default_graph":
            for site in scene.sites[:4]:
                node = statement_at(source, call.lineno)
                if site.file == file and node is not None and call.lineno > site.line and stands_alone(source, node):
                    edits = move_above(source, file, node, site.line)
                    wrong = "the graph is made new too late"
                    yield Guess("graph", "Reset the graph before", wrong, edits, 0.8)
            yield from _reset_first(scene, file, source, call)


def _reset_first(scene: Scene, file: str, source: Source, call: ast.Call) -> Iterator[Guess]:
    """The reset as the first statement of its function or loop."""
    node = statement_at(source, call.lineno)
    for parent in ast.walk(source.tree):
        body = getattr(parent, "body", None)
        if isinstance(body, list) and node in body and body[0] is not node and isinstance(node, ast.stmt):
            edits = move_above(source, file, node, body[0].lineno)
            wrong = "the graph is made new behind what is built in it"
            yield Guess("graph", "Reset the graph first", wrong, edits, 1.0)


def _graph_names(source: Source) -> list[str]:
    made = [node for node in walk(source.tree, ast.Assign) if isinstance(node.value, ast.Call)]
    found = [
        written(node.targets[0]) for node in made if isinstance(node.value, ast.Call) and callee(node.value) == "Graph"
    ]
    return list(dict.fromkeys(found))[:2]


def _initialisers(scene: Scene) -> Iterator[Guess]:
    """Local variables and tables beside the global variables, and those once more before the failing run."""
    said = _UNINITIALISED.search(scene.link.message) is not None
    about = 0.0 if said or scene.rule == "uninitialised-variable" else 1.2
    for file, call in across(scene.sources, ast.Call):
        source = scene.sources[file]
        if callee(call) != "global_variables_initializer" or not isinstance(call.func, ast.Attribute):
            continue
        module = written_in(source, call.func.value)
        for at, name in enumerate(_INITIALISERS):
            text = f"{module}.group({written_in(source, call)}, {module}.{name}())"
            wrong = f"what `{name}` prepares is not ready"
            edit = over(source, file, call, text)
            yield Guess("initialiser", f"Run `{name}` too", wrong, [edit], 0.8 + 0.2 * at + about)
        for site in scene.sites[:4]:
            if site.file == file and call.lineno < site.line:
                edits = move_before_use(source, file, call.lineno, site.line)
                wrong = "variables are made after the initialiser, which does not know them"
                yield Guess("initialiser", "Initialise right before the use", wrong, edits, 0.9 + about)
                edits = _run_later(source, file, call, site.line)
                yield Guess("initialiser", "Make the initialiser after the last variable", wrong, edits, 0.8 + about)
    for site in scene.sites[:3]:
        source = scene.sources[site.file]
        tensorflow = name_of(source, "tensorflow")
        for call in scene.nodes(site, ast.Call):
            if callee(call) in ("run", "eval", "save") and isinstance(call.func, ast.Attribute) and tensorflow:
                session = written_in(source, call.func.value) if callee(call) == "run" else "sess"
                old = "compat.v1." if f"{tensorflow}.compat.v1" in "\n".join(source.lines) else ""
                text = f"{session}.run({tensorflow}.{old}global_variables_initializer())"
                edit = line_before(source, site.file, site.line, text)
                wrong = "variables have no value yet"
                yield Guess("initialiser", f"Run `{text}` before", wrong, [edit], 1.2 + about + 0.4 * site.far)


def _run_later(source: Source, file: str, call: ast.Call, use: int) -> list[Edit]:
    """`start = tf.global_variables_initializer()` down to above the session that runs it."""
    blocks = [one for one in source.tree.body if call.lineno < one.lineno <= use <= (one.end_lineno or one.lineno)]
    node = statement_at(source, call.lineno)
    if not blocks or node is None or node not in source.tree.body:
        return []
    return move_above(source, file, node, blocks[0].lineno)


def _results(scene: Scene) -> Iterator[Guess]:
    """The value that a run gives under another name than the tensor that it is asked for."""
    for site in scene.sites:
        source = scene.sources[site.file]
        for node in scene.nodes(site, ast.Assign):
            read = {one.id for one in walk(node.value, ast.Name)}
            targets = [one for one in walk(node.targets[0], ast.Name) if one.id in read]
            edits = [over(source, site.file, one, f"{one.id}_value") for one in targets]
            names = ", ".join(f"`{one.id}`" for one in targets)
            wrong = f"{names} stands for a tensor, and is given its value"
            yield Guess("graph", f"Use another name for the value of {names}", wrong, edits, 0.9 + 0.3 * site.far)


def _tapes(scene: Scene) -> Iterator[Guess]:
    """What a tape is to watch, a tape that is asked twice, statements that belong on it."""
    for site in scene.sites:
        source = scene.sources[site.file]
        for call in scene.nodes(site, ast.Call):
            name = callee(call)
            if name == "GradientTape" and not any(word.arg == "persistent" for word in call.keywords):
                edit = add_argument(source, site.file, call, "persistent=True")
                wrong = "the tape is asked for more than one gradient"
                yield Guess("tape", "Make the tape persistent", wrong, [edit], 1.4, "exact")
            if name != "gradient" or not isinstance(call.func, ast.Attribute):
                continue
            tape = written_in(source, call.func.value)
            for part in call.args[1:2]:
                text = written_in(source, part)
                edit2 = watch(source, site.file, site.line, tape, text)
                wrong = f"the tape does not watch `{text}`"
                yield Guess("tape", f"Call `{tape}.watch({text})`", wrong, [edit2] if edit2 else [], 0.7)
            for statement in [one for one in walk(source.tree, ast.Assign) if one.lineno < site.line]:
                target = written(statement.targets[0])
                if call.args and target == written(call.args[0]):
                    edits = into_tape(source, site.file, statement.lineno, tape)
                    wrong = f"`{target}` is computed outside of the tape"
                    yield Guess("tape", f"Compute `{target}` on the tape", wrong, edits, 0.8)


def _switches(scene: Scene) -> Iterator[Guess]:
    """Eager execution switched off, or no longer; TensorFlow 1 as a whole."""
    about = 0.0 if _about_tracing(scene) or scene.link.type in ("AttributeError", "RuntimeError") else 1.5
    for file, call in across(scene.sources, ast.Call):
        source = scene.sources[file]
        node = statement_at(source, call.lineno)
        if (
            callee(call) in _SWITCHES
            and not _has_sessions(scene)
            and isinstance(node, ast.Expr)
            and stands_alone(source, node)
        ):
            taken = without_statement(source, file, node)
            wrong = "eager execution is switched off, and values are asked for"
            yield Guess("mode", f"Leave out `{written(node)}`", wrong, [taken], 1.8 + about)
    main = scene.frames[-1].file
    source = scene.sources[main]
    if not any(callee(call) in _SWITCHES for _, call in across(scene.sources, ast.Call)):
        edit3 = without_eager(source, main)
        graphs = 0.0 if _has_sessions(scene) or "placeholder" in scene.link.message else 1.5
        if edit3 is not None and (graphs == 0.0 or "eager" in scene.link.message):
            wrong = "the program builds a graph, and eager execution is on"
            yield Guess("mode", "Switch eager execution off", wrong, [edit3], 0.9 + about + graphs)
        old = run_as_version_1(scene.sources, main)
        wrong = "the program is written for TensorFlow 1"
        yield Guess("mode", "Run as TensorFlow 1", wrong, old, 1.0 + about)


def _symbolic(scene: Scene) -> Iterator[Guess]:
    """Tensors without values: the same in TensorFlow, as a Lambda layer, a variable made once."""
    if not _about_tracing(scene):
        return
    for site in scene.sites[:4]:
        source = scene.sources[site.file]
        edits = as_tensors(source, site.file, site.line)
        wrong = "a tensor of a graph is asked for its value"
        yield Guess("symbolic", "Use functions of TensorFlow", wrong, edits, 0.7 + 0.3 * site.far)
        for text, known in site.values.items():
            if known is not None and known.name == "KerasTensor":
                edits = in_lambda(source, site.file, site.line, text)
                wrong = f"`{text}` is a Keras tensor, which only layers take"
                yield Guess("symbolic", "Put it into a Lambda layer", wrong, edits, 0.8 + 0.3 * site.far)
