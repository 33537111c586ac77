"""Writes an initramfs: a cpio archive in the "newc" format (Linux: Documentation/driver-api/early-userspace/
buffer-format.rst). Its own writer, because a device node in it would otherwise need root."""

import gzip
import os
import pathlib
import stat


class Archive:
    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._inode = 0
        self._folders: set[str] = set()

    def folder(self, path: str) -> None:
        parent = os.path.dirname(path)
        if parent and parent not in self._folders:
            self.folder(parent)
        if path and path not in self._folders:
            self._folders.add(path)
            self._entry(path, stat.S_IFDIR | 0o755, b"")

    def file(self, path: str, content: bytes, mode: int = 0o644) -> None:
        self.folder(os.path.dirname(path))
        self._entry(path, stat.S_IFREG | mode, content)

    def program(self, path: str, source: pathlib.Path) -> None:
        self.file(path, source.read_bytes(), 0o755)

    def link(self, path: str, target: str) -> None:
        self.folder(os.path.dirname(path))
        self._entry(path, stat.S_IFLNK | 0o777, target.encode())

    def character_device(self, path: str, major: int, minor: int) -> None:
        self.folder(os.path.dirname(path))
        self._entry(path, stat.S_IFCHR | 0o600, b"", (major, minor))

    def write(self, target: pathlib.Path) -> None:
        self._entry("TRAILER!!!", 0, b"")
        with open(target, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, 0) as packed:
            packed.write(b"".join(self._parts))

    def _entry(self, path: str, mode: int, content: bytes, device: tuple[int, int] = (0, 0)) -> None:
        self._inode += 1
        name = path.encode() + b"\0"
        fields = (self._inode, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(name), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name
        self._parts += [head, b"\0" * (-len(head) % 4), content, b"\0" * (-len(content) % 4)]
