from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.handmade import a_dead_pid, recorded_run
from whydied.read.life import beginning, life


def test_a_run_with_its_last_record_has_ended_whoever_lives(tmp_path: Path) -> None:
    assert life(recorded_run(tmp_path, ended=True)) == "ended"


def test_a_run_whose_supervisor_lives_is_going(tmp_path: Path) -> None:
    assert life(recorded_run(tmp_path, ended=False)) == "going"


def test_a_run_whose_supervisor_is_gone_was_abandoned(tmp_path: Path) -> None:
    assert life(recorded_run(tmp_path, ended=False, supervisor_pid=a_dead_pid())) == "abandoned"


def test_a_supervisor_that_nobody_waited_for_is_gone(tmp_path: Path) -> None:
    zombie = subprocess.Popen([sys.executable, "-S", "-c", ""], stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    try:
        assert life(recorded_run(tmp_path, ended=False, supervisor_pid=zombie.pid)) == "abandoned"
    finally:
        zombie.wait()


def test_another_process_with_the_same_number_is_not_the_supervisor(tmp_path: Path) -> None:
    old = recorded_run(tmp_path, ended=False, wall_time_s=time.time() - 10**7)
    assert life(old) == "abandoned"


def test_another_boot_ends_every_run(tmp_path: Path) -> None:
    assert life(recorded_run(tmp_path, ended=False, boot_id="another")) == "abandoned"


def test_of_another_machine_only_fresh_words_count(tmp_path: Path) -> None:
    run = recorded_run(tmp_path, ended=False, hostname="elsewhere.example", supervisor_pid=1)
    assert life(run) == "going"
    for path in run.streams.iterdir():
        os.utime(path, (1, 1))
    assert life(run) == "abandoned"


def test_a_recording_that_says_nothing(tmp_path: Path) -> None:
    run = recorded_run(tmp_path, ended=False)
    for path in run.streams.iterdir():
        path.write_bytes(b"\0" * 100)
        os.utime(path, (1, 1))
    assert beginning(run).started is None
    assert life(run) == "abandoned"
