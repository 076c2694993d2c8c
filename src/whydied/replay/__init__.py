"""Runs a captured step again and finds where its first bad value came from: `python -m whydied.replay DIR`.

The only package that runs in a process of ours with the user's TensorFlow. The graph of the step is interpreted op by
op (`execution`), the trace is walked back from the symptom (`first_bad_value`), and suspicions are proved by
running the step with other values (`trials`, `bad_rows`, `blame`). `step_report` makes the `Replay` of it.

Invariant: no code of the user's runs, nothing is written but `replay.json`, and ops that would reach out of
the process (files, Python functions, summaries) are left out or refused.
"""
