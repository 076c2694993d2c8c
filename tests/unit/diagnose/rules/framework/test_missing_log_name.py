"""FRM007: a name that the logs do not have, asked for with `get` or in a format. Each program is run: what was asked is
the recorder's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.framework import missing_log_name
from whydied.records import CallBegan

FITTED = CallBegan(call=1, kind="fit", frames=[])
LOGS = "logs = {'accuracy': 0.5, 'loss': 0.1, 'val_accuracy': 0.4, 'val_loss': 0.2}\n"


def died(directory: Path, text: str) -> Case:
    return died_of(directory, text, facts=[FITTED])


@pytest.mark.parametrize(
    ("use", "changed"),
    [
        ("logs.get('acc') > target", "logs.get('accuracy') > target"),
        ("(logs or {}).get('acc') > target", "(logs or {}).get('accuracy') > target"),
        ("target - logs.get('val_acc', None)", "target - logs.get('val_accuracy', None)"),
        ("print('%d: %.2f' % (3, logs.get('acc')))", "print('%d: %.2f' % (3, logs.get('accuracy')))"),
        ("'{:.2f}'.format(logs.get('val_acc'))", "'{:.2f}'.format(logs.get('val_accuracy'))"),
        ("float(logs.get('acc'))", "float(logs.get('accuracy'))"),
        ("max(target, logs.get('acc'))", "max(target, logs.get('accuracy'))"),
        ("'%(acc).2f' % logs", "'%(accuracy).2f' % logs"),
        ("'{acc:.2f}'.format(**logs)", "'{accuracy:.2f}'.format(**logs)"),
    ],
)
def test_the_logged_name_for_one_that_gives_none(tmp_path: Path, use: str, changed: str) -> None:
    case = died(tmp_path, f"{LOGS}target = 0.9\n{use}")
    found = missing_log_name.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (3, "certain")
    assert patches_of(case, found) == [[f"-{use}", f"+{changed}"]]


@pytest.mark.parametrize(
    "text",
    [
        "kept = {'accuracy': 1}\nkept.get('acc') > 0.9",
        LOGS + "target = None\nlogs.get('accuracy') > target",
        LOGS + "logs.get('acc', 'x') > 0.9",
    ],
)
def test_what_is_not_a_missed_log(tmp_path: Path, text: str) -> None:
    """A dictionary of the program's own; a name that is logged; a default that is not None."""
    assert missing_log_name.check(died(tmp_path, text)) is None


def test_without_a_training_it_is_a_dictionary(tmp_path: Path) -> None:
    assert missing_log_name.check(died_of(tmp_path, f"{LOGS}logs.get('acc') > 0.9")) is None


COMPILED = """
    class Net:
        def compile(self, *given, **named): pass

    net = Net()
    net.compile(optimizer="adam", loss="mse"{metrics})
    logs = {{"loss": 0.1, "val_loss": 0.2}}
    logs["{name}"]
"""


@pytest.mark.parametrize(
    ("metrics", "changed"),
    [
        ("", ', metrics=["acc"]'),
        (', metrics=["mae"]', ', metrics=["mae", "acc"]'),
        (', metrics="mae"', ', metrics=["mae", "acc"]'),
        (", metrics=[]", ', metrics=["acc"]'),
    ],
)
def test_the_metric_that_was_not_compiled(tmp_path: Path, metrics: str, changed: str) -> None:
    case = died(tmp_path, COMPILED.format(metrics=metrics, name="val_acc"))
    found = missing_log_name.check(case)
    assert found is not None
    before, after = (f'net.compile(optimizer="adam", loss="mse"{one})' for one in (metrics, changed))
    assert patches_of(case, found) == [[f"-{before}", f"+{after}"]]
    assert found.advice[0].startswith("Add `acc` to the metrics of `compile`")


def test_a_name_that_is_no_metric_is_not_compiled(tmp_path: Path) -> None:
    case = died(tmp_path, COMPILED.format(metrics="", name="val_bleu"))
    found = missing_log_name.check(case)
    assert found is not None
    assert patches_of(case, found) == []


SAVED = """
    def Checkpoint(path, monitor): return path
    path = "w-{epoch}-{val_bleu:.2f}.h5"
    saved = Checkpoint(path, monitor="MONITOR")
    logs = {"epoch": 1, "loss": 0.1, "val_loss": 0.2}
    path.format(**logs)
"""


def test_the_name_that_the_callback_monitors(tmp_path: Path) -> None:
    case = died(tmp_path, SAVED.replace("MONITOR", "val_loss"))
    found = missing_log_name.check(case)
    assert found is not None
    assert patches_of(case, found) == [
        ['-path = "w-{epoch}-{val_bleu:.2f}.h5"', '+path = "w-{epoch}-{val_loss:.2f}.h5"']
    ]
    case = died(tmp_path, SAVED.replace("MONITOR", "val_bleu"))
    found = missing_log_name.check(case)
    assert found is not None
    assert patches_of(case, found) == []
