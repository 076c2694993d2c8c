# Gets whydied into a Python process: the supervisor puts this directory first on PYTHONPATH, and `site` imports this
# file at the start of each interpreter below it, of any version, so it must be harmless from Python 2.7 on.
#
# Invariant: the `sitecustomize` that the interpreter would have imported without us runs as it would have,
# errors included; where there is none, this module vanishes again (`site` passes over an ImportError of that name).
import os
import sys


def _leave_path():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != here]
    getattr(sys, "path_importer_cache", {}).pop(here, None)


def _run_the_other():
    """Import the shadowed sitecustomize in our place. True if there is one."""
    ours = sys.modules.pop(__name__, None)
    try:
        __import__(__name__)
        return True
    except ImportError as error:
        if getattr(error, "name", None) != __name__ and sys.version_info >= (3, 3):
            raise
        if ours is not None:
            sys.modules[__name__] = ours
        return False


def _tell_failure(run, error):
    try:
        path = os.path.join(run, "faults", "%d.inside-failed.txt" % os.getpid())
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            text = "%s: %s (Python %s, %s)\n" % (type(error).__name__, error, sys.version.split()[0], sys.executable)
            os.write(descriptor, text.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)
    except Exception:
        pass


def _import_from(home):
    """Import the recorder with the modules of another environment in reach, and leave only ours behind."""
    before = set(sys.modules)
    sys.path.append(home)
    try:
        from whydied.inside import recorder
    finally:
        try:
            sys.path.remove(home)
        except ValueError:
            pass
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(home + os.sep) and name.split(".")[0] not in ("whydied", "msgspec"):
                del sys.modules[name]
    return recorder


def _in_subinterpreter():
    """`site` runs in each of them too. A thread of ours would keep it from ending, which is a fatal error.

    The interpreter that a process begins with runs this in its main thread, and only there may the wake-up descriptor
    be set. None is set yet.
    """
    import _signal

    try:
        former = _signal.set_wakeup_fd(-1)
    except ValueError:
        return True
    if former != -1:
        _signal.set_wakeup_fd(former)
    return False


def _begin():
    run = os.environ.get("WHYDIED_RUN")
    if not run or sys.version_info < (3, 10):
        if run:
            _tell_failure(run, RuntimeError("the recorder needs Python 3.10 or newer"))
        return
    try:
        if not os.path.isdir(run) or _in_subinterpreter():
            return
        try:
            from whydied.inside import recorder
        except ImportError:
            home = os.environ.get("WHYDIED_HOME")
            if not home:
                raise
            for name in [name for name in sys.modules if name.split(".")[0] in ("whydied", "msgspec")]:
                del sys.modules[name]
            recorder = _import_from(home)
        recorder.begin_at(run, "exec")
    except Exception as error:
        _tell_failure(run, error)


_other = True
try:
    _leave_path()
    _other = _run_the_other()
finally:
    try:
        _begin()
    except Exception:
        pass
if not _other and sys.version_info >= (3, 6):
    raise ImportError("no sitecustomize other than whydied's", name=__name__)
