from __future__ import annotations

from tests.unit.diagnose.case_of import PID, recording_of
from whydied.records import MachineSampled, ProcessSample, ProgramEnded

MIB = 1 << 20


def _process(pid: int, anon: int, file: int | None, shmem: int = 0) -> ProcessSample:
    known = {} if file is None else {"anon_bytes": anon * MIB, "file_bytes": file * MIB, "shmem_bytes": shmem * MIB}
    rss = (anon + (file or 0) + shmem) * MIB
    return ProcessSample(pid=pid, ppid=1, name="python", state="R", rss_bytes=rss, **known)


def test_libraries_that_several_processes_map_are_counted_once() -> None:
    workers = [_process(5000 + n, 50, 290) for n in range(4)]
    recording = recording_of(MachineSampled(processes=[_process(PID, 200, 300, shmem=10), *workers]))
    assert recording.peak_rss_bytes == (200 + 10 + 4 * 50 + 300) * MIB


def test_memory_whose_kind_is_not_known_is_all_counted() -> None:
    recording = recording_of(MachineSampled(processes=[_process(PID, 200, None), _process(5000, 50, 30)]))
    assert recording.peak_rss_bytes == 280 * MIB


def test_the_kernel_may_know_a_higher_peak() -> None:
    ended = ProgramEnded(pid=PID, signal=9, peak_rss_bytes=900 * MIB)
    assert recording_of(MachineSampled(processes=[_process(PID, 200, 300)]), ended=ended).peak_rss_bytes == 900 * MIB
    assert recording_of().peak_rss_bytes is None
