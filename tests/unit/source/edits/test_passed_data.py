"""What a model is given after a `fit` that failed."""

from __future__ import annotations

from tests.unit.source.edits.written import FILE, whole
from whydied.source.edits.shapes.passed_data import all_samples, likewise
from whydied.source.text import Source

TEXT = """m.evaluate(x, y)
m.fit(x, y, validation_data=(xv, yv))
other.evaluate(x, y)
m.evaluate(xt, y=yt)
m.evaluate(*test)
m.predict(xt)"""


def test_targets_are_changed_in_all_calls_behind_it_and_in_what_it_validates_on() -> None:
    source = Source(TEXT)
    assert (whole(source, likewise(source, FILE, 2, "m", "y", "f({x})")) or "").splitlines()[1:] == [
        "m.fit(x, y, validation_data=(xv, f(yv)))",
        "other.evaluate(x, y)",
        "m.evaluate(xt, y=f(yt))",
        "m.evaluate(*test)",
        "m.predict(xt)",
    ]


def test_samples_are_also_predicted() -> None:
    source = Source(TEXT)
    assert (whole(source, likewise(source, FILE, 2, "m", "x", "{x}[None]")) or "").splitlines()[1:] == [
        "m.fit(x, y, validation_data=(xv[None], yv))",
        "other.evaluate(x, y)",
        "m.evaluate(xt[None], y=yt)",
        "m.evaluate(*test)",
        "m.predict(xt[None])",
    ]


def test_all_that_the_only_model_of_a_file_is_given() -> None:
    source = Source("m.fit(x, y)\nm.evaluate(x, y)")
    assert whole(source, all_samples(source, FILE, "f({x})")) == "m.fit(f(x), y)\nm.evaluate(f(x), y)"
    assert all_samples(Source("m.fit(x, y)\nn.fit(x, y)"), FILE, "f({x})") is None
    assert all_samples(Source("m.fit(*data)"), FILE, "f({x})") is None


def test_one_of_several_inputs_is_changed_where_it_stands() -> None:
    source = Source("m.fit([a, b], y)\nm.evaluate([at, bt], yt)\nm.predict(rows)\nm.predict([at])")
    assert (whole(source, likewise(source, FILE, 1, "m", "x", "{x} - 1", "b")) or "").splitlines()[1:] == [
        "m.evaluate([at, bt - 1], yt)",
        "m.predict(rows)",
        "m.predict([at])",
    ]
    source = Source("m.fit({'a': a, 'b': b}, y)\nm.evaluate({'b': bt, 'a': at}, yt)")
    changed = whole(source, likewise(source, FILE, 1, "m", "x", "{x} - 1", "b")) or ""
    assert changed.splitlines()[1] == "m.evaluate({'b': bt - 1, 'a': at}, yt)"
