"""The forms in which Python prints tracebacks and crashes. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

TRACEBACK_HEAD = Text("python", r"Traceback \(most recent call last\):")
TRACEBACK = Text("python", r"^(?:\s*\|?\s*)Traceback \(most recent call last\):\s*$")
TRACEBACK_AND_ALL_AFTER = Text("python", r"Traceback \(most recent call last\):.*", flags=re.DOTALL)
WHOLE_TRACEBACK = Text("python", r"Traceback \(most recent call last\):\r?\n(?:[ \t].*\n)*\S.*\n?")
FRAME = Text("python", r'^  File "(?P<file>.+)", line (?P<line>\d+)(?:, in (?P<function>.+))?$')
QUOTED_FRAME = Text(
    "python", r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<function>.+)$', flags=re.MULTILINE
)
FRAME_IN_TEXT = Text("python", r'File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<function>\S+)')
PLACE = Text("python", r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)|\((?P<base>[\w.<>-]+), line (?P<number>\d+)\)')
PLACE_OF_SYNTAX_ERROR = Text("python", r'^  File "(?P<file>.+)", line (?P<line>\d+)\s*$')
ERROR = Text("python", r"^(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")
ERROR_AT_THE_END = Text(
    "python", r"^(?P<type>[A-Za-z_][\w.]*)(?::[ ](?P<message>.*))?\s*\Z", flags=re.MULTILINE | re.DOTALL
)
CAUSED = Text("python", r"The above exception was the direct cause of the following exception:")
DURING_ANOTHER = Text("python", r"During handling of the above exception, another exception occurred:")

# faulthandler.


FATAL = Text("python", r"^Fatal Python error: (.+)$")
ILLEGAL_INSTRUCTION = Text("python", r"^Fatal Python error: Illegal instruction")
FATAL_WITHOUT_SIGNAL = Text(
    "python",
    r"^Fatal Python error: (?P<text>(?!Segmentation fault|Aborted|Bus error|Illegal instruction|Floating[ -]point).+)$",
)
FAULT_THREAD = Text(
    "python", r"^(?P<current>Current thread|Thread) 0x(?P<id>[0-9a-f]+)[^(]*\(most recent call first\):"
)
FAULT_STACK = Text("python", r"^Stack \(most recent call first\):")
FAULT_FRAME = Text("python", r'^  File "(?P<file>.*)", line (?P<line>\d+|\?\?\?) in (?P<function>.*)$')

# Locks.

LOCK_OWNER = Text("python", r"owner=(\d+)")
