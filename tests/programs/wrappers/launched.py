"""Started by runpy_launcher.py."""

rows = {"a": 1}
rows.pop("b")  # <- cause
