"""Pickled data read as data. A pickle is a program; this reads its steps one by one and carries out those that make
dictionaries, lists, tuples, text, bytes, whole numbers and arrays of bytes. Any other step is refused where it stands:
nothing that a pickle names is ever imported or called.

Steps are those of the binary protocols, 2 to 5. Python 2's strings are bytes here.
"""

import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from kernelgap.errors import InputError

Value = object


@dataclass(frozen=True)
class _Named:
    """A function or type that the pickle names, as a word and no more."""

    name: str


@dataclass
class _Array:
    """An array that is announced, and filled by a later step."""

    values: np.ndarray | None = None


KIND, ARRAY, MADE, FILLED = (_Named(name) for name in ("dtype", "ndarray", "made", "filled"))
ENCODED, BYTES = _Named("encoded"), _Named("bytes")  # how Python 3 writes bytes in protocol 2
KNOWN = {
    "numpy dtype": KIND,
    "numpy ndarray": ARRAY,
    "numpy.core.multiarray _reconstruct": MADE,
    "numpy._core.multiarray _reconstruct": MADE,
    "numpy.core.numeric _frombuffer": FILLED,
    "numpy._core.numeric _frombuffer": FILLED,
    "_codecs encode": ENCODED,
    "__builtin__ bytes": BYTES,
}


class _RefusedError(Exception):
    """Why a step is not carried out."""


def read_pickled(content: bytes, name: str) -> Value:
    """What a pickle of plain data holds; ``name`` is for messages."""
    machine, at, step = _Machine(), 0, "start"
    try:
        for opcode, argument, position in pickletools.genops(content):
            at, step = position or 0, opcode.name
            if step == "STOP":
                break
            machine.carry_out(step, argument)
        if at + 1 != len(content):
            raise _RefusedError(f"the data end here, and {len(content) - at - 1} more bytes follow")
        return machine.result()
    except _RefusedError as error:
        reason = str(error)
    except IndexError:
        reason = "it takes something that is not there"
    except (ValueError, OverflowError, MemoryError) as error:  # pickletools on what is cut short or is no step
        reason = f"what follows is cut short or no pickle ({error})"
    raise InputError(f"{name} is refused at byte {at} ({step}): {reason}. Nothing in it was run.")


class _Machine:
    """A stack, marks in it, and a memory: what pickles are programs of."""

    def __init__(self) -> None:
        self.stack: list[Value] = []
        self.below: list[list[Value]] = []  # the stacks under each mark
        self.memory: dict[int, Value] = {}

    def carry_out(self, step: str, argument: Value) -> None:
        if step in PUSHED:
            self.stack.append(PUSHED[step](argument))
        elif step in TUPLES:
            count = TUPLES[step]
            items = [self.stack.pop() for _ in range(count)]
            self.stack.append(tuple(reversed(items)))
        elif step in STEPS:
            STEPS[step](self, argument)
        else:
            raise _RefusedError("plain data have no such step")

    def result(self) -> Value:
        if len(self.stack) != 1 or self.below:
            raise _RefusedError("the data are not complete")
        return _finished(self.stack[0])

    def mark(self, _: Value) -> None:
        self.below.append(self.stack)
        self.stack = []

    def to_mark(self) -> list[Value]:
        items, self.stack = self.stack, self.below.pop()
        return items

    def tuple_from_mark(self, _: Value) -> None:
        items = self.to_mark()
        self.stack.append(tuple(items))

    def remember(self, argument: Value) -> None:
        place = argument if isinstance(argument, int) else len(self.memory)
        self.memory[place] = self.stack[-1]

    def recall(self, argument: Value) -> None:
        if not isinstance(argument, int) or argument not in self.memory:
            raise _RefusedError("it recalls what was not remembered")
        self.stack.append(self.memory[argument])

    def append(self, items: list[Value]) -> None:
        target = self.stack[-1]
        if not isinstance(target, list):
            raise _RefusedError("it appends to what is no list")
        target.extend(_finished(item) for item in items)

    def set_items(self, items: list[Value]) -> None:
        target = self.stack[-1]
        if not isinstance(target, dict) or len(items) % 2:
            raise _RefusedError("it sets the entries of what is no dictionary")
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(key, (str, bytes, int)):
                raise _RefusedError("an entry's key is neither text nor a number")
            target[key] = _finished(value)

    def name(self, argument: Value) -> None:
        if argument not in KNOWN:
            raise _RefusedError(f"it asks for {argument!r:.80}, which plain data do not need")
        self.stack.append(KNOWN[str(argument)])

    def name_from_stack(self, _: Value) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise _RefusedError("it asks for something by what is no name")
        self.name(f"{module} {name}")

    def reduce(self, _: Value) -> None:
        arguments, what = self.stack.pop(), self.stack.pop()
        match what, arguments:
            case _Named("dtype"), (b"u1" | "u1" | b"|u1" | "|u1", *_):
                self.stack.append(KIND)
            case _Named("dtype"), _:
                raise _RefusedError("it makes an array of something other than unsigned bytes")
            case _Named("made"), (_Named("ndarray"), *_):
                self.stack.append(_Array())
            case _Named("filled"), (buffer, _Named("dtype"), shape, order):
                self.stack.append(_array(buffer, shape, order in ("F", b"F")))
            case _Named("bytes"), ():
                self.stack.append(b"")
            case _Named("encoded"), (str(text), "latin1" | b"latin1" | "latin-1" | b"latin-1"):
                self.stack.append(_latin(text))
            case _:
                raise _RefusedError("it calls something, or in a way, that plain data do not need")

    def build(self, _: Value) -> None:
        state, what = self.stack.pop(), self.stack[-1]
        match what, state:
            case _Named("dtype"), (int(), b"|" | "|", None, None, None, *_):
                pass  # one byte has no order
            case _Array(), (int(), shape, _Named("dtype"), bool(by_column), content):
                what.values = _array(content, shape, by_column)
            case _:
                raise _RefusedError("it changes something that plain data leave alone")


def _finished(value: Value) -> Value:
    """A value as it is kept: arrays filled, and no bare names."""
    if isinstance(value, _Array):
        if value.values is None:
            raise _RefusedError("an array was announced and not filled")
        return value.values
    if isinstance(value, _Named):
        raise _RefusedError(f"{value.name} stands where data should")
    return value


def _array(content: Value, shape: Value, by_column: bool) -> np.ndarray:
    if not isinstance(content, (bytes, bytearray)) or not isinstance(shape, tuple):
        raise _RefusedError("an array's content is not bytes")
    if not all(isinstance(length, int) and length >= 0 for length in shape) or len(shape) > 8:
        raise _RefusedError("an array's shape is not made of lengths")
    if prod(shape) != len(content):
        raise _RefusedError(f"an array of {' x '.join(map(str, shape))[:80]} is announced, with {len(content)} bytes")
    return np.frombuffer(bytes(content), np.uint8).reshape(shape, order="F" if by_column else "C")


def _latin(text: Value) -> bytes:
    """pickletools gives Python 2's strings as text of one character a byte."""
    try:
        return str(text).encode("latin-1")
    except UnicodeEncodeError:
        raise _RefusedError("bytes are written with characters that are none") from None


def _same(value: Value) -> Value:
    return value


PUSHED: dict[str, Callable[[Value], Value]] = {
    "EMPTY_DICT": lambda _: {},
    "EMPTY_LIST": lambda _: [],
    "EMPTY_TUPLE": lambda _: (),
    "NONE": lambda _: None,
    "NEWTRUE": lambda _: True,
    "NEWFALSE": lambda _: False,
    **dict.fromkeys(("SHORT_BINSTRING", "BINSTRING"), _latin),
    **dict.fromkeys(("BININT", "BININT1", "BININT2", "LONG1"), _same),
    **dict.fromkeys(("SHORT_BINBYTES", "BINBYTES", "BINBYTES8", "BYTEARRAY8"), _same),
    **dict.fromkeys(("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"), _same),
}
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
STEPS: dict[str, Callable[[_Machine, Value], None]] = {
    **dict.fromkeys(("PROTO", "FRAME"), lambda machine, _: None),
    "MARK": _Machine.mark,
    "TUPLE": _Machine.tuple_from_mark,
    **dict.fromkeys(("BINPUT", "LONG_BINPUT", "MEMOIZE"), _Machine.remember),
    **dict.fromkeys(("BINGET", "LONG_BINGET"), _Machine.recall),
    "APPEND": lambda machine, _: machine.append([machine.stack.pop()]),
    "APPENDS": lambda machine, _: machine.append(machine.to_mark()),
    "SETITEM": lambda machine, _: machine.set_items([machine.stack.pop(), machine.stack.pop()][::-1]),
    "SETITEMS": lambda machine, _: machine.set_items(machine.to_mark()),
    "GLOBAL": _Machine.name,
    "STACK_GLOBAL": _Machine.name_from_stack,
    "REDUCE": _Machine.reduce,
    "BUILD": _Machine.build,
}
