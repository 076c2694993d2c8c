"""Data contracts by real programs: what is inferred and broken, what is declared, and that the program does not
notice."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests import child

from whydied.inside.guest import guard
from whydied.records import ContractBroken, DataSeen, InternalError, RecorderLimited

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}

PROGRAM = """
import hashlib
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
x = rng.random((500, 4), "float32")
y = rng.integers(0, 3, 500)
holed = x.copy()
holed[217, 2] = np.nan
wrong = y.copy()
wrong[[5, 400]] = 7

def fresh(form=None):
    layers = [keras.layers.Dense(3, activation="softmax")]
    model = form() if form else keras.Sequential([keras.layers.Input((4,)), *layers])
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=bool(form)))
    return model

model = fresh()
model.fit(x, y, verbose=0)  # good
model.evaluate(holed, y, verbose=0)  # array
slices = tf.data.Dataset.from_tensor_slices((holed, y))
model.evaluate(slices.shuffle(500).batch(32).prefetch(1), verbose=0)  # pipeline
model.evaluate(slices.take(100).batch(32), verbose=0)  # taken
model.evaluate(slices.map(lambda a, b: (tf.zeros_like(a), b)).batch(32), verbose=0)  # mapped
zipped = tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices(holed), tf.data.Dataset.from_tensor_slices(y)))
model.evaluate(zipped.batch(50), verbose=0)  # zipped

def batches():
    for start in range(0, 500, 50):
        yield holed[start : start + 50], y[start : start + 50]

model.evaluate(batches(), verbose=0)  # generator

class Parts(keras.utils.PyDataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return holed[50 * index : 50 * index + 50], y[50 * index : 50 * index + 50]

model.evaluate(Parts(), verbose=0)  # sequence
signature = (tf.TensorSpec((4,)), tf.TensorSpec((), tf.int64))
single = tf.data.Dataset.from_generator(lambda: zip(holed, wrong), output_signature=signature)
try:
    model.evaluate(single.batch(32), verbose=0)  # rows
except tf.errors.InvalidArgumentError as error:
    print("refused")
for start in range(0, 500, 100):
    model.test_on_batch(holed[start : start + 100], y[start : start + 100])  # on batch

class Plain(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(3)

    def call(self, inputs):
        return self.inner(inputs)

try:
    fresh(Plain).fit(x, wrong, verbose=0)  # subclassed
except tf.errors.InvalidArgumentError:
    print("refused")
ids = keras.layers.Input((6,), name="ids", dtype="int32")
more = keras.layers.Input((1,), name="more")
words = keras.layers.Flatten()(keras.layers.Embedding(10, 2)(ids))
joined = keras.Model({"ids": ids, "more": more}, keras.layers.Dense(1)(keras.layers.Concatenate()([words, more])))
joined.compile("sgd", "mse")
table = rng.integers(0, 10, (40, 6))
table[11, 3] = 10
try:
    joined.fit({"ids": table, "more": np.ones((40, 1))}, np.ones((40, 1)), verbose=0)  # embedding
except tf.errors.InvalidArgumentError:
    print("refused")
loss = keras.losses.SparseCategoricalCrossentropy()
try:
    for start in range(0, 500, 50):
        loss(wrong[start : start + 50], model(x[start : start + 50]))  # loop
except tf.errors.InvalidArgumentError:
    print("refused")
print(hashlib.sha256(b"".join(w.numpy().tobytes() for w in model.variables)).hexdigest())
print(tf.random.uniform([]).numpy(), np.isnan(holed).sum())
"""


def line(word: str) -> int:
    return next(n for n, text in enumerate(PROGRAM.lstrip("\n").splitlines(), 1) if text.endswith(f"  # {word}"))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[child.Ended, child.Recorded]:
    directory = tmp_path_factory.mktemp("contracts")
    path = child.write(directory, PROGRAM)
    expected = child.plain(path, cwd=directory, env=QUIET, timeout_s=280)
    return expected, child.inside(path, cwd=directory, run=directory / "run", env=QUIET, timeout_s=280)


def broken(both: tuple[child.Ended, child.Recorded], word: str) -> list[ContractBroken]:
    return [one for one in both[1].all(ContractBroken) if one.frames[-1].line == line(word)]


def test_the_program_does_not_notice(both: tuple[child.Ended, child.Recorded]) -> None:
    expected, recorded = both
    assert recorded.ended.status == expected.status == 0, recorded.ended.stderr
    assert recorded.ended.stdout == expected.stdout
    assert expected.stdout.count("refused") == 4
    assert recorded.all(InternalError) == []
    assert recorded.all(RecorderLimited) == []


@pytest.mark.parametrize("word", ["good", "taken", "mapped"])
def test_what_is_right_or_cannot_be_known_is_not_told(word: str, both: tuple[child.Ended, child.Recorded]) -> None:
    assert broken(both, word) == []


@pytest.mark.parametrize("word", ["array", "pipeline", "zipped"])
def test_rows_of_whole_data(word: str, both: tuple[child.Ended, child.Recorded]) -> None:
    (one,) = broken(both, word)
    assert (one.name, one.term.kind, one.rows, one.count, one.rows_seen) == ("x", "finite", [217], 1, 500)
    assert (one.values, one.columns, one.batch) == (["nan"], [[2]], None)
    kept = both[1].run / one.file
    assert np.load(kept).shape == (1, 4)
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(("word", "batch", "row"), [("generator", 4, 17), ("sequence", 4, 17), ("on batch", 2, 17)])
def test_rows_of_batches(word: str, batch: int, row: int, both: tuple[child.Ended, child.Recorded]) -> None:
    (one,) = broken(both, word)
    assert (one.term.kind, one.batch, one.rows) == ("finite", batch, [row])


def test_elements_that_are_rows(both: tuple[child.Ended, child.Recorded]) -> None:
    found = {(one.name, one.term.kind, tuple(one.rows), one.batch) for one in broken(both, "rows")}
    assert ("y", "classes", (5,), None) in found


def test_labels_of_a_model_whose_outputs_are_known_late(both: tuple[child.Ended, child.Recorded]) -> None:
    (one,) = broken(both, "subclassed")
    assert (one.name, one.term.kind, one.rows, one.values) == ("y", "classes", [5, 400], ["7", "7"])


def test_ids_outside_of_an_embedding(both: tuple[child.Ended, child.Recorded]) -> None:
    (one,) = broken(both, "embedding")
    assert (one.name, one.term.kind, one.rows, one.columns) == ("x['ids']", "vocabulary", [11], [[3]])


def test_labels_of_a_loop(both: tuple[child.Ended, child.Recorded]) -> None:
    (one,) = broken(both, "loop")
    assert (one.term.kind, one.batch, one.rows, one.call) == ("classes", 0, [5], None)


def test_what_good_data_were(both: tuple[child.Ended, child.Recorded]) -> None:
    first = [one for one in both[1].all(DataSeen) if one.frames[-1].line == line("good")]
    x, y = first
    assert (x.name, x.role, x.shape, x.dtype, x.rows_seen, x.rows) == ("x", "input", [None, 4], "float32", 500, 500)
    assert x.numbers is not None
    assert 0 <= (x.numbers.least or 0) < (x.numbers.greatest or 0) <= 1
    assert y.distinct == [0, 1, 2]
    assert [term.kind for term in y.terms] == ["finite", "classes"]


@pytest.mark.variation
def test_every_place_may_fail(tmp_path: Path, both: tuple[child.Ended, child.Recorded]) -> None:
    import whydied.inside.hooks.contracts
    import whydied.inside.public.contract.declared_terms

    assert whydied.inside.hooks.contracts
    places = sorted(place for place in guard.PLACES if place.startswith("contracts."))
    # The last only where a declared contract breaks.
    places.remove("contracts.declared")
    path = child.write(tmp_path, PROGRAM)
    # A call whose beginning failed opens no feed, so that no element is looked at.
    for wanted in ([place for place in places if place != "contracts.begun"], ["contracts.begun"]):
        env = {**QUIET, "WHYDIED_INJECT": ",".join(wanted)}
        recorded = child.inside(path, cwd=tmp_path, run=tmp_path / wanted[0], env=env, timeout_s=280)
        assert recorded.ended.status == 0
        assert recorded.ended.stdout == both[0].stdout
        assert {error.where for error in recorded.all(InternalError)} == set(wanted)


DECLARED = """
import keras
import numpy as np
import tensorflow as tf
import whydied

def tried(work):
    try:
        work()
        print("fine")
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        found = [text for text in str(error).splitlines() if "; expected " in text or ": expected " in text]
        print(type(error).__name__, found[0].split("ContractError: ")[-1] if found else error)

x = np.linspace(0, 1, 400, dtype="float32").reshape(100, 4)
y = np.arange(100) % 5
bad = x.copy()
bad[[42, 77], 1] = np.nan, np.inf
good = tf.data.Dataset.from_tensor_slices((x, y)).batch(10)
data = tf.data.Dataset.from_tensor_slices((bad, y)).batch(10)
same = whydied.expect(good, ("n 4", "n"), finite=(True, False), low=(0, None), high=(1, None), classes=(None, 5))
print(same.element_spec == good.element_spec, int(same.cardinality()) == int(good.cardinality()))
print(all(np.array_equal(a[0], b[0]) and np.array_equal(a[1], b[1]) for a, b in zip(same, good)))
tried(lambda: list(whydied.expect(data, ("n 4", "n"), finite=(True, False))))
tried(lambda: whydied.expect(data, ("n 5", "n")))
tried(lambda: list(whydied.expect(good, unique=(True, False))))
tried(lambda: list(whydied.expect(good, classes=(None, 4))))
tried(lambda: list(whydied.expect(good, one_of=(None, [0, 1, 2, 3]))))
nested = good.map(lambda a, b: ({"left": a, "right": a}, b))
tried(lambda: list(whydied.expect(nested, ({"left": "n 4", "right": "n 4"}, "n"), high=({"right": 0.5}, None))))
tried(lambda: whydied.expect(tf.constant(bad), finite=True, name="eager"))

@tf.function
def step(rows):
    rows = whydied.expect(rows, "n 4", finite=True, low=0, name="rows")
    return tf.reduce_sum(rows)

print(step(x).numpy() == step.python_function(x).numpy())
tried(lambda: step(bad))
tried(lambda: step(x[:, :3]))
compiled = tf.function(step.python_function, jit_compile=True)
print(abs(compiled(x).numpy() - step(x).numpy()) < 1e-2)
with tf.GradientTape() as tape:
    given = tf.constant(x)
    tape.watch(given)
    total = step(given)
print(bool(tf.reduce_all(tape.gradient(total, given) == 1)))

class Module(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec((None, 2))])
    def double(self, value):
        return whydied.expect(value, finite=True) * 2

tf.saved_model.save(Module(), "saved")
print(tf.saved_model.load("saved").double(tf.ones((1, 2))).numpy().tolist())
graph = tf.Graph()
with graph.as_default():
    place = tf.compat.v1.placeholder(tf.float32, (None, 4))
    checked = whydied.expect(place, high=1, name="fed")
    with tf.compat.v1.Session() as session:
        tried(lambda: session.run(checked, {place: x}))
        tried(lambda: session.run(checked, {place: x * 2}))

class Parts(keras.utils.PyDataset):
    seen = 0

    def __len__(self):
        return 10

    def __getitem__(self, index):
        self.seen += 1
        return bad[10 * index : 10 * index + 10], y[10 * index : 10 * index + 10]

parts = Parts()
held = whydied.expect(parts, finite=(True, False), name="parts")
print(isinstance(held, Parts), len(held), held[0][0].shape, parts.seen)
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(5)])
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
tried(lambda: model.fit(held, shuffle=False, verbose=0))
tried(lambda: model.fit(whydied.expect(data, finite=(True, False), name="data"), verbose=0))
tried(lambda: whydied.expect(keras.Input((3,)), "_ 4", name="symbolic"))
"""

SAID = """
True True
True
InvalidArgumentError program.py:N: data[0]: row 2 of batch 4 has nan at [1]; expected finite values
ContractError program.py:N: data[0]: axis 1 is 4, not 5: shape (None, 4), <dtype: 'float32'>; expected shape (n 5)
fine
InvalidArgumentError program.py:N: good[1]: 2 of 10 rows (4, 9) of batch 0 have 4; expected classes from 0 to 3
InvalidArgumentError program.py:N: good[1]: 2 of 10 rows (4, 9) of batch 0 have 4; expected one of 0, 1, 2, 3
InvalidArgumentError program.py:N: nested[0]['right']: 10 of 10 rows (0, 1, 2, 3, 4, 5, 6, 7, …) of batch 5 have
ContractError program.py:N: eager: 2 of 100 rows (42, 77) have nan, inf; expected finite values
"""


@pytest.fixture(scope="module")
def declared(tmp_path_factory: pytest.TempPathFactory) -> tuple[child.Ended, child.Recorded]:
    directory = tmp_path_factory.mktemp("declared")
    path = child.write(directory, DECLARED)
    expected = child.plain(path, cwd=directory, env=QUIET, timeout_s=280)
    return expected, child.inside(path, cwd=directory, run=directory / "run", env=QUIET, timeout_s=280)


def test_declared_contracts_hold_with_and_without_a_recorder(declared: tuple[child.Ended, child.Recorded]) -> None:
    plain, recorded = declared
    assert plain.status == recorded.ended.status == 0, plain.stderr
    assert plain.stdout == recorded.ended.stdout
    assert recorded.all(InternalError) == []


def test_what_declared_contracts_say(declared: tuple[child.Ended, child.Recorded]) -> None:
    said = re.sub(r"program\.py:\d+", "program.py:N", declared[0].stdout).splitlines()
    for found, wanted in zip(said, SAID.strip().splitlines(), strict=False):
        assert found.startswith(wanted)
    rest = "\n".join(said[9:])
    assert "[whydied.expect: program.py:N: rows: expected finite values]" in rest
    assert "ContractError program.py:N: rows: axis 1 is 3, not 4" in rest
    assert "[[2.0, 2.0]]" in rest
    assert "[whydied.expect: program.py:N: fed: expected values of at most 1]" in rest
    assert "True 10 (10, 4) 1" in rest
    assert re.search(r"Error program.py:N: parts\[0\]: row 2 of batch 4 has nan", rest)
    assert re.search(r"InvalidArgumentError program.py:N: data\[0\]: row 2 of batch 4 has nan", rest)
    assert "symbolic: axis 1 is 3, not 4" in rest
    assert "False" not in rest
    place = DECLARED.lstrip("\n").splitlines().index('tried(lambda: whydied.expect(data, ("n 5", "n")))') + 1
    assert f"ContractError program.py:{place}: data[0]: axis 1" in declared[0].stdout


def test_what_was_raised_is_recorded(declared: tuple[child.Ended, child.Recorded]) -> None:
    found = [one for one in declared[1].all(ContractBroken) if one.raised]
    assert {one.name for one in found} >= {"data[0]", "good[1]", "eager", "parts[0]"}
    eager = next(one for one in found if one.name == "eager")
    assert (eager.rows, eager.count) == ([42, 77], 2)
    assert (declared[1].run / eager.file).exists()


def whydied(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "whydied", *words],
        cwd=cwd,
        env={**child._clean(), **QUIET},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


FIT = """
import keras
import numpy as np

features = np.load("features.npy")
labels = np.load("labels.npy")
model = keras.Sequential([keras.layers.Input([4]), keras.layers.Dense(3, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(features, labels, verbose=0)
"""


@pytest.mark.variation
def test_tests_from_a_bad_run_and_from_a_good_one(tmp_path: Path) -> None:
    """The whole way: run, write tests, see them fail on the bad rows and pass once these are mended."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200)
    labels[[17, 150]] = 9
    np.save(tmp_path / "features.npy", rng.random((200, 4)).astype("float32"))
    np.save(tmp_path / "labels.npy", labels)
    program = child.write(tmp_path, FIT)
    ran = whydied("run", "--runs", "runs", "--name", "bad", "--json", "bad.json", str(program), cwd=tmp_path)
    assert ran.returncode == 1
    cause = json.loads((tmp_path / "bad.json").read_text())["cause"]
    assert (cause["name"], cause["culprit"]["name"]) == ("label-out-of-range", "labels")
    assert cause["culprit"]["rows"] == {"batch": [], "dataset": [17, 150], "count": 2}
    wrote = whydied("contract", "bad", "--runs", "runs", "--pytest", "checks/test_bad.py", cwd=tmp_path)
    assert wrote.returncode == 0, wrote.stderr
    assert _pytest(tmp_path / "checks", "test_bad.py") == (1, "2 failed, 6 passed")
    labels[[17, 150]] = 1
    np.save(tmp_path / "labels.npy", labels)
    assert _pytest(tmp_path / "checks", "test_bad.py") == (0, "8 passed")
    ran = whydied("run", "--runs", "runs", "--name", "good", str(program), cwd=tmp_path)
    assert ran.returncode == 0
    told = json.loads(whydied("contract", "good", "--runs", "runs", "--json", cwd=tmp_path).stdout)
    x, y = told["contracts"]
    assert (x["variable"], x["shape"], x["finite"], x["low"], x["high"]) == ("features", [None, 4], True, 0, 1)
    assert (y["variable"], y["classes"], y["broken"]) == ("labels", [0, 1, 2], [])
    shown = whydied("contract", "good", "--runs", "runs", cwd=tmp_path).stdout
    assert "labels (y of fit at program.py:8)" in shown
    wrote = whydied("contract", "good", "--runs", "runs", "--pytest", "checks/test_good.py", cwd=tmp_path)
    assert wrote.returncode == 0, wrote.stderr
    assert _pytest(tmp_path / "checks", "test_good.py") == (0, "8 passed")
    labels[3] = 5
    np.save(tmp_path / "labels.npy", labels)
    assert _pytest(tmp_path / "checks", "test_good.py") == (1, "2 failed, 6 passed")


def _pytest(directory: Path, file: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout.strip().splitlines()[-1].partition(" in ")[0]
