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
        (["curl", "-u", "ann:hunter2", "host"], ["curl", "-u", "ann:<redacted>", "host"]),
        (["bash", "-c", "x.py --db-password hunter2"], ["bash", "-c", "x.py --db-password <redacted>"]),
        (["--tokenizer", "bpe"], ["--tokenizer", "bpe"]),
    ],
)
def test_arguments(given: list[str], kept: list[str]) -> None:
    assert redact.arguments(given) == kept


def test_texts() -> None:
    assert redact.text("login failed: password=hunter22 for ann") == "login failed: password=<redacted> for ann"
    assert redact.text("loss: 0.123, step 4") == "loss: 0.123, step 4"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("-cconnect(password='hunter2xx')", "-cconnect(password='<redacted>')"),
        ('connect(password="hunter2xx")', 'connect(password="<redacted>")'),
        ('{"db_password": "hunter2xx"}', '{"db_password": "<redacted>"}'),
        ("Authorization: Bearer abcdef0123", "Authorization: Bearer <redacted>"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic <redacted>"),
        ("token: Bearer abcdef0123", "token: <redacted> <redacted>"),
        ("Basic understanding of tokenizers", "Basic understanding of tokenizers"),
        ("...https://ann:pw@host/x", "...https://ann:<redacted>@host/x"),
        ("x" * 200 + "_password=hunter22", "x" * 200 + "_password=<redacted>"),
    ],
)
def test_texts_and_arguments_are_searched_alike(given: str, kept: str) -> None:
    assert redact.text(given) == kept
    assert redact.arguments(["python", given]) == ["python", kept]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (b"epoch 1\nusing token=abcdef12\r\n\xff\x80", b"epoch 1\nusing token=<redacted>\r\n\xff\x80"),
        (b"key sk-abcdefghijklmnopqrstuv", b"key <redacted>"),
        (b"login --password hunter2 --verbose", b"login --password <redacted> --verbose"),
        (b"  --token --verbose, 0.5 tokens per second", b"  --token --verbose, 0.5 tokens per second"),
        (b"Epoch 3/5 \xe2\x94\x81 loss: 0.25", b"Epoch 3/5 \xe2\x94\x81 loss: 0.25"),
    ],
)
def test_output_keeps_all_bytes_but_secrets(given: bytes, kept: bytes) -> None:
    assert redact.output(given) == kept


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "piece",
    [
        "auth.",
        "a.",
        "-auth.",
        "eyJ-",
        "eyJaaaaaaaa.",
        "://a:",
        "a://",
        "sk-",
        "Basic ",
        "token ",
        "token:",
        "-",
        "-a-token ",
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    """Not a measurement: what is tried from each letter anew does not end within the time of a test."""
    worst = (piece * 40_000)[:40_000]
    redact.text(worst)
    assert len(redact.arguments([worst, "-" + worst, worst + "="])) == 3


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('password = "hunter22"', 'password = "********"'),
        ("os.environ['API_KEY'] = 'abcd1234'", "os.environ['API_KEY'] = '********'"),
        ('api_key: str = "two words"  # x', 'api_key: str = "*********"  # x'),
        ('login(token="abcd", n=3)', 'login(token="****", n=3)'),
        ('url = "https://ann:pw12@host/x"', 'url = "https://ann:****@host/x"'),
        ('h = {"Authorization": "Bearer abcdef0123"}', 'h = {"Authorization": "Bearer **********"}'),
        ('use("sk-aaaaaaaaaaaaaaaa1")', 'use("********************")'),
        ('run(["mysql", "--password", "hunter22"])', 'run(["mysql", "--password", "********"])'),
        ("x = 1  # ghp_aaaaaaaaaaaaaaaa1", "x = 1  # *********************"),
        ('k = """\nhf_aaaaaaaaaaaaaaaaa\n"""', 'k = """\n********************\n"""'),
        ('größe = "ü"; password = "hünter22"', 'größe = "ü"; password = "*********"'),
    ],
)
def test_a_program_keeps_its_lines_and_columns(given: str, kept: str) -> None:
    assert redact.source(given.encode()) == kept.encode()
    assert len(kept.encode()) == len(given.encode())


@pytest.mark.parametrize(
    "code",
    [
        "tokens = tf.constant([[1, 2]])",
        "pad_token = '[PAD]'",
        "skip_connection_weights = layer(hf_tokenizer_of_the_model)",
        "client(token=get_token(), secret=f'{prefix}-x')",
        "tokenizer = 'bert-base'",
        "author = 'somebody'",
    ],
)
def test_code_that_is_no_secret_stays(code: str) -> None:
    assert redact.source(code.encode()) == code.encode()


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "piece", ["auth.", "sk-aaaaaaaaaaaaaaaaaaa ", "token: a", "'token='", "eyJaaaaaaaa.", "token_"]
)
def test_no_program_takes_long(piece: str) -> None:
    redact.source((piece * 40_000)[:40_000].encode())


def test_what_was_seen_as_a_secret_is_replaced_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "_values", None)
    for name, value in {"HF_TOKEN": "the-token-itself", "AUTH_METHOD": "kerberos", "DB_PASSWORD": "short"}.items():
        monkeypatch.setenv(name, value)
    redact.arguments(["train.py", "--db-password", "given-by-hand", "--api-key=given-at-once", "--rate", "0.00000001"])
    words = "the-token-itself kerberos short given-by-hand given-at-once 0.00000001"
    assert redact.text(words) == "<redacted> kerberos short <redacted> <redacted> 0.00000001"
    assert redact.output(words.encode()) == redact.text(words).encode()
    assert redact.source(b'x = "given-by-hand"') == b'x = "*************"'
