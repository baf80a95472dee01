"""Files anonymized and restored from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from embanon.errors import ConfigError, DecodingError, InputError
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


def test_the_table_of_another_text_is_refused(tmp_path: Path) -> None:
    texts = {"a": TEXT, "b": "Dear Mr Holm, the keys of the boat house hang where they always hung. Yours, Iris Holm\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        out, table = tmp_path / f"{name}.out", tmp_path / f"{name}.table"
        anonymize_file(tmp_path / name, out, solutions=table, protect=["Ada Berger", "Iris Holm"])
    with pytest.raises(ConfigError, match=r"the table is of another text.*--force"):
        restore_file(tmp_path / "a.out", tmp_path / "b.table")
    assert restore_file(tmp_path / "a.out", tmp_path / "b.table", force=True).documents == 1
    edited = tmp_path / "edited"
    edited.write_text("PS. " + (tmp_path / "b.out").read_text().upper())
    assert restore_file(edited, tmp_path / "b.table").documents == 1
    table.write_text(table.read_text().replace("Iris", "Eva"))
    with pytest.raises(ConfigError, match="not as it was written"):
        restore_file(tmp_path / "b.out", table)
