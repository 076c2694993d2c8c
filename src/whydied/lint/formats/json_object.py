"""Findings as JSON for other programs: schema 1. Pure."""

from __future__ import annotations

import json
from typing import Any

from whydied.lint.checking import Checked, LintFinding

SCHEMA = 1


def json_text(checked: Checked) -> str:
    told: dict[str, Any] = {
        "schema": SCHEMA,
        "findings": [finding_object(one) for one in checked.findings],
        "files": checked.files,
        "errors": [
            {"file": one.file, "line": one.line, "cell": one.cell, "message": one.message} for one in checked.errors
        ],
    }
    return json.dumps(told, indent=2) + "\n"


def finding_object(finding: LintFinding) -> dict[str, Any]:
    where = finding.location
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "advice": finding.advice,
        "location": {
            "file": where.file,
            "line": where.line,
            "end_line": where.end_line,
            "column": where.column,
            "source": where.source,
            "cell": where.cell,
        },
        "fix": None
        if finding.fix is None
        else {
            "title": finding.fix.title,
            "edits": [
                {
                    "start": {"line": edit.start[0], "column": edit.start[1] + 1},
                    "end": {"line": edit.end[0], "column": edit.end[1] + 1},
                    "text": edit.text,
                }
                for edit in finding.fix.edits
            ],
        },
    }
