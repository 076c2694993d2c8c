"""Hooks that leave no frame of ours on the user's stack; runs in the user's process.

Invariant: while the hooked function runs, our code does not. A wrapper in the ordinary sense would show in
printed tracebacks, in the stack that TensorFlow stores with each graph op and quotes in its errors, and in the
`stacklevel` of warnings, and so change the program's output. Here Python itself asks a descriptor of ours which
callable to call: the descriptor does its work, answers with the original, and is gone before the original starts.
The price: the hook sees the caller's frame, not the arguments, and never the end of the call.

`Before` replaces a function, `BeforeMethod` a method of a class, `Final` a function whose result nobody uses, and only
that one sees the arguments: a class is called, its `__new__` is ours, its `__init__` is the original function itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from whydied.inside.guest import guard


def clean_raise(error: BaseException) -> None:
    """Take our frames off an error that is not ours, such as KeyboardInterrupt, before it goes on to the user."""
    try:
        error.__traceback__ = guard.interruption(error)
    except Exception:
        error.__traceback__ = None


class _CallDescriptor:
    """What `__call__` of a hook is: Python fetches it at each call, and calls what it gets with the arguments."""

    def __get__(self, hook: Any, owner: Any = None) -> Any:
        if hook is None:
            return self
        try:
            return hook._choose(sys._getframe(1))
        except Exception as error:
            if guard.is_the_users(error):
                raise
            return hook.__wrapped__
        except BaseException as error:
            clean_raise(error)
            raise


class Stand:
    """Looks like the function that it stands for."""

    def __init__(self, original: Callable[..., Any]) -> None:
        self.__wrapped__ = original
        self.__name__ = getattr(original, "__name__", "")
        self.__qualname__ = getattr(original, "__qualname__", self.__name__)
        self.__module__ = getattr(original, "__module__", "") or ""
        self.__doc__ = getattr(original, "__doc__", None)

    __call__ = _CallDescriptor()

    def _choose(self, frame: FrameType) -> Callable[..., Any]:
        return self.__wrapped__

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __reduce__(self) -> str:
        return self.__qualname__

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)


class Before(Stand):
    """Calls `work(frame of the caller)` before each call of a function."""

    def __init__(self, original: Callable[..., Any], work: Callable[[FrameType], None]) -> None:
        super().__init__(original)
        self._works: tuple[Callable[[FrameType], None], ...] = (work,)

    def add(self, work: Callable[[FrameType], None]) -> None:
        if work not in self._works:
            self._works = (*self._works, work)

    def _choose(self, frame: FrameType) -> Callable[..., Any]:
        for work in self._works:
            work(frame)
        return self.__wrapped__


class Final(Stand):
    """Calls `work(args, kwargs, frame of the caller)` before each call of a function that does not return, or whose
    result nobody uses and is None. With `returns`, only where Python code calls it directly and drops the result: who
    looks at that would get an object of ours instead of None."""

    def __init__(
        self,
        original: Callable[..., Any],
        work: Callable[[tuple[Any, ...], dict[str, Any], FrameType], None],
        returns: bool = False,
    ) -> None:
        super().__init__(original)
        self._returns = returns

        class Stage:
            def __new__(cls, *args: Any, **kwargs: Any) -> Stage:
                try:
                    work(args, kwargs, sys._getframe(1))
                except Exception as error:
                    if guard.is_the_users(error):
                        raise
                except BaseException as error:
                    clean_raise(error)
                    raise
                return object.__new__(cls)

            __init__ = staticmethod(original)

        self._stage: Callable[..., Any] = Stage

    def _choose(self, frame: FrameType) -> Callable[..., Any]:
        if not self._returns:
            return self._stage
        # Most programs never come here.
        from whydied.inside.guest import call_sites

        return self._stage if call_sites.drops_result_of(self, frame) else self.__wrapped__


class BeforeMethod:
    """Calls `work(instance, frame of the caller)` when a method is fetched from an instance, then hands out the
    method itself. For internal methods that are fetched only to be called."""

    def __init__(self, original: Any, work: Callable[[Any, FrameType], None]) -> None:
        self.original = original
        self._works: tuple[Callable[[Any, FrameType], None], ...] = (work,)

    def add(self, work: Callable[[Any, FrameType], None]) -> None:
        if work not in self._works:
            self._works = (*self._works, work)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self.original.__get__(None, owner)
        try:
            frame = sys._getframe(1)
            for work in self._works:
                work(instance, frame)
        except Exception as error:
            if guard.is_the_users(error):
                raise
        except BaseException as error:
            clean_raise(error)
            raise
        return self.original.__get__(instance, owner)


def before(owner: Any, name: str, work: Callable[[FrameType], None]) -> None:
    """Hook a function of a module; several hooks may share one. Raises AttributeError where there is none."""
    found = getattr(owner, name)
    if isinstance(found, Before):
        found.add(work)
    else:
        _put(owner, name, Before(found, work))


def final(
    owner: Any,
    name: str,
    work: Callable[[tuple[Any, ...], dict[str, Any], FrameType], None],
    returns: bool = False,
) -> None:
    _put(owner, name, Final(getattr(owner, name), work, returns))


def _put(owner: Any, name: str, hook: Stand) -> None:
    """In the place of the original, and in the module that it says it is from: pickle looks there (`os.kill` is from
    `posix`), and finds what it was given."""
    home = sys.modules.get(hook.__module__)
    if home is not None and getattr(home, name, None) is hook.__wrapped__:
        setattr(home, name, hook)
    setattr(owner, name, hook)


def hooking(what: str, place: str, work: Callable[..., None]) -> Callable[[Any], None]:
    """What hooks `Class.method`, or a function, of a module that was imported. Where there is none, that is
    recorded."""

    def hook(module: Any) -> None:
        owner, _, name = place.rpartition(".")
        with guard.limits(what):
            if owner:
                before_method(getattr(module, owner), name, work)
            else:
                before(module, name, work)

    return hook


def before_method(owner: type, name: str, work: Callable[[Any, FrameType], None]) -> None:
    """Hook a method in the class that defines it. Raises AttributeError where there is none."""
    for base in owner.__mro__:
        if name in base.__dict__:
            found = base.__dict__[name]
            if isinstance(found, BeforeMethod):
                found.add(work)
            else:
                setattr(base, name, BeforeMethod(found, work))
            return
    raise AttributeError(f"{owner.__name__} has no method {name} to hook")
