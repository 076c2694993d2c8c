"""All checks in the order in which they are told, each kept from taking the others down with it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import NamedTuple

from whydied.doctor import environment as environments
from whydied.doctor import gpu_devices as gpus
from whydied.doctor.abi import abi_checks
from whydied.doctor.cuda import cuda_checks
from whydied.doctor.distributions import Installed, installed
from whydied.doctor.environment import Environment
from whydied.doctor.environment_variables import variable_checks
from whydied.doctor.gpu_devices import Devices, device_checks
from whydied.doctor.keras import keras_checks
from whydied.doctor.machine import Check, Machine
from whydied.doctor.memory_limits import memory_checks
from whydied.doctor.openmp import openmp_checks
from whydied.doctor.other_systems import other_system_checks
from whydied.doctor.permissions import permission_checks
from whydied.doctor.processor import processor_checks
from whydied.doctor.requirements import requirement_checks
from whydied.doctor.resource_limits import limit_checks
from whydied.doctor.software import software_checks
from whydied.doctor.storage import storage_checks
from whydied.doctor.wheels import wheel_checks

_WITHOUT_PROC = ("Darwin", "Windows")


class Examination(NamedTuple):
    """`errors` are ours: checks that failed instead of answering."""

    checks: tuple[Check, ...]
    errors: tuple[str, ...] = ()

    @property
    def is_broken(self) -> bool:
        return any(check.status == "broken" for check in self.checks)

    @property
    def is_at_risk(self) -> bool:
        return any(check.status == "risk" for check in self.checks)


def examine(machine: Machine, environment: Environment | None = None, devices: Devices | None = None) -> Examination:
    env = environment if environment is not None else environments.own()
    seen = devices if devices is not None else Devices() if machine.system in _WITHOUT_PROC else gpus.look()
    packages = installed(env.paths)
    required = _answers(
        ("packages", lambda: wheel_checks(env, packages, machine.working)),
        ("packages", lambda: requirement_checks(env, packages)),
    )
    told = {check.name for check in required.checks if check.status == "broken"}
    first = _answers(("software", lambda: software_checks(machine, env, packages)))
    if machine.system in _WITHOUT_PROC:
        rest = _answers(*_anywhere(machine, env, packages, told))
        return Examination(
            (*first.checks, *required.checks, *rest.checks), (*required.errors, *first.errors, *rest.errors)
        )
    rest = _answers(
        ("packages", lambda: abi_checks(env, packages, told)),
        ("packages", lambda: keras_checks(env, packages, told)),
        ("packages", lambda: variable_checks(env, packages)),
        ("libraries", lambda: openmp_checks(env, packages)),
        ("processor", lambda: processor_checks(machine, env, packages)),
        ("gpu", lambda: device_checks(machine, env, seen)),
        ("gpu", lambda: cuda_checks(machine, env, packages, seen)),
        ("memory", lambda: memory_checks(machine)),
        ("limits", lambda: limit_checks(machine, env)),
        ("permissions", lambda: permission_checks(machine)),
        ("storage", lambda: storage_checks(machine)),
    )
    return Examination((*first.checks, *required.checks, *rest.checks), (*required.errors, *first.errors, *rest.errors))


def _anywhere(
    machine: Machine, env: Environment, packages: Installed, told: set[str]
) -> tuple[tuple[str, Callable[[], list[Check]]], ...]:
    """What is asked on macOS and Windows, where there are no /proc and no control groups."""
    return (
        ("packages", lambda: abi_checks(env, packages, told)),
        ("packages", lambda: keras_checks(env, packages, told)),
        ("packages", lambda: variable_checks(env, packages)),
        ("libraries", lambda: openmp_checks(env, packages)),
        ("system", lambda: other_system_checks(machine, env, packages)),
    )


def _answers(*questions: tuple[str, Callable[[], list[Check]]]) -> Examination:
    """The checks of some questions, each with the area that it was asked about."""
    checks: list[Check] = []
    errors: list[str] = []
    for area, ask in questions:
        try:
            checks += [check._replace(area=area) for check in ask()]
        except Exception:
            errors.append(traceback.format_exc())
    return Examination(tuple(checks), tuple(errors))
