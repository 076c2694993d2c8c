"""`whydied lint` as a command: formats, exit status, settings, fixes."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from whydied.cli import main

FAULTY = """\
import tensorflow as tf
loss_fn = tf.keras.losses.MeanSquaredError()
losses = []
for x, y in tf.data.Dataset.from_tensor_slices((a, b)):
    loss = loss_fn(y, x)
    optimizer.apply_gradients([])
    losses.append(loss)
"""
MESSAGE = "`losses` keeps the loss of every step, and memory grows with each"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(FAULTY)
    (tmp_path / "fine.py").write_text("import tensorflow as tf\n")
    return tmp_path


def test_findings_as_text(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "train.py", "fine.py"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"train.py:7:5: LNT001 [fixable] {MESSAGE}",
        "    losses.append(loss)",
        "    fix: Keep a number: `losses.append(float(loss))`.",
        "1 finding in 1 of 2 files; 1 fixable with --fix.",
    ]
    assert main(["lint", "fine.py"]) == 0
    assert capsys.readouterr().out == "No findings in 1 file.\n"


def test_findings_as_json(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", ".", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["files"], told["errors"]) == (1, 2, [])
    found = told["findings"][0]
    assert (found["code"], found["name"], found["message"]) == ("LNT001", "tensors-appended-in-loop", MESSAGE)
    assert found["location"] == {
        "file": "train.py",
        "line": 7,
        "end_line": 7,
        "column": 5,
        "source": "losses.append(loss)",
        "cell": None,
    }
    assert found["fix"]["edits"] == [
        {"start": {"line": 7, "column": 19}, "end": {"line": 7, "column": 23}, "text": "float(loss)"}
    ]


def test_findings_as_sarif(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "broken.py").write_text("def f(:\n")
    assert main(["lint", ".", "--format", "sarif"]) == 1
    told = json.loads(capsys.readouterr().out)
    run = told["runs"][0]
    assert told["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["LNT001"]
    result = run["results"][0]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("LNT001", 0, "warning")
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "train.py"
    assert physical["region"] == {
        "startLine": 7,
        "startColumn": 5,
        "endLine": 7,
        "snippet": {"text": "losses.append(loss)"},
    }
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in notes] == ["broken.py"]


def test_findings_as_workflow_commands(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "a,b.py").write_text("def f(:\n")
    assert main(["lint", ".", "--format", "github"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith(
        "::warning title=whydied LNT001 tensors-appended-in-loop,file=train.py,line=7,endLine=7,col=5::`losses` keeps"
    )
    assert out[1].startswith("::error title=whydied,file=a%2Cb.py,line=1::is not valid Python")


def test_a_syntax_error_is_one_line(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "broken.py").write_text("def f(:\n")
    assert main(["lint", "broken.py"]) == 1
    out = capsys.readouterr()
    assert out.err == ""
    assert out.out.splitlines() == [
        "broken.py:1: error: is not valid Python: invalid syntax",
        "No findings in 1 file; 1 error.",
    ]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["train.py", "--select", "LNT002"], 0),
        (["train.py", "--ignore", "LNT001,LNT002"], 0),
        (["train.py", "--select", "LNT00"], 1),
        (["train.py", "--select", "LNT999"], 2),
        (["train.py", "--ignore", "MEM001"], 2),
        (["train.py", "--fix", "--diff"], 2),
        (["nowhere.py"], 2),
        ([".", "--exclude", "train.py"], 0),
        ([], 2),
    ],
)
def test_the_exit_status(place: Path, arguments: list[str], status: int) -> None:
    assert main(["lint", *arguments]) == status


def test_settings_of_the_project(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = place / "pyproject.toml"
    settings.write_text("[tool.whydied.lint]\nignore = ['LNT001']\n")
    assert main(["lint", "."]) == 0
    settings.write_text("[tool.whydied.lint]\nselect = ['LNT002']\n")
    assert main(["lint", "."]) == 0
    assert main(["lint", ".", "--select", "LNT001"]) == 1
    settings.write_text("[tool.whydied.lint]\nexclude = ['train.py']\n")
    assert main(["lint", "."]) == 0
    settings.write_text("[tool.whydied.lint]\nselekt = ['LNT002']\n")
    capsys.readouterr()
    assert main(["lint", "."]) == 2
    assert "its keys are select, ignore, exclude" in capsys.readouterr().err


def test_fixes_are_shown_and_written(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = place / "train.py"
    file.chmod(0o755)
    assert main(["lint", ".", "--diff"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("--- a/train.py\n+++ b/train.py\n")
    assert "-    losses.append(loss)\n+    losses.append(float(loss))\n" in shown
    assert file.read_text() == FAULTY
    assert main(["lint", ".", "--fix"]) == 0
    assert capsys.readouterr().out == "1 finding fixed; no findings in 2 files.\n"
    assert file.read_text() == FAULTY.replace("append(loss)", "append(float(loss))")
    assert stat.S_IMODE(file.stat().st_mode) == 0o755
    assert main(["lint", ".", "--diff"]) == 0


def test_fixes_of_a_notebook(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = FAULTY.splitlines(keepends=True)
    cells = [{"cell_type": "code", "source": part, "metadata": {}} for part in (lines[:3], lines[3:])]
    file = place / "notes.ipynb"
    file.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}, indent=1))
    assert main(["lint", "notes.ipynb"]) == 1
    assert capsys.readouterr().out.startswith("notes.ipynb:cell 2:4:5: LNT001 [fixable]")
    assert main(["lint", "notes.ipynb", "--fix"]) == 0
    after = json.loads(file.read_text())["cells"]
    assert after[0]["source"] == lines[:3]
    assert after[1]["source"][-1] == "    losses.append(float(loss))\n"


def test_a_code_of_lint_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "LNT001"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("A tensor of every step is kept")
    assert out.endswith("## In a run\nMEM005 tensors-kept-in-container\n")
    assert main(["explain", "tensors-appended-in-loop"]) == 0
    assert capsys.readouterr().out == out
    assert main(["explain", "lint"]) == 0
    listed = capsys.readouterr().out
    assert listed.startswith("LNT001")
    assert "MEM005" not in listed
