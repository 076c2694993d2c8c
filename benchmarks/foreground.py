"""What a run in the background of a shell ignores is heeded again: programs that we start would inherit it, and Ctrl-C
would not end them.
"""

from __future__ import annotations

import signal


def heed_signals() -> None:
    """To be called in the main thread."""
    for number, handler in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGQUIT, signal.SIG_DFL),
        (signal.SIGHUP, signal.SIG_DFL),
    ):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)
