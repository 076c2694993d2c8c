"""The explicit table from code to static rule. Codes are never reused. The place of a row means nothing."""

from __future__ import annotations

import importlib

from whydied.lint.static_rule import StaticRule, static_rule_of

_PLACES: dict[str, str] = {
    "LNT001": "tensors_appended_in_loop",
    "LNT002": "session_left_open",
    "LNT003": "graph_built_in_loop",
}
"""Modules below `whydied.lint.rules`."""

STATIC_RULES: tuple[StaticRule, ...] = tuple(
    static_rule_of(importlib.import_module(f"whydied.lint.rules.{place}"), code) for code, place in _PLACES.items()
)


def find_static_rule(code_or_name: str) -> StaticRule | None:
    wanted = code_or_name.strip().lower()
    return next((rule for rule in STATIC_RULES if wanted in (rule.code.lower(), rule.name)), None)
