from __future__ import annotations

import os
import resource
from pathlib import Path

from whydied.run.observe.limits import RlimitWatch, parse_rlimits


def test_the_limits_of_a_real_process() -> None:
    seen = RlimitWatch(os.getpid()).look()
    assert seen is not None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert seen.open_files == soft
    assert hard >= soft
    stack, _ = resource.getrlimit(resource.RLIMIT_STACK)
    assert seen.stack_bytes == (None if stack == resource.RLIM_INFINITY else stack)


def test_only_a_change_is_told() -> None:
    watch = RlimitWatch(os.getpid())
    assert watch.look() is not None
    watch._next_s = 0.0
    assert watch.look() is None


def test_unlimited_is_none_and_a_process_that_is_gone_tells_nothing(tmp_path: Path) -> None:
    text = (
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max cpu time              2                    5                    seconds   \n"
        "Max address space         unlimited            unlimited            bytes     \n"
    )
    seen = parse_rlimits(text)
    assert (seen.cpu_soft_s, seen.cpu_hard_s, seen.address_space_bytes) == (2, 5, None)
    assert RlimitWatch(1, f"{tmp_path}/").look() is None
