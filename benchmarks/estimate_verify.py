"""Is the largest batch of `whydied estimate --verify` right: does it run under the limit, and does the next one not?

    python benchmarks/estimate_verify.py
    python benchmarks/estimate_verify.py --only 'cnn*' --save FILE --resume FILE

Each of 20 trainings of `estimate_models.py` is estimated with `--verify` and a limit. Then the program itself, without
whydied, is trained for `STEPS` steps in a control group with that limit: once with the batch that was told, and once
with 15 % more, or one row more where that is more. The answer is right where the first ran and the second did not.
Nothing runs side by side. Needs the right to make a memory cgroup. Exit status 0 where enough answers are right.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from whydied.run.observe import limits

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "estimate_models.py"
STEPS = 10
MORE = 1.15
WANTED = 18
LONGEST_S = 3600


class Case(NamedTuple):
    """`rows` are those of the data that `fit` gets: enough for two batches and more. Other trainings make a batch."""

    model: str
    optimizer: str
    limit_mb: int
    rows: int


CASES = (
    Case("mlp", "adam", 500, 12000),
    Case("wide_mlp", "adam", 900, 0),
    Case("cnn", "adam", 700, 2500),
    Case("cnn_norm", "sgd", 800, 500),
    Case("separable", "adam", 900, 0),
    Case("lstm", "adam", 650, 1500),
    Case("gru", "sgd", 600, 2000),
    Case("bidirectional", "adam", 550, 0),
    Case("conv1d", "adam", 700, 1000),
    Case("conv3d", "adam", 750, 500),
    Case("convlstm", "sgd", 800, 320),
    Case("transformer", "adam", 1000, 0),
    Case("language_model", "adam", 1200, 320),
    Case("unet", "adam", 1500, 200),
    Case("autoencoder", "adam", 800, 600),
    Case("vae", "sgd", 700, 800),
    Case("gan", "adam", 900, 600),
    Case("siamese", "adam", 900, 400),
    Case("custom_loop", "adam", 700, 0),
    Case("residual_loop", "sgd", 600, 0),
)


def main() -> int:
    options = _parser().parse_args()
    found: dict[str, Any] = json.loads(options.resume.read_text()) if options.resume else {}
    for case in CASES:
        key = f"{case.model}/{case.optimizer}/{case.limit_mb}M"
        if not fnmatch.fnmatch(case.model, options.only) or found.get(key, {}).get("batch"):
            continue
        found[key] = _tried(case)
        print(_line(key, found[key]), flush=True)
        _save(options.save, found)
    right = sum(1 for one in found.values() if is_right(one))
    trials = sum(one.get("trials", 0) for one in found.values())
    print(f"{right} of {len(found)} right, {trials / max(1, len(found)):.1f} trials each; saved as {options.save}")
    return 0 if right >= WANTED * len(found) / len(CASES) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Verified batches against trainings under the same limit.")
    parser.add_argument("--only", default="*", help="models whose name matches")
    parser.add_argument("--save", type=Path, default=HERE / "results" / "estimate_verify.json")
    parser.add_argument("--resume", type=Path, help="a saved file: what is in it is not run again")
    return parser


def _tried(case: Case) -> dict[str, Any]:
    began = time.monotonic()
    told = _verified(case)
    if told is None:
        return {}
    told["seconds"] = round(time.monotonic() - began, 1)
    batch = told["batch"]
    if batch < 1:
        return told
    told["next"] = max(batch + 1, math.floor(batch * MORE))
    told["ran"] = ran(case, batch)
    told["next_ran"] = ran(case, told["next"])
    return told


def _verified(case: Case) -> dict[str, Any] | None:
    """What `whydied estimate --verify` says, None where it failed."""
    command = [sys.executable, "-m", "whydied", "estimate", "--verify", "--json", "--limit", f"{case.limit_mb}M"]
    command += [os.fspath(PROGRAM), case.model, case.optimizer, "32"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=_environment(case), timeout=LONGEST_S, check=False
    )
    try:
        call = json.loads(done.stdout)["calls"][0]
    except (ValueError, LookupError):
        print(f"{case.model}: no estimate: {done.stderr[-500:]}", file=sys.stderr)
        return None
    trials = [line for line in done.stderr.splitlines() if line.startswith("whydied: a batch of")]
    predicted = [point["batch_size"] for point in call["curve"] if _needs(call, point) <= case.limit_mb << 20]
    largest = call["largest_batch"]
    return {
        "predicted": max(predicted, default=0),
        "batch": largest["batch_size"],
        "verified": largest["verified"],
        "trials": len(trials),
        "told": trials,
    }


def _needs(call: dict[str, Any], point: dict[str, int]) -> int:
    return point["peak_rss_bytes"] - int(call["mapped_bytes"])


def ran(case: Case, batch: int) -> bool:
    """Whether the training comes to its end under the limit. Raises RuntimeError where there is no control group."""
    limit = limits.wanted_limit(case.limit_mb << 20, f"verify-{os.getpid()}")
    if limit.made is None:
        raise RuntimeError(limit.reason)
    made = limit.made
    try:
        done = subprocess.run(
            [sys.executable, os.fspath(PROGRAM), case.model, case.optimizer, str(batch)],
            capture_output=True,
            text=True,
            env=_environment(case),
            preexec_fn=lambda: limits.write_knob(f"{made.path}/cgroup.procs", str(os.getpid())),
            timeout=LONGEST_S,
            check=False,
        )
    finally:
        limits.remove_group(made)
    if done.returncode > 0:
        print(f"{case.model}: status {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
    return done.returncode == 0


def _environment(case: Case) -> dict[str, str]:
    return {**os.environ, "ESTIMATE_ROWS": str(case.rows), "ESTIMATE_STEPS": str(STEPS), "TF_CPP_MIN_LOG_LEVEL": "3"}


def is_right(one: dict[str, Any]) -> bool:
    return bool(one.get("ran")) and not one.get("next_ran", True)


def _line(key: str, one: dict[str, Any]) -> str:
    if "ran" not in one:
        return f"{key:32} no answer"
    told = f"{one['batch']:6} {'ran' if one['ran'] else 'died'}, {one['next']:6} {'ran' if one['next_ran'] else 'died'}"
    return (
        f"{key:32} predicted {one['predicted']:6}, told {told}   {'right' if is_right(one) else 'WRONG'}"
        f"   {one['trials']} trials, {one['seconds']:.0f} s"
    )


def _save(path: Path, found: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1))
    return path


if __name__ == "__main__":
    sys.exit(main())
