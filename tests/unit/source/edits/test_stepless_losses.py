"""Steps that have no gradient, left out of a loss."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.tapes.stepless_losses import stepless
from whydied.source.location import Location

HEAD = "import tensorflow as tf\nfrom keras import backend as K\n"


def _changed(body: str) -> list[str] | None:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    text = f"{HEAD}\ndef cost(y_true, y_pred):\n{lines}\nmodel.compile(loss=cost)\nmodel.fit(x, y)\n"
    source = source_of(text)
    place = Location(file=FILE, line=len(source.lines), function="<module>")
    found = stepless({FILE: source}, place, [])
    return after(source, found.edits) if found is not None else None


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("taken = K.round(y_pred)\nreturn K.mean(y_true * taken)", ["taken = y_pred"]),
        (
            "hit = tf.cast(y_pred > 0.3, tf.float32)\nreturn tf.reduce_mean((y_true - hit) ** 2)",
            ["hit = tf.sigmoid(10.0 * (y_pred - 0.3))"],
        ),
        (
            "return tf.reduce_sum(y_true * tf.cast(tf.less(y_pred, 0.3), tf.float32))",
            ["return tf.reduce_sum(y_true * tf.sigmoid(10.0 * (0.3 - y_pred)))"],
        ),
        # All that are rounded on the way, and not what only comes from data.
        (
            "a = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))\nb = K.sum(K.round(y_true))\n"
            "c = K.sum(tf.cast(K.round(y_pred), 'int32'))\nreturn a / (b + c)",
            ["a = K.sum(K.clip(y_true * y_pred, 0, 1))", "c = K.sum(y_pred)"],
        ),
    ],
)
def test_a_step_is_left_out(body: str, changed: list[str]) -> None:
    assert _changed(body) == changed


@pytest.mark.parametrize(
    "body",
    [
        "return K.mean(K.round(y_true) * y_pred)",
        "return K.mean(K.equal(K.argmax(y_true), K.argmax(y_pred)))",
        "return tf.reduce_mean(tf.cast(y_pred, tf.float32))",
        "return tf.reduce_mean(tf.where(y_true > 0.5, y_pred, 0.0))",
    ],
)
def test_what_is_no_step_of_the_prediction(body: str) -> None:
    assert _changed(body) is None
