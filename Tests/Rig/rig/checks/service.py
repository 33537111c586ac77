"""The firmware as a service: start, end, clock, watchdog, doctor."""

import datetime
import json
import re

from .. import sound
from ..bench import Bench, Skip, expect


def start(bench: Bench) -> None:
    machine = bench.machine
    bench.stop()
    bench.ready(isPlaying=False)
    second = machine.run(f"{machine.program} run --board {machine.board_file()} --data {machine.data}", timeout=30)
    expect(second.status != 0, "a second firmware started on the same data directory")
    expect(str(machine.process()) in second.text, f"the refusal does not name the first process: {second.text}")
    bench.begin()
    bench.pause(1)
    status = machine.stop("TERM")
    bench.gone()
    expect(status == 0, f"SIGTERM ended the firmware with status {status}")
    problems = bench.verify()
    expect(not problems, f"library verify: {problems}")


def doctor(bench: Bench) -> None:
    machine = bench.machine
    bench.stop()
    command = f"{machine.program} doctor --board {machine.board_file()} --data {machine.data} --json"
    result = machine.run(command, timeout=120)
    if result.status == 64:
        raise Skip("this firmware has no doctor")
    text = result.text[result.text.index("{") :] if "{" in result.text else result.text
    try:
        report = json.loads(text)
    except ValueError:
        report = None
    expect(report is not None, f"doctor --json prints no JSON: {result.text[-500:]}")
    expect(result.status == 0, f"doctor ends with {result.status}: {result.text[-3000:]}")


def clock(bench: Bench) -> None:
    year = 365 * 86400
    bench.ready()
    bench.begin()
    moved = 0
    try:
        for jump in (year, -2 * year, year):
            bench.pause(1.5)
            bench.machine.set_clock(jump)
            moved += jump
        bench.pause(1.5)
        moved += set_by_console(bench, days=40)
        bench.pause(1.5)
    finally:
        if moved:
            bench.machine.set_clock(-moved)
    take = bench.finish()
    match = bench.expect_noise(take, 1536)
    seconds = match.frames / sound.RATE
    expect(10 < seconds < 25, f"the take has {seconds:.1f} s")
    expect(not bench.meta(take).get("gaps"), "the take has gaps")


def set_by_console(bench: Bench, days: int) -> float:
    """Sets the clock by the console, and looks at the machine's own clocks; by how many seconds it was moved."""
    before = datetime.datetime.fromisoformat(bench.call("clock.get")["time"])
    wanted = before + datetime.timedelta(days=days)
    bench.call("clock.set", time=wanted.strftime("%Y-%m-%dT%H:%M:%SZ"))
    seen = bench.machine.run("date -u +%s; cat /sys/class/rtc/rtc0/since_epoch 2>/dev/null").text.split()
    for clock, text in zip(("system's clock", "battery-backed clock"), seen):
        late = int(text) - wanted.timestamp()
        expect(-1 <= late < 20, f"the {clock} is {late:.0f} s off what was set")
    bench.measures["clock set by console"] = f"seen on {len(seen)} of the machine's clocks"
    return days * 86400


def watchdog(bench: Bench) -> None:
    machine = bench.machine
    bench.launch("watchdog")
    bench.wake()
    if "watchdog" not in machine.run(f"ls -l /proc/{machine.process()}/fd").text:
        raise Skip("the firmware does not hold the watchdog")
    bench.pause(20)
    expect(machine.process(), "the firmware does not run any more")
    machine.run("kill -STOP $(cat /run/service/pid)")
    seconds = machine.wait_reset(90)
    bench.gone()
    expect(seconds is not None, "the firmware was stopped for 90 s, and the watchdog did not reset the machine")
    bench.measures["watchdog"] = f"reset {seconds:.1f} s after SIGSTOP"
    bench.ready()


def notifications(text: str, word: str) -> float | None:
    """When the service manager was told so, on the machine's clock."""
    found = re.search(rf"^(\S+) .*\b{word}\b", text, re.MULTILINE)
    return float(found[1]) if found else None
