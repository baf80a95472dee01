"""Files anonymized and restored from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from embanon.errors import DecodingError, InputError
from embanon.workflow import FileSettings, anonymize_file, anonymize_files, restore_file

TEXT = "Ada Berger left.\n"


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text(TEXT)
    return path


def test_a_file_and_back(letter: Path, tmp_path: Path) -> None:
    out, table, back = tmp_path / "out.txt", tmp_path / "table", tmp_path / "back.txt"
    result = anonymize_file(letter, out, protect="Ada Berger", solutions=table)
    assert (result.text, out.read_text(), result.is_clean) == ("Person 1 left.\n", "Person 1 left.\n", True)
    assert "PERSON" not in repr(result)
    assert restore_file(out, table, back).text == back.read_text() == letter.read_text() == TEXT


def test_nothing_is_printed(letter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = anonymize_file(letter, protect="Bela Orlan")
    assert [warning.code for warning in result.warnings] == ["not-named"]
    assert not result.is_clean
    assert "Orlan" not in str(result.warnings)
    assert capsys.readouterr() == ("", "")


def test_a_folder_with_a_file_that_cannot_be_read(letter: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    letter.rename(tmp_path / "in" / "a.txt")
    (tmp_path / "in" / "b.txt").write_bytes(b"\xff")
    steps = []
    results = list(
        anonymize_files(
            [tmp_path / "in"], tmp_path / "out", protect="Ada Berger", settings=FileSettings(publish=True),
            progress=lambda step, done, of: steps.append(step),
        )
    )  # fmt: skip
    assert [type(result.problem) for result in results] == [type(None), DecodingError]
    assert Path(str(results[0].output)).read_text() == "Person 1 left.\n"
    assert set(steps) == {"anonymizing"}


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        anonymize_file(tmp_path / "none.txt", protect="Ada Berger")
