"""The size of the house: files, code lines, what one note passes, and how long it takes to come in.

Code lines are those without blanks, comments and docstrings. A note is traced by the calls of functions in files of
`embanon`; a switch is a call in another file than the call before it. Run `python -m eval.house`.
"""

from __future__ import annotations

import ast
import importlib
import io
import os
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "embanon"
NOTE: Final = (
    "Ada Berger was born in Graz on 4 July 1962. She works at the University of Graz and likes two of her old cats.\n"
)
OPTIMIZED: Final = 1
"""The flag of code objects of functions; the bodies of modules and classes lack it."""
SKIPPED: Final = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
)  # fmt: skip


def code_lines(source: str) -> int:
    """Count the lines of a module that have code."""
    strings = (
        node for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )  # fmt: skip
    documented = {line for node in strings for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    coded = {
        line for token in tokens if token.type not in SKIPPED for line in range(token.start[0], token.end[0] + 1)
    }  # fmt: skip
    return len(coded - documented)


def traced(arguments: list[str]) -> tuple[Counter[str], int]:
    """Return how often each file of the package is called by a command, and the switches between files."""
    main = importlib.import_module("embanon.cli.main").main
    calls, switches, last = Counter[str](), 0, ""

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal switches, last
        code = frame.f_code
        if event == "call" and code.co_flags & OPTIMIZED and code.co_filename.startswith(f"{PACKAGE}{os.sep}"):
            switches += bool(last) and last != code.co_filename
            last = code.co_filename
            calls[last] += 1

    sys.setprofile(note)
    try:
        with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
            main(arguments)
    finally:
        sys.setprofile(None)
    return calls, switches


def modules_of(name: str) -> int:
    """Count the modules of the package that importing one of them loads."""
    code = f"import sys, {name}; print(sum(module.split('.')[0] == 'embanon' for module in sys.modules))"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)


def seconds(command: list[str], rounds: int = 5) -> float:
    """Return the least time of some runs of a command."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def report() -> Iterator[str]:
    """Yield the lines of the report."""
    files = sorted(PACKAGE.rglob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "note.txt"
        path.write_text(NOTE, encoding="utf-8")
        calls, switches = traced(["anonymize", str(path), "--protect", "Ada Berger"])
    empty = seconds([sys.executable, "-c", ""])
    imported = seconds([sys.executable, "-c", "import embanon"]) - empty
    helped = seconds([sys.executable, "-m", "embanon", "--help"])
    yield f"files flat in embanon/ {len(list(PACKAGE.glob('*.py'))):,}; files {len(files):,}"
    yield f"code lines {sum(code_lines(file.read_text(encoding='utf-8')) for file in files):,}"
    yield f"a note passes {len(calls)} files, {switches:,} switches"
    yield f"import embanon {1000 * imported:.0f} ms; embanon --help {1000 * helped:.0f} ms"
    yield f"import embanon.replace.solutions {modules_of('embanon.replace.solutions')} modules"


if __name__ == "__main__":
    print("\n".join(report()))
