"""Holds data against what was declared, and raises where they differ; runs in the user's process.

Invariant: the data are not changed, and the error names the first part that is wrong. It is recorded, where
there is a recorder, before it is raised.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whydied.errors import ContractError
from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.inside.public import shape_text
from whydied.inside.public.contract import row_checks, row_examination
from whydied.inside.public.contract.data_parts import Path
from whydied.inside.public.contract.declared_terms import Declared
from whydied.inside.public.contract.row_examination import Examination
from whydied.records import ContractBroken, Frame
from whydied.words import contract_breach

Frames = Callable[[], list[Frame]]


class Verdict:
    """One declaration, held against data as they come."""

    def __init__(self, declared: Declared, frames: Frames = list) -> None:
        self.declared = declared
        self._frames = frames
        self._uniques: dict[Path, Examination] = {}

    def require(self, parts: dict[Path, Any], batch: int | None = None) -> None:
        """Raise ContractError where a part is not as declared. `parts` are arrays, by path; the names of axes are bound
        across them."""
        sizes: shape_text.Sizes = {}
        for path, array in parts.items():
            self._require_form(path, array, sizes, batch)
        for path, array in parts.items():
            self._require_values(path, array, batch)

    def _require_form(self, path: Path, array: Any, sizes: shape_text.Sizes, batch: int | None) -> None:
        for check in self.declared.checks(path):
            wrong = row_checks.mismatch(check.term, array, sizes)
            if wrong is not None:
                self._fail(
                    ContractBroken(
                        name=self.declared.part_name(path),
                        term=check.term,
                        rows_seen=len(array) if array.ndim else 1,
                        values=[wrong],
                        batch=batch,
                        shape=list(array.shape),
                        dtype=array.dtype.name,
                        raised=True,
                    ),
                    [],
                )

    def _require_values(self, path: Path, array: Any, batch: int | None) -> None:
        checks = [check for check in self.declared.checks(path) if check.term.kind not in ("shape", "dtype")]
        if not checks:
            return
        examination = Examination(checks)
        if any(check.term.kind == "unique" for check in checks):
            # What was there in an earlier batch is there twice, too.
            examination.remember(self._uniques.setdefault(path, examination))
        examination.look_at(array if array.ndim else array.reshape(1))
        for breach in examination.breaches:
            self._fail(
                ContractBroken(
                    name=self.declared.part_name(path),
                    term=breach.check.term,
                    rows=list(breach.rows),
                    count=breach.count,
                    rows_seen=examination.rows_seen,
                    values=list(breach.values),
                    columns=list(breach.columns),
                    batch=batch,
                    shape=list(array.shape),
                    dtype=array.dtype.name,
                    raised=True,
                ),
                breach.kept,
            )

    def _fail(self, broken: ContractBroken, kept: list[Any]) -> None:
        _record(broken, kept, self._frames)
        error = ContractError(contract_breach.sentence(broken, self.declared.where))
        error.name, error.count = broken.name, broken.count
        error.rows, error.values = tuple(broken.rows), tuple(broken.values)
        raise error


@guarded("contracts.declared")
def _record(broken: ContractBroken, kept: list[Any], frames: Frames) -> None:
    if journal.current() is not None:
        import msgspec

        journal.write(msgspec.structs.replace(broken, file=row_examination.keep_rows(kept), frames=frames()))
