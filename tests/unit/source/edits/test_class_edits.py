"""What Keras needs of classes: constructors, configurations, state that is made once."""

from __future__ import annotations

import ast

import pytest

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits.edit import Edit
from whydied.source.edits.programs import class_edits as edits
from whydied.source.text import Source
from whydied.source.trees import walk


def _owner(text: str) -> tuple[Source, str, ast.ClassDef]:
    source = source_of(text)
    return source, FILE, walk(source.tree, ast.ClassDef)[0]


def _lines(text: str, made: list[Edit]) -> list[str]:
    return lines_of(source_of(text), *made)


def test_the_parent_is_begun_first() -> None:
    text = "class A(Layer):\n    def __init__(self, n, **more):\n        'Begins.'\n        self.n = n\n"
    assert _lines(text, edits.begin_parent(*_owner(text)))[3] == "        super().__init__(**more)"
    late = text + "        super().__init__(name='a')\n"
    assert _lines(late, edits.begin_parent(*_owner(late)))[3:] == [
        "        super().__init__(name='a')",
        "        self.n = n",
    ]
    assert edits.begin_parent(*_owner("class A(Layer):\n    pass\n")) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self", "self, **kwargs"),
        ("self, a, b=(1, 2)", "self, a, b=(1, 2), **kwargs"),
        ("self, *, a=1", "self, *, a=1, **kwargs"),
        ("self, **kw", "self, **kw"),
    ],
)
def test_keywords_are_passed_on(before: str, after: str) -> None:
    text = f"class A(Layer):\n    def __init__({before}):\n        super(A, self).__init__(rank=2)\n"
    name = "kw" if "kw)" in f"{before})" else "kwargs"
    assert _lines(text, edits.pass_keywords_on(*_owner(text))) == [
        "class A(Layer):",
        f"    def __init__({after}):",
        f"        super(A, self).__init__(rank=2, **{name})",
    ]


@pytest.mark.parametrize(
    ("before", "passed", "after"),
    [("self, name=None", "name=name", "self, name=None"), ("self, n: int", "name='hits'", "self, n: int, name='hits'")],
)
def test_a_name_that_the_parent_is_given_is_passed_once(before: str, passed: str, after: str) -> None:
    text = f"class A(Metric):\n    def __init__({before}):\n        super().__init__({passed})\n"
    assert _lines(text, edits.pass_keywords_on(*_owner(text)))[1:] == [
        f"    def __init__({after}, **kwargs):",
        "        super().__init__(name=name, **kwargs)",
    ]


def test_a_name_that_is_computed_is_left_alone() -> None:
    text = "class A(Metric):\n    def __init__(self):\n        super().__init__(name=made())\n"
    assert edits.pass_keywords_on(*_owner(text)) == []


def test_keywords_that_are_passed_on_already_are_left_alone() -> None:
    for passed in ("**kwargs", "name='a'"):
        text = f"class A(Layer):\n    def __init__(self, **kwargs):\n        super().__init__({passed})\n"
        assert edits.pass_keywords_on(*_owner(text)) == []


KEPT = """class A(Layer):
    def __init__(self, n, m):
        super().__init__()
        self._n = n
        self.m = 2 * m
"""


def test_a_configuration_names_the_attribute_that_keeps_an_argument() -> None:
    assert _lines(KEPT, edits.configuration(*_owner(KEPT), ["n"]))[-3:] == [
        "",
        "    def get_config(self):",
        '        return {**super().get_config(), "n": self._n}',
    ]
    assert edits.configuration(*_owner(KEPT), ["n", "m"]) == []


def test_a_configuration_is_whole_where_the_parent_has_none_and_keeps_what_is_lost() -> None:
    assert edits.configuration(*_owner(KEPT), ["n", "m"], extends=False) == []
    text = KEPT.replace("self.m =", "self.twice =")
    lines = _lines(text, edits.configuration(*_owner(text), ["n", "m"], extends=False))
    assert lines[2] == "        self.m = m"
    assert lines[-1] == '        return {"n": self._n, "m": self.m}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{'a': 1}", "{'a': 1, \"n\": self._n}"),
        ("{'a': 1,}", "{'a': 1, \"n\": self._n}"),
        ("config", '{**config, "n": self._n}'),
    ],
)
def test_a_configuration_gets_what_it_lacks(before: str, after: str) -> None:
    text = f"{KEPT}    def get_config(self):\n        return {before}\n"
    assert _lines(text, edits.configuration(*_owner(text), ["n"]))[-1] == f"        return {after}"


def test_layers_are_made_once() -> None:
    text = (
        "from keras.layers import Conv2D\n"
        "class A(Layer):\n"
        "    def __init__(self, n):\n"
        "        super().__init__()\n"
        "        self.conv2d = None\n"
        "    def call(self, x):\n"
        "        return tf.nn.relu(Conv2D(self.n, 3)(x))\n"
    )
    lines = _lines(text, edits.create_once(*_owner(text), "call"))
    assert lines[5] == "        self.conv2d_2 = Conv2D(self.n, 3)"
    assert lines[-1] == "        return tf.nn.relu(self.conv2d_2(x))"
    looped = text.replace("        return", "        for _ in range(2): x = x + 1\n        return")
    assert edits.create_once(*_owner(looped), "call") == []
    assert edits.create_once(*_owner(text.replace("self.n, 3", "x.shape[-1], 3")), "call") == []
    assert edits.create_once(*_owner(text.replace("        super().__init__()\n", "")), "call") == []


def test_an_object_is_saved_as_what_makes_one() -> None:
    layer = "class A(Layer):\n    def __init__(self, table, **kwargs):\n        self.own = table\n"
    plain = "class Table:\n    def __init__(self, rows, more=1):\n        self.rows, self.n = rows, more\n"
    kept = "class Table:\n    def __init__(self, rows, more=1):\n        self.rows = rows\n        self.n = more\n"
    data = "@dataclass\nclass Table:\n    rows: list\n"
    for text, values in (
        (kept, '{"rows": self.own.rows, "more": self.own.n}'),
        (data, '{"rows": self.own.rows}'),
        (plain, ""),
        ("class Table:\n    pass\n", ""),
    ):
        kind = walk(source_of(text).tree, ast.ClassDef)[0]
        made = edits.configuration(*_owner(layer), ["table"], {"table": kind})
        expected = [
            "    def get_config(self):",
            f'        return {{**super().get_config(), "table": {values}}}',
            "",
            "    @classmethod",
            "    def from_config(cls, config):",
            '        return cls(**{**config, "table": Table(**config["table"])})',
        ]
        assert (_lines(layer, made)[4:] if made else []) == (expected if values else [])
