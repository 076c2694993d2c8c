"""Names and arguments of libraries: where they are now, what they are called now, how a model is saved. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.prove.guesses.scene import Guess, Scene, Site
from whydied.records import ApiMissed
from whydied.source.calls import callee
from whydied.source.edits.argument_edits import drop_argument
from whydied.source.edits.call_edits import add_argument, rename_argument
from whydied.source.edits.edit import over, statement, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.programs.keras_edits import keras_uses, on_other_keras
from whydied.source.trees import dotted_name, written
from whydied.texts import saving
from whydied.texts.entry import any_of

_HOMES = ("{m}.compat.v1.{n}", "{m}.math.{n}", "{m}.keras.{n}", "{m}.keras.backend.{n}", "{m}.nn.{n}", "{m}.ops.{n}")
_SAVES = {
    "save": (".keras", ".h5"),
    "save_weights": (".weights.h5",),
    "load_weights": (".weights.h5",),
    "ModelCheckpoint": (".keras", ".weights.h5"),
    "save_model": (".keras",),
    "load_model": (".keras", ".h5"),
}
_ENDING = any_of(
    *(saving.MODEL_ENDING, saving.WEIGHTS_ENDING, saving.CHECKPOINT_WEIGHTS_ENDING, saving.CHECKPOINT_ENDING),
    *(saving.FORMAT_REFUSED, saving.LOADED_FROM),
)
_OWN_OBJECTS = ("load_model", "from_config", "model_from_json", "clone_model", "deserialize")


def apis(scene: Scene) -> Iterator[Guess]:
    yield from _missed(scene)
    yield from _elsewhere(scene)
    yield from _imports(scene)
    yield from _arguments(scene)
    for site in scene.sites:
        for call in scene.nodes(site, ast.Call):
            yield from _endings(scene, site, call)
            yield from _own_objects(scene, site, call)
    yield from _other_keras(scene)


def _missed(scene: Scene) -> Iterator[Guess]:
    """What the installed version has in the place of a name that is gone."""
    for one in scene.case.records.all(ApiMissed):
        frame = one.frame
        if frame is None or frame.file not in scene.sources:
            continue
        source = scene.sources[frame.file]
        wrong = f"`{one.old}` is gone"
        if one.change:
            edit = statement(source, frame.file, frame.line, one.change)
            yield Guess("api", f"Write `{one.change.strip()[:80]}`", wrong, [edit], 0.3)
        for at, new in enumerate(one.new[:4]):
            for node in scene.nodes(Site(frame.file, frame.line, 0, {}), (ast.Attribute, ast.Name)):
                if written(node) == one.written and isinstance(node, ast.expr):
                    edit = over(source, frame.file, node, new)
                    yield Guess("api", f"Write `{new}` instead of `{one.written}`", wrong, [edit], 0.4 + 0.3 * at)
            for call in scene.nodes(Site(frame.file, frame.line, 0, {}), ast.Call):
                renamed = rename_argument(source, frame.file, call, one.written or one.old, new)
                if one.kind == "argument" and renamed is not None:
                    yield Guess("api", f"Write `{new}=`", wrong, [renamed], 0.4 + 0.3 * at)


def _elsewhere(scene: Scene) -> Iterator[Guess]:
    """A name that a module does not have, in the modules that took such names."""
    wanted = scene.link.wanted
    if scene.link.type != "AttributeError" or not wanted:
        return
    for site in scene.sites[:3]:
        source = scene.sources[site.file]
        for node in scene.nodes(site, ast.Attribute):
            owner = dotted_name(node.value)
            if node.attr != wanted or owner is None:
                continue
            module = owner.partition(".")[0]
            if module not in (name_of(source, "tensorflow"), name_of(source, "keras"), "K", "keras"):
                continue
            for at, code in enumerate(_HOMES):
                new = code.format(m="keras" if module == "K" else module, n=f"{owner}.{wanted}".partition(".")[2])
                edit = over(source, site.file, node, new)
                wrong = f"`{owner}` has no `{wanted}`"
                yield Guess("api", f"Write `{new}`", wrong, [edit], 0.8 + 0.25 * at)


def _imports(scene: Scene) -> Iterator[Guess]:
    """An import from where the name is now: of the package above, of the other Keras."""
    if scene.link.type not in ("ImportError", "ModuleNotFoundError", "AttributeError"):
        return
    for site in scene.sites[:3]:
        source = scene.sources[site.file]
        for node in scene.nodes(site, ast.ImportFrom):
            names = ", ".join(ast.unparse(one) for one in node.names)
            module = node.module or ""
            homes = [module.rpartition(".")[0]] if "." in module else []
            homes += [f"tensorflow.{module}"] if module.startswith("keras") else []
            homes += [module.removeprefix("tensorflow.")] if module.startswith("tensorflow.keras") else []
            homes += [module.replace("tensorflow.python.keras", "tensorflow.keras")] if ".python." in module else []
            homes += ["tensorflow.keras.layers", "tensorflow.keras.utils", "tensorflow.keras.optimizers"]
            for at, home in enumerate(one for one in homes if one and one != module):
                edit = over(source, site.file, node, f"from {home} import {names}")
                wrong = f"`{module}` does not have {names}"
                yield Guess("api", f"Import {names} from `{home}`", wrong, [edit], 0.6 + 0.25 * at)


def _arguments(scene: Scene) -> Iterator[Guess]:
    """All arguments left out that the callee does not take, and those under their whole names (`lr`)."""
    called = scene.called
    if called is None or called.frame is None or called.frame.file not in scene.sources or not called.accepted:
        return
    file, source = called.frame.file, scene.sources[called.frame.file]
    for call in scene.nodes(Site(file, called.frame.line, 0, {}), ast.Call):
        if written(call.func) != called.callee:
            continue
        unknown = [word for word in call.keywords if word.arg is not None and word.arg not in called.accepted]
        if len(unknown) > 1:
            edits = [drop_argument(source, file, call, word) for word in unknown]
            wrong = f"`{called.callee}` does not take {', '.join(f'`{word.arg}`' for word in unknown)}"
            yield Guess("api", "Leave out what it does not take", wrong, edits, 0.6)
        for word in unknown:
            for other in called.accepted:
                if word.arg in ("".join(part[:1] for part in other.split("_")), other.rpartition("_")[2]):
                    edit = rename_argument(source, file, call, word.arg or "", other)
                    wrong = f"`{called.callee}` has no argument `{word.arg}`"
                    yield Guess("api", f"Write `{other}=`", wrong, [edit] if edit else [], 0.5)


def _endings(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    """The ending that a format asks for, of a path that is written here or above."""
    source = scene.sources[site.file]
    about = 0.0 if _ENDING.search(scene.link.message) else 1.4
    given = (
        call.args[0] if call.args else next((word.value for word in call.keywords if "path" in (word.arg or "")), None)
    )
    if given is None or isinstance(given, ast.Starred):
        return
    for at, ending in enumerate(_SAVES.get(callee(call), ())):
        text = written_in(source, given)
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            stem = given.value
            for old in (".weights.h5", ".keras", ".hdf5", ".h5", ".ckpt", ".tf", ".model"):
                stem = stem.removesuffix(old)
            new = f'"{stem}{ending}"'
        else:
            new = f'str({text}) + "{ending}"'
        edit = over(source, site.file, given, new)
        wrong = f"`{callee(call)}` needs a path that ends in {ending}"
        yield Guess(
            "ending", f"Write `{new}` instead of `{text}`", wrong, [edit], 0.7 + 0.3 * at + about + 0.3 * site.far
        )


def _own_objects(scene: Scene, site: Site, call: ast.Call) -> Iterator[Guess]:
    """The program's own classes and functions that a saved model names."""
    if callee(call) not in _OWN_OBJECTS or any(word.arg == "custom_objects" for word in call.keywords):
        return
    source = scene.sources[site.file]
    known = [node.name for node in source.tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    named = [one for one in known if one in scene.link.message] or [
        node.name for node in source.tree.body if isinstance(node, ast.ClassDef) and node.bases
    ]
    if named:
        pairs = ", ".join(f'"{one}": {one}' for one in named)
        edit = add_argument(source, site.file, call, f"custom_objects={{{pairs}}}")
        wrong = f"the saved model has {', '.join(named)}, which Keras does not know"
        yield Guess("own-objects", f"Pass `custom_objects={{{pairs}}}`", wrong, [edit], 0.6 + 0.3 * site.far)


def _other_keras(scene: Scene) -> Iterator[Guess]:
    """Keras 2 in the place of Keras 3."""
    rules = ("api-removed", "argument-renamed", "layer-misuse", "load-failed", "mixed-kerases", "refused-argument")
    if scene.rule not in rules:
        return
    edits = [
        edit
        for file, source in scene.sources.items()
        if keras_uses(source)["keras"]
        for edit in on_other_keras(source, file, "tf_keras")
    ]
    both = any(keras_uses(source)["tf_keras"] for source in scene.sources.values())
    wrong = "the program is written for Keras 2"
    yield Guess("keras", "Use tf_keras (Keras 2)", wrong, edits, 0.9 if both else 1.9)
