"""Sound in and out, through the kernel's ALSA."""

import subprocess
import tempfile

from .. import sound
from ..bench import Bench, expect

PERIOD = 1536


def record(bench: Bench) -> None:
    seconds = 60 if bench.isFull else 10
    bench.ready()
    before = bench.call("recorder.status")["xruns"]
    take = bench.record(seconds)
    expect(take.reason == "user", f"the take ended by {take.reason}")
    missing = PERIOD
    match = bench.expect_noise(take, missing)
    total = match.frames / sound.RATE
    expect(total > seconds + 4, f"the take has {total:.2f} s: {seconds} s and the pre-record of 5 s were expected")
    meta = bench.meta(take)
    expect(not meta.get("gaps"), f"the take has gaps: {meta.get('gaps')}")
    expect(meta["frames"] == take.frames, "the metadata and the event tell different lengths")
    xruns = bench.call("recorder.status")["xruns"] - before
    expect(xruns == 0, f"{xruns} xruns")
    bench.measures["recording"] = f"{match.frames} of {take.frames} frames as played, {xruns} xruns"


def record_aac(bench: Bench) -> None:
    bench.ready(recording_format="aac")
    take = bench.record(6)
    content = bench.machine.fetch(f"{bench.machine.data}/{take.path}")
    with tempfile.NamedTemporaryFile(suffix=".m4a") as file:
        file.write(content)
        file.flush()
        done = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", file.name, "-f", "s16le", "-ac", "2", "-ar", "48000", "-"],
            capture_output=True)
    expect(done.returncode == 0 and not done.stderr, f"ffmpeg complains: {done.stderr.decode()[-300:]}")
    frames = len(done.stdout) // sound.FRAME
    expect(abs(frames - take.frames) <= 1024, f"{frames} frames come out of a take of {take.frames}")
    expect(not bench.meta(take).get("gaps"), "the take has gaps")
    loud = sum(abs(value) > 1000 for value in memoryview(done.stdout).cast("h")[::997])
    expect(loud > frames * 2 // 997 // 2, "the take is silent, and noise was played")


def playback(bench: Bench) -> None:
    bench.ready()
    take = bench.record(3)
    original = bench.samples(take).samples
    seconds = take.frames / sound.RATE
    hear = bench.machine.listen(seconds + 6)
    bench.machine.press("CENTRE")
    bench.until("it plays", lambda: bench.mode() == "dictaphone.playing", 10)
    bench.until("it has played", lambda: bench.mode() != "dictaphone.playing", seconds + 20, 0.3)
    match = expect_played(hear(), original)
    bench.measures["playback"] = f"{match.frames} of {take.frames} frames bit-true"


def expect_played(heard: bytes, original: bytes) -> sound.Match:
    """All of a take came out of the speaker bit-true, but for its beginning: the player fades in."""
    silence = bytes(sound.FRAME)
    frames = len(original) // sound.FRAME
    first = next((at for at in range(0, len(heard), sound.FRAME) if heard[at : at + sound.FRAME] != silence), None)
    expect(first is not None, "nothing came out of the speaker")
    match = sound.locate(heard, original, first // sound.FRAME + frames // 2)
    expect(match, "what came out of the speaker is not what is in the take")
    lost = frames - match.frames
    if lost > sound.RATE // 20:
        described = sound.describe(heard, original)
        expect(False, f"{lost} of {frames} frames did not come out as they are in the take: {described}")
    return match
