"""Asks for files and modules that are not there, as feature probes do."""

import importlib.util
import os

print(os.path.exists("settings.toml"), importlib.util.find_spec("module_that_is_not_there"))
try:
    import module_that_is_not_there
except ImportError:
    module_that_is_not_there = None
try:
    open("settings.toml").close()
except FileNotFoundError:
    print("using defaults")
