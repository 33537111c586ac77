"""What a person does with takes: played in other ways, split, recorded by schedule."""

import array
import math
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import time

from .. import sound
from ..bench import LOSS_LIMIT, Bench, Take, expect
from .sounds import PERIOD

TONE = 1000


def ways(bench: Bench) -> None:
    """Speed, pitch and A-B, at the speaker."""
    bench.ready(recording_preRecordSeconds=0)
    noise = bench.record(4)
    original = bench.samples(noise).samples
    bench.machine.play(sound.tone(TONE, 20))
    bench.pause(1)
    take = bench.record(6)
    seconds = take.frames / sound.RATE
    said = []
    for rate, cents in ((1.5, 0), (0.7, 0), (1.0, 300), (1.0, -500)):
        wanted = seconds / rate
        heard = _played(bench, take, wanted, **{"playback.rate": rate, "playback.pitchCents": cents})
        first, last = _loud(heard)
        off = (last - first) / sound.RATE - wanted
        # The fades at both ends are not loud.
        expect(abs(off) < 0.06 + wanted / 1000, f"at {rate} it is heard for {off:+.3f} s more than {wanted:.3f} s")
        pitch = 1200 * math.log2(sound.pitch(heard[first:last]) / TONE)
        expect(abs(pitch - cents) < 2, f"at {rate} and {cents} cents the tone is {pitch:+.2f} cents from the recorded one")
        said.append(f"{rate}x {cents:+d}: {pitch - cents:+.2f} cents, {off * 1000:+.0f} ms")
    bench.measures["speed and pitch at the speaker"] = "; ".join(said)

    bench.call("settings.set", **{"playback.rate": 1.0, "playback.pitchCents": 0})
    turns = _repeated(bench, noise, original)
    bench.measures["A-B at the speaker"] = f"{turns} turns of 48000 frames each, bit-true between their joints"


def _played(bench: Bench, take: Take, seconds: float, **settings) -> array.array:
    """What one channel of the speaker gives while the take is played to its end."""
    bench.call("settings.set", **settings)
    hear = bench.machine.listen(seconds + 5)
    bench.call("player.play", id=take.id)
    bench.until("it plays", lambda: bench.mode() == "dictaphone.playing", 10)
    bench.until("it has played", lambda: bench.mode() != "dictaphone.playing", seconds + 30, 0.3)
    return array.array("h", hear())[:: sound.CHANNELS]


def _loud(samples: array.array) -> tuple[int, int]:
    """From the first to behind the last loud sample."""
    places = [at for at, value in enumerate(samples) if abs(value) > 4000]
    expect(places, "nothing came out of the speaker")
    return places[0], places[-1] + 1


def _repeated(bench: Bench, take: Take, original: bytes) -> int:
    """From A to B again and again: the speaker's stretches of the take lie whole turns apart, to the frame."""
    start, turn, heard_seconds = 1.0, sound.RATE, 7
    hear = bench.machine.listen(heard_seconds + 2)
    bench.call("player.play", id=take.id)
    bench.call("player.loop", **{"from": start, "to": start + 1})
    bench.until("it plays", lambda: bench.mode() == "dictaphone.playing", 10)
    bench.pause(heard_seconds)
    bench.call("player.stop")
    heard = hear()
    offsets, at = [], 0
    total = len(heard) // sound.FRAME
    while at < total:
        match = sound.locate(heard, original, at)
        if match and match.frames > turn // 2:
            offsets.append((match.start - match.original, match.frames))
            at = match.start + match.frames
        else:
            at += sound.RATE // 100
    described = sound.describe(heard, original)
    expect(len(offsets) >= 4, f"A-B is heard {len(offsets)} times in {heard_seconds} s: {described}")
    for (one, _), (next_, frames) in zip(offsets, offsets[1:]):
        expect((next_ - one) == turn, f"a turn of A-B has {next_ - one} frames, not {turn}: {described}")
        # 5 ms before B fade into what comes before A; of the last turn less is heard.
        isLast = next_ == offsets[-1][0]
        expect(isLast or frames >= turn - 600, f"{frames} frames of a turn are as in the take: {described}")
    return len(offsets)


def split(bench: Bench) -> None:
    """A take goes on in other files, and the power is cut."""
    bench.ready(recording_preRecordSeconds=0, recording_splitSeconds=3)
    try:
        opened = bench.begin()
        bench.pause(10)
        ahead = bench.call("recorder.status")["seconds"] - time.monotonic()
        bench.machine.arm_cut(bench.seed, 7)
        cut = bench.machine.cut_power(bench.seed, True)
        length = ahead + cut.at
        bench.gone()
        bench.ready(recording_preRecordSeconds=0, isArmed=False)
        bench.until("every take is listed", lambda: bench.call("library.list")["pending"] == 0, 60)
        takes = bench.call("library.list", limit=60)["takes"]
        found = [take for take in takes if take["id"] == opened["id"]]
        expect(found, f"{opened['id']} is gone, and {length:.2f} s of it were recorded: {[t['id'] for t in takes]}")
        whole, parts = found[0]["frames"], [part["id"] for part in found[0].get("parts") or []]
        loss = length - whole / sound.RATE
        expect(loss <= LOSS_LIMIT, f"{loss:.2f} s of {length:.2f} s are lost")
        expect(len(parts) >= 3, f"a take of {length:.1f} s in files of 3 s has {len(parts) or 1} parts")
        expect(
            not [take for take in takes if take["id"] != opened["id"] and take["id"] in parts],
            f"parts of {opened['id']} are listed as takes of their own: {[take['id'] for take in takes]}")
        content = b"".join(bench.samples(Take(part, f"recordings/{part}", 0, "")).samples for part in parts)
        frames = len(content) // sound.FRAME
        expect(frames == whole, f"its parts have {frames} frames, and {whole} are listed")
        match = sound.locate(content, bench.noise)
        expect(
            match and frames - match.frames <= PERIOD,
            f"its parts are not one sound: {sound.describe(content, bench.noise)}")
        problems = bench.console.call("library.verify", 120)["problems"]
        expect(not problems, f"library.verify: {problems}")
        bench.measures["a split take at a power cut"] = (
            f"{len(parts)} parts, {frames} frames without a seam, {max(0, loss) * 1000:.0f} ms lost")
    finally:
        bench.call("settings.set", **{"recording.splitSeconds": 0})


def schedule(bench: Bench) -> None:
    """What is planned is recorded after a power cut with a boot; what was missed is told."""
    machine = bench.machine
    bench.ready(recording_preRecordSeconds=0)
    moved = 0

    def minute(seconds: int) -> str:
        """The first full minute that is so far away, on the machine's wall clock."""
        return machine.check(f"date -u -d @$(( ($(date +%s) + {seconds} + 59) / 60 * 60 )) +%H:%M").strip()

    try:
        # A boot takes 20 s, on a busy host more.
        bench.call("schedule.add", when=f"daily {minute(60)} {minute(240)}")
        machine.cut_power(bench.seed, True)
        bench.gone()
        bench.launch("rig")
        bench.wake()
        planned = bench.call("schedule.list")
        expect(planned["schedules"] and planned.get("next"), f"after the boot nothing is planned: {planned}")
        machine.play(bench.noise)
        bench.until("the schedule's take is open", lambda: bench.mode() == "dictaphone.recording", 180, 0.5)
        bench.pause(5)
        take = bench.finish()
        bench.expect_noise(take, PERIOD)
        number = planned["schedules"][0]["number"]
        bench.call("schedule.remove", number=number)

        bench.call("schedule.add", when=f"daily {minute(300)} {minute(420)}")
        bench.stop()
        machine.set_clock(1800)
        moved = 1800
        bench.launch("rig")
        bench.wake()
        lines = bench.until(
            "the log tells what was missed",
            lambda: [line for line in bench.call("log.tail", lines=100)["lines"] if "is missed" in str(line)], 30, 0.5)
        bench.log(f"      {lines[-1]}")
    finally:
        if moved:
            machine.set_clock(-moved)
        for one in bench.call("schedule.list")["schedules"]:
            bench.call("schedule.remove", number=one["number"])


# What a sender by ZMODEM begins with.
GREETING = b"B00000000000000"


def sent(bench: Bench) -> None:
    """A take goes over the serial line to this host's rz, while another is recorded."""
    bench.ready(recording_format="aac", recording_preRecordSeconds=0)
    take = bench.record(6)
    content = bench.machine.fetch(f"{bench.machine.data}/{take.path}")
    bench.ready(recording_preRecordSeconds=0)
    bench.begin()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        line, mine = socket.socketpair()
        bench.call("session.human")
        with bench.console.lent(line.sendall):
            bench.console.write(f"send {take.id}\r".encode())
            mine.settimeout(20)
            heard = b""
            while GREETING not in heard:
                heard += mine.recv(1)
            mine.settimeout(None)
            receiver = subprocess.Popen(
                ["rz", "-b", "-q"], cwd=folder, stdin=mine, stdout=mine, stderr=subprocess.DEVNULL)

            def back() -> None:
                while piece := line.recv(4096):
                    bench.console.write(piece)

            threading.Thread(target=back, daemon=True).start()
            try:
                receiver.wait(timeout=240)
            except subprocess.TimeoutExpired:
                receiver.kill()
            mine.close()
            # The sender waits for the end of the session, and gives the line back.
            bench.pause(2)
        line.close()
        received = [(path.name, path.read_bytes()) for path in pathlib.Path(folder).iterdir()]
    seconds = time.monotonic() - start
    bench.wake()
    other = bench.finish()
    expect(received == [(take.id, content)], f"rz has {[(name, len(data)) for name, data in received]}")
    bench.expect_noise(other, PERIOD)
    bench.measures["a take over the serial line"] = (
        f"{len(content)} bytes in {seconds:.0f} s, while {other.frames} frames were recorded as played")


def received(bench: Bench) -> None:
    """A sound comes over the serial line from this host's sz, while a take is recorded: byte by byte what was sent."""
    bench.ready(recording_preRecordSeconds=0)
    content = sound.file(bench.noise[: sound.RATE * sound.FRAME // 3])
    bench.begin()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "Interview.wav"
        file.write_bytes(content)
        line, mine = socket.socketpair()
        bench.call("session.human")
        with bench.console.lent(line.sendall):
            bench.console.write(b"receive\r")
            sender = subprocess.Popen(["sz", "-b", "-q", file], stdin=mine, stdout=mine, stderr=subprocess.DEVNULL)

            def out() -> None:
                while piece := line.recv(4096):
                    bench.console.write(piece)

            threading.Thread(target=out, daemon=True).start()
            try:
                sender.wait(timeout=240)
            except subprocess.TimeoutExpired:
                sender.kill()
            mine.close()
            bench.pause(2)
        line.close()
    seconds = time.monotonic() - start
    bench.wake()
    other = bench.finish()
    found = bench.call("library.list", limit=60, query="Interview")["takes"]
    expect(len(found) == 1, f"the library has {[take['id'] for take in found]} of what was sent")
    there = bench.machine.fetch(f"{bench.machine.data}/recordings/{found[0]['id']}")
    expect(there == content, f"{len(there)} bytes are there, not those {len(content)} that were sent")
    bench.expect_noise(other, PERIOD)
    bench.call("library.delete", id=found[0]["id"])
    bench.measures["a sound over the serial line, in"] = (
        f"{len(content)} bytes in {seconds:.0f} s, while {other.frames} frames were recorded as played")


# Formats in turn, each with what it costs most.
ROUNDS = (
    {"recording.format": "wav"}, {"recording.format": "aac", "recording.limiter": True},
    {"recording.format": "flac", "recording.safetyTake": True}, {"recording.format": "alac", "recording.agc": True},
    {"recording.format": "opus", "recording.lowCutHz": 80},
)


def hour(bench: Bench) -> None:
    """An hour of taking, marking, playing and deleting: nothing is lost, memory and descriptors stay as they were."""
    minutes = int(os.environ.get("MYNAH_RIG_SOAK_MINUTES", "60"))
    plain = {"recording.limiter": False, "recording.safetyTake": False, "recording.agc": False, "recording.lowCutHz": 0}
    bench.ready(recording_splitSeconds=60)
    process = bench.machine.process()
    before = bench.call("recorder.status")["xruns"]
    end = time.monotonic() + 60 * minutes
    used, takes, seconds, gaps = [], 0, 0.0, []
    try:
        while time.monotonic() < end or len(used) < 3:
            for settings in ROUNDS:
                bench.call("settings.set", **(plain | settings))
                bench.until("the microphone is armed", lambda: bench.call("recorder.status")["armed"], 30)
                opened = bench.begin()
                for _ in range(4):
                    bench.pause(20)
                    bench.call("recorder.mark")
                bench.finish()
                saved = [event["data"] for event in bench.console.events("onTakeSaved")]
                parts = [Take(one["id"], one["path"], one["frames"], one["stopReason"]) for one in saved]
                takes, seconds = takes + 1, seconds + sum(part.frames for part in parts) / sound.RATE
                gaps += [gap for part in parts for gap in bench.meta(part).get("gaps") or []]
                bench.machine.press("CENTRE")
                bench.until("it plays", lambda: bench.mode() == "dictaphone.playing", 30)
                bench.call("settings.set", **{"playback.rate": 1.5, "playback.pitchCents": 200})
                bench.pause(5)
                bench.call("settings.set", **{"playback.rate": 1.0, "playback.pitchCents": 0})
                bench.call("player.stop")
                bench.call("library.list", limit=60)
                bench.call("library.delete", id=opened["id"])
            used.append(held(bench, process))
            bench.log(f"      {takes} takes, RSS {used[-1][0] / 1024:.1f} MiB, {used[-1][1]} descriptors")
    finally:
        bench.call("settings.set", **plain, **{"recording.splitSeconds": 0, "recording.format": "wav"})
    xruns = bench.call("recorder.status")["xruns"] - before
    # In the first round everything is used for the first time.
    grown = (max(one[0] for one in used[-2:]) - used[1][0]) / 1024
    bench.measures["an hour of takes"] = (
        f"{takes} takes, {seconds / 60:.1f} min of sound, {len(gaps)} gaps, {xruns} xruns; RSS {used[1][0] / 1024:.1f} MiB "
        f"after the second round, {grown:+.2f} MiB after the last; descriptors {used[1][1]} and {used[-1][1]}")
    expect(process == bench.machine.process(), "the firmware was started anew")
    expect(xruns == 0 and not gaps, f"{xruns} xruns, gaps: {gaps[:5]}")
    expect(grown <= 1, f"memory has grown by {grown:.2f} MiB from the second round to the last: {used}")
    expect(used[-1][1] <= used[1][1], f"descriptors: {used}")


def held(bench: Bench, process: int) -> tuple[int, int]:
    """KiB resident, and descriptors open."""
    lines = bench.machine.check(f"grep VmRSS /proc/{process}/status; ls /proc/{process}/fd | wc -l").split()
    return int(lines[1]), int(lines[3])
