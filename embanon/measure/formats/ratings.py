"""Rating sheets as spreadsheets export them: with commas or semicolons, in any UTF."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from embanon.errors import ConfigError, InputError
from embanon.io import COMMA, LIMITS, TAB, Limits, open_input, read_table
from embanon.measure.sheets import COLUMNS, QUESTIONS, Sheet

YES: Final = frozenset("yes y 1 true x ja j sí si s sim wahr verdadero verdadeiro".split())
NO: Final = frozenset("no n 0 false nein não nao falsch falso".split())
NOTHING: Final = frozenset(("", "?", "-"))
GUARD: Final = "'"
"""What keeps a cell from being a formula, and may still stand there."""
ROW: Final = COLUMNS[0]


def read_sheet(path: str, limits: Limits = LIMITS) -> Sheet:
    """Read the answers of one person."""
    answers: dict[str, dict[str, bool | None]] = {question: {} for question in QUESTIONS}
    with open_input(path) as stream:
        table = read_table(stream, path, None, limits, TAB if path.lower().endswith(".tsv") else COMMA)
        for column in (ROW, *QUESTIONS):
            if table.columns.count(column) != 1:
                raise InputError(f"{path}: has no column {column!r}; its columns are: {table.describe_columns()}")
        for line, cells in table.rows:
            name = cells[ROW].strip().removeprefix(GUARD)
            if not name:
                raise InputError(f"{path}, line {line}: column {ROW!r} is empty; leave it as it was")
            if name in answers[QUESTIONS[0]]:
                raise InputError(f"{path}, line {line}: has a row that is there already; leave each once")
            for question in QUESTIONS:
                answers[question][name] = _parse_answer(cells[question], f"{path}, line {line}, column {question!r}")
    if not answers[QUESTIONS[0]]:
        raise InputError(f"{path}: has no row; make a sheet: embanon sheet OUTPUT ORIGINALS -o sheet.csv")
    return Sheet(Path(path).name, answers)


def read_sheets(paths: list[str], limits: Limits = LIMITS) -> list[Sheet]:
    """Read the sheets of all raters, which are of the same replacements."""
    files = [Path(path).resolve() for path in paths]
    if twice := next((path for path, file in zip(paths, files, strict=True) if files.count(file) > 1), None):
        raise ConfigError(f"{twice}: is named twice, and agrees with itself; name the sheet of each rater once")
    sheets = [read_sheet(path, limits) for path in paths]
    rows = {path: set(one.answers[QUESTIONS[0]]) for path, one in zip(paths, sheets, strict=True)}
    longest = max(paths, key=lambda path: len(rows[path]))  # raters may leave rows out
    for path in paths:
        if more := rows[path] - rows[longest]:
            raise InputError(
                f"{path}: has rows that {longest} lacks ({len(more)}); give all raters copies of one sheet"
            )
    return sheets


def _parse_answer(cell: str, where: str) -> bool | None:
    word = cell.strip().removeprefix(GUARD).casefold()
    if word in NOTHING:
        return None
    if word not in YES | NO:
        raise InputError(f"{where}: must be yes or no, or empty where nobody knows")
    return word in YES
