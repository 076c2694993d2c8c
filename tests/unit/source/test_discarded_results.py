"""Statements whose value is thrown away, and those that only look so."""

from __future__ import annotations

import pytest

from whydied.source.discarded_results import discarded_in
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("statement", "target"),
    [
        ("tf.clip_by_value(self.pred, 1e-7, 1.0)", "self.pred"),
        ("tf.clip_by_global_norm(grads, 1.0)", "grads, _"),
        ("np.nan_to_num(rows)", "rows"),
        ("frame.fillna(0)", "frame"),
        ('frame["age"].fillna(0)', "frame['age']"),
    ],
)
def test_what_gives_something_new(statement: str, target: str) -> None:
    (found,) = discarded_in(Source(f"{statement}\nuse()\n"), 2)
    assert found.target == target


@pytest.mark.parametrize(
    "statement",
    [
        "frame.fillna(0, inplace=True)",
        "np.clip(rows, 0, 1, out=rows)",
        "np.random.shuffle(rows)",
        "rows.sort()",
        "print(tf.maximum(rows, 0))",
        "rows = np.nan_to_num(rows)",
        "tf.debugging.check_numerics(rows, 'rows')",
        "text.replace(1, 2) or use()",
        "tf.reshape(rows, [-1])",
        'rows.astype("float32")',
    ],
)
def test_what_changes_something_or_is_used(statement: str) -> None:
    assert list(discarded_in(Source(f"{statement}\nuse()\n"), 2)) == []


def test_only_what_stands_above_the_line_counts() -> None:
    source = Source("use()\ntf.clip_by_value(x, 0, 1)\n")
    assert list(discarded_in(source, 1)) == []
