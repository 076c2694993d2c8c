"""Executes the ops of a captured step one by one and keeps what each was given and gave."""
