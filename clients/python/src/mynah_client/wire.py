"""JSON-RPC 2.0 as the console speaks it, one document a line each way. Bytes in, messages out; it opens nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

LONGEST_REQUEST = 65_536
"""Bytes of a line that the device takes."""

LONGEST_LINE = 16 << 20
"""Bytes of a line that is kept; what is longer is no answer of any device."""

Params = Union[Mapping[str, Any], Sequence[Any], None]


@dataclass(frozen=True)
class Answer:
    """What a request came to: a result, or an error. An error without an id is about a line that was not understood."""

    id: Any
    result: Any = None
    error: Any = None


@dataclass(frozen=True)
class Notification:
    """What the device says by itself: `event`, `log`."""

    method: str
    params: Any


@dataclass(frozen=True)
class Noise:
    """A line that is not a document: a prompt, a kernel's message, bytes that were damaged."""

    text: str


Message = Union[Answer, Notification, Noise]


class LineSplitter:
    """Makes lines out of bytes that come in any portions."""

    def __init__(self, longest: int = LONGEST_LINE):
        self._longest = longest
        self._rest = bytearray()
        self._searched = 0
        self._discarding = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that are complete now, without their ends. A line that is too long is dropped as a whole."""
        self._rest += data
        while True:
            end = self._rest.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._rest)
                if self._searched > self._longest:
                    self._rest.clear()
                    self._searched = 0
                    self._discarding = True
                return
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            self._searched = 0
            if self._discarding or len(line) > self._longest:
                self._discarding = False
                continue
            yield line

    @property
    def rest(self) -> bytes:
        """What has come of a line that has not ended, such as a prompt."""
        return bytes(self._rest)


def messages(line: bytes) -> List[Message]:
    """What a line says. Nothing that a device or a bad line can send raises."""
    line = line.strip(b"\r\0 \t")
    if not line:
        return []
    document = _document(line)
    if isinstance(document, list):
        return [message for item in document for message in [_message(item)] if message] or [_noise(line)]
    message = _message(document)
    return [message] if message else [_noise(line)]


def _document(line: bytes) -> Any:
    # Something may stand before it: a prompt, an echo, a kernel's message that broke into the line.
    starts = [line.find(b"{"), line.find(b"["), line.rfind(b'{"jsonrpc"'), line.rfind(b'[{"jsonrpc"')]
    for start in sorted({start for start in starts if start >= 0}):
        try:
            return json.loads(line[start:], parse_constant=_refuse, parse_int=_integer)
        except (ValueError, RecursionError):
            continue
    return None


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _integer(digits: str) -> Union[int, float]:
    return int(digits) if len(digits) < 32 else float(digits)


def _message(document: Any) -> Optional[Message]:
    if not isinstance(document, dict) or document.get("jsonrpc") != "2.0":
        return None
    method = document.get("method")
    if isinstance(method, str) and "id" not in document:
        return Notification(method, document.get("params"))
    if "id" in document and ("result" in document or "error" in document):
        return Answer(document["id"], document.get("result"), document.get("error"))
    return None


def _noise(line: bytes) -> Noise:
    return Noise(line.decode("utf-8", "replace"))


def request(method: str, params: Params = None, id: Any = None) -> Dict[str, Any]:
    """A request, or without an id a notification, which is never answered."""
    document: Dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if id is not None:
        document["id"] = id
    if params is not None:
        document["params"] = dict(params) if isinstance(params, Mapping) else list(params)
    return document


def encode(document: Any) -> bytes:
    """The document as a line.

    Raises ValueError for what is no JSON (NaN among it) and for a line that no device takes.
    """
    line = json.dumps(document, allow_nan=False, separators=(",", ":"), ensure_ascii=True).encode()
    if len(line) > LONGEST_REQUEST:
        raise ValueError(f"a request of {len(line)} bytes: a device takes lines of at most {LONGEST_REQUEST}")
    return line + b"\n"


INTERRUPT = b"\x03\n"
"""Ends whatever half of a line, or command of a person, stands there. Programs get an error without an id."""

CANCEL_TRANSFER = b"\x18" * 8
"""Ends a file transfer by ZMODEM that has the line."""


def greeting(token: str, insistent: bool = False) -> Tuple[str, bytes]:
    """What makes the console talk to a program, whatever it was doing: the id that answers to it, and the bytes.

    What somebody before has subscribed to on this line is taken back.
    """
    id = f"{token}-hello"
    lines = encode(request("events.unsubscribe")) + encode(request("log.follow", {"on": False}))
    return id, (CANCEL_TRANSFER if insistent else b"") + INTERRUPT + lines + encode(request("system.info", id=id))
