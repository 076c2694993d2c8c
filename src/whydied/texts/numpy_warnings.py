"""What NumPy warns of when values leave the numbers, and what refuses such values says. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

NOT_A_NUMBER = Text("numpy", r"(invalid value|divide by zero|overflow) encountered in (?:scalar )?(\w+)")
NOT_FINITE = Text("python", r"(?i)\bnan\b|\binf(?:inity)?\b|\bfinite\b")
