from __future__ import annotations

from pathlib import Path

import pytest

from tests import handmade
from whydied.diagnose.registry import all_rules
from whydied.diagnose.rule import DEATHS
from whydied.report import headline


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (["train.py", "--x"], "train.py"),
        (["/a/b/train.py"], "train.py"),
        (["-m", "pkg.train", "x"], "pkg.train"),
        (["python3.11", "-u", "train.py"], "train.py"),
        (["/usr/bin/python", "-m", "pkg"], "pkg"),
        (["python", "-X", "dev", "-c", "print(1)"], "python -c"),
        (["make", "config.py"], "make"),
        ([], "the program"),
    ],
)
def test_the_program_is_called_as_its_user_calls_it(argv: list[str], name: str) -> None:
    assert headline.program(handmade.report(argv=argv)) == name


def test_what_happened() -> None:
    died = handmade.report()
    assert headline.happened(died) == "train.py was killed by the kernel: out of memory (SIGKILL) after 2 min 14 s."
    notebook = handmade.report(argv=["/home/me/train.ipynb"])
    assert headline.happened(notebook).startswith("train.ipynb was killed by the operating system: out of memory")
    failed = handmade.report(
        outcome="failed",
        death=handmade.finding(name="uncaught-exception"),
        signal=None,
        signal_name=None,
        exit_code=1,
        wall_s=None,
    )
    assert headline.happened(failed) == "train.py failed with an uncaught exception (exit status 1)."
    wrong = handmade.finding(name="uncaught-exception", message="ValueError: no")
    assert headline.happened(handmade.report(outcome="failed", death=wrong, signal_name=None, signal=None)) == (
        "train.py failed with ValueError after 2 min 14 s."
    )
    assert headline.happened(handmade.healthy_report()) == "train.py finished after 2 min 14 s."
    leaking = handmade.healthy_report(cause=handmade.finding())
    assert headline.happened(leaking) == "train.py finished after 2 min 14 s, but something is wrong."


def test_every_death_has_its_words() -> None:
    for rule in [rule for rule in all_rules() if rule.role in DEATHS]:
        report = handmade.report(death=handmade.finding(name=rule.name), outcome="hung")
        assert headline.happened(report) != "train.py hung (SIGKILL) after 2 min 14 s.", rule.name


@pytest.mark.parametrize(
    ("certainty", "deeper", "alone"),
    [
        ("certain", "Cause (line 6): ", "At line 6: "),
        ("likely", "Likely cause (line 6): ", "Likely, at line 6: "),
        ("possible", "Possible cause (line 6): ", "Possibly, at line 6: "),
    ],
)
def test_the_cause_never_claims_more_than_its_finding(certainty: str, deeper: str, alone: str) -> None:
    cause = handmade.finding(
        2,
        certainty=certainty,
        message="train.py:6: the list `kept` grew",
        location=handmade.location(Path("/a/train.py"), 6),
    )
    assert headline.why(handmade.report(cause=cause)) == f"{deeper}the list `kept` grew."
    assert headline.why(handmade.report(cause=cause, death=cause)) == f"{alone}the list `kept` grew."


def test_a_line_of_another_file_is_named_with_it() -> None:
    cause = handmade.finding(2, message="x is 0", location=handmade.location(Path("/a/helper.py"), 6))
    assert headline.why(handmade.report(cause=cause)) == "Cause (helper.py, line 6): x is 0."


def test_a_file_is_named_in_every_place_where_a_report_has_two() -> None:
    place = handmade.location(Path("/a/train.py"), 6)
    one = handmade.finding(2, message="`x` (line 4 of train.py) is 0", location=place)
    report = handmade.report(cause=one, death=one, findings=[one])
    assert headline.where(place, report) == "line 6"
    assert headline.brief(one.message, report) == "`x` (line 4) is 0"
    two = handmade.finding(2, message="`x` (line 4 of helper.py) is 0", location=place)
    report = handmade.report(cause=two, death=two, findings=[two])
    assert headline.where(place, report) == "train.py, line 6"
    assert headline.brief(two.message, report) == two.message


def test_a_sentence_ends_like_one() -> None:
    assert headline.sentence("it holds 3 MiB (limit 1 GiB)") == "it holds 3 MiB (limit 1 GiB)."
    assert headline.sentence("call `f(x)`") == "call `f(x)`"
    assert headline.sentence("write f(x)") == "write f(x)"


def test_no_cause() -> None:
    unknown = handmade.report(cause=None, undetermined="nothing tells who sent SIGKILL")
    assert headline.why(unknown) == "Cause not determined: nothing tells who sent SIGKILL."
    assert headline.why(handmade.healthy_report()) is None
