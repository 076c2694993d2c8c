"""What is recorded of an exception: the line, the value, the near name that exists."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import child

from whydied.records import (
    CallBegan,
    CensusTaken,
    ExceptionRaised,
    InternalError,
    MainFound,
    ProcessExiting,
    RaisedException,
)

# Program, then wanted, wanted_in (a part of it), near (must be among them), operands (text, value or length).
CASES: dict[str, tuple[str, str | None, str | None, str | None, list[tuple[str, str | int | None]]]] = {
    "a name": ("learning_rate = 1\nprint(learnig_rate)", "learnig_rate", "module", "learning_rate", []),
    "a name of the instance": (
        "class A:\n    def go(self):\n        self.rate = 2\n        return rate\nA().go()",
        "rate",
        "function go",
        "self.rate",
        [],
    ),
    "a name that wants an import": ("np.zeros(3)", "np", "module", "import numpy as np", []),
    "a local before its value": (
        "n = 1\ndef f():\n    n += 1\nf()",
        "n",
        "function f",
        "global n",
        [],
    ),
    "an attribute": (
        "class Net:\n    def predict(self): pass\nNet().predcit()",
        "predcit",
        "Net",
        "predict",
        [],
    ),
    "an attribute of a module": ("import math\nmath.sqroot(2)", "sqroot", "math", "sqrt", []),
    "a key": ("row = {'label': 1, 'image': 2}\nrow['lable']", "'lable'", "dict", "'label'", [("row", 2)]),
    "a key of another type": ("row = {1: 'a'}\nk = '1'\nrow[k]", "'1'", "dict", "1", [("k", "'1'")]),
    "a module": ("import jsom", "jsom", "modules", "json", []),
    "a submodule": ("import json\nimport json.decodr", "json.decodr", "json", "json.decoder", []),
    "a name of a module": ("from json import lods", "lods", "json", "loads", []),
    "a file": ("open('trian.csv')", "trian.csv", None, "train.csv", []),
    "an index": ("a = [1, 2, 3]\ni = 7\na[i]", None, None, None, [("a", 3), ("i", "7")]),
    "a keyword": (
        "def fit(epochs=1, batch_size=2): pass\nfit(bach_size=3)",
        "bach_size",
        "fit",
        "batch_size",
        [],
    ),
    "a missing argument": ("def f(x, y): pass\nf(1)", "y", "f", None, []),
    "operands that do not go together": (
        "count = 3\nwords = 'ab'\ncount + words",
        None,
        None,
        None,
        [("count", "3"), ("words", 2)],
    ),
    "a division": ("done = 5\nrows = 0\nprint(done / rows)", None, None, None, [("done", "5"), ("rows", "0")]),
    "an unpacking": ("pair = (1, 2, 3)\na, b = pair", None, None, None, [("pair", 3)]),
    "an assertion": ("n = 4\nassert n == 5, 'odd'", None, None, None, [("n", "4")]),
}


def _raised(tmp_path: Path, program: str) -> tuple[RaisedException, child.Recorded]:
    path = child.write(tmp_path, program)
    (tmp_path / "train.csv").touch()
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.all(InternalError) == []
    return recorded.one(ExceptionRaised).chain[0], recorded


@pytest.mark.parametrize("name", CASES)
def test_the_value_and_the_near_name(name: str, tmp_path: Path) -> None:
    program, wanted, wanted_in, near, operands = CASES[name]
    if near == "import numpy as np":
        pytest.importorskip("numpy")
    raised, recorded = _raised(tmp_path, program)
    if wanted is None:
        assert raised.wanted is None
    else:
        assert (raised.wanted or "").endswith(wanted)
    if wanted_in is not None:
        assert wanted_in in (raised.wanted_in or "")
    if near is not None:
        assert any(word.endswith(near) for word in raised.near), raised.near
    seen = {operand.text: (operand.value, operand.length) for operand in raised.operands}
    for text, fact in operands:
        assert fact in seen[text]
    frame = raised.frames[-1]
    assert (frame.file, frame.user) == (str(tmp_path / "program.py"), True)
    assert frame.source.strip() in program
    assert recorded.one(MainFound).file == str(tmp_path / "program.py")
    assert recorded.one(ProcessExiting)


def test_a_file_that_lies_beside_the_script(tmp_path: Path) -> None:
    path = child.write(tmp_path / "deep", "open('data.csv')")
    (tmp_path / "deep" / "data.csv").touch()
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    raised = recorded.one(ExceptionRaised).chain[0]
    assert raised.near == [str(tmp_path / "deep" / "data.csv")]
    assert raised.errno == 2


def test_the_whole_chain_and_locals_without_their_contents(tmp_path: Path) -> None:
    _, recorded = _raised(
        tmp_path,
        """
        def load(path):
            secret_words = "the quick brown fox"
            numbers = list(range(50))
            try:
                return {}[path]
            except KeyError as error:
                raise ValueError("no such data") from error
        try:
            load("x")
        except ValueError:
            raise RuntimeError("cannot begin")
        """,
    )
    chain = recorded.one(ExceptionRaised).chain
    assert [(link.type, link.link) for link in chain] == [
        ("RuntimeError", "context"),
        ("ValueError", "cause"),
        ("KeyError", ""),
    ]
    inner = {local.name: local for local in chain[2].frames[-1].locals}
    assert (inner["numbers"].type, inner["numbers"].length) == ("list", 50)
    assert inner["secret_words"].length == 19
    everything = b"".join(path.read_bytes() for path in (tmp_path / "run" / "streams").iterdir())
    assert b"quick brown" not in everything.replace(b'"the quick brown fox"', b"")


def test_no_code_of_the_users_runs(tmp_path: Path) -> None:
    program = """
        class Trap:
            def __getattr__(self, name): print("getattr", name); raise AttributeError(name)
            def __repr__(self): print("repr"); return "x"
            def __len__(self): print("len"); return 1
            def __dir__(self): print("dir"); return []
            def __eq__(self, other): print("eq"); return True
            def __hash__(self): print("hash"); return 1
            def __bool__(self): print("bool"); return True
            @property
            def shape(self): print("shape"); return (1,)
        trap = Trap()
        table = {1: trap}
        items = [trap]
        print("begin")
        table["missing"] + items[trap.__class__.__name__ == ""]
    """
    path = child.write(tmp_path, program)
    expected = child.plain(path, cwd=tmp_path)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == expected
    assert expected.stdout == "begin\n"


def test_a_group(tmp_path: Path) -> None:
    import sys

    if sys.version_info < (3, 11):
        pytest.skip("exception groups are of 3.11")
    _, recorded = _raised(tmp_path, "raise ExceptionGroup('both', [ValueError(1), KeyError('k')])")
    assert [link.type for link in recorded.one(ExceptionRaised).chain] == ["ExceptionGroup", "ValueError", "KeyError"]


def test_a_deep_recursion_keeps_both_ends(tmp_path: Path) -> None:
    raised, _ = _raised(tmp_path, "def down(n):\n    return down(n + 1)\ndown(0)")
    assert raised.type == "RecursionError"
    assert 20 < len(raised.frames) <= 60
    assert (raised.frames[0].line, raised.frames[-1].line) == (3, 2)


def test_a_huge_exception_is_made_to_fit(tmp_path: Path) -> None:
    program = "\n".join(f"v{n} = {n}" for n in range(300))
    many = ",".join(f"a{n}={n}" for n in range(200))
    program += f"\ndef f(n, {many}):\n    if n == 0:\n        raise ValueError('x' * 10_000_000)\n    f(n - 1)\nf(80)"
    raised, _ = _raised(tmp_path, program)
    assert raised.type == "ValueError"
    assert raised.frames[-1].function == "f"


def test_the_statement_not_only_the_line(tmp_path: Path) -> None:
    raised, _ = _raised(tmp_path, "values = [\n    1,\n    2 / 0,\n    3,\n]")
    frame = raised.frames[-1]
    assert (frame.line, frame.end_line) == (1, 5)


def test_a_program_given_with_c(tmp_path: Path) -> None:
    recorded = child.inside("-c", "rate = 1\nprint(rat)", cwd=tmp_path, run=tmp_path / "run")
    raised = recorded.one(ExceptionRaised).chain[0]
    assert raised.near[0] == "rate"
    assert raised.frames[-1].source == "print(rat)"
    assert recorded.one(MainFound).file is None


def test_an_installed_module_that_is_the_program_is_the_users(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "trainer"
    child.write(package, "", "__init__.py")
    child.write(package, "from trainer import inner\ninner.go()", "__main__.py")
    child.write(package, "def go():\n    1 / 0", "inner.py")
    path = f"{child.BOOTSTRAP}:{tmp_path / 'site-packages'}"
    recorded = child.inside("-m", "trainer", cwd=tmp_path, run=tmp_path / "run", env={"PYTHONPATH": path})
    frame = recorded.one(ExceptionRaised).chain[0].frames[-1]
    assert (frame.file, frame.user) == (str(package / "inner.py"), True)


def test_a_library_is_not_the_users(tmp_path: Path) -> None:
    child.write(tmp_path / "site-packages", "def go():\n    1 / 0", "library.py")
    path = child.write(tmp_path, "import library\nlibrary.go()")
    env = {"PYTHONPATH": f"{child.BOOTSTRAP}:{tmp_path / 'site-packages'}"}
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=env)
    assert [frame.user for frame in recorded.one(ExceptionRaised).chain[0].frames] == [True, False]


def test_hooks_of_the_program_do_not_hide_the_exception(tmp_path: Path) -> None:
    raised, _ = _raised(tmp_path, "import sys\nsys.excepthook = lambda *a: None\n[].pop()")
    assert raised.type == "IndexError"


def test_a_childs_exception_under_multiprocessing(tmp_path: Path) -> None:
    for way in ("fork", "spawn"):
        program = f"""
            import multiprocessing
            def work():
                raise ValueError("in the child")
            if __name__ == "__main__":
                process = multiprocessing.get_context("{way}").Process(target=work)
                process.start()
                process.join()
        """
        path = child.write(tmp_path / way, program)
        recorded = child.inside(path, cwd=tmp_path / way, run=tmp_path / f"run-{way}")
        raised = recorded.one(ExceptionRaised).chain[0]
        assert (raised.message, raised.frames[-1].file) == ("in the child", str(path))
        assert recorded.all(CallBegan) == []


def test_an_interrupt_while_we_record(tmp_path: Path) -> None:
    """The second Ctrl-C: the program's own traceback is printed all the same, and none of ours."""
    program = """
        import os, signal, sys

        class Odd(Exception):
            def __str__(self):
                frame = sys._getframe()
                while frame is not None:
                    if "exception_raised" == frame.f_code.co_name:
                        os.kill(os.getpid(), signal.SIGINT)
                    frame = frame.f_back
                return "odd"

        raise Odd
    """
    path = child.write(tmp_path, program)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == child.plain(path, cwd=tmp_path)
    assert recorded.ended.stderr.endswith("Odd: odd\n")
    assert recorded.all(ExceptionRaised) == []


def test_exceptions_of_threads_are_recorded_up_to_a_number(tmp_path: Path) -> None:
    program = """
        import threading
        def fail():
            raise MemoryError("no room")
        for _ in range(130):
            thread = threading.Thread(target=fail)
            thread.start()
            thread.join()
        raise MemoryError("at last")
    """
    recorded = child.inside(child.write(tmp_path, program), cwd=tmp_path, run=tmp_path / "run")
    raised = recorded.all(ExceptionRaised)
    assert [one.where for one in raised] == ["thread"] * 100 + ["main"]
    assert len([taken for taken in recorded.all(CensusTaken) if taken.trigger == "exception"]) == 2
