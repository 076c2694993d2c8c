"""Narrower numbers, and layers that are computed again."""

from __future__ import annotations

import ast

from tests.unit.source.edits.written import FILE, after, source_of, whole
from whydied.source.edits.memory import lighter_steps as edits
from whydied.source.text import Source
from whydied.source.trees import walk

LAYER = "class ConvBlock(keras.layers.Layer):\n    def call(self, x{more}):\n        return x\n"


def test_a_policy_stands_below_the_imports() -> None:
    source = source_of("import os\nimport tensorflow as tf\nx = 1\n")
    made = edits.policy_set({FILE: source}, FILE, "mixed_precision.set_global_policy", "mixed_bfloat16")
    assert whole(source, made) == (
        'import os\nimport tensorflow as tf\n\ntf.keras.mixed_precision.set_global_policy("mixed_bfloat16")\nx = 1'
    )
    own = source_of("import keras\nkeras.config.set_dtype_policy('float64')\n")
    assert edits.policy_set({FILE: own}, FILE, "config.set_dtype_policy", "bfloat16") == []


def test_only_layers_that_take_their_inputs_alone_can_be_recomputed() -> None:
    assert list(edits.own_layers({FILE: source_of(LAYER.format(more=""))})) == ["conv_block"]
    for more in (", training=None", ", *, mask", ", **kwargs"):
        assert edits.own_layers({FILE: source_of(LAYER.format(more=more))}) == {}
    assert edits.own_layers({FILE: source_of("class A:\n    def call(self, x):\n        return x\n")}) == {}


def _recomputed(source: Source) -> list[str]:
    owner = walk(source.tree, ast.ClassDef)[0]
    made = edits.recomputed({FILE: source}, owner, ["conv_block", "conv_block_1"])
    return after(source, made) if made else []


def test_the_statements_that_make_the_layers_stand_in_a_scope() -> None:
    scope = 'with keras.RematScope(mode="list_of_layers", layer_names=["conv_block", "conv_block_1"]):'
    head = "import keras\n" + LAYER.format(more="")
    flat = source_of(f"{head}a = ConvBlock()\nb = 2\nc = ConvBlock()\nd = 4\n")
    assert _recomputed(flat) == [scope, "a = ConvBlock()", "b = 2", "c = ConvBlock()"]
    looped = source_of(f"{head}for _ in range(2):\n    x = ConvBlock()(x)\n")
    assert _recomputed(looped) == [scope, "x = ConvBlock()(x)"]
    model = source_of(f"{head}class Net:\n    def __init__(self):\n        self.a = ConvBlock()\n")
    assert _recomputed(model) == [scope, "self.a = ConvBlock()"]
    apart = source_of(f"{head}def one():\n    return ConvBlock()\ndef two():\n    return ConvBlock()\n")
    assert _recomputed(apart) == []


def test_what_draws_numbers_or_keeps_statistics_is_not_repeatable() -> None:
    plain = walk(source_of(LAYER.format(more="")).tree, ast.ClassDef)[0]
    assert edits.is_repeatable(plain)
    drops = "class A(Layer):\n    def __init__(self):\n        self.drop = keras.layers.Dropout(0.5)\n"
    assert not edits.is_repeatable(walk(source_of(drops).tree, ast.ClassDef)[0])
