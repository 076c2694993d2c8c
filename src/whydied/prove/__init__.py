"""A cause is shown by removing it: the program runs again in a sandbox with one thing changed, and what came of it is
an ordinary recording that is compared with the first. Runs in the parent, after the program has ended."""
