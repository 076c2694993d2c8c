"""In front of the installed package where a program does without it: see `trial.environment`."""

raise ModuleNotFoundError("No module named 'pandas'", name="pandas")
