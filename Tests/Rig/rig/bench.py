"""What checks work with: the machine, its firmware brought into a known state, and the things that every check does."""

import base64
import dataclasses
import json
import time

from . import sound
from .console import Console, RemoteError, Silence
from .machine import Machine, Need
from .oled import Picture

# The limits leave room for an emulated processor; what was measured is in results.md.
EDGE_LIMIT = 0.150
# 0.5 s as promised, and a fragment of 0.2 s.
LOSS_LIMIT = 0.7
SETTINGS = {
    "recording.format": "wav", "recording.preRecordSeconds": 5, "recording.sampleRate": 48000, "recording.channels": 2,
}


class Failure(Exception):
    """The check's expectation does not hold."""


class Skip(Exception):
    """The check cannot be made, and why."""


def expect(isTrue: object, message: str) -> None:
    if not isTrue:
        raise Failure(message)


@dataclasses.dataclass
class Take:
    """A take as its `onTakeSaved` tells."""

    id: str
    path: str
    frames: int
    reason: str


class Bench:
    def __init__(self, machine: Machine, isFull: bool, seed: int, log, cuts: int | None = None, isManual: bool = False):
        self.machine = machine
        self.isFull = isFull
        # Tables of the manual are written anew by what makes them.
        self.isManual = isManual
        self.seed = seed
        self.log = log
        self.cuts = cuts or (1000 if isFull else 50)
        # Rows of the table of measures: what, value.
        self.measures: dict[str, str] = {}
        self.pictures: dict[str, Picture] = {}
        # Files that tell why a check failed, by name.
        self.files: dict[str, bytes] = {}
        self.noise = sound.noise(seed, 20)
        self._board: str | None = None

    # Time.

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def until(self, what: str, condition, timeout: float = 20, step: float = 0.1):
        """Waits until the condition gives something true, which is returned."""
        end = time.monotonic() + timeout
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise Failure(f"{what}: not within {timeout:.0f} s")
            time.sleep(step)

    # Firmware.

    @property
    def console(self) -> Console:
        return self.machine.console()

    def call(self, method: str, **parameters):
        return self.console.call(method, **parameters)

    def state(self) -> dict:
        return self.call("panel.state")

    def mode(self) -> str:
        return self.state()["mode"]

    def ready(self, board: str = "rig", isArmed: bool = True, isPlaying: bool = True, **settings) -> None:
        """The firmware runs with this board file, is idle and armed, and hears noise; the settings are the usual ones,
        but for those named (with _ for the point)."""
        machine = self.machine
        if machine.process() is not None and self._board != board:
            machine.stop()
        if machine.process() is None:
            machine.start(board)
            self._board = board
        self.wake()
        wanted = SETTINGS | {name.replace("_", ".", 1): value for name, value in settings.items()}
        self.idle()
        self.call("settings.set", **wanted)
        if isPlaying and board != "usb" and Need.SOUND_IN in machine.abilities:
            machine.play(self.noise)
        if isArmed:
            before = wanted["recording.preRecordSeconds"]
            self.until("the microphone is armed", lambda: self.call("recorder.status")["armed"])
            if before > 0:
                self.pause(min(before + 0.5, 6))
        self.console.forget()

    def wake(self, timeout: float = 60) -> None:
        """Waits until the console answers, and has it tell all events."""

        def awake() -> bool:
            try:
                return self.console.is_awake(2)
            except OSError:  # its socket is not there yet
                return False

        self.until("the console answers", awake, timeout)
        self.call("events.subscribe", topics=[])

    def idle(self) -> None:
        """Ends what is open, and closes menus."""
        def settled() -> bool:
            mode = self.mode()
            if mode == "dictaphone.idle":
                return True
            if mode != "dictaphone.saving":
                self.machine.press("STOP")
            return False

        self.until("the firmware is idle", settled, 60, 0.3)

    def launch(self, board: str) -> None:
        """Starts the firmware with a board file anew, and waits for nothing."""
        self.stop()
        self.machine.start(board)
        self._board = board

    def stop(self) -> None:
        self.machine.stop()
        self._board = None

    def gone(self) -> None:
        """The firmware does not run any more: the machine was reset, or the check killed it."""
        self._board = None

    # Takes.

    def begin(self) -> dict:
        """Presses REC and waits for the take."""
        self.console.forget()
        self.machine.press("REC")
        started = self.console.wait_event("onTakeStarted", 20)
        expect(started, "REC was pressed, and no take was begun")
        return started

    def finish(self) -> Take:
        self.machine.press("STOP")
        return self.saved()

    def saved(self, timeout: float = 60) -> Take:
        """The take that was saved, or the last part of one that went on in other files."""
        data = self.console.wait_event("onTakeSaved", timeout, lambda data: data["stopReason"] != "split")
        expect(data, f"no take was saved within {timeout:.0f} s")
        return Take(data["id"], data["path"], data["frames"], data["stopReason"])

    def record(self, seconds: float) -> Take:
        self.begin()
        self.pause(seconds)
        return self.finish()

    def samples(self, take: Take) -> sound.Wave:
        return sound.wave(self.machine.fetch(f"{self.machine.data}/{take.path}"))

    def meta(self, take: Take) -> dict:
        return json.loads(self.machine.fetch(f"{self.machine.data}/{take.path.rsplit('.', 1)[0]}.json"))

    def expect_noise(self, take: Take, missing: int = 0, at: int | None = None) -> sound.Match:
        """The take is the noise that was played, sample by sample, but for `missing` frames at most at its ends."""
        wave = self.samples(take)
        frames = len(wave.samples) // sound.FRAME
        shape = (wave.rate, wave.channels, wave.bits)
        expect(shape == (48000, 2, 16), f"the take is {wave.rate} Hz, {wave.channels} channels, {wave.bits} bits")
        match = sound.locate(wave.samples, self.noise, at)
        expect(match, f"nothing of what was played is in {take.id}")
        if frames - match.frames > missing:
            raise Failure(
                f"{take.id}: of {frames} frames, {match.frames} from frame {match.start} are what was played: "
                + sound.describe(wave.samples, self.noise))
        return match

    # Panel.

    def expect_picture(self, what: str, timeout: float = 15) -> Picture:
        """The display shows what the firmware means it to show."""
        end = time.monotonic() + timeout
        best, picture = None, None
        while time.monotonic() < end:
            wanted = [Picture.of_png(base64.b64decode(self.call("panel.screen")["png"]))]
            picture = self.machine.screen()
            wanted.append(Picture.of_png(base64.b64decode(self.call("panel.screen")["png"])))
            difference = min(picture.differing(one) for one in wanted)
            best = difference if best is None else min(best, difference)
            if difference == 0:
                self.pictures[what] = picture
                return picture
        self.pictures[what] = picture
        raise Failure(f"{what}: the display differs from what it should show in {best} dots at least")

    def verify(self, data: str | None = None) -> list[str]:
        """What `mynah library verify` finds wrong, with the firmware stopped."""
        result = self.machine.run(f"{self.machine.program} library verify --json --data {data or self.machine.data}")
        try:
            report = json.loads(result.text)
        except ValueError:
            return [f"status {result.status}: {result.text[-500:]}"]
        return [json.dumps(finding) for finding in report if finding.get("severity") != "note"]


__all__ = ["Bench", "Failure", "RemoteError", "Silence", "Skip", "Take", "expect", "EDGE_LIMIT", "LOSS_LIMIT"]
