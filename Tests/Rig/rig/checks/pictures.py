"""Pictures of what is played, on a screen of the kernel's mode setting."""

import pathlib
import subprocess
import sys
import tempfile

from ..bench import Bench, expect
from .dubbing import status

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "Tools"
sys.path.append(str(TOOLS))
import picture_code  # noqa: E402

RATE = 10
SECONDS = 60
CLIP = "000901_2026-11-21T10-00-00Z_RIG.mp4"
# Of a picture: what an emulated processor is late, beside the picture that is due.
SLACK = 1.5


def together(bench: Bench) -> None:
    machine = bench.machine
    bench.stop()
    machine.check(f"mkdir -p {machine.data}/clips")
    machine.store(f"{machine.data}/clips/{CLIP}", clip())
    examine(bench)
    # Words that can be told from an empty screen, and no cursor: it blinks.
    machine.check("printf '\\033[?25l\\033[H\\033[2Jwhat was there before\\n' >/dev/tty0")
    bench.pause(0.5)
    before = machine.shown()
    expect(len(set(before[2])) > 1, "nothing can be seen on the text console")
    # A board without a camera keeps no clips.
    bench.ready("camera", isArmed=False, isPlaying=False)
    try:
        bench.call("dub.start", source=CLIP, language="en")
        bench.until("it plays", lambda: status(bench)["state"] == "playing", 30)
        bench.until("the screen is taken", lambda: status(bench)["screen"], 10)
        bench.pause(2)
        ages = [age(bench) for _ in range(20)]
        bench.log(f"      pictures are {min(ages):+.2f} to {max(ages):+.2f} pictures behind their sound")
        expect(max(ages) <= SLACK and min(ages) >= -SLACK, f"pictures are off by {ages}")
        begun = status(bench)

        # While it is paused, both stand: to the picture.
        bench.call("dub.pause")
        bench.pause(1)
        first = number(bench)
        place = status(bench)["positionSeconds"] * RATE
        bench.pause(1)
        expect(number(bench) == first, "a paused picture moves")
        expect(0 <= place - first + 0.5 <= 2, f"picture {first} stands with sound of {place:.2f} pictures")
        bench.call("dub.resume")
        bench.call("dub.seek", seconds=20)
        bench.pause(3)
        ages = [age(bench) for _ in range(5)]
        expect(max(ages) <= SLACK and min(ages) >= -SLACK, f"after a seek pictures are off by {ages}")

        machine.unplug("screen")
        bench.until("it notices that the screen is gone", lambda: not status(bench)["screen"], 5)
        expect(status(bench)["state"] == "playing", "without a screen it does not play on")
        machine.replug("screen")
        bench.until("it notices that the screen is back", lambda: status(bench)["screen"], 10)
        bench.pause(3)
        expect(abs(age(bench)) <= SLACK, "the screen is back, and its pictures are of another time")
        end = status(bench)
        bench.measures["pictures on the screen"] = (
            f"{end['picturesShown']} shown, {end['picturesDropped']} dropped, {end['picturesLate']} late; "
            f"{min(ages):+.2f} to {max(ages):+.2f} pictures behind their sound")
        expect(end["picturesShown"] > begun["picturesShown"], "no picture was shown after the seek")
        bench.call("dub.stop")
        bench.pause(1)
        after = machine.shown()
        for name, (width, height, pixels) in (("before", before), ("after", after)):
            bench.files[f"screen-{name}.ppm"] = b"P6\n%d %d\n255\n%s" % (width, height, pixels)
        expect(after == before, "what was on the screen before is not there again")
    finally:
        machine.run("echo detect >/sys/class/drm/card0-Virtual-1/status")
        bench.stop()
        machine.run(f"rm -f {machine.data}/clips/{CLIP}")


def clip() -> bytes:
    """Pictures that carry their number."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "clip.mp4"
        subprocess.run(
            [sys.executable, TOOLS / "video_stream.py", path, "--seconds", str(SECONDS), "--rate", str(RATE),
             "--keyframes", "20"], check=True)
        return path.read_bytes()


def examine(bench: Bench) -> None:
    """The doctor finds the screen."""
    machine = bench.machine
    text = machine.run(
        f"{machine.program} doctor --board {machine.board_file()} --data {machine.data}", timeout=120).text
    row = next((line for line in text.splitlines() if "screen" in line), "")
    expect("640" in row and "360" in row and "virtio" in row, f"the doctor says of the screen: {row!r}")


def number(bench: Bench) -> int:
    width, height, pixels = bench.machine.shown()
    found = picture_code.read(pixels[1::3], width, height)
    expect(found, f"no picture of the clip is on the screen ({width} × {height})")
    return found[0]


def age(bench: Bench) -> float:
    """How far the picture is behind the sound, in pictures, as near as the console tells: 0 if it is the one of some
    moment between two answers."""
    earliest = status(bench)["positionSeconds"] * RATE
    shown = number(bench)
    latest = status(bench)["positionSeconds"] * RATE
    if shown + 1 < earliest:
        return earliest - shown - 1
    return min(0.0, latest - shown)
