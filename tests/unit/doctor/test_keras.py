from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.doctor.site import Site, wrong
from whydied.doctor.keras import keras_checks


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def found(site: Site, *told: str) -> dict[str, tuple[str, str]]:
    checks = wrong(keras_checks(site.environment(), site.installed(), told))
    return {name: (check.status, check.found) for name, check in checks.items()}


def test_the_usual(site: Site) -> None:
    assert keras_checks(site.environment(), site.installed()) == []
    site.add("tensorflow", "2.21.0")
    site.add("keras", "3.15.1")
    site.add("tf-keras", "2.21.0")
    (check,) = keras_checks(site.environment(), site.installed())
    assert (check.status, check.found) == ("ok", "keras 3.15.1")
    site.variables["TF_USE_LEGACY_KERAS"] = "1"
    (check,) = keras_checks(site.environment(), site.installed())
    assert (check.status, check.found) == ("ok", "tf-keras 2.21.0 (TF_USE_LEGACY_KERAS)")


def test_the_old_keras_is_wanted_and_not_there(site: Site) -> None:
    site.add("tensorflow", "2.18.0")
    site.add("keras", "3.6.0")
    site.variables["TF_USE_LEGACY_KERAS"] = "0"
    assert found(site) == {}
    site.variables["TF_USE_LEGACY_KERAS"] = "True"
    assert found(site) == {"tf.keras": ("broken", "TF_USE_LEGACY_KERAS is set and tf_keras is not installed")}


def test_the_old_keras_of_another_version(site: Site) -> None:
    site.add("tensorflow", "2.18.0")
    site.add("tf-keras", "2.16.0")
    site.variables["TF_USE_LEGACY_KERAS"] = "1"
    assert found(site)["tf.keras"][1].endswith(
        "tf-keras 2.16.0 is for TensorFlow 2.16, and tensorflow 2.18.0 is installed"
    )


@pytest.mark.parametrize(
    ("tensorflow", "keras", "is_wrong"),
    [("2.15.0", "2.15.0", False), ("2.15.0", "3.0.1", True), ("2.16.1", "2.15.0", True), ("2.16.1", "3.3.0", False)],
)
def test_generations(site: Site, tensorflow: str, keras: str, is_wrong: bool) -> None:
    site.add("tensorflow", tensorflow)
    site.add("keras", keras)
    assert bool(found(site)) is is_wrong
    assert found(site, "keras") == {}


def test_backends(site: Site) -> None:
    site.add("tensorflow", "2.21.0")
    site.add("keras", "3.15.1")
    site.variables["KERAS_BACKEND"] = "jax"
    assert found(site) == {"Keras backend": ("broken", "jax (KERAS_BACKEND), which is not installed")}
    site.variables["KERAS_BACKEND"] = "theano"
    assert found(site) == {"Keras backend": ("broken", "'theano' (KERAS_BACKEND) is not a Keras backend")}
    site.variables["KERAS_BACKEND"] = "torch"
    site.add("torch", "2.5")
    assert found(site)["Keras backend"][0] == "risk"


def test_the_file_in_the_home_directory(site: Site) -> None:
    site.add("tensorflow", "2.21.0")
    site.add("keras", "3.15.1")
    file = site.root / ".keras" / "keras.json"
    file.parent.mkdir()
    file.write_text("{")
    assert found(site) == {}
    file.write_text(json.dumps({"backend": "theano"}))
    assert found(site)["Keras backend"][1] == f"'theano' ({file}) is not a Keras backend"
    site.variables["KERAS_BACKEND"] = "tensorflow"
    assert found(site) == {}
