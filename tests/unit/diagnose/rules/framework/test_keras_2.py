"""What Keras 2 says in other words than Keras 3, on hand-built records, with near misses."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.diagnose.errors.misfit import _target
from whydied.diagnose.rules.framework import custom_object_missing, layer_misuse, load_failed, save_failed
from whydied.records import ClassSeen, ErrorFacts, FileLooked, Frame, LayerFacts, Party, RaisedException, Record

NET = ClassSeen(name="Net", kind="class", file=FILE, line=2, methods={"__init__": 2, "forward": 4}, calls_parent=False)
NO_CALL = "Exception encountered when calling layer 'net' (type Net).\n\nUnimplemented `tf.keras.Model.call()`: if you"
SPARSE = "logits and labels must have the same first dimension, got logits shape [32,4] and labels shape [128]"


def _died(kind: str, message: str, *facts: Record) -> Case:
    return case_of(process=[raised(kind, message), *facts], exit_code=1)


@pytest.mark.parametrize(
    ("kind", "message", "told", "name"),
    [
        (
            "RuntimeError",
            "You must call `super().__init__()` in the layer constructor.",
            "train.py:2: __init__ of Net does not call super().__init__() before it uses what Keras sets up there",
            "Net",
        ),
        ("NotImplementedError", NO_CALL, "train.py:4: Net has no method call; it has __init__, forward", "Net"),
        (
            "RuntimeError",
            "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.",
            "train.py:5: the model is not compiled",
            "the model",
        ),
    ],
)
def test_a_broken_rule_of_layers(kind: str, message: str, told: str, name: str) -> None:
    found = layer_misuse.check(_died(kind, message, NET))
    assert found is not None
    assert found.culprit is not None
    assert (found.message, found.culprit.name) == (told, name)


def test_a_call_that_the_program_left_unimplemented_is_its_own() -> None:
    said = "Exception encountered when calling layer 'net' (type Net).\n\nUnimplemented branch of the program"
    assert layer_misuse.check(_died("NotImplementedError", said, NET)) is None


def test_a_class_that_keras_was_not_told_of() -> None:
    said = "Cannot deserialize object of type `Scale`. If `Scale` is a custom class, please register it using"
    found = custom_object_missing.check(_died("TypeError", said))
    assert found is not None
    assert found.message == "train.py:5: the saved model uses the class Scale, which Keras does not know"


def test_a_layer_without_a_configuration() -> None:
    said = (
        "\nLayer Lookup was created by passing\nnon-serializable argument values in `__init__()`,\nand therefore the "
        "layer must override `get_config()` in\norder to be serializable."
    )
    found = save_failed.check(_died("NotImplementedError", said))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.name == "Lookup"


def test_an_export_that_is_no_model_of_keras() -> None:
    said = (
        "Unable to create a Keras model from SavedModel at out/net. This SavedModel was exported with "
        "`tf.saved_model.save`, and lacks the Keras metadata file."
    )
    found = load_failed.check(_died("ValueError", said, FileLooked(path="out/net", content="saved_model")))
    assert found is not None
    assert found.message == (
        "train.py:5: out/net is a TensorFlow SavedModel directory, which was not saved by Keras and does not contain "
        "a Keras model"
    )
    assert "tf.saved_model.load" in found.advice[0]


def _loss(labels: list[int | None], output: list[int | None], message: str = SPARSE) -> FrameworkError:
    link = RaisedException(type="InvalidArgumentError", module="tensorflow", message=message)
    facts = ErrorFacts(
        place=Frame(file=FILE, line=3, function="<module>", user=True),
        op="SparseSoftmaxCrossEntropyWithLogits",
        call="fit",
        parties=[Party(role="y", text="kinds", shape=labels)],
        layers=[LayerFacts(name="dense", type="Dense", output_shape=output)],
    )
    return FrameworkError(facts, link)


def test_a_loss_that_failed_in_the_graph_meets_what_was_passed() -> None:
    found = _target(_loss([40, 4], [None, 4]))
    assert found is not None
    assert found.first is not None
    assert (found.kind, found.first.text) == ("target", "kinds")


def test_labels_that_fit_the_model_are_no_misfit() -> None:
    assert _target(_loss([40], [None, 4])) is None
    assert _target(_loss([40, 4], [None, 4], "Received a label value of 9 which is outside the valid range")) is None
