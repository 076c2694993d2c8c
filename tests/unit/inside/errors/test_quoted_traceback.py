"""The Python error inside of an error of TensorFlow's, read from its text alone."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from whydied.inside.errors import callback_errors, handled_exception, quoted_traceback
from whydied.inside.guest.ownership import Ownership

BODY = """Traceback (most recent call last):

  File "/usr/lib/python3/dist-packages/tensorflow/python/ops/script_ops.py", line 269, in __call__
    ret = func(*args)
          ^^^^^^^^^^^

  File "/home/ann/train.py", line 13, in rows
    yield record["target"]

KeyError: 'target'


\t [[{{node PyFunc}}]] [Op:IteratorGetNext] name: """
OWN = Ownership("/home/ann")


def test_the_error_with_the_users_line() -> None:
    for head in (
        "{{function_node __wrapped__IteratorGetNext}} KeyError: 'target'\n",
        "Graph execution error:\n\nDetected at node PyFunc defined at (most recent call last):\n<stack traces"
        " unavailable>\nKeyError: 'target'\n",
        "Error in user-defined function passed to MapDataset:1 transformation with iterator: Root: KeyError: 't'\n",
    ):
        (link,) = quoted_traceback.quoted(head + BODY, OWN)
        assert (link.type, link.message, link.link) == ("KeyError", "'target'", "")
        assert [(frame.file, frame.line, frame.user) for frame in link.frames][-1] == ("/home/ann/train.py", 13, True)
        assert not link.frames[0].user


def test_a_chain_comes_with_the_surfaced_one_first() -> None:
    below = (
        BODY.partition("\n\n\n\t")[0].replace("rows", "read").replace("KeyError: 'target'", "OSError: gone\nfor good")
    )
    text = f"x\n{below}\n\nThe above exception was the direct cause of the following exception:\n\n{BODY}"
    first, second = quoted_traceback.quoted(text, OWN)
    assert (first.type, first.link) == ("KeyError", "cause")
    assert (second.type, second.message, second.link) == ("OSError", "gone\nfor good", "")


def test_other_texts_quote_nothing() -> None:
    assert quoted_traceback.quoted("indices = 3 is not in [0, 3)", OWN) == []
    assert quoted_traceback.quoted("see the Traceback (most recent call last): above", OWN) == []


def test_the_formatter_is_the_original_for_everybody_else() -> None:
    original = traceback.format_exception
    formatter = callback_errors._Formatter(original)
    error = KeyError("x")
    assert formatter(error) == original(error)
    assert formatter(type(error), error, error.__traceback__) == original(error)
    assert quoted_traceback._remembered == []
    assert (formatter.__name__, repr(formatter)) == ("format_exception", repr(original))


class Loud(Exception):
    def __str__(self) -> str:
        raise AssertionError("code of the user's")


def test_a_handled_exception_is_read_without_its_own_code(tmp_path: Path) -> None:
    own = Ownership(str(tmp_path))
    assert handled_exception.handled(own) == []
    try:
        raise Loud("what it was made with", 3)
    except Loud:
        (link,) = handled_exception.handled(own)
    assert (link.type, link.message) == ("Loud", "what it was made with")
    assert link.frames[-1].line == sys._getframe().f_code.co_firstlineno + 4
    assert link.frames[-1].locals == []
    try:
        try:
            int("12 apples")
        except ValueError as error:
            raise OSError(2, "gone") from error
    except OSError:
        first, second = handled_exception.handled(own)
    assert (first.message, first.link) == ("[Errno 2] gone", "cause")
    assert second.message == "invalid literal for int() with base 10: '12 apples'"
    try:
        sys.exit(3)
    except SystemExit:
        assert handled_exception.handled(own) == []
