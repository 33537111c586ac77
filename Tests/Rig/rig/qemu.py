"""A virtual machine, and the agent in it."""

import itertools
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import threading
import time

from .image import Image
from .monitor import BOUND, SOCKET, Monitor

READY = "rig: ready"
# The only thing that a guest with a network can reach, and the name of its cable.
ADDRESS = "10.0.2.100:8080"
LINK = "link0"
# Pixels of the virtual screen.
SCREEN = (640, 360)


# QEMU emulates AVX lane by lane: of 49 s that encoding 20 s of AAC took, 40 were for that (QEMU 7.2, the static program
# under qemu-x86_64). No board of ours has it.
EMULATED = "max,-avx,-avx2,-fma"


class GuestError(Exception):
    """The machine does not do what it should: it did not start, or does not answer."""


class Qemu(Monitor):
    """One run of QEMU, a PC. `run` may be called from several threads."""

    EMULATOR = "qemu-system-x86_64"
    # The kernel's name of the first serial line.
    CONSOLE = "ttyS0"

    def __init__(
        self, kernel: pathlib.Path, initramfs: pathlib.Path, folder: pathlib.Path, accelerator: str, *,
        disks: dict[str, pathlib.Path], data: str | None = None, relay: list[str] | None = None, memory: int = 640,
        skip: str = ""):
        """With read-only disks by their serial numbers, and a disk `data` that can be written, as QEMU names it. With
        `relay` there is a network, in which nothing can be reached but one port (`ADDRESS`); for each connection to it
        QEMU starts that command."""
        if shutil.which(self.EMULATOR) is None:
            raise GuestError(f"{self.EMULATOR} is not installed: Scripts/setup rig")
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("console.log", "agent.sock", "qmp.sock", "serial.sock"):
            (folder / name).unlink(missing_ok=True)
        append = f"console={self.CONSOLE} quiet loglevel=4 mitigations=off panic=-1"
        if skip:
            append += f" rig.skip={skip}"
        command = [
            *BOUND, self.EMULATOR, "-accel", accelerator, "-m", str(memory), "-nodefaults", "-display", "none",
            "-kernel", kernel, "-initrd", initramfs, "-append", append,
            "-chardev", f"file,id=log,path={folder}/console.log,append=on", "-serial", "chardev:log",
            *self._board(accelerator),
            "-chardev", f"socket,id=qmp,path={folder}/qmp.sock,server=on,wait=off", "-mon", "chardev=qmp,mode=control",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={folder}/agent.sock,server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=rig",
            "-device", "virtio-rng-pci",
        ]
        drives = {name: f"file={path},readonly=on" for name, path in disks.items()}
        if data:
            drives["data"] = f"file={data},werror=report,rerror=report"
        for name, drive in drives.items():
            command += [
                "-drive", f"{drive},if=none,id={name},format=raw",
                "-device", f"virtio-blk-pci,drive={name},serial={name}",
            ]
        if relay:
            words = shlex.join(relay).replace(",", ",,")
            command += [
                "-netdev", f"user,id=net,restrict=on,guestfwd=tcp:{ADDRESS}-cmd:{words}",
                "-device", f"virtio-net-pci,netdev=net,id={LINK}",
            ]
        super().__init__()
        self.started = time.monotonic()
        self._output = open(folder / "qemu.log", "w")
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._output, stderr=self._output)
        self._boots = 0
        self._agent: socket.socket | None = None
        self._sending = threading.Lock()
        self._answers: dict[int, tuple[int, bytes]] = {}
        self._answered = threading.Condition()
        self._isKilled = False
        self._isSilent = False
        self._numbers = itertools.count(int(time.time()) % 100_000 * 1000)

    def _board(self, accelerator: str) -> list[str]:
        """The machine, but for what every one has."""
        return [
            "-M", "q35", "-cpu", "host" if accelerator == "kvm" else EMULATED, "-smp", "2",
            "-chardev", f"socket,id=line,path={self.folder}/serial.sock,server=on,wait=off", "-serial", "chardev:line",
            "-device", "i6300esb", "-action", "watchdog=reset",
            "-device", f"qemu-xhci,id={SOCKET}",
            "-device", f"virtio-gpu-pci,id=screen,xres={SCREEN[0]},yres={SCREEN[1]}",
        ]

    # Life.

    def wait_ready(self, timeout: float = 120) -> float:
        """Waits until the guest's init is done, once more for every boot. Returns the seconds that it took."""
        start = time.monotonic()
        while (log := self.log()).count(READY) <= self._boots:
            if "Kernel panic" in log:
                raise GuestError(f"the guest's kernel panicked: {log[-1500:]}")
            if self.process.poll() is not None:
                raise GuestError(f"QEMU ended: {(self.folder / 'qemu.log').read_text()[-2000:]}")
            if time.monotonic() - start > timeout:
                raise GuestError(f"the guest was not ready within {timeout:.0f} s: {log[-1500:]}")
            time.sleep(0.02)
        self._boots += 1
        if self._agent is None:
            self._agent = self._connect("agent.sock")
            threading.Thread(target=self._collect, daemon=True).start()
            self._open_monitor(self.folder / "qmp.sock")
        return time.monotonic() - start

    @property
    def death(self) -> str | None:
        """How QEMU ended, if it did and nobody had asked for it."""
        if self._isKilled or self.process.poll() is None:
            return None
        said = (self.folder / "qemu.log").read_text(errors="replace")[-2000:].strip()
        return f"QEMU ended with {self.process.returncode}: {said or 'it said nothing'}"

    def kill(self) -> None:
        self._isKilled = True
        self.process.kill()
        self.process.wait()
        for connection in (self._agent, self._qmp):
            if connection:
                connection.close()
        self._output.close()

    def log(self) -> str:
        """What the guest's kernel and init said."""
        try:
            return (self.folder / "console.log").read_text(errors="replace")
        except FileNotFoundError:
            return ""

    # The agent.

    def run(self, script: str, content: bytes = b"", timeout: float = 60) -> tuple[int, bytes]:
        """Runs a shell script in the guest with `content` as its input; returns exit status and output."""
        number = next(self._numbers)
        text = script.encode()
        with self._sending:
            if self._agent is None:
                raise GuestError(f"the guest was never ready; no answer to: {script[:200]}")
            self._agent.sendall(f"RUN {number} {len(text)} {len(content)}\n".encode() + text + content)
        with self._answered:
            self._answered.wait_for(lambda: number in self._answers or self._isSilent, timeout)
            if number not in self._answers:
                why = self.death or f"no answer within {timeout:.0f} s"
                raise GuestError(f"{why} to: {script[:200]}")
            return self._answers.pop(number)

    def _collect(self) -> None:
        stream = self._agent.makefile("rb")
        try:
            while line := stream.readline():
                words = line.split()
                # A machine that was reset in the middle of an answer leaves a stump.
                if len(words) != 4 or words[0] != b"END":
                    continue
                answer = stream.read(int(words[3]))
                with self._answered:
                    self._answers[int(words[1])] = (int(words[2]), answer)
                    self._answered.notify_all()
        except (OSError, ValueError):
            pass
        # QEMU is gone: whoever waits need not.
        with self._answered:
            self._isSilent = True
            self._answered.notify_all()

    # QEMU itself.

    def screendump(self, timeout: float = 10) -> bytes:
        """What is on the virtual screen, as a PPM."""
        path = self.folder / "screen.ppm"
        path.unlink(missing_ok=True)
        done = len(self._returns)
        self.control("screendump", filename=str(path))
        end = time.monotonic() + timeout
        while len(self._returns) == done:
            if time.monotonic() > end:
                raise GuestError(f"QEMU writes no picture of its screen within {timeout:.0f} s")
            time.sleep(0.002)
        if "error" in self._returns[-1]:
            raise GuestError(f"QEMU has no picture of its screen: {self._returns[-1]['error'].get('desc')}")
        return path.read_bytes()

    def _connect(self, name: str) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(self.folder / name))
        return connection


def accelerator(image: Image, folder: pathlib.Path, log) -> str:
    """kvm if a guest starts with it in time, else tcg: /dev/kvm may be there and hang."""
    wish = os.environ.get("MYNAH_RIG_ACCEL")
    if wish:
        return "tcg,thread=multi" if wish == "tcg" else wish
    if os.access("/dev/kvm", os.R_OK | os.W_OK):
        probe = Qemu(
            image.kernel, image.initramfs, folder / "probe", "kvm", disks={"tools": image.tools},
            skip="sound,usb,serial,camera")
        try:
            seconds = probe.wait_ready(20)
            log(f"KVM works: a guest started in {seconds:.1f} s")
            return "kvm"
        except GuestError:
            log("/dev/kvm is there, but no guest started with it in time")
        finally:
            probe.kill()
    log("no KVM: the guest's processor is emulated (TCG)")
    return "tcg,thread=multi"
