"""The explicit table from code to static rule. Codes are never reused. The place of a row means nothing."""

from __future__ import annotations

import importlib

from whydied.lint.static_rule import StaticRule, static_rule_of

_PLACES: dict[str, str] = {
    "LNT001": "tensors_appended_in_loop",
    "LNT002": "session_left_open",
    "LNT003": "graph_built_in_loop",
    "LNT004": "whole_set_in_one_call",
    "LNT005": "function_traced_again",
    "LNT006": "predict_on_single_rows",
    "LNT007": "models_built_in_loop",
    "LNT008": "array_copied_again",
    "LNT009": "large_float64_array",
    "LNT010": "shuffle_of_decoded",
    "LNT011": "decoded_data_cached",
    "LNT012": "unguarded_op_in_loss",
    "LNT013": "handwritten_cross_entropy",
    "LNT014": "loss_on_other_scale",
    "LNT015": "output_unlike_targets",
    "LNT016": "accumulation_unbounded",
    "LNT017": "fork_with_tensorflow",
    "LNT018": "removed_name",
    "LNT019": "name_before_its_cell",
    "LNT020": "stale_cell_output",
}
"""Modules below `whydied.lint.rules`."""

STATIC_RULES: tuple[StaticRule, ...] = tuple(
    static_rule_of(importlib.import_module(f"whydied.lint.rules.{place}"), code) for code, place in _PLACES.items()
)


def find_static_rule(code_or_name: str) -> StaticRule | None:
    wanted = code_or_name.strip().lower()
    return next((rule for rule in STATIC_RULES if wanted in (rule.code.lower(), rule.name)), None)
