"""Why a replay ends early; raised and caught within the package, in the process of the replay."""

from __future__ import annotations


class ReplayError(Exception):
    """The step cannot be run again; the message is the reason in words."""


class OutOfTime(ReplayError):
    """The time given to the replay is used up."""
