"""The supervisor's loop while the program lives: signals, samples, limits, and its end; the parent's main thread.

Invariant: a signal that only we got reaches the program once, and one that it got itself is not repeated; when
the program stops at the terminal's wish we stop too, and go on with it; a program that is merely stopped has not ended.
A program with a process group of its own hears only from us, and all of its group does; it is told to end when the
process that started us is gone. Where no control group holds a memory limit, the largest process of the program is
killed and no other, as the kernel does. Pages that processes share count once: the quick sum only raises the alarm, the
kernel's proportional account decides.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from typing import NamedTuple

from whydied.linux import proc
from whydied.records import MachineSampled, ProcessSample, SignalSent
from whydied.run import signals
from whydied.run.journal import Journal
from whydied.run.observe.bad_step_notice import BadStepNotice
from whydied.run.observe.hang import HangWatch
from whydied.run.observe.last_words import LastWords
from whydied.run.observe.observer import Observer
from whydied.run.relay import Relay
from whydied.run.signals import Arrived, Canary

_STOPS = frozenset({signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})
# Routine that tells nothing about an end, and that a terminal may send hundreds of times.
_UNRECORDED = frozenset({signal.SIGWINCH, signal.SIGCONT})
_ENDING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
_SETTLE_S = 0.1


class Ending(NamedTuple):
    """How the first process ended, and when: the status and the resource usage of `wait4`."""

    at_s: float
    exit_code: int | None
    signal: int | None
    user_s: float
    system_s: float
    peak_rss_bytes: int


class Loop:
    def __init__(
        self,
        pid: int,
        journal: Journal,
        observer: Observer,
        relays: tuple[Relay, ...],
        canary: Canary | None,
        *,
        watched_bytes: int | None,
        timeout_s: float | None,
        grace_s: float,
        own_group: bool = False,
        is_orphan: Callable[[], bool] | None = None,
        last_words: LastWords | None = None,
        hang: HangWatch | None = None,
        notice: BadStepNotice | None = None,
    ) -> None:
        """`is_orphan` tells whether who started us is gone, where the program must not outlive that process."""
        self._pid = pid
        self._journal = journal
        self._observer = observer
        self._relays = relays
        self._canary = canary
        self._watched_bytes = watched_bytes
        self._grace_s = grace_s
        self._deadline_s = None if timeout_s is None else time.monotonic() + timeout_s
        self._time_limit_signal = signal.SIGTERM
        self._why = "time limit"
        self._own_group = own_group
        self._is_orphan = is_orphan
        self._last_words = last_words
        self._hang = hang
        self._notice = notice
        self._ending: Ending | None = None

    def run_to_end(self) -> Ending:
        """Attend the program until its first process has ended."""
        while True:
            arrived = signals.wait(self._pause_s())
            if arrived is not None and arrived.signal != signal.SIGCHLD:
                self._take(arrived)
            if self._reap():
                assert self._ending is not None
                return self._ending
            if self._observer.due_in() <= 0:
                sample = self._observer.look()
                self._hold_to_limit(sample)
                self._look_for_hang(sample)
                self._follow_terminals()
                self._look_beside()
            self._hold_to_time()

    def finish_output(self) -> None:
        """Pass on what the program wrote last. Only someone who does not read keeps us here, as long as nobody tells us
        to stop."""
        for relay in self._relays:
            relay.end()
        for relay in self._relays:
            while not relay.join(0.05):
                arrived = signals.wait(0)
                if arrived is not None and arrived.signal in _ENDING:
                    self._journal.write(arrived.recorded())
                    return
            relay.hand_over()

    def _pause_s(self) -> float:
        pause = self._observer.due_in()
        if self._deadline_s is not None:
            pause = min(pause, self._deadline_s - time.monotonic())
        return pause

    def _take(self, arrived: Arrived) -> None:
        if arrived.signal == signal.SIGWINCH:
            self._follow_terminals()
        if arrived.signal not in _UNRECORDED:
            self._journal.write(arrived.recorded())
        if arrived.signal in _ENDING and self._hang is not None:
            self._hang.freeze()
        if arrived.signal == signal.SIGCONT:
            if self._is_stopped():
                self._send(signal.SIGCONT)
        elif not signals.group_already_told(arrived, self._pid, self._canary):
            self._send(arrived.signal)
            if arrived.signal not in _UNRECORDED:
                self._journal.write(SignalSent(signal=arrived.signal, why="forwarded"))

    def _send(self, number: int) -> None:
        # Not reaped yet, so the number is still this program's.
        with contextlib.suppress(OSError):
            if self._own_group:
                os.killpg(self._pid, number)
            else:
                os.kill(self._pid, number)

    def _reap(self) -> bool:
        while self._ending is None:
            try:
                pid, status, usage = os.wait4(self._pid, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                # Someone else took the exit status: a thread of a program that calls us.
                self._ending = Ending(time.monotonic(), None, None, 0.0, 0.0, 0)
                break
            if pid == 0:
                return False
            if os.WIFSTOPPED(status):
                self._stop_with_it(os.WSTOPSIG(status))
                continue
            self._ending = Ending(
                at_s=time.monotonic(),
                exit_code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
                signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
                user_s=usage.ru_utime,
                system_s=usage.ru_stime,
                peak_rss_bytes=usage.ru_maxrss * 1024,
            )
        return True

    def _stop_with_it(self, number: int) -> None:
        """The shell waits for us, so it takes the terminal back only when we stop too. SIGSTOP is not followed: that
        was meant for the program alone."""
        if number not in _STOPS or self._own_group:
            return
        for relay in self._relays:
            relay.settle(_SETTLE_S)
        self._follow_terminals()
        # The key's own signal may be waiting for us, or come just now; with ours it would stop us twice, the second
        # time with a program that goes on. So ours is sent only while the program is still stopped.
        signal.sigtimedwait({number}, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        if self._is_stopped():
            os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_BLOCK, {number} & signals.TAKEN)
        # In an orphaned group the kernel does not stop us, and there is nothing to go on from.
        was_stopped = signal.SIGCONT in signal.sigpending()
        if was_stopped and self._is_stopped():
            self._send(signal.SIGCONT)

    def _is_stopped(self) -> bool:
        stat = proc.stat_of(self._pid)
        return stat is not None and stat.state == "T"

    def _follow_terminals(self) -> None:
        """Carry size and settings between the real terminal and the program's. Of a new size the kernel tells the
        program when the real terminal has it, which is too early; so it is told again when its own has it."""
        if any(relay.follow_terminal() for relay in self._relays):
            self._send(signal.SIGWINCH)

    def _hold_to_limit(self, sample: MachineSampled) -> None:
        if self._watched_bytes is not None:
            victim = over_limit(sample, self._watched_bytes)
            if victim:
                with contextlib.suppress(OSError):
                    os.kill(victim.pid, signal.SIGKILL)
                self._journal.write(SignalSent(signal=signal.SIGKILL, why="memory limit"))

    def _look_for_hang(self, sample: MachineSampled) -> None:
        if self._hang is None:
            return
        self._hang.look(sample)
        if self._hang.is_to_end and self._why != "hang":
            self._why = "hang"
            self._deadline_s = time.monotonic()

    def _look_beside(self) -> None:
        if self._notice is not None:
            self._notice.look()
        if self._last_words is not None:
            self._last_words.look()
        if self._is_orphan is not None and self._is_orphan():
            self._is_orphan = None
            self._why = "parent gone"
            self._deadline_s = time.monotonic()

    def _hold_to_time(self) -> None:
        if self._deadline_s is None or time.monotonic() < self._deadline_s:
            return
        number = self._time_limit_signal
        if self._hang is not None:
            self._hang.at_limit()
            self._hang.freeze()
        self._journal.write(SignalSent(signal=number, why=self._why))
        self._observer.tree.signal(number)
        # A stopped process takes a signal to end only when it goes on.
        self._observer.tree.signal(signal.SIGCONT)
        self._deadline_s = None if number == signal.SIGKILL else time.monotonic() + self._grace_s
        self._time_limit_signal = signal.SIGKILL


def over_limit(sample: MachineSampled, limit_bytes: int) -> ProcessSample | None:
    """The process to kill, if the program holds more memory than it may."""
    alive = [process for process in sample.processes if process.state not in "ZX"]
    if sum(process.rss_bytes for process in alive) <= limit_bytes:
        return None
    if len(alive) > 1 and sum(_bytes(process) for process in alive) <= limit_bytes:
        return None
    return max(alive, key=lambda process: process.rss_bytes, default=None)


def _bytes(process: ProcessSample) -> int:
    proportional = proc.proportional_bytes(process.pid)
    return process.rss_bytes if proportional is None else proportional
