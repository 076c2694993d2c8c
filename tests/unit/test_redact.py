from __future__ import annotations

import pytest

from whydied import redact


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["train.py", "--lr", "0.1"], ["train.py", "--lr", "0.1"]),
        (["--api-key", "abc123"], ["--api-key", "<redacted>"]),
        (["--token=abc"], ["--token=<redacted>"]),
        (["DB_PASSWORD=hunter2"], ["DB_PASSWORD=<redacted>"]),
        (["--secret", "--verbose"], ["--secret", "--verbose"]),
        (["hf_abcdefghijklmnopqrstuv"], ["<redacted>"]),
        (["postgres://ann:pw@localhost/x"], ["postgres://ann:<redacted>@localhost/x"]),
        (["--author", "ann"], ["--author", "ann"]),
        (["--tokenizer", "bpe"], ["--tokenizer", "bpe"]),
    ],
)
def test_arguments(given: list[str], kept: list[str]) -> None:
    assert redact.arguments(given) == kept


def test_texts() -> None:
    assert redact.text("login failed: password=hunter22 for ann") == "login failed: password=<redacted> for ann"
    assert redact.text("loss: 0.123, step 4") == "loss: 0.123, step 4"
