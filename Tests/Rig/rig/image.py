"""What the guest starts from: kernel, initramfs and a disk with tools. Made once, from nothing but Debian's archive and
a C compiler, and kept below the user's cache folder under a hash of all that goes into it."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import cpio, debian, kernel

HERE = pathlib.Path(__file__).resolve().parent.parent
# Modules that init loads; what they depend on comes with them.
MODULES = """
    virtio-gpu
    virtio_pci virtio_blk virtio_console virtio_rng crc32c_generic ext4
    snd-aloop i2c-dev i2c-panel configfs gpio-sim-rig libcomposite dummy_hcd usb_f_acm cdc-acm
    vhci-hcd snd-usb-audio i6300esb vivid v4l2loopback virtio_net
    xhci-pci usb-storage sd_mod vfat nls_cp437 nls_ascii nls_utf8 exfat usbhid hid-generic evdev
""".split()
TOOLS = ("agent", "service", "edge", "stalls", "usbmic", "feeder")
# Debian's own programs to compare with and to play and listen by.
PACKAGES = ("alsa-utils", "util-linux")

# What makes the image, apart from these lists; the checks are not among it.
SOURCES = ("rig/cpio.py", "rig/debian.py", "rig/image.py", "rig/kernel.py")


class Image:
    """The files of a guest."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.kernel = folder / "vmlinuz"
        self.initramfs = folder / "initramfs.gz"
        self.tools = folder / "tools.ext4"


def cache_folder() -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("MYNAH_CACHE") or f"{base}/mynah") / "rig"


def prepare(log) -> Image:
    """The image for this state of the sources; makes it if it is not there (a minute or two)."""
    with cache() as folder:
        base = folder / f"kernel-{hash_of(*PACKAGES, 'modules', 'rig/debian.py', 'rig/kernel.py')}"
        made(base, log, _make_base)
        image = folder / f"image-{hash_of(*PACKAGES, 'modules', 'guest', *SOURCES)}"
        made(image, log, lambda target, log: _make_image(base, target, log))
        return Image(image)


@contextlib.contextmanager
def cache():
    """The cache's folder, for one process at a time; what was not used for longest is removed at the end."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
        _forget(folder, keep=4)


def made(folder: pathlib.Path, log, maker) -> None:
    """Makes a folder, if it is not there: beside its place, where it is put when it is whole."""
    if (folder / "complete").exists():
        os.utime(folder)
        return
    shutil.rmtree(folder, ignore_errors=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="new-", dir=folder.parent))
    try:
        maker(scratch, log)
        (scratch / "complete").touch()
        scratch.rename(folder)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def _make_base(target: pathlib.Path, log) -> None:
    archive = debian.Debian(target / "apt")
    log("the guest is made from Debian's archive; this happens once")
    archive.update()
    kernel.build(archive, target, log)
    log(f"tools: {', '.join(PACKAGES)}")
    archive.unpack(target / "busybox", "busybox-static")
    archive.unpack(target / "root", *archive.closure(*PACKAGES))
    shutil.rmtree(target / "apt")


def _make_image(base: pathlib.Path, target: pathlib.Path, log) -> None:
    log("initramfs and tools")
    programs = target / "programs"
    programs.mkdir()
    for name in TOOLS:
        compile_ = ["gcc", "-O2", "-Wall", "-Wextra", "-static", "-s", "-o", programs / name]
        subprocess.run([*compile_, HERE / f"guest/{name}.c"], check=True)
    shutil.copy(base / "vmlinuz", target / "vmlinuz")
    tools = {name: programs / name for name in TOOLS}
    initramfs(target, base / "busybox/bin/busybox", tools, base / "modules", MODULES)
    for name in ("usr/share/doc", "usr/share/man", "usr/share/locale"):
        shutil.rmtree(base / "root" / name, ignore_errors=True)
    for name in ("dev", "proc", "sys", "run", "tmp"):
        (base / "root" / name).mkdir(exist_ok=True)
    disk(target / "tools.ext4", 512, source=base / "root")


def initramfs(
    target: pathlib.Path, busybox: pathlib.Path, tools: dict[str, pathlib.Path], tree: pathlib.Path,
    modules: list[str]) -> None:
    """Leaves `target`/initramfs.gz: init, the tools in /rig, and of the tree (Debian's /lib) the modules."""
    archive = cpio.Archive()
    archive.character_device("dev/console", 5, 1)
    archive.program("init", HERE / "guest/init")
    archive.program("bin/busybox", busybox)
    archive.link("bin/sh", "busybox")
    for name, path in {"disk": HERE / "guest/disk", **tools}.items():
        archive.program(f"rig/{name}", path)
    _modules(tree, modules, archive, target)
    archive.write(target / "initramfs.gz")


def _modules(tree: pathlib.Path, modules: list[str], archive: cpio.Archive, scratch: pathlib.Path) -> None:
    """Puts the modules and what they depend on into the archive, with tables for modprobe."""
    release = next((tree / "modules").iterdir()).name
    depmod = shutil.which("depmod") or "/sbin/depmod"
    root = scratch / "depmod"
    shutil.copytree(tree, root / "lib", symlinks=True)
    subprocess.run([depmod, "-b", root, release], check=True)
    folder = root / f"lib/modules/{release}"
    paths: dict[str, str] = {}
    needs: dict[str, list[str]] = {}
    for row in (folder / "modules.dep").read_text().splitlines():
        path, _, rest = row.partition(":")
        paths[_module_name(path)] = path
        needs[path] = rest.split()
    builtin = {_module_name(row) for row in (folder / "modules.builtin").read_text().split()}
    wanted: list[str] = []
    for module in modules:
        name = _module_name(module)
        if name in builtin:
            continue
        for path in [paths[name], *needs[paths[name]]]:
            if path not in wanted:
                wanted.append(path)
    # Of the tables, busybox reads this one only.
    rows = [f"{path}: {' '.join(needs[path])}\n" for path in wanted]
    archive.file(f"lib/modules/{release}/modules.dep", "".join(rows).encode())
    for path in wanted:
        archive.file(f"lib/modules/{release}/{path}", (folder / path).read_bytes())
    shutil.rmtree(root)


def _module_name(path: str) -> str:
    return re.sub(r"\.ko.*$", "", os.path.basename(path)).replace("-", "_")


def disk(path: pathlib.Path, megabytes: int, source: pathlib.Path | None = None) -> None:
    """A disk image with an ext4 file system, with the files of `source` in it. Needs no root."""
    with open(path, "wb") as file:
        file.truncate(megabytes << 20)
    command = [shutil.which("mke2fs") or "/sbin/mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0"]
    if source:
        command += ["-d", source]
    subprocess.run([*command, path], check=True)


def hash_of(*names: str) -> str:
    """Of the files and folders with these names; of a name that is none, of the name."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(name.encode())
        path = HERE / name
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(HERE)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _forget(folder: pathlib.Path, keep: int) -> None:
    """Removes what was not used for longest."""
    for kind in ("kernel-*", "image-*", "arm64-*", "mtp-*"):
        for old in sorted(folder.glob(kind), key=os.path.getmtime, reverse=True)[keep:]:
            shutil.rmtree(old, ignore_errors=True)
