"""What is worth knowing and is not a fault. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.crash.children import lost_unnoticed
from whydied.diagnose.errors.exception_words import describe
from whydied.diagnose.finding import Finding
from whydied.diagnose.gpu.unused_devices import unused
from whydied.diagnose.numerics.bad_steps import only_metrics, steps_of
from whydied.diagnose.numerics.expected_nan import handles_divergence
from whydied.diagnose.numerics.symptom import turned
from whydied.read.recording import Sample
from whydied.records import (
    ExceptionRaised,
    FitResumed,
    GpuSampled,
    MachineSampled,
    MemoryWarned,
    Neighbour,
    NeighboursSampled,
)
from whydied.texts import installation

SHORTEST_S = 20.0
CPU_PRESSURE = 50.0
"""Per cent of the time in which some task waited for a core, in the median sample: half of the time is plainly felt."""
MEMORY_PRESSURE = 15.0
DISK_PRESSURE = 30.0
BUSY_CORES = 0.85
FOREIGN_CORES = 0.4
IDLE_DEVICE_PERCENT = 35
HELD_SHARE = 0.5

_MOST = 12
_MOST_FITS = 3


def notes_of(case: Case) -> list[str]:
    notes = [
        *_healed(case),
        *_saved(case),
        *_not_inside(case),
        *_fallbacks(case),
        *_limits(case),
        *_threads(case),
        *waited_for(case),
    ]
    notes += [*unused(case), *_printed_by_protobuf(case), *_replaced(case), *_cells(case), *_torn(case)]
    notes += _divergence(case)
    return notes[:_MOST]


def _healed(case: Case) -> list[str]:
    """What a restart changed, and where its trainings went on."""
    started = case.recording.started
    labels = started.labels if started else {}
    notes = []
    if "healed_from" in labels:
        notes.append(f"run again after {labels['healed_from']} died, with this change: {labels.get('healed_by', '')}")
    fits = [fit for process in case.recording.processes for fit in process.all(FitResumed)]
    if done := [fit for fit in fits if not fit.reason and fit.epoch >= fit.epochs]:
        notes.append(f"not done again, because it was done before: {words.count(len(done), 'call')} of `fit`")
    for fit in [fit for fit in fits if fit not in done][-_MOST_FITS:]:
        line = f" at line {fit.frames[-1].line}" if fit.frames else ""
        went = f"began anew: {fit.reason}" if fit.reason else f"went on at epoch {fit.epoch + 1} of {fit.epochs}"
        notes.append(f"`fit`{line} {went}")
    return notes


def _saved(case: Case) -> list[str]:
    warned = [one for process in case.recording.processes for one in process.all(MemoryWarned)]
    return [f"the weights of the model in training were saved to {one.saved}" for one in warned if one.saved]


def edited_notes(case: Case, findings: list[Finding]) -> list[str]:
    """That quoted lines may not be those that ran."""
    places = {finding.location.file for finding in findings if finding.location}
    return [
        f"{file.rsplit('/', 1)[-1]} was changed after the program began: the lines quoted from it may not be what ran"
        for file in sorted(places & case.recording.edited)
    ]


def _divergence(case: Case) -> list[str]:
    """A training that went wrong in a program that looks out for it."""
    steps = [step for step in steps_of(case.recording) if not only_metrics(step.captured)]
    if case.is_child or not steps or not handles_divergence(case.recording):
        return []
    return [f"{turned(steps[0])}, which the program tests for itself"]


def _not_inside(case: Case) -> list[str]:
    recording = case.recording
    if recording.not_started or recording.program is None:
        return []
    reasons = [f"process {pid}: {reason}" for pid, reason in recording.not_inside.items()]
    if not recording.processes:
        return [
            "whydied could not record inside the program (python -I, -E or -S, another language, or an environment "
            "without whydied), so this report is only from outside" + (f" ({'; '.join(reasons)})" if reasons else "")
        ]
    return [f"no recorder in {reason}" for reason in reasons]


def _fallbacks(case: Case) -> list[str]:
    started = case.recording.started
    if started and started.runs_fallback:
        return [f"{started.runs_fallback}; the recording is in {case.recording.directory.path}"]
    return []


def _limits(case: Case) -> list[str]:
    limit = case.recording.limit
    notes = []
    if limit and limit.ours and limit.kind == "watched":
        notes.append(f"the memory limit was enforced by whydied, not by the kernel: {limit.reason}")
    notes += [f"{limited.what}: {limited.reason}" for limited in case.recording.limitations]
    return list(dict.fromkeys(notes))


def _threads(case: Case) -> list[str]:
    return [
        f"thread {raised.thread} died{_at(case, raised)} of {describe(raised.chain[0])}"[:300]
        for raised in case.records.all(ExceptionRaised)
        if raised.where == "thread" and raised.chain
    ]


def _replaced(case: Case) -> list[str]:
    """That the OOM killer took processes which the program did without."""
    if case.exit_code != 0 or not case.recording.own_oom_kills() or lost_unnoticed(case):
        return []
    return ["the kernel's OOM killer killed a process of the program, which looked at how it ended and went on"]


def _printed_by_protobuf(case: Case) -> list[str]:
    """That a message at the import of TensorFlow is about protobuf, where the program went on after it."""
    versions = case.recording.versions
    if case.uncaught is not None or not installation.NO_GET_PROTOTYPE.search(case.recording.output):
        return []
    if "tensorflow" not in versions or "protobuf" not in versions:
        return []
    return [
        f"protobuf {versions['protobuf']} is newer than TensorFlow {versions['tensorflow']} expects: it prints an "
        "AttributeError about `GetPrototype` at import and goes on; pip install 'protobuf<6' ends that"
    ]


def _cells(case: Case) -> list[str]:
    """What cells of a notebook raised, where that did not end it."""
    raised = case.records.all(ExceptionRaised)
    found = [one for one in raised if one.where == "cell" and one.chain and one is not case.uncaught]
    if not found:
        return []
    place = case.locate_exception(found[-1].chain)
    last = f"{describe(found[-1].chain[0])}{f' ({place.spelled})' if place else ''}"
    if len(found) == 1:
        return [f"a cell raised {last}, and the notebook continued"[:300]]
    return [f"{len(found)} cells raised an exception, and the notebook continued; the last was {last}"[:300]]


def _at(case: Case, raised: ExceptionRaised) -> str:
    place = case.locate_exception(raised.chain)
    return f" on line {place.line} of {place.file.rsplit('/', 1)[-1]}" if place else ""


def _torn(case: Case) -> list[str]:
    missing = sum(stream.missing for stream in case.recording.streams)
    unknown = sum(stream.unknown for stream in case.recording.streams)
    notes = []
    if missing:
        notes.append(f"{missing:,} records from the middle of the run were dropped to keep the recording small")
    if unknown:
        notes.append(f"{unknown:,} records are of a kind unknown to this whydied: a newer one wrote them")
    return notes


def waited_for(case: Case) -> list[str]:
    """What the program waited for, at most a few sentences."""
    samples = case.recording.samples
    # An exception does not come from a busy machine.
    if case.uncaught is not None or len(samples) < 10 or samples[-1].at_s - samples[0].at_s < SHORTEST_S:
        return _held_before(case)
    return [*_cores(case, samples), *_pressure(samples), *_pipeline(case, samples), *_held_before(case)]


def _cores(case: Case, samples: list[Sample]) -> list[str]:
    """Who uses the cores, where tasks wait for one most of the time."""
    cpus = case.recording.started.cpus if case.recording.started else 0
    waited = _median(samples, lambda machine: machine.cpu_pressure_some)
    if not cpus or waited is None or waited < CPU_PRESSURE:
        return []
    own = _own_cores(samples)
    others = _busiest(case)
    foreign = sum(neighbour.cpu_cores or 0.0 for neighbour in others)
    if foreign >= FOREIGN_CORES * cpus:
        named = ", ".join(f"{n.name} (pid {n.pid}) {n.cpu_cores:.1f}" for n in others)
        return [
            f"other processes used {foreign:.1f} of {words.count(cpus, 'core')} ({named}); the program got {own:.1f}, "
            f"and tasks waited for a core {waited:.0f} % of the time"
        ]
    running = _running(samples)
    if own >= BUSY_CORES * cpus and running >= 2 * cpus:
        last = max(samples, key=lambda sample: len(sample.machine.processes)).machine.processes
        threads = sum(process.threads for process in last)
        return [
            f"the program kept {words.count(round(running), 'process', 'processes')} with {threads:,} threads busy on "
            f"{words.count(cpus, 'core')}: tasks waited for a core {waited:.0f} % of the time; fewer workers or "
            "threads would not be slower"
        ]
    return []


def _pressure(samples: list[Sample]) -> list[str]:
    notes = []
    memory = _median(samples, lambda machine: machine.memory_pressure_full)
    if memory is not None and memory >= MEMORY_PRESSURE:
        notes.append(
            f"all tasks waited for memory {memory:.0f} % of the time: the machine was swapping or reclaiming memory"
        )
    disk = _median(samples, lambda machine: machine.io_pressure_full)
    if disk is not None and disk >= DISK_PRESSURE:
        notes.append(f"all tasks waited for disks {disk:.0f} % of the time")
    return notes


def _pipeline(case: Case, samples: list[Sample]) -> list[str]:
    """A GPU that idles while the program's processes use every core waits for its input."""
    cpus = case.recording.started.cpus if case.recording.started else 0
    busy = [
        look.busy_percent
        for look in case.recording.supervisor.all(GpuSampled)
        if look.busy_percent is not None and any(process.ours for process in look.processes)
    ]
    if len(busy) < 10 or not cpus:
        return []
    device, own = statistics.median(busy), _own_cores(samples)
    if device > IDLE_DEVICE_PERCENT or own < BUSY_CORES * cpus:
        return []
    return [
        f"the GPU was busy {device:.0f} % of the time while the program used {own:.1f} of {words.count(cpus, 'core')}: "
        "it waited for its input; prepare data ahead (tf.data prefetch, cache), or do less work per element"
    ]


def _held_before(case: Case) -> list[str]:
    """Where memory ran out beside neighbours that were large all along: no finding, and worth knowing."""
    recording = case.recording
    first = recording.supervisor.first(NeighboursSampled)
    limit, sample = recording.limit, case.last_sample
    if first is None or limit is None or limit.kind != "machine" or sample is None or not first.largest:
        return []
    available = sample.machine.available_bytes
    held = sum(neighbour.rss_bytes for neighbour in first.largest)
    if available is None or available > 0.1 * limit.limit_bytes or held < HELD_SHARE * limit.limit_bytes:
        return []
    largest = first.largest[0]
    user = f", user {largest.user}" if largest.user else ""
    return [
        f"other processes held {words.size(held)} of the machine's {words.size(limit.limit_bytes)} before the program "
        f"started, most of it {largest.name} (pid {largest.pid}{user}) with {words.size(largest.rss_bytes)}"
    ]


def _median(samples: list[Sample], of: Callable[[MachineSampled], float | None]) -> float | None:
    known = [value for sample in samples if (value := of(sample.machine)) is not None]
    return statistics.median(known) if known else None


def _own_cores(samples: list[Sample]) -> float:
    """Cores that the program used, in the mean. Processes that ended in between count as far as they were seen."""
    used: dict[int, tuple[float, float]] = {}
    for sample in samples:
        for process in sample.machine.processes:
            first, _ = used.get(process.pid, (process.cpu_s, 0.0))
            used[process.pid] = (first, process.cpu_s)
    elapsed = max(samples[-1].at_s - samples[0].at_s, 0.001)
    return sum(last - first for first, last in used.values()) / elapsed


def _running(samples: list[Sample]) -> float:
    return statistics.median(sum(process.state == "R" for process in sample.machine.processes) for sample in samples)


def _busiest(case: Case) -> list[Neighbour]:
    """The neighbours that used most processor time, each in the mean over the looks that found the machine busy."""
    looks = [look for look in case.recording.supervisor.all(NeighboursSampled) if look.moment != "start"]
    if not looks:
        return []
    named = {neighbour.pid: neighbour for look in looks for neighbour in look.busiest}
    mean = dict.fromkeys(named, 0.0)
    for look in looks:
        for neighbour in look.busiest:
            mean[neighbour.pid] += (neighbour.cpu_cores or 0.0) / len(looks)
    top = sorted(named, key=lambda pid: mean[pid], reverse=True)[:3]
    return [
        Neighbour(pid=pid, name=named[pid].name, rss_bytes=named[pid].rss_bytes, cpu_cores=mean[pid])
        for pid in top
        if mean[pid] >= 0.2
    ]
