"""Everything that is seen from outside while the program lives, and once more when it has ended; runs in the parent and
in the watcher.

Invariant: the records at the end come in the order last sample, counters, kernel log, crashes.
"""

from __future__ import annotations

import time

from whydied.places import RunDirectory, working_directory
from whydied.records import ImportantSample, MachineSampled, NeighboursSampled
from whydied.run.journal import Journal
from whydied.run.observe import limits
from whydied.run.observe.crashes import crashes_in
from whydied.run.observe.gpu import GpuWatch
from whydied.run.observe.kernel_log import KernelLog
from whydied.run.observe.limits import Limit
from whydied.run.observe.neighbours import NeighbourWatch
from whydied.run.observe.process_tree import ProcessTree
from whydied.run.observe.sample import Sampler

_KEEP_EVERY_S = 60.0


class Observer:
    def __init__(
        self, journal: Journal, directory: RunDirectory, tree: ProcessTree, limit: Limit, kernel_log: KernelLog
    ) -> None:
        disks = [disk for disk in (str(directory.path), working_directory()) if disk]
        self.tree = tree
        self.sampler = Sampler(tree, limit.group, limit.limit_bytes, disks)
        self._journal = journal
        self._faults = directory.faults
        self._limit = limit
        # A limit of ours counts the program alone, so who else is in its group is no question.
        self._neighbours = NeighbourWatch(tree, None if limit.ours else limit.path)
        self._rlimits = limits.RlimitWatch(tree.root_pid)
        self._total_bytes = limits.memory_total_bytes()
        self._gpu = GpuWatch(tree.ever)
        self._gpu.start()
        self._kernel_log = kernel_log
        self._kept_at_s = time.monotonic()
        self._last: MachineSampled | None = None
        self._next_s = time.monotonic()

    def due_in(self) -> float:
        """Seconds until the next look."""
        return self._next_s - time.monotonic()

    def look(self) -> MachineSampled:
        """Take and record one sample."""
        now = time.monotonic()
        sample = self.sampler.sample()
        if any(process.rss_bytes for process in sample.processes):
            self._last = sample
        if now - self._kept_at_s >= _KEEP_EVERY_S:
            self._kept_at_s = now
            self._journal.write(ImportantSample(sample=sample))
        else:
            self._journal.write(sample)
        self._write_surroundings(self._neighbours.look(sample, self._total_bytes))
        changed = self._rlimits.look()
        if changed is not None:
            self._journal.write(changed)
        self._next_s = now + self.sampler.pause_s
        return sample

    def conclude(self) -> None:
        """The program has ended: the last sample in which it lived, the counters, and the kernel's words."""
        self._gpu.stop()
        self._write_surroundings(self._neighbours.conclude())
        if self._last is not None:
            self._journal.write(ImportantSample(sample=self._last))
        for counted in limits.count_kills(self._limit, "end"):
            self._journal.write(counted)
        made = self._limit.made
        for line in self._kernel_log.about(self.tree.ever, made.path if made else None):
            self._journal.write(line)
        self._kernel_log.close()
        for crash in crashes_in(self._faults, self.tree.root_pid):
            self._journal.write(crash)

    def _write_surroundings(self, neighbours: NeighboursSampled | None) -> None:
        for record in self._gpu.take():
            self._journal.write(record)
        if neighbours is not None:
            self._journal.write(neighbours)
