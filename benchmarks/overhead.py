"""What whydied costs: each program plain and recorded, in pairs side by side in time.

    python benchmarks/overhead.py                    all workloads, 10 pairs each, and the single figures
    python benchmarks/overhead.py --pairs 4 --only cnn_fit
    python benchmarks/overhead.py --peers            memray, Fil and Scalene too, where they are installed
    python benchmarks/overhead.py --numerics         the watch for values that are not finite, over a recording without
                                                     it; beside TensorFlow's check_numerics and Debugger V2

The order within pairs is plain, recorded, recorded, plain, …, so that a drift of the machine cancels. "Inner" is the
steady state that each program times itself, without imports and warm-up: the promise is about that. "Whole" is the
command from start to end; its processor time counts our supervisor and the report too. Saves JSON below
benchmarks/results/.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

import long_recording
import whydied
from timing import Measured, Ratio, measure, ratio, whydied_command
from whydied import places
from whydied.places import RunDirectory

HERE = Path(__file__).resolve().parent
MEMORY = ("wide_dense", "large_images", "recurrent")
"""Those that tell the peak of a step."""
EXACT_RSS = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
"""Freed memory goes back to the system at once: else the C library keeps tens of megabytes, sometimes more or less."""
OPTIONS = {"many_objects": ["--memory-limit", "2G"]}
"""So that the recorder counts the objects: without a limit in sight it does not."""
WORKLOADS = (
    "cnn_fit",
    "validated_fit",
    "tiny_ops",
    "short_steps",
    "eager_steps",
    "session_steps",
    "tracing",
    "plain_python",
    *MEMORY,
    "many_objects",
)
TRAINING = ("cnn_fit", "validated_fit", "short_steps", "eager_steps", "session_steps")
BOOTSTRAP = Path(whydied.__file__).parent / "inside" / "bootstrap"
PEERS: dict[str, Callable[[str], list[str]]] = {
    "memray": lambda script: ["-m", "memray", "run", "--force", "-o", "memray.bin", script],
    "filprofiler": lambda script: ["-m", "filprofiler", "--no-browser", "-o", "fil", "run", script],
    "scalene": lambda script: ["-m", "scalene", "--cli", "--outfile", "scalene.txt", script],
}
NUMERICS = ("watch", "check_numerics", "debugger_v2")
"""`watch` is measured against a recording without it, the other two against the plain program."""

_BUSY_LOAD = 1.2
"""Running tasks a processor over five minutes. The benchmark itself keeps about one processor busy."""


class Row(NamedTuple):
    """One workload under one tool, against `base`."""

    workload: str
    tool: str
    base: str
    pairs: int
    inner_wall: Ratio | None
    inner_cpu: Ratio | None
    whole_wall: Ratio
    whole_cpu: Ratio
    plain_inner_s: float | None
    peak: Ratio | None
    plain_peak_mib: float | None
    stalls_s: tuple[float, float] | None
    """The medians of the longest pauses, of `base` and under the tool."""


class Figure(NamedTuple):
    """A single measured value with its bound, where the project has one."""

    name: str
    value: float
    unit: str
    bound: float | None


def main() -> int:
    options = _parser().parse_args()
    among = TRAINING if options.numerics else WORKLOADS
    names = [name for name in among if options.only is None or options.only in name]
    tools = [*NUMERICS] if options.numerics else ["whydied", *(_peers() if options.peers else [])]
    rows = [row for name in names for row in _workload(name, tools, options.pairs)]
    wanted = not options.numerics and options.only in (None, "figures")
    figures = _figures(options.repeats) if wanted else []
    _print(rows, figures)
    if (load := os.getloadavg()[1] / (os.cpu_count() or 1)) > _BUSY_LOAD:
        print(f"the machine was busy ({load:.1f} running tasks a processor): wall times mean little")
    print(f"saved as {_save(rows, figures)}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure what whydied costs.")
    parser.add_argument("--pairs", type=int, default=10, help="pairs for each workload (default 10)")
    parser.add_argument("--only", metavar="NAME", help=f"part of a name: {', '.join(WORKLOADS)}; or figures")
    parser.add_argument("--peers", action="store_true", help="measure memray, Fil and Scalene too, if installed")
    parser.add_argument("--numerics", action="store_true", help="measure the watch for values that are not finite")
    parser.add_argument("--repeats", type=int, default=20, help="runs for each single figure (default 20)")
    return parser


def _peers() -> list[str]:
    there = [name for name in PEERS if importlib.util.find_spec(name)]
    for name in PEERS.keys() - there:
        print(f"skipped: {name} is not installed")
    return there


def _command(tool: str, script: str, scratch: Path, options: list[str]) -> list[str]:
    if tool == "plain":
        return [sys.executable, script]
    recorded = [*whydied_command(), "run", "--runs", str(scratch / "runs"), *options]
    if tool in ("whydied", "watch"):
        return [*recorded, script]
    if tool == "unwatched":
        return [*recorded, "--no-numerics", script]
    if tool in NUMERICS:
        return [sys.executable, str(HERE / "numeric_peers.py"), tool, script]
    return [sys.executable, *PEERS[tool](script)]


def _workload(name: str, tools: list[str], pairs: int) -> list[Row]:
    script = str(HERE / "workloads" / f"{name}.py")
    return [_compare(name, tool, script, pairs) for tool in tools]


def _compare(name: str, tool: str, script: str, pairs: int) -> Row:
    base = "unwatched" if tool == "watch" else "plain"
    sides: dict[str, list[Measured]] = {base: [], tool: []}
    for pair in range(pairs):
        for side in (base, tool) if pair % 2 == 0 else (tool, base):
            with tempfile.TemporaryDirectory(prefix="whydied-overhead-") as scratch:
                command = _command(side, script, Path(scratch), OPTIONS.get(name, []))
                measured = measure(command, Path(scratch), EXACT_RSS if name in MEMORY else None)
            if measured.status != 0:
                raise SystemExit(f"overhead: {name} under {side} ended with status {measured.status}")
            sides[side].append(measured)
        print(f"{name} {tool}: pair {pair + 1} of {pairs}", file=sys.stderr)
    plain, other = sides[base], sides[tool]
    inner = [run.inner_wall_s for run in plain if run.inner_wall_s]
    first, second = _median([run.stall_s for run in plain]), _median([run.stall_s for run in other])
    return Row(
        name,
        tool,
        base,
        pairs,
        _inner_ratio([run.inner_wall_s for run in plain], [run.inner_wall_s for run in other]),
        _inner_ratio([run.inner_cpu_s for run in plain], [run.inner_cpu_s for run in other]),
        ratio([run.wall_s for run in plain], [run.wall_s for run in other]),
        ratio([run.cpu_s for run in plain], [run.cpu_s for run in other]),
        statistics.median(inner) if inner else None,
        _inner_ratio([run.peak_mib for run in plain], [run.peak_mib for run in other]),
        _median([run.peak_mib for run in plain]),
        (first, second) if first is not None and second is not None else None,
    )


def _median(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def _inner_ratio(plain: list[float | None], other: list[float | None]) -> Ratio | None:
    first, second = [value for value in plain if value], [value for value in other if value]
    return ratio(first, second) if len(first) == len(second) == len(plain) else None


def _figures(repeats: int) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="whydied-overhead-") as name:
        scratch = Path(name)
        help_s = [measure([*whydied_command(), "--help"], scratch).wall_s for _ in range(repeats)]
        return [
            Figure("whydied --help", 1000 * statistics.median(help_s), "ms", 150),
            *_start_up(scratch, repeats),
            *_kernel_start_up(scratch, repeats),
            Figure("report of a 10-minute recording", _report_s(scratch, 10.0), "s", 1.0),
        ]


def _start_up(scratch: Path, repeats: int) -> list[Figure]:
    """What the recorder adds to an interpreter that does nothing, and what the whole of `whydied run` does."""
    # Not ru_maxrss: it starts from the resident size of the process that forked.
    says_rss = "print(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1])"
    bare = [sys.executable, "-c", says_rss]
    arms = {"plain": list[Measured](), "inside": list[Measured](), "whole": list[Measured]()}
    for turn in range(repeats):
        run = RunDirectory(scratch / f"run-{turn}")
        run.make()
        inside = {
            "PYTHONPATH": str(BOOTSTRAP),
            places.ENV_RUN: str(run.path),
            places.ENV_HOME: str(Path(whydied.__file__).parent.parent),
        }
        commands: list[tuple[str, list[str], dict[str, str]]] = [
            ("plain", bare, {}),
            ("inside", bare, inside),
            ("whole", [*whydied_command(), "run", "--runs", str(scratch / "runs"), "--", *bare], {}),
        ]
        for arm, command, environment in commands if turn % 2 == 0 else commands[::-1]:
            arms[arm].append(measure(command, scratch, environment))
    plain, recorded, whole = arms["plain"], arms["inside"], arms["whole"]
    added = [b.wall_s - a.wall_s for a, b in zip(plain, recorded, strict=True)]
    total = [b.wall_s - a.wall_s for a, b in zip(plain, whole, strict=True)]
    rss = [int(b.output) - int(a.output) for a, b in zip(plain, recorded, strict=True)]
    return [
        Figure("added start-up inside, no TensorFlow", 1000 * statistics.median(added), "ms", 100),
        Figure("added by the whole of whydied run", 1000 * statistics.median(total), "ms", None),
        Figure("added memory inside, no TensorFlow", statistics.median(rss) / 1024, "MiB", 30),
    ]


def _kernel_start_up(scratch: Path, repeats: int) -> list[Figure]:
    """From the start of a Jupyter kernel until it has answered, over the kernel without us."""
    if importlib.util.find_spec("jupyter_client") is None or importlib.util.find_spec("ipykernel") is None:
        print("skipped: kernel start-up, jupyter_client or ipykernel is not installed")
        return []
    modules = {"plain": "ipykernel_launcher", "supervised": "whydied.jupyter.kernel"}
    times: dict[str, list[float]] = {"plain": [], "supervised": []}
    for turn in range(max(3, repeats // 2)):
        for arm in modules if turn % 2 == 0 else reversed(modules):
            times[arm].append(_kernel_s(modules[arm], scratch))
    added = [b - a for a, b in zip(times["plain"], times["supervised"], strict=True)]
    return [Figure("kernel start-up, added", 1000 * statistics.median(added), "ms", 300)]


def _kernel_s(module: str, scratch: Path) -> float:
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import KernelManager

    manager = KernelManager(connection_file=str(scratch / "connection.json"))
    manager._kernel_spec = KernelSpec(
        argv=[sys.executable, "-m", module, "-f", "{connection_file}"], display_name=module, language="python"
    )
    began = time.perf_counter()
    manager.start_kernel(
        env={**os.environ, places.ENV_RUNS: str(scratch / "kernels")}, stderr=subprocess.DEVNULL, cwd=str(scratch)
    )
    client = manager.client()
    client.start_channels()
    try:
        # Not wait_for_ready: that looks again only once a second.
        client.kernel_info(reply=True, timeout=60)
        return time.perf_counter() - began
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
        manager.cleanup_resources()


def _report_s(scratch: Path, minutes: float) -> float:
    """`whydied show` of a recording that has no report yet, interpreter start included: an upper bound."""
    script = scratch / "train.py"
    script.write_text("model.fit(rows)\n")
    times = []
    for turn in range(3):
        run = RunDirectory(scratch / "long" / f"20250101-000000-long-{turn}")
        long_recording.write(run, script, minutes)
        began = time.perf_counter()
        done = subprocess.run([*whydied_command(), "show", str(run.path)], capture_output=True, check=False)
        times.append(time.perf_counter() - began)
        if done.returncode != 0:
            raise SystemExit(f"overhead: whydied show failed: {done.stderr.decode(errors='replace')[-400:]}")
    return statistics.median(times)


def _print(rows: list[Row], figures: list[Figure]) -> None:
    if rows:
        heads = ("inner wall", "inner cpu", "whole wall", "whole cpu", "peak of a step", "stall")
        print(f"{'workload':<14}{'tool':<16}{'against':<12}" + "".join(f"{head:<28}" for head in heads))
    for row in rows:
        stalls = f"{row.stalls_s[0]:.3f} s, {row.stalls_s[1]:.3f} s" if row.stalls_s else None
        cells = (row.inner_wall, row.inner_cpu, row.whole_wall, row.whole_cpu, row.peak, stalls)
        print(
            f"{row.workload:<14}{row.tool:<16}{row.base:<12}"
            + "".join(f"{str(cell) if cell is not None else '-':<28}" for cell in cells)
        )
    for figure in figures:
        bound = f"(at most {figure.bound:g})" if figure.bound else ""
        print(f"{figure.name:<40}{figure.value:8.2f} {figure.unit} {bound}")


def _save(rows: list[Row], figures: list[Figure]) -> Path:
    target = HERE / "results" / f"overhead-{time.strftime('%Y%m%d-%H%M%S')}.json"
    target.parent.mkdir(exist_ok=True)
    facts = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "processors": os.cpu_count(),
        "load_5m": os.getloadavg()[1],
        "rows": [row._asdict() for row in rows],
        "figures": [figure._asdict() for figure in figures],
    }
    target.write_bytes(msgspec.json.format(msgspec.json.encode(facts)) + b"\n")
    return target


if __name__ == "__main__":
    sys.exit(main())
