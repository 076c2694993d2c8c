"""`whydied kernel`: kernelspecs whose kernels say why they died. Runs in the parent; changes only kernelspecs."""

from __future__ import annotations

import importlib.util
import sys

import click

from whydied import config
from whydied.errors import UsageError
from whydied.report import plain
from whydied.report.terminal.sentences import say

_NEEDED = ("jupyter_client", "ipykernel", "zmq")


@click.group(short_help="Notebook kernels that say why they died.")
def command() -> None:
    """Jupyter kernels that say in the cell why they died.

    \b
    Examples:
      whydied kernel install                    a kernel "Python 3 (ipykernel) (whydied)" beside your own
      whydied kernel install --replace python3  your own kernel from now on, with reports
      whydied kernel install --all              every Python kernel, for a whole environment or hub
      whydied kernel list                       what is installed
      whydied kernel uninstall                  everything as it was
    """


@command.command()
@click.option("--name", metavar="NAME", help="The kernelspec's name (default whydied).")
@click.option(
    "--env",
    "variables",
    metavar="KEY=VALUE",
    multiple=True,
    help="Set an environment variable for its kernels; repeatable.",
)
@click.option("--memory-limit", metavar="SIZE", help="Limit the memory of each kernel, such as 4G.")
@click.option("--memory-guard", is_flag=True, help="Raise MemoryError in a cell when memory runs low; see the docs.")
@click.option("--replace", metavar="SPEC", help="Replace this kernelspec by a wrapped one; uninstall restores it.")
@click.option("--all", "everything", is_flag=True, help="Replace every Python kernelspec; uninstall restores them.")
@click.option("--user", "where", flag_value="user", help="Install for you alone, in your home directory (default).")
@click.option("--sys-prefix", "where", flag_value="sys-prefix", help="Install into this environment.")
@click.option("--prefix", metavar="DIR", help="Install below DIR, in DIR/share/jupyter/kernels.")
def install(
    name: str | None,
    variables: tuple[str, ...],
    memory_limit: str | None,
    memory_guard: bool,
    replace: str | None,
    everything: bool,
    where: str | None,
    prefix: str | None,
) -> None:
    """Install a kernelspec that starts the kernel of this environment under whydied.

    When such a kernel dies, the cell that was running shows why. Interrupt, restart, input(), widgets and the debugger
    work as before: the kernel is the ordinary one.

    \b
    Examples:
      whydied kernel install
      whydied kernel install --sys-prefix --name tf --env TF_CPP_MIN_LOG_LEVEL=2
      whydied kernel install --replace python3
      whydied kernel install --all
    """
    _require()
    _require_linux()
    from whydied.jupyter import spec

    env = dict(_variable(text) for text in variables)
    options = _options(memory_limit, memory_guard)
    if prefix and where:
        raise click.UsageError("--prefix, --user and --sys-prefix are mutually exclusive.")
    if (replace or everything) and (name or prefix or where or (replace and everything)):
        raise click.UsageError(
            "--replace and --all change specs in place; they cannot be combined with each other, nor with --name, "
            "--prefix, --user or --sys-prefix."
        )
    if everything:
        made = spec.replace_all(env=env, options=options)
    elif replace:
        made = [spec.replace(replace, env=env, options=options)]
    else:
        place = sys.prefix if where == "sys-prefix" else prefix
        made = [spec.install(name=name or spec.NAME, env=env, options=options, prefix=place)]
    for one in made:
        say(f"{plain.line(one.display_name)}: {plain.line(str(one.directory))}")
    if not made:
        raise UsageError("no Python kernelspec was found", "install ipykernel into this environment")
    what = "Nothing else has to be done" if everything else "Select it in Jupyter"
    say(f"{what}; when such a kernel dies, the cell says why.")


_prefix_option = click.option("--prefix", metavar="DIR", help="Look only below DIR, as in install.")


@command.command()
@click.argument("name", required=False)
@_prefix_option
def uninstall(name: str | None, prefix: str | None) -> None:
    """Remove the kernelspecs of whydied, or the one of that NAME; what --replace wrapped is put back byte for byte."""
    _require()
    from whydied.jupyter import spec

    there = [one for one in spec.ours(prefix) if name is None or one.name == name]
    if not there and name is not None:
        raise UsageError(f"{name} is not a whydied kernelspec", "`whydied kernel list` shows them")
    for one in there:
        say(plain.line(spec.uninstall(one)))
    if not there:
        say("No whydied kernelspec is installed.")


@command.command("list")
@_prefix_option
def list_(prefix: str | None) -> None:
    """List the kernelspecs of whydied."""
    _require()
    from whydied.jupyter import spec

    there = spec.ours(prefix)
    for one in there:
        how = f"replaces {one.wraps}" if one.kind == "instead" else f"beside {one.wraps}"
        broken = "" if one.works else f"  (its interpreter {one.python} is gone: install it again)"
        say(plain.line(f"{one.name}  {one.display_name}  {how}  {one.directory}{broken}"))
    if not there:
        say("No whydied kernelspec is installed; `whydied kernel install` adds one.")


def _require() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"kernels need {' and '.join(missing)}, not installed here", 'pip install "whydied[jupyter]"')


def _require_linux() -> None:
    if sys.platform != "linux":
        raise UsageError(
            f"kernels under whydied need Linux (/proc, cgroups); this is {sys.platform}",
            "run Jupyter in a Linux container",
        )


def _options(memory_limit: str | None, memory_guard: bool) -> tuple[str, ...]:
    """Words of the spec's command for the supervisor."""
    words = []
    if memory_limit:
        config.parse_memory_limit(memory_limit)
        words.append(f"--memory-limit={memory_limit}")
    return (*words, "--memory-guard") if memory_guard else tuple(words)


def _variable(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not key or not sign:
        raise UsageError(f"{text!r} is not a variable assignment", "write it like --env TF_CPP_MIN_LOG_LEVEL=2")
    return key, value
