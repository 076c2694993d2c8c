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
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from whydied.config import parse_memory_limit
from whydied.run.observe import limits

HERE = Path(__file__).resolve().parent
MODELS = {
    "dense": "[K.Input((256,)), L.Dense(2048, 'relu'), L.Dense(2048, 'relu'), L.Dense(10)]",
    "conv": "[K.Input((64, 64, 3)), L.Conv2D(32, 3, activation='relu', padding='same'), "
    "L.Conv2D(32, 3, activation='relu', padding='same'), L.GlobalAveragePooling2D(), L.Dense(10)]",
    "normalised": "[K.Input((48, 48, 3)), L.Conv2D(24, 3, padding='same'), L.BatchNormalization(), L.ReLU(), "
    "L.Conv2D(24, 3, padding='same'), L.BatchNormalization(), L.ReLU(), L.Flatten(), L.Dense(10)]",
    "text": "[K.Input((200,), dtype='int32'), L.Embedding(5000, 64), L.Conv1D(128, 5, activation='relu'), "
    "L.GlobalMaxPooling1D(), L.Dense(10)]",
    "lstm": "[K.Input((60, 16)), L.LSTM(64), L.Dense(10)]",
}
PROGRAM = """
import json, sys, time
import keras as K
import numpy as np
L = K.layers
model = K.Sequential({layers})
model.compile("adam", "mse")
x = np.zeros(({rows}, *model.input_shape[1:]), model.inputs[0].dtype)
y = np.zeros(({rows}, 10), "float32")
if sys.argv[1] == "train":
    model.fit(x, y, batch_size=int(sys.argv[2]), steps_per_epoch=2, verbose=0)
    print("trained")
else:
    import whydied
    began = time.monotonic()
    found = whydied.fit_batch_size(model, x, y, limit=sys.argv[2], verify=sys.argv[1] == "child")
    print(json.dumps([found.batch_size, len(found.trials), time.monotonic() - began]))
"""
ROWS = {"dense": 30_000, "conv": 2000, "normalised": 3000, "text": 8000, "lstm": 8000}
"""Of the data, which `fit` makes a tensor of besides."""
TRUE_TO, DOUBLED_TO = 1.03, 1.15


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
    options = parser.parse_args()
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    rows: list[Row] = []
    print(f"{'model':12}{'way':10}{'batch':>8}{'of true':>9}{'runs':>6}{'trials':>8}{'seconds':>9}", flush=True)
    for name in options.only or MODELS:
        script = results / f"batch_{name}.py"
        script.write_text(PROGRAM.format(layers=MODELS[name], rows=ROWS[name]))
        for row in _rows(name, script, options.limit, truth=not options.no_truth):
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
    return 0 if rows and all(row.runs for row in rows) else 1


def _rows(name: str, script: Path, limit: str, *, truth: bool) -> list[Row]:
    trainings = Trainings(script, limit, ROWS[name])
    asked: dict[str, tuple[int, int, float]] = {}
    for way in ("child", "measured"):
        done = subprocess.run([sys.executable, str(script), way, limit], capture_output=True, check=False)
        lines = done.stdout.decode().splitlines()
        size, trials, seconds = json.loads(lines[-1]) if done.returncode == 0 and lines else (0, 0, 0.0)
        asked[way] = (int(size), int(trials), float(seconds))
    found = max(1, asked["child"][0])
    best = 0
    if truth:
        best, _, _ = trainings.bisected(max(1, found // 2), min(ROWS[name], 2 * found), TRUE_TO)
        asked["doubling"] = trainings.doubled()
    return [
        Row(name, way, size, size / best if best else 0.0, size > 0 and trainings.of(size)[0], trials, seconds)
        for way, (size, trials, seconds) in asked.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
