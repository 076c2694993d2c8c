"""What `whydied check` finds, as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from whydied.diagnose.finding import Finding
    from whydied.doctor.machine import Check
    from whydied.lint.checking import Checked
    from whydied.records import ContractBroken, DataSeen
    from whydied.sizing.estimate import Estimate


class Examined(NamedTuple):
    """What was found. `failure` is why the program did not come to its first step; `exit_status` is then its own."""

    program: str
    failure: Finding | None
    exit_status: int
    code: Checked
    data: list[DataSeen]
    broken: list[ContractBroken]
    memory: Estimate
    environment: list[Check]

    @property
    def needs_too_much(self) -> bool:
        """Whether the step as it is written does not fit."""
        calls = self.memory.calls
        return any(call.as_written.batch_size > call.largest_batch.batch_size for call in calls)

    @property
    def is_well(self) -> bool:
        wrong = self.failure or self.exit_status or self.code.findings or self.code.errors or self.broken
        return not (wrong or self.needs_too_much or any(one.status == "broken" for one in self.environment))
