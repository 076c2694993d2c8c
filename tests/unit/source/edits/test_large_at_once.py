"""Edits of what is too large at once: blocks of rows, mapped arrays, copies, inputs, layers, accumulated batches."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of, whole
from whydied.source.edits.edit import Edit, edited
from whydied.source.edits.memory import (
    accumulated_batches,
    cut_inputs,
    earlier_stages,
    fewer_copies,
    mapped_arrays,
    narrower_types,
    row_blocks,
    scaled_in_model,
    smaller_models,
    sparse_targets,
)
from whydied.source.text import Source
from whydied.source.training.written_batches import written_batch


def one(edit: Edit | None) -> list[Edit]:
    return [edit] if edit is not None else []


def in_blocks(text: str, line: int = 2, rank: dict[str, int] | None = None) -> str | None:
    source = source_of(text)
    found = row_blocks.in_row_blocks(source, FILE, line, rank or {}, 100)
    return whole(source, found.edits) if found is not None else None


def test_distances_of_all_pairs_are_computed_block_by_block() -> None:
    text = """
    import numpy as np
    d = np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(-1))
    np.fill_diagonal(d, 1)
    best = np.argsort(d, axis=1)[:, :5]
    """
    assert in_blocks(text) == (
        "import numpy as np\nblocks = []\nfor start in range(0, len(a), 100):\n"
        "    d = np.sqrt(((a[start:start + 100, None, :] - b[None, :, :]) ** 2).sum(-1))\n"
        "    np.fill_diagonal(d[:, start:], 1)\n    blocks.append(np.argsort(d, axis=1)[:, :5])\n"
        "best = np.concatenate(blocks, 0)"
    )


@pytest.mark.parametrize(
    ("made", "read", "expected"),
    [
        ("cdist(x, y)", "print(d.max())", ["d = cdist(x[start:start + 100], y)", "print(np.max(blocks))"]),
        ("cdist(x)", "m = d.min(axis=1)", ["d = cdist(x[start:start + 100], x)", "m = np.concatenate(blocks, 0)"]),
        ("x @ x.T", "m = d.sum(-1)", ["d = x[start:start + 100] @ x.T", "m = np.concatenate(blocks, 0)"]),
        (
            "np.sum((u[:, None] - v) ** 2, axis=2)",
            "m = d.min(1)",
            ["d = np.sum((u[start:start + 100, None] - v) ** 2, axis=2)", "m = np.concatenate(blocks, 0)"],
        ),
        ("np.outer(u, v)", "m = np.sum(d)", ["d = np.outer(u[start:start + 100], v)", "m = np.sum(blocks)"]),
    ],
)
def test_what_has_the_rows_of_the_table_is_sliced(made: str, read: str, expected: list[str]) -> None:
    text = in_blocks(f"import numpy as np\nd = {made}\n{read}\n", rank={"x": 2})
    assert text is not None
    lines = [line.strip() for line in text.splitlines()]
    assert [lines[3], lines[-1]] == expected


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\nd = x @ x.T\nm = d.min(axis=0)\n",
        "import numpy as np\nd = x @ x.T\nm = d.min(axis=1)\nprint(d.shape)\n",
        "import numpy as np\nd = x @ x.T\nm = np.linalg.inv(d)\n",
        "import numpy as np\nd = unknown @ x.T\nm = d.min(axis=1)\n",
        "import numpy as np\nd = x @ x.T\nsave(d)\nm = d.min(axis=1)\n",
        "import numpy as np\nd = x @ x.T\nm = np.argsort(d, axis=0)[:, :5]\n",
    ],
)
def test_a_table_that_is_needed_as_a_whole_stays(text: str) -> None:
    assert in_blocks(text, rank={"x": 2}) is None


def test_a_table_is_mapped_from_a_file() -> None:
    source = source_of("import numpy as np\ntable = np.ones((9, 9), dtype=np.float32)\nother = np.eye(3)\n")
    assert after(source, mapped_arrays.mapped_table(source, FILE, 2)) == [
        "import tempfile",
        'table = np.memmap(tempfile.TemporaryFile(dir="."), dtype=np.float32, mode="w+", shape=(9, 9))',
        "table[:] = 1",
    ]
    assert mapped_arrays.mapped_table(source, FILE, 3) == []


def test_a_prediction_of_a_data_set_is_not_mapped() -> None:
    source = source_of("import numpy as np\ny = model.predict(make(x))\n")
    assert mapped_arrays.mapped_prediction(source, FILE, 2, "float32", (3,), 32) == []


SCALED = """
import numpy as np
from tensorflow import keras
x = np.array(pictures) / 255.0
x_train, x_test = train_test_split(x)
{model}
model.fit(x_train)
"""


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (
            "model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])",
            "model = keras.Sequential([keras.Input((8,)), keras.layers.Rescaling(1 / 255.0), keras.layers.Dense(1)])",
        ),
        (
            "model = keras.Sequential()\nmodel.add(keras.layers.Dense(1))",
            "model.add(keras.layers.Rescaling(1 / 255.0))",
        ),
        (
            "i = keras.Input((8,))\nmodel = keras.Model(i, keras.layers.Dense(1)(i))",
            "model = keras.Model(i, keras.layers.Dense(1)(keras.layers.Rescaling(1 / 255.0)(i)))",
        ),
    ],
)
def test_pictures_are_scaled_by_the_model(model: str, expected: str) -> None:
    source = source_of(SCALED.format(model=model))
    assert after(source, scaled_in_model.scaled_in_model(source, FILE, 3)) == ["x = np.array(pictures)", expected]


def test_pictures_that_something_else_reads_stay_scaled() -> None:
    source = source_of(SCALED.format(model="model = keras.Sequential([keras.layers.Dense(1)])\nplot(x)"))
    assert scaled_in_model.scaled_in_model(source, FILE, 3) == []


@pytest.mark.parametrize("loss", ["'categorical_crossentropy'", "keras.losses.CategoricalCrossentropy()"])
def test_labels_are_kept_for_a_sparse_loss(loss: str) -> None:
    text = f"y = keras.utils.to_categorical(labels, 9000)\nmodel.compile('adam', {loss})\nmodel.fit(x, y)\n"
    source = source_of(text)
    sparse = loss.replace("'", '"').replace("cat", "sparse_cat").replace("Cat", "SparseCat")
    assert after(source, sparse_targets.labels_kept({FILE: source}, FILE, 1)) == [
        "y = labels",
        f"model.compile('adam', {sparse})",
    ]
    read = source_of(f"{text}plot(y)\n")
    assert sparse_targets.labels_kept({FILE: read}, FILE, 1) == []


def test_float32_is_divided_where_it_is() -> None:
    source = source_of("import numpy as np\nx = np.array(parts) / 255\ny = x.astype('float64')\n")
    assert after(source, narrower_types.divided_in_place(source, FILE, 2, "np")) == [
        "x = np.array(parts, dtype=np.float32)",
        "x /= 255",
    ]
    assert narrower_types.divided_in_place(source, FILE, 3, "np") == []
    assert after(source, one(narrower_types.narrowed(source, FILE, 3, "np"))) == ['y = x.astype("float32")']


def test_copies_are_left_out() -> None:
    source = source_of(
        """
        import numpy as np
        def main():
            x = load()
            same = np.array(x)
            first = tf.constant(x.copy())
            second = tf.identity(tf.constant(x))
            print(same.sum(), first, second)
        """
    )
    assert after(source, fewer_copies.fewer_copies(source, FILE, {"x": "float32"})) == [
        "same = np.asarray(x)",
        "first = tf.constant(x)",
        "second = first",
    ]


@pytest.mark.parametrize("later", ["same[0] = 1", "x += 1", "x.sort()", "np.add(x, 1, out=same)"])
def test_a_copy_that_is_changed_stays(later: str) -> None:
    source = source_of(f"import numpy as np\nx = load()\nsame = np.array(x)\n{later}\nprint(x, same)\n")
    assert fewer_copies.fewer_copies(source, FILE, {"x": "float32"}) == []


def test_what_is_converted_is_let_go() -> None:
    source = source_of("x = load()\ny = x.astype('float32')\nprint(x.shape, len(x), y)\n")
    assert after(source, fewer_copies.fewer_copies(source, FILE, {"x": "float64"})) == [
        "del x",
        "print(y.shape, len(y), y)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "x = load()\ny = x.astype('float32')\nprint(x.mean())\n",
        "def later():\n    return x.mean()\nx = load()\ny = x.astype('float32')\nlater()\n",
        "for part in parts:\n    x = load()\n    y = x.astype('float32')\n",
    ],
)
def test_what_is_read_later_is_kept(text: str) -> None:
    assert fewer_copies.fewer_copies(source_of(text), FILE, {"x": "float64"}) == []


def test_an_input_is_cut_where_the_step_is_called() -> None:
    source = source_of("loss = step(words, labels, 3)\n")
    edits = cut_inputs.cut_in_call(source, FILE, 1, ["0", "1"], "words", cut_inputs.index_of([1], 64))
    assert after(source, edits) == ["loss = step(words[:, :64], labels[:, :64], 3)"]
    assert cut_inputs.cut_in_call(source, FILE, 1, ["0"], "others", "[:, :64]") == []


def test_an_input_is_cut_where_a_generator_yields_it() -> None:
    text = "def one():\n    yield a + b, c\ndef two():\n    yield d\nmodel.fit(one())\n"
    sources = {FILE: source_of(text)}
    named = cut_inputs.generators_named(sources)
    assert after(sources[FILE], cut_inputs.cut_in_generator(sources, [0], "[:, :64]", named)) == [
        "yield (a + b)[:, :64], c"
    ]
    assert cut_inputs.cut_in_generator(sources, [0], "[:, :64]", set()) == []


def test_a_layer_is_narrowed_where_its_width_is_written() -> None:
    source = source_of("WIDTH = 512\nx = layers.Embedding(90_000, WIDTH)(x)\ny = layers.Dense(7)(x)\n")
    assert after(source, one(smaller_models.narrower_layer(source, FILE, 2, "Embedding", 512, 64))) == ["WIDTH = 64"]
    assert smaller_models.narrower_layer(source, FILE, 3, "Dense", 8, 4) is None


@pytest.mark.parametrize(
    ("made", "expected"),
    [("'adam'", 'model.compile("sgd", "mse")'), ("keras.optimizers.Adam(1e-3, beta_1=0.8)", None)],
)
def test_an_optimizer_without_slots(made: str, expected: str | None) -> None:
    sources = {FILE: source_of(f'model.compile({made}, "mse")\n')}
    edit = smaller_models.without_slots(sources)
    assert after(sources[FILE], one(edit)) == [expected or 'model.compile(keras.optimizers.SGD(1e-3), "mse")']
    assert smaller_models.without_slots({FILE: Source('model.compile("sgd", "mse")\n')}) is None


def test_a_shuffle_goes_before_what_decodes() -> None:
    source = source_of("d = files.map(read).map(decode).shuffle(900).batch(8)\ne = d.batch(3).shuffle(90)\n")
    assert after(source, earlier_stages.before_maps(source, FILE, 1, "shuffle")) == [
        "d = files.shuffle(900).map(read).map(decode).batch(8)"
    ]
    assert earlier_stages.before_maps(source, FILE, 2, "shuffle") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model.compile('adam', 'mse')", "model.compile(keras.optimizers.Adam(gradient_accumulation_steps=4), 'mse')"),
        (
            "o = keras.optimizers.SGD(0.1)\nmodel.compile(optimizer=o)",
            "o = keras.optimizers.SGD(0.1, gradient_accumulation_steps=4)",
        ),
        ("model.compile(keras.optimizers.Adam(ExponentialDecay(0.1, 10, 0.9)), 'mse')", None),
        ("model.compile(keras.optimizers.Adam(use_ema=True), 'mse')", None),
        ("model.compile('adam', 'mse')\nmodel.fit(more)", None),
    ],
)
def test_an_optimizer_accumulates_where_that_gives_the_same(text: str, expected: str | None) -> None:
    sources = {FILE: source_of(f"import keras\n{text}\nmodel.fit(x)\n")}
    edit = accumulated_batches.optimizer_accumulates(sources, 4)
    assert (after(sources[FILE], [edit]) if edit is not None else None) == ([expected] if expected else None)


@pytest.mark.parametrize(
    "text",
    [
        'parser.add_argument("--batch-size", type=int, default=64)',
        'CONFIG = {"width": 64, "batch": 64}',
        "def train(batch_size=64): pass",
        "class Config:\n    batch: int = 64",
        "BATCH = 64",
    ],
)
def test_the_number_of_a_batch_is_found_where_it_is_written(text: str) -> None:
    sources = {FILE: source_of(text + "\n")}
    found = written_batch(sources, 64)
    assert found is not None
    assert "batch" in found.name.lower()
    assert written_batch(sources, 65) is None
    assert written_batch({FILE: source_of(text + "\nother_batch = 64\n")}, 64) is None


STEP = """
import tensorflow as tf
def step(x, y):
    with tf.GradientTape() as tape:
        logits = model(x)
        loss = {loss}
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    return {result}
"""


@pytest.mark.parametrize(
    ("loss", "result"),
    [("tf.reduce_sum(logits - y)", "loss"), ("mse(y, logits)", "loss"), ("tf.reduce_mean(logits - y)", "logits")],
)
def test_a_step_whose_parts_do_not_add_up_stays(loss: str, result: str) -> None:
    source = source_of(STEP.format(loss=loss, result=result))
    assert accumulated_batches.step_in_slices(source, FILE, 7, "x", 64) == []


@pytest.mark.parametrize("loss", ["tf.reduce_mean(logits - y)", "keras.losses.MeanSquaredError()(y, logits)"])
def test_a_step_is_computed_in_slices(loss: str) -> None:
    plain = source_of(STEP.format(loss=loss, result="loss"))
    text = whole(plain, accumulated_batches.step_in_slices(plain, FILE, 7, "x", 64))
    assert text is not None
    assert "            logits = model(x[start : start + 64])\n" in text


def test_a_cache_moves_before_what_decodes() -> None:
    source = source_of("data = files.map(read).map(decode, 4).cache().batch(8)\n")
    assert after(source, earlier_stages.before_maps(source, FILE, 1, "cache")) == [
        "data = files.cache().map(read).map(decode, 4).batch(8)"
    ]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("rows = np.load(path)", 'rows = np.load(path, mmap_mode="c")'),
        ('rows = np.load("a.npy")[:10]', 'rows = np.load("a.npy", mmap_mode="c")[:10]'),
        ('rows = np.load("a.npz")["x"]', None),
        ('rows = np.load(path, mmap_mode="r")', None),
        ("rows = np.zeros(9)", None),
    ],
)
def test_a_file_that_is_mapped(statement: str, expected: str | None) -> None:
    source = Source(f"import numpy as np\n{statement}\n")
    edits = mapped_arrays.mapped_load(source, FILE, 2)
    changed = edited(source, edits) if edits else None
    assert (changed.splitlines()[1] if changed else None) == expected


BY_HAND = """import numpy as np
def encode(nxt, vocab):
    rows = np.zeros((len(nxt), vocab), dtype="float32")
    for row, token in enumerate(nxt):
        rows[row, token] = 1.0
    return rows
targets = encode(following, 42000)
model.compile(loss="categorical_crossentropy")
model.fit(x, targets)
"""


def test_one_hot_rows_made_by_hand_are_followed_to_the_loss() -> None:
    source = source_of(BY_HAND)
    found = sparse_targets.encoded_targets({FILE: source}, FILE, 3)
    assert found is not None
    assert (found.labels, found.loss_line) == ("following", 8)
    assert after(source, found.edits) == [
        "targets = following",
        'model.compile(loss="sparse_categorical_crossentropy")',
    ]
    assert sparse_targets.is_copied({FILE: source}, FILE, 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rows[row, token] = 1.0", "rows[row, token] = weight"),
        ("fit(x, targets)", "fit(targets, y)"),
        ("categorical_crossentropy", "mse"),
        ("(len(nxt), vocab)", "(vocab,)"),
    ],
)
def test_rows_that_are_not_one_hot_targets(old: str, new: str) -> None:
    assert sparse_targets.encoded_targets({FILE: source_of(BY_HAND.replace(old, new))}, FILE, 3) is None


def test_rows_of_an_identity_matrix_are_one_hot() -> None:
    text = "y = np.eye(900)[labels]\nmodel.compile('adam', 'categorical_crossentropy')\nmodel.fit(x, y)\n"
    source = source_of(text)
    assert after(source, sparse_targets.labels_kept({FILE: source}, FILE, 1))[0] == "y = labels"


def test_an_array_that_no_library_copies() -> None:
    source = source_of("table = np.zeros((n, 3))\nfor row in rows:\n    table[row] = 1\nprint(table.sum())\n")
    assert not sparse_targets.is_copied({FILE: source}, FILE, 1)
