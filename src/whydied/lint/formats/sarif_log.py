"""Findings as SARIF 2.1.0, which code hosts and editors show. Pure.

SARIF has no cells: a finding in a notebook names its cell in the message, and its file without a line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from whydied.lint.checking import Checked, LintError, LintFinding
from whydied.lint.static_rule import StaticRule

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_text(checked: Checked, rules: Sequence[StaticRule], version: str) -> str:
    found = {finding.code for finding in checked.findings}
    used = [rule for rule in rules if rule.code in found]
    places = {rule.code: at for at, rule in enumerate(used)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "whydied",
                "version": version,
                "rules": [_rule(rule) for rule in used],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, places[finding.code]) for finding in checked.findings],
        "invocations": [
            {
                "executionSuccessful": not checked.errors,
                "toolExecutionNotifications": [_notification(error) for error in checked.errors],
            }
        ],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: StaticRule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.documentation.strip()},
        "help": {"text": rule.documentation.strip(), "markdown": rule.documentation.strip()},
        "defaultConfiguration": {"level": "warning"},
    }


def _result(finding: LintFinding, place: int) -> dict[str, Any]:
    where = finding.location
    cell = f"cell {where.cell}, line {where.line}: " if where.cell is not None else ""
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(where.file)}}
    if where.cell is None:
        physical["region"] = {
            "startLine": where.line,
            "startColumn": where.column,
            "endLine": where.end_line,
            "snippet": {"text": where.source},
        }
    return {
        "ruleId": finding.code,
        "ruleIndex": place,
        "level": "warning",
        "message": {"text": f"{cell}{finding.message}. {finding.advice}"},
        "locations": [{"physicalLocation": physical}],
    }


def _notification(error: LintError) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(error.file)}}
    if error.line is not None and error.cell is None:
        physical["region"] = {"startLine": error.line}
    return {
        "level": "error",
        "message": {"text": error.message},
        "locations": [{"physicalLocation": physical}],
    }


def _uri(file: str) -> str:
    return quote(file.removeprefix("./"), safe="/:@!$&'()*+,;=~")
