"""The explicit table from code to rule. Codes are never reused. Deaths stand in the order in which they are asked."""

from __future__ import annotations

import difflib

from whydied.diagnose.numerics.nonfinite_end import led_to_end
from whydied.diagnose.rule import Rule, rule_of
from whydied.diagnose.rules.data import (
    contract_broken,
    empty_input,
    generator_mismatch,
    index_out_of_range,
    iterator_exhausted,
    label_out_of_range,
    picture_not_decoded,
)
from whydied.diagnose.rules.environment import (
    abi_mismatch,
    api_removed,
    argument_renamed,
    cpu_feature_missing,
    duplicate_openmp,
    fork_after_start,
    known_bug,
)
from whydied.diagnose.rules.framework import custom_object_missing, layer_misuse, load_failed, save_failed
from whydied.diagnose.rules.gpu import device_held_by_others, device_memory_exhausted, driver_fault, library_mismatch
from whydied.diagnose.rules.graphs import (
    constant_over_2gb,
    deleted_variable,
    eager_in_session,
    feed_mismatch,
    fetch_mismatch,
    finalised_graph,
    graph_growth,
    large_constant_in_graph,
    no_gradient,
    session_never_closed,
    symbolic_as_value,
    uninitialised_variable,
    variables_in_loop,
)
from whydied.diagnose.rules.memory import (
    allocation_refused,
    arrays_kept_in_container,
    batch_too_large,
    figures_kept,
    gathered_at_once,
    grown_in_loop,
    host_oom_kill,
    kept_by_notebook,
    loop_keeps_tensors,
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
    prediction_too_large,
    redundant_copies,
    retracing,
    tensors_kept_in_container,
    whole_dataset_in_one_call,
    workers_times_queue,
)
from whydied.diagnose.rules.numerics import (
    assertion_failed,
    exploding_gradients,
    gradient_accumulation_unbounded,
    half_precision_overflow,
    loss_scale_floor,
    nonfinite_constant,
    nonfinite_from_op,
    nonfinite_gradient,
    nonfinite_in_data,
    nonfinite_metric,
    nonfinite_weights,
    stopped_on_nan,
)
from whydied.diagnose.rules.process import (
    arithmetic_fault,
    bus_error,
    child_process_died,
    cpu_time_limit,
    deadlock,
    disk_full,
    ended_by_signal,
    exited_early,
    hung,
    illegal_instruction,
    interrupted,
    killed_from_outside,
    machine_went_down,
    native_abort,
    program_not_found,
    segmentation_fault,
    stopped_on_hang,
    terminated,
    thread_died,
    time_limit,
    uncaught_exception,
    whole_group_died,
)
from whydied.diagnose.rules.shapes import (
    conv_output_below_one,
    dtype_mismatch,
    rank_mismatch,
    shape_mismatch,
    target_mismatch,
    uneven_batch,
    weights_mismatch,
    wrong_input_shape,
)

RULES: tuple[Rule, ...] = (
    rule_of(program_not_found, "PRC018"),
    rule_of(time_limit, "PRC003"),
    rule_of(stopped_on_hang, "PRC023"),
    rule_of(memory_limit_reached, "MEM003"),
    rule_of(stopped_on_nan, "NUM010"),
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
    rule_of(hung, "PRC011", "cause"),
    rule_of(child_process_died, "PRC010", "cause"),
    rule_of(deadlock, "PRC021", "cause"),
    rule_of(thread_died, "PRC022", "cause"),
    rule_of(fork_after_start, "ENV007", "cause"),
    # Of these shapes at most one answers.
    rule_of(shape_mismatch, "SHP001", "cause"),
    rule_of(rank_mismatch, "SHP002", "cause"),
    rule_of(dtype_mismatch, "SHP003", "cause"),
    rule_of(target_mismatch, "SHP004", "cause"),
    rule_of(conv_output_below_one, "SHP006", "cause"),
    rule_of(wrong_input_shape, "SHP007", "cause"),
    rule_of(uneven_batch, "SHP008", "cause"),
    rule_of(assertion_failed, "NUM020", "cause"),
    rule_of(library_mismatch, "GPU004", "cause"),
    rule_of(save_failed, "FRM003", "cause"),
    rule_of(load_failed, "FRM004", "cause"),
    rule_of(custom_object_missing, "FRM001", "cause"),
    rule_of(layer_misuse, "FRM002", "cause"),
    rule_of(weights_mismatch, "SHP005", "cause"),
    rule_of(argument_renamed, "ENV002", "cause"),
    rule_of(api_removed, "ENV001", "cause"),
    rule_of(known_bug, "ENV003", "cause"),
    rule_of(duplicate_openmp, "ENV004", "cause"),
    rule_of(abi_mismatch, "ENV006", "cause"),
    rule_of(cpu_feature_missing, "ENV005", "cause"),
    rule_of(driver_fault, "GPU003", "cause"),
    rule_of(device_held_by_others, "GPU002", "cause"),
    rule_of(memory_taken_by_others, "MEM004", "memory"),
    rule_of(kept_by_notebook, "MEM020", "memory"),
    rule_of(figures_kept, "MEM022", "memory"),
    rule_of(grown_in_loop, "MEM021", "memory"),
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
    rule_of(loop_keeps_tensors, "MEM025", "memory"),
    rule_of(whole_dataset_in_one_call, "MEM010", "memory"),
    rule_of(model_too_large, "MEM013", "memory"),
    rule_of(batch_too_large, "MEM011", "memory"),
    rule_of(prediction_too_large, "MEM023", "memory"),
    rule_of(gathered_at_once, "MEM024", "memory"),
    rule_of(oversized_tensor, "MEM009", "memory"),
    rule_of(tensors_kept_in_container, "MEM005", "memory"),
    rule_of(arrays_kept_in_container, "MEM006", "memory"),
    rule_of(redundant_copies, "MEM017", "memory"),
    rule_of(memory_growth, "MEM008", "memory"),
    rule_of(predict_in_loop, "MEM016", "memory"),
    rule_of(native_growth, "MEM014", "memory"),
    # The last of the causes is the deepest. Of these at most one answers.
    rule_of(loss_scale_floor, "NUM007", "cause", loss_scale_floor.explains_end),
    rule_of(nonfinite_metric, "NUM008", "cause", nonfinite_metric.explains_end),
    rule_of(nonfinite_from_op, "NUM001", "cause", led_to_end),
    rule_of(nonfinite_gradient, "NUM002", "cause", led_to_end),
    rule_of(half_precision_overflow, "NUM006", "cause", led_to_end),
    rule_of(nonfinite_constant, "NUM009", "cause", led_to_end),
    rule_of(nonfinite_weights, "NUM004", "cause", led_to_end),
    rule_of(exploding_gradients, "NUM005", "cause", led_to_end),
    rule_of(nonfinite_in_data, "NUM003", "cause", led_to_end),
    rule_of(gradient_accumulation_unbounded, "NUM011", "cause", led_to_end),
    # Data lie deeper than what they make of the values.
    rule_of(contract_broken, "DAT003", "cause"),
    rule_of(empty_input, "DAT004", "cause"),
    rule_of(label_out_of_range, "DAT001", "cause"),
    rule_of(index_out_of_range, "DAT002", "cause"),
    rule_of(iterator_exhausted, "DAT005", "cause"),
    rule_of(picture_not_decoded, "DAT006", "cause"),
    rule_of(generator_mismatch, "DAT007", "cause"),
    rule_of(no_gradient, "GRF011", "cause"),
    rule_of(uninitialised_variable, "GRF012", "cause"),
    rule_of(eager_in_session, "GRF013", "cause"),
    rule_of(finalised_graph, "GRF014", "cause"),
    rule_of(feed_mismatch, "GRF015", "cause"),
    rule_of(fetch_mismatch, "GRF016", "cause"),
    rule_of(symbolic_as_value, "GRF017", "cause"),
    rule_of(deleted_variable, "GRF018", "cause"),
)

ASSERTION = "NUM020"
EXPLAIN_EXCEPTIONS = frozenset(
    [f"SHP{n:03}" for n in range(1, 9)]
    + [f"FRM{n:03}" for n in range(1, 5)]
    + [f"DAT{n:03}" for n in range(1, 7)]
    + [f"GRF{n:03}" for n in range(11, 19)]
    + ["ENV001", "ENV002", ASSERTION]
)
"""Rules that explain what an exception says. Of one exception only the last of them in the order of `RULES` is told."""


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
