"""The state of a training, kept and taken up again, with a stand-in for Keras: what it does with a state is the point
here, that real Keras goes on with one is shown by tests/integration/test_heal.py."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.inside.public import requested_watches
from whydied.inside.resuming import fit_backups, model_state
from whydied.records import FitResumed, Wishes


class Callback:
    def set_model(self, model: Any) -> None:
        self.model = model

    def set_params(self, params: Any) -> None:
        pass

    def on_train_begin(self, logs: Any = None) -> None:
        pass

    on_train_end = on_train_begin

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        pass

    on_epoch_end = on_epoch_begin


class History(Callback):
    def __init__(self) -> None:
        self.history: dict[str, list[float]] = {}

    def on_train_begin(self, logs: Any = None) -> None:
        self.epoch: list[int] = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        self.history.setdefault("loss", []).append(10.0 - epoch)


class BackupAndRestore(Callback):
    pass


class CallbackList:
    def __init__(self, callbacks: list[Any]) -> None:
        self.callbacks = [*callbacks, History()]
        self.params: dict[str, Any] = {}

    def on_train_begin(self) -> None:
        for one in self.callbacks:
            one.on_train_begin()


class Weight:
    def __init__(self, size: int) -> None:
        self.value = np.zeros((size,), np.float32)
        self.shape = self.value.shape

    def numpy(self) -> Any:
        return self.value


class Rate:
    def __init__(self, value: float) -> None:
        self.value = value

    def numpy(self) -> float:
        return self.value

    def assign(self, value: float) -> None:
        self.value = value


class Optimizer:
    built = True

    def __init__(self, rate: float) -> None:
        self._learning_rate = Rate(rate)


class Model:
    """Its only weight counts the epochs; saved with it is the rate, as real optimizers do."""

    _initial_epoch: int | None = None

    def __init__(self, size: int = 3, rate: float = 0.1) -> None:
        self.weights = [Weight(size)]
        self.optimizer = Optimizer(rate)
        self.fails = False

    def save_weights(self, path: str) -> None:
        Path(path).write_text(json.dumps([self.weights[0].value.tolist(), self.optimizer._learning_rate.value]))

    def load_weights(self, path: str) -> None:
        if self.fails:
            raise ValueError("no such layer")
        value, rate = json.loads(Path(path).read_text())
        self.weights[0].value = np.array(value, np.float32)
        self.optimizer._learning_rate.value = rate

    def fit(
        self, x: Any, y: Any, epochs: int, dies_at: int | None = None, initial_epoch: int = 0, callbacks: Any = ()
    ) -> Any:
        listed = CallbackList([*callbacks])
        listed.on_train_begin()
        for epoch in range(self._initial_epoch or initial_epoch, epochs):
            for one in listed.callbacks:
                one.on_epoch_begin(epoch)
            if epoch == dies_at:
                raise KeyboardInterrupt
            self.weights[0].value += 1
            for one in listed.callbacks:
                one.on_epoch_end(epoch)
        for one in listed.callbacks:
            one.on_train_end()
        return next(one for one in listed.callbacks if isinstance(one, History))


X = np.arange(12.0).reshape(4, 3)
Y = np.ones(4)


def train(model: Model, *args: Any, **given: Any) -> Any:
    """The line of the program that calls `fit`."""
    return model.fit(*args, **given)


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Begins another run of the program."""
    original = CallbackList.__dict__["on_train_begin"]
    fit_backups.hook_callbacks(sys.modules[__name__])
    monkeypatch.setattr(fit_backups, "COST", 0.0)
    number = 0

    def begin() -> None:
        nonlocal number
        number += 1
        run = tmp_path / f"run-{number}"
        (run / "streams").mkdir(parents=True)
        journal.close()
        journal.open_journal(str(run))
        monkeypatch.setattr(requested_watches, "_known", (str(run), Wishes(backup="../backup")))
        monkeypatch.setattr(fit_backups, "_fits", 0)
        monkeypatch.setattr(fit_backups, "_place", None)

    yield begin
    CallbackList.on_train_begin = original  # type: ignore[method-assign]
    journal.close()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was recorded, our own errors too."""
    found: list[Any] = []
    monkeypatch.setattr(journal.Journal, "write", lambda self, record: found.append(record))
    monkeypatch.setattr(journal.Journal, "find_main", lambda self: None)
    return found


def died(start: Any, **given: Any) -> None:
    start()
    with pytest.raises(KeyboardInterrupt):
        train(Model(), X, Y, 5, dies_at=2, **given)


def test_a_training_goes_on_where_it_died_with_its_history(start: Any, told: list[FitResumed]) -> None:
    died(start)
    start()
    model = Model()
    history = train(model, X, Y, 5)
    assert (model.weights[0].value == 5).all()
    assert (history.epoch, history.history["loss"]) == ([0, 1, 2, 3, 4], [10.0, 9.0, 8.0, 7.0, 6.0])
    assert [(one.epoch, one.epochs, one.reason) for one in told] == [(2, 5, "")]
    assert model._initial_epoch is None


def test_what_was_done_is_not_done_again_and_the_next_fit_begins_at_its_own_epoch(
    start: Any, told: list[FitResumed]
) -> None:
    start()
    train(Model(), X, Y, 3)
    start()
    model = Model()
    assert train(model, X, Y, 3).epoch == [0, 1, 2]
    assert train(model, X, Y, 2).epoch == [0, 1]
    assert (model.weights[0].value == 5).all()
    assert [(one.epoch, one.epochs) for one in told] == [(3, 3)]


@pytest.mark.parametrize(
    ("model", "x", "reason"),
    [
        (Model(size=4), X, "the weights of the model have other shapes than before"),
        (Model(), X + 1, "the data are not those of before"),
    ],
)
def test_another_model_or_other_data_begin_anew(
    start: Any, told: list[FitResumed], model: Model, x: Any, reason: str
) -> None:
    died(start)
    start()
    assert train(model, x, Y, 5).epoch == [0, 1, 2, 3, 4]
    assert [one.reason for one in told] == [reason]


def test_a_state_that_cannot_be_loaded_does_not_end_the_training(start: Any, told: list[FitResumed]) -> None:
    died(start)
    start()
    model = Model()
    model.fails = True
    assert train(model, X, Y, 5).epoch == [0, 1, 2, 3, 4]
    assert [one.reason for one in told] == ["its weights could not be loaded: no such layer"]


def test_a_lower_rate_of_the_changed_program_is_kept(start: Any, told: list[FitResumed]) -> None:
    died(start)
    start()
    model = Model(rate=0.01)
    train(model, X, Y, 5)
    assert model.optimizer._learning_rate.value == pytest.approx(0.01)


def test_a_later_epoch_of_the_programs_own_is_respected(start: Any, told: list[FitResumed]) -> None:
    died(start)
    start()
    assert train(Model(), X, Y, 5, initial_epoch=3).epoch == [3, 4]
    assert told == []


def test_values_that_are_not_finite_are_not_kept(start: Any, tmp_path: Path) -> None:
    class Spoil(Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            if epoch == 1:
                self.model.weights[0].value[0] = np.nan

    start()
    spoil, model = Spoil(), Model()
    spoil.set_model(model)
    train(model, X, Y, 4, callbacks=[spoil])
    state = json.loads(next((tmp_path / "backup").glob("*/*/state.json")).read_text())
    assert (state["epoch"], "finished" in state) == (1, False)


def test_a_program_with_its_own_backups_is_left_alone(start: Any, tmp_path: Path) -> None:
    start()
    train(Model(), X, Y, 2, callbacks=[BackupAndRestore()])
    assert not list((tmp_path / "backup").glob("*/*/state.json"))


def test_a_full_disk_does_not_end_the_training(start: Any, monkeypatch: pytest.MonkeyPatch, told: list[Any]) -> None:
    def full(model: Any, stem: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(model_state, "save", full)
    start()
    assert train(Model(), X, Y, 2).epoch == [0, 1]
    assert [type(one).__name__ for one in told] == ["RecorderLimited"]


@pytest.mark.parametrize("place", sorted(place for place in guard.PLACES if place.startswith("fit_backups.")))
def test_a_failure_of_ours_is_not_the_trainings(place: str, start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(place)

    monkeypatch.setattr(model_state, "rate", fail)
    monkeypatch.setattr(model_state, "is_finite", fail)
    monkeypatch.setattr(fit_backups, "_process_place", fail) if place == "fit_backups.begins" else None
    start()
    assert train(Model(), X, Y, 2).epoch == [0, 1]


@pytest.mark.parametrize(
    ("now", "alike"),
    [
        (X.astype("float16"), True),
        (X.astype("float32"), True),
        (X * 2, False),
        (X[:3], False),
        (X.T, False),
        (np.where(X == 3, np.nan, X), False),
    ],
)
def test_the_same_data_in_another_precision_are_the_same(now: Any, alike: bool) -> None:
    assert model_state.are_alike(model_state.sample(X, Y), model_state.sample(now, Y)) is alike


def test_what_is_not_an_array_of_numbers_is_not_compared() -> None:
    assert model_state.sample(X, ["a"]) == model_state.sample(None) == model_state.sample(np.array(["a"])) == []
