"""A language model on this machine that is asked to mend a sentence: behind a server, or in a file.

Servers speak the interface of OpenAI (llama.cpp, Ollama, vLLM …); only those on this machine are asked. A file is read
by llama.cpp, of the extra `llm`. Either sees one anonymized sentence at a time, and nothing else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit, urlunsplit

from embanon.config import is_loopback
from embanon.errors import ConfigError, MissingExtraError
from embanon.io import TooLargeError, post

SECONDS: Final = 60.0
"""For one sentence."""
MOST_BYTES: Final = 1 << 18
"""Of an answer."""
CONTEXT: Final = 2048
"""Tokens that a model from a file reads and writes at once."""
MOST_TOKENS: Final = 400
FILE_ENDING: Final = ".gguf"
LANGUAGE_NAMES: Final = {"en": "English", "es": "Spanish", "pt": "Portuguese", "de": "German"}
TASK: Final = """\
You correct sentences in {language} in which words were replaced by more general ones. Correct articles, endings, \
prepositions and word order, so that the sentence reads well. Keep every noun, name, number and everything in brackets \
as it is, in the same order. Add nothing, explain nothing. Answer with the corrected sentence alone; if it is correct, \
repeat it."""

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


@dataclass(frozen=True, slots=True)
class ServerModel:
    """A model behind a server on this machine."""

    address: str
    name: str = ""
    """What the server calls the model, where it has several."""

    @classmethod
    def from_address(cls, address: str) -> ServerModel:
        """Read an address such as http://127.0.0.1:8080/v1#model; it must be of this machine."""
        try:
            parts = urlsplit(address)
            host, _ = parts.hostname or "", parts.port
        except ValueError:
            host, parts = "", urlsplit("")
        if not is_loopback(host) or "@" in parts.netloc:
            raise ConfigError(
                "anonymize.polish: only a server on this machine is asked; start one here: http://127.0.0.1:8080"
            )
        path = parts.path.rstrip("/") or "/v1"
        path = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
        return cls(urlunsplit((parts.scheme, parts.netloc, path, parts.query, "")), parts.fragment)

    def mend(self, sentence: str, language: str) -> str | None:
        """Return what the server answers; `None` where it answers with no sentence, or not in time."""
        question = {"messages": messages_for(sentence, language), "temperature": 0, "max_tokens": MOST_TOKENS}
        body = json.dumps(question | {"model": self.name or "default", "stream": False}).encode()
        try:
            reply = post(self.address, body, {"Content-Type": "application/json"}, SECONDS, MOST_BYTES, is_local=True)
        except ConnectionRefusedError:
            raise ConfigError(
                f"anonymize.polish: nobody answers at {self.address}; start the server, or leave --polish out"
            ) from None
        except (OSError, HTTPException, TooLargeError):
            return None
        if reply.status != 200:
            raise ConfigError(
                f"anonymize.polish: {self.address} answers with status {reply.status}; "
                "check the address, and name the model behind a #"
            )
        try:
            return read_answer(json.loads(reply.body))
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
            return cls(path, Llama(str(path), n_ctx=CONTEXT, seed=1, verbose=False))
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


def open_language_model(where: str) -> LanguageModel:
    """Open the model at an address or in a file."""
    if "://" in where:
        return ServerModel.from_address(where)
    if not where.endswith(FILE_ENDING):
        raise ConfigError(
            f"anonymize.polish: must be an address such as http://127.0.0.1:8080, or a file that ends in {FILE_ENDING}"
        )
    return FileModel.open(Path(where))
