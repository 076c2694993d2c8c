"""All checks in the order in which they are told."""

from __future__ import annotations

from whydied.doctor.machine import Check, Machine
from whydied.doctor.memory import memory_checks
from whydied.doctor.permissions import permission_checks
from whydied.doctor.software import software_checks
from whydied.doctor.storage import storage_checks


def examine(machine: Machine) -> list[Check]:
    return [
        *software_checks(machine),
        *memory_checks(machine),
        *permission_checks(machine),
        *storage_checks(machine),
    ]
