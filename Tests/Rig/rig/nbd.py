"""A disk that forgets what was not flushed, and that fails when told to.

An NBD server (NetworkBlockDevice: doc/proto.md) on a Unix socket, for QEMU. Writes stay in memory until the guest sends
FLUSH or a write with FUA, as in a drive with a volatile cache. `cut` is a power cut: of the writes in memory a random
part reaches the image, in any order, the last one perhaps torn between two sectors. (Killing QEMU is none: the host
keeps everything that QEMU has written.)
"""

import os
import pathlib
import random
import socket
import struct
import threading
import time

SECTOR = 512
READ, WRITE, DISCONNECT, FLUSH = 0, 1, 2, 3
FLAGS = 0x01 | 0x04 | 0x08  # has flags, FLUSH, FUA
FUA = 0x0001
EIO, EINVAL = 5, 22
OPTION_EXPORT, OPTION_ABORT, OPTION_INFO, OPTION_GO = 1, 2, 6, 7
REPLY_ACK, REPLY_INFO, REPLY_ERROR_UNSUPPORTED = 1, 3, 0x80000001


class LossyDisk:
    def __init__(self, image: pathlib.Path, path: pathlib.Path):
        self.image = image
        self.path = path
        self.size = os.path.getsize(image)
        self.writes = 0
        self.flushes = 0
        # Where the writes went: offset and length in bytes.
        self.places: list[tuple[int, int]] = []
        self._file = os.open(image, os.O_RDWR)
        self._pending: list[tuple[int, bytes]] = []
        self._lock = threading.Lock()
        self._isCut = False
        self._armed: tuple[int, int] | None = None
        self.cutAt = 0.0
        self.cutSaid = ""
        self._stalledUntil = 0.0
        self._failing: set[int] = set()
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(4)
        threading.Thread(target=self._accept, daemon=True).start()

    # What the checks do to it.

    def arm(self, seed: int, requests: int) -> None:
        """Has the power go when that many more writes and flushes have been asked for: before the next is done."""
        with self._lock:
            self._armed = (seed, requests)

    def cut(self, seed: int, patience: float) -> str:
        """The power goes: at once, or if it is armed when that time has come, at the latest after `patience` seconds.
        Every request fails from then on. Returns what happened; `cutAt` is when it did (monotonic)."""
        end = time.monotonic() + patience
        while self._armed and not self._isCut and time.monotonic() < end:
            time.sleep(0.002)
        with self._lock:
            if not self._isCut:
                self._cut(seed)
        return self.cutSaid

    def _cut(self, seed: int, kept: float = 0.5) -> None:
        self._isCut = True
        self._armed = None
        self.cutAt = time.monotonic()
        chance = random.Random(seed)
        lucky = [write for write in self._pending if chance.random() < kept]
        total = len(self._pending)
        self._pending = []
        chance.shuffle(lucky)
        for number, (offset, content) in enumerate(lucky):
            if number == len(lucky) - 1 and chance.random() < 0.5:
                content = content[: SECTOR * chance.randrange(len(content) // SECTOR + 1)]
            os.pwrite(self._file, content, offset)
        self.cutSaid = f"{total} writes not flushed, {len(lucky)} of them reached the disk"

    def restore(self) -> None:
        """The power is back, and no fault is left."""
        with self._lock:
            self._isCut = False
            self._armed = None
            self._failing = set()
            self._stalledUntil = 0

    def stall(self, seconds: float) -> None:
        """Every request waits until then."""
        self._stalledUntil = time.monotonic() + seconds

    def fail(self, *requests: int) -> None:
        """Requests of these kinds (READ, WRITE, FLUSH) get EIO until `restore`."""
        with self._lock:
            self._failing = set(requests)

    def close(self) -> None:
        self._listener.close()

    # What QEMU asks.

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            if self._negotiate(connection):
                while self._request(connection):
                    pass
        except (EOFError, OSError):
            pass
        finally:
            connection.close()

    def _negotiate(self, connection: socket.socket) -> bool:
        connection.sendall(b"NBDMAGICIHAVEOPT" + struct.pack(">H", 3))
        _exactly(connection, 4)
        while True:
            _, option, length = struct.unpack(">QII", _exactly(connection, 16))
            _exactly(connection, length)

            def reply(kind: int, content: bytes = b"") -> None:
                connection.sendall(struct.pack(">QIII", 0x3E889045565A9, option, kind, len(content)) + content)

            if option == OPTION_EXPORT:
                connection.sendall(struct.pack(">QH", self.size, FLAGS) + b"\0" * 124)
                return True
            if option in (OPTION_INFO, OPTION_GO):
                reply(REPLY_INFO, struct.pack(">HQH", 0, self.size, FLAGS))
                reply(REPLY_ACK)
                if option == OPTION_GO:
                    return True
            elif option == OPTION_ABORT:
                reply(REPLY_ACK)
                return False
            else:
                reply(REPLY_ERROR_UNSUPPORTED)

    def _request(self, connection: socket.socket) -> bool:
        head = _exactly(connection, 28)
        _, flags, kind, handle, offset, length = struct.unpack(">IHHQQI", head)
        content = _exactly(connection, length) if kind == WRITE else b""
        if kind == DISCONNECT:
            return False
        while (left := self._stalledUntil - time.monotonic()) > 0:
            time.sleep(min(left, 0.05))
        error, answer = self._do(kind, flags, offset, length, content)
        connection.sendall(struct.pack(">IIQ", 0x67446698, error, handle) + answer)
        return True

    def _do(self, kind: int, flags: int, offset: int, length: int, content: bytes) -> tuple[int, bytes]:
        with self._lock:
            if self._armed and not self._isCut and kind in (WRITE, FLUSH):
                seed, left = self._armed
                self._armed = (seed, left - 1)
                if left <= 0:
                    self._cut(seed)
            if self._isCut or kind in self._failing:
                return EIO, b""
            if kind == READ:
                return 0, self._read(offset, length)
            if kind == WRITE:
                self.writes += 1
                self.places.append((offset, length))
                self._pending.append((offset, content))
                if flags & FUA:
                    self._flush()
                return 0, b""
            if kind == FLUSH:
                self.flushes += 1
                self._flush()
                return 0, b""
            return EINVAL, b""

    def _read(self, offset: int, length: int) -> bytes:
        found = bytearray(os.pread(self._file, length, offset))
        for start, content in self._pending:
            first, last = max(offset, start), min(offset + length, start + len(content))
            if first < last:
                found[first - offset : last - offset] = content[first - start : last - start]
        return bytes(found)

    def _flush(self) -> None:
        for offset, content in self._pending:
            os.pwrite(self._file, content, offset)
        self._pending = []


def _exactly(connection: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(min(1 << 20, count - len(parts)))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
