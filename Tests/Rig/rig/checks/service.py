"""The firmware as a service: start, end, clock, watchdog, doctor."""

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
    result = machine.run(f"{machine.program} doctor --board {machine.board_file()} --data {machine.data} --json", timeout=120)
    if result.status == 64:
        result = machine.run(f"{machine.program} doctor --board {machine.board_file()} --json", timeout=120)
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
    finally:
        if moved:
            bench.machine.set_clock(-moved)
    take = bench.finish()
    match = bench.expect_noise(take, 1536)
    seconds = match.frames / sound.RATE
    expect(10 < seconds < 25, f"the take has {seconds:.1f} s")
    expect(not bench.meta(take).get("gaps"), "the take has gaps")


def watchdog(bench: Bench) -> None:
    machine = bench.machine
    bench.stop()
    machine.start("watchdog")
    bench._board = "watchdog"
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
