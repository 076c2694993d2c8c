"""Edits of what piles up: kept items, models, closures, traces, growing arrays, graphs."""

from __future__ import annotations

import ast

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.edit import edited
from whydied.source.edits.memory import (
    closure_edits,
    epoch_edits,
    graph_edits,
    growth_edits,
    holding_edits,
    model_edits,
    retracing_edits,
)
from whydied.source.edits.programs import session_edits
from whydied.source.holder_fills import HolderFill, holder_fills
from whydied.source.holder_uses import uses_of
from whydied.source.text import Source
from whydied.source.trees import Function, located


def filled(source: Source, path: str) -> HolderFill:
    return holder_fills(path, {FILE: source})[-1]


def function(source: Source, name: str) -> Function:
    return next(node for node in ast.walk(source.tree) if isinstance(node, Function) and node.name == name)


def not_kept(text: str, path: str) -> list[str]:
    source = source_of(text)
    uses = uses_of({FILE: source}, path)
    edits = holding_edits.not_kept({FILE: source}, filled(source, path), uses) if uses is not None else []
    return after(source, edits) if edits else []


def test_what_nobody_reads_is_not_kept() -> None:
    assert not_kept("import os\nseen = {}\nfor k in range(9):\n    seen[k] = make(k)\n", "seen") == ["make(k)"]
    source = source_of("seen = []\nfor k in range(9):\n    x = make(k)\n    seen.append(x)\n    show(x)\n")
    uses = uses_of({FILE: source}, "seen")
    assert uses is not None
    text = edited(source, holding_edits.not_kept({FILE: source}, filled(source, "seen"), uses))
    assert text == "seen = []\nfor k in range(9):\n    x = make(k)\n    show(x)\n"


def test_what_is_only_counted_keeps_its_length() -> None:
    text = """
        class Trace:
            def __init__(self):
                self.kept = []
            def add(self, one):
                self.kept.append(run(one))
        print(len(trace.kept))
        """
    assert not_kept(text, "self.kept") == ["run(one)", "self.kept.append(None)"]


def test_a_list_that_is_returned_to_nobody_is_not_read() -> None:
    text = "def train():\n    kept = []\n    for k in data:\n        kept.append(step(k))\n    return kept\n"
    assert not_kept(f"{text}train()\n", "kept") == ["step(k)"]
    assert not_kept(f"{text}losses = train()\n", "kept") == []
    assert not_kept(f"{text}run(train)\n", "kept") == []


@pytest.mark.parametrize(
    "use", ["for one in seen: show(one)", "plot(seen)", "x = seen[-1]", "seen = []", "if seen: stop()", "seen.pop()"]
)
def test_what_is_read_or_made_twice_is_kept(use: str) -> None:
    assert not_kept(f"seen = []\nfor k in range(9):\n    seen.append(make(k))\n{use}\n", "seen") == []


@pytest.mark.parametrize("use", ["np.mean(seen)", "np.mean(np.concatenate(seen))"])
def test_only_the_mean_is_kept_of_what_is_averaged(use: str) -> None:
    source = source_of(f"seen = []\nfor k in range(9):\n    seen.append(make(k))\nprint({use})\n")
    uses = uses_of({FILE: source}, "seen")
    assert uses is not None
    assert after(source, holding_edits.reduced({FILE: source}, filled(source, "seen"), uses)) == [
        "seen.append(np.mean(make(k)))"
    ]


@pytest.mark.parametrize("use", ["np.mean(seen, axis=0)", "np.mean(seen), np.max(seen)", "np.median(seen)"])
def test_other_statistics_need_all(use: str) -> None:
    source = source_of(f"seen = []\nfor k in range(9):\n    seen.append(make(k))\nprint({use})\n")
    uses = uses_of({FILE: source}, "seen")
    assert uses is not None
    assert holding_edits.reduced({FILE: source}, filled(source, "seen"), uses) == []


@pytest.mark.parametrize(
    ("container", "lines"),
    [
        ("list", ["del seen[:-20]"]),
        ("dict", ["while len(seen) > 20:", "del seen[next(iter(seen))]"]),
        ("set", ["while len(seen) > 20:", "seen.pop()"]),
        ("ndarray", []),
    ],
)
def test_a_container_is_cut_where_it_is_filled(container: str, lines: list[str]) -> None:
    source = source_of("def add(seen, k):\n    seen.add(make(k))\n    show(seen)\n")
    edits = holding_edits.trimmed({FILE: source}, filled(source, "seen"), "seen", container, 20)
    assert (after(source, edits) if edits else []) == lines


def test_a_vocabulary_has_a_last_word() -> None:
    source = source_of("def numbers(text):\n    return [words.setdefault(w, len(words)) for w in text]\n")
    edits = holding_edits.trimmed({FILE: source}, filled(source, "words"), "words", "dict", 500)
    assert after(source, edits) == [
        "return [(words.setdefault(w, len(words)) if len(words) < 500 else words.get(w, 0)) for w in text]"
    ]


def test_a_variable_goes_after_its_last_use() -> None:
    source = source_of("def serve(request):\n    rows = load(request)\n    answer(rows)\n    stop.wait()\n")
    assert after(source, holding_edits.let_go(source, FILE, "serve", "rows")) == ["del rows"]
    needed = source_of("def serve(request):\n    rows = load(request)\n    stop.wait()\n    return rows\n")
    assert holding_edits.let_go(needed, FILE, "serve", "rows") == []


def test_old_models_are_released_before_the_next() -> None:
    source = source_of(
        """
        from tensorflow.keras.models import Sequential
        for units in sizes:
            model = Sequential(layers(units))
            model.compile("adam", "mse")
            model.fit(x, y)
        """
    )
    edits = model_edits.released(source, FILE, 5, "model")
    assert after(source, edits) == [
        "import gc",
        "from tensorflow.keras.backend import clear_session",
        "clear_session()",
        "gc.collect()",
    ]


def test_models_are_compiled_to_run_eagerly_and_patterns_are_not() -> None:
    source = source_of("import re\nre.compile('a')\nmodel.compile('adam', 'mse')\n")
    assert after(source, model_edits.run_eagerly({FILE: source})) == ["model.compile('adam', 'mse', run_eagerly=True)"]


def test_predict_of_one_batch_calls_the_model() -> None:
    source = source_of("q = agent.model.predict(state, verbose=0)[0]\nall = model.predict(x, batch_size=8)\n")
    assert after(source, model_edits.called_itself(source, FILE, 1)) == [
        "q = agent.model(state, training=False).numpy()[0]"
    ]
    assert model_edits.called_itself(source, FILE, 2) == []


def test_a_generator_reads_its_data_from_the_module() -> None:
    source = source_of(
        """
        def scores(rows):
            def batches():
                yield rows
            return model.predict(tf.data.Dataset.from_generator(batches, tf.float32))
        """
    )
    assert after(source, closure_edits.module_names_for(source, FILE, 4)) == [
        "global _rows",
        "_rows = rows",
        "yield _rows",
    ]
    assert not closure_edits.is_lazy(source, 4)


def test_a_data_set_that_is_given_away_is_lazy() -> None:
    source = source_of(
        """
        def batches(rows):
            data = tf.data.Dataset.from_generator(lambda: iter(rows), tf.float32)
            return data.batch(8).prefetch(1)
        """
    )
    assert closure_edits.is_lazy(source, 2)


def test_what_depends_on_nothing_is_made_outside() -> None:
    source = source_of(
        """
        def smooth(x):
            kernel = np.ones((5, 5))
            return tf.py_function(lambda v: v * kernel[0, 0], [x], tf.float64)
        def other(x):
            kernel = np.ones(len(x))
            return tf.py_function(lambda v: v * kernel[0], [x], tf.float64)
        """
    )
    moved = closure_edits.made_outside(source, FILE, 3)
    assert [edit.text.strip() for edit in moved] == ["kernel = np.ones((5, 5))", ""]
    assert closure_edits.made_outside(source, FILE, 6) == []


@pytest.mark.parametrize(
    ("decorator", "changed"),
    [
        ("@tf.function", "@tf.function(reduce_retracing=True)"),
        ("@tf.function(autograph=False)", "@tf.function(autograph=False, reduce_retracing=True)"),
        ("@tf.function(input_signature=[spec])", None),
    ],
)
def test_a_function_is_traced_for_any_size(decorator: str, changed: str | None) -> None:
    source = source_of(f"{decorator}\ndef step(x):\n    return x\n")
    edits = retracing_edits.for_any_shape(source, FILE, function(source, "step"))
    assert (after(source, edits) if edits else None) == ([changed] if changed else None)


def test_a_function_is_not_traced() -> None:
    source = source_of("import tensorflow as tf\ndef step(x):\n    return x\nfast = tf.function(step)\n")
    assert after(source, retracing_edits.not_traced(source, FILE, function(source, "step"))) == ["fast = step"]


def test_an_object_is_made_above_the_loop_unless_it_changes_there() -> None:
    text = "def step(x, settings): return x\nfor k in range(9):\n    x = step(x, Settings({}))\n"
    source = source_of(text.format(0.1))
    edits = retracing_edits.made_before_loop(source, FILE, 3, function(source, "step"), "settings")
    assert after(source, edits) == ["settings = Settings(0.1)", "x = step(x, settings)"]
    changing = source_of(text.format("k"))
    assert retracing_edits.made_before_loop(changing, FILE, 3, function(changing, "step"), "settings") == []


@pytest.mark.parametrize(
    ("made", "kind", "shape", "line"),
    [
        ("rows = np.append(rows, batch, axis=0)", "array", [400, 9], "rows = rows[-100:]"),
        ("rows = np.concatenate([rows, batch], axis=-1)", "array", [9, 400], "rows = rows[:, -100:]"),
        ("rows = pd.concat([rows, batch])", "table", [400, 9], "rows = rows.tail(100)"),
        ("rows += batch", "text", [400], "rows = rows[-100:]"),
    ],
)
def test_what_grows_keeps_its_last_part(made: str, kind: str, shape: list[int], line: str) -> None:
    source = source_of(f"for batch in data:\n    {made}\n")
    assert after(source, growth_edits.last_part(source, FILE, 2, "rows", kind, shape, 4)) == [line]


def test_what_grows_by_way_of_another_variable_is_cut_where_it_is_stored() -> None:
    source = source_of("def add(self, x):\n    both = tf.concat([self.rows, x], 0)\n    self.rows = both\n    show()\n")
    edits = growth_edits.last_part(source, FILE, 2, "self.rows", "tensor", [400, 9], 4)
    assert after(source, edits) == ["self.rows = self.rows[-100:]"]


def test_a_list_that_is_gone_through_once_is_made_one_by_one() -> None:
    source = source_of("data = [load(p) for p in paths]\nfor one in data:\n    train(one)\n")
    place = located({FILE: source}, FILE, 1)
    assert after(source, growth_edits.one_by_one(source, {FILE: source}, place)) == ["data = (load(p) for p in paths)"]
    twice = source_of("data = [load(p) for p in paths]\nfor one in data:\n    train(one, len(data))\n")
    assert growth_edits.one_by_one(twice, {FILE: twice}, place) == []


def test_only_some_are_gathered() -> None:
    source = source_of("import os\nx = np.array([load(p) for p in paths])\n")
    place = located({FILE: source}, FILE, 2)
    assert after(source, growth_edits.first_items(source, {FILE: source}, place, 100)) == [
        "import itertools",
        "x = np.array([load(p) for p in itertools.islice(paths, 100)])",
    ]


def test_a_tensor_array_keeps_every_nth_turn() -> None:
    source = source_of("for i in tf.range(n):\n    path = path.write(i, state)\n")
    assert after(source, growth_edits.every_nth(source, FILE, 2, 50)) == [
        "if i % 50 == 0:",
        "path = path.write(i // 50, state)",
    ]


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("t = tf.constant(x)", "t = tf.ensure_shape(tf.numpy_function(lambda: x, [], tf.float32), x.shape)"),
        ("t = tf.add(x, x)", None),
    ],
)
def test_an_array_is_read_when_the_graph_runs(line: str, changed: str | None) -> None:
    source = source_of(f"import tensorflow as tf\n{line}\n")
    edits = graph_edits.read_when_run(source, FILE, 2, "x", "float32")
    assert (after(source, edits) if edits else None) == ([changed] if changed else None)


def test_a_variable_is_set_instead_of_made_anew() -> None:
    source = source_of("for k in range(9):\n    w = tf.Variable(draw())\n    use(w)\n")
    assert after(source, graph_edits.set_instead(source, FILE, 2)) == [
        "w = None",
        "if w is None:",
        "w = tf.Variable(draw())",
        "else:",
        "w.assign(draw())",
    ]


def test_the_session_of_an_object_is_closed_in_the_turn_that_made_it() -> None:
    source = source_of(
        """
        class Scorer:
            def __init__(self):
                self.session = tf.Session()
        for k in range(9):
            one = Scorer()
            one.score()
        """
    )
    assert after(source, graph_edits.closed_after_use({FILE: source}, FILE, 3)) == ["one.session.close()"]
    single = source_of("class Scorer:\n    def __init__(self):\n        self.session = tf.Session()\none = Scorer()\n")
    assert graph_edits.closed_after_use({FILE: single}, FILE, 3) == []


def test_a_session_that_a_list_keeps_is_closed_unless_the_list_is_read() -> None:
    text = "opened = []\ndef score():\n    sess = tf.Session()\n    opened.append(sess)\n    sess.run(out)\n{}"
    assert session_edits.as_block(source_of(text.format("")), FILE, 3)
    assert not session_edits.as_block(source_of(text.format("opened[0].run(out)\n")), FILE, 3)


def test_a_function_is_made_once_by_its_maker_or_where_it_stands() -> None:
    made = source_of(
        """
        def make(table):
            @tf.function
            def step(x):
                return x @ table
            return step
        for batch in data:
            loss = make(table)(batch)
        """
    )
    assert after(made, retracing_edits.made_once(made, FILE, function(made, "step"))) == [
        "step_once = make(table)",
        "loss = step_once(batch)",
    ]
    inside = source_of(
        "for batch in data:\n    @tf.function\n    def step(x):\n        return x + 1\n    step(batch)\n"
    )
    text = edited(inside, retracing_edits.made_once(inside, FILE, function(inside, "step")))
    assert text is not None
    assert text.startswith("@tf.function\ndef step(x):\n    return x + 1\n\nfor batch in data:")
    needed = source_of("for k in data:\n    @tf.function\n    def step(x):\n        return x + k\n    step(k)\n")
    assert retracing_edits.made_once(needed, FILE, function(needed, "step")) == []


def test_entries_that_nobody_reads_are_not_kept() -> None:
    text = """
        trials = []
        for k in data:
            trials.append({"k": k, "model": model})
        best = min(trials, key=lambda t: t["k"])
        """
    source = source_of(text)
    keys, edits = holding_edits.without_parts({FILE: source}, filled(source, "trials"))
    assert keys == ["model"]
    assert after(source, edits) == ['trials.append({"k": k, "model": None})']
    read = source_of(f'{text}best["model"].save("best.keras")\n        ')
    assert holding_edits.without_parts({FILE: read}, filled(read, "trials")) == ([], [])


def test_a_history_is_kept_without_its_model() -> None:
    source = source_of("import os\nfor k in data:\n    histories[k] = model.fit(x, y)\n")
    assert after(source, model_edits.without_model(source, FILE, 3, "histories[k]")) == [
        "import gc",
        "histories[k].set_model(None)",
        "gc.collect()",
    ]


def test_the_last_items_are_enough_where_no_other_is_read() -> None:
    text = """
        history = {"loss": [], "images": []}
        for k in data:
            history["loss"].append(step(k))
            history["images"].append(draw(k))
        save(history["images"][-1], history["loss"])
        """
    uses = uses_of({FILE: source_of(text)}, "history['images']")
    assert uses is not None
    assert (uses.is_read, uses.last) == (True, 1)
    more = uses_of({FILE: source_of(f"{text}show(history)\n        ")}, "history['images']")
    assert more is not None
    assert more.last == 0
    default = uses_of({FILE: source_of("seen = defaultdict(list)\nseen['a'].append(1)\n")}, "seen['a']")
    assert default is not None
    assert not default.is_read
    several = uses_of({FILE: source_of("seen = []\nshow(seen[-5:], seen[-1])\n")}, "seen")
    assert several is not None
    assert several.last == 5


def test_a_cycle_makes_its_items_anew() -> None:
    source = source_of("import itertools\nstream = itertools.cycle(load(paths))\nother = itertools.cycle(rows)\n")
    line, edits = holding_edits.read_anew({FILE: source}, FILE, "stream")
    assert line == 2
    assert after(source, edits) == ["stream = (one for _ in itertools.count() for one in load(paths))"]
    assert holding_edits.read_anew({FILE: source}, FILE, "other") == (3, [])


def test_what_is_added_when_it_is_missing_is_a_cache() -> None:
    text = "def get(k):\n    if k not in seen:\n        seen[k] = make(k)\n    return seen[k]\n"
    source = source_of(text)
    assert holding_edits.fills_cache({FILE: source}, filled(source, "seen"))
    other = source_of(text.replace("not in seen", "not in known"))
    assert not holding_edits.fills_cache({FILE: other}, filled(other, "seen"))


def test_a_session_that_is_lent_is_closed_and_one_that_is_given_away_is_not() -> None:
    text = "def score(path):\n    sess = tf.Session()\n    saver.restore(sess, path)\n    {}\n"
    assert session_edits.as_block(source_of(text.format("return sess.run(out)")), FILE, 2)
    assert not session_edits.as_block(source_of(text.format("return Scorer(sess)")), FILE, 2)
    assert not session_edits.as_block(source_of(text.format("kept.append(sess); kept[0].run(out)")), FILE, 2)


def test_the_record_that_a_function_gives_goes_without_what_nobody_reads() -> None:
    source = source_of(
        """
        def objective(space):
            model = build(space)
            return {"loss": score(model), "model": model}
        trials = []
        for space in spaces:
            trials.append(objective(space))
        print(min(one["loss"] for one in trials))
        """
    )
    keys, edits = holding_edits.without_parts({FILE: source}, filled(source, "trials"))
    assert keys == ["model"]
    assert after(source, edits) == ['return {"loss": score(model), "model": None}']


def test_what_an_epoch_gathers_is_emptied_once_it_is_read() -> None:
    source = source_of(
        """
        outputs = []
        for epoch in range(9):
            for batch in data:
                outputs.append(step(batch))
            print(tf.concat(outputs, 0).shape)
        """
    )
    assert after(source, epoch_edits.emptied({FILE: source}, filled(source, "outputs"), "outputs")) == [
        "outputs.clear()"
    ]
    text = source.text(1, len(source.lines)).replace("    for batch", "    outputs = []\n    for batch")
    made = source_of(text)
    assert epoch_edits.emptied({FILE: made}, filled(made, "outputs"), "outputs") == []


def test_what_a_callback_gathers_is_emptied_at_the_end_of_the_epoch() -> None:
    text = """
        class Watch(Callback):
            def __init__(self):
                self.seen = []
            def on_train_batch_end(self, batch, logs=None):
                self.seen.append(self.model(self.x))
            def on_epoch_end(self, epoch, logs=None):
                {}
        """
    source = source_of(text.format("print(np.mean(self.seen))"))
    assert after(source, epoch_edits.emptied({FILE: source}, filled(source, "self.seen"), "self.seen")) == [
        "self.seen.clear()"
    ]
    unread = source_of(text.format("print(epoch)"))
    assert epoch_edits.emptied({FILE: unread}, filled(unread, "self.seen"), "self.seen") == []


def test_a_function_within_another_reads_the_data_of_the_outer_one_from_the_module() -> None:
    source = source_of(
        """
        def load(path):
            blob = read(path)
            def parse(i):
                return tf.numpy_function(lambda k: blob[k], [i], tf.float64)
            return sum(float(row) for row in tf.data.Dataset.range(2).map(parse))
        """
    )
    assert after(source, closure_edits.module_names_for(source, FILE, 4)) == [
        "global _blob",
        "_blob = blob",
        "return tf.numpy_function(lambda k: _blob[k], [i], tf.float64)",
    ]
    twice = source_of(source.text(1, len(source.lines)).replace("    def parse", "    blob = blob[1:]\n    def parse"))
    assert closure_edits.module_names_for(twice, FILE, 5) == []


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("photos = [load(one) for one in paths]", 1, 'photos = [load(one).astype("float32") for one in paths]'),
        ("for one in paths:\n    photos.append(one / 255)", 2, '    photos.append((one / 255).astype("float32"))'),
        ("while True:\n    photos.append(read())", 2, None),
        ("for one in paths:\n    photos.append((one, 3))", 2, None),
    ],
)
def test_items_of_half_the_bytes_where_what_fills_it_ends(text: str, line: int, expected: str | None) -> None:
    source = Source(f"{text}\n")
    edits = holding_edits.narrowed_items({FILE: source}, HolderFill(FILE, line, "<module>", "photos"), "float32")
    changed = edited(source, edits) if edits else None
    assert (changed.splitlines()[line - 1] if changed else None) == expected
