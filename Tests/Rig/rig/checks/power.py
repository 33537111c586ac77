"""Power cuts at random instants.

Two kinds. In a whole cut the machine goes as well, and starts anew from the disk. In a disk cut the disk alone loses
its power: it forgets what was not flushed and answers nothing but errors; the firmware is killed, the file system
mounted anew (the kernel replays its journal from what the disk kept), and the firmware started. To the disk both are
the same; a whole cut takes the time of a boot.
"""

import dataclasses
import random
import statistics
import time

from .. import sound
from ..bench import LOSS_LIMIT, Bench, Failure, RemoteError, Silence, Take, expect

PHASES = ("recording", "saving", "deleting", "renaming")


@dataclasses.dataclass
class Known:
    """A take that is safe on the disk: what must be true of it after every cut."""

    take: Take
    names: set[str]
    mayBeGone: bool = False


def cuts(bench: Bench) -> None:
    count = bench.cuts
    whole = max(2, count // 20)
    bench.ready()
    losses: list[float] = []
    known: list[Known] = []
    for number in range(count):
        seed = bench.seed * 100_000 + number
        chance = random.Random(seed)
        phase = PHASES[number % len(PHASES)]
        # Moves on by one a round, so that boots come in every phase.
        step = max(1, count // whole)
        isReboot = number % step == number // step % step
        try:
            said, loss = _cut(bench, chance, seed, phase, isReboot, known)
        except Failure as failure:
            kind = "reboot" if isReboot else "disk"
            raise Failure(f"cut {number + 1} of {count} (seed {seed}, {phase}, {kind}): {failure}")
        if loss is not None:
            losses.append(loss)
        lost = f", {loss * 1000:.0f} ms lost" if loss is not None else ""
        bench.log(f"  cut {number + 1}/{count} seed {seed} {phase}{' + reboot' if isReboot else ''}: {said}{lost}")
    losses.sort()
    if losses:
        p99 = losses[min(len(losses) - 1, len(losses) * 99 // 100)]
        bench.measures["power cuts"] = f"{count}, {whole} of them with a boot; all takes whole, catalogue true"
        bench.measures["loss at a power cut"] = (
            f"p50 {statistics.median(losses) * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, max {losses[-1] * 1000:.0f} ms"
            f" ({len(losses)} cuts in a take)")


def _cut(bench: Bench, chance: random.Random, seed: int, phase: str, isReboot: bool, known: list[Known]):
    """One cut. Returns what happened, and the sound lost of the take that was open."""
    _make_room(bench, known)
    format = chance.choice(("wav", "aac"))
    bench.ready(recording_format=format, recording_preRecordSeconds=chance.choice((0, 0, 0, 1)))
    if phase in ("deleting", "renaming") and not known:
        known.append(_safe(bench.record(0.5)))
    open_, ahead, stopped = None, 0.0, float("inf")
    if phase in ("recording", "saving"):
        open_ = bench.begin()
        bench.pause(chance.uniform(0.2, 2))
        # How far the take is ahead of the rig's clock.
        ahead = bench.call("recorder.status")["seconds"] - time.monotonic()
    else:
        victim = chance.choice(known)
    # Most cuts fall among the writes that the action makes, some between.
    bench.machine.arm_cut(seed, chance.randrange(20))
    if phase == "saving":
        bench.machine.press("STOP", 0.03)
        stopped = time.monotonic()
    elif phase == "deleting":
        victim.mayBeGone = True
        _send(bench, "library.delete", id=victim.take.id)
    elif phase == "renaming":
        name = f"renamed {seed}"
        victim.names.add(name)
        _send(bench, "library.rename", id=victim.take.id, name=name)
    cut = bench.machine.cut_power(seed, isReboot)
    length = ahead + min(cut.at, stopped)
    bench.gone()
    return cut.said, _inspect(bench, phase, open_, length, known)


def _inspect(bench: Bench, phase: str, open_: dict | None, length: float, known: list[Known]) -> float | None:
    """Starts the firmware and looks at what is left."""
    bench.ready(recording_preRecordSeconds=0, isArmed=False)
    # What was being changed is looked at before it is listed.
    bench.until("every take is listed", lambda: bench.call("library.list")["pending"] == 0, 30)
    takes = {take["id"]: take for take in bench.call("library.list", limit=60)["takes"]}
    loss = None
    for one in list(known):
        found = takes.get(one.take.id)
        if found is None:
            expect(one.mayBeGone, f"{one.take.id} was safe, and is gone")
            known.remove(one)
            continue
        one.mayBeGone = False
        frames = found["frames"]
        expect(frames == one.take.frames, f"{one.take.id} had {one.take.frames} frames, and has {frames}")
        expect(found["name"] in one.names, f"{one.take.id} is called {found['name']}")
        one.names = {found["name"]}
    if open_ is not None:
        found = takes.get(open_["id"])
        expect(found or length <= LOSS_LIMIT, f"{open_['id']} is gone, and {length:.2f} s of it were recorded")
        loss = max(0.0, length - (found["frames"] / sound.RATE if found else 0))
        expect(loss <= LOSS_LIMIT, f"{loss:.2f} s of {length:.2f} s are lost")
        if found and found["frames"] > 0:
            take = Take(found["id"], open_["path"], found["frames"], found.get("stopReason") or "")
            if take.path.endswith(".wav") and take.frames > 2000:
                bench.expect_noise(take, 0, at=take.frames // 2)
            known.append(_safe(take, found["name"]))
    # The firmware's own check reads every take to its end.
    problems = bench.console.call("library.verify", 120)["problems"]
    expect(not problems, f"library.verify after {phase}: {problems}")
    return loss


def _safe(take: Take, name: str | None = None) -> Known:
    return Known(take, {name or take.id.rsplit(".", 1)[0]})


def _send(bench: Bench, method: str, **parameters) -> None:
    """Asks, and does not wait for the answer: the cut may come first."""
    import threading

    def ask() -> None:
        try:
            bench.console.call(method, 5, **parameters)
        except (Silence, RemoteError, OSError):
            pass

    threading.Thread(target=ask, daemon=True).start()


def _make_room(bench: Bench, known: list[Known]) -> None:
    """Keeps some six takes, so that looking at them all stays quick."""
    while len(known) > 6:
        one = known.pop(0)
        bench.ready(recording_preRecordSeconds=0, isArmed=False)
        bench.call("library.delete", id=one.take.id)
