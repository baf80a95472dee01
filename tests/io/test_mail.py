"""E-mail: what stays of a message, what is left out, and that no message breaks the reading."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from embanon.cli.main import main
from embanon.errors import DecodingError, EmbanonError, InputError
from embanon.io.read.mail import MAX_PARTS, decode_header_value, documents
from embanon.io.read.source_map import ReadOptions, SourceDocument

PLAIN = b"From: Ada Berger <ada@x.org>\nTo: Ben <ben@x.org>\nSubject: Prize\n\nAda Berger left.\n"


def parsed(data: bytes, encoding: str | None = None) -> SourceDocument:
    [one] = documents(io.BytesIO(data), "x.eml", ReadOptions(encoding))
    return one


def message(*parts: tuple[str, str], attach: Sequence[tuple[str, bytes]] = ()) -> bytes:
    found = EmailMessage()
    found["From"], found["To"], found["Subject"] = "Ada Bergér <ada@x.org>", "ben@x.org", "Grüße an Ada Berger"
    found["Message-ID"], found["X-Mailer"], found["Date"] = "<1@ada>", "Ada", "Mon, 1 Jan 1994 00:00:00 +0000"
    for number, (subtype, text) in enumerate(parts):
        if number:
            found.add_alternative(text, subtype=subtype)
        else:
            found.set_content(text, subtype=subtype, charset="latin-1", cte="quoted-printable")
    for name, data in attach:
        found.add_attachment(data, maintype="application", subtype="pdf", filename=name)
    return found.as_bytes()


def test_a_message() -> None:
    data = message(("plain", "Ada Bergér left.\n"), ("html", "<p><b>Ada</b> Bergér</p>\n"), attach=[("ada.pdf", b"x")])
    one = parsed(data)
    assert re.sub(r"\n\s*", "\n", one.document.text).split("\n") == [
        "Ada Bergér <ada@x.org>", "ben@x.org", "Grüße an Ada Berger", "Ada Bergér left.", "Ada Bergér", "",
    ]  # fmt: skip
    assert not re.search("Message-ID|X-Mailer|1994|ada.pdf", one.raw)
    assert one.omitted_parts == ("attachments are left out (1)",)
    again = message_from_bytes(one.raw.encode(), policy=policy.default)
    assert [part.get_content_type() for part in again.walk()] == [
        "multipart/alternative", "text/plain", "text/html",
    ]  # fmt: skip
    assert [part.get_content().strip() for part in again.walk() if part.get_content_maintype() == "text"] == [
        "Ada Bergér left.", "<p><b>Ada</b> Bergér</p>",
    ]  # fmt: skip
    assert again["Subject"] == "Grüße an Ada Berger"


def test_what_is_written_reads_the_same() -> None:
    one = parsed(message(("plain", "Ada\n"), ("html", "<p>B</p>\n"), attach=[("x", b"y")]))
    again = parsed(one.raw.encode())
    assert (again.raw, again.document.text, again.omitted_parts) == (one.raw, one.document.text, ())


# name: header as written, as read
HEADERS = {
    "plain": ("Ada", "Ada"),
    "encoded": ("=?utf-8?q?Gr=C3=BC=C3=9Fe?= an =?iso-8859-1?b?6Q==?=", "Grüße an é"),
    "folded": ("Ada\r\n Berger", "Ada Berger"),
    "unknown charset": ("=?klingon?q?a?=", "=?klingon?q?a?="),
    "broken": ("=?utf-8?b?a?=", "=?utf-8?b?a?="),
    "half a sign": ("=?raw_unicode_escape?q?=5Cud800?=", "?"),
    "hidden line": ("=?utf-8?q?a=0D=0ABcc:_b?=", "a Bcc: b"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(name: str) -> None:
    written, read = HEADERS[name]
    assert decode_header_value(written) == read


def test_raw_utf_8_in_headers() -> None:
    assert parsed("Subject: Grüße\n\nx".encode()).document.text == "Grüße\n\nx"


MIXED = b"Content-Type: multipart/mixed; boundary=b%d"

# name: message, encoding, error, what it says
BAD: dict[str, tuple[bytes, str | None, type[EmbanonError], str]] = {
    "no message": (b"Ada Berger left.\n", None, InputError, "is no e-mail"),
    "empty": (b"", None, InputError, "is no e-mail"),
    "an image": (b"\x89PNG\r\n", None, InputError, "is an image"),
    "encoding": (b"Subject: x\nContent-Type: text/plain; charset=utf-8\n\n\xff", None, DecodingError, "part 1 is not"),
    "many parts": (
        b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\na\n" * (MAX_PARTS + 1) + b"--b--",
        None, InputError, "parts",
    ),
    "deep": (
        b"Subject: x\n" + b"".join(MIXED % n + b"\n\n--b%d\n" % n for n in range(300)),
        None, InputError, "deep",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_messages_that_cannot_be_read(name: str) -> None:
    data, encoding, error, what = BAD[name]
    with pytest.raises(error, match=what):
        parsed(data, encoding)


def test_a_named_encoding_holds_for_parts() -> None:
    data = b"Subject: x\nContent-Type: text/plain; charset=klingon\n\ncaf\xe9"
    assert parsed(data, "cp1252").document.text == "x\n\ncafé"


@pytest.mark.parametrize("codec", ["raw_unicode_escape", "utf-7"])
def test_what_no_encoding_can_write_is_read_as_it_stands(codec: str) -> None:
    one = parsed(f"Subject: x\nContent-Type: text/plain; charset={codec}\n\n\\ud800 +2AA-".encode())
    assert one.document.text == "x\n\n\\ud800 +2AA-"


def test_a_mark_before_the_headers() -> None:
    assert parsed(b"\xef\xbb\xbfSubject: Ada\n\nx").document.text == "Ada\n\nx"


def test_kinds_of_parts_tell_nobody() -> None:
    parts = b"Content-Type: multipart/berger; boundary=b\n\n--b\n\na\n--b\n\nc\n--b--"
    assert b"berger" not in parsed(b"Subject: x\n" + parts).raw.encode()


def test_what_has_no_text_has_its_headers() -> None:
    data = b"Subject: Ada\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n" + base64.b64encode(b"x" * 99)
    one = parsed(data)
    assert (one.document.text, one.omitted_parts) == ("Ada", ("attachments are left out (1)",))


LINES = (
    b"From: a", b"Subject: =?utf-8?q?x?=", MIXED % 1, b"", b"--b1", b"--b1--", b"text", b"Content-Type: text/html",
    b"Content-Transfer-Encoding: base64", b"PHA+", b"\xff", b"Content-Type: message/rfc822",
)  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=15).map(b"\n".join))
def test_any_message_is_read_or_refused(data: bytes) -> None:
    try:
        one = parsed(data)
    except EmbanonError:
        return
    again = parsed(one.raw.encode())
    assert again.raw.count("Subject") == one.raw.count("Subject")


def test_a_message_is_anonymized_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.eml").write_bytes(
        message(("plain", "Ada Berger left.\r\n"), ("html", "<b>Ada</b> Berger left &amp; sang.\n"))
    )
    words = ["anonymize", "m.eml", "--language", "en", "--protect", "Ada Berger", "-o", "o.eml", "--solutions", "t"]
    assert main(words) == 0
    written = Path("o.eml").read_bytes()
    assert not re.search(b"Ada|Berger|Berg", written)
    assert b"<b>Person 1</b> left &amp; sang." in written
    assert main(["restore", "o.eml", "--solutions", "t", "-o", "back.eml"]) == 0
    assert Path("back.eml").read_bytes() == parsed(Path("m.eml").read_bytes()).raw.encode()
    assert {json.loads(line)["document"] for line in Path("t").read_text().splitlines()} == {"m.eml"}


def test_attachments_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.eml").write_bytes(message(("plain", "Ada Berger left.\n"), attach=[("ada.pdf", b"x")]))
    assert main(["anonymize", "m.eml", "--protect", "Ada Berger", "-o", "o.eml"]) == 1
    assert "warning: m.eml: attachments are left out (1)" in capsys.readouterr().err
