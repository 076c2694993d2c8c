"""SIGKILL at random moments leaves a recording that reads, and a report. `scripts/stress_kill.py` does more of it."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from stress_kill import TARGETS, kill_once

KILLS = 10


@pytest.mark.parametrize("turn", range(KILLS))
def test_killed_at_a_random_moment(turn: int, tmp_path: Path) -> None:
    chance = random.Random(f"kill {turn}")
    target = chance.choices(TARGETS, (60, 25, 15))[0]
    result = kill_once(tmp_path, target, chance.uniform(0.0, 1.2))
    assert result.problem is None, result
