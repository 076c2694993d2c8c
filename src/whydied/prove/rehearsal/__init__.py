"""Many changes of a program tried quickly, to choose those that deserve a trial of their own."""

from whydied.prove.rehearsal.rehearsal import Standing, Variant, rehearsed

__all__ = ["Standing", "Variant", "rehearsed"]
