"""Clips of a camera whose every picture is known."""

import hashlib
import random
import time

from .. import sound
from ..bench import LOSS_LIMIT, Bench, Failure, expect
from ..reel import Reel, reel
from ..shoot import Saved, Trigger, buffering
from . import beeps

YEAR = 365 * 86400


def h264(bench: Bench) -> None:
    passes_through(bench, reel("h264", 30))


def mjpeg(bench: Bench) -> None:
    passes_through(bench, reel("mjpeg", 15))


def passes_through(bench: Bench, pictures: Reel) -> None:
    """One clip by key, one by the console."""
    with buffering(bench, pictures) as shoot:
        saved = shoot.saved(shoot.press())
        story = saved.judge()
        # Clips that overlap are another matter.
        bench.pause(5.5)
        bench.console.forget()
        bench.call("clips.trigger")
        other = shoot.saved()
        other.judge()
    for one in (saved, other):
        one.play()
    bench.measures[f"clip, {pictures.codec}"] = story


def sync(bench: Bench) -> None:
    """The sound is a beep a second, and the reel's flashes are fed when the beeps are heard.

    What the 10 ms are made of: snd-aloop moves on once a jiffy (4 ms), so the kernel's word on a beep is right to one,
    and the firmware's on what it captured to another; a flash is stamped while it is written, within 1 ms before what
    the feeder logs; and pictures are put on even steps, within 1 ms."""
    pictures = reel("h264", 30)
    with buffering(bench, pictures, content=beeps.TRACK, inStep=True) as shoot:
        saved = shoot.saved(shoot.press())
        saved.judge()
        moved = bench.machine.heard_at() - shoot.heard
        expect(abs(moved) < 0.005, f"what is played to the microphone was interrupted for {moved * 1000:.1f} ms")
    clip = saved.clip
    shown = clip.shown(pictures)
    bright = [time_ for time_, value in zip(shown.times, clip.brightness()) if value > 180]
    flashes = [(time_, saved.shown_at(place)) for time_, place in zip(shown.times, shown.places) if place % 30 == 0]
    expect([time_ for time_, _ in flashes] == bright, f"flashes are at {bright}, not {flashes}")
    sounding = beeps.find(*clip.sound())
    offsets = []
    for time_, fedAt in flashes:
        # The beep that was heard nearest to the flash, and the one that is in the clip nearest to it.
        beepAt = shoot.heard + round(fedAt - shoot.heard)
        found = min(sounding, key=lambda one: abs(one - time_), default=None)
        if found is not None and 0.1 < time_ < shown.times[-1] - 0.1:
            offsets.append((found - beeps.CENTRE - time_) - (beepAt - fedAt))
    expect(len(offsets) >= 4, f"{len(offsets)} flashes and beeps in {len(bright)} and {len(sounding)}")
    worst = max(offsets, key=abs)
    told = ", ".join(f"{offset * 1000:+.1f}" for offset in offsets)
    bench.log(f"      sound after picture, ms: {told}")
    expect(abs(worst) <= 0.010, f"the sound is {worst * 1000:+.1f} ms off the pictures ({told})")
    saved.play()
    bench.measures["sound after picture"] = f"{told} ms"


def microphone(bench: Bench) -> None:
    machine = bench.machine
    with buffering(bench, reel("h264", 30), after=8) as shoot:
        trigger = shoot.press()
        bench.pause(1)
        machine.unplug("microphone")
        expect(bench.console.wait_event("onDeviceLost", 5), "no event tells that the microphone is lost")
        bench.pause(1)
        machine.replug("microphone")
        machine.play(bench.noise)
        saved = shoot.saved(trigger)
        gaps = [gap for gap in saved.receipt["gaps"] if gap["track"] == "sound"]
        story = saved.judge(gaps=("sound",))
    expect(gaps and all(gap["reason"] == "microphone-lost" for gap in gaps), f"its gaps are {gaps}")
    start, samples = saved.clip.sound()
    quiet = silences(samples)
    bench.log(f"      gaps {gaps}; silent in the clip: {quiet}")
    told = sum(gap["seconds"] for gap in gaps)
    silent = sum(end - begin for begin, end in quiet)
    # A period of the driver's goes with the card, and the cable is silent until the rig plays again.
    expect(quiet and abs(quiet[0][0] + start - gaps[0]["start"]) < 0.1, f"silence is at {quiet}, not where {gaps} say")
    expect(silent > told - 0.1, f"{told:.2f} s are told to be missing, and {silent:.2f} s are silent")
    expect(quiet[-1][1] < len(samples) / sound.RATE - 0.5, f"the sound is not back in the clip: {quiet}")
    saved.play()
    bench.measures["microphone lost in a clip"] = f"{told:.2f} s of sound missing, and told; {story}"


def clock(bench: Bench) -> None:
    machine = bench.machine
    moved = 0
    with buffering(bench, reel("h264", 30), after=5) as shoot:
        trigger = shoot.press()
        try:
            for jump in (YEAR, -2 * YEAR, YEAR):
                bench.pause(1)
                machine.set_clock(jump)
                moved += jump
        finally:
            if moved:
                machine.set_clock(-moved)
        saved = shoot.saved(trigger)
        bench.measures["clip, clock jumps"] = saved.judge()
    saved.play()


def storage(bench: Bench) -> None:
    machine = bench.machine
    with buffering(bench, reel("h264", 30), after=6) as shoot:
        trigger = shoot.press()
        bench.pause(1)
        machine.disk_fault("stall", 10)
        stalled = shoot.saved(trigger)
        bench.measures["clip, disk stalled for 10 s"] = stalled.judge()
        # Else they would make room for the next.
        for clip in bench.call("clips.list")["clips"]:
            bench.call("clips.protect", id=clip["id"])
        bench.pause(3)
        # Leaves some seconds of the clip above the reserve.
        free = bench.call("system.info")["storage"]["freeBytes"]
        size, filler = (free - 2_200_000) // 65536, f"{machine.data}/../filler"
        machine.check(
            f"fallocate -l {size * 65536} {filler} || dd if=/dev/zero of={filler} bs=65536 count={size}; sync")
        try:
            full = shoot.saved(shoot.press())
        finally:
            machine.run(f"rm -f {filler}")
        reason = full.receipt["stopReason"]
        expect(reason == "storage-full", f"the clip ended by {reason}")
        bench.measures["clip, disk full"] = full.judge(isCutShort=True)
        bench.until(
            "there is space again", lambda: bench.call("system.info")["storage"]["freeBytes"] > 20_000_000, 40, 1)
        bench.pause(3)
        after = shoot.saved(shoot.press())
        after.judge()
    for one in (stalled, full, after):
        one.play()


def cuts(bench: Bench) -> None:
    """As in power.py: in all but the last, the disk alone loses its power.

    Right after the trigger, what was in the ring is still on its way to the disk, at the speed of the processor: of a
    clip that is cut off then, what is there has to be right, however little it is."""
    count = max(3, bench.cuts // 16)
    pictures = reel("h264", 30)
    safe: dict[str, str] = {}
    losses: list[float] = []
    for number in range(count):
        seed = bench.seed * 100_000 + number
        try:
            isEarly = number % 4 == 1
            loss = _cut(bench, pictures, seed, isEarly, number == count - 1, safe)
            if not isEarly:
                losses.append(loss)
        except Failure as failure:
            raise Failure(f"cut {number + 1} of {count} (seed {seed}): {failure}")
    bench.measures["loss of a clip at a power cut"] = (
        f"max {max(losses) * 1000:.0f} ms, {len(losses)} cuts, 1 with a boot; clips of before bit by bit")


def _cut(
    bench: Bench, pictures: Reel, seed: int, isEarly: bool, isReboot: bool, safe: dict[str, str]) -> float:
    """Returns the seconds lost of the clip that was open."""
    machine, chance = bench.machine, random.Random(seed)
    with buffering(bench, pictures, after=5) as shoot:
        if not safe:
            _keep(bench, safe, shoot.saved(shoot.press()).id)
            bench.pause(4.5)
        open_ = shoot.press()
        # Into the post-roll, or, at its end, into what makes the clip whole.
        bench.pause(chance.uniform(0.2, 2) if isEarly else chance.uniform(2.5, 5.2))
        fed = machine.fed()
        ahead = machine.uptime() - time.monotonic()
        machine.arm_cut(seed, chance.randrange(20))
        cut = machine.cut_power(seed, isReboot)
        bench.gone()
    length = min(ahead + cut.at, open_.time + shoot.after) - open_.start
    bench.launch(pictures.board)
    bench.wake()

    def listed() -> list[dict]:
        return bench.call("clips.list")["clips"]

    bench.until("the clips are listed", lambda: len(listed()) >= len(safe), 30)
    bench.pause(1)
    clips = {clip["id"]: clip for clip in listed()}
    for id_, digest in safe.items():
        expect(id_ in clips, f"{id_} was safe, and is gone")
        expect(_digest(bench, id_) == digest, f"{id_} was safe, and has changed")
    new = [id_ for id_ in clips if id_ not in safe]
    expect(len(new) <= 1, f"there are {new}, and one clip was open")
    kept = 0.0
    if new:
        saved = Saved.of(bench, new[0], pictures, fed, open_)
        saved.judge(isCutShort=True)
        saved.play()
        kept = saved.seconds
        _keep(bench, safe, new[0])
    loss = max(0.0, length - kept)
    bench.log(f"  cut seed {seed}{' + reboot' if isReboot else ''}: {cut.said}, {kept:.2f} of {length:.2f} s are there")
    expect(isEarly or loss <= LOSS_LIMIT, f"{loss:.2f} s of {length:.2f} s are lost")
    problems = bench.console.call("library.verify", 120)["problems"]
    expect(not problems, f"library.verify: {problems}")
    bench.stop()
    problems = bench.verify()
    expect(not problems, f"library verify: {problems}")
    return loss


def _keep(bench: Bench, safe: dict[str, str], id_: str) -> None:
    safe[id_] = _digest(bench, id_)


def _digest(bench: Bench, id_: str) -> str:
    return hashlib.sha256(bench.machine.fetch(f"{bench.machine.data}/clips/{id_}")).hexdigest()


def silences(samples: memoryview, shortest: float = 0.05) -> list[tuple[float, float]]:
    """From when to when nothing is heard, in seconds from the first sample."""
    block = sound.RATE // 100
    starts = range(0, len(samples) - block, block)
    quiet = [max(map(abs, samples[at : at + block : 5])) < 100 for at in starts]
    found, begin = [], None
    for index, isQuiet in enumerate([*quiet, False]):
        if isQuiet and begin is None:
            begin = index
        elif not isQuiet and begin is not None:
            if (index - begin) / 100 >= shortest:
                found.append((begin / 100, index / 100))
            begin = None
    return found
