"""Edits of source: what is written where, what is refused, and the patch."""

from __future__ import annotations

import textwrap

import pytest

from whydied.source.edits import call_edits
from whydied.source.edits.edit import Edit, edited, line_after, line_before, over, patch, statement, written_in
from whydied.source.text import Source
from whydied.source.trees import nodes_on

FILE = "/home/me/work/train.py"


def source_of(text: str) -> Source:
    return Source(textwrap.dedent(text).lstrip())


def lines_of(source: Source, *edits: Edit | None) -> list[str]:
    text = edited(source, [edit for edit in edits if edit is not None])
    assert text is not None
    return text.splitlines()


def test_columns_count_characters_and_not_bytes() -> None:
    source = source_of("größe = 'ä'; f(größe, b)\n")
    call = call_edits.only_call({FILE: source}, FILE, 1, "f")
    assert call is not None
    assert written_in(source, call) == "f(größe, b)"
    assert lines_of(source, over(source, FILE, call.args[1], "c")) == ["größe = 'ä'; f(größe, c)"]


def test_edits_that_overlap_change_nothing_or_break_the_text_are_refused() -> None:
    source = source_of("a = f(x, y)\n")
    whole, part = Edit(FILE, (1, 4), (1, 11), "g()"), Edit(FILE, (1, 6), (1, 7), "z")
    assert edited(source, [whole, part]) is None
    assert edited(source, [Edit(FILE, (1, 6), (1, 7), "x")]) is None
    assert edited(source, [Edit(FILE, (1, 6), (1, 7), "(")]) is None
    assert edited(source, [part]) == "a = f(z, y)\n"


def test_a_statement_is_written_anew_with_its_indent_and_its_comment() -> None:
    source = source_of(
        """
        def f():
            with tf.Session() as s:  # opened here
                return s.run(
                    a,
                )  # the value
        """
    )
    header = statement(source, FILE, 2, "with tf.compat.v1.Session() as s:")
    inner = statement(source, FILE, 4, "b = 1\nreturn b")
    assert lines_of(source, header, inner) == [
        "def f():",
        "    with tf.compat.v1.Session() as s:  # opened here",
        "        b = 1",
        "        return b  # the value",
    ]


def test_lines_go_above_and_below_the_whole_statement() -> None:
    source = source_of("if a:\n    f(\n        1)\n")
    assert lines_of(source, line_before(source, FILE, 3, "x = 0"), line_after(source, FILE, 2, "y = 0")) == [
        "if a:",
        "    x = 0",
        "    f(",
        "        1)",
        "    y = 0",
    ]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("d = Dense(10)", "d = Dense(3)"),
        ("d = Dense(units=10, name='a')", "d = Dense(units=3, name='a')"),
        ("d = Dense()", "d = Dense(units=3)"),
        ("d = Dense(name='a',\n)", "d = Dense(name='a', units=3,\n)"),
        ("n = 10\nd = Dense(n)", "n = 3\nd = Dense(n)"),
        ("n = 10\nd = Dense(n)\nprint(n)", "n = 10\nd = Dense(3)\nprint(n)"),
        ("n = len(x)\nd = Dense(n)", "n = len(x)\nd = Dense(3)"),
    ],
)
def test_an_argument_is_set_where_it_is_given(text: str, after: str) -> None:
    source = Source(text)
    call = call_edits.only_call({FILE: source}, FILE, len(source.lines) if "print" not in text else 2, "Dense")
    call = call or call_edits.only_call({FILE: source}, FILE, 1, "Dense")
    assert call is not None
    assert lines_of(source, call_edits.set_argument(source, FILE, call, "units", 0, "3")) == after.splitlines()


def test_arguments_behind_a_star_are_not_counted() -> None:
    source = source_of("d = Dense(*sizes)\n")
    call = call_edits.only_call({FILE: source}, FILE, 1, "Dense")
    assert call is not None
    assert call_edits.set_argument(source, FILE, call, "units", 0, "3") is None


def test_of_two_calls_on_a_line_neither_is_meant() -> None:
    source = source_of("m = Sequential([Dense(1), Dense(2)])\n")
    assert call_edits.only_call({FILE: source}, FILE, 1, "Dense") is None


@pytest.mark.parametrize(
    ("text", "line", "after"),
    [
        ("m.add(layers.Dense(3))", 1, "m.add(layers.Flatten())\nm.add(layers.Dense(3))"),
        ("y = layers.Dense(3)(conv(x))", 1, "y = layers.Dense(3)(layers.Flatten()(conv(x)))"),
        (
            "m = Sequential([\n    layers.Conv2D(4, 3),\n    layers.Dense(3),\n])",
            3,
            "m = Sequential([\n    layers.Conv2D(4, 3),\n    layers.Flatten(),\n    layers.Dense(3),\n])",
        ),
        ("m = Sequential([Conv(4), l.Dense(3)])", 1, "m = Sequential([Conv(4), l.Flatten(), l.Dense(3)])"),
        (
            "from keras.layers import Dense\nm.add(Dense(3))",
            2,
            "from keras.layers import Flatten\nfrom keras.layers import Dense\nm.add(Flatten())\nm.add(Dense(3))",
        ),
    ],
)
def test_a_layer_is_put_before_another(text: str, line: int, after: str) -> None:
    source = Source(text)
    call = call_edits.only_call({FILE: source}, FILE, line, "Dense")
    assert call is not None
    edits = call_edits.insert_layer(source, FILE, call, "Flatten()")
    assert edits is not None
    assert lines_of(source, *edits) == after.splitlines()


def test_a_layer_whose_import_is_not_known_is_not_put_in() -> None:
    source = source_of("m.add(Dense(3))\n")
    call = call_edits.only_call({FILE: source}, FILE, 1, "Dense")
    assert call is not None
    assert call_edits.insert_layer(source, FILE, call, "Flatten()") is None


def test_an_expression_is_replaced_where_it_stands_once() -> None:
    source = source_of("x = model.fit(x, y)\n")
    edit = call_edits.replace_expression(source, FILE, 1, "x", "x[None]")
    assert lines_of(source, edit) == ["x = model.fit(x[None], y)"]
    assert call_edits.replace_expression(source_of("f(x, x)\n"), FILE, 1, "x", "y") is None
    named = call_edits.replace_in_call({FILE: source_of("f(g(x), x)\n")}, FILE, 1, ["f"], "x", "y")
    assert lines_of(source_of("f(g(x), x)\n"), named) == ["f(g(x), y)"]


def test_a_patch_names_files_below_the_directory_of_the_run() -> None:
    source = source_of("a = 1\nb = 2\n")
    edit = over(source, FILE, next(node for node in nodes_on(source, 2) if hasattr(node, "value")).value, "3")  # type: ignore[arg-type, attr-defined]
    text = patch({FILE: source}, [edit], "/home/me")
    assert text is not None
    assert text.splitlines()[:2] == ["--- a/work/train.py", "+++ b/work/train.py"]
    assert text.splitlines()[-2:] == ["-b = 2", "+b = 3"]
    assert patch({FILE: source}, [edit], "/elsewhere") is not None
    assert patch({}, [edit], "/home/me") is None
