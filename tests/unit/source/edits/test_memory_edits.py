"""Edits that bound what a program keeps: containers, batches, buffers, sessions and figures."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.edit import Edit, edited
from whydied.source.edits.programs import session_edits
from whydied.source.edits.runs import block_edits, container_edits, fed_slices, size_edits, traced_argument_edits


def one(edit: Edit | None) -> list[Edit]:
    return [edit] if edit is not None else []


def test_a_list_that_is_only_filled_and_counted_is_bounded() -> None:
    source = source_of(
        """
        import os
        class Trace:
            def __init__(self):
                self.kept = []
            def add(self, one):
                self.kept.append(one)
                print(len(self.kept), self.kept[-1])
        """
    )
    edits = container_edits.bounded(source, FILE, "self.kept", 20)
    assert after(source, edits) == ["import collections", "self.kept = collections.deque(maxlen=20)"]


@pytest.mark.parametrize(
    "use",
    ["x = np.array(rows)", "return rows", "rows[2:5]", "rows = []", "for row in rows: pass", "rows += more"],
)
def test_a_list_that_is_needed_as_a_whole_stays(use: str) -> None:
    text = f"import os\ndef load():\n    rows = []\n    rows.append(1)\n    {use}\n"
    assert container_edits.bounded(source_of(text), FILE, "rows", 20) == []


def test_queues_deques_and_caches_get_a_size() -> None:
    source = source_of(
        """
        import functools, queue
        waiting = queue.Queue()
        last = deque(maxlen=100_000)
        class Pictures:
            @functools.lru_cache(maxsize=None)
            def picture(self, index):
                return load(index)
            @functools.cache
            def label(self, index):
                return load(index)
        """
    )
    edits = [
        *container_edits.bounded(source, FILE, "waiting", 20),
        *container_edits.bounded(source, FILE, "last", 500),
        *container_edits.bounded_cache(source, FILE, "Pictures.picture", 50),
        *container_edits.bounded_cache(source, FILE, "Pictures.label", 10),
    ]
    assert after(source, edits) == [
        "waiting = queue.Queue(maxsize=20)",
        "last = deque(maxlen=500)",
        "@functools.lru_cache(maxsize=50)",
        "@functools.lru_cache(maxsize=10)",
    ]
    assert container_edits.bounded_cache(source, FILE, "Pictures.other", 10) == []


@pytest.mark.parametrize(
    ("text", "line", "method", "expected"),
    [
        ("model.fit(x, y, batch_size=1024)\n", 1, "fit", ["model.fit(x, y, batch_size=512)"]),
        ("BATCH = 1024\nn = len(x) // BATCH\nmodel.fit(x, y, batch_size=BATCH)\n", 3, "fit", ["BATCH = 512"]),
        ("N = 1024\nx = load(2 * N)\ndata = x.batch(N)\n", 3, "fit", ["data = x.batch(512)"]),
        ("def train(data, size=1024):\n    return data.batch(size)\n", 2, "train", ["def train(data, size=512):"]),
        ("model.fit(x, y)\n", 1, "fit", ["model.fit(x, y, batch_size=512)"]),
        ("model.fit(x, batch_size=len(x))\n", 1, "fit", ["model.fit(x, batch_size=512)"]),
        ("model.fit(data)\n", 1, "fit", []),
        ("step(x, y)\n", 1, "function", []),
        ("model.fit(x, y, batch_size=batch_of(x))\n", 1, "function", []),
    ],
)
def test_a_batch_is_made_smaller_where_its_size_is_written(
    text: str, line: int, method: str, expected: list[str]
) -> None:
    source = source_of(text)
    by_default = "data" not in text
    edits = one(size_edits.smaller_batch(source, FILE, line, method, 1024, 512, by_default=by_default))
    assert (after(source, edits) if edits else []) == expected


def test_sizes_of_pipelines_pools_and_arrays() -> None:
    source = source_of(
        """
        import numpy as np
        data = data.map(decode).cache().shuffle(4000).prefetch(len(x))
        scores = net(digits, training=False)
        data = Pictures(workers=2, max_queue_size=500)
        with ProcessPoolExecutor(8, initializer=load) as pool:
            table = np.ones((ROWS, COLUMNS))
        """
    )
    edits = [
        size_edits.buffer_of(source, FILE, 2, "shuffle", "20"),
        size_edits.buffer_of(source, FILE, 2, "prefetch", "tf.data.AUTOTUNE"),
        size_edits.predicted(source, FILE, 3, "digits", 32),
        size_edits.keyword_set(source, FILE, 4, "max_queue_size", 4),
        size_edits.fewer_workers(source, FILE, 5, 4),
        size_edits.float32_array(source, FILE, 6, "np"),
    ]
    assert after(source, [edit for edit in edits if edit is not None]) == [
        "data = data.map(decode).cache().shuffle(20).prefetch(tf.data.AUTOTUNE)",
        "scores = net.predict(digits, batch_size=32)",
        "data = Pictures(workers=2, max_queue_size=4)",
        "with ProcessPoolExecutor(4, initializer=load) as pool:",
        "table = np.ones((ROWS, COLUMNS), dtype=np.float32)",
    ]
    left_out = after(source, one(size_edits.without_stage(source, FILE, 2, "cache")))
    assert left_out == ["data = data.map(decode).shuffle(4000).prefetch(len(x))"]
    typed = source_of('import numpy as np\nt = np.ones(4, "uint8")\nu = np.zeros(4, dtype=int)\n')
    assert [size_edits.float32_array(typed, FILE, line, "np") for line in (2, 3)] == [None, None]


def test_a_power_of_two_below() -> None:
    assert [size_edits.power_below(number) for number in (1, 2, 82, 755, 1024)] == [1, 2, 64, 512, 1024]


def test_something_is_done_at_the_end_of_a_block_that_nothing_leaves() -> None:
    source = source_of(
        """
        def show(images):
            plt.figure()
            for image in images:
                plt.imshow(image)
        def shown(image):
            plt.figure()
            return image
        for _ in range(9):
            s = tf.InteractiveSession()
            s.run(x)
        """
    )
    texts = [edited(source, one(block_edits.at_end_of_block(source, FILE, line, "done()"))) for line in (2, 9)]
    assert [text.splitlines().index("    done()") for text in texts if text] == [4, 10]
    assert block_edits.at_end_of_block(source, FILE, 6, "done()") is None
    assert block_edits.at_end_of_block(source_of("plt.figure()\n"), FILE, 1, "done()") is None


def test_a_session_is_opened_in_a_with_around_what_follows() -> None:
    source = source_of(
        """
        def score(batch):
            sess = tf.Session()  # one for each batch

            sess.run(init)
            return sess.run(out)
        """
    )
    assert edited(source, session_edits.as_block(source, FILE, 2)) == (
        "def score(batch):\n    with tf.Session() as sess:  # one for each batch\n\n"
        "        sess.run(init)\n        return sess.run(out)\n"
    )
    outside = source_of("if fresh:\n    sess = tf.Session()\n    sess.run(init)\nsess.run(out)\n")
    assert session_edits.as_block(outside, FILE, 2) == []
    kept = source_of("class S:\n    def __init__(self):\n        self.session = tf.Session()\n        self.run()\n")
    assert session_edits.as_block(kept, FILE, 3) == []


def test_what_needs_nothing_of_a_loop_is_moved_above_it() -> None:
    source = source_of(
        """
        for step in range(9):
            batch = tf.constant(images)
            logits = tf.matmul(batch, w)
            sess.run(logits, {x: step})
        """
    )
    assert edited(source, block_edits.before_loop(source, FILE, 2)) == (
        "batch = tf.constant(images)\nlogits = tf.matmul(batch, w)\n"
        "for step in range(9):\n    sess.run(logits, {x: step})\n"
    )
    changing = source_of("for step in range(9):\n    values = tf.fill([9], step)\n    sess.run(values)\n")
    assert block_edits.before_loop(changing, FILE, 2) == []
    assert block_edits.before_loop(source, FILE, 4) == []


BUILT = """
import tensorflow as tf
session = tf.Session()
while frames:
    frame = frames.pop()
    scale = 2
    logits = net(x, scale)
    best = tf.argmax(logits)
    print(session.run(best, {x: frame}))
"""


def test_a_build_is_moved_above_the_loop_with_all_that_is_made_of_it() -> None:
    source = source_of(BUILT)
    assert block_edits.outlived_by_session(source, 6)
    assert edited(source, block_edits.built_before_loop(source, FILE, 6)) == (
        "import tensorflow as tf\nsession = tf.Session()\nscale = 2\nlogits = net(x, scale)\nbest = tf.argmax(logits)\n"
        "while frames:\n"
        "    frame = frames.pop()\n    print(session.run(best, {x: frame}))\n"
    )
    for changed in (BUILT.replace("net(x", "net(frame"), BUILT.replace("scale = 2", "scale += 2")):
        assert block_edits.built_before_loop(source_of(changed), FILE, 6) == []
    opened = source_of(BUILT.replace("frame = frames.pop()", "session = tf.Session()"))
    assert not block_edits.outlived_by_session(opened, 6)


def test_a_number_that_is_only_computed_with_becomes_a_tensor() -> None:
    text = "import tensorflow as tf\ndef scaled(x, factor):\n    return {}\ntotal += scaled(x, step)\n"
    source = source_of(text.format("tf.reduce_sum(x) * factor"))
    edit = traced_argument_edits.as_tensor(
        source, FILE, 4, traced_argument_edits.function_named(source, "scaled"), "factor", "float32"
    )
    assert after(source, one(edit)) == ["total += scaled(x, tf.constant(step, tf.float32))"]
    counted = source_of(text.format("x if factor % 50 == 0 else tf.print(factor)"))
    function = traced_argument_edits.function_named(counted, "scaled")
    edit = traced_argument_edits.as_tensor(counted, FILE, 4, function, "factor", "float32")
    assert after(counted, one(edit)) == ["total += scaled(x, tf.constant(step))"]
    index = source_of(text.format("x[factor]"))
    function = traced_argument_edits.function_named(index, "scaled")
    assert traced_argument_edits.as_tensor(index, FILE, 4, function, "factor", "float32") is None


def test_a_session_is_fed_slices_whose_results_are_averaged() -> None:
    source = source_of("import numpy as np\nprint(sess.run(accuracy, feed_dict={x: images, y: labels, keep: 1.0}))\n")
    edits = one(fed_slices.fed_in_slices(source, FILE, 2, 50, 2))
    assert after(source, edits) == [
        "print(np.mean([sess.run(accuracy, feed_dict={x: images[start:start + 50], y: labels[start:start + 50], "
        "keep: 1.0}) for start in range(0, len(images), 50)]))"
    ]
    assert fed_slices.fed_in_slices(source, FILE, 2, 50, 3) is None
    several = source_of("import numpy as np\nsess.run([train, loss], {x: images})\n")
    assert fed_slices.fed_in_slices(several, FILE, 2, 50, 1) is None


def test_what_a_session_is_asked_for_is_made_once_above_the_loops() -> None:
    source = source_of(
        """
        with tf.Session() as sess:
            for epoch in range(3):
                for step in range(9):
                    rate = sess.run(model.decayed(), {model.now: step})
        """
    )
    edits = block_edits.fetched_before_loop(source, FILE, {"decayed"})
    assert after(source, edits) == ["decayed = model.decayed()", "rate = sess.run(decayed, {model.now: step})"]
    assert edits[0].start == (2, 0)
    changing = source_of("for step in range(9):\n    sess.run(layer(step))\n")
    assert block_edits.fetched_before_loop(changing, FILE, {"layer"}) == []
    assert block_edits.fetched_before_loop(source, FILE, {"other"}) == []


def test_a_statement_that_does_nothing_but_add_a_stage_is_left_out() -> None:
    source = source_of("data = read()\ndata = data.cache()\nfit(data)\n")
    assert edited(source, one(size_edits.without_stage(source, FILE, 2, "cache"))) == "data = read()\nfit(data)\n"
    alone = source_of("if small:\n    data = data.cache()\nfit(data)\n")
    assert after(alone, one(size_edits.without_stage(alone, FILE, 2, "cache"))) == ["pass"]


def test_a_number_that_means_more_than_the_buffer_is_left_as_it_is() -> None:
    source = source_of("ROWS = 2000\nrows = data.range(ROWS)\nrows = rows.shuffle(ROWS)\n")
    edit = size_edits.buffer_of(source, FILE, 3, "shuffle", "100")
    assert edit is not None
    assert after(source, [edit]) == ["rows = rows.shuffle(100)"]
