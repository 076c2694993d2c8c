from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

import pytest

from whydied.inside.errors.near_names import LOADED_CODE, NOTHING, close, likeness, look
from whydied.inside.errors.operands import Failure
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("wanted", "names", "first"),
    [
        ("learnig_rate", ["learning_rate", "rate", "training"], "learning_rate"),
        ("Batch_Size", ["batch", "batch_size"], "batch_size"),
        ("x_train_flatten", ["x_train", "x_train_flat", "x_test_flat"], "x_train_flat"),
        ("trian", ["train", "brain", "trial"], "train"),
        ("epoch", ["epochs", "each"], "epochs"),
        ("dense", ["Dense", "Tense"], "Dense"),
    ],
)
def test_the_nearest_name(wanted: str, names: list[str], first: str) -> None:
    assert close(wanted, names)[0] == first


def test_nothing_is_near() -> None:
    assert close("tokenizer", ["x", "loss", "optimizer_state", "tok"]) in ((), ("tok",))
    assert close("a", ["a"]) == ()
    assert likeness("abc", "xyz") == 0.0
    assert likeness("a" * 500, "a" * 499 + "b") == 0.0


def test_a_layer_or_an_input_that_keras_misses() -> None:
    missing = ValueError("No such layer: conv2. Existing layers are: ['conv_1', 'conv_2', 'dense'].")
    assert look(missing, None, None).near[:1] == ("conv_2",)
    given = "Missing data for input \"meta\". You passed a data dictionary with keys ['image', 'metadata']. Expected"
    assert look(ValueError(f"{given} the following keys: ['image', 'meta']"), None, None).near == ("metadata",)
    assert look(ValueError("No such thing: ['meta']"), None, None) is NOTHING


def _raised_by(code: str, names: dict[str, object]) -> tuple[KeyError, Failure]:
    """An error of a line, with the expression that its frame was at."""
    try:
        exec(compile(code, "<lines>", "exec"), names)
    except KeyError as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        assert trace is not None
        return error, Failure(ast.parse(code), trace.tb_frame, Source(code))
    raise AssertionError("nothing was raised")


def test_a_key_is_compared_with_the_mapping_that_was_asked() -> None:
    logs = {"loss": 1.0, "val_accuracy": 0.5}
    error, failure = _raised_by(
        'name = "{val_acc:.2f}".format(epoch=options["n"], **logs)', {"logs": logs, "options": {"n": 1}}
    )
    found = look(error, failure.frame, failure)
    assert (found.holder, found.near, found.keys) == ("logs", ("'val_accuracy'",), ("'loss'", "'val_accuracy'"))


@pytest.mark.parametrize(("asked", "near"), [(["age", "Fare"], ("'fare'",)), (["age", "cabin"], ())])
def test_the_column_that_is_missing_among_several(asked: list[str], near: tuple[str, ...]) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [1], "fare": [2]})
    code = "x = table[asked].values"
    failure = Failure(ast.parse(code), sys._getframe(), Source(code))
    assert table.shape == (1, 2)
    found = look(KeyError(f"{asked[1:]} not in index"), failure.frame, failure)
    assert (found.wanted, found.holder, found.near) == (repr(asked[1]), "table", near)


def test_a_mapping_that_only_stands_on_the_line_is_not_blamed() -> None:
    def ask(key: str) -> object:
        return {"x": 1}[key]

    error, failure = _raised_by('ask("side")\nsize = options["edge"]', {"ask": ask, "options": {"edge": 3}})
    found = look(error, failure.frame, failure)
    assert (found.wanted, found.holder, found.near) == ("'side'", "", ())


def test_the_same_relative_path_above_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.h5").touch()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    error = FileNotFoundError(2, "No such file or directory", "models/a.h5")
    found = look(error, None, None)
    assert found.near[0] == str(tmp_path / "models" / "a.h5")
    assert found.wanted == str(tmp_path / "work" / "models" / "a.h5")


def test_the_path_that_only_the_message_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    error = FileNotFoundError(2, "Unable to open file (unable to open file: name = 'a.h5', errno = 2, flags = 0)")
    assert look(error, None, None).wanted == str(tmp_path / "a.h5")


def test_code_that_a_library_loaded_has_no_near_names() -> None:
    globals_of_keras = {"__name__": "keras.src.utils.python_utils", "__file__": "/lib/keras/src/utils/python_utils.py"}
    code = compile("tf", "/home/ann/network.py", "eval")
    with pytest.raises(NameError) as caught:
        eval(code, globals_of_keras)
    found = look(caught.value, caught.traceback[-1].frame.raw, None)
    assert (found.wanted, found.wanted_in, found.near) == ("tf", LOADED_CODE, ())


def test_a_keyword_that_grew_together_with_another() -> None:
    parser = argparse.ArgumentParser()
    text = "parser.add_argument('--d', default=1, defaulttype=int)"
    with pytest.raises(TypeError) as caught:
        eval(text, {"parser": parser})
    frames = [entry.frame.raw for entry in caught.traceback]
    source = Source(text)
    failure = Failure(source.tree.body[0], frames[-2], source)
    found = look(caught.value, frames[-2], failure, Failure(source.tree.body[0], frames[-1], source))
    assert (found.wanted, found.near[0]) == ("defaulttype", "type")


class Net:
    def predict(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("statement", "near"),
    [
        ("model_loaded.predict()", ("model_final",)),
        ("model_loaded.fit()", ()),
        ("frame_old['price']", ("frame",)),
        ("qqq.predict()", ()),
        ("print(model_loaded)", ()),
    ],
)
def test_a_name_that_nothing_makes_is_near_to_what_has_what_is_asked(statement: str, near: tuple[str, ...]) -> None:
    names = {"model_final": Net(), "net": Net(), "frame": {"price": 1}, "frame_size": {"x": 1}}
    with pytest.raises(NameError) as caught:
        eval(statement, names)
    frame = caught.traceback[-1].frame.raw
    source = Source(statement)
    found = look(caught.value, frame, Failure(source.tree.body[0], frame, source))
    assert found.near == near


def _encoder(*, categories: str = "auto", sparse_output: bool = True) -> None:
    """As the library's."""


@pytest.mark.parametrize(
    ("statement", "near"),
    [
        ("encoder(categorical_features=[0])", ()),
        ("encoder(categorie=[0])", ()),
        ("encoder(categorie='auto')", ("categories",)),
        ("encoder(sparse_out=True)", ("sparse_output",)),
    ],
)
def test_a_parameter_that_is_near_by_letters_alone_is_none(statement: str, near: tuple[str, ...]) -> None:
    with pytest.raises(TypeError) as caught:
        eval(statement, {"encoder": _encoder})
    frame = caught.traceback[-1].frame.raw
    source = Source(statement)
    node = source.tree.body[0]
    assert isinstance(node, ast.Expr)
    assert look(caught.value, frame, Failure(node.value, frame, source)).near == near
