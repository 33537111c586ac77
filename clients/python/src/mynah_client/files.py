"""How a file is fetched piece by piece and checked. No I/O: what to ask for comes out, answers go in."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Any, Callable, Dict, Generator, Optional, Union

from .errors import NoAnswer, TransferError

MOST = 45_000
"""Bytes of a piece, at most: four thirds of it are a line that fits."""
TRIES = 4


def pieces(
    id: str, sink: Callable[[bytes], Any], notes: bool = False
) -> Generator[Dict[str, Any], Union[Dict[str, Any], NoAnswer, None], str]:
    """Yields the parameters of `files.read`, takes its answers, hands the bytes to `sink` and returns the SHA-256.

    A piece that was damaged on the line, or whose answer was, is asked for again, and those after it are shorter.
    Raises `TransferError` when that does not help, or when the file is not what the device says it is.
    """
    whole = hashlib.sha256()
    offset, length, failures = 0, MOST, 0
    while True:
        answer = yield {"id": id, "offset": offset, "bytes": length, **({"notes": True} if notes else {})}
        piece = _checked(answer)
        if piece is None or not isinstance(answer, dict):
            failures += 1
            if failures >= TRIES:
                if isinstance(answer, NoAnswer):
                    raise answer
                raise TransferError(f"{id}: the bytes from {offset} on arrived damaged {failures} times")
            length = max(1000, length // 2)
            continue
        failures = 0
        sink(piece)
        whole.update(piece)
        offset += len(piece)
        total = answer.get("total", 0)
        if offset >= total:
            expected = answer.get("fileSha256")
            if expected is not None and expected != whole.hexdigest():
                raise TransferError(f"{id}: the file is not what the device says: {whole.hexdigest()}, not {expected}")
            return whole.hexdigest()
        if not piece:
            raise TransferError(f"{id}: it ends at {offset} of {total} bytes")


def _checked(answer: Union[Dict[str, Any], NoAnswer, None]) -> Optional[bytes]:
    if not isinstance(answer, dict):
        return None
    try:
        piece = base64.b64decode(str(answer.get("data", "")), validate=True)
    except (binascii.Error, ValueError):
        return None
    return piece if hashlib.sha256(piece).hexdigest() == answer.get("sha256") else None
