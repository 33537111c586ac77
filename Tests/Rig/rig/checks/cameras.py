"""Clips of a camera of the kernel's own."""

import json
import pathlib
import subprocess
import tempfile

from ..bench import Bench, expect

RATE = 10


def vivid(bench: Bench) -> None:
    machine = bench.machine
    bench.stop()
    examine(bench)
    bench.ready("camera")
    settings = {"clips.durationSeconds": 3, "clips.postRollSeconds": 2}
    bench.call("settings.set", **settings)
    try:
        bench.call("panel.mode", mode="clips")
        expect(bench.console.wait_event("onBufferReady", 60), "the ring does not fill")
        bench.pause(1)
        clip = keep(bench)
        steps = judge(clip, 5)
        expect(max(steps) < 1.5 / RATE and min(steps) > 0.5 / RATE, f"pictures are {min(steps)} to {max(steps)} s apart")

        # Clips that overlap are another matter.
        bench.pause(6)
        bench.console.forget()
        bench.call("clips.trigger")
        bench.pause(0.7)
        machine.unplug("camera")
        lost = bench.console.wait_event("onDeviceLost", 2, lambda data: "camera" in str(data))
        expect(lost, "within 2 s nothing tells that the camera is lost")
        clip = saved(bench)
        sound = probe(clip, "a:0", "duration")[0]
        expect(abs(float(sound["duration"]) - 5) < 0.3, f"the sound of the clip lasts {sound['duration']} s")
        bench.console.forget()
        machine.replug("camera")
        back = bench.console.wait_event("onDeviceReturned", 10, lambda data: "camera" in str(data))
        expect(back, "within 10 s nothing tells that the camera is back")
        bench.pause(6)
        judge(keep(bench), 5)
    finally:
        machine.run("[ -e /dev/video0 ] || echo vivid.0 >/sys/bus/platform/drivers/vivid/bind")
        bench.stop()


def examine(bench: Bench) -> None:
    """The camera is free, and the doctor streams from it."""
    machine = bench.machine
    command = f"{machine.program} doctor --board {machine.board_file('camera')} --data {machine.data} --json"
    text = machine.run(command, timeout=120).text
    expect("{" in text, f"doctor --json prints no JSON: {text[-500:]}")
    report = json.loads(text[text.index("{") :])
    camera = next((device for device in report["checks"] if device["device"] == "camera"), None)
    expect(camera, "the doctor says nothing of the camera")
    facts = camera["facts"]
    expect(camera["verdict"] in ("works", "limited"), f"the camera {camera['verdict']}: {camera['detail']}")
    expect(facts["format"] == "nv12" and facts["width"] == 320 and facts["height"] == 180, f"it has {facts}")
    measured = facts["framesPerSecondMeasured"]
    expect(abs(measured - RATE) < 1, f"{measured} pictures a second, not {RATE}")
    expect(facts["timestamps"] in ("start-of-exposure", "end-of-frame"), f"timestamps are {facts['timestamps']}")


def keep(bench: Bench) -> bytes:
    bench.console.forget()
    bench.call("clips.trigger")
    return saved(bench)


def saved(bench: Bench) -> bytes:
    done = bench.console.wait_event("onCaptureCompleted", 60)
    expect(done, "the clip is not saved within 60 s")
    return bench.machine.fetch(f"{bench.machine.data}/{done['path']}")


def judge(clip: bytes, seconds: float) -> list[float]:
    """The clip has pictures and sound of this length, and every picture decodes. The times between the pictures."""
    frames = probe(clip, "v:0", "frames", "-show_entries", "frame=pts_time,width,height")
    times = [float(frame["pts_time"]) for frame in frames]
    expect(all(frame["width"] == 320 and frame["height"] == 180 for frame in frames), "pictures are of another size")
    shown = [time for time in times if time >= 0]
    expect(abs(len(shown) - seconds * RATE) <= 2, f"{len(shown)} pictures in {seconds} s")
    sound = probe(clip, "a:0", "duration")[0]
    expect(abs(float(sound["duration"]) - seconds) < 0.3, f"the sound lasts {sound['duration']} s, not {seconds}")
    return [after - before for before, after in zip(times, times[1:])]


def probe(clip: bytes, stream: str, what: str, *more: str) -> list[dict]:
    entries = more or ("-show_entries", f"stream={what}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "clip.mp4"
        path.write_bytes(clip)
        done = subprocess.run(
            ["ffprobe", "-v", "error", "-select_streams", stream, *entries, "-of", "json", path],
            capture_output=True, text=True)
    expect(done.returncode == 0 and not done.stderr.strip(), f"ffprobe: {done.stderr[-500:]}")
    found = json.loads(done.stdout)
    return found.get("frames") or found.get("streams") or []
