"""Writes the pages that are made from the code: docs/rules.md and docs/rules/<CODE>.md.

python scripts/generate_docs.py            write them
python scripts/generate_docs.py --check    exit with 1 if one is missing, old or left over; write nothing
"""

from __future__ import annotations

import sys
from pathlib import Path

from whydied.diagnose.registry import all_rules
from whydied.diagnose.rule import FAMILIES

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTICE = "<!-- Made by scripts/generate_docs.py. Change the code, not this page. -->\n\n"


def pages() -> dict[str, str]:
    """Every generated page by its path below docs/."""
    made = {f"rules/{rule.code}.md": _rule_page(rule.code, rule.name, rule.documentation) for rule in all_rules()}
    made["rules.md"] = _rules_page()
    return made


def differences(docs: Path) -> list[str]:
    """A sentence for each page that is not as the code would make it."""
    wanted = pages()
    found = {str(path.relative_to(docs)) for path in docs.glob("rules/*.md")}
    wrong = [f"docs/{name} is left over" for name in sorted(found - set(wanted))]
    for name, text in wanted.items():
        path = docs / name
        if not path.is_file():
            wrong.append(f"docs/{name} is missing")
        elif path.read_text("utf-8") != text:
            wrong.append(f"docs/{name} is not current")
    return wrong


def write(docs: Path) -> None:
    wanted = pages()
    for path in docs.glob("rules/*.md"):
        if str(path.relative_to(docs)) not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _rule_page(code: str, name: str, documentation: str) -> str:
    return f"{NOTICE}# {code} {name}\n\n{documentation.strip()}\n"


def _rules_page() -> str:
    lines = [
        f"{NOTICE}# Codes",
        "",
        "What whydied can find. `whydied explain CODE` prints the same pages. A code is never reused.",
        "",
        "Where two rules answer to the same, one yields to the other, directly or through a third; else the deeper",
        f"family is preferred: {', '.join(FAMILIES.values())}.",
        "",
        "| code | name | family | role | what it is | yields to |",
        "|---|---|---|---|---|---|",
    ]
    for rule in all_rules():
        names = f"[{rule.code}](rules/{rule.code}.md) | {rule.name} | {FAMILIES[rule.family]} | {rule.role}"
        lines.append(f"| {names} | {rule.summary} | {', '.join(rule.yields_to)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    if "--check" not in sys.argv[1:]:
        write(DOCS)
        return 0
    wrong = differences(DOCS)
    for sentence in wrong:
        print(sentence)
    if wrong:
        print("run: python scripts/generate_docs.py")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
