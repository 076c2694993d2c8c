"""The commands as a person calls them: processes of their own, real pipes, real terminals, real signals."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.handmade import RUN_ID, a_dead_pid, recorded_run

from whydied.cli import COMMANDS
from whydied.diagnose.registry import all_rules

Call = Callable[..., subprocess.CompletedProcess[bytes]]
WHYDIED = [sys.executable, "-m", "whydied"]


def environment(**given: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH")}
    return {**kept, **given}


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nsys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment())
    return set(done.stderr.decode().split())


HELP = "from whydied.cli import main\nmain(['--help'])"


def test_help_loads_nothing_heavy() -> None:
    assert not loaded_by(HELP) & {"rich", "msgspec", "psutil", "tensorflow", "numpy"}


def test_the_test_above_can_fail() -> None:
    assert {"rich", "msgspec"} <= loaded_by("from whydied.cli import main\nmain(['explain'])")


def test_help_and_version(whydied: Call) -> None:
    shown = whydied("--help").stdout.decode()
    assert all(name in shown for name in COMMANDS)
    assert re.fullmatch(r"whydied \d+\.\d+\.\d+\n", whydied("--version").stdout.decode())


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "run"])
def test_the_help_of_every_command_teaches_by_example(whydied: Call, name: str) -> None:
    shown = whydied(name, "--help")
    assert shown.returncode == 0
    assert f"Examples:\n    whydied {name}" in shown.stdout.decode()


@pytest.mark.parametrize(
    ("words", "status", "sentence", "hint"),
    [
        (["show"], 2, "whydied: there are no runs in ", "hint: record one with"),
        (["show", "nosuch", "--runs", "."], 2, "whydied: no run 'nosuch' in .", "hint: "),
        (["explain", "MEM999"], 2, "whydied: unknown code 'MEM999'", "hint: near: MEM0"),
        (["runs", "--prune", "--keep-bytes", "many"], 2, "whydied: 'many' is not a size", "hint: write it like 4G"),
        (["runs", "--keep-days", "3"], 2, "--keep-days and --keep-bytes need --prune", ""),
        (["trian.py"], 2, "Did you mean 'whydied run trian.py'?", ""),
        (["shw"], 2, "Did you mean 'show'?", ""),
    ],
)
def test_bad_input_gets_a_sentence_and_a_hint(
    whydied: Call, words: list[str], status: int, sentence: str, hint: str
) -> None:
    done = whydied(*words)
    told = done.stderr.decode()
    assert (done.returncode, done.stdout) == (status, b"")
    assert sentence in told
    assert hint in told
    assert "Traceback" not in told


def test_an_error_of_our_own_is_one_sentence() -> None:
    code = (
        "import sys, whydied.cli as cli, whydied.cli.explain\n"
        "whydied.cli.explain.command.callback = lambda **_: {}['x']\n"
        "sys.exit(cli.main(['explain']))"
    )
    for debug in ("", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env=environment(WHYDIED_DEBUG=debug), check=False
        )
        told = done.stderr.decode()
        assert done.returncode == 1
        assert "whydied: internal error in " in told
        assert "KeyError: 'x'" in told
        assert ("Traceback" in told) == bool(debug)


def test_show_finishes_what_nobody_could_finish(whydied: Call, runs: Path) -> None:
    run = recorded_run(runs, ended=False, supervisor_pid=a_dead_pid())
    first = whydied("show")
    assert first.returncode == 0
    assert "nobody lived to finish the report" in first.stdout.decode()
    assert run.report.is_file()
    assert "nobody lived" not in whydied("show").stdout.decode()


def test_the_whole_group_is_killed_and_the_next_show_finishes_the_report(
    whydied: Call, runs: Path, tmp_path: Path
) -> None:
    script = tmp_path / "sleeper.py"
    script.write_text("import time\nprint('up', flush=True)\ntime.sleep(600)\n")
    command = [*WHYDIED, "run", "--runs", str(runs), str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(), start_new_session=True) as supervisor:
        assert supervisor.stdout is not None
        assert supervisor.stdout.readline() == b"up\n"
        assert b"sleeper.py is still running" in whydied("show").stdout
        assert json.loads(whydied("show", "--json").stdout)["outcome"] == "running"
        descendants = psutil.Process(supervisor.pid).children(recursive=True)
        supervisor.kill()
        for process in descendants:
            process.kill()
        psutil.wait_procs(descendants, timeout=60)
    shown = whydied("show").stdout.decode()
    assert "nobody lived to finish the report" in shown
    assert "sleeper.py died together with its supervisor" in shown
    report = json.loads(whydied("show", "--json").stdout)
    assert report["outcome"] == "died"
    assert report["cause"]["location"]["line"] == 3


def test_show_of_a_run_that_is_still_going_stores_nothing(whydied: Call, runs: Path) -> None:
    run = recorded_run(runs, ended=False)
    shown = whydied("show").stdout.decode()
    assert f"run {RUN_ID} is still running" in shown
    assert not run.report.exists()
    refused = whydied("export", RUN_ID)
    assert (refused.returncode, b"is still running" in refused.stderr) == (2, True)


def test_show_as_json_is_the_report_and_nothing_else(whydied: Call, runs: Path) -> None:
    recorded_run(runs, ended=False, supervisor_pid=a_dead_pid())
    report = json.loads(whydied("show", "--json").stdout)
    assert (report["schema"], report["run"]["id"]) == (1, RUN_ID)


def test_runs_lists_and_prunes(whydied: Call, runs: Path) -> None:
    recorded_run(runs, "20200101-000000-old-aaaaaa", name="ancient")
    recorded_run(runs, "20200102-000000-going-bbbbbb", ended=False)
    whydied("show", "old")
    listed = {row["id"]: row for row in json.loads(whydied("runs", "--json").stdout)["runs"]}
    assert listed["20200101-000000-old-aaaaaa"]["outcome"] == "failed"
    assert listed["20200101-000000-old-aaaaaa"]["cause"] == "PRC009"
    assert listed["20200102-000000-going-bbbbbb"]["outcome"] == "going"
    table = whydied("runs").stdout.decode()
    assert re.search(r"old-aaaaaa +ancient +\d+ years ago +failed +PRC009 exited-early +2.5 s +\d+", table)
    pruned = whydied("runs", "--prune").stdout.decode()
    assert "removed 20200101-000000-old-aaaaaa\n1 run removed, " in pruned
    assert [path.name for path in runs.iterdir()] == ["20200102-000000-going-bbbbbb"]


def test_an_exported_run_can_be_shown_elsewhere(whydied: Call, runs: Path, tmp_path: Path) -> None:
    recorded_run(runs, output=b"private\n")
    done = whydied("export", RUN_ID, "-o", "copy.tar.gz")
    assert done.returncode == 0, done.stderr
    assert "what the program printed" in done.stdout.decode()
    assert whydied("export", RUN_ID, "-o", "copy.tar.gz").returncode == 2
    with tarfile.open(tmp_path / "copy.tar.gz") as archive:
        for member in archive.getmembers():
            assert member.name.split("/")[0] == RUN_ID
        archive.extractall(tmp_path / "unpacked", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    there = json.loads(whydied("show", f"unpacked/{RUN_ID}", "--json").stdout)
    here = json.loads(whydied("show", RUN_ID, "--json").stdout)
    assert there["outcome"] == here["outcome"] == "failed"
    assert there["cause"]["code"] == here["cause"]["code"]


def test_explain_prints_what_the_rule_says(whydied: Call) -> None:
    for rule in all_rules()[:2]:
        assert whydied("explain", rule.code.lower()).stdout.decode().strip() == rule.documentation.strip()
        assert whydied("explain", rule.name).stdout == whydied("explain", rule.code).stdout
    listed = whydied("explain").stdout.decode()
    assert all(rule.code in listed for rule in all_rules())


def test_doctor_answers_without_importing_tensorflow(whydied: Call) -> None:
    answer = json.loads(whydied("doctor", "--json").stdout)
    assert {"python", "memory", "control group", "kernel log", "runs"} <= {check["name"] for check in answer["checks"]}
    assert "tensorflow" not in loaded_by("from whydied.cli import main\nmain(['doctor', '--json'])")
    assert b"whydied" in whydied("doctor").stdout


def test_doctor_says_by_its_status_that_nothing_can_be_recorded(whydied: Call, tmp_path: Path) -> None:
    (tmp_path / "occupied").write_text("a file")
    assert whydied("doctor", "--runs", "occupied/runs").returncode == 1


def test_a_working_directory_that_is_gone(runs: Path, tmp_path: Path) -> None:
    recorded_run(runs)
    (tmp_path / "gone").mkdir()
    for words in ("show", "runs", "doctor"):
        script = f"cd {tmp_path}/gone && rmdir ../gone && exec {sys.executable} -m whydied {words} --runs {runs}"
        done = subprocess.run(["sh", "-c", script], capture_output=True, env=environment(), check=False)
        assert (done.returncode, done.stderr) == (0, b""), words
        (tmp_path / "gone").mkdir()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_doctor_for_a_user_who_may_do_little(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    # Everything is imported before, because that user may be kept out of the interpreter's own directories.
    code = (
        "import os, sys\n"
        "from whydied.cli import main\n"
        "main(['doctor', '--json'])\n"
        "sys.stdout.flush(); os.ftruncate(1, 0); os.lseek(1, 0, 0)\n"
        "os.setgroups([]); os.setuid(65534)\n"
        f"sys.exit(main(['doctor', '--json', '--runs', {str(closed / 'runs')!r}]))"
    )
    with (tmp_path / "answer.json").open("w+b") as answer:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=answer, stderr=subprocess.PIPE, env=environment(), check=False
        )
        answer.seek(0)
        checks = {check["name"]: check for check in json.loads(answer.read())["checks"]}
    assert (done.returncode, done.stderr) == (1, b"")
    assert checks["runs"]["status"] == "broken"
    assert checks["control group"]["status"] == "missing"


def test_a_reader_that_goes_away_is_met_with_silence(runs: Path) -> None:
    recorded_run(runs)
    for words in (["explain"], ["show"], ["show", "--json"], ["runs"], ["--help"]):
        reader, writer = os.pipe()
        os.close(reader)
        command = [*WHYDIED, *words, *(["--runs", str(runs)] if words[0] in ("show", "runs") else [])]
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment(), check=False)
        os.close(writer)
        assert (done.stderr, done.returncode in (0, 141)) == (b"", True), words


def test_no_home_no_term_no_terminal_no_stdin_no_unicode(runs: Path) -> None:
    recorded_run(runs)
    for extra in ({}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"TERM": "dumb"}, {"COLUMNS": "x"}):
        done = subprocess.run(
            [*WHYDIED, "show", "--runs", str(runs)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(**extra),
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b""), extra
        assert done.stdout.startswith(b"train.py exited on its own (exit status 3) after 2.5 s.\n")
        assert b"\x1b" not in done.stdout
    closed = f"exec {sys.executable} -m whydied show --runs {runs} <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", closed], env=environment(), check=False).returncode == 0


def on_terminal(words: list[str], columns: int, **extra: str) -> str:
    """What a terminal of that width receives."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [*WHYDIED, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(TERM="xterm-256color", **extra)
    )
    os.close(theirs)
    received = b""
    try:
        while chunk := os.read(ours, 65536):
            received += chunk
    except OSError:
        pass
    finally:
        os.close(ours)
        assert process.wait(60) == 0
    return received.decode()


def test_on_a_terminal(runs: Path) -> None:
    recorded_run(runs)
    words = ["show", "--runs", str(runs)]
    assert "\x1b[1;31mtrain.py exited on its own" in on_terminal(words, 100)
    assert not re.search(r"\x1b\[[0-9;]*3\dm", on_terminal(words, 100, NO_COLOR="1"))
    for columns in (60, 80, 200):
        plain = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(words, columns))
        assert max(len(line.rstrip()) for line in plain.splitlines()) <= min(columns, 120)
    assert "What it detects" in on_terminal(["explain", "MEM001"], 80)


def test_ctrl_c(tmp_path: Path) -> None:
    run = recorded_run(tmp_path)
    # Reading a pipe that nobody writes to waits for ever.
    os.mkfifo(run.report)
    command = [*WHYDIED, "show", "--runs", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment()) as process:
        try:
            writer = _writer_of(run.report, process)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
            os.close(writer)
        finally:
            process.kill()
    assert (process.returncode, told) == (130, b"")


def _writer_of(pipe: Path, reader: subprocess.Popen[bytes]) -> int:
    """The pipe's other end, once the reader has opened it and waits for bytes.

    A signal in the few instructions before the wait would be noticed only after it.
    """
    while reader.poll() is None:
        try:
            writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.01)
            continue
        while not _sleeps(reader.pid):
            time.sleep(0.01)
        return writer
    raise AssertionError("the reader has ended")


def _sleeps(pid: int) -> bool:
    """Whether the process sleeps, and has used no processor time for a while."""
    before = _stat(pid)
    time.sleep(0.2)
    after = _stat(pid)
    return before == after and after[0] == "S"


def _stat(pid: int) -> tuple[str, str, str]:
    """A process's state and the processor time it has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0], fields[11], fields[12]


@pytest.mark.parametrize("words", [("-m", "no_such_module"), ("empty",)])
def test_what_python_cannot_find_did_not_start(whydied: Call, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "empty").mkdir()
    told = whydied("run", *words)
    assert told.returncode == 1
    assert b"did not start: " in told.stderr
    assert b"_Error" not in told.stderr


def test_a_limit_below_what_python_needs_is_a_forgotten_unit(whydied: Call, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('trained')\n")
    refused = whydied("run", "--memory-limit", "10", "train.py")
    assert refused.returncode == 2
    assert b"like 10G" in refused.stderr
    assert b"trained" not in refused.stdout
