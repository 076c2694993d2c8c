"""The inputs that a model's outputs come from; tensors and layers are stand-ins with what Keras keeps in theirs."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from whydied.inside.errors.framework import model_roots
from whydied.inside.guest.ownership import Ownership
from whydied.records import OutputsTraced

LIBRARY = """
class InputLayer:
    _inbound_nodes = []

class Dense:
    def __init__(self):
        self._inbound_nodes = []

class Node:
    def __init__(self, tensors):
        self.input_tensors = tensors

class Tensor:
    def __bool__(self):
        raise TypeError("symbolic")

    def __init__(self, maker, name):
        self._keras_history = (maker, 0, 0)
        self.name = name

class Model:
    def __init__(self, inputs, outputs):
        self._inputs = inputs
        if inputs[0].name != "right":
            raise ValueError("not connected")

def Input(name):
    return Tensor(InputLayer(), name)

def dense(tensor, alone=False):
    layer = Dense()
    layer._inbound_nodes.append(Node(tensor if alone else [tensor]))
    return Tensor(layer, "out")
"""


@pytest.fixture(scope="module")
def keras(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file: Path = tmp_path_factory.mktemp("lib") / "site-packages" / "keras_graph.py"
    file.parent.mkdir()
    file.write_text(LIBRARY)
    spec = importlib.util.spec_from_file_location("keras.graph", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _look(error: BaseException) -> OutputsTraced | None:
    return model_roots.look(0, error, error.__traceback__, Ownership(os.getcwd()))


def test_the_inputs_of_an_inner_model_by_its_name(keras: Any) -> None:
    entry = keras.Input("right")
    inner = keras.Model([entry], [keras.dense(entry)])
    outer = keras.Input("outer")
    try:
        keras.Model([outer], [keras.dense(entry)])
    except ValueError as error:
        found = _look(error)
    assert found is not None
    assert found.roots == ["right"]
    assert found.names == ["inner.inputs"]
    assert found.given == "[outer]"
    del inner


def test_an_input_by_its_own_variable_and_nothing_where_all_are_there(keras: Any) -> None:
    entry = keras.Input("left")
    other = keras.Input("outer")
    try:
        keras.Model([other], [keras.dense(entry, alone=True)])
    except ValueError as error:
        found = _look(error)
    assert found is not None
    assert found.names == ["entry"]
    with pytest.raises(ValueError, match="not connected") as whole:
        keras.Model([entry], [keras.dense(entry)])
    assert _look(whole.value) is None
