"""What the supervisor sees from outside. See `whydied.records`."""

from __future__ import annotations

import msgspec

from whydied.records.values import Important, ProcessSample, Record, Value


class DeviceProcess(Value, frozen=True, kw_only=True):
    """A process that holds memory of a GPU. `ours` is None where a container hides whose the number is."""

    pid: int
    used_bytes: int | None = None
    kind: str = "compute"
    name: str = ""
    user: str = ""
    command: str = ""
    age_s: float | None = None
    ours: bool | None = None


class Neighbour(Value, frozen=True, kw_only=True):
    """A process outside of the program. `cpu_cores` is the processor time it used since the look before, in cores;
    `same_group` says whether the program's memory limit counts it too."""

    pid: int
    name: str
    rss_bytes: int
    user: str = ""
    command: str = ""
    age_s: float | None = None
    cpu_cores: float | None = None
    same_group: bool | None = None


class RunStarted(Important, frozen=True, kw_only=True):
    """The first record of a run, and the anchor of its clock: `wall_time_s` is the time of day of this record."""

    run_id: str
    argv: list[str]
    cwd: str
    wall_time_s: float
    boot_id: str
    supervisor_pid: int
    whydied_version: str
    supervisor: str = "run"
    name: str | None = None
    labels: dict[str, str] = {}
    hostname: str = ""
    system: str = ""
    cpus: int = 0
    memory_total_bytes: int = 0
    swap_total_bytes: int = 0
    timeout_s: float | None = None
    runs_fallback: str | None = None


class ProgramStarted(Important, frozen=True, kw_only=True):
    pid: int
    argv: list[str]
    stdio: dict[str, str] = {}


class ProgramNotStarted(Important, frozen=True, kw_only=True):
    """The program could not be started at all: no such file, no permission, no such command."""

    reason: str
    wanted: str
    near: list[str] = []


class LimitApplied(Important, frozen=True, kw_only=True):
    """The memory limit that holds for the program. `kind` is "cgroup v1", "cgroup v2", "watched" or "machine"; `ours`
    says whether `--memory-limit` made it; `reason` says why a watched limit stands in for a cgroup."""

    kind: str
    limit_bytes: int
    ours: bool = False
    path: str | None = None
    reason: str | None = None


class OomCounted(Important, frozen=True, kw_only=True):
    """OOM-kill counters, read before the start and after the end. `scope` is "cgroup" (with its path) or "machine"."""

    moment: str
    scope: str
    kills: int
    path: str | None = None
    peak_bytes: int | None = None
    limit_bytes: int | None = None
    fail_count: int | None = None


class RlimitsSeen(Important, frozen=True, kw_only=True):
    """Resource limits of the program's first process, when first seen and when they change. None is unlimited."""

    cpu_soft_s: int | None = None
    cpu_hard_s: int | None = None
    address_space_bytes: int | None = None
    data_bytes: int | None = None
    file_size_bytes: int | None = None
    stack_bytes: int | None = None
    open_files: int | None = None
    processes: int | None = None


class MachineSampled(Record, frozen=True, kw_only=True):
    """One look from outside, about ten times a second."""

    processes: list[ProcessSample]
    cgroup_bytes: int | None = None
    cgroup_limit_bytes: int | None = None
    cgroup_oom_kills: int | None = None
    available_bytes: int | None = None
    swap_free_bytes: int | None = None
    memory_pressure_some: float | None = None
    memory_pressure_full: float | None = None
    cpu_pressure_some: float | None = None
    io_pressure_full: float | None = None
    disk_free_bytes: int | None = None
    shm_free_bytes: int | None = None
    load_1m: float | None = None


class ImportantSample(Important, frozen=True, kw_only=True):
    """A sample of each minute, kept when rotation drops its neighbours."""

    sample: MachineSampled


class GpuFound(Important, frozen=True, kw_only=True):
    """A GPU, as NVML tells it. `capability` is its compute capability ("8.9")."""

    index: int
    name: str
    total_bytes: int
    uuid: str = ""
    driver: str = ""
    cuda_driver: str = ""
    capability: str = ""


class GpuSampled(Record, frozen=True, kw_only=True):
    """One look at one GPU, about once a second."""

    index: int
    used_bytes: int
    free_bytes: int
    busy_percent: int | None = None
    processes: list[DeviceProcess] = []


class GpuFailed(Important, frozen=True, kw_only=True):
    """NVML could no longer ask the device: `code` is its error number."""

    index: int
    error: str
    code: int | None = None


class NeighboursSampled(Record, frozen=True, kw_only=True):
    """The largest and the busiest processes outside of the program; `moment` is "start", "change" or "end"."""

    moment: str
    largest: list[Neighbour]
    busiest: list[Neighbour] = []


class OutputWritten(Record, frozen=True, kw_only=True):
    """What the program wrote, as it passed through us. `channel` is "stderr", "stdout" or "both"."""

    channel: str
    data: bytes


class SignalReceived(Important, frozen=True, kw_only=True):
    """A signal that reached the supervisor, with its sender where the system tells it."""

    signal: int
    sender_pid: int | None = None
    sender_uid: int | None = None
    sender_name: str | None = None
    from_terminal: bool = False


class SignalSent(Important, frozen=True, kw_only=True):
    """A signal that the supervisor sent to the program. `why` is "forwarded", "time limit", "memory limit", "hang"…"""

    signal: int
    why: str


class KernelLogged(Important, frozen=True, kw_only=True):
    """A line of the kernel's log that is about this run."""

    line: str


class ProgramEnded(Important, frozen=True, kw_only=True):
    """How the program's first process ended. One of `exit_code` and `signal` is set, or neither where nothing tells."""

    pid: int
    exit_code: int | None = None
    signal: int | None = None
    core_dumped: bool = False
    wall_s: float = 0.0
    user_s: float | None = None
    system_s: float | None = None
    peak_rss_bytes: int | None = None
    from_: str = msgspec.field(name="from", default="wait")


class RunEnded(Important, frozen=True, kw_only=True):
    """The supervisor wrote all it had to write."""


class InternalError(Important, frozen=True, kw_only=True):
    """An error of our own that a guard swallowed."""

    where: str
    error: str
    traceback: str = ""
