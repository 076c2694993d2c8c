"""A call of `adapt` where a layer and its data are in sight."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, source_of, whole
from whydied.source.edits.programs.adapted_layers import adapting, late_adapt, names_used, unadapted


def _adapted(text: str, line: int, name: str) -> str | None:
    source = source_of(text)
    (one,), _ = unadapted({FILE: source})
    edits = adapting({FILE: source}, one, FILE, line, name, name)
    return whole(source, edits) if edits else None


BUILDER = """
def build(width):
    words = TextVectorization()
    return Sequential([words, Dense(width)])

def main():
    texts, marks = read()
    model = build(8)
    model.fit(texts, marks)
"""


def test_the_data_are_passed_to_the_function_that_makes_the_layer() -> None:
    assert _adapted(BUILDER, 8, "texts") == (
        "def build(texts, width):\n"
        "    words = TextVectorization()\n"
        "    words.adapt(texts)\n"
        "    return Sequential([words, Dense(width)])\n"
        "\n"
        "def main():\n"
        "    texts, marks = read()\n"
        "    model = build(8, texts=texts)\n"
        "    model.fit(texts, marks)"
    )
    # Called before the data are read, or twice: nothing is known.
    swapped = BUILDER.replace(
        "    texts, marks = read()\n    model = build(8)", "    model = build(8)\n    texts, marks = read()"
    )
    assert _adapted(swapped, 8, "texts") is None
    assert _adapted(BUILDER + "\nother = build(9)\n", 8, "texts") is None


def test_an_attribute_is_adapted_below_the_line_that_makes_its_object() -> None:
    text = "class Net(Model):\n    def __init__(self):\n        self.words = StringLookup()\n"
    text += "texts = read()\nnet = Net()\nfor x in texts:\n    net(x)\n"
    changed = _adapted(text, 7, "texts")
    assert changed is not None
    assert "net = Net()\nnet.words.adapt(texts)\nfor" in changed
    assert names_used(source_of(text), 7) == ["net", "Net", "texts", "read"]


def test_one_function_has_both() -> None:
    text = "words = TextVectorization()\ntexts = read()\nwords(texts)\n"
    assert _adapted(text, 3, "texts") == "words = TextVectorization()\ntexts = read()\nwords.adapt(texts)\nwords(texts)"
    # The layer is the module's, the data are those of a function.
    text = "words = TextVectorization()\ndef run(texts):\n    return words(texts)\n"
    assert "    words.adapt(texts)\n    return" in (_adapted(text, 3, "texts") or "")


@pytest.mark.parametrize(
    "text",
    [
        "words = TextVectorization()\nwords.adapt(texts)\n",
        "words = TextVectorization(vocabulary=['a'])\n",
        "words = TextVectorization(**settings)\n",
        "self.words = StringLookup()\nmodel.words.set_vocabulary(['a'])\n",
    ],
)
def test_a_layer_that_was_given_something(text: str) -> None:
    assert unadapted({FILE: source_of(text)})[0] == []


def test_something_else_is_adapted() -> None:
    assert unadapted({FILE: source_of("words = StringLookup()\nother.adapt(x)\n")})[1]


def test_the_data_of_one_step_are_no_training_data() -> None:
    source = source_of("class Net:\n    def call(self, x):\n        return self.words(x)\n")
    assert names_used(source, 3) == []


def test_adapted_below() -> None:
    source = source_of("words(texts)\nwords.adapt(texts)\n")
    late = late_adapt(source, 1)
    assert late is not None
    assert late.lineno == 2
    assert late_adapt(source, 2) is None
