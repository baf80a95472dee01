"""A language model on this machine that is asked to mend a sentence: behind a server, or in a file.

Servers speak the interface of OpenAI (llama.cpp, Ollama, vLLM …); only those on this machine are asked. A file is read
by llama.cpp, of the extra `llm`. Either sees one anonymized sentence at a time, and nothing else.
"""

from __future__ import annotations

import atexit
import ipaddress
import json
import logging
import re
from dataclasses import dataclass, field
from functools import lru_cache
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit, urlunsplit

from embanon.errors import ConfigError, MissingExtraError
from embanon.io import TooLargeError, post

LOG: Final = logging.getLogger(__name__)

SECONDS: Final = 60.0
"""For one sentence."""
PATIENCE: Final = 2
"""Sentences without an answer, one after the other, from which on no more are asked."""
MOST_BYTES: Final = 1 << 18
"""Of an answer."""
CONTEXT: Final = 2048
"""Tokens that a model from a file reads and writes at once."""
MOST_TOKENS: Final = 400
FILE_ENDING: Final = ".gguf"
ADDRESS: Final = re.compile(r"https?://[!-~]+", re.IGNORECASE)
THIS_MACHINE: Final = "127.0.0.1"
LANGUAGE_NAMES: Final = {"en": "English", "es": "Spanish", "pt": "Portuguese", "de": "German"}
TASK: Final = """\
You correct sentences in {language} in which words were replaced by more general ones. Correct the articles and \
contractions before them, so that the sentence reads well. Keep every other word, number, mark and everything in \
brackets as it is, in the same order. Add nothing, explain nothing. Answer with the corrected sentence alone; if it \
is correct, repeat it."""

Message = dict[str, str]


class LanguageModel(Protocol):
    """What mends sentences."""

    def mend(self, sentence: str, language: str) -> str | None:
        """Return the sentence as it reads better; `None` where there was no answer."""


def messages_for(sentence: str, language: str) -> list[Message]:
    """Return what a model is asked."""
    task = TASK.format(language=LANGUAGE_NAMES.get(language, "its language"))
    return [{"role": "system", "content": task}, {"role": "user", "content": sentence}]


def read_answer(answer: Any) -> str | None:
    """Return the first line of an answer in the form of OpenAI's interface; `None` of anything else.

    Small models explain below what they were asked not to explain.
    """
    match answer:
        case {"choices": [{"message": {"content": str(content)}}, *_]}:
            return content.strip().partition("\n")[0].rstrip()
    return None


def _own_address(host: str) -> str:
    """Return the address of this machine that a host is, without asking anybody; empty of another one."""
    if host.lower() == "localhost":
        return THIS_MACHINE
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return ""
    return (f"[{host}]" if address.version == 6 else host) if address.is_loopback else ""


@dataclass(slots=True)
class ServerModel:
    """A model behind a server on this machine."""

    address: str
    name: str = ""
    """What the server calls the model, where it has several."""
    has_answered: bool = field(default=False, compare=False)
    silent: int = field(default=0, compare=False)
    """How many sentences in a row had no answer."""

    @classmethod
    def from_address(cls, address: str) -> ServerModel:
        """Read an address such as http://127.0.0.1:8080/v1#model; it must be of this machine."""
        try:
            parts = urlsplit(address if ADDRESS.fullmatch(address) else "")
            host, port = _own_address(parts.hostname or ""), parts.port
        except ValueError:
            host, port, parts = "", None, urlsplit("")
        if not host or port == 0 or "@" in parts.netloc:
            raise ConfigError(
                "anonymize.polish: only a server on this machine is asked; start one here: http://127.0.0.1:8080"
            )
        path = parts.path.rstrip("/") or "/v1"
        path = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
        place = f"{host}:{port}" if port else host
        return cls(urlunsplit((parts.scheme, place, path, parts.query, "")), parts.fragment)

    def mend(self, sentence: str, language: str) -> str | None:
        """Return what the server answers; `None` where it answers with no sentence, or not in time."""
        if self.silent >= PATIENCE:
            return None
        answer = self._ask(messages_for(sentence, language))
        self.silent = 0 if answer is not None else self.silent + 1
        self.has_answered |= answer is not None
        if self.silent == PATIENCE:
            LOG.warning(
                "anonymize.polish: %s does not answer as a language model does; "
                "the sentences from here on stay as they are",
                self.address,
            )
        return read_answer(answer)

    def _ask(self, messages: list[Message]) -> Any:
        """Return what the server says, as JSON; `None` where that is nothing."""
        question = {"messages": messages, "temperature": 0, "max_tokens": MOST_TOKENS, "stream": False}
        body = json.dumps(question | {"model": self.name or "default"}).encode()
        try:
            reply = post(
                self.address, body, {"Content-Type": "application/json"}, SECONDS, MOST_BYTES, is_local=True
            )  # fmt: skip
        except (ConnectionRefusedError, ValueError) as exc:
            raise ConfigError(
                f"anonymize.polish: nobody answers at {self.address}; start the server, or leave --polish out"
            ) from exc
        except (OSError, HTTPException, TooLargeError):
            return None
        if reply.status != 200 and not self.has_answered:
            raise ConfigError(
                f"anonymize.polish: {self.address} answers with status {reply.status}; "
                "check the address, and name the model behind a #"
            )
        try:
            return json.loads(reply.body) if reply.status == 200 else None
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True, slots=True)
class FileModel:
    """A model in a file, which llama.cpp runs."""

    path: Path
    runner: Any = field(repr=False)

    @classmethod
    def open(cls, path: Path) -> FileModel:
        """Open a file."""
        if not path.is_file():
            raise ConfigError(f"anonymize.polish: {path} is no file; name a model that ends in {FILE_ENDING}")
        try:
            from llama_cpp import Llama
        except ModuleNotFoundError as exc:
            raise MissingExtraError("llama-cpp-python", "llm") from exc
        try:
            runner = Llama(str(path), n_ctx=CONTEXT, seed=1, verbose=False)
            atexit.register(runner.close)  # before Python takes it apart
            return cls(path, runner)
        except (ValueError, RuntimeError, OSError) as exc:
            raise ConfigError(
                f"anonymize.polish: {path} cannot be opened as a model; name a whole file of llama.cpp"
            ) from exc

    def mend(self, sentence: str, language: str) -> str | None:
        """Return what the model answers; `None` of a sentence that is too long for it."""
        try:
            answer = self.runner.create_chat_completion(
                messages_for(sentence, language), temperature=0.0, max_tokens=MOST_TOKENS
            )
        except (ValueError, RuntimeError):
            return None
        return read_answer(answer)


@lru_cache(maxsize=1)
def _open_file(path: Path) -> FileModel:
    """Open a file once for all texts."""
    return FileModel.open(path)


def open_language_model(where: str) -> LanguageModel:
    """Open the model at an address or in a file."""
    if "://" in where:
        return ServerModel.from_address(where)
    if not where.endswith(FILE_ENDING):
        raise ConfigError(
            f"anonymize.polish: must be an address such as http://127.0.0.1:8080, or a file that ends in {FILE_ENDING}"
        )
    return _open_file(Path(where))
