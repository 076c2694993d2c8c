"""A library that was installed for an older release of another one, which has since lost a function."""

import os
import sys
import tempfile

place = os.path.join(tempfile.mkdtemp(), "site-packages")
FILES = {
    "tables_of/__init__.py": "def rows(path):\n    return []\n",
    "tables_of-3.1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tables-of\nVersion: 3.1.0\n\n",
    "model_zoo/__init__.py": "import tables_of\n\nREGISTRY = tables_of.read_registry(__file__)\n",
    "model_zoo-0.4.dist-info/METADATA": "Metadata-Version: 2.1\nName: model-zoo\nVersion: 0.4\n"
    "Requires-Dist: tables-of<3,>=2.2\nRequires-Dist: extra-plots>=1; extra == 'plots'\n\n",
}
for name, text in FILES.items():
    path = os.path.join(place, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
sys.path.insert(0, place)

import model_zoo  # <- cause

print(model_zoo.REGISTRY)
