"""Opens sealed takes and clips: written from docs/manual/encryption.md alone. python3 -m mynah_client.decrypt KEYFILE IN OUT"""
from __future__ import annotations
import base64
import hashlib
import hmac
import os
import struct
import sys
from typing import BinaryIO, Iterator, NamedTuple, Optional
from .chacha import opened, x25519

CHUNK = 64 << 10
SLOT = CHUNK + 16
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

class Unreadable(Exception):
    """It is no file of age, is for another key, or has been changed."""

class Text(NamedTuple):
    word: str  # whole, unfinished, cut off
    pieces: Iterator[bytes]

def bech32(text: str, prefix: str) -> bytes:
    """The bytes of a key as people have it; its sum is not looked at, for a wrong key opens nothing."""
    text = text.strip().lower()
    if not text.startswith(prefix + "1"):
        raise Unreadable(f"no key {prefix}1…")
    number = 0
    digits = text[len(prefix) + 1 : -6]
    for digit in digits:
        number = number << 5 | BECH32.index(digit)
    return (number >> len(digits) * 5 % 8).to_bytes(len(digits) * 5 // 8, "big")

def identities(path: str) -> list[bytes]:
    with open(path, encoding="ascii", errors="replace") as file:
        lines = [line.strip() for line in file]
    return [bech32(line, "age-secret-key-") for line in lines if line and not line.startswith("#")]

def hkdf(key: bytes, salt: bytes, info: str) -> bytes:
    extracted = hmac.digest(salt or bytes(32), key, "sha256")
    return hmac.digest(extracted, info.encode() + b"\1", "sha256")

def raw(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)

def file_key(head: bytes, keys: list[bytes]) -> bytes:
    lines = head.decode("ascii").split("\n")
    info = "age-encryption.org/v1/X25519"
    for number, line in enumerate(lines):
        words = line.split(" ")
        if words[:2] != ["->", "X25519"] or len(words) != 3:
            continue
        share = raw(words[2])
        for key in keys:
            own = x25519(key, (9).to_bytes(32, "little"))
            found = opened(hkdf(x25519(key, share), share + own, info), bytes(12), raw(lines[number + 1]))
            if found is not None:
                return found
    raise Unreadable("it is sealed to another key")

class Sealed:
    """A sealed file, opened."""

    def __init__(self, file: BinaryIO, keys: list[bytes]) -> None:
        self.file = file
        beginning = file.read(64 << 10)
        place = beginning.find(b"\n---")
        if not beginning.startswith(b"age-encryption.org/v1\n") or place < 0:
            raise Unreadable("it is no file of age")
        key = file_key(beginning[: place + 1], keys)
        end = beginning.index(b"\n", place + 1)
        mac = raw(beginning[place + 5 : end].decode("ascii"))
        if not hmac.compare_digest(hmac.digest(hkdf(key, b"", "header"), beginning[: place + 4], "sha256"), mac):
            raise Unreadable("its head has been changed")
        nonce = beginning[end + 1 : end + 17]
        self.start = end + 17
        self.payload = hkdf(key, nonce, "payload")
        self.draft = hkdf(key, nonce, "mynah/draft")
        self.size = file.seek(0, os.SEEK_END)
        self.first: Optional[bytes] = None
        self.find_ending()

    def read(self, place: int, count: int) -> bytes:
        self.file.seek(place)
        return self.file.read(max(0, count))

    def find_ending(self) -> None:
        """While the first chunk gets its place a copy of it stands at the end of the file."""
        ending = self.read(max(0, self.size - 64), 64)
        if not ending.startswith(b"mynahEND"):
            return
        size, start, count = struct.unpack(">QQQ", ending[8:32])
        first = self.read(self.size - 64 - count, count)
        if start == self.start and hashlib.sha256(ending[:32] + first).digest() == ending[32:]:
            self.size, self.first = size, first

    def chunk(self, index: int, is_last: bool) -> Optional[bytes]:
        place = self.start + index * SLOT
        sealed = self.first if index == 0 and self.first else self.read(place, min(SLOT, self.size - place))
        return opened(self.payload, index.to_bytes(11, "big") + bytes([is_last]), sealed)

    def text(self) -> Text:
        """Pieces are zeros where chunks do not open; that something was changed is raised behind the last."""
        last = max(0, self.size - self.start - 1) // SLOT
        if self.chunk(0, last == 0) is not None:
            whole = last == 0 or self.chunk(last, True) not in (None, b"")
            return Text("whole" if whole else "cut off", self.finished(last, whole))
        if last == 0 and self.chunk(0, False) is not None:
            return Text("cut off", self.finished(0, False))
        beginning = opened(self.draft, b"\xff" * 12, self.read(self.start, SLOT))
        chunks = self.chunks_from(1)
        found = self.records(self.start + (1 if beginning is None else chunks) * SLOT)
        if beginning is None and not found and last > 0:
            return Text("cut off", self.finished(last, self.chunk(last, True) not in (None, b"")))
        return Text("unfinished", self.unfinished(beginning, chunks, found))

    def chunks_from(self, index: int) -> int:
        """The first of the chunks from one on that does not open."""
        while self.chunk(index, False) is not None:
            index += 1
        return index

    def finished(self, last: int, is_whole: bool) -> Iterator[bytes]:
        gaps: list[int] = []  # chunks that do not open; those before one that does are zeros
        handed = 0
        for index in range(last + 1):
            text = self.chunk(index, is_whole and index == last)
            if text is None:
                gaps.append(index)
                continue
            for _ in range(handed, index):
                yield bytes(CHUNK)
            handed = index + 1
            yield text
        if gaps and gaps[0] != last:
            raise Unreadable(f"it has been changed at byte {gaps[0] * CHUNK} of what is in it")

    def unfinished(
        self, beginning: Optional[bytes], chunks: int, found: dict[int, dict[int, bytes]]
    ) -> Iterator[bytes]:
        durable = min(self.durable(found), (self.size - self.start) // SLOT)
        gaps = [index for index in range(chunks, durable) if self.chunk(index, False) is None]
        if durable > 0 and beginning is None:
            beginning = bytes(CHUNK)
            gaps.insert(0, 0)
        if durable > chunks:
            chunks = self.chunks_from(durable)
        best: tuple[bytes, bytes, Optional[int]] = (beginning or b"", b"", None)
        for base in sorted(found):
            text = self.replay(found[base], base, beginning, chunks, best if base == max(found) else None)
            if len(text[0]) + len(text[1]) >= len(best[0]) + len(best[1]):
                best = text
        if not best[0]:
            raise Unreadable("nothing of it can be read")
        yield best[0]
        if len(best[0]) == CHUNK:
            for index in range(1, chunks):
                yield self.chunk(index, False) or bytes(CHUNK)
            yield best[1]
        places = [gap * CHUNK for gap in gaps] + [place for place in (best[2],) if place is not None]
        if places:
            raise Unreadable(f"it has been changed at byte {min(places)} of what is in it")

    @staticmethod
    def durable(found: dict[int, dict[int, bytes]]) -> int:
        """Chunks that were durable when the newest record was written: a piece of no bytes says it."""
        most = 0
        for text in (text for records in found.values() for text in records.values()):
            place = 8
            while place < len(text):
                offset, count = struct.unpack(">QI", text[place : place + 12])
                if count == 0:
                    most = max(most, offset // CHUNK)
                place += 12 + count
        return most

    def records(self, place: int) -> dict[int, dict[int, bytes]]:
        """What is in the log, by the number of a run's base and its own."""
        found: dict[int, dict[int, bytes]] = {}
        rest = self.read(place, self.size - place)
        place = rest.find(b"mynahDR1")
        while place >= 0:
            head = rest[place : place + 28]
            if len(head) == 28:
                base, number, count = struct.unpack(">QQI", head[8:])
                sealed = rest[place + 28 : place + 44 + count]
                text = opened(self.draft, b"\0\0\0\1" + head[16:24], sealed, head)
                if text is not None:
                    found.setdefault(base, {})[number] = text
            place = rest.find(b"mynahDR1", place + 1)
        return found

    @staticmethod
    def replay(
        records: dict[int, bytes],
        base: int,
        beginning: Optional[bytes],
        chunks: int,
        older: Optional[tuple[bytes, bytes, Optional[int]]],
    ) -> tuple[bytes, bytes, Optional[int]]:
        """The first chunk, what is behind the chunks, and where the first zeros are, after all records of a run.

        Of the newest run, which has `older` ones, those behind one that cannot be read count, too.
        """
        known = older if older is not None and base not in records else (beginning or b"", b"", None)
        first, rest, gap, start = bytearray(known[0]), bytearray(known[1]), known[2], chunks * CHUNK
        following, most = base, 0
        for number in sorted(records):
            if number != following:
                if older is None:
                    break
                most = 8 << 20
                # What cannot be read may have written something before it anew.
                here = start + len(rest) if rest else len(first)
                gap = here if gap is None else min(gap, here)
            following = number + 1
            text = records[number]
            (size,) = struct.unpack(">Q", text[:8])
            place = 8
            while place < len(text):
                offset, count = struct.unpack(">QI", text[place : place + 12])
                piece = text[place + 12 : place + 12 + count]
                place += 12 + count
                for into, begin, end in ((first, 0, CHUNK), (rest, start, 1 << 57)):
                    low, high = max(offset, begin), min(offset + count, end)
                    missing = low - begin - len(into)
                    if low >= high or missing > most:
                        continue
                    if missing > 0:
                        gap = min(begin + len(into), gap if gap is not None else end)
                        into += bytes(missing)
                    into[low - begin : high - begin] = piece[low - offset : high - offset]
            del rest[max(0, size - start) :]
            if beginning is None:
                del first[size:]
        return bytes(first), bytes(rest), gap

def main() -> None:
    if len(sys.argv) != 4:
        sys.exit("usage: python3 -m mynah_client.decrypt KEYFILE IN OUT")
    try:
        with open(sys.argv[2], "rb") as file, open(sys.argv[3], "xb") as target:
            text = Sealed(file, identities(sys.argv[1])).text()
            for piece in text.pieces:  # what is raised behind them leaves them in the file
                target.write(piece)
    except (OSError, Unreadable, ValueError) as error:
        sys.exit(f"{sys.argv[2]}: {error}")
    print(f"{sys.argv[3]}: {text.word}")

if __name__ == "__main__":
    main()
