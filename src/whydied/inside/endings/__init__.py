"""How the process ends: exits, uncaught exceptions, crash dumps, and the stacks of its threads."""
