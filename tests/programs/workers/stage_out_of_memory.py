"""A stage of the preparation is another script, which is killed for its memory; the error of the first one hides that."""

import pathlib
import subprocess
import sys

stage = pathlib.Path(__file__).with_name("tokens.py")
try:
    subprocess.run([sys.executable, str(stage)], check=True)
except subprocess.CalledProcessError:
    raise RuntimeError("the vocabulary could not be made") from None
