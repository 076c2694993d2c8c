"""The two sentences for a busy person: what happened, and why. Pure: a report in, plain phrase out.

Invariant: the second never claims more than its finding does. Only a certain one is called "Cause" without a
qualifier.
"""

from __future__ import annotations

import os
import re

from whydied import words
from whydied.diagnose.finding import Finding, Location
from whydied.report import plain
from whydied.report.summary import Report

_DEATHS = {
    "allocation-refused": "failed: the memory it asked for was refused",
    "arithmetic-fault": "crashed in native code: arithmetic fault",
    "bus-error": "crashed in native code: bus error",
    "child-process-died": "failed: one of its processes died",
    "cpu-time-limit": "was killed by the kernel at its CPU time limit",
    "device-memory-exhausted": "failed: the GPU is out of memory",
    "disk-full": "failed: no space left to write",
    "ended-by-signal": "was killed by a signal",
    "exited-early": "exited on its own",
    "host-oom-kill": "was killed by the kernel: out of memory",
    "hung": "hung",
    "illegal-instruction": "crashed in native code: illegal instruction",
    "interrupted": "was interrupted",
    "killed-from-outside": "was killed",
    "machine-went-down": "died when its machine went down",
    "memory-limit-reached": "was stopped by whydied at its memory limit",
    "native-abort": "aborted in native code",
    "program-not-found": "could not be started",
    "segmentation-fault": "crashed in native code: segmentation fault",
    "stopped-on-hang": "was stopped by whydied because it hung",
    "stopped-on-nan": "was stopped by whydied at the first NaN or infinity",
    "terminated": "was terminated",
    "time-limit": "was stopped by whydied at its time limit",
    "uncaught-exception": "failed with an uncaught exception",
    "whole-group-died": "died together with its supervisor",
}
_OUTCOMES = {"failed": "failed", "died": "was killed by a signal", "hung": "hung", "stopped": "was stopped"}
_CAUSE = {"certain": "Cause", "likely": "Likely cause", "possible": "Possible cause"}
_END = {"certain": "", "likely": "Likely", "possible": "Possibly"}
_MODULE_OPTION = "-m"
_NOTEBOOKS = (".ipynb", "kernel")
"""Programs that have a kernel of their own, so that the word is taken."""
_EXCEPTION = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*)(?::|\.?$)")
_REMARK = re.compile(r" \([^()]*\)$")
_LINE_OF_FILE = re.compile(r"\bline (\d+) of ([\w.-]+\.py)\b")
"""How findings name a line other than their own."""


def program(report: Report) -> str:
    """The program as its user calls it: `train.py`, `package.train`, `make`."""
    argv = report.run.argv
    if argv and re.fullmatch(r"python[\d.]*", os.path.basename(argv[0])):
        argv = _after_interpreter(argv)
    if argv[:1] == [_MODULE_OPTION] and len(argv) > 1:
        return plain.line(argv[1])
    return plain.line(os.path.basename(argv[0])) if argv and argv[0] else "the program"


def is_cell(report: Report) -> bool:
    """Whether this is about one cell that raised, in a kernel that lives on."""
    return program(report).startswith("cell [")


def _after_interpreter(argv: list[str]) -> list[str]:
    index = 1
    while index < len(argv):
        argument = argv[index]
        if argument == "-c":
            return [f"{os.path.basename(argv[0])} -c"]
        if argument == _MODULE_OPTION or not argument.startswith("-"):
            return argv[index:]
        index += 2 if argument in ("-W", "-X") else 1
    return argv


def happened(report: Report) -> str:
    """`train.py was killed by the kernel: out of memory (SIGKILL), after 2 min 14 s.`"""
    after = f" after {words.duration(report.run.wall_s)}" if report.run.wall_s is not None else ""
    if report.outcome == "finished":
        return f"{program(report)} finished{after}{', but something is wrong' if report.cause else ''}."
    if report.outcome == "running":
        return f"{program(report)} is still running{after}."
    what = (_DEATHS.get(report.death.name) if report.death else None) or _OUTCOMES[report.outcome]
    if report.outcome == "stopped" and report.death and report.death.name == "allocation-refused":
        what = "was stopped by the memory guard before it ran out of memory"
    if exception := exception_type(report.death):
        what = f"failed with {exception}"
    if program(report).endswith(_NOTEBOOKS):
        what = what.replace("by the kernel", "by the operating system")
    return f"{program(report)} {what}{_status(report)}{after}."


def exception_type(finding: Finding | None) -> str | None:
    """`KeyError`, where the finding is an exception that nobody caught."""
    if finding is None or finding.name != "uncaught-exception":
        return None
    found = _EXCEPTION.match(finding_sentence(finding))
    return found[1] if found else None


def why(report: Report) -> str | None:
    """The cause in one sentence with its place; None where there is nothing to explain."""
    if report.cause is not None:
        return _reason(report, report.cause)
    if report.undetermined:
        return f"Cause not determined: {sentence(report.undetermined)}"
    return None if report.outcome in ("finished", "running") else "Cause not determined."


def _reason(report: Report, cause: Finding) -> str:
    place = where(cause.location, report) if cause.location else ""
    message = finding_sentence(cause)
    if report.death is None or cause.id != report.death.id:
        return f"{_CAUSE[cause.certainty]}{f' ({place})' if place else ''}: {message}"
    # Nothing deeper than the end itself is known, so it is not called a cause.
    parts = [part for part in (_END[report.death.certainty], f"at {place}" if place else "") if part]
    label = ", ".join(parts)
    return f"{label[:1].upper()}{label[1:]}: {message}" if label else message


def finding_sentence(finding: Finding) -> str:
    """A finding's message as a sentence, without the place that stands before it."""
    message = plain.line(finding.message)
    if finding.location is not None:
        message = message.removeprefix(plain.line(f"{finding.location.spelled}: ") + " ")
    return sentence(message)


def where(location: Location, report: Report) -> str:
    """`line 12`, or `helper.py, line 12` where the report is about more than the program's own file."""
    if location.cell is not None:
        return f"cell [{location.cell}], line {location.line}"
    if files(report) <= {program(report)}:
        return f"line {location.line}"
    return f"{plain.line(os.path.basename(location.file))}, line {location.line}"


def brief(text: str, report: Report) -> str:
    """A text of a finding without the name of the file, where the report is about no other."""
    return _LINE_OF_FILE.sub(r"line \1", text) if files(report) <= {program(report)} else text


def files(report: Report) -> set[str]:
    """The names of the files that the report speaks of."""
    found = set()
    for finding in [*report.findings, *(one for one in (report.cause, report.death) if one is not None)]:
        places = [finding.location, *(link.location for link in finding.chain)]
        found |= {os.path.basename(place.file) for place in places if place is not None}
        texts = [finding.message, *finding.advice, *(str(piece.value) for piece in finding.evidence)]
        found |= {match[2] for text in texts for match in _LINE_OF_FILE.finditer(text)}
    return {plain.line(name) for name in found}


def sentence(text: str) -> str:
    """A recorded text as one line that ends like a sentence."""
    phrase = plain.line(text)
    # After a bracket or a quote the text may end in code, to which a full stop would seem to belong.
    if not phrase or (phrase[-1] in ".!?:…)]}`'\"" and not _REMARK.search(phrase)):
        return phrase
    return f"{phrase}."


def _status(report: Report) -> str:
    if report.run.signal_name or report.run.signal:
        return f" ({report.run.signal_name or f'signal {report.run.signal}'})"
    if report.run.exit_code is not None and report.run.exit_code != 0:
        return f" (exit status {report.run.exit_code})"
    return ""
