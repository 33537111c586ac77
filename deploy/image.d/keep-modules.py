"""keep-modules.py FOLDER MODULES: removes every module of FOLDER (/usr/lib/modules/VERSION, after depmod) that neither the
list image.d/modules.txt names nor one of those needs, and says which names are no modules of this kernel."""

import os
import pathlib
import re
import sys


def module_name(path: str) -> str:
    return re.sub(r"\.ko.*$", "", os.path.basename(path)).replace("-", "_")


folder, listing = map(pathlib.Path, sys.argv[1:])
names = {
    name.replace("-", "_") for row in listing.read_text().splitlines() for name in row.split("#")[0].split()
} - {"first"}
depends = {}
for row in (folder / "modules.dep").read_text().splitlines():
    path, _, others = row.partition(":")
    depends[path] = others.split()
paths = {module_name(path): path for path in depends}
# What a module asks for without naming it (softdep: ext4 and its checksum).
soft: dict[str, list[str]] = {}
for row in (folder / "modules.softdep").read_text().splitlines():
    words = row.split()
    if words[:1] == ["softdep"]:
        soft[words[1].replace("-", "_")] = [word.replace("-", "_") for word in words[2:] if not word.endswith(":")]
kept: set[str] = set()
queue = [name for name in names if name in paths]
while queue:
    path = paths[queue.pop()]
    if path in kept:
        continue
    kept.add(path)
    queue += [module_name(other) for other in depends[path]]
    queue += [name for name in soft.get(module_name(path), []) if name in paths]
for path in depends:
    if path not in kept:
        (folder / path).unlink()
built_in = {module_name(path) for path in (folder / "modules.builtin").read_text().split()}
for name in sorted(names - set(paths) - built_in):
    print(f"no module of this kernel: {name}")
