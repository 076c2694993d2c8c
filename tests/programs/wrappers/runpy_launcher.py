"""Runs another file as `__main__`, as launchers and test runners do."""

import pathlib
import runpy

runpy.run_path(str(pathlib.Path(__file__).with_name("launched.py")), run_name="__main__")
