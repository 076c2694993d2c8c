"""How near `whydied.fit_batch_size` comes to the largest batch, and what it costs, against doubling until it crashes.

    python benchmarks/fit_batch_size.py                all models
    python benchmarks/fit_batch_size.py --only conv --limit 1500M

Each model is asked for its batch under a limit, once with trials in a child and once without. The truth is found by
bisection of real trainings, each in a control group with that limit, to 3 %. Doubling and halving, as batch finders do
it, is counted from the same trainings: from a batch of 2 on, doubled until one dies, then bisected to 15 %. Prints one
row per model and way: the batch, its part of the true one, whether it really runs, trials and seconds; saved as JSON
below benchmarks/results/. Needs root for the control groups. Exit status 0 when every batch runs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from whydied.config import parse_memory_limit
from whydied.run.observe import limits

HERE = Path(__file__).resolve().parent
SEQUENTIAL = "model = K.Sequential({layers})\nmodel.compile('adam', 'mse')\n"
MODELS = {
    "dense": SEQUENTIAL.format(layers="[K.Input((256,)), L.Dense(2048, 'relu'), L.Dense(2048, 'relu'), L.Dense(10)]"),
    "conv": SEQUENTIAL.format(
        layers="[K.Input((64, 64, 3)), L.Conv2D(32, 3, activation='relu', padding='same'), "
        "L.Conv2D(32, 3, activation='relu', padding='same'), L.GlobalAveragePooling2D(), L.Dense(10)]"
    ),
    "normalised": SEQUENTIAL.format(
        layers="[K.Input((48, 48, 3)), L.Conv2D(24, 3, padding='same'), L.BatchNormalization(), L.ReLU(), "
        "L.Conv2D(24, 3, padding='same'), L.BatchNormalization(), L.ReLU(), L.Flatten(), L.Dense(10)]"
    ),
    "text": SEQUENTIAL.format(
        layers="[K.Input((200,), dtype='int32'), L.Embedding(5000, 64), L.Conv1D(128, 5, activation='relu'), "
        "L.GlobalMaxPooling1D(), L.Dense(10)]"
    ),
    "lstm": SEQUENTIAL.format(layers="[K.Input((60, 16)), L.LSTM(64), L.Dense(10)]"),
    "attention": """
words = K.Input((128, 32))
seen = L.MultiHeadAttention(4, 16)(words, words)
seen = L.LayerNormalization()(L.Add()([words, seen]))
seen = L.Add()([seen, L.Dense(32)(L.Dense(128, "gelu")(seen))])
model = K.Model(words, L.Dense(10)(L.GlobalAveragePooling1D()(seen)))
model.compile("adam", "mse")
""",
    "train_step": """
class Penalised(K.Model):
    def __init__(self):
        super().__init__()
        self.body = K.Sequential([K.Input((64, 64, 3)), L.Conv2D(16, 5, 2, "same", activation="relu"),
                                  L.Conv2D(64, 3, padding="same", activation="relu"), L.GlobalMaxPooling2D()])
        self.head = L.Dense(10)

    def call(self, x, training=False):
        return self.head(self.body(x, training=training))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2) + 1e-4 * tf.nn.l2_loss(self.head.kernel)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


model = Penalised()
model.build((None, 64, 64, 3))
model.compile("adam")
""",
    "loop": """
model = K.Sequential([K.Input((32, 32, 3)), L.Conv2D(32, 3, activation="relu"), L.MaxPooling2D(), L.Flatten(),
                      L.Dense(512, "relu"), L.Dense(10)])
optimizer = K.optimizers.Adam()


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
""",
}
"""What defines `model`, and `step` where the program has a training loop of its own."""
PROGRAM = """
import json, sys, time
import keras as K
import numpy as np
import tensorflow as tf
L = K.layers
step = None
{model}
x = np.zeros(({rows}, {shape}), "{dtype}")
y = np.zeros(({rows}, 10), "float32")
if sys.argv[1] == "train":
    size = int(sys.argv[2])
    if step is None:
        model.fit(x, y, batch_size=size, steps_per_epoch=2, verbose=0)
    else:
        for _ in range(2):
            step(x[:size], y[:size])
    print("trained")
else:
    import whydied
    began = time.monotonic()
    found = whydied.fit_batch_size(step or model, x, y, limit=sys.argv[2], verify=sys.argv[1] == "child")
    print(json.dumps([found.batch_size, len(found.trials), time.monotonic() - began]))
"""


class Data(NamedTuple):
    """`rows` of the data, which `fit` makes a tensor of besides."""

    rows: int
    shape: str
    dtype: str = "float32"


DATA = {
    "dense": Data(30_000, "256"),
    "conv": Data(2000, "64, 64, 3"),
    "normalised": Data(3000, "48, 48, 3"),
    "text": Data(8000, "200", "int32"),
    "lstm": Data(8000, "60, 16"),
    "attention": Data(6000, "128, 32"),
    "train_step": Data(4000, "64, 64, 3"),
    "loop": Data(20_000, "32, 32, 3"),
}
TRUE_TO, DOUBLED_TO = 1.03, 1.15
BRACKET = 1.25


class Row(NamedTuple):
    model: str
    way: str
    batch_size: int
    part: float
    runs: bool
    trials: int
    seconds: float


class Trainings:
    """Real trainings of one model under the limit; each batch is tried once."""

    def __init__(self, script: Path, limit: str, most: int) -> None:
        self._script, self._limit, self._most = script, limit, most
        self._known: dict[int, tuple[bool, float]] = {}

    def of(self, rows: int) -> tuple[bool, float]:
        if rows not in self._known:
            began = time.monotonic()
            made = limits.wanted_limit(parse_memory_limit(self._limit), f"truth-{os.getpid()}-{rows}").made
            if made is None:
                raise SystemExit("fit_batch_size: needs control groups (root)")
            joining = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', made.path]
            done = subprocess.run(
                [*joining, sys.executable, str(self._script), "train", str(rows)], capture_output=True, check=False
            )
            limits.remove_group(made)
            self._known[rows] = (b"trained" in done.stdout, time.monotonic() - began)
        return self._known[rows]

    def bisected(self, low: int, high: int, to: float) -> tuple[int, int, float]:
        """The largest batch that runs, with the trials and seconds that it took to find."""
        trials, seconds = 0, 0.0
        while high > to * low and high - low > 1:
            middle = (low + high) // 2
            runs, took = self.of(middle)
            low, high = (middle, high) if runs else (low, middle)
            trials, seconds = trials + 1, seconds + took
        return low, trials, seconds

    def largest(self, near: int) -> int:
        """The largest batch that runs, looked for from a batch on."""
        low = max(1, min(near, self._most))
        while low > 1 and not self.of(low)[0]:
            low = int(low / BRACKET)
        high = math.ceil(BRACKET * low)
        while high <= self._most and self.of(high)[0]:
            low, high = high, math.ceil(BRACKET * high)
        return self.bisected(low, min(high, self._most + 1), TRUE_TO)[0]

    def doubled(self) -> tuple[int, int, float]:
        rows, trials, seconds = 2, 0, 0.0
        while rows <= self._most:
            runs, took = self.of(rows)
            trials, seconds = trials + 1, seconds + took
            if not runs:
                break
            rows *= 2
        found, more, longer = self.bisected(rows // 2, min(rows, self._most), DOUBLED_TO)
        return found, trials + more, seconds + longer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=sorted(MODELS), help="only these models")
    parser.add_argument("--limit", default="1500M", help="memory of the process (default: %(default)s)")
    parser.add_argument("--no-truth", action="store_true", help="without the true batch and without doubling")
    parser.add_argument("--no-doubling", action="store_true", help="without doubling until it crashes")
    options = parser.parse_args()
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    rows: list[Row] = []
    print(f"{'model':12}{'way':10}{'batch':>8}{'of true':>9}{'runs':>6}{'trials':>8}{'seconds':>9}", flush=True)
    for name in options.only or MODELS:
        script = results / f"batch_{name}.py"
        script.write_text(PROGRAM.format(model=MODELS[name], **DATA[name]._asdict()))
        for row in _rows(name, script, options):
            rows.append(row)
            part = f"{row.part:.0%}" if row.part else "-"
            print(
                f"{row.model:12}{row.way:10}{row.batch_size:>8,}{part:>9}{'yes' if row.runs else 'NO':>6}"
                f"{row.trials:>8}{row.seconds:>9.1f}",
                flush=True,
            )
        script.unlink()
    saved = results / f"fit_batch_size-{time.strftime('%Y%m%d-%H%M%S')}.json"
    saved.write_text(json.dumps([row._asdict() for row in rows], indent=2))
    print(f"saved as {saved}")
    ours = [row for row in rows if row.way != "doubling"]
    parts = [row.part for row in ours if row.runs and row.part]
    told = f", {min(parts):.0%} to {max(parts):.0%} of the true one" if parts else ""
    print(f"{len(ours)} batches asked for, {sum(row.runs for row in ours)} run{told}")
    return 0 if rows and all(row.runs for row in rows) else 1


def _rows(name: str, script: Path, options: argparse.Namespace) -> list[Row]:
    limit = options.limit
    trainings = Trainings(script, limit, DATA[name].rows)
    asked: dict[str, tuple[int, int, float]] = {}
    for way in ("child", "measured"):
        done = subprocess.run([sys.executable, str(script), way, limit], capture_output=True, check=False)
        lines = done.stdout.decode().splitlines()
        size, trials, seconds = json.loads(lines[-1]) if done.returncode == 0 and lines else (0, 0, 0.0)
        asked[way] = (int(size), int(trials), float(seconds))
    found = max(1, asked["child"][0])
    best = 0
    if not options.no_truth:
        best = trainings.largest(found)
    if not (options.no_truth or options.no_doubling):
        asked["doubling"] = trainings.doubled()
    return [
        Row(name, way, size, size / best if best else 0.0, size > 0 and trainings.of(size)[0], trials, seconds)
        for way, (size, trials, seconds) in asked.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
