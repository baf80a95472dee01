"""Ways into other people's pipelines: where a library is not installed, the extra is named."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from embanon.errors import MissingExtraError

LIBRARIES = {"presidio": "presidio_analyzer", "sklearn": "sklearn", "spacy": "spacy"}


def test_each_has_its_library() -> None:
    files = (Path(__file__).parents[2] / "embanon" / "integrations").glob("*.py")
    assert {file.stem for file in files} - {"__init__"} == LIBRARIES.keys()


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [one for one in sys.modules if one.partition(".")[0] == LIBRARIES[name]]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, LIBRARIES[name], None)
    monkeypatch.delitem(sys.modules, f"embanon.integrations.{name}", raising=False)
    with pytest.raises(MissingExtraError, match=rf"embanon\[{name}\]"):
        import_module(f"embanon.integrations.{name}")
