"""A day with everything on, in virtual time: memory and descriptors at its hours, takes and xruns in the end."""
import json
import os
import subprocess
import threading

from process import field

HOURS = int(os.environ.get("SOAK", "24"))
FORMATS = ["aac", "flac", "opus", "alac"]


def hour(number):
    """The lines of one hour: a take of 20 minutes with all that shapes it, pauses, marks, playing in other ways, undo."""
    start = number * 3600 + 10
    form = FORMATS[number % len(FORMATS)]
    settings = {
        "recording.format": form, "recording.limiter": True, "recording.agc": True, "recording.lowCutHz": 80,
        "recording.splitSeconds": 300, "recording.voiceOperated": ["off", "mark"][number % 2], "playback.rate": 1.0,
        "playback.pitchCents": 0}
    lines = [(0, f"call settings.set {json.dumps(settings)}"), (1, "press REC")]
    lines += [(60 * minute, "mark") for minute in range(1, 20)]
    lines += [(400, "press REC"), (420, "press REC"), (1200, "press STOP")]
    # Playing: faster and higher, a loop, a step back.
    lines += [
        (1210, 'call settings.set {"playback.rate":1.5,"playback.pitchCents":200}'), (1211, "press CENTRE"),
        (1230, "call player.loop {\"from\":5,\"to\":9}"), (1300, "press LEFT"), (1310, "press STOP"),
        (1320, "call library.list {}"), (1330, "call system.info {}")]
    # A second take that is thrown away again.
    lines += [(1400, "press REC"), (1460, "press STOP")]
    return [f"{start + second} {line}" for second, line in sorted(lines)]


def peak(samples, begin, end):
    """The most of some hours: RSS, descriptors."""
    some = [samples[number] for number in samples if begin <= number < end] or [samples[max(samples)]]
    return max(one[0] for one in some), max(one[1] for one in some)


def measure(bench, page):
    data = bench.path("data")
    script = [line for number in range(HOURS) for line in hour(number)] + [f"{HOURS * 3600} quit"]
    child = subprocess.Popen(
        bench.simulate(script, "virtual", bench.speech(60), data), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True)
    errors = []
    reader = threading.Thread(target=lambda: errors.append(child.stderr.read()))
    reader.start()
    samples, topics, failures = {}, {}, []
    for line in child.stdout:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        name = event.get("topic", "")
        topics[name] = topics.get(name, 0) + 1
        if "rror" in name or "efused" in name:
            failures.append(line.strip()[:200])
        now = int(event.get("t", 0) // 3600)
        if name == "onTakeSaved" or now not in samples:
            memory, open_ = field(child.pid, "VmRSS"), len(os.listdir(f"/proc/{child.pid}/fd"))
            before = samples.get(now, (0, 0))
            samples[now] = (max(memory, before[0]), max(open_, before[1]))
    child.wait()
    reader.join()
    if child.returncode != 0:
        raise SystemExit(f"bench: the soak ended with {child.returncode}: {errors[0].strip()[-500:]}")
    takes = [json.loads(path.read_text()) for path in sorted((data / "recordings").glob("*.json"))]
    gaps = sum(len(take.get("gaps", [])) for take in takes)
    # Like with like: each round of formats after the first, in which everything is used for the first time.
    size = len(FORMATS)
    first = peak(samples, size, 2 * size)
    last = peak(samples, max(size, HOURS - size), HOURS)
    rows = [
        [f"hour {number}", f"{samples[number][0]:.1f}", str(samples[number][1])]
        for number in sorted(samples) if number in (0, 1, 2, 4, 8, 16, max(samples))]
    page.section(
        "A day with everything on",
        f"{HOURS} h in virtual time: takes of 20 minutes in AAC, FLAC, Opus and ALAC, in parts of 5 minutes, with limiter, "
        "automatic gain, low-cut, voice operation, pauses and marks; played faster, higher, in a loop.",
        ["", "most RSS, MiB", "most descriptors"], rows,
        [f"{len(takes)} takes, {sum(take.get('frames', 0) for take in takes) / 48_000 / 3600:.2f} h of sound, {gaps} gaps; "
         f"{len(failures)} errors told{': ' + failures[0] if failures else ''}."])
    page.goal("a day: growth of RSS, the last four hours against the fifth to the eighth", 1.0, last[0] - first[0], " MiB")
    page.goal("a day: more descriptors", 0, last[1] - first[1], "", 0)
    page.goal("a day: gaps", 0, gaps, "", 0)
