"""Disks that are full, slow, read-only or broken."""

from .. import sound
from ..bench import LOSS_LIMIT, Bench, Take, expect


def full(bench: Bench) -> None:
    machine = bench.machine
    bench.ready()
    # Leaves some seconds of WAV above the reserve.
    free = bench.call("system.info")["storage"]["freeBytes"]
    spare = 2_500_000
    size, filler = (free - spare) // 65536, f"{machine.data}/../filler"
    machine.check(f"fallocate -l {size * 65536} {filler} || dd if=/dev/zero of={filler} bs=65536 count={size}; sync")
    try:
        bench.begin()
        take = bench.saved(60)
        expect(take.reason == "storage-full", f"the take ended by {take.reason}")
        bench.expect_noise(take, 1536)
        bench.expect_picture("storage full")
        expect(bench.meta(take)["stopReason"] == "storage-full", "the metadata do not tell why it ended")
        expect(bench.mode().startswith("dictaphone."), "the firmware is in no mode")
    finally:
        machine.run(f"rm -f {filler}")
    bench.until("there is space again", lambda: bench.call("system.info")["storage"]["freeBytes"] > spare * 4, 40, 1)
    bench.ready()
    bench.expect_noise(bench.record(1), 1536)


def stall(bench: Bench) -> None:
    bench.ready()
    bench.begin()
    bench.pause(2)
    bench.machine.disk_fault("stall", 10)
    bench.pause(12)
    take = bench.finish()
    expect(take.reason == "user", f"the take ended by {take.reason}")
    match = bench.expect_noise(take, 1536)
    expect(match.frames > 17 * sound.RATE, f"the take has {match.frames} frames")
    expect(not bench.meta(take).get("gaps"), "the take has gaps")


def read_only(bench: Bench) -> None:
    _fault(bench, "read-only")


def error(bench: Bench) -> None:
    _fault(bench, "error")


def _fault(bench: Bench, kind: str) -> None:
    """What was recorded before the fault is there after it, and the firmware says that something is wrong."""
    bench.ready()
    before = bench.record(1)
    started = bench.begin()
    bench.pause(4)
    status = bench.call("recorder.status")
    bench.machine.disk_fault(kind)
    def told() -> bool:
        saved = bench.console.events("onTakeSaved")
        return bool(bench.console.events("onError")) or any(event["data"]["stopReason"] == "error" for event in saved)

    bench.until(f"the firmware tells that its disk is {kind}", told, 40)
    state = bench.state()
    bench.pictures[f"disk {kind}"] = bench.machine.screen()
    expect(state["notice"] or state["leds"]["STATUS"] not in ("on", "off"), f"the panel does not show it: {state}")
    bench.machine.stop("TERM", 60)
    bench.gone()
    bench.machine.disk_fault("none")
    bench.ready()
    takes = {take["id"]: take for take in bench.call("library.list", limit=60)["takes"]}
    for identity in (before.id, started["id"]):
        expect(identity in takes, f"{identity} is gone after the fault")
    bench.expect_noise(before, 1536)
    rescued = Take(started["id"], started["path"], takes[started["id"]]["frames"], "")
    # Of what was not synced, the file system may have kept the length and not the sound.
    match = bench.expect_noise(rescued, int(LOSS_LIMIT * sound.RATE), at=sound.RATE)
    expect(match.start == 0, f"the first {match.start} frames are not what was played")
    # What the disk was behind then (on a busy host) it had not confirmed.
    behind = status["queuedBytes"] / (sound.RATE * sound.FRAME)
    loss = status["seconds"] - behind - match.frames / sound.RATE
    text = f"{loss:.2f} s of sound from before the fault are lost, beside {behind:.2f} s that were on the way"
    expect(loss <= LOSS_LIMIT, text)
    bench.measures[f"disk {kind}"] = f"{max(0, loss) * 1000:.0f} ms of the sound before the fault lost"
