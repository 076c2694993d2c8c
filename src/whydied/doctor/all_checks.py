"""All checks in the order in which they are told, each kept from taking the others down with it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import NamedTuple

from whydied.doctor import environment as environments
from whydied.doctor import gpu_devices as gpus
from whydied.doctor.abi import abi_checks
from whydied.doctor.cuda import cuda_checks
from whydied.doctor.distributions import installed
from whydied.doctor.environment import Environment
from whydied.doctor.environment_variables import variable_checks
from whydied.doctor.gpu_devices import Devices, device_checks
from whydied.doctor.keras import keras_checks
from whydied.doctor.machine import Check, Machine
from whydied.doctor.memory_limits import memory_checks
from whydied.doctor.openmp import openmp_checks
from whydied.doctor.permissions import permission_checks
from whydied.doctor.processor import processor_checks
from whydied.doctor.requirements import requirement_checks
from whydied.doctor.resource_limits import limit_checks
from whydied.doctor.software import software_checks
from whydied.doctor.storage import storage_checks
from whydied.doctor.wheels import wheel_checks


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
    seen = devices if devices is not None else gpus.look()
    packages = installed(env.paths)
    required = _answers(
        [lambda: wheel_checks(env, packages, machine.working), lambda: requirement_checks(env, packages)]
    )
    told = {check.name for check in required.checks if check.status == "broken"}
    rest = _answers(
        [
            lambda: software_checks(machine, env, packages),
            lambda: list(required.checks),
            lambda: abi_checks(env, packages, told),
            lambda: keras_checks(env, packages, told),
            lambda: variable_checks(env, packages),
            lambda: openmp_checks(env, packages),
            lambda: processor_checks(machine, env, packages),
            lambda: device_checks(machine, env, seen),
            lambda: cuda_checks(machine, env, packages, seen),
            lambda: memory_checks(machine),
            lambda: limit_checks(machine, env),
            lambda: permission_checks(machine),
            lambda: storage_checks(machine),
        ]
    )
    return rest._replace(errors=(*required.errors, *rest.errors))


def _answers(questions: Sequence[Callable[[], list[Check]]]) -> Examination:
    checks: list[Check] = []
    errors: list[str] = []
    for ask in questions:
        try:
            checks += ask()
        except Exception:
            errors.append(traceback.format_exc())
    return Examination(tuple(checks), tuple(errors))
