"""The explicit table from code to rule. Codes are never reused. Deaths stand in the order in which they are asked."""

from __future__ import annotations

import difflib

from whydied.diagnose.rule import Rule, rule_of
from whydied.diagnose.rules.gpu import device_held_by_others, device_memory_exhausted, driver_fault, library_mismatch
from whydied.diagnose.rules.graphs import (
    constant_over_2gb,
    graph_growth,
    large_constant_in_graph,
    session_never_closed,
    variables_in_loop,
)
from whydied.diagnose.rules.memory import (
    allocation_refused,
    arrays_kept_in_container,
    batch_too_large,
    host_oom_kill,
    memory_growth,
    memory_limit_reached,
    memory_taken_by_others,
    model_too_large,
    models_kept,
    native_growth,
    oversized_batch_once,
    oversized_tensor,
    pipeline_buffer_too_large,
    predict_in_loop,
    redundant_copies,
    retracing,
    tensors_kept_in_container,
    whole_dataset_in_one_call,
    workers_times_queue,
)
from whydied.diagnose.rules.process import (
    arithmetic_fault,
    bus_error,
    child_process_died,
    cpu_time_limit,
    disk_full,
    ended_by_signal,
    exited_early,
    illegal_instruction,
    interrupted,
    killed_from_outside,
    machine_went_down,
    native_abort,
    program_not_found,
    segmentation_fault,
    terminated,
    time_limit,
    uncaught_exception,
    whole_group_died,
)

RULES: tuple[Rule, ...] = (
    rule_of(program_not_found, "PRC018"),
    rule_of(time_limit, "PRC003"),
    rule_of(memory_limit_reached, "MEM003"),
    rule_of(machine_went_down, "PRC020"),
    rule_of(cpu_time_limit, "PRC015"),
    rule_of(host_oom_kill, "MEM001"),
    rule_of(whole_group_died, "PRC019"),
    rule_of(killed_from_outside, "PRC001"),
    rule_of(interrupted, "PRC013"),
    rule_of(terminated, "PRC002"),
    rule_of(device_memory_exhausted, "GPU001"),
    rule_of(segmentation_fault, "PRC004"),
    rule_of(native_abort, "PRC005"),
    rule_of(illegal_instruction, "PRC006"),
    rule_of(bus_error, "PRC007"),
    rule_of(arithmetic_fault, "PRC014"),
    rule_of(disk_full, "PRC012"),
    rule_of(ended_by_signal, "PRC017"),
    rule_of(allocation_refused, "MEM002"),
    rule_of(uncaught_exception, "PRC008"),
    rule_of(exited_early, "PRC009"),
    rule_of(child_process_died, "PRC010", "cause"),
    rule_of(library_mismatch, "GPU004", "cause"),
    rule_of(driver_fault, "GPU003", "cause"),
    rule_of(device_held_by_others, "GPU002", "cause"),
    rule_of(memory_taken_by_others, "MEM004", "memory"),
    rule_of(workers_times_queue, "MEM019", "cause"),
    rule_of(constant_over_2gb, "GRF004", "cause"),
    rule_of(session_never_closed, "GRF001", "memory"),
    rule_of(graph_growth, "GRF002", "memory"),
    rule_of(retracing, "MEM015", "memory"),
    rule_of(variables_in_loop, "GRF003", "memory"),
    rule_of(pipeline_buffer_too_large, "MEM018", "memory"),
    rule_of(large_constant_in_graph, "GRF010", "memory"),
    rule_of(models_kept, "MEM007", "memory"),
    rule_of(oversized_batch_once, "MEM012", "memory"),
    rule_of(whole_dataset_in_one_call, "MEM010", "memory"),
    rule_of(model_too_large, "MEM013", "memory"),
    rule_of(batch_too_large, "MEM011", "memory"),
    rule_of(oversized_tensor, "MEM009", "memory"),
    rule_of(tensors_kept_in_container, "MEM005", "memory"),
    rule_of(arrays_kept_in_container, "MEM006", "memory"),
    rule_of(redundant_copies, "MEM017", "memory"),
    rule_of(memory_growth, "MEM008", "memory"),
    rule_of(predict_in_loop, "MEM016", "memory"),
    rule_of(native_growth, "MEM014", "memory"),
)


def all_rules() -> list[Rule]:
    """Every rule, by code."""
    return sorted(RULES, key=lambda rule: rule.code)


def find_rule(code_or_name: str) -> Rule | None:
    wanted = code_or_name.strip().lower()
    return next((rule for rule in RULES if wanted in (rule.code.lower(), rule.name)), None)


def near_rules(code_or_name: str) -> list[Rule]:
    """Rules whose code or name is like the one asked for."""
    names = {rule.code.lower(): rule for rule in RULES} | {rule.name: rule for rule in RULES}
    near = difflib.get_close_matches(code_or_name.strip().lower(), names, n=3)
    return list(dict.fromkeys(names[name] for name in near))
