"""Small edits of a program that an exception ended, for a trial: what removes the failure is the reason. Pure."""

from whydied.prove.guesses.enumeration import guesses as guesses
