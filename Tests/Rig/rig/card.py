"""A card with the image on it, and QEMU's board `virt` that starts from it through U-Boot, as a Pi does: the image is not
changed. What a person does with a card is done here, too: put in a card that is larger, edit mynah.toml."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import zlib

from . import nbd
from .console import Console
from .monitor import BOUND, SOCKET, Monitor

SECTOR = 512
MIB = 1 << 20
# The card that the image is written to.
CARD_MEGABYTES = 1024
# What differs from a Pi: no header, and an Intel sound card, for QEMU has no microphone on USB.
SETTINGS = """\
# The virtual card of the rig.
inherits = "raspberrypi4"

[microphone]
pcm = "hw:CARD=Intel"
period_frames = 4800
buffer_frames = 96000

[speaker]
pcm = "hw:CARD=Intel"
period_frames = 3200
buffer_frames = 9600

[camera]
driver = "none"

[gpio]
driver = "none"

[display]
controller = "none"

[screen]
driver = "none"

[console]
tty = "/dev/ttyS0"
"""


class CardError(Exception):
    """The machine did not get as far as it should."""


class Card:
    """The file that is the card."""

    def __init__(self, image: pathlib.Path, folder: pathlib.Path, settings: str | None = SETTINGS):
        """With `None` its mynah.toml is as it was shipped."""
        self.path = folder / "card.img"
        folder.mkdir(parents=True, exist_ok=True)
        if image.suffix == ".xz":
            with open(self.path, "wb") as file:
                subprocess.run(["xz", "--decompress", "--stdout", image], stdout=file, check=True)
        else:
            subprocess.run(["cp", "--sparse=always", image, self.path], check=True)
        os.truncate(self.path, CARD_MEGABYTES * MIB)
        # The settings as they were before anybody edited them.
        self.shipped = subprocess.run(
            ["mtype", "-i", f"{self.path}@@4M", "::/mynah.toml"], capture_output=True, text=True, check=True,
            env=os.environ | {"MTOOLS_SKIP_CHECK": "1"}).stdout
        if settings is not None:
            self.put("mynah.toml", settings)

    def get(self, name: str, target: pathlib.Path) -> None:
        """A file of the boot partition."""
        subprocess.run(["mcopy", "-o", "-i", f"{self.path}@@4M", f"::/{name}", target], check=True,
            env=os.environ | {"MTOOLS_SKIP_CHECK": "1"})

    def get_of_root(self, name: str, target: pathlib.Path) -> None:
        """A file of root A."""
        place = f"{self.path}?offset={self.partitions()[1][0] * SECTOR}"
        tool("debugfs", "-R", f"dump /{name} {target}", place)
        if not target.exists() or target.stat().st_size == 0:
            raise CardError(f"root A has no /{name}")

    def put(self, name: str, text: str) -> None:
        """Writes a file to the boot partition, as a person does on a PC."""
        subprocess.run(["mcopy", "-o", "-i", f"{self.path}@@4M", "-", f"::/{name}"], input=text.encode(), check=True,
            env=os.environ | {"MTOOLS_SKIP_CHECK": "1"})

    @staticmethod
    def of(other: "Card", folder: pathlib.Path) -> "Card":
        """A card with the same content."""
        card = Card.__new__(Card)
        folder.mkdir(parents=True, exist_ok=True)
        card.path = folder / "card.img"
        subprocess.run(["cp", "--sparse=always", other.path, card.path], check=True)
        return card

    def sector(self, number: int) -> bytes:
        with open(self.path, "rb") as file:
            file.seek(number * SECTOR)
            return file.read(SECTOR)

    def state(self) -> dict[str, str]:
        """What U-Boot and fw_setenv keep in sector 16."""
        words = self.sector(16)[4:].split(b"\0\0")[0].decode().split("\0")
        return dict(word.split("=", 1) for word in words if "=" in word)

    def update_by_hand(self) -> None:
        """As after a good update: root B is a copy of A, and its turn is first."""
        (first, size), (second, _) = self.partitions()[1:3]
        subprocess.run(["dd", f"if={self.path}", f"of={self.path}", "bs=1M", f"skip={first // 2048}", f"seek={second // 2048}",
            f"count={size // 2048}", "conv=notrunc", "status=none"], check=True)
        words = b"BOOT_ORDER=B A\0BOOT_A_LEFT=3\0BOOT_B_LEFT=3\0\0".ljust(SECTOR - 4, b"\0")
        with open(self.path, "r+b") as file:
            file.seek(16 * SECTOR)
            file.write(zlib.crc32(words).to_bytes(4, "little") + words)

    def partitions(self) -> list[tuple[int, int]]:
        """Start and size in sectors."""
        dump = tool("sfdisk", "--dump", self.path).stdout
        return [(int(start), int(size)) for start, size in re.findall(r"start= *(\d+), size= *(\d+)", dump)]

    def digest(self, number: int) -> str:
        """Of a partition's bytes."""
        start, size = self.partitions()[number - 1]
        words = f"dd if='{self.path}' bs=1M skip={start // 2048} count={size // 2048} status=none | sha256sum"
        return subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=True).stdout.split()[0]

    def owner(self, block: int) -> str:
        """Whose block of the data partition this is, as far as the card's file tells while it runs."""
        place = f"{self.path}?offset={self.partitions()[3][0] * SECTOR}"
        inode = tool("debugfs", "-R", f"icheck {block}", place).stdout.split()[-1:]
        if not inode or not inode[0].isdigit():
            return ""
        names = tool("debugfs", "-R", f"ncheck {inode[0]}", place).stdout.split("\n")[1:2]
        return f" ({names[0].split(None, 1)[-1] if names and names[0] else 'inode ' + inode[0]})"

    def check_data(self) -> str | None:
        """What e2fsck finds wrong in the data partition, once its journal was replayed; None if nothing."""
        with tempfile.TemporaryDirectory(dir=self.path.parent) as folder:
            data = pathlib.Path(folder) / "data.ext4"
            start, size = self.partitions()[3]
            subprocess.run(["dd", f"if={self.path}", f"of={data}", "bs=1M", f"skip={start // 2048}",
                f"count={size // 2048}", "conv=sparse", "status=none"], check=True)
            tool("e2fsck", "-p", data)
            found = tool("e2fsck", "-f", "-n", data)
            return found.stdout[-500:] if found.returncode else None


class CardMachine(Monitor):
    """One run of QEMU from power on to power off."""

    def __init__(self, card: Card, u_boot: pathlib.Path, folder: pathlib.Path, sshPort: int = 0, seesHost: bool = False,
            plugin: list[str] | None = None):
        """With `sshPort` there is a network in which nothing can be reached, or only what `seesHost` gives: the host's ports
        at 10.0.2.2. That port of the host leads to the machine's 22. `plugin` is for QEMU's command line."""
        super().__init__()
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.card = card
        self.disk = nbd.LossyDisk(card.path, folder / "card.sock")
        self.started = time.monotonic()
        self._output = open(folder / "qemu.log", "w")
        for name in ("line.sock", "qmp.sock", "serial.log"):
            (folder / name).unlink(missing_ok=True)
        network = [
            "-netdev", f"user,id=net,restrict={'off' if seesHost else 'on'},hostfwd=tcp:127.0.0.1:{sshPort}-:22",
            "-device", "virtio-net-pci,netdev=net",
        ] if sshPort else []
        self.process = subprocess.Popen([
            *BOUND, "qemu-system-aarch64", "-accel", "tcg,thread=multi", "-nodefaults", "-display", "none",
            "-chardev", f"socket,id=line,path={folder}/line.sock,server=on,wait=off",
            "-chardev", f"socket,id=qmp,path={folder}/qmp.sock,server=on,wait=off", "-mon", "chardev=qmp,mode=control",
            *self._board(u_boot, f"file=nbd+unix:///?socket={self.disk.path},format=raw"), *network, *(plugin or []),
        ], stdin=subprocess.DEVNULL, stdout=self._output, stderr=self._output)
        self._console: Console | None = None

    def _board(self, u_boot: pathlib.Path, card: str) -> list[str]:
        """What QEMU is told of the board; the line of the recorder's console is the chardev `line`."""
        return [
            "-M", "virt", "-cpu", "cortex-a53", "-smp", "2", "-m", "512", "-bios", str(u_boot),
            "-drive", f"{card},werror=report,rerror=report,if=none,id=card", "-device", "virtio-blk-pci,drive=card",
            "-device", "virtio-rng-pci",
            # Nobody resets a machine that is only slow, but U-Boot and the kernel say it if they start twice.
            "-device", "i6300esb", "-action", "watchdog=reset",
            "-audiodev", "none,id=sound", "-device", "intel-hda", "-device", "hda-duplex,audiodev=sound",
            "-serial", f"file:{self.folder}/serial.log", "-device", "pci-serial,chardev=line",
            "-device", f"qemu-xhci,id={SOCKET}",
        ]

    def seconds(self) -> float:
        """Since power on."""
        return time.monotonic() - self.started

    def serial(self) -> str:
        """What U-Boot said; the kernel is quiet there."""
        try:
            return (self.folder / "serial.log").read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def starts(self) -> list[str]:
        """The line of every choice that U-Boot made since power on."""
        return re.findall(r"^mynah: slot.*?$", self.serial().replace("\r", ""), re.MULTILINE)

    def wait(self, what: str, condition, timeout: float):
        end = time.monotonic() + timeout
        while True:
            if value := condition():
                return value
            if self.process.poll() is not None:
                raise CardError(f"QEMU ended: {(self.folder / 'qemu.log').read_text()[-1000:]}")
            if time.monotonic() > end:
                raise CardError(f"{what}: not within {timeout:.0f} s; U-Boot said: {self.serial()[-600:]}")
            time.sleep(0.2)

    def console(self, timeout: float = 420) -> Console:
        """The firmware's console on the serial line, when it answers."""
        if self._console is None:
            self.wait("the line", lambda: (self.folder / "line.sock").exists(), 10)
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(self.folder / "line.sock"))
            self._console = Console(connection.fileno(), connection)
        self.wait("the console answers", lambda: self._console.is_awake(3), timeout)
        return self._console

    def armed(self, timeout: float = 480) -> float:
        """Waits until the recorder is armed. Returns the seconds since power on."""
        console = self.console(timeout)
        self.wait("the microphone is armed", lambda: console.call("recorder.status")["armed"], timeout)
        return self.seconds()

    def running(self) -> str:
        """Which root runs, as U-Boot has chosen last."""
        return self.starts()[-1].split()[2].rstrip(",") if self.starts() else ""

    def plug_stick(self, *files: pathlib.Path) -> None:
        """Plugs a USB stick in that has these files in its top folder."""
        if self._qmp is None:
            self._open_monitor(self.folder / "qmp.sock")
        stick = self.folder / "stick.img"
        stick.unlink(missing_ok=True)
        with open(stick, "wb") as file:
            file.truncate(max(64 * MIB, sum(path.stat().st_size for path in files) + 40 * MIB))
        tool("mkfs.vfat", "-F", "32", "-n", "STICK", stick)
        for path in files:
            subprocess.run(["mcopy", "-i", stick, path, "::"], check=True, env=os.environ | {"MTOOLS_SKIP_CHECK": "1"})
        self.plug(stick, False)

    def power_cut(self, seed: int, patience: float = 0) -> str:
        """The card loses its power with the machine. Returns what became of its last writes."""
        said = self.disk.cut(seed, patience)
        self.close()
        return said

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        if self._qmp:
            self._qmp.close()
        self.disk.close()
        self._output.close()


def tool(*words: object) -> subprocess.CompletedProcess:
    environment = os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "LC_ALL": "C"}
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment)


def missing_tools() -> list[str]:
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    return [name for name in ("setpriv", "qemu-system-aarch64", "mcopy", "mkfs.vfat", "sfdisk", "e2fsck", "debugfs", "xz") if not shutil.which(name, path=path)]
