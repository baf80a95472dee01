"""Tables that people open in a spreadsheet, which must not run a cell as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a formula begins with, in wide characters as well."""
GUARD: Final = "'"
"""What stands before it, so that it is text."""


def to_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a table as CSV, of each row the columns that are named."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: defuse_formula(row[name]) for name in columns} for row in rows)
    return out.getvalue()


def defuse_formula(value: Any) -> Any:
    """Keep a spreadsheet from running a cell as a formula."""
    value = " < ".join(value) if isinstance(value, list) else value
    return f"{GUARD}{value}" if isinstance(value, str) and value[:1] in FORMULA_PREFIXES else value
