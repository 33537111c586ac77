"""The firmware in clip mode before a camera whose every picture is known, and what its clips have to be."""

import contextlib
import dataclasses
import json

from . import sound
from .bench import Bench, expect
from .clip import Clip
from .reel import Reel

# A picture that was fed this late, as the machine stood still, may have a time of its own: the firmware's even steps may
# part from a picture's own time by 1 ms.
LATE = 0.001
# Beyond this, a step between pictures in time is not even: it is up to 0.5 ms away before the firmware makes up for it.
UNEVEN = LATE + 0.0005


@dataclasses.dataclass
class Trigger:
    """A trigger by key, and the start that it asks for, on the machine's clock."""

    time: float
    start: float


@dataclasses.dataclass
class Shoot:
    """The firmware in clip mode, fed with a reel. `heard` is when the sound began, if the pictures are in step with its
    seconds."""

    bench: Bench
    pictures: Reel
    before: int
    after: int
    heard: float | None

    def press(self) -> Trigger:
        self.bench.console.forget()
        at = self.bench.machine.press("REC")
        expect(self.bench.console.wait_event("onCaptureStarted", 10), "REC was pressed, and no clip was begun")
        return Trigger(at, at - self.before)

    def saved(self, trigger: Trigger | None = None) -> "Saved":
        done = self.bench.console.wait_event("onCaptureCompleted", 60)
        expect(done, "the clip is not saved within 60 s")
        return Saved.of(self.bench, done["id"], self.pictures, self.bench.machine.fed(), trigger)


@contextlib.contextmanager
def buffering(
    bench: Bench, pictures: Reel, before: int = 3, after: int = 2, content: bytes | None = None, inStep: bool = False):
    """The ring is full at the beginning; the firmware is stopped at the end."""
    machine = bench.machine
    bench.stop()
    try:
        # Some megabytes go to the guest here, for which sound that plays would have to wait.
        machine.feed(pictures)
        machine.play(content or bench.noise)
        heard = machine.heard_at() if inStep else None
        if heard is not None:
            # The first picture comes with a beginning second of the sound, and soon.
            machine.feed(pictures, heard + int(machine.uptime() - heard) + 2)
        bench.launch(pictures.board)
        bench.wake()
        bench.call("settings.set", **{"clips.durationSeconds": before, "clips.postRollSeconds": after})
        bench.console.forget()
        bench.call("panel.mode", mode="clips")
        expect(bench.console.wait_event("onBufferReady", 30), "the ring does not fill")
        bench.pause(1)
        yield Shoot(bench, pictures, before, after, heard)
        bench.stop()
    finally:
        machine.unfeed()


@dataclasses.dataclass
class Saved:
    """A clip that is on the disk, what the firmware says of it, and what was fed."""

    id: str
    clip: Clip
    receipt: dict
    pictures: Reel
    fed: dict[int, float]
    trigger: Trigger | None

    @staticmethod
    def of(bench: Bench, id_: str, pictures: Reel, fed: dict[int, float], trigger: Trigger | None) -> "Saved":
        content = bench.machine.fetch(f"{bench.machine.data}/clips/{id_}")
        receipt = bench.call("clips.receipt", id=id_)
        bench.files |= {
            id_: content, f"{id_}.json": json.dumps(receipt, indent=2).encode(),
            f"{id_}.fed.txt": "".join(f"{number} {time_:.6f}\n" for number, time_ in fed.items()).encode()}
        return Saved(id_, Clip(content), receipt, pictures, fed, trigger)

    @property
    def seconds(self) -> float:
        shown = self.clip.shown(self.pictures)
        return shown.times[-1] + 1 / self.pictures.rate if shown.times else 0

    def shown_at(self, place: int) -> float:
        """When a picture of this clip was fed: the reel goes round and round, and the clip is shorter than it."""
        return self._number(place)[1]

    def _number(self, place: int) -> tuple[int, float]:
        near, count = self.receipt["start"], len(self.pictures.pictures)
        rounds = [(number, self.fed[number]) for number in self.fed if number % count == place]
        expect(rounds, f"picture {place} was never fed")
        return min(rounds, key=lambda one: abs(one[1] - near))

    def judge(self, gaps: tuple[str, ...] = (), isCutShort: bool = False) -> str:
        """Every picture between the first and the last that were asked for is in the clip, once, as it was fed, in
        even steps; only tracks named in `gaps` have any. What is cut short by the storage or the power ends earlier."""
        receipt, rate = self.receipt, self.pictures.rate
        shown = self.clip.shown(self.pictures)
        strange = sum(place is None for place in shown.places)
        expect(shown.places and strange == 0, f"{strange} of {len(shown.places)} pictures are none that was fed")
        total = len(self.pictures.pictures)
        for index, (place, next_) in enumerate(zip(shown.places, shown.places[1:])):
            expect(next_ == (place + 1) % total, f"after picture {place}, {index} of the clip, comes {next_}")
        number, first = self._number(shown.places[0])
        wanted = receipt["requestedStart"]
        expect(abs(first - wanted) <= 1 / rate, f"it begins at {first:.4f} s; {wanted:.4f} s was asked for")
        if self.trigger:
            asked = self.trigger.start
            expect(abs(asked - wanted) < 0.02, f"the key was for {asked:.4f} s, and {wanted:.4f} s is in the receipt")
        late = self._lateness(number, len(shown.places))
        # Where the last picture has its place, whether the feeder was in time with the first or not.
        last = first - late[0] + (len(shown.places) - 1) / rate
        beyond = last + 1 / rate - receipt["requestedEnd"] if not isCutShort else 0
        expect(abs(beyond) <= 1 / rate, f"it ends {beyond * 1000:+.1f} ms from where it was asked to")
        inTime = [
            abs(step - 1 / rate)
            for step, pair in zip(shown.steps(), zip(late, late[1:])) if max(map(abs, pair)) < LATE]
        worst = max(inTime, default=0)
        uneven = sum(step > UNEVEN for step in inTime)
        expect(uneven == 0, f"{uneven} of {len(inTime)} steps are uneven, by {worst * 1000:.1f} ms at most")
        others = [gap for gap in receipt["gaps"] if gap["track"] not in gaps]
        expect(not others, f"it has gaps: {others}")
        begin, samples = self.clip.sound()
        lacks = shown.times[-1] + 1 / rate - begin - len(samples) / sound.RATE
        expect(abs(lacks) < 0.06, f"the sound is {lacks:.3f} s shorter than the pictures")
        slow = sum(abs(one) >= LATE for one in late)
        return (
            f"{len(shown.places)} pictures as fed, the first {(first - wanted) * 1000:+.1f} ms from the start asked"
            f" for; {len(inTime)} steps even within {worst * 1e6:.0f} µs; {slow} fed late")

    def _lateness(self, number: int, count: int) -> list[float]:
        """How late the feeder was with each picture, against the rhythm of them all."""
        off = [self.fed.get(number + n, float("nan")) - n / self.pictures.rate for n in range(count)]
        # Those that a power cut took out of the log were in time, as far as is known.
        known = sorted(one for one in off if one == one)
        middle = known[len(known) // 2]
        return [one - middle if one == one else 0 for one in off]

    def play(self) -> None:
        """Every player opens it. Not while the firmware works: the host has other things to do then."""
        complaints = self.clip.complaints()
        expect(not complaints, f"{self.id}: {complaints}")
