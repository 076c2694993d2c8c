"""The forms in which Python prints tracebacks and crashes. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

_FAILS_IN_A_FUNCTION = """\
def fails():
    1 / 0
fails()"""

TRACEBACK = Text(
    "python",
    r"^(?:\s*\|?\s*)Traceback \(most recent call last\):\s*$",
    "Traceback (most recent call last):",
    seen=("python 3.11",),
    provoked_by="1 / 0",
)
TRACEBACK_AND_ALL_AFTER = Text(
    "python",
    r"Traceback \(most recent call last\):.*",
    'Traceback (most recent call last):\n  File "train.py", line 3, in <module>',
    seen=("python 3.11",),
    provoked_by="1 / 0",
    flags=re.DOTALL,
)
WHOLE_TRACEBACK = Text(
    "python",
    r"Traceback \(most recent call last\):\r?\n(?:[ \t].*\n)*\S.*\n?",
    "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\nKeyError: 'a'",
    seen=("python 3.11",),
    provoked_by="1 / 0",
)
FRAME = Text(
    "python",
    r'^  File "(?P<file>.+)", line (?P<line>\d+)(?:, in (?P<function>.+))?$',
    '  File "train.py", line 3, in fails',
    seen=("python 3.11",),
    provoked_by=_FAILS_IN_A_FUNCTION,
)
QUOTED_FRAME = Text(
    "python",
    r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<function>.+)$',
    '    File "train.py", line 3, in fails',
    seen=("python 3.11",),
    provoked_by=_FAILS_IN_A_FUNCTION,
    flags=re.MULTILINE,
)
FRAME_IN_TEXT = Text(
    "python",
    r'File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<function>\S+)',
    'it was made at File "train.py", line 3, in fails',
    seen=("python 3.11",),
    provoked_by=_FAILS_IN_A_FUNCTION,
)
PLACE = Text(
    "python",
    r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)|\((?P<base>[\w.<>-]+), line (?P<number>\d+)\)',
    "invalid syntax (train.py, line 3)",
    seen=("python 3.11",),
    provoked_by='compile("a b", "train.py", "exec")',
)
PLACE_OF_SYNTAX_ERROR = Text(
    "python",
    r'^  File "(?P<file>.+)", line (?P<line>\d+)\s*$',
    '  File "train.py", line 3',
    seen=("python 3.11",),
    provoked_by='compile("a b", "train.py", "exec")',
)
ERROR = Text(
    "python",
    r"^(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$",
    "ZeroDivisionError: division by zero",
    seen=("python 3.11",),
    provoked_by="1 / 0",
)
ERROR_AT_THE_END = Text(
    "python",
    r"^(?P<type>[A-Za-z_][\w.]*)(?::[ ](?P<message>.*))?\s*\Z",
    "ZeroDivisionError: division by zero\n",
    seen=("python 3.11",),
    provoked_by="1 / 0",
    flags=re.MULTILINE | re.DOTALL,
)
CAUSED = Text(
    "python",
    r"The above exception was the direct cause of the following exception:",
    "The above exception was the direct cause of the following exception:",
    seen=("python 3.11",),
    provoked_by="raise KeyError from ValueError()",
)
DURING_ANOTHER = Text(
    "python",
    r"During handling of the above exception, another exception occurred:",
    "During handling of the above exception, another exception occurred:",
    seen=("python 3.11",),
    provoked_by="""\
try:
    1 / 0
except ZeroDivisionError:
    raise KeyError""",
)

# faulthandler.

_CRASH = """\
import faulthandler, os
faulthandler.enable()
os.abort()"""

FATAL = Text(
    "python",
    r"^Fatal Python error: (.+)$",
    "Fatal Python error: Aborted",
    seen=("python 3.11",),
    provoked_by=_CRASH,
    alone=True,
)
ILLEGAL_INSTRUCTION = Text(
    "python",
    r"^Fatal Python error: Illegal instruction",
    "Fatal Python error: Illegal instruction",
    seen=("python 3.11",),
    provoked_by=_CRASH.replace("os.abort()", "os.kill(os.getpid(), 4)"),
    alone=True,
)
FATAL_WITHOUT_SIGNAL = Text(
    "python",
    r"^Fatal Python error: (?P<text>(?!Segmentation fault|Aborted|Bus error|Illegal instruction|Floating[ -]point).+)$",
    "Fatal Python error: _Py_CheckRecursiveCall: Cannot recover from stack overflow.",
    seen=("python 3.11",),
    provoked_by="""\
import ctypes
ctypes.pythonapi.Py_FatalError(b"out of sense")""",
    alone=True,
)
FAULT_THREAD = Text(
    "python",
    r"^(?P<current>Current thread|Thread) 0x(?P<id>[0-9a-f]+)[^(]*\(most recent call first\):",
    "Current thread 0x00007f2a (most recent call first):",
    seen=("python 3.11",),
    provoked_by=_CRASH,
    alone=True,
)
FAULT_STACK = Text(
    "python",
    r"^Stack \(most recent call first\):",
    "Stack (most recent call first):",
    seen=("python 3.11",),
    provoked_by="""\
import faulthandler
faulthandler.dump_traceback(all_threads=False)""",
    alone=True,
)
FAULT_FRAME = Text(
    "python",
    r'^  File "(?P<file>.*)", line (?P<line>\d+|\?\?\?) in (?P<function>.*)$',
    '  File "train.py", line 3 in <module>',
    seen=("python 3.11",),
    provoked_by=_CRASH,
    alone=True,
)

# Locks.

LOCK_OWNER = Text(
    "python",
    r"owner=(\d+)",
    "<locked _thread.RLock object owner=140192 count=1 at 0x7f2a>",
    seen=("python 3.11",),
    provoked_by="""\
import threading
lock = threading.RLock()
lock.acquire()
print(lock)""",
)
