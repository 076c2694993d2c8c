"""Run with `-m trainer`."""

from trainer import loop

loop.run(["a", "b"])
