"""The scores are written with the file in their place."""

import json
import tempfile

scores = {"loss": [0.9, 0.4, 0.2], "epochs": 3}
with tempfile.TemporaryDirectory() as place, open(f"{place}/scores.json", "w", encoding="utf-8") as out:
    json.dump(out, scores)  # <- cause
