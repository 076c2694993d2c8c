"""ENV020, ENV021 and what ENV006 advises: packages that are missing or have a version that is not required."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import line, raised, recording_of
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.records import (
    ModuleShadowed,
    PackageMissing,
    PackageSeen,
    PackagesSeen,
    ProcessExiting,
    Record,
    VersionsSeen,
)

PYTHON = "/venv/bin/python"
TF_219 = PackageSeen(
    name="tensorflow",
    version="2.19.0",
    requires=["protobuf!=4.21.0,<6.0.0dev,>=3.20.3", "numpy<2.2.0,>=1.26.0", 'colorama; sys_platform == "win32"'],
)


def verdict(kind: str, message: str, *facts: Record, **fields: object) -> Diagnosis:
    process = [line(), raised(kind, message, number=1, **fields), *facts]
    return diagnose(recording_of(process=process, exit_code=1))


def missing(**fields: object) -> PackageMissing:
    return PackageMissing(link=0, python=PYTHON, version="3.11.7", **fields)  # type: ignore[arg-type]


def test_the_name_of_the_package_is_told_where_it_differs() -> None:
    found = verdict(
        "ModuleNotFoundError", "No module named 'cv2'", missing(module="cv2", package="opencv-python")
    ).cause
    assert found is not None
    assert (found.code, found.certainty) == ("ENV020", "certain")
    assert found.message == (
        "train.py:1: `cv2` is not installed for this Python (3.11.7); its package is opencv-python"
    )
    assert found.advice == ["Install it: `/venv/bin/python -m pip install opencv-python`."]


def test_the_library_that_asks_is_named() -> None:
    fact = missing(module="pydot", package="pydot", wanted_by="keras")
    found = verdict("ImportError", "You must install pydot (`pip install pydot`) for `plot_model` to work.", fact).cause
    assert found is not None
    assert "Keras needs `pydot`, which is not installed" in found.message


def test_a_module_of_the_programs_own_is_not_to_be_installed() -> None:
    fact = missing(module="helpers", nearby="/home/ann/src/helpers")
    found = verdict("ModuleNotFoundError", "No module named 'helpers'", fact).cause
    assert found is not None
    assert found.advice == ["Run it with PYTHONPATH=/home/ann/src."]


def test_a_misspelt_module_is_left_to_the_near_name() -> None:
    found = verdict("ModuleNotFoundError", "No module named 'nunpy'", missing(module="nunpy"), near=["numpy"]).cause
    assert found is not None
    assert found.code == "PRC008"


def test_a_library_of_the_system_is_told_with_both_ways() -> None:
    fact = missing(module="libGL.so.1", system="libgl1", package="opencv-python-headless")
    found = verdict("ImportError", "libGL.so.1: cannot open shared object file: No such file or directory", fact).cause
    assert found is not None
    assert found.advice == [
        "Install it: `apt install libgl1`, or a package that does without it: `/venv/bin/python -m pip install "
        "opencv-python-headless`."
    ]


def test_the_backend_of_keras_is_told_as_such() -> None:
    fact = missing(module="torch", wanted_by="keras", backend="torch")
    found = verdict("ModuleNotFoundError", "No module named 'torch'", fact).cause
    assert found is not None
    assert (found.message, found.certainty) == (
        "train.py:1: KERAS_BACKEND is torch, and `torch` is not installed",
        "certain",
    )


# Versions.


def seen(protobuf: str, modules: list[str] | None = None) -> PackagesSeen:
    return PackagesSeen(
        link=0,
        packages=[TF_219],
        installed={"protobuf": protobuf, "numpy": "2.1.3"},
        modules=modules or ["tensorflow", "google"],
        python=PYTHON,
    )


def test_a_version_that_is_not_required_is_told_with_the_command() -> None:
    found = verdict("AttributeError", "module 'google.protobuf.x' has no attribute 'y'", seen("6.31.1")).cause
    assert found is not None
    assert (found.code, found.certainty) == ("ENV021", "likely")
    assert "tensorflow 2.19.0 requires protobuf" in found.message
    assert "and protobuf 6.31.1 is installed" in found.message
    assert found.advice[0].startswith("Install a version that fits: /venv/bin/python -m pip install 'protobuf")


@pytest.mark.parametrize(
    "fact",
    [
        seen("5.29.5"),  # as required
        seen("6.31.1", modules=["tensorflow"]),  # took no part
    ],
)
def test_a_version_that_fits_or_took_no_part_is_not_told(fact: PackagesSeen) -> None:
    found = verdict("AttributeError", "'Foo' object has no attribute 'bar'", fact).cause
    assert found is not None
    assert found.code == "PRC008"


def test_protobuf_6_is_told_with_what_tensorflow_requires() -> None:
    text = "'MessageFactory' object has no attribute 'GetPrototype'"
    found = verdict("AttributeError", text, seen("6.31.1")).cause
    assert found is not None
    assert found.code == "ENV006"
    assert "`GetPrototype`, which release 6.30 removed" in found.message
    assert "tensorflow 2.19.0 requires protobuf" in found.advice[0]


def test_generated_code_and_runtime_are_told_with_their_versions() -> None:
    text = (
        "Detected incompatible Protobuf Gencode/Runtime versions when loading a.proto: gencode 6.31.1 runtime 5.29.5. "
        "Runtime version cannot be older than the linked gencode version."
    )
    found = verdict("VersionError", text).cause
    assert found is not None
    assert found.message == "train.py:1: code generated by protobuf 6.31.1 meets protobuf 5.29.5"
    assert "install 'protobuf>=6.31.1'" in found.advice[0]


def test_a_message_of_protobuf_that_harms_nobody_is_a_note() -> None:
    text = "AttributeError: 'MessageFactory' object has no attribute 'GetPrototype'\n"
    versions = VersionsSeen(versions={"tensorflow": "2.18.0", "protobuf": "6.33.5"})
    found = diagnose(recording_of(process=[versions, ProcessExiting()], exit_code=0, output=text))
    assert found.findings == []
    assert found.notes[0].startswith("protobuf 6.33.5 is newer than TensorFlow 2.18.0 expects")


# Names.


def test_a_file_with_the_name_of_a_module_is_told() -> None:
    fact = ModuleShadowed(link=0, module="numbers", file="/home/ann/numbers.py", meant="the standard library")
    found = verdict("AttributeError", "module 'numbers' has no attribute 'Integral'", fact).cause
    assert found is not None
    assert (found.code, found.certainty) == ("ENV022", "certain")
    assert found.message == (
        "train.py:1: `import numbers` finds the program's own numbers.py and not the module of the standard library"
    )
