"""A machine with an arm64 processor: Debian's kernel under `qemu-system-aarch64 -M virt`, with a sound card whose ends
are joined, a disk and a serial line. In it are the static program for aarch64 and busybox, and nothing else."""

import os
import pathlib
import shutil

from . import debian, host, image
from .guest import Guest, program_disk
from .machine import Need
from .qemu import Qemu

MODULES = """
    virtio_pci virtio_blk virtio_console virtio_rng crc32c_generic ext4 snd-aloop
""".split()
TOOLS = ("agent", "service", "stalls")
SOURCES = ("rig/arm64.py", "rig/cpio.py", "rig/debian.py", "rig/image.py", "guest")
DATA_MEGABYTES = 160


class Files:
    """The files of the guest."""

    def __init__(self, folder: pathlib.Path):
        self.kernel = folder / "vmlinuz"
        self.initramfs = folder / "initramfs.gz"
        self.release = (folder / "release").read_text()


def prepare(log) -> Files:
    """The guest's files for this state of the sources; makes them if they are not there (some 10 s, 50 MB fetched)."""
    with image.cache() as folder:
        target = folder / f"arm64-{image.hash_of(*SOURCES)}"
        image.made(target, log, _make)
        return Files(target)


def _make(target: pathlib.Path, log) -> None:
    archive = debian.Debian(target / "apt", "arm64")
    log("the guest for arm64 is made from Debian's archive; this happens once")
    archive.update()
    package = archive.depends("linux-image-arm64")[0]
    release = package.removeprefix("linux-image-")
    log(f"kernel {release}")
    archive.unpack(target / "root", package, "busybox-static")
    root = target / "root"
    shutil.move(root / f"boot/vmlinuz-{release}", target / "vmlinuz")
    tools = {name: image.HERE / f"guest/{name}.sh" for name in TOOLS}
    image.initramfs(target, root / "bin/busybox", tools, root / "lib", MODULES)
    (target / "release").write_text(release)
    for name in ("apt", "root"):
        shutil.rmtree(target / name)


class Arm64Qemu(Qemu):
    """The processor of a Raspberry Pi 4 on QEMU's own board."""

    EMULATOR = "qemu-system-aarch64"
    CONSOLE = "ttyAMA0"

    def _board(self, accelerator: str) -> list[str]:
        return [
            "-M", "virt", "-cpu", "cortex-a72", "-smp", "2",
            # The board's own serial line is the kernel's console: the firmware's is on a card.
            "-chardev", f"socket,id=line,path={self.folder}/serial.sock,server=on,wait=off",
            "-device", "pci-serial,chardev=line",
        ]


class Arm64Board(Guest):
    """Its keys are those of the console, and it has no lamps but those that the console tells of."""

    name = "virtual arm64 board"
    abilities = frozenset({Need.ARM64})

    def __init__(self, files: Files, program: pathlib.Path, folder: pathlib.Path):
        self._files = files
        self._folder = folder
        self.about = (
            f"QEMU with TCG, 2 processors Cortex-A72, Debian's kernel {files.release};"
            f" {os.cpu_count()} processors of the host.")
        folder.mkdir(parents=True, exist_ok=True)
        self.meter = host.Meter()
        program_disk(program, folder / "program.ext4", "mynah")
        self._start()

    def _start(self) -> None:
        image.disk(self._folder / "data.ext4", DATA_MEGABYTES)
        self.qemu = Arm64Qemu(
            self._files.kernel, self._files.initramfs, self._folder / "guest", "tcg,thread=multi",
            disks={"program": self._folder / "program.ext4"}, data=str(self._folder / "data.ext4"), memory=512,
            skip="display,screen,gpio,serial,usb,watchdog,camera")
        self.meter.watch(self.qemu.process.pid)
        try:
            self.boot_seconds = self.qemu.wait_ready(180)
            self.store_boards()
            self.mount()
        except BaseException:
            self.qemu.kill()
            raise

    def renew(self) -> None:
        self.close()
        self._start()

    def close(self) -> None:
        self.qemu.kill()

    # Panel.

    def press(self, key: str, seconds: float = 0.1) -> None:
        self.console().call("panel.press", button=key, ms=int(seconds * 1000))

    def lamp(self, name: str) -> bool:
        return self.console().call("panel.state")["leds"][name] == "on"
