"""A live stream and a dubbing service on the host's loopback, played in the guest: nothing but a cable in between."""

import array
import contextlib
import pathlib
import statistics
import sys
import time

from .. import sound
from ..bench import Bench, expect

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "Tools"))
import peers  # noqa: E402

# As promised (V3), on an emulated processor as well.
GAP_LIMIT = 0.040
RECONNECT_LIMIT = 3.0


def live(bench: Bench) -> None:
    """The service goes away in the middle, and comes back."""
    machine = bench.machine
    expect_closed(bench)
    with playing(bench, 34) as heard:
        first = bench.until(
            "the service's dub is heard", lambda: one if (one := status(bench))["rung"] == "service" else None, 15)
        bench.pause(6)
        machine.studio.hush()
        bench.until("the original or a lower rung is heard", lambda: status(bench)["rung"] != "service", 15)
        bench.pause(2)
        machine.studio.speak("--languages", "es,de,fr")
        bench.until("the service's dub is heard again", lambda: status(bench)["rung"] == "service", 35)
        last = status(bench)
        recording = heard()
    bench.files["heard.raw"] = recording
    begin, quiet = silence(recording)
    bench.log(f"      start {first['startMs']} ms, {last['onTime']} of {last['utterances']} on time, {last}")
    expect(begin is not None, "nothing was heard")
    expect(quiet <= GAP_LIMIT, f"{quiet * 1000:.0f} ms of silence, while the service was away or not")
    expect(last["fallbacks"] >= 1, "the service was away, and no fallback was counted")
    bench.measures["dub, start to sound"] = f"{first['startMs']} ms"
    bench.measures["dub, service away for a while"] = (
        f"longest silence {quiet * 1000:.0f} ms; {last['onTime']} of {last['utterances']} utterances on time")


def link(bench: Bench) -> None:
    """The cable is pulled for longer than what is buffered lasts."""
    machine = bench.machine
    with playing(bench, 36) as heard:
        bench.pause(6)
        machine.set_link(False)
        try:
            expect(machine.lit("BUZZER", 30), "the buzzer tells of the link: not within 30 s")
            bench.until("the link is told to be lost", lambda: status(bench)["link"] == "lost", 30)
            bench.pause(2)
        finally:
            machine.set_link(True)
        began = time.monotonic()
        bench.until("it plays again", lambda: status(bench)["state"] == "playing", 20, 0.05)
        reconnect = time.monotonic() - began
        bench.until("the link is told to be back", lambda: status(bench)["link"] == "up", 20)
        bench.pause(4)
        expect(status(bench)["state"] == "playing", f"it does not go on: {status(bench)}")
        recording = heard()
    end = tail(recording, 2)
    expect(silence(end)[1] <= GAP_LIMIT, "the sound is not back for good")
    bench.log(f"      plays again {reconnect:.2f} s after the link is back")
    expect(reconnect <= RECONNECT_LIMIT, f"it plays again {reconnect:.1f} s after the link is back")
    bench.measures["dub, sound after the link is back"] = f"{reconnect:.2f} s"


def drift(bench: Bench) -> None:
    """The speaker's crystal is 500 ppm off, either way."""
    machine = bench.machine
    for ppm in (500, -500):
        machine.shift_speaker(ppm)
        try:
            with playing(bench, 65) as heard:
                # The cable's clock goes in steps of the kernel's tick, 4 ms, against which looks at it beat for seconds:
                # what is found takes half a minute to settle, and is a matter of the mean.
                bench.pause(35)
                looks = []
                for _ in range(25):
                    bench.pause(1)
                    looks.append(status(bench))
                heard()
        finally:
            machine.shift_speaker(0)
        measured = statistics.mean(look["speakerPPM"] for look in looks)
        worst = max(abs(look["driftMs"]) for look in looks)
        bench.log(f"      at {ppm:+} ppm: {measured:+.0f} ppm measured, drift up to {worst:.2f} ms")
        expect(abs(measured - ppm) <= 50, f"{measured:.0f} ppm are measured, it is {ppm}")
        expect(worst <= 2, f"the sound drifts: {worst:.1f} ms")
        bench.measures[f"dub, speaker {ppm:+} ppm"] = f"{measured:+.0f} ppm measured, drift up to {worst:.2f} ms"


def status(bench: Bench) -> dict:
    return bench.call("dub.status")


def expect_closed(bench: Bench) -> None:
    """Nothing of the host but the one port can be reached."""
    machine = bench.machine
    port = machine.studio.streamPort
    for target in (f"10.0.2.2 {port}", "10.0.2.2 22", "10.0.2.3 53", "1.1.1.1 80"):
        result = machine.run(f"nc -w 2 {target} </dev/null")
        expect(result.status != 0, f"{target} can be reached")


@contextlib.contextmanager
def playing(bench: Bench, seconds: float, isLive: bool = True):
    """Plays the stream, dubbed into Spanish; gives a function that waits for what was heard."""
    machine = bench.machine
    machine.studio.broadcast("--voice", "--seconds", "44", *(("--live",) if isLive else ()))
    machine.studio.speak("--languages", "es,de,fr")
    try:
        bench.ready(isArmed=False, isPlaying=False)
        address = f"http://{machine.address}/master.m3u8"
        bench.call("settings.set", **{"dub.service": f"ws://{machine.address}/", "dub.sources": f"Evening={address}"})
        heard = machine.listen(seconds)
        bench.call("dub.start", source="Evening", language="es")
        bench.until("it plays", lambda: status(bench)["state"] == "playing", 20)
        yield heard
        bench.call("dub.stop")
        bench.call("panel.mode", mode="dictaphone")
    finally:
        machine.studio.close()


def silence(recording: bytes) -> tuple[float | None, float]:
    return peers.silence(array.array("h", recording)[:: sound.CHANNELS])


def tail(recording: bytes, seconds: float) -> bytes:
    return recording[-int(seconds * sound.RATE) * sound.FRAME :]
