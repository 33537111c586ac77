"""A board whose processor, memory and disk others want, too: the take loses nothing, the rest gives way and comes back."""

import contextlib

from ..bench import Bench, expect

# What the firmware may have of a core, and how many programs beside it want all of them.
SHARE = 60
HOGS = 4
GROUP = "/sys/fs/cgroup"


def beside(bench: Bench) -> None:
    bench.ready()
    _expect_whole(bench, "at ease", contextlib.nullcontext())
    # Each at the worst that a board of this kind meets; the microphone's thread keeps its priority.
    _expect_whole(bench, "processor", _hogs(bench), reason="cpu-pressure")
    _expect_whole(bench, "processor of a group", _share(bench))
    _expect_whole(bench, "memory", _memory(bench))
    _expect_whole(bench, "slow disk", contextlib.nullcontext(), stalls=4, reason="storage")
    status = bench.call("governor.status")
    cost = status["costPercent"]
    bench.measures["governor"] = f"{cost:.3f} % of a core, {status['falls']} falls, {status['climbs']} climbs"
    # A fifth of a per cent on a board; the emulated one is slower by what QEMU needs.
    expect(cost < 0.2, f"the governor takes {cost:.3f} % of a core")
    bench.until("all is back", lambda: bench.call("governor.status")["rung"] is None, 900, 5)


def _expect_whole(bench: Bench, what: str, strain, stalls: int = 0, reason: str = "") -> None:
    """A take of some twenty seconds under a strain is what was played, sample by sample."""
    bench.console.forget()
    bench.begin()
    with strain:
        bench.pause(2)
        for _ in range(stalls):
            bench.machine.disk_fault("stall", 3)
            bench.pause(4)
        if not stalls:
            bench.pause(18)
    steps = [event["data"] for event in bench.console.events("onGovernorStep")]
    take = bench.finish()
    expect(take.reason == "user", f"{what}: the take ended by {take.reason}")
    bench.expect_noise(take, 1536)
    meta = bench.meta(take)
    expect(not meta.get("gaps"), f"{what}: the take has gaps: {meta.get('gaps')}")
    expect(meta["receipt"]["lostFrames"] == 0, f"{what}: {meta['receipt']['lostFrames']} frames were lost")
    down = [step["reason"] for step in steps if step["direction"] == "down"]
    bench.measures[f"strain: {what}"] = f"{len(down)} rungs gave way ({', '.join(sorted(set(down))) or 'none'}), no gap"
    if reason:
        expect(reason in down, f"{what}: nothing gave way by {reason}: {steps}; {bench.call('governor.status')}")


@contextlib.contextmanager
def _hogs(bench: Bench):
    machine = bench.machine
    machine.check(f"i=0; while [ $i -lt {HOGS} ]; do (while :; do :; done) & echo $! >>/run/hogs; i=$((i+1)); done")
    try:
        yield
    finally:
        machine.run("kill $(cat /run/hogs); rm -f /run/hogs")


@contextlib.contextmanager
def _share(bench: Bench):
    """The firmware may have so much of a core and no more."""
    machine = bench.machine
    process = machine.process()
    machine.check(
        f"mkdir -p {GROUP}; [ -e {GROUP}/cgroup.procs ] || mount -t cgroup2 none {GROUP};"
        f" echo +cpu >{GROUP}/cgroup.subtree_control; mkdir -p {GROUP}/firmware;"
        f" echo '{SHARE * 1000} 100000' >{GROUP}/firmware/cpu.max; echo {process} >{GROUP}/firmware/cgroup.procs")
    try:
        yield
    finally:
        machine.run(f"echo max >{GROUP}/firmware/cpu.max; echo {process} >{GROUP}/cgroup.procs")


@contextlib.contextmanager
def _memory(bench: Bench):
    """All but some MiB of what is available is somebody else's."""
    machine = bench.machine
    machine.check(
        "free=$(( $(sed -n 's/MemAvailable: *\\([0-9]*\\).*/\\1/p' /proc/meminfo) / 1024 - 48 ));"
        " mkdir -p /run/hog; mount -t tmpfs -o size=100% none /run/hog;"
        " dd if=/dev/zero of=/run/hog/all bs=1048576 count=$free 2>/dev/null")
    try:
        yield
    finally:
        machine.run("umount /run/hog")
