"""Begins a new rule: its module with all headings, its row in the registry, its test, its page.

python scripts/new_rule.py FAMILY NAME ROLE      such as: data frozen-labels explanation

FAMILY is a directory of src/whydied/diagnose/rules, NAME says what is wrong with the run, ROLE is one of those in
src/whydied/diagnose/rule.py. The code is the next one that was never used. What is left to write says TODO.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

from whydied.diagnose.registry import TABLE, find_rule
from whydied.diagnose.rule import HEADINGS, Role

PROJECT = Path(__file__).resolve().parent.parent
CODE = """\
from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding

ROLE = "{role}"


def check(case: Case) -> Finding | None:
    return None  # TODO
"""
TEST = '''\
"""{code}: TODO"""

from __future__ import annotations

from tests.unit.diagnose.case_of import case_of, raised
from whydied.diagnose.rules.{family}.{module} import check


def test_it_is_found() -> None:
    found = check(case_of(process=[raised("TODO")], exit_code=1))
    assert found is not None
    assert (found.certainty, found.message) == ("certain", "TODO")


def test_a_near_miss() -> None:
    assert check(case_of(process=[raised("TODO", "nearly the same")], exit_code=1)) is None
'''


def main() -> int:
    families = {module.__name__.partition(".rules.")[2].split(".")[0]: code[:3] for code, module in TABLE.items()}
    if len(sys.argv) != 4 or sys.argv[1] not in families or sys.argv[3] not in get_args(Role) or find_rule(sys.argv[2]):
        print(f"{__doc__}\nfamilies: {', '.join(families)}\nroles: {', '.join(get_args(Role))}", file=sys.stderr)
        return 2
    family, name, role = sys.argv[1:]
    letters, module = families[family], name.replace("-", "_")
    code = f"{letters}{max(int(code[3:]) for code in TABLE if code.startswith(letters)) + 1:03}"
    headings = "".join(f"\n## {heading}\nTODO\n" for heading in HEADINGS)
    rule = PROJECT / f"src/whydied/diagnose/rules/{family}/{module}.py"
    rule.write_text(f'"""TODO: one line.\n{headings}"""\n\n{CODE.format(role=role)}', "utf-8")
    test = PROJECT / f"tests/unit/diagnose/test_{module}.py"
    test.write_text(TEST.format(code=code, family=family, module=module), "utf-8")
    registry = PROJECT / "src/whydied/diagnose/registry.py"
    before = max(known for known in TABLE if known < code)
    row = rf'\g<0>\1"{code}": "{family}.{module}",\n'
    registry.write_text(re.sub(rf'( +)"{before}".*\n', row, registry.read_text("utf-8")), "utf-8")
    subprocess.run([sys.executable, str(PROJECT / "scripts/generate_docs.py")], check=True)
    print(f"{code} {name}: {rule}, {test}; then programs in tests/programs/ and a line in CHANGELOG.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
