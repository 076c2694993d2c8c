"""The explicit table from code to rule, by code. Codes are never reused. What else there is to say of a rule stands in
its module, so the place of a row means nothing.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from types import ModuleType

from whydied.diagnose.rule import FAMILIES, Rule, rule_of

_PLACES = {
    "DAT001": "data.label_out_of_range",
    "DAT002": "data.index_out_of_range",
    "DAT003": "data.contract_broken",
    "DAT004": "data.empty_input",
    "DAT005": "data.iterator_exhausted",
    "DAT006": "data.picture_not_decoded",
    "DAT007": "data.generator_mismatch",
    "DAT008": "data.training_cut_short",
    "DAT009": "data.record_mismatch",
    "DAT010": "data.shared_generator",
    "DAT020": "data.padding_mismatch",
    "DAT030": "data.column_removed",
    "DAT031": "data.fitted_on_others",
    "DAT032": "data.uneven_items",
    "DAT033": "data.texts_as_numbers",
    "DAT034": "data.index_beyond_size",
    "DAT050": "inputs.number_without_entry",
    "DAT060": "data.size_unlike_data",
    "DAT061": "data.remainder_dropped",
    "DAT062": "values.made_as_another_type",
    "DAT063": "data.unpacked_in_another_order",
    "DAT064": "data.grown_past_its_shape",
    "DAT065": "data.arguments_swapped",
    "DAT066": "data.cache_file_shared",
    "DAT067": "data.nonfinite_array",
    "DAT068": "data.slice_of_another_size",
    "DAT069": "values.result_dropped",
    "DAT070": "shapes.channels_first",
    "DAT071": "data.column_never_renamed",
    "DAT072": "inputs.draws_traced_once",
    "DAT080": "inputs.one_column_taken",
    "DAT081": "inputs.texts_in_array",
    "DAT082": "inputs.outputs_among_inputs",
    "DAT083": "inputs.class_never_trained",
    "DAT084": "inputs.predictions_shuffled",
    "DAT085": "inputs.windows_not_flattened",
    "ENV001": "environment.api_removed",
    "ENV002": "environment.argument_renamed",
    "ENV003": "environment.known_bug",
    "ENV004": "environment.duplicate_openmp",
    "ENV005": "environment.cpu_feature_missing",
    "ENV006": "environment.abi_mismatch",
    "ENV007": "environment.fork_after_start",
    "ENV020": "environment.package_missing",
    "ENV021": "environment.requirement_not_met",
    "ENV022": "environment.module_shadowed",
    "FRM001": "framework.custom_object_missing",
    "FRM002": "framework.layer_misuse",
    "FRM003": "framework.save_failed",
    "FRM004": "framework.load_failed",
    "FRM005": "framework.wrong_argument",
    "FRM006": "framework.signature_mismatch",
    "FRM007": "framework.missing_log_name",
    "FRM008": "framework.tensor_not_assignable",
    "FRM009": "framework.optimizer_reused",
    "FRM010": "framework.none_result",
    "FRM011": "framework.mixed_kerases",
    "FRM012": "framework.outside_strategy_scope",
    "FRM013": "framework.rate_not_settable",
    "FRM014": "framework.not_a_callback",
    "FRM015": "framework.setting_forbids",
    "FRM020": "framework.cells_out_of_order",
    "FRM021": "framework.refused_argument",
    "FRM022": "framework.disconnected_model",
    "FRM031": "values.shadowed_name",
    "FRM032": "values.lengths_differ",
    "FRM033": "values.labels_for_positions",
    "FRM034": "values.estimator_input_rank",
    "FRM035": "values.labels_misplaced",
    "FRM036": "values.wrong_unpacking",
    "FRM037": "values.attribute_of_another_type",
    "FRM038": "values.keys_for_items",
    "FRM039": "values.table_read_otherwise",
    "FRM040": "framework.layer_name_taken",
    "FRM041": "values.demand_not_met",
    "FRM042": "framework.attribute_reserved",
    "FRM043": "framework.result_refused",
    "FRM044": "inputs.inputs_miscounted",
    "FRM045": "framework.variable_rebound",
    "FRM046": "framework.functions_loaded",
    "GPU001": "gpu.device_memory_exhausted",
    "GPU002": "gpu.device_held_by_others",
    "GPU003": "gpu.driver_fault",
    "GPU004": "gpu.library_mismatch",
    "GPU005": "gpu.no_code_for_device",
    "GPU006": "gpu.device_not_found",
    "GPU007": "gpu.op_not_for_xla",
    "GRF001": "graphs.session_never_closed",
    "GRF002": "graphs.graph_growth",
    "GRF003": "graphs.variables_in_loop",
    "GRF004": "graphs.constant_over_2gb",
    "GRF010": "graphs.large_constant_in_graph",
    "GRF011": "graphs.no_gradient",
    "GRF012": "graphs.uninitialised_variable",
    "GRF013": "graphs.eager_in_session",
    "GRF014": "graphs.finalised_graph",
    "GRF015": "graphs.feed_mismatch",
    "GRF016": "graphs.fetch_mismatch",
    "GRF017": "graphs.symbolic_as_value",
    "GRF018": "graphs.deleted_variable",
    "GRF019": "graphs.other_graph",
    "GRF020": "graphs.graph_built_twice",
    "GRF021": "graphs.checkpoint_mismatch",
    "GRF022": "graphs.steps_slowed_by_graph",
    "GRF023": "graphs.scope_left_reusing",
    "MEM001": "memory.host_oom_kill",
    "MEM002": "memory.allocation_refused",
    "MEM003": "memory.memory_limit_reached",
    "MEM004": "memory.memory_taken_by_others",
    "MEM005": "memory.tensors_kept_in_container",
    "MEM006": "memory.arrays_kept_in_container",
    "MEM007": "memory.models_kept",
    "MEM008": "memory.memory_growth",
    "MEM009": "memory.oversized_tensor",
    "MEM010": "memory.at_once.whole_dataset_in_one_call",
    "MEM011": "memory.at_once.batch_too_large",
    "MEM012": "memory.at_once.oversized_batch_once",
    "MEM013": "memory.at_once.model_too_large",
    "MEM014": "memory.native_growth",
    "MEM015": "memory.retracing",
    "MEM016": "memory.predict_in_loop",
    "MEM017": "memory.redundant_copies",
    "MEM018": "memory.pipeline_buffer_too_large",
    "MEM019": "memory.workers_times_queue",
    "MEM020": "memory.kept_by_notebook",
    "MEM021": "memory.grown_in_loop",
    "MEM022": "memory.figures_kept",
    "MEM023": "memory.at_once.prediction_too_large",
    "MEM024": "memory.gathered_at_once",
    "MEM025": "memory.loop_keeps_tensors",
    "MEM026": "memory.at_once.row_too_large",
    "MEM027": "memory.loop_traced",
    "MEM040": "memory.array_never_full",
    "NUM001": "numerics.nonfinite_from_op",
    "NUM002": "numerics.nonfinite_gradient",
    "NUM003": "numerics.nonfinite_in_data",
    "NUM004": "numerics.nonfinite_weights",
    "NUM005": "numerics.exploding_gradients",
    "NUM006": "numerics.half_precision_overflow",
    "NUM007": "numerics.loss_scale_floor",
    "NUM008": "numerics.nonfinite_metric",
    "NUM009": "numerics.nonfinite_constant",
    "NUM010": "numerics.stopped_on_nan",
    "NUM011": "numerics.gradient_accumulation_unbounded",
    "NUM020": "numerics.assertion_failed",
    "PRC001": "process.killed_from_outside",
    "PRC002": "process.terminated",
    "PRC003": "process.time_limit",
    "PRC004": "process.segmentation_fault",
    "PRC005": "process.native_abort",
    "PRC006": "process.illegal_instruction",
    "PRC007": "process.bus_error",
    "PRC008": "process.uncaught_exception",
    "PRC009": "process.exited_early",
    "PRC010": "process.workers.child_process_died",
    "PRC011": "process.hung",
    "PRC012": "process.disk_full",
    "PRC013": "process.interrupted",
    "PRC014": "process.arithmetic_fault",
    "PRC015": "process.cpu_time_limit",
    "PRC017": "process.ended_by_signal",
    "PRC018": "process.program_not_found",
    "PRC019": "process.whole_group_died",
    "PRC020": "process.machine_went_down",
    "PRC021": "process.deadlock",
    "PRC022": "process.workers.thread_died",
    "PRC023": "process.stopped_on_hang",
    "PRC024": "python.relative_path_moved",
    "PRC025": "python.option_not_declared",
    "PRC026": "python.json_keys_are_texts",
    "PRC030": "inputs.generator_past_end",
    "PRC031": "inputs.header_read_as_data",
    "PRC032": "inputs.pickle_read_past_end",
    "PRC033": "inputs.word_not_in_vocabulary",
    "PRC034": "inputs.listed_file_of_another_kind",
    "PRC035": "inputs.picture_channels_differ",
    "PRC036": "inputs.list_used_as_array",
    "PRC037": "inputs.batch_axis_shown",
    "PRC038": "inputs.nothing_listed",
    "PRC039": "inputs.lines_of_json",
    "PRC040": "process.workers.unguarded_main",
    "PRC041": "process.endless_data",
    "PRC042": "process.workers.not_picklable",
    "PRC045": "process.files_left_open",
    "PRC046": "process.workers.thread_ended_silently",
    "PRC047": "values.result_taken_for_another",
    "PRC048": "values.argument_unlike_default",
    "PRC060": "values.value_of_another_form",
    "PRC061": "python.name_made_below",
    "PRC062": "python.name_never_made",
    "PRC063": "values.lazy_values",
    "SHP001": "shapes.shape_mismatch",
    "SHP002": "shapes.rank_mismatch",
    "SHP003": "shapes.dtype_mismatch",
    "SHP004": "shapes.target_mismatch",
    "SHP005": "shapes.weights_mismatch",
    "SHP006": "shapes.conv_output_below_one",
    "SHP007": "shapes.wrong_input_shape",
    "SHP008": "shapes.uneven_batch",
    "SHP009": "shapes.partial_batch",
    "SHP010": "shapes.unknown_size",
    "SHP011": "shapes.axis_mismatch",
    "SHP012": "shapes.rows_crossed",
}
"""Modules below `whydied.diagnose.rules`."""

TABLE: dict[str, ModuleType] = {
    code: importlib.import_module(f"whydied.diagnose.rules.{place}") for code, place in _PLACES.items()
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
