"""The memory that a process started here may have; runs in the parent and in the user's process."""

from __future__ import annotations

from whydied.linux import cgroup, proc


def own_limit_bytes() -> int:
    """The limit of our control group, else the machine's memory."""
    own = cgroup.own_group()
    holder = cgroup.holding_limit(own) if own is not None else None
    limit = holder.limit_bytes() if holder is not None else None
    whole = proc.field_bytes(proc.read("/proc/meminfo"), b"MemTotal") or 0
    return min(limit, whole) if limit else whole
