"""The virtual board: QEMU with real kernel drivers and nothing real behind them."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

from . import boardfile, host, image, nbd, oled
from .guest import MOUNT, Guest, program_disk
from .machine import Cut, MachineError, Need, Result
from .qemu import ADDRESS, LINK, Qemu
from .reel import Reel
from .sound import RATE
from .studio import Studio

BANK = "/run/gpio-sim"
PANEL = "/sys/kernel/debug/i2c-panel"
# As if the cable were pulled: the kernel tells it of the connector.
CONNECTOR = "/sys/class/drm/card0-Virtual-1/status"
SOUND = "/run/rig-sound.raw"
# What is played to the microphone: the kernel's word on where it is.
PLAYED = "/proc/asound/card0/pcm1p/sub0/status"
CAMERA, REEL, FED = "/dev/video10", "/run/rig-reel", "/run/rig-fed"
HEARD = "/run/rig-heard.raw"
FEEDER, EAR = "hw:mynah,1,0", "hw:mynah,1,1"
DATA_MEGABYTES = 320
# alsa-lib's configuration, which Debian's library reads from there.
ALSA = pathlib.Path("/usr/share/alsa")
# Has the kernel forget what it holds of the disk.
FORGET = 'blockdev --flushbufs "$(disk data)"; echo 3 >/proc/sys/vm/drop_caches'


class VirtualBoard(Guest):
    name = "virtual board"
    abilities = frozenset(Need) - {Need.ARM64}

    def __init__(
        self, files: image.Image, program: pathlib.Path, folder: pathlib.Path, accelerator: str, log,
        hasRecorders: bool = True):
        self._files = files
        self._folder = folder
        self._accelerator = accelerator
        kind = accelerator.split(",")[0].upper()
        self.about = f"QEMU with {kind}, 2 processors, Debian's kernel; {os.cpu_count()} processors of the host."
        self._log = log
        board = boardfile.load(boardfile.BOARDS / "rig/rig.toml")
        self._keys = {name: key["line"] for name, key in board["buttons"].items()}
        self._lamps = {name: lamp["line"] for name, lamp in board["leds"].items()}
        self._display = oled.Display()
        self._feeding = False
        self._fed = b""
        self._reel: Reel | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self._studio = Studio(folder)
        self.meter = host.Meter()
        self._disks = {"tools": files.tools, "program": folder / "program.ext4"}
        program_disk(program, self._disks["program"], "mynah")
        recorder = recorder_on_host() if hasRecorders else None
        if recorder:
            self._disks["recorder"] = folder / "recorder.ext4"
            program_disk(recorder, self._disks["recorder"], "ffmpeg", ALSA)
            self.ffmpeg = "chroot /recorder /ffmpeg"
        self._start()

    # Life.

    def _start(self) -> None:
        image.disk(self._folder / "data.ext4", DATA_MEGABYTES)
        self.disk = nbd.LossyDisk(self._folder / "data.ext4", self._folder / "data.sock")
        self._boot()

    def renew(self) -> None:
        self.close()
        self._start()

    def _boot(self) -> None:
        self.qemu = Qemu(
            self._files.kernel, self._files.initramfs, self._folder / "guest", self._accelerator, disks=self._disks,
            data=f"nbd+unix:///?socket={self.disk.path}", relay=self._studio.relay)
        self.meter.watch(self.qemu.process.pid)
        self.boot_seconds = self.qemu.wait_ready()
        self._settle_in()

    def _settle_in(self) -> None:
        """What every boot begins with."""
        self._display = oled.Display()
        self._feeding = False
        self._reel = None
        self.store_boards()
        self.mount()

    def mount(self) -> None:
        if self.run(MOUNT).status == 0:
            return
        # A cut may tear the block that commits a transaction of the journal; the kernel refuses such a journal, and a
        # board's boot mends it before it mounts (systemd-fsck). Nothing that was flushed is in that transaction.
        mended = subprocess.run(
            ["/sbin/e2fsck", "-p", self._folder / "data.ext4"], capture_output=True, text=True)
        self._log(f"  e2fsck: {' '.join(mended.stdout.split())}")
        if mended.returncode > 1:
            raise MachineError(f"e2fsck ended with {mended.returncode}: {mended.stdout}{mended.stderr}")
        self.run(FORGET)
        self.check(MOUNT)

    def close(self) -> None:
        self.qemu.kill()
        self.disk.close()
        self._studio.close()

    # Panel.

    def press(self, key: str, seconds: float = 0.1) -> float | None:
        text = self.check(f"edge press {self._keys[key]} {int(seconds * 1000)}", timeout=seconds + 20)
        return int(text) / 1e9

    def lamp(self, name: str) -> bool:
        return self.check(f"cat {BANK}/sim_gpio{self._lamps[name]}/value").strip() == "1"

    def lit(self, name: str, timeout: float) -> bool:
        # In the guest: a look from outside costs more than a beep lasts when the host is busy.
        return self.run(f"edge wait {self._lamps[name]} 1 {int(timeout * 1000)}", timeout=timeout + 20).status == 0

    def edge(self, key: str, lamp: str, value: bool, timeout: float) -> float | None:
        result = self.run(f"edge answer {self._keys[key]} {self._lamps[lamp]} {int(value)} {int(timeout * 1000)}")
        return int(result.text) / 1e9 if result.status == 0 else None

    def screen(self) -> oled.Picture:
        self.written()
        return self._display.picture()

    def written(self) -> bytes:
        """What was written to the display since the last look at it."""
        log = self.run(f"cat {PANEL}/log", timeout=30).output
        if used := self._display.feed(log):
            self.check(f"echo {used} >{PANEL}/log")
        return log[:used]

    @property
    def display(self) -> oled.Display:
        """What was heard of the display so far; `screen` listens on."""
        return self._display

    def shown(self) -> tuple[int, int, bytes]:
        picture = self.qemu.screendump()
        kind, size, depth = picture.split(b"\n", 3)[:3]
        if kind != b"P6" or depth != b"255":
            raise MachineError(f"QEMU's picture begins with {picture[:20]}")
        width, height = (int(word) for word in size.split())
        return width, height, picture[-width * height * 3 :]

    # Sound.

    def play(self, content: bytes, rate: int = RATE) -> None:
        # Goes on where it is, if it is: nothing but the cable's other end is to notice a restart of the firmware.
        if self._feeding and content is self._fed and self.run("pidof aplay").status == 0:
            return
        self.hush()
        self._fed = content
        self.store(SOUND, content)
        self.check(
            # Two seconds: what feeds it has no priority, and waits while others start.
            f"(while cat {SOUND}; do :; done) | chroot /tools chrt -f 60 aplay -q -D {FEEDER} {raw(rate)}"
            " --buffer-time=2000000 --period-time=100000 >/run/aplay.log 2>&1 &"
            " n=0; until grep -q RUNNING /proc/asound/card0/pcm1p/sub0/status || [ $n -gt 100 ]; do"
            " n=$((n + 1)); sleep 0.05; done")
        self._feeding = True

    def hush(self) -> None:
        if self._feeding:
            # Its cable is free when it has gone.
            self.run(
                "killall aplay; n=0; while pidof aplay >/dev/null && [ $n -lt 250 ]; do n=$((n + 1)); sleep 0.02; done")
            self._feeding = False

    def heard_at(self) -> float:
        return int(self.check(f"edge began {PLAYED} {RATE}")) / 1e9

    @contextlib.contextmanager
    def ear(self, rate: int):
        self.check(
            f": >{HEARD}; chroot /tools chrt -f 60 arecord -q -D {EAR} {raw(rate)} --buffer-time=400000"
            f" >>{HEARD} 2>/run/arecord.log & n=0; until [ -s {HEARD} ] || [ $n -gt 100 ]; do"
            f" n=$((n + 1)); sleep 0.05; done; [ -s {HEARD} ]")
        try:
            yield lambda: self.run(f"cat {HEARD}; : >{HEARD}", timeout=120).output
        finally:
            self.run(f"killall arecord; rm {HEARD}")

    def listen(self, seconds: float):
        box: list[Result] = []
        command = (
            f"chroot /tools chrt -f 60 arecord -q -D {EAR} {raw(RATE)} -d {int(seconds)}"
            " --buffer-time=400000 2>/run/arecord.log")
        thread = threading.Thread(target=lambda: box.append(self.run(command, timeout=seconds + 60)), daemon=True)
        thread.start()
        time.sleep(0.3)

        def heard() -> bytes:
            thread.join()
            if not box:
                raise MachineError("nobody listened")
            return box[0].output

        return heard

    # Pictures.

    def feed(self, reel: Reel, start: float | None = None) -> None:
        self.unfeed()
        if self._reel is not reel:
            self.store(REEL, reel.packed())
            self._reel = reel
        when = "" if start is None else str(int(start * 1e9))
        self.check(f"feeder {CAMERA} {REEL} {FED} {when} </dev/null >/run/feeder.log 2>&1 & echo $! >/run/feeder.pid")
        # Before there are pictures, the device has no format.
        self.check(f"n=0; until [ -s {FED} ] || [ $n -gt 100 ]; do n=$((n + 1)); sleep 0.05; done; [ -s {FED} ]")

    def unfeed(self) -> None:
        self.run(
            "[ -e /run/feeder.pid ] || exit; kill $(cat /run/feeder.pid); n=0;"
            " while [ -e /proc/$(cat /run/feeder.pid) ] && [ $n -lt 40 ]; do n=$((n + 1)); sleep 0.05; done;"
            f" rm -f /run/feeder.pid {FED}")

    def fed(self) -> dict[int, float]:
        rows = self.check(f"cat {FED}").splitlines()
        return {int(number): int(time_) / 1e9 for number, time_ in (row.split() for row in rows)}

    # Network.

    @property
    def studio(self) -> Studio:
        return self._studio

    @property
    def address(self) -> str:
        return ADDRESS

    def set_link(self, isUp: bool) -> None:
        self.qemu.control("set_link", name=LINK, up=isUp)

    def shift_speaker(self, ppm: float) -> None:
        # The cable's clock is the one of both its ends. The number is that of its period: more is slower (byte_pos in
        # the kernel's sound/drivers/aloop.c divides by it).
        self.check(
            "chroot /tools amixer -q -c mynah cset"
            f" \"iface=PCM,name='PCM Rate Shift 100000',device=1,subdevice=1\" {round(100_000 / (1 + ppm * 1e-6))}")

    # Faults.

    def unplug(self, device: str) -> None:
        self.check({
            "microphone": "echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind",
            "usb-microphone": "killall usbmic; echo 0 >/sys/devices/platform/vhci_hcd.0/detach 2>/dev/null; true",
            "camera": "echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind",
            "display": f"echo 0 >{PANEL}/address",
            "screen": f"echo off >{CONNECTOR}",
            "serial": "echo '' >/sys/kernel/config/usb_gadget/console/UDC",
        }[device])
        if device == "microphone":
            # Its cable is free when it has gone.
            self.run(
                "killall aplay; n=0; while pidof aplay >/dev/null && [ $n -lt 250 ]; do n=$((n + 1)); sleep 0.02; done")
            self._feeding = False

    def replug(self, device: str, rate: int = RATE) -> None:
        self.check({
            "microphone": "echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind",
            "usb-microphone":
                f"usbmic {SOUND} {rate} </dev/null >/run/usbmic.log 2>&1 & sleep 0.5",
            "camera": "echo vivid.0 >/sys/bus/platform/drivers/vivid/bind",
            "display": f"echo 0x3c >{PANEL}/address",
            "screen": f"echo detect >{CONNECTOR}",
            "serial": "ls /sys/class/udc | head -n 1 >/sys/kernel/config/usb_gadget/console/UDC",
        }[device])

    def plug_stick(
        self, content: pathlib.Path, isReadOnly: bool = False, speed: tuple[int, int] | None = None) -> None:
        self.qemu.plug(content, isReadOnly, speed)

    def pull_stick(self) -> None:
        self.qemu.pull()

    def plug_keypad(self) -> None:
        self.qemu.plug_keypad()

    def pull_keypad(self) -> None:
        self.qemu.pull_keypad()

    def tap(self, key: str) -> None:
        self.qemu.tap(key)

    def set_clock(self, seconds: float) -> None:
        self.check(f'date -s "@$(( $(date +%s) + {int(seconds)} ))" >/dev/null')

    def disk_fault(self, kind: str, seconds: float = 0) -> None:
        if kind == "stall":
            self.disk.stall(seconds)
        elif kind == "error":
            self.disk.fail(nbd.WRITE, nbd.FLUSH)
        elif kind == "read-only":
            # As after an error that the file system finds in itself: it aborts its journal and goes read-only.
            self.check('echo rig >"/sys/fs/ext4/$(basename "$(disk data)")/trigger_fs_error"')
        else:
            self.check("umount /data || umount -l /data")
            self.disk.restore()
            self.mount()

    def arm_cut(self, seed: int, requests: int) -> None:
        self.disk.arm(seed, requests)

    def cut_power(self, seed: int, isReboot: bool = True) -> Cut:
        said = self.disk.cut(seed, patience=0.6)
        if isReboot:
            self.meter.read()
            self.qemu.kill()
            self.disk.restore()
            self._boot()
        else:
            self.stop("KILL")
            self.check(
                "n=0; until umount /data 2>/dev/null || [ $n -gt 50 ]; do n=$((n + 1)); sleep 0.1; done;"
                # What the kernel still holds of the disk must not outlive the cut: blocks of the journal that never got
                # there would be read as if they had.
                f" ! grep -q ' /data ' /proc/mounts && {FORGET}", timeout=60)
            self.disk.restore()
            self.mount()
        return Cut(self.disk.cutAt, said)

    def wait_reset(self, timeout: float) -> float | None:
        start = time.monotonic()
        event = self.qemu.wait_event("WATCHDOG", timeout)
        if event is None:
            return None
        self.qemu.wait_ready()
        self._settle_in()
        return event["at"] - start


def raw(rate: int) -> str:
    """What aplay and arecord are told of the samples."""
    return f"-t raw -f S16_LE -r {rate} -c 2"


def recorder_on_host() -> pathlib.Path | None:
    """ffmpeg of this machine, if it is there and records by ALSA."""
    path = shutil.which("ffmpeg")
    if path is None or not ALSA.is_dir():
        return None
    devices = subprocess.run([path, "-hide_banner", "-devices"], capture_output=True, text=True).stdout
    return pathlib.Path(path) if re.search(r"^ *D\S* +alsa\b", devices, re.MULTILINE) else None
