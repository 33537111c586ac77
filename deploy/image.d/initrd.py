"""initrd.py ROOT MODULES INIT OUT: the archive of the first root (cpio, not packed): busybox, modules, a first process.

ROOT is the root file system, with modules.dep; MODULES the list image.d/modules.txt, of which the lines "first" count;
INIT the script that is the first process. No times and no numbers of the machine are in the archive.
"""

import lzma
import os
import pathlib
import re
import stat
import sys


class Archive:
    def __init__(self):
        self._parts: list[bytes] = []
        self._inode = 0

    def add(self, path: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)) -> None:
        self._inode += 1
        name = path.encode() + b"\0"
        fields = (self._inode, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(name), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name
        self._parts += [head, b"\0" * (-len(head) % 4), content, b"\0" * (-len(content) % 4)]

    def bytes(self) -> bytes:
        self.add("TRAILER!!!", 0)
        return b"".join(self._parts)


def main() -> None:
    root, listing, init, target = map(pathlib.Path, sys.argv[1:])
    folder = next((root / "usr/lib/modules").iterdir())
    archive = Archive()
    for name in "dev proc sys bin root lib lib/modules".split():
        archive.add(name, stat.S_IFDIR | 0o755)
    archive.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
    archive.add("bin/busybox", stat.S_IFREG | 0o755, (root / "usr/bin/busybox").read_bytes())
    order = []
    for path in needed(folder, wanted(listing)):
        content = (folder / path).read_bytes()
        name = f"lib/modules/{module_name(path)}.ko"
        archive.add(name, stat.S_IFREG | 0o644, lzma.decompress(content) if path.endswith(".xz") else content)
        order.append(f"/{name}")
    script = init.read_text().replace("in @MODULES@", "in " + " ".join(order))
    archive.add("init", stat.S_IFREG | 0o755, script.encode())
    target.write_bytes(archive.bytes())


def wanted(listing: pathlib.Path) -> list[str]:
    rows = (row.split("#")[0].split() for row in listing.read_text().splitlines())
    return [name for row in rows if row[:1] == ["first"] for name in row[1:]]


def needed(folder: pathlib.Path, names: list[str]) -> list[str]:
    """Paths of the modules and of what they depend on, in the order to load them in. Names that are not there are built in."""
    depends = {}
    for row in (folder / "modules.dep").read_text().splitlines():
        path, _, others = row.partition(":")
        depends[path] = others.split()
    paths = {module_name(path): path for path in depends}
    order: list[str] = []
    for name in names:
        if name in paths:
            for path in [*reversed(depends[paths[name]]), paths[name]]:
                if path not in order:
                    order.append(path)
    return order


def module_name(path: str) -> str:
    return re.sub(r"\.ko.*$", "", os.path.basename(path)).replace("-", "_")


main()
