"""Every failure that embanon names.

EmbanonError
├── ConfigError        a key, a value or an option is wrong            exit 2
│   ├── ArgumentError  an argument of a call has a wrong type      exit 2
│   └── MissingExtraError   a library of an extra is not installed          exit 2
├── InputError         an input cannot be read, or is unsafe to read   exit 3
│   ├── DecodingError  bytes are not text in the encoding expected     exit 3
│   └── MissingTextError    a table lacks its text: the column, the key     exit 3
├── DataError          a shipped or trained file is missing or broken  exit 3
└── OutputError        what is found cannot be written                exit 141

A message says what happened, where, and what to type next. It never quotes the text: it gives names of
files, ids of documents, lines and offsets.
"""

from __future__ import annotations


class EmbanonError(Exception):
    """A failure that embanon names: what went wrong, where, and what to do about it."""

    exit_code = 4


class ConfigError(EmbanonError):
    """A key, a value or an option is wrong."""

    exit_code = 2


class ArgumentError(ConfigError, TypeError):
    """An argument of a call in Python has a wrong type."""


class MissingExtraError(ConfigError):
    """A library that belongs to an extra is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed; run: pip install 'embanon[{extra}]'")


class InputError(EmbanonError):
    """An input cannot be read, or is unsafe to read; nothing is written for it."""

    exit_code = 3


class DecodingError(InputError):
    """Bytes are not text in the encoding that was expected."""


class MissingTextError(InputError):
    """A table has no column of text, or a line no key of it, by the names that are asked for."""


class DataError(EmbanonError):
    """A shipped or trained file is missing, truncated or of another version."""

    exit_code = 3


class OutputError(EmbanonError):
    """Standard output is closed or full: as where its reader went away, which needs no message."""

    exit_code = 141


class ProtectedNameWarning(UserWarning):
    """A text does not name somebody to protect: a misspelling, or an alias that is missing."""
