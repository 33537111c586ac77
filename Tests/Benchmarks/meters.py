"""Meter error against sox, over sines, noise and speech."""
import re
import shutil

from bench import check, events, topic
from process import run

# Readings are taken this often, in steps that fall on every phase of the meter's 10 ms and 40 ms.
EVERY = 0.37
WINDOW = 0.4
# A reading is published at most this long before it is asked for.
PUBLISHED = 0.05
HOLD = 1.5


def signals(bench):
    """Classes of signals: name, file, seconds."""
    sines = [
        bench.sound(f"sine{hertz}at{level}", "sine", str(hertz), "gain", str(level), seconds=4)
        for hertz in (31.5, 100, 440, 997, 3150, 10_000, 16_000) for level in (-1, -20, -50)]
    noises = [
        bench.sound(f"{kind}at{level}", kind, "gain", str(level), seconds=8)
        for kind in ("whitenoise", "pinknoise", "brownnoise") for level in (-10, -40)]
    found = [("sines, 31.5 Hz–16 kHz, −1…−50 dB", sines), ("white, pink, brown noise, −10 and −40 dB", noises)]
    if shutil.which("espeak-ng"):
        found.append(("speech (espeak-ng, two voices)", [speech(bench, voice) for voice in ("en-us", "en-gb+f3")]))
    return found


def speech(bench, voice):
    plain = bench.path("plain", ".wav")
    path = bench.path("speech", ".wav")
    text = ("The quick brown fox jumps over the lazy dog. We recorded eleven takes near the harbour, and the wind was "
            "hardly to be heard. Number nine is the best of them.")
    check(["espeak-ng", "-v", voice, "-w", str(plain), text])
    check(["sox", str(plain), "-r", "48000", "-c", "2", "-b", "16", str(path), "gain", "-n", "-6"])
    return path


def measure(bench, page):
    rows = []
    worst_of_all = 0.0
    for name, files in signals(bench):
        average, peak, count = 0.0, 0.0, 0
        for path in files:
            for error, peak_error in errors(bench, path):
                average, peak, count = max(average, error), max(peak, peak_error), count + 1
        rows.append([name, f"{average:.3f}", f"{peak:.3f}", str(count)])
        worst_of_all = max(worst_of_all, average, peak)
    page.section(
        "Meter error",
        "Largest difference in dB between `recorder.meters` of a running mynah and `sox … stats` of the same sound.",
        ["", "average (400 ms)", "highest sample (hold)", "readings"], rows,
        ["sox prints two decimals, so 0.005 dB of it is sox's. A reading is of an instant up to 50 ms before it is "
         "asked for; of the 10 ms steps in that time, the one whose average fits best is taken, the same for both "
         "channels. The hold is compared in the first 1.5 s, before it falls."])
    page.goal("meter error, all signals", 0.1, worst_of_all, " dB", 3)


def length(path):
    return float(check(["soxi", "-D", str(path)]).stdout)


def stats(path, start, seconds):
    """RMS and peak of left and right in dB, as sox says."""
    said = check(["sox", str(path), "-n", "trim", f"{start:.4f}", f"{seconds:.4f}", "stats"]).stderr
    found = {}
    for label in ("RMS lev dB", "Pk lev dB"):
        line = next(line for line in said.splitlines() if line.startswith(label))
        # Overall, left, right.
        found[label] = [float(value) for value in re.split(r"\s+", line[len(label):].strip())[1:3]]
    return found["RMS lev dB"], found["Pk lev dB"]


def errors(bench, path):
    """(average error, hold error) of every reading of one sound."""
    end = length(path)
    instants = []
    instant = 0.5
    while instant < end - 0.05:
        instants.append(round(instant, 2))
        instant += EVERY
    script = ['0 call settings.set {"recording.preRecordSeconds":0}']
    script += [f"{instant:.2f} call recorder.meters" for instant in instants] + [f"{end:.2f} quit"]
    usage = run(bench.simulate(script, "virtual", path))
    results = [
        event["data"]["result"]["channels"] for event in topic(events(usage.output), "result")
        if event["data"].get("method") == "recorder.meters"]
    for instant, channels in zip(instants, results):
        yield compare(path, instant, channels)


def compare(path, instant, channels):
    """(average error, hold error) of one reading, against the 10 ms step in reach that fits its averages best."""
    fits = []
    for step in range(round(PUBLISHED * 100) + 1):
        stop = round(instant - step / 100, 2)
        rms, _ = stats(path, stop - WINDOW, WINDOW)
        fits.append((max(abs(a["averageDecibels"] - b) for a, b in zip(channels, rms)), stop))
    error, stop = min(fits)
    # The hold is the highest sample of the last 1.5 s and falls after that: compared while nothing has fallen.
    if stop > HOLD:
        return error, 0.0
    # Two decimals do not always tell neighbouring steps apart; all that fit as well may be the one.
    holds = []
    for _, stop in [fit for fit in fits if fit[0] <= error + 0.01]:
        _, peak = stats(path, 0, stop)
        holds.append(max(abs(a["holdDecibels"] - b) for a, b in zip(channels, peak)))
    return error, min(holds)
