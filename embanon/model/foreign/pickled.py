"""Read a pickle as plain data: nothing of it is imported, called or allocated on its word.

A pickle is a program for a small stack machine; the standard library's runs it, and even with `find_class`
narrowed it makes room for as much as the file says and hashes whatever is nested. This one knows the instructions
of protocols 2 to 5 that build data. Where Python would call something, it notes what, with which arguments: an
`RecordedCall`. Names that are not in the table given are refused.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from typing import Any, Final

from embanon.errors import InputError

ADVICE: Final = "in gensim: model.wv.save_word2vec_format('vectors.bin', binary=True), then convert vectors.bin"

Key = str | bytes | int | None
MAX_INTEGER_KEY: Final = 1 << 31
"""Larger numbers can be chosen so that looking up each takes as long as all that came before."""


@dataclass(frozen=True, slots=True)
class GlobalName:
    """A function or class that the pickle names, and that is not looked up."""

    name: str


@dataclass(slots=True, eq=False)
class RecordedCall:
    """What a call would give: its arguments, and what would be put into the result."""

    callable_name: str
    arguments: Any = field(repr=False)
    state: Any = field(default=None, repr=False)
    items: dict[Key, Any] = field(default_factory=dict, repr=False)


class _BrokenError(Exception):
    """The program makes no sense."""


def parse_pickle(data: bytes | mmap, path: Path, allowed: Collection[str]) -> Any:
    """Return what a pickle holds, of plain values and instances."""
    machine = _Machine(data, path, allowed)
    try:
        return machine.run()
    except (_BrokenError, IndexError, KeyError, TypeError, ValueError, struct.error):
        # Not `from`: such an error may quote what it was about.
        place = machine.place
    raise InputError(f"{path}: is truncated or no pickle of gensim (byte {place}); save it again, or {ADVICE}")


class _Machine:
    def __init__(self, data: bytes | mmap, path: Path, allowed: Collection[str]) -> None:
        self.data, self.path, self.allowed = data, path, allowed
        self.place, self.size = 0, len(data)
        self.stack: list[Any] = []
        self.marked: list[list[Any]] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> Any:
        data, instructions = self.data, INSTRUCTIONS
        while True:
            code = data[self.place]
            self.place += 1
            if code == STOP:
                (result,) = self.stack
                return result
            instructions[code](self)

    def take(self, size: int) -> bytes:
        """Return the next bytes; the size may be any."""
        if not 0 <= size <= self.size - self.place:
            raise _BrokenError
        start = self.place
        self.place += size
        return self.data[start : self.place]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def line(self) -> str:
        end = self.data.find(b"\n", self.place, self.place + 1024)
        line = self.take(end - self.place)
        self.place += 1
        return line.decode("utf-8")

    def items(self) -> list[Any]:
        """Take what is above the last mark."""
        items, self.stack = self.stack, self.marked.pop()
        return items

    def top(self, kind: type | tuple[type, ...]) -> Any:
        if not isinstance(self.stack[-1], kind):
            raise _BrokenError
        return self.stack[-1]


def _push_sized(size: int, convert: Callable[[bytes], Any]) -> Callable[[_Machine], None]:
    """Push what comes after its own length."""

    def push(machine: _Machine) -> None:
        machine.stack.append(convert(machine.take(machine.number(size))))

    return push


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _signed_integer(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


def _unsigned(size: int) -> Callable[[_Machine], None]:
    def push(machine: _Machine) -> None:
        machine.stack.append(machine.number(size))

    return push


def _signed(machine: _Machine) -> None:
    machine.stack.append(_signed_integer(machine.take(4)))


def _float(machine: _Machine) -> None:
    machine.stack.append(struct.unpack(">d", machine.take(8))[0])


def _constant(value: Any) -> Callable[[_Machine], None]:
    return lambda machine: machine.stack.append(value)


def _new(kind: type) -> Callable[[_Machine], None]:
    return lambda machine: machine.stack.append(kind())


def _tuple(size: int) -> Callable[[_Machine], None]:
    def push(machine: _Machine) -> None:
        if len(machine.stack) < size:
            raise _BrokenError
        machine.stack[-size:] = [tuple(machine.stack[-size:])]

    return push


def _put(size: int) -> Callable[[_Machine], None]:
    def put(machine: _Machine) -> None:
        machine.memo[machine.number(size)] = machine.stack[-1]

    return put


def _memoize(machine: _Machine) -> None:
    machine.memo[len(machine.memo)] = machine.stack[-1]


def _get(size: int) -> Callable[[_Machine], None]:
    return lambda machine: machine.stack.append(machine.memo[machine.number(size)])


def _mark(machine: _Machine) -> None:
    machine.marked.append(machine.stack)
    machine.stack = []


def _marked_tuple(machine: _Machine) -> None:
    items = machine.items()
    machine.stack.append(tuple(items))


def _pop(machine: _Machine) -> None:
    if machine.stack:
        machine.stack.pop()
    else:
        machine.items()


def _pop_marked(machine: _Machine) -> None:
    machine.items()


def _duplicate(machine: _Machine) -> None:
    machine.stack.append(machine.stack[-1])


def _append(machine: _Machine) -> None:
    value = machine.stack.pop()
    machine.top(list).append(value)


def _extend(machine: _Machine) -> None:
    items = machine.items()
    machine.top(list).extend(items)


def _set_items(machine: _Machine, items: list[Any]) -> None:
    target = machine.top((dict, RecordedCall))
    pairs = target.items if isinstance(target, RecordedCall) else target
    if len(items) % 2 or not all(_is_key(key) for key in items[::2]):
        raise _BrokenError
    pairs.update(zip(items[::2], items[1::2], strict=True))


def _is_key(value: Any) -> bool:
    # Hashing what is nested may take the whole process down.
    return isinstance(value, (str, bytes, type(None))) or (isinstance(value, int) and abs(value) < MAX_INTEGER_KEY)


def _set_marked(machine: _Machine) -> None:
    items = machine.items()
    _set_items(machine, items)


def _set_one(machine: _Machine) -> None:
    items = machine.stack[-2:]
    del machine.stack[-2:]
    _set_items(machine, items)


def _push_global(machine: _Machine, module: Any, name: Any) -> None:
    if not isinstance(module, str) or not isinstance(name, str):
        raise _BrokenError
    full = f"{module}.{name}"
    if full not in machine.allowed:
        raise InputError(
            f"{machine.path}: names {full[:100]!r}, which no model of gensim needs, so that it is not read: "
            f"it may be an attack. If you trust it, {ADVICE}"
        )
    machine.stack.append(GlobalName(full))


def _push_global_from_lines(machine: _Machine) -> None:
    module = machine.line()
    _push_global(machine, module, machine.line())


def _push_global_from_stack(machine: _Machine) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    _push_global(machine, module, name)


def _call(machine: _Machine) -> None:
    arguments = machine.stack.pop()
    called = machine.top(GlobalName)
    machine.stack[-1] = RecordedCall(called.name, arguments)


def _call_with_keywords(machine: _Machine) -> None:
    machine.stack.pop()
    _call(machine)


def _build(machine: _Machine) -> None:
    state = machine.stack.pop()
    machine.top(RecordedCall).state = state


def _skip(size: int) -> Callable[[_Machine], None]:
    def skip(machine: _Machine) -> None:
        machine.take(size)

    return skip


STOP: Final = ord(".")
INSTRUCTIONS: Final[Mapping[int, Callable[[_Machine], None]]] = {
    0x80: _skip(1),  # protocol
    0x95: _skip(8),  # size of a frame
    ord("("): _mark,
    ord("0"): _pop,
    ord("1"): _pop_marked,
    ord("2"): _duplicate,
    ord("N"): _constant(None),
    0x88: _constant(True),
    0x89: _constant(False),
    ord("K"): _unsigned(1),
    ord("M"): _unsigned(2),
    ord("J"): _signed,
    0x8A: _push_sized(1, _signed_integer),
    0x8B: _push_sized(4, _signed_integer),
    ord("G"): _float,
    0x8C: _push_sized(1, _text),
    ord("X"): _push_sized(4, _text),
    0x8D: _push_sized(8, _text),
    ord("C"): _push_sized(1, bytes),
    ord("B"): _push_sized(4, bytes),
    0x8E: _push_sized(8, bytes),
    0x96: _push_sized(8, bytes),  # bytearray
    ord("U"): _push_sized(1, bytes),  # str of Python 2
    ord("T"): _push_sized(4, bytes),
    ord("]"): _new(list),
    ord("}"): _new(dict),
    0x8F: _new(list),  # set: nothing is hashed that need not be
    ord("a"): _append,
    ord("e"): _extend,
    0x90: _extend,  # set
    ord("s"): _set_one,
    ord("u"): _set_marked,
    ord(")"): _constant(()),
    0x85: _tuple(1),
    0x86: _tuple(2),
    0x87: _tuple(3),
    ord("t"): _marked_tuple,
    0x91: _marked_tuple,  # frozenset
    ord("q"): _put(1),
    ord("r"): _put(4),
    0x94: _memoize,
    ord("h"): _get(1),
    ord("j"): _get(4),
    ord("c"): _push_global_from_lines,
    0x93: _push_global_from_stack,
    ord("R"): _call,
    0x81: _call,  # __new__
    0x92: _call_with_keywords,
    ord("b"): _build,
}
"""Instructions that build data; those of protocols 0 and 1 alone, and those that ask the reader for objects, lack."""
