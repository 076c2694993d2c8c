"""What a library says in the place of an error of the program's own function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whydied.inside.errors.exception_chain import links_of

LIBRARY = """
def run(function, words):
    try:
        function()
    except Exception as error:
        raise NotImplementedError(words.format(error))

def shown(function, words):
    try:
        run(function, words)
    except Exception as error:
        raise error.__class__(str(error) + " (with the arguments)") from None
"""


def _types(package: str, function: Callable[[], object], words: str) -> list[str]:
    namespace: dict[str, Any] = {"__name__": f"{package}.layers"}
    exec(LIBRARY, namespace)
    try:
        namespace["shown"](function, words)
    except NotImplementedError as error:
        return [type(link).__name__ for link, _, _ in links_of(error, error.__traceback__)]
    raise AssertionError("nothing was raised")


def _of_the_program() -> object:
    return {}["missing"]


def test_what_keras_hides_is_the_cause() -> None:
    assert _types("keras", _of_the_program, "cannot infer the shape") == ["NotImplementedError", "KeyError"]


def test_what_is_only_told_again_is_told_once() -> None:
    assert _types("keras", _of_the_program, "cannot infer the shape: {}") == ["NotImplementedError"]


def test_what_another_library_hides_stays_hidden() -> None:
    assert _types("frames", _of_the_program, "no such column") == ["NotImplementedError"]


def test_an_error_of_keras_itself_stays_hidden() -> None:
    namespace: dict[str, Any] = {"__name__": "keras.backend"}
    exec("def fails():\n    raise ValueError('inner')", namespace)
    assert _types("keras", namespace["fails"], "cannot infer the shape") == ["NotImplementedError"]
