from __future__ import annotations

import pytest

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits.programs.keras_edits import keras_uses, on_other_keras


@pytest.mark.parametrize(
    ("text", "package", "expected"),
    [
        ("from tensorflow.keras.optimizers import Adam\n", "tf_keras", ["from tf_keras.optimizers import Adam"]),
        ("from keras import layers as L\n", "tf_keras", ["from tf_keras import layers as L"]),
        ("import keras\nkeras.Input(())\n", "tf_keras", ["import tf_keras as keras", "keras.Input(())"]),
        ("from tensorflow import keras\n", "tf_keras", ["import tf_keras as keras"]),
        ("import tensorflow.keras as K\n", "tf_keras", ["import tf_keras as K"]),
        (
            "import tensorflow as tf\ntf.keras.Input(())\n",
            "tf_keras",
            ["import tensorflow as tf", "import tf_keras", "tf_keras.Input(())"],
        ),
        ("import tf_keras\ntf_keras.Input(())\n", "keras", ["import keras", "keras.Input(())"]),
        ("import tf_keras as K\n", "keras", ["import keras as K"]),
        ("from tf_keras.layers import Dense\n", "keras", ["from keras.layers import Dense"]),
    ],
)
def test_a_file_on_the_other_keras(text: str, package: str, expected: list[str]) -> None:
    source = source_of(text)
    assert lines_of(source, *on_other_keras(source, FILE, package)) == expected


def test_what_a_file_uses_is_counted_by_package() -> None:
    source = source_of("import tf_keras\nfrom keras import ops\nimport numpy\ntf_keras.Input(())\n")
    assert {name: len(nodes) for name, nodes in keras_uses(source).items()} == {"keras": 1, "tf_keras": 2}
    assert on_other_keras(source_of("import numpy\n"), FILE, "keras") == []
