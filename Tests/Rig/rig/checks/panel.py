"""Keys, lamps and the OLED."""

import re
import statistics
import time

from ..bench import EDGE_LIMIT, Bench, expect


def lamps(bench: Bench) -> None:
    machine = bench.machine
    bench.ready(isPlaying=False)
    bench.until("STATUS is lit while armed", lambda: machine.lamp("STATUS"))
    expect(not machine.lamp("REC"), "REC is lit, and nothing is recorded")
    bench.begin()
    bench.until("REC is lit while recording", lambda: machine.lamp("REC"), 5)
    expect(all(machine.lamp("REC") for _ in range(10)), "REC is not steadily lit while recording")
    machine.press("REC")
    bench.until("it is paused", lambda: bench.mode() == "dictaphone.paused", 10)
    bench.until("REC blinks while paused", lambda: not machine.lamp("REC"), 5, 0.02)
    bench.until("REC blinks while paused", lambda: machine.lamp("REC"), 5, 0.02)
    machine.press("LOCK")
    bench.until("LOCK is lit while locked", lambda: machine.lamp("LOCK"), 5)
    machine.press("STOP")
    bench.pause(0.5)
    expect(bench.mode() == "dictaphone.paused", "a locked STOP ended the take")
    machine.press("LOCK", 2.6)
    bench.until("LOCK is dark after 2 s of LOCK", lambda: not machine.lamp("LOCK"), 5)
    bench.finish()
    bench.until("REC is dark after STOP", lambda: not machine.lamp("REC"), 5)


def edge(bench: Bench) -> None:
    """In the guest's time, from the edge on the line to the lamp's line: neither the rig's way there nor back."""
    count = 1000 if bench.isFull else 25
    bench.ready(isPlaying=False, recording_preRecordSeconds=0)
    times = []
    for number in range(count):
        bench.console.forget()
        taken = bench.machine.edge("REC", "REC", True, 3)
        expect(taken is not None, f"press {number + 1} of {count} did not light REC within 3 s")
        times.append(taken)
        bench.machine.press("STOP", 0.05)
        take = bench.saved(30)
        bench.until("it is idle", lambda: bench.mode() == "dictaphone.idle", 10, 0.02)
        # A thousand takes would make the checks that come after this one slow.
        bench.call("library.delete", id=take.id)
    times.sort()
    p50, p99 = statistics.median(times), times[min(len(times) - 1, len(times) * 99 // 100)]
    text = f"p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, max {times[-1] * 1000:.1f} ms, {count} presses"
    bench.measures["REC edge to lamp"] = text
    expect(p99 <= EDGE_LIMIT, f"{text}; the limit for p99 is {EDGE_LIMIT * 1000:.0f} ms")


def press_picture(bench: Bench) -> None:
    """In the guest's time, from the edge on the line to the last byte of the new picture on the bus, which takes the time of
    400 kHz; of what changes only that is sent."""
    machine = bench.machine
    bench.ready(isPlaying=False, recording_preRecordSeconds=0)
    for _ in range(2):
        bench.record(1)
    machine.screen()
    times: dict[str, list[float]] = {"opens": [], "row": []}
    sizes: dict[str, list[int]] = {"opens": [], "row": []}
    for number in range(20 if bench.isFull else 6):
        for key, what in (("DOWN", "opens"), ("DOWN", "row"), ("UP", "row")):
            before = machine.display.copy()
            pressed = machine.press(key, 0.05)
            bench.pause(0.7)
            written = machine.written()
            end, count = before.reached(written, pressed)
            expect(end is not None, f"{key} changed nothing on the display")
            times[what].append(end - pressed)
            sizes[what].append(count)
        machine.press("STOP")
        bench.until("the list is closed", lambda: bench.mode() == "dictaphone.idle", 10)
        bench.pause(0.5)
        machine.screen()
    texts = [
        f"{name}: p50 {statistics.median(times[what]) * 1000:.0f} ms, max {max(times[what]) * 1000:.0f} ms,"
        f" {statistics.median(sizes[what]):.0f} bytes"
        for what, name in (("opens", "the list opens"), ("row", "another row"))]
    bench.measures["press to picture at 400 kHz"] = "; ".join(texts)
    expect(statistics.median(sizes["row"]) < 700, f"another row is sent as a whole picture: {texts}")
    # 60 ms to the bus is asked for of sound, and a whole picture has 25 on it; an emulated processor draws for long.
    expect(statistics.median(times["opens"]) < 0.3, "; ".join(texts))


def timer(bench: Bench) -> None:
    bench.ready(recording_preRecordSeconds=0)
    bench.begin()
    start = time.monotonic()
    shown = []
    for _ in range(3):
        bench.pause(1.2)
        texts = bench.state()["texts"]
        elapsed = time.monotonic() - start
        found = [re.fullmatch(r"(?:(\d+)h)?(\d+)m(\d+)s", text) for text in texts]
        times = [int(m[1] or 0) * 3600 + int(m[2]) * 60 + int(m[3]) for m in found if m]
        expect(times, f"no timer is shown: {texts}")
        expect(abs(times[0] - elapsed) < 2, f"the timer shows {times[0]} s after {elapsed:.1f} s")
        shown.append(bench.machine.screen())
    expect(shown[0].lit > 100, "the display is dark while recording")
    expect(shown[0] != shown[1] and shown[1] != shown[2], "the display does not move while recording")
    # Nothing moves while paused: the whole picture can be compared.
    bench.machine.press("REC")
    bench.until("it is paused", lambda: bench.mode() == "dictaphone.paused", 10)
    bench.expect_picture("paused")
    bench.pictures["recording"] = shown[2]
    bench.finish()
