"""How near is `whydied estimate`: its prediction against what the allocator and the process really took.

    python benchmarks/estimate.py               all models of estimate_models.py, three batches, two optimizers
    python benchmarks/estimate.py --quick       six models, two batches, one optimizer
    python benchmarks/estimate.py --only 'cnn*' --optimizer sgd --save FILE --resume FILE

Each model is estimated in one process (`--no-run`: no step runs) and trained for five steps in a fresh process for each
batch, where the allocator counts from the import of TensorFlow on. Prints each, the mean and the worst error of peaks
of 50 MB and more and of all, and saves them as JSON. Beside them stand the seconds of the trace and of the whole
estimate with it, and the highest memory of a process of the estimate, which must stay below what the smallest batch of
the training takes. Nothing runs side by side. Exit status 0 where all is within `WANTED`, 1 where not.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from estimate_models import CASES

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "estimate_models.py"
BATCHES = (8, 32, 64)
OPTIMIZERS = ("adam", "sgd")
QUICK = ("mlp", "cnn", "custom_loop", "lstm", "unet", "wide_mlp")
LARGE = 50_000_000
WANTED = {"large": 0.04, "worst": 0.15, "all": 0.10, "rss": 0.05}
LONGEST_S = 900
TRACES, SECONDS_MORE = 3, 3.0
"""An estimate may take so many times its trace, and so much more."""


def main() -> int:
    options = _parser().parse_args()
    names = [name for name in CASES if fnmatch.fnmatch(name, options.only)]
    names = [name for name in names if not options.quick or name in QUICK]
    optimizers = (options.optimizer,) if options.optimizer else OPTIMIZERS[:1] if options.quick else OPTIMIZERS
    batches = BATCHES[:2] if options.quick else BATCHES
    found: dict[str, Any] = json.loads(options.resume.read_text()) if options.resume else {}
    for optimizer in optimizers:
        for name in names:
            _case(name, optimizer, batches, found)
            _save(options.save, found)
    figures = summary(found)
    print(json.dumps(figures, indent=2))
    print(f"saved as {_save(options.save, {**found, 'summary': figures})}")
    kept = figures["large_mean"] <= WANTED["large"] and figures["all_mean"] <= WANTED["all"]
    kept = kept and figures["slow"] == figures["too_large"] == 0
    return 0 if kept and figures["rss_mean"] <= WANTED["rss"] and figures["large_worst"] <= WANTED["worst"] else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Predicted against measured memory.")
    parser.add_argument("--only", default="*", help="models whose name matches")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, help="only this one")
    parser.add_argument("--quick", action="store_true", help="six models, two batches, one optimizer")
    parser.add_argument("--save", type=Path, default=HERE / "results" / "estimate.json")
    parser.add_argument("--resume", type=Path, help="a saved file: what is in it is not run again")
    return parser


def _case(name: str, optimizer: str, batches: tuple[int, ...], found: dict[str, Any]) -> None:
    keys = {batch: f"{name}/{optimizer}/{batch}" for batch in batches}
    missing = [batch for batch in batches if "predicted" not in found.get(keys[batch], {})]
    for batch, point in (estimated(name, optimizer, missing) if missing else {}).items():
        found.setdefault(keys[batch], {})["predicted"] = point
    if missing:
        print(_cost_line(f"{name}/{optimizer}", found.get(keys[missing[0]], {}).get("predicted")), flush=True)
    for batch in batches:
        one = found.setdefault(keys[batch], {})
        if "measured" not in one:
            one["measured"] = measured(name, optimizer, batch)
        print(_line(keys[batch], one), flush=True)


def estimated(name: str, optimizer: str, batches: list[int]) -> dict[int, dict[str, Any]]:
    """The points of `whydied estimate`, by batch, each with what the estimate itself took; empty where it failed."""
    command = [sys.executable, "-m", "whydied", "estimate", "--no-run", "--json"]
    command += ["--batch-size", ",".join(str(batch) for batch in batches)]
    command += [os.fspath(PROGRAM), name, optimizer, str(batches[0])]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as problems:
        process = subprocess.Popen(command, stdout=output, stderr=problems)
        timer = threading.Timer(LONGEST_S, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        output.seek(0)
        problems.seek(0)
        try:
            call = json.loads(output.read())["calls"][0]
        except (ValueError, LookupError):
            told = problems.read()[-500:].decode("utf-8", "replace")
            print(f"{name}: no estimate: {told}", file=sys.stderr)
            return {}
    cost = {"trace_s": call["trace_s"], "estimate_s": call["estimate_s"], "own_rss": usage.ru_maxrss << 10}
    return {point["batch_size"]: {**point, **cost} for point in call["points"]}


def _cost_line(key: str, point: dict[str, Any] | None) -> str:
    if not point or "trace_s" not in point:
        return f"{key:32} no estimate"
    mark = " TOO SLOW" if is_slow(point) else ""
    return (
        f"{key:32} trace {point['trace_s']:6.1f} s   estimate with it {point['estimate_s']:6.1f} s"
        f"   own peak {point['own_rss'] / 1e6:6.0f} MB{mark}"
    )


def is_slow(point: dict[str, Any]) -> bool:
    return bool(point.get("estimate_s", 0.0) > TRACES * point.get("trace_s", 0.0) + SECONDS_MORE)


def measured(name: str, optimizer: str, batch: int) -> dict[str, int] | None:
    """What five steps took in a fresh process; None where they failed."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "measured.json"
        command = [sys.executable, os.fspath(PROGRAM), name, optimizer, str(batch)]
        environment = {**os.environ, "ESTIMATE_MEASURE": os.fspath(target)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=LONGEST_S, check=False)
        if not target.exists():
            print(f"{name}: not measured: {done.stderr[-500:]}", file=sys.stderr)
            return None
        found: dict[str, int] = json.loads(target.read_text())
        return found


def errors(one: dict[str, Any]) -> tuple[float, float] | None:
    """Relative errors of tensors and process."""
    predicted, real = one.get("predicted"), one.get("measured")
    if not predicted or not real:
        return None
    tensors = predicted["peak_tensor_bytes"] / max(1, real["peak"]) - 1
    return tensors, predicted["peak_rss_bytes"] / real["hwm"] - 1


def _line(key: str, one: dict[str, Any]) -> str:
    off = errors(one)
    if off is None:
        return f"{key:32} failed"
    predicted, real = one["predicted"], one["measured"]
    return (
        f"{key:32} tensors {predicted['peak_tensor_bytes'] / 1e6:8.1f} of {real['peak'] / 1e6:8.1f} MB {off[0]:+7.1%}"
        f"   process {predicted['peak_rss_bytes'] / 1e6:7.0f} of {real['hwm'] / 1e6:7.0f} MB {off[1]:+7.1%}"
    )


def summary(found: dict[str, Any]) -> dict[str, Any]:
    """Mean and worst absolute errors."""
    both = [(one, off) for one in found.values() if "measured" in one and (off := errors(one)) is not None]
    tensors = [abs(off[0]) for _, off in both]
    large = [abs(off[0]) for one, off in both if one["measured"]["peak"] >= LARGE]
    rss = [abs(off[1]) for _, off in both]
    return {
        "cases": len(both),
        "failed": sum(1 for one in found.values() if "measured" in one and errors(one) is None),
        "large": len(large),
        "large_mean": round(statistics.mean(large or [0.0]), 4),
        "large_worst": round(max(large or [0.0]), 4),
        "all_mean": round(statistics.mean(tensors or [0.0]), 4),
        "all_worst": round(max(tensors or [0.0]), 4),
        "rss_mean": round(statistics.mean(rss or [0.0]), 4),
        "rss_worst": round(max(rss or [0.0]), 4),
        "slow": sum(1 for one, _ in both if is_slow(one["predicted"])),
        "too_large": sum(1 for one, _ in both if one["predicted"].get("own_rss", 0) > one["measured"]["hwm"]),
    }


def _save(path: Path, found: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1))
    return path


if __name__ == "__main__":
    sys.exit(main())
