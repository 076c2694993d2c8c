"""Comments that silence, the choice of rules, files and directories, and imports within a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.linted import lines, rule_of
from whydied.lint.checking import chosen, unknown
from whydied.lint.project_files import check_files, files_of
from whydied.lint.rules_table import STATIC_RULES

CODE = "import tensorflow as tf\nkept = []\nwhile True:\n    kept.append({given}){comment}\n"


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("", 1),
        ("  # whydied: ignore", 0),
        ("  # whydied: ignore[LNT001]", 0),
        ("  # whydied: ignore[LNT002, lnt001]", 0),
        ("  # whydied: ignore[LNT002]", 1),
        ("  # whydied ignores nothing here", 1),
    ],
)
def test_a_comment_silences_its_line(comment: str, found: int) -> None:
    assert len(lines("LNT001", CODE.format(given="tf.ones(3)", comment=comment))) == found


def test_a_comment_counts_for_its_statement() -> None:
    assert lines("LNT001", CODE.format(given="\n        tf.ones(3)  # whydied: ignore\n    ", comment="")) == []
    above = "# whydied: ignore\n" + CODE.format(given="tf.ones(3)", comment="")
    assert lines("LNT001", above) == ["kept.append(tf.ones(3))"]


def test_rules_are_chosen_by_code_prefix_and_name() -> None:
    def codes(select: list[str], ignore: list[str]) -> list[str]:
        return [rule.code for rule in chosen(STATIC_RULES, select, ignore)]

    every = [rule.code for rule in STATIC_RULES]
    assert codes([], []) == codes(["LNT"], []) == codes(["ALL"], []) == every
    assert codes(["LNT001", "session-left-open"], []) == ["LNT001", "LNT002"]
    assert codes(["lnt01"], ["LNT012"]) == [code for code in every if code.startswith("LNT01") and code != "LNT012"]
    assert unknown(STATIC_RULES, ["LNT001", "LNT999", "tensors"]) == ["LNT999", "tensors"]


def test_directories_are_searched_without_environments_and_builds(tmp_path: Path) -> None:
    for name in ("a.py", "b/c.ipynb", "b/d.txt", ".git/e.py", "build/f.py", "own/pyvenv.cfg", "own/g.py", "venv/h.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = [str(file.relative_to(tmp_path)) for file in files_of([tmp_path])]
    assert found == ["a.py", "b/c.ipynb"]
    assert list(files_of([tmp_path, tmp_path / "a.py"], ["b"])) == [tmp_path / "a.py"]
    # A file that is named is checked, wherever it is.
    assert list(files_of([tmp_path / "build" / "f.py"], ["build"])) == [tmp_path / "build" / "f.py"]


def test_what_cannot_be_read_is_one_error_each(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "zero.py").write_bytes(b"x = 1\0")
    (tmp_path / "latin.py").write_bytes("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    found = check_files([*files_of([tmp_path]), tmp_path / "gone.py"], STATIC_RULES)
    assert [(Path(one.file).name, one.line) for one in found.errors] == [
        ("broken.py", 1),
        ("zero.py", found.errors[1].line),
        ("gone.py", None),
    ]
    assert found.files == 4


def test_a_file_that_another_imports_is_still_told_to_be_broken(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import tensorflow as tf\nfrom b import f\nfor _ in range(9):\n    f()\n")
    (tmp_path / "b.py").write_text("def f(:\n")
    found = check_files(files_of([tmp_path]), STATIC_RULES)
    assert [Path(one.file).name for one in found.errors] == ["b.py"]


def test_a_deep_expression_is_no_crash(tmp_path: Path) -> None:
    text = "import tensorflow as tf\nfor _ in range(9):\n    x = " + " + ".join(["tf.ones(3)"] * 3000) + "\n"
    (tmp_path / "deep.py").write_text(text)
    found = check_files([tmp_path / "deep.py"], STATIC_RULES)
    assert found.findings == []


@pytest.mark.parametrize(
    "text",
    [
        "x = x\n",
        "def f(f=f):\n    return f(f)\n",
        "import tensorflow as tf\nclass A(A):\n    pass\nA()(A())\n",
        "import tensorflow as tf\ntf = tf.tf\nfor tf in tf:\n    tf.append(tf)\n",
        "import keras\nmodel = model\nmodel.add(model)\nmodel.compile(loss=model)\nmodel(model)\n",
        "import tensorflow as tf\nd = d.map(d).shuffle(d).cache()\n",
        "import tensorflow as tf\nmatch x:\n    case [a, *b]:\n        a.append(tf.ones(3))\n",
        "import tensorflow as tf\nasync def f():\n    async for x in y:\n        x.append(tf.ones(3))\n",
    ],
)
def test_odd_code_is_no_crash(text: str, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(text)
    assert check_files([tmp_path / "odd.py"], STATIC_RULES).errors == []


def test_every_program_that_is_healthy_is_silent(project: Path) -> None:
    programs = project / "tests" / "programs"
    found = check_files(files_of([programs / "healthy", programs / "handled"]), STATIC_RULES)
    assert [(one.location.file, one.code) for one in found.findings] == []
    assert found.files > 100


def test_no_fixed_program_is_reported(project: Path) -> None:
    files = [file for file in files_of([project / "tests" / "others"]) if "_fixed" in file.name]
    found = check_files(files, STATIC_RULES)
    assert [(one.location.file, one.code) for one in found.findings] == []
    assert len(files) > 300


@pytest.mark.parametrize(
    ("code", "program"),
    [
        ("LNT001", "memory/eager_tensors_kept.py"),
        ("LNT002", "graphs/interactive_sessions.py"),
        ("LNT003", "graphs/array_in_loop.py"),
        ("LNT005", "leaks/retraced_for_scalar.py"),
        ("LNT007", "leaks/models_rebuilt.py"),
        ("LNT013", "numerics_v1/logarithm_of_a_softmax.py"),
        ("LNT015", "shapes/one_hot_sparse_loss.py"),
        ("LNT016", "numerics/accumulates_for_ever.py"),
    ],
)
def test_programs_that_fail_are_found_before_they_run(code: str, program: str, project: Path) -> None:
    file = project / "tests" / "programs" / program
    found = check_files([file], [rule_of(code)])
    marked = [line.strip() for line in file.read_text().splitlines() if "# <- cause" in line]
    assert found.findings
    assert found.findings[0].location.source in marked or code in ("LNT007",)
