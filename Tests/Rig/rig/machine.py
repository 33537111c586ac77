"""What the checks know of the machine that the firmware runs on. There are the virtual board in QEMU, a virtual machine
with an arm64 processor, and a real board on a bench. A check names what it needs; where that is missing, it is left out
and said so."""

import abc
import contextlib
import dataclasses
import enum
import pathlib
import time

from .console import Console
from .host import Meter
from .oled import Picture
from .reel import Reel
from .sound import RATE
from .studio import Studio


class Need(enum.Enum):
    """What a check may need of a machine, beside a shell, keys and the console."""

    KEYS = "keys can be pressed"
    LAMPS = "lamps can be read"
    EDGES = "time from a key's edge to a lamp can be measured"
    SCREEN = "the display can be read"
    COLOUR_SCREEN = "there is a screen for pictures, which can be read and unplugged"
    SOUND_IN = "sound can be fed sample by sample"
    SOUND_OUT = "the speaker can be heard sample by sample"
    UNPLUG_MICROPHONE = "the microphone can be unplugged"
    USB_MICROPHONE = "there is a USB microphone that can be unplugged"
    CAMERA = "there is a camera that can be unplugged"
    PICTURES = "a camera can be fed picture by picture"
    RATES = "the rates of microphone and speaker can be pinned"
    NETWORK = "a stream and a dubbing service can be reached, and the link cut"
    SPEAKER_CLOCK = "the speaker's clock can be made to run fast or slow"
    UNPLUG_DISPLAY = "the display can be unplugged"
    SERIAL_GADGET = "there is a serial line that can be unplugged"
    STICK = "a USB stick can be plugged in and pulled out"
    KEYPAD = "a USB keypad can be plugged in, typed on and pulled out"
    WATCHDOG = "a reset by the watchdog can be seen"
    FAULTY_DISK = "the disk can be made to fail"
    POWER_CUT = "the power can be cut, and the disk forgets what was not flushed"
    FAST_CUT = "the disk's power can be cut without the processor's"
    SET_CLOCK = "the clock can be set"
    RECORDERS = "arecord is there to compare with"
    ARM64 = "it is the virtual arm64 board"


class Unavailable(Exception):
    """The machine cannot do that."""


class MachineError(Exception):
    """The machine did not do what every machine must."""


@dataclasses.dataclass
class Result:
    status: int
    output: bytes

    @property
    def text(self) -> str:
        return self.output.decode(errors="replace")


@dataclasses.dataclass
class Cut:
    """A power cut: when it was, on this machine's monotonic clock, and what became of the disk."""

    at: float
    said: str


class Machine(abc.ABC):
    """A machine with the firmware on it. Times are in seconds. Every method may block."""

    name: str
    # What numbers that were measured on it depend on.
    about: str
    abilities: frozenset[Need]
    # The firmware's data directory, on the machine.
    data: str
    # How the firmware is called on the machine.
    program: str
    # How ffmpeg is called there, to compare with; None where there is none.
    ffmpeg: str | None = None
    # How much processor its host gives it, where it has one.
    meter: Meter | None = None

    # Shell.

    @abc.abstractmethod
    def run(self, script: str, content: bytes = b"", timeout: float = 60) -> Result:
        """Runs a shell script with `content` as its input."""

    def check(self, script: str, content: bytes = b"", timeout: float = 60) -> str:
        """Runs a script that must succeed; returns its output."""
        result = self.run(script, content, timeout)
        if result.status != 0:
            raise MachineError(f"status {result.status} of: {script}\n{result.text[-2000:]}")
        return result.text

    def fetch(self, path: str) -> bytes:
        result = self.run(f"cat '{path}'", timeout=120)
        if result.status != 0:
            raise MachineError(f"{path}: {result.text[-500:]}")
        return result.output

    def store(self, path: str, content: bytes) -> None:
        self.check(f"cat >'{path}'", content, timeout=120)

    # Firmware.

    @abc.abstractmethod
    def board_file(self, board: str = "rig") -> str:
        """Where this board file is on the machine."""

    @abc.abstractmethod
    def start(self, board: str = "rig") -> None:
        """Starts the firmware as a service with this board file; returns at once."""

    @abc.abstractmethod
    def stop(self, signal: str = "TERM", timeout: float = 30) -> int | None:
        """Sends a signal and waits for the end; returns the exit status, None if it was not running."""

    @abc.abstractmethod
    def process(self) -> int | None:
        """The firmware's process, if it runs."""

    @abc.abstractmethod
    def log(self) -> str:
        """What the firmware has logged since its first start."""

    @abc.abstractmethod
    def console(self) -> Console:
        """The firmware's console, over the serial line where there is one. The same object for the machine's life."""

    # Panel.

    @abc.abstractmethod
    def press(self, key: str, seconds: float = 0.1) -> float | None:
        """Presses a key; when that was on the machine's monotonic clock, if it can tell."""

    @abc.abstractmethod
    def lamp(self, name: str) -> bool: ...

    def lit(self, name: str, timeout: float) -> bool:
        """Waits until a lamp is lit; looks often enough for a short beep, if the machine can."""
        end = time.monotonic() + timeout
        while not (value := self.lamp(name)) and time.monotonic() < end:
            time.sleep(0.05)
        return value

    def edge(self, key: str, lamp: str, value: bool, timeout: float) -> float | None:
        """Presses a key; the time until the lamp is (not) lit, None if it never was."""
        raise Unavailable

    def screen(self) -> Picture:
        raise Unavailable

    def shown(self) -> tuple[int, int, bytes]:
        """What the screen for pictures shows: pixels across and down, and three bytes (RGB) for each."""
        raise Unavailable

    # Sound.

    def play(self, content: bytes, rate: int = RATE) -> None:
        """Feeds S16_LE stereo to the microphone, round and round, until `hush`. Whoever opens it has to take this rate."""
        raise Unavailable

    def hush(self) -> None: ...

    def listen(self, seconds: float):
        """Starts to hear the speaker; returns a function that waits for the end and gives the samples."""
        raise Unavailable

    @contextlib.contextmanager
    def ear(self, rate: int):
        """Has the speaker run at this rate and hears all of it; gives a function for what was heard since it was called
        last."""
        raise Unavailable
        yield

    def heard_at(self) -> float:
        """When the first frame of what `play` feeds was at the converter, on the machine's monotonic clock."""
        raise Unavailable

    # Network.

    @property
    def studio(self) -> Studio:
        """The stream and the dubbing service, on the host."""
        raise Unavailable

    @property
    def address(self) -> str:
        """Where the machine finds them both."""
        raise Unavailable

    def set_link(self, isUp: bool) -> None:
        """Pulls the network's cable, or plugs it in."""
        raise Unavailable

    def shift_speaker(self, ppm: float) -> None:
        """Has the speaker's clock run fast by this much."""
        raise Unavailable

    # Pictures.

    def feed(self, reel: Reel, start: float | None = None) -> None:
        """Shows the pictures to the camera, round and round, until `unfeed`; the first at this instant of the
        machine's monotonic clock."""
        raise Unavailable

    def unfeed(self) -> None: ...

    def fed(self) -> dict[int, float]:
        """When each picture was shown, counted on through the rounds, on the machine's monotonic clock."""
        raise Unavailable

    # Faults.

    def unplug(self, device: str) -> None:
        """Takes `microphone`, `usb-microphone`, `camera`, `display`, `screen` or `serial` away."""
        raise Unavailable

    def replug(self, device: str, rate: int = RATE) -> None:
        """Brings it back; a `usb-microphone` has this rate and no other."""
        raise Unavailable

    def plug_stick(
        self, content: pathlib.Path, isReadOnly: bool = False, speed: tuple[int, int] | None = None) -> None:
        """Plugs a USB stick in, whose content is this file on the host; with `speed` one that is written to and read from at
        no more than so many bytes a second."""
        raise Unavailable

    def pull_stick(self) -> None:
        """Pulls it out, whatever is being written to it."""
        raise Unavailable

    def plug_keypad(self) -> None:
        """Plugs a USB keypad in; `keypad` is the board file that knows it."""
        raise Unavailable

    def pull_keypad(self) -> None:
        raise Unavailable

    def tap(self, key: str) -> None:
        """Presses a key of the keypad (`kp_enter`, `kp_0`), and lets it go."""
        raise Unavailable

    def set_clock(self, seconds: float) -> None:
        """Moves the wall clock."""
        raise Unavailable

    def disk_fault(self, kind: str, seconds: float = 0) -> None:
        """`stall` for some seconds, `error` on writing, `read-only`, or `none`."""
        raise Unavailable

    def arm_cut(self, seed: int, requests: int) -> None:
        """Has the next `cut_power` happen in the middle of writing: when the disk has been asked for that many more
        writes and flushes. A machine that cannot do that cuts the power at once."""

    def cut_power(self, seed: int, isReboot: bool = True) -> Cut:
        """Cuts the power and gives it back; the firmware does not run then.
        Without a reboot the disk alone loses its power: the firmware is killed and the file system mounted anew."""
        raise Unavailable

    def wait_reset(self, timeout: float) -> float | None:
        """Waits for a reset by the watchdog; the time it took, None if there was none. The machine is up then."""
        raise Unavailable

    # Life.

    def renew(self) -> None:
        """Brings the machine back into the state that it began in, after a check that failed."""

    @property
    def death(self) -> str | None:
        """How the machine itself ended, if it did: an emulator that crashed. It is no failure of the firmware's."""
        return None

    def uptime(self) -> float:
        """CLOCK_MONOTONIC, about."""
        return float(self.check("cat /proc/uptime").split()[0])

    def stalls(self) -> list[tuple[float, float]]:
        """When the machine itself stood still, and for how long: a virtual one does when its host is busy. Sound is
        lost then, and it is nobody's fault."""
        return []

    def evidence(self) -> dict[str, bytes]:
        """Logs that tell why a check failed."""
        return {}

    def close(self) -> None: ...
