"""Writes the pages that are made from the code: docs/rules.md and docs/rules/<CODE>.md.

python scripts/generate_docs.py            write them
python scripts/generate_docs.py --check    exit with 1 if one is missing, old or left over; write nothing
"""

from __future__ import annotations

import sys
from pathlib import Path

from whydied.diagnose.registry import all_rules, find_rule
from whydied.diagnose.rule import FAMILIES
from whydied.lint.rules_table import STATIC_RULES
from whydied.lint.static_rule import StaticRule

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTICE = "<!-- Made by scripts/generate_docs.py. Change the code, not this page. -->\n\n"


def pages() -> dict[str, str]:
    """Every generated page by its path below docs/."""
    made = {f"rules/{rule.code}.md": _rule_page(rule.code, rule.name, rule.documentation) for rule in all_rules()}
    made |= {f"rules/{rule.code}.md": _static_page(rule) for rule in STATIC_RULES}
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


def _static_page(rule: StaticRule) -> str:
    same = [found for name in rule.same_fault if (found := find_rule(name)) is not None]
    links = ", ".join(f"[{found.code}]({found.code}.md) {found.name}" for found in same)
    documentation = f"{rule.documentation.strip()}\n\n## In a run\n{links}" if links else rule.documentation
    return _rule_page(rule.code, rule.name, documentation)


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
    lines += [
        "",
        "## Codes of `whydied lint`",
        "What the source alone shows, before anything runs: [lint.md](lint.md).",
        "",
        "| code | name | what it is | in a run |",
        "|---|---|---|---|",
    ]
    for static in STATIC_RULES:
        same = [found for name in static.same_fault if (found := find_rule(name)) is not None]
        links = ", ".join(f"[{found.code}](rules/{found.code}.md)" for found in same)
        lines.append(f"| [{static.code}](rules/{static.code}.md) | {static.name} | {static.summary} | {links} |")
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
