"""The mail filter behind a real SMTP server, which answers as Postfix makes answers of the exit codes of a pipe."""

from __future__ import annotations

import os
import smtplib
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from embanon.cli.main import main

controller = pytest.importorskip("aiosmtpd.controller")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script of Unix")

POLICY = """
[[entities]]
name = "Project Velland"
kind = "project"
aliases = ["Velland", "Véllandø"]
sensitivity = 4
"""
FROM, TO = "a@one.example", "b@two.example"
SOFT_EXITS = {71, 73, 74, 75}
"""Exit codes that Postfix takes for failures that pass; so it does where a signal ends a command (sys_exits.c)."""
SECRETS = ("velland", "véllandø", "nobody is to know")


class Piping:
    """Pipes each message to a command, as `pipe` of Postfix does, and answers by its exit code."""

    def __init__(self, command: Path, environment: dict[str, str]) -> None:
        self.command, self.environment = command, environment

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        words = [str(self.command), "-f", envelope.mail_from, "--", *envelope.rcpt_tos]
        done = subprocess.run(words, input=envelope.content, capture_output=True, env=self.environment, check=False)
        said = " ".join((done.stdout + done.stderr).decode("utf-8", "replace").split())[:800]
        if done.returncode == 0:
            return "250 2.0.0 delivered"
        soft = done.returncode < 0 or done.returncode in SOFT_EXITS
        return f"451 4.3.0 temporary failure. {said}" if soft else f"554 5.3.0 service unavailable. {said}"


class Server:
    """A server with the filter, and what it has delivered."""

    def __init__(self, folder: Path, environment: dict[str, str], port: int) -> None:
        self.folder, self.environment, self.port = folder, environment, port

    @property
    def delivered(self) -> list[bytes]:
        return [one.read_bytes() for one in sorted((self.folder / "mailbox").iterdir())]

    def send(self, data: bytes) -> tuple[int, str]:
        """Send bytes as a message, and return the answer."""
        with smtplib.SMTP("127.0.0.1", self.port, timeout=60) as client:
            client.ehlo()
            client.mail(FROM, ["BODY=8BITMIME"])
            client.rcpt(TO)
            code, answer = client.data(data)
        return code, answer.decode("utf-8", "replace")


@pytest.fixture
def server(tmp_path: Path, programs: dict[str, str]) -> Iterator[Server]:
    command = tmp_path / "embanon-mail-filter"
    assert main(["leak", "recipe", "mail-filter", "-o", str(command)]) == 0
    (tmp_path / "policy.toml").write_text(POLICY, "utf-8")
    (tmp_path / "mailbox").mkdir()
    sendmail = tmp_path / "sendmail"
    sendmail.write_text(f'#!/bin/sh\n[ "$*" = "-G -i -f {FROM} -- {TO}" ] || exit 64\n'
                        f'exec cat > "$(mktemp \'{tmp_path}/mailbox/XXXXXX\')"\n')  # fmt: skip
    sendmail.chmod(0o755)
    environment = programs | {"LEAK_POLICY": str(tmp_path / "policy.toml"), "SENDMAIL": str(sendmail)}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = controller.Controller(Piping(command, environment), "127.0.0.1", port, data_size_limit=1 << 27)
    running.start()
    yield Server(tmp_path, environment, port)
    running.stop()


def mail(subject: str = "soup", text: str = "There is soup.", **files: tuple[str, bytes]) -> bytes:
    """Return a message with files: name -> (type, content)."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = FROM, TO, subject
    message.set_content(text)
    for name, (kind, data) in files.items():
        main_type, _, subtype = kind.partition("/")
        message.add_attachment(data, maintype=main_type, subtype=subtype, filename=name.replace("_", "."))
    return message.as_bytes()


EIGHT_BIT = (
    b"From: a@one.example\r\nTo: b@two.example\r\nSubject: soup\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: text/plain; charset=%s\r\nContent-Transfer-Encoding: 8bit\r\n\r\n%s\r\n"
)
SECRET = "Nobody is to know: the Véllandø is late."
MESSAGES: dict[str, tuple[Callable[[], bytes], int]] = {
    "let pass": (mail, 250),
    "with a table": (lambda: mail(menu_csv=("text/csv", b"day,dish\n1,soup\n")), 250),
    "of eight bits": (lambda: EIGHT_BIT % (b"utf-8", "Käse und Brot.\r\n..\r\n.\r\n".encode()), 250),
    "in Latin letters of one byte": (lambda: EIGHT_BIT % (b"iso-8859-1", "Käse".encode("latin-1")), 250),
    "refused, of eight bits": (lambda: EIGHT_BIT % (b"utf-8", SECRET.encode()), 554),
    "refused, of one byte a letter": (lambda: EIGHT_BIT % (b"iso-8859-1", SECRET.encode("latin-1")), 554),
    "refused by its subject": (lambda: mail("=?utf-8?b?VsOpbGxhbmTDuA==?="), 554),
    "refused by its table": (lambda: mail(plan_csv=("text/csv", b"who,what\nBo,Velland\n")), 554),
    "refused by the name of a file": (lambda: mail(**{"the Velland_txt": ("text/plain", b"soup")}), 554),
    "refused for what cannot be read": (lambda: mail(a_pdf=("application/pdf", b"%PDF-1.7\n\0\1")), 554),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_is_delivered_or_answered(name: str, server: Server) -> None:
    make, expected = MESSAGES[name]
    data = make()
    code, answer = server.send(data)
    assert code == expected, answer
    assert not any(secret in answer.lower() for secret in SECRETS)
    assert len(server.delivered) == (code == 250)
    for delivered in server.delivered:
        sent, received = message_from_bytes(data), message_from_bytes(delivered)
        assert received["Subject"] == sent["Subject"]
        assert received.as_bytes().split() == sent.as_bytes().split()


def test_a_huge_message_is_no_way_through(server: Server) -> None:
    line = b"There is soup in the yard at noon, and bread with it.\r\n"
    code, _ = server.send(mail(text="x").replace(b"x\n", line * ((33 << 20) // len(line)) + SECRET.encode()))
    assert code == 451  # more than is read
    assert not server.delivered


BROKEN = {
    "a gate that is killed": ("embanon", "kill -9 $$"),
    "a gate that dies of its own": ("embanon", "echo Traceback >&2; exit 1"),
    "a gate without memory": ("embanon", "exit 137"),
    "a gate with a fault": ("embanon", "exit 4"),
    "no sendmail": ("sendmail", "exit 127"),
    "a sendmail that is killed": ("sendmail", "kill -9 $$"),
    "a sendmail that cannot now": ("sendmail", "exit 75"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_is_tried_again(name: str, server: Server, tmp_path: Path) -> None:
    program, script = BROKEN[name]
    file = Path(server.environment["SENDMAIL"])
    if program == "embanon":
        file = tmp_path / "broken" / "embanon"
        file.parent.mkdir()
        server.environment["PATH"] = f"{file.parent}{os.pathsep}{server.environment['PATH']}"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    code, answer = server.send(mail())
    assert code == 451, answer
    assert not server.delivered


def test_a_gate_that_is_not_there_is_waited_for(server: Server) -> None:
    server.environment["PATH"] = "/usr/bin:/bin"
    assert server.send(mail())[0] == 451
    server.environment["LEAK_POLICY"] = "missing.toml"
    assert server.send(mail())[0] == 451
