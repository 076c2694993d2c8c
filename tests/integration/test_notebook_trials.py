"""What a report advises for a notebook, tried in the copy that its kernel left behind."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest

Completed = subprocess.CompletedProcess[bytes]
Call = Callable[..., Completed]
Tell = Callable[..., dict[str, Any]]

STYLES = (
    "%load_ext whydied\nimport os\nimport random",
    "\n\nrandom.seed(7)\n!echo a command\nwidth = 3\nwidth",
    "def rate(options):\n    return options['learning_rat']",
    "from IPython.display import display\ndisplay({'shown': 1})\nnone = {}['missing']",
    "assert _ == 3 and Out[2] == 3 and get_ipython().kernel is not None\nimport asyncio\nawait asyncio.sleep(0)",
    "%%time\nwith open('made', 'a') as file:\n    file.write('once')\nprint(rate({'learning_rate': width}))",
    "%whydied why\nprint(width)",
)
LSTM = (
    "import os\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'\nimport numpy as np\nimport tensorflow as tf",
    "def windows(values, size=8):\n    parts = [values[at:at + size] for at in range(len(values) - size)]\n"
    "    return np.array(parts), values[size:]",
    "x, y = windows(np.sin(np.arange(72.0)))\nkept = float(tf.reduce_sum(x))",
    "model = tf.keras.Sequential([tf.keras.layers.LSTM(4), tf.keras.layers.Dense(1)])\nmodel.compile('adam', 'mse')",
    "%%time\nhistory = model.fit(x, y, epochs=1, verbose=0)",
    "sorted(history.history)",
)


def notebook(directory: Path, *cells: str, may_raise: int | None = None) -> Path:
    nodes: Any = nbformat.v4
    made = [nodes.new_code_cell(text) for text in cells]
    if may_raise is not None:
        made[may_raise].metadata["tags"] = ["raises-exception"]
    path = directory / "work.ipynb"
    nbformat.write(nodes.new_notebook(cells=[nodes.new_markdown_cell("# a"), *made]), path)  # type: ignore[no-untyped-call]
    return path


@pytest.fixture
def tell(whydied: Call, tmp_path: Path) -> Tell:
    """Runs the notebook: its report, with what it printed and what its executed copy has. No process of it is left."""

    def told(path: Path, *options: str) -> dict[str, Any]:
        report, output = tmp_path / "report.json", tmp_path / "output" / "out.ipynb"
        output.parent.mkdir(exist_ok=True)
        done = whydied("run", "--json", report, *options, path, "--output", output)
        assert _left_over(tmp_path) == []
        found: dict[str, Any] = json.loads(report.read_bytes())
        assert found["internal_errors"] == []
        cells: Any = nbformat.read(output, as_version=4).cells  # type: ignore[no-untyped-call]
        outputs = [[_untimed(json.dumps(one)) for one in cell.get("outputs", [])] for cell in cells]
        return {**found, "printed": done.stdout.decode(), "status": done.returncode, "outputs": outputs}

    return told


def _left_over(directory: Path) -> list[int]:
    """Kernels, and copies of them, that work there."""
    for _ in range(100):
        found = [one.pid for one in psutil.process_iter() if _works_in(one, directory)]
        if not found:
            return []
        time.sleep(0.1)
    return found


def _works_in(process: psutil.Process, directory: Path) -> bool:
    try:
        return bool(process.cwd() == str(directory))
    except psutil.Error:
        return False


def verdicts(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["verdict"], one["after"]["outcome"]) for one in report["fixes"]]


def test_a_notebook_of_many_styles_runs_again_with_a_change(tell: Tell, whydied: Call, tmp_path: Path) -> None:
    path = notebook(tmp_path, *STYLES, may_raise=3)
    before = path.read_bytes()
    plain = tell(path, "--no-trials")
    tried = tell(path)
    assert [one["verdict"] for one in plain["fixes"]] == ["untested"]
    assert verdicts(tried) == [("proved", "finished")]
    place = tried["cause"]["location"]
    assert (place["cell"], place["line"]) == (3, 2)
    # All that a person sees but the report is as it was: outputs, status, files.
    assert (tried["status"], _untimed(tried["printed"])) == (1, _untimed(plain["printed"]))
    assert tried["outputs"] == plain["outputs"]
    assert (tmp_path / "made").read_text() == "onceonce"
    assert path.read_bytes() == before
    applied = whydied("fix", "--apply")
    assert applied.returncode == 0, applied.stderr
    assert path.read_bytes() == before.replace(b"'learning_rat'", b"'learning_rate'")


def _untimed(text: str) -> str:
    """Without what `%%time` measures."""
    return re.sub(r"(CPU times|Wall time): .*?(\\n|$)", "", text, flags=re.MULTILINE)


def test_one_cell_after_the_other_is_mended(tell: Tell, tmp_path: Path) -> None:
    cells = ("known = {'rate': 0.1}", "def first():\n    return known['ratee']", "first()\nprint(known['rade'])", "1")
    report = tell(notebook(tmp_path, *cells))
    assert verdicts(report)[:1] == [("proved", "finished")]
    assert [line for line in report["fixes"][0]["patch"].splitlines() if line[:2] in ("+ ", "- ")] == [
        "-    \"    return known['ratee']\"",
        "+    \"    return known['rate']\"",
        "-    \"print(known['rade'])\"",
        "+    \"print(known['rate'])\"",
    ]


@pytest.mark.variation
def test_a_change_that_does_not_help_is_not_proved(tell: Tell, tmp_path: Path) -> None:
    cells = (
        "known = {'rate': 0.1}\nwanted = [*known, 'ratee']",
        "for one in wanted:\n    print(known[one])",
        "print(1)",
    )
    report = tell(notebook(tmp_path, *cells))
    assert all(one["verdict"] != "untested" for one in report["fixes"])
    assert report["cause"]["advice"] == [] or report["fixes"][0]["verdict"] == "proved"


def test_a_change_that_only_gets_to_a_later_cell_says_so(tell: Tell, tmp_path: Path) -> None:
    cells = ("known = {'rate': 0.1}", "known['ratee']", "import time", "raise RuntimeError('of something else')")
    report = tell(notebook(tmp_path, *cells))
    (fix,) = report["fixes"]
    assert (fix["verdict"], fix["after"]) == (
        "proved",
        {"words": "RuntimeError at cell [4], line 1", "outcome": "failed"},
    )


@pytest.mark.variation
def test_what_takes_long_after_the_failure_is_not_waited_for(tell: Tell, tmp_path: Path) -> None:
    cells = ("known = {'rate': 0.1}", "known['ratee']", "import time\ntime.sleep(600)")
    report = tell(notebook(tmp_path, *cells))
    assert [(one["verdict"], one["after"]["words"]) for one in report["fixes"]] == [("proved", "still running")]


@pytest.mark.variation
def test_a_result_of_a_command_is_not_made_up(tell: Tell, tmp_path: Path) -> None:
    cells = ("known = {'rate': 0.1}\nfiles = !ls", "assert files\nknown['ratee']")
    assert [one["verdict"] for one in tell(notebook(tmp_path, *cells))["fixes"]] == ["untested"]


@pytest.mark.variation
@pytest.mark.tensorflow
def test_a_training_in_a_notebook_gets_threads_of_its_own(tell: Tell, tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    report = tell(notebook(tmp_path, *LSTM))
    assert verdicts(report)[:1] == [("proved", "finished")]
    assert "x[..., None]" in report["fixes"][0]["patch"]
