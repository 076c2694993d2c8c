"""What a library wanted before it raised, read from its frames; the library is a file of the test's own."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whydied.inside.errors.api import refusals
from whydied.inside.guest.ownership import Ownership
from whydied.records import CallRefused, Demanded

LIBRARY = """
TABLE = {"mean": 1, "total": 2}

def wrapper(function):
    def handler(*args, **kwargs):
        return function(*args, **kwargs)
    return handler

def get(identifier):
    found = TABLE.get(identifier)
    if found is None:
        raise ValueError(f"unknown: {identifier}")
    return found

@wrapper
def fit(data, metrics=(), split=0.0):
    for one in metrics:
        get(one)
    if split:
        cut(data, split)

def cut(data, split):
    if not isinstance(data, (list, tuple)):
        raise ValueError("`split` is for lists")

def apply(pairs):
    first, second = zip(*pairs)

class Schedule:
    def __init__(self, function, rate=1):
        self.rate = rate
        self.function = function
    def run(self):
        return self.function(3)

class Mean:
    def __init__(self, name="mean"):
        self.name = name
    def update(self, values, weight=None):
        pass

class Wrapper(Mean):
    def __init__(self, fn, name="wrapper"):
        self.fn = fn
    def update(self, truth, guess, weight=None):
        pass

def watch(metrics):
    truth = guess = weight = None
    for one in metrics:
        one.update(truth, guess, weight=weight)

class Join:
    def __call__(self, *args, **kwargs):
        for one in args[0]:
            if not isinstance(one, float):
                raise ValueError(f"only floats, not {one}")
    def call(self, inputs, training=None):
        pass

class Tape:
    def __init__(self, persistent=False):
        self._keep = persistent
        self._state = 1
    def gradient(self):
        if self._state is None:
            raise RuntimeError("not persistent")
        if not self._keep:
            self._state = None
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file: Path = tmp_path_factory.mktemp("lib") / "site-packages" / "keras_like.py"
    file.parent.mkdir()
    file.write_text(LIBRARY)
    spec = importlib.util.spec_from_file_location("keras.like", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def within_half(truth: float, guess: float) -> bool:
    return abs(truth - guess) < 0.5


def _refused(call: Callable[[], Any]) -> CallRefused | None:
    try:
        call()
    except (ValueError, TypeError, RuntimeError, AttributeError) as error:
        return refusals.look(0, error, error.__traceback__, Ownership(os.getcwd()))
    raise AssertionError("nothing was raised")


def _of_kind(found: CallRefused | None, kind: str) -> Demanded:
    assert found is not None
    return next(one for one in found.demands if one.kind == kind)


def test_a_text_is_the_argument_that_holds_it_with_what_is_near_and_its_namesake(library: Any) -> None:
    wanted = _of_kind(_refused(lambda: library.fit([1], metrics=["meen"])), "member")
    assert (wanted.parameter, wanted.part, wanted.near) == ("metrics", "[0]", ["mean"])
    assert wanted.accepted == ["mean", "total"]
    assert wanted.namesake is None
    own = _of_kind(_refused(lambda: library.fit([1], metrics=["within_half"])), "member")
    assert own.namesake is not None
    assert own.namesake.function == "within_half"


def test_an_attribute_is_what_the_constructor_keeps(library: Any) -> None:
    schedule = library.Schedule(0.5)
    found = _refused(schedule.run)
    wanted = _of_kind(found, "callable")
    assert (wanted.holder, wanted.given_as, wanted.position, wanted.value) == ("Schedule", "function", 0, "0.5")
    assert found is not None
    assert found.passes == 1


def test_an_argument_without_which_the_line_is_not_reached(library: Any) -> None:
    wanted = _of_kind(_refused(lambda: library.fit({1}, split=0.2)), "reached")
    assert (wanted.parameter, wanted.value) == ("split", "0.2")
    typed = _of_kind(_refused(lambda: library.fit({1}, split=0.2)), "type")
    assert (typed.parameter, typed.wanted) == ("data", "(list, tuple)")


def test_single_values_where_pairs_are_taken_apart(library: Any) -> None:
    wanted = _of_kind(_refused(lambda: library.apply([[1], [2]])), "pairs")
    assert wanted.parameter == "pairs"
    # Pairs that are tuples are not what is wrong.
    assert _refused(lambda: library.apply([(1, 2, 3)])) is None


def test_the_setting_that_made_an_object_give_up_its_state(library: Any) -> None:
    tape = library.Tape()
    tape.gradient()
    wanted = _of_kind(_refused(tape.gradient), "true")
    assert (wanted.holder, wanted.given_as, wanted.default) == ("Tape", "persistent", "False")


def test_what_autographs_copy_of_a_function_called(library: Any) -> None:
    class Marked(RuntimeError):
        ag_error_metadata = None

    library.Tape.gradient.__globals__["RuntimeError"] = Marked
    around = {"__name__": "tensorflow.python.autograph.impl.api", "Marked": Marked}
    exec(
        "def converted_call(function):\n    return function()\n\n\n"
        "def handler(function):\n    try:\n        return function()\n"
        "    except RuntimeError as error:\n        raise Marked(f'in user code: {error}')\n",
        around,
    )
    text = "def tf__step(tape):\n    converted_call(tape.gradient)\n    converted_call(tape.gradient)\n"
    names = {"converted_call": around["converted_call"], "__name__": "__main__"}
    exec(compile(text, "/tmp/__autograph_generated_file1.py", "exec"), names)

    def trained() -> None:
        handler: Any = around["handler"]
        handler(lambda: names["tf__step"](library.Tape()))  # type: ignore[operator]

    try:
        wanted = _of_kind(_refused(trained), "true")
    finally:
        del library.Tape.gradient.__globals__["RuntimeError"]
    assert (wanted.holder, wanted.given_as, wanted.default) == ("Tape", "persistent", "False")


def test_a_tuple_of_one_item_that_has_what_is_asked_for() -> None:
    pair: Any = ([1],)
    wanted = _of_kind(_refused(lambda: pair.append(2)), "item")
    assert (wanted.text, wanted.wanted, wanted.type) == ("pair", "append", "list")
    # The item has no such attribute either.
    assert _refused(lambda: pair.nothing) is None


def test_an_error_of_the_programs_own_line_is_not_a_librarys(library: Any) -> None:
    def own() -> None:
        raise ValueError(library.TABLE)

    assert _refused(own) is None


def test_an_object_whose_method_takes_other_arguments_than_all_of_its_kind_are_passed(library: Any) -> None:
    wanted = _of_kind(_refused(lambda: library.watch([library.Mean()])), "receiver")
    assert (wanted.holder, wanted.attribute, wanted.accepted) == ("Mean", "update", ["values", "weight"])
    assert wanted.wanted == "one.update(truth, guess, weight=weight)"
    assert (wanted.parameter, wanted.part) == ("metrics", "[0]")
    assert wanted.offers == ["Wrapper(fn=lambda truth, guess: guess, {})"]


class Own:
    def update(self, values: float) -> None: ...


def test_a_method_of_the_users_own_is_the_users_to_change(library: Any) -> None:
    found = _refused(lambda: library.watch([Own()]))
    assert found is None or not [one for one in found.demands if one.kind == "receiver"]


def test_what_a_layer_is_called_with_has_the_names_of_its_own_method(library: Any) -> None:
    own = Own()
    wanted = _of_kind(_refused(lambda: library.Join()([1.0, own])), "type")
    assert (wanted.parameter, wanted.part) == ("inputs", "[1]")
