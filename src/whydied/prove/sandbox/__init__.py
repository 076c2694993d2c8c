"""Runs a program such that it cannot change the user's files, reach the network or touch other processes.

`mechanism` says which protection works here, `entered` gives the command that runs another one inside, `clear` removes
what it left. What is protected by which mechanism is in docs/sandbox.md.
"""

from __future__ import annotations

from whydied.prove.sandbox.clearing import clear, notes
from whydied.prove.sandbox.mechanisms import entered, mechanism, original
from whydied.prove.sandbox.wanted import Mechanism, Wanted

__all__ = ["Mechanism", "Wanted", "clear", "entered", "mechanism", "notes", "original"]
