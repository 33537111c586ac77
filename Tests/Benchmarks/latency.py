"""How long things take: start to armed, REC to the first sample, sound to the screen."""
import struct
import time
import wave

from bench import events, topic
from process import run
from report import spread

STARTS = 10
PRESSES = {0: 10, 5: 4}
ONSETS = 10


def measure(bench, page):
    rows = []
    rows += start(bench)
    rows += edge(bench)
    rows += reading(bench)
    rows += picture(bench)
    page.section(
        "Latency", "Real clock. Milliseconds unless told otherwise.", ["", "median (lowest–highest)", "n"], rows,
        ["*Cold start to armed* is from exec to the event that says the microphone delivers, in an empty data "
         "directory, program and libraries in the page cache. *REC edge to first sample*: every frame of the "
         "microphone's sound carries its own number, so the first frame of the take says when it was at the "
         "converter; negative is before the press. The script's zero comes some ms after the microphone's, and that "
         "difference is in it. *Sound to level reading*: the microphone is quiet, then loud; `recorder.meters` is "
         "asked every 2 ms until it hears the tone: period, capture, metering. *Sound to picture* is what the device "
         "says of itself (`system.info`): for each picture with new levels, the time from the oldest sound in them to "
         "the end of the display's transfer, so that no sound waits longer; the transfer to a real OLED comes on top "
         "here (1 KiB at 400 kHz I2C: 25 ms), and is in it on a board."])


def start(bench):
    """Time from exec to events; the clock of events is the monotonic clock."""
    armed, version = [], []
    for _ in range(STARTS):
        before = time.monotonic()
        run([str(bench.mynah), "version"])
        version.append(1000 * (time.monotonic() - before))
        before = time.monotonic()
        usage = run(bench.simulate(["0 expect mode dictaphone.idle", "0.3 quit"], "real", "silence"))
        ready = [
            event["t"] for event in topic(events(usage.output), "onDeviceReturned")
            if event["data"].get("device") == "microphone"]
        if ready:
            armed.append(1000 * (ready[0] - before))
    return [
        ["cold start to armed", spread(armed, 1), str(len(armed))],
        ["`mynah version`, start to end (steps of 20 ms)", spread(version, 0), str(len(version))]]


def numbered(bench, seconds):
    """A sound whose frames carry their number: 15 bits on the left, the rest on the right."""
    path = bench.folder / "numbered.wav"
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(48_000)
        sound.writeframes(b"".join(struct.pack("<hh", n & 0x7FFF, n >> 15) for n in range(seconds * 48_000)))
    return path


def edge(bench):
    """The number of the take's first frame against the instant of the press, both from the start of the script."""
    sound = numbered(bench, 10)
    rows = []
    for held in (0, 5):
        delays, said = [], []
        for number in range(PRESSES[held]):
            press = 5.5 + number * 0.0137 if held else 0.5 + number * 0.0137
            data = bench.path("data")
            settings = {"recording.format": "wav", "recording.preRecordSeconds": held}
            script = bench.recording_script(settings, press, press + 0.8, press + 1.2)
            usage = run(bench.simulate(script, "real", sound, data))
            begun = topic(events(usage.output), "onTakeStarted")
            with wave.open(str(bench.takes(data)[0]), "rb") as take:
                low, high = struct.unpack("<hh", take.readframes(1))
            delays.append(1000 * ((high << 15 | low) / 48_000 - press))
            said.append(begun[0]["data"]["preRecordedFrames"])
        rows.append([f"REC edge to first sample, pre-record {held} s", spread(delays, 2), str(len(delays))])
        if held:
            rows.append(["`preRecordedFrames` announced with it (frames)", spread(said, 0), str(len(said))])
    return rows


def onset(bench, at):
    """Quiet frames that carry their number, 12 bits a channel, then from `at` seconds on a tone at −6 dB."""
    path = bench.path("onset", ".wav")
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(48_000)
        sound.writeframes(b"".join(struct.pack("<hh", n & 0xFFF, n >> 12) for n in range(round(at * 48_000))))
        sound.writeframes((struct.pack("<hh", 16_000, 16_000) * 24 + struct.pack("<hh", -16_000, -16_000) * 24) * 1500)
    return path


def reading(bench):
    delays = []
    for number in range(ONSETS):
        at = 0.8 + number * 0.0031
        data = bench.path("data")
        settings = {"recording.format": "wav", "recording.preRecordSeconds": 0}
        script = bench.recording_script(settings, 0.2, at + 0.3, at + 0.6)
        calls = [f"{at + step / 1000:.4f} call recorder.meters" for step in range(0, 160, 2)]
        script = script[:-2] + calls + script[-2:]
        found = events(run(bench.simulate(script, "real", onset(bench, at), data)).output)
        # The take says which frame was at the converter at the press, and so when the sound began by the events' clock.
        with wave.open(str(bench.takes(data)[0]), "rb") as take:
            low, high = struct.unpack("<hh", take.readframes(1))
        pressed = topic(found, "onModeChanged")[0]["t"]
        began = pressed + at - (high << 12 | low) / 48_000
        for event in topic(found, "result"):
            if event["data"].get("method") != "recorder.meters":
                continue
            if event["data"]["result"]["channels"][0]["peakDecibels"] > -9:
                delays.append(1000 * (event["t"] - began))
                break
    return [["sound to level reading, while recording", spread(delays, 1), str(len(delays))]]


def picture(bench):
    """The device's own account of every picture of ten seconds of recording."""
    script = bench.recording_script({"recording.format": "aac"}, 0.5, 10.5, 11)
    script.insert(-2, "10.4 call system.info")
    found = events(run(bench.simulate(script, "real", bench.noise(20))).output)
    delay = topic(found, "result")[-1]["data"]["result"]["devices"]["display"]["soundToPictureMilliseconds"]
    return [
        ["sound to picture, while recording: mean", f"{delay['mean']:.1f}", str(delay["pictures"])],
        ["sound to picture, while recording: longest", f"{delay['longest']:.1f}", str(delay["pictures"])]]
