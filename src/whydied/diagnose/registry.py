"""The explicit table from code to rule, by code. Codes are never reused. What else there is to say of a rule stands in
its module, so the place of a row means nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from types import ModuleType

from whydied.diagnose.rule import FAMILIES, Rule, rule_of
from whydied.diagnose.rules.data import (
    contract_broken,
    empty_input,
    generator_mismatch,
    index_out_of_range,
    iterator_exhausted,
    label_out_of_range,
    picture_not_decoded,
    record_mismatch,
    shared_generator,
    training_cut_short,
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
from whydied.diagnose.rules.framework import (
    custom_object_missing,
    layer_misuse,
    load_failed,
    missing_log_name,
    mixed_kerases,
    none_result,
    not_a_callback,
    optimizer_reused,
    outside_strategy_scope,
    rate_not_settable,
    save_failed,
    setting_forbids,
    signature_mismatch,
    tensor_not_assignable,
    wrong_argument,
)
from whydied.diagnose.rules.gpu import device_held_by_others, device_memory_exhausted, driver_fault, library_mismatch
from whydied.diagnose.rules.graphs import (
    checkpoint_mismatch,
    constant_over_2gb,
    deleted_variable,
    eager_in_session,
    feed_mismatch,
    fetch_mismatch,
    finalised_graph,
    graph_built_twice,
    graph_growth,
    large_constant_in_graph,
    no_gradient,
    other_graph,
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
    json_keys_are_texts,
    killed_from_outside,
    machine_went_down,
    native_abort,
    option_not_declared,
    program_not_found,
    relative_path_moved,
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
    partial_batch,
    rank_mismatch,
    shape_mismatch,
    target_mismatch,
    uneven_batch,
    weights_mismatch,
    wrong_input_shape,
)

TABLE: dict[str, ModuleType] = {
    "DAT001": label_out_of_range,
    "DAT002": index_out_of_range,
    "DAT003": contract_broken,
    "DAT004": empty_input,
    "DAT005": iterator_exhausted,
    "DAT006": picture_not_decoded,
    "DAT007": generator_mismatch,
    "DAT008": training_cut_short,
    "DAT009": record_mismatch,
    "DAT010": shared_generator,
    "ENV001": api_removed,
    "ENV002": argument_renamed,
    "ENV003": known_bug,
    "ENV004": duplicate_openmp,
    "ENV005": cpu_feature_missing,
    "ENV006": abi_mismatch,
    "ENV007": fork_after_start,
    "FRM001": custom_object_missing,
    "FRM002": layer_misuse,
    "FRM003": save_failed,
    "FRM004": load_failed,
    "FRM005": wrong_argument,
    "FRM006": signature_mismatch,
    "FRM007": missing_log_name,
    "FRM008": tensor_not_assignable,
    "FRM009": optimizer_reused,
    "FRM010": none_result,
    "FRM011": mixed_kerases,
    "FRM012": outside_strategy_scope,
    "FRM013": rate_not_settable,
    "FRM014": not_a_callback,
    "FRM015": setting_forbids,
    "GPU001": device_memory_exhausted,
    "GPU002": device_held_by_others,
    "GPU003": driver_fault,
    "GPU004": library_mismatch,
    "GRF001": session_never_closed,
    "GRF002": graph_growth,
    "GRF003": variables_in_loop,
    "GRF004": constant_over_2gb,
    "GRF010": large_constant_in_graph,
    "GRF011": no_gradient,
    "GRF012": uninitialised_variable,
    "GRF013": eager_in_session,
    "GRF014": finalised_graph,
    "GRF015": feed_mismatch,
    "GRF016": fetch_mismatch,
    "GRF017": symbolic_as_value,
    "GRF018": deleted_variable,
    "GRF019": other_graph,
    "GRF020": graph_built_twice,
    "GRF021": checkpoint_mismatch,
    "MEM001": host_oom_kill,
    "MEM002": allocation_refused,
    "MEM003": memory_limit_reached,
    "MEM004": memory_taken_by_others,
    "MEM005": tensors_kept_in_container,
    "MEM006": arrays_kept_in_container,
    "MEM007": models_kept,
    "MEM008": memory_growth,
    "MEM009": oversized_tensor,
    "MEM010": whole_dataset_in_one_call,
    "MEM011": batch_too_large,
    "MEM012": oversized_batch_once,
    "MEM013": model_too_large,
    "MEM014": native_growth,
    "MEM015": retracing,
    "MEM016": predict_in_loop,
    "MEM017": redundant_copies,
    "MEM018": pipeline_buffer_too_large,
    "MEM019": workers_times_queue,
    "MEM020": kept_by_notebook,
    "MEM021": grown_in_loop,
    "MEM022": figures_kept,
    "MEM023": prediction_too_large,
    "MEM024": gathered_at_once,
    "MEM025": loop_keeps_tensors,
    "NUM001": nonfinite_from_op,
    "NUM002": nonfinite_gradient,
    "NUM003": nonfinite_in_data,
    "NUM004": nonfinite_weights,
    "NUM005": exploding_gradients,
    "NUM006": half_precision_overflow,
    "NUM007": loss_scale_floor,
    "NUM008": nonfinite_metric,
    "NUM009": nonfinite_constant,
    "NUM010": stopped_on_nan,
    "NUM011": gradient_accumulation_unbounded,
    "NUM020": assertion_failed,
    "PRC001": killed_from_outside,
    "PRC002": terminated,
    "PRC003": time_limit,
    "PRC004": segmentation_fault,
    "PRC005": native_abort,
    "PRC006": illegal_instruction,
    "PRC007": bus_error,
    "PRC008": uncaught_exception,
    "PRC009": exited_early,
    "PRC010": child_process_died,
    "PRC011": hung,
    "PRC012": disk_full,
    "PRC013": interrupted,
    "PRC014": arithmetic_fault,
    "PRC015": cpu_time_limit,
    "PRC017": ended_by_signal,
    "PRC018": program_not_found,
    "PRC019": whole_group_died,
    "PRC020": machine_went_down,
    "PRC021": deadlock,
    "PRC022": thread_died,
    "PRC023": stopped_on_hang,
    "PRC024": relative_path_moved,
    "PRC025": option_not_declared,
    "PRC026": json_keys_are_texts,
    "SHP001": shape_mismatch,
    "SHP002": rank_mismatch,
    "SHP003": dtype_mismatch,
    "SHP004": target_mismatch,
    "SHP005": weights_mismatch,
    "SHP006": conv_output_below_one,
    "SHP007": wrong_input_shape,
    "SHP008": uneven_batch,
    "SHP009": partial_batch,
}


def ordered(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The preferred first: each rule behind those that it yields to, else the deeper family first, then by code."""
    depths = list(FAMILIES)
    waiting = sorted(rules, key=lambda rule: (depths.index(rule.family), rule.code))
    found: list[Rule] = []
    while waiting:
        names = {rule.name for rule in waiting}
        free = next((rule for rule in waiting if names.isdisjoint(rule.yields_to)), None)
        if free is None:
            raise ValueError(f"these rules yield to each other: {', '.join(sorted(names))}")
        found.append(free)
        waiting.remove(free)
    return tuple(found)


RULES: tuple[Rule, ...] = ordered(rule_of(module, code) for code, module in TABLE.items())


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
