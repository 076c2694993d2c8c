"""What a sandbox is asked for, and the names of what it keeps below its scratch directory; runs on both sides."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

Name = Literal["namespaces", "landlock"]
NAMES: tuple[Name, ...] = ("namespaces", "landlock")
"""The better one first."""
FAILED = 125
"""The exit status when the sandbox could not be made, or ended the program because it wrote too much."""
HOME = "sandbox"
"""Below the scratch directory: everything that belongs to the sandbox."""
TMP = "tmp"
"""Below HOME: the directory for temporary files where Landlock is used; in the environment of all that runs there."""
COPY = "project"
"""Below HOME: the copy of the project where Landlock is used."""
GUARDIAN = "guardian.txt"
"""Below HOME: pid and start of the process that is in charge of the sandbox."""
NOTES = "notes.txt"
"""Below HOME: what the sandbox could not do as wanted, and why it ended the program, one sentence per line."""
GROUPS = "groups.txt"
"""Below HOME: the control groups that were made, one per line, so that they can be removed whoever was killed."""


class Mechanism(NamedTuple):
    """`words` says in sentences for the report what holds and what does not."""

    name: Name
    words: str


class Wanted(msgspec.Struct, frozen=True):
    """All paths are absolute."""

    scratch: str
    """A directory of ours that takes everything the program writes; one sandbox at a time."""
    writable: list[str] = []
    """Directories that stay really writable at their own path. The program can leave links there: whoever writes there
    after it must not follow them."""
    shown: dict[str, str] = {}
    """The user's files, and the file that stands in the place of each."""
    allow_network: bool = False
    scratch_bytes: int = 2 << 30
    """What the program may write: the size of a single file, at once, and of all of them, soon after."""
    memory_bytes: int | None = None
    """What all processes inside may use together, if we may make a memory cgroup; the program cannot raise it. A run
    inside without a limit of its own takes it for the machine's."""
    processes: int = 4096
    """How many processes and threads there may be inside."""
    project: str | None = None
    """The directory of the user's program, which Landlock needs a copy of to show edited files."""
    landlock_version: int = 1 << 16
    """At most this one is used: an older kernel can be tried on a newer one."""
