"""What phrases are in the words of the field."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from embanon.risk.identifiers import CONFIDENTIAL_KINDS, confidential_category

TEXT = "Ada Berger, born 4 July 1962, has epilepsy. Phone: +47 22 00 00 00. The weather is fine.\n"


def test_direct_quasi_and_confidential(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    command = [sys.executable, "-m", "embanon", "score", "a.txt", "--protect", "Ada Berger", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    rows = {TEXT[row["start"] : row["end"]]: row for row in json.loads(done.stdout)["phrases"]}
    told = {text: (row["identifier"], row["confidential"]) for text, row in rows.items()}
    assert told["Ada Berger"] == ("DIRECT", None)
    assert told["+47 22 00 00 00"] == ("DIRECT", None)
    assert told["4 July 1962"] == ("QUASI", None)
    assert told["epilepsy"][1] == "health"
    assert told["weather"] == (None, None)


@pytest.mark.parametrize("kind", CONFIDENTIAL_KINDS)
def test_categories(kind: str) -> None:
    assert confidential_category(kind)
    assert confidential_category("LOC.city") is None
