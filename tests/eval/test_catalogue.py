"""The catalogue of corpora has all that measurements read, and says what is missing or another."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path

import pytest

from embanon.errors import DataError
from eval.catalogue import FILE, Corpus, catalogue, lines, main

EVAL = FILE.parent
LISTED = [file for corpus in catalogue() for file in corpus.sha256]
FOLDERS = {file.partition("/")[0] for file in LISTED}


def path(node: ast.expr) -> list[str]:
    """Return the parts of a path that is put together by slashes, `*` for what is known at run time only."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return path(node.left) + path(node.right)
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)]
    return [{"data": "data", "options.data": "data"}.get(ast.unparse(node), "*")]


def read(file: Path) -> Iterator[str]:
    """Return the files of data that a module names: as `data / …`, and as strings that begin with a folder of data."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.BinOp) and (parts := path(node))[0] == "data":
            yield "/".join(parts[1:])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value:
            first, slash, _ = node.value.partition("/")
            if slash and first in FOLDERS:
                yield node.value.rstrip("/")  # "treebanks/" begins a string that goes on


def test_the_catalogue_has_all_that_measurements_read() -> None:
    named = {(file.name, name) for file in sorted(EVAL.glob("*.py")) for name in read(file)}
    assert len(named) > 40
    unknown = [
        (module, name)
        for module, name in sorted(named)
        if not any(fnmatch(file, pattern) for file in LISTED for pattern in (name, f"{name}.jsonl.gz", f"{name}/*"))
    ]
    assert unknown == []


@pytest.mark.parametrize("corpus", catalogue(), ids=lambda corpus: corpus.id)
def test_a_corpus_is_described(corpus: Corpus) -> None:
    assert corpus.what
    assert corpus.license
    assert corpus.url.startswith("https://")
    assert corpus.sha256
    module, _, name = corpus.reader.rpartition(".")
    assert callable(getattr(import_module(module), name))
    for file, sum in corpus.sha256.items():
        assert file.startswith(f"{corpus.id}/")
        assert len(sum) == len(bytes.fromhex(sum)) * 2 == 64


def test_ids_differ() -> None:
    ids = [corpus.id for corpus in catalogue()]
    assert len(set(ids)) == len(ids)


def test_what_is_missing_or_another_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 1
    assert "   missing: tab/gold.jsonl.gz" in capsys.readouterr().out
    for file in LISTED:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(b"another")
    assert main(["--data", str(tmp_path)]) == 0  # unless asked, no file is read
    assert "missing" not in capsys.readouterr().out
    assert main(["--data", str(tmp_path), "--check"]) == 1
    assert capsys.readouterr().out.count("   another: ") == len(LISTED)


def test_a_file_is_that_of_the_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.toml"
    sum = hashlib.sha256(b"text").hexdigest()
    file.write_text(
        f'[[corpus]]\nid="a"\nwhat="w"\nurl="u"\nlicense="l"\nreader="r"\nsha256={{"a/b"="{sum}"}}', encoding="utf-8"
    )
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"text")
    monkeypatch.setattr("eval.catalogue.catalogue", lambda: catalogue(file))
    assert [well for well, _ in lines(tmp_path, check=True)] == [True]
    file.write_text('[[corpus]]\nid="a"\nsha="?"', encoding="utf-8")
    with pytest.raises(DataError, match=r"corpus 1 of one.toml: license, reader, sha, sha256, url, what missing or"):
        catalogue(file)
