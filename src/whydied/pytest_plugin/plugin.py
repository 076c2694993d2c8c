"""What pytest loads at each start: the option `--whydied`. Runs in every process of pytest.

Invariant: without the option nothing is imported and no hook does anything; with it, an error of ours is one line and
pytest goes on as without us.

    the process that was started       tests run in
    pytest --whydied                   one process below it (`single_worker`), which a test can kill
    pytest --whydied -n 4              the workers of pytest-xdist (`crashed_workers`)
    pytest --whydied --pdb             the process itself, where somebody types; its watcher prints the report
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

import pytest

from whydied.pytest_plugin import PLACE

_TESTED = "whydied-tested"
_STAYS = ("usepdb", "trace", "collectonly", "setupplan", "setuponly", "setupshow", "show_fixtures", "cacheshow")
"""Options with which tests run in the process that was started, or do not run at all."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("whydied").addoption(
        "--whydied",
        action="store_true",
        default=False,
        help="Say why a test killed its process (out of memory, a crash, os._exit) or failed in TensorFlow or Keras.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Record from here on: a conftest may import TensorFlow."""
    if getattr(early_config.known_args_namespace, "whydied", False) and PLACE in os.environ:
        _guarded("record this process", lambda: _begin(early_config))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("whydied", False) or config.pluginmanager.hasplugin(_TESTED):
        return
    if sys.platform != "linux":
        _say("whydied needs Linux to record tests; they run without it")
        return
    _guarded("watch the tests", lambda: _attend(config))


def _begin(config: pytest.Config) -> None:
    from whydied.pytest_plugin.tested_process import TestedProcess

    # Another pytest that a test starts is not ours.
    plugin = TestedProcess(os.environ.pop(PLACE))
    config.pluginmanager.register(plugin, _TESTED)
    plugin.begin(config)


def _attend(config: pytest.Config) -> None:
    if any(config.getoption(name, False) for name in _STAYS) or config.invocation_params.plugins:
        from whydied.run.start import start

        start(name="pytest")
        return
    place = tempfile.mkdtemp(prefix="whydied-pytest-")
    if _uses_xdist(config):
        from whydied.pytest_plugin.crashed_workers import CrashedWorkers

        os.environ[PLACE] = place
        plugin: Any = CrashedWorkers(config, place)
    else:
        from whydied.pytest_plugin.single_worker import SingleWorker

        plugin = SingleWorker(config, place)
    config.pluginmanager.register(plugin, "whydied-watch")


def _uses_xdist(config: pytest.Config) -> bool:
    return bool(config.getoption("tx", None) or config.getoption("numprocesses", None))


def _guarded(what: str, act: Any) -> None:
    try:
        act()
    except Exception as error:
        _say(f"whydied cannot {what}: {error!r}")


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
