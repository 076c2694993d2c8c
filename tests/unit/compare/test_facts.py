"""What differs between the records of two runs."""

from __future__ import annotations

from tests.unit.diagnose.case_of import recording_of
from whydied.compare.facts import changed_facts
from whydied.diagnose.case import Case
from whydied.records import CallBegan, DataSeen, Frame, LayerSeen, ModelSeen, Numbers, Record, VersionsSeen

FRAME = Frame(file="/home/ann/train.py", line=9, function="<module>", user=True)


def run(units: int, batch: int, rows: int, most: float, version: str, extra: tuple[LayerSeen, ...] = ()) -> Case:
    layers = [
        LayerSeen(name="dense", type="Dense", shape=[None, units], dtype="float32", parameters=8 * units),
        *extra,
    ]
    records: list[Record] = [
        VersionsSeen(versions={"keras": version}),
        ModelSeen(model="net", type="Sequential", call=1, layers=layers, optimizer="Adam", loss="mse"),
        CallBegan(call=1, kind="fit", frames=[FRAME], model="net", arguments={"batch_size": batch, "epochs": 2}),
        DataSeen(
            name="x",
            role="input",
            sort="array",
            shape=[None, 8],
            dtype="float32",
            rows_seen=rows,
            rows=rows,
            call=1,
            kind="fit",
            numbers=Numbers(shape=[0, 8], dtype="float32", count=rows * 8, least=0.0, greatest=most),
        ),
    ]
    return Case(recording_of(process=records, exit_code=0))


def told(good: Case, bad: Case) -> set[tuple[str, str, str, str]]:
    return {(one.kind, one.what, one.good, one.bad) for one in changed_facts(good, bad)}


def test_runs_that_are_alike_differ_in_nothing() -> None:
    assert told(run(16, 32, 500, 1.0, "3.15"), run(16, 32, 500, 1.0, "3.15")) == set()


def test_each_fact_that_differs_is_told_once() -> None:
    assert told(run(16, 32, 500, 1.0, "3.14"), run(24, 64, 600, 255.0, "3.15")) == {
        ("version", "keras", "3.14", "3.15"),
        ("model", "net: dense", "Dense (None, 16) 128 parameters", "Dense (None, 24) 192 parameters"),
        ("model", "net", "1 layer, 128 parameters", "1 layer, 192 parameters"),
        ("call", "fit: batch_size", "32", "64"),
        ("data", "`x` of fit: rows", "500", "600"),
        ("data", "`x` of fit: range", "0 to 1", "0 to 255"),
    }


def test_layers_are_told_by_name_where_others_were_put_in() -> None:
    more = (LayerSeen(name="dropout", type="Dropout", shape=[None, 16], parameters=0),)
    assert told(run(16, 32, 500, 1.0, "3.15"), run(16, 32, 500, 1.0, "3.15", more)) == {
        ("model", "net: dropout", "-", "Dropout (None, 16)"),
        ("model", "net", "1 layer, 128 parameters", "2 layers, 128 parameters"),
    }
