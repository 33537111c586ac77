"""How soon after REC the pre-record is on the card: the program is killed some milliseconds after the press."""
import json
import os
import signal
import subprocess
import time

# Pre-record in seconds, and the milliseconds after the press at which the program is killed.
KILLS = {5: (25, 50, 100, 150, 250, 500, 1000, 2000), 60: (150, 500, 1000, 2000, 4000)}
# What may be missing then, in seconds.
ALLOWED = 0.5


def measure(bench, page):
    rows = [
        [f"{form}, pre-record {held} s", *(row(bench, form, held))] for form in ("aac", "wav") for held in KILLS]
    page.section(
        "Killed after REC", "Real clock; SIGKILL, then `mynah library repair`.",
        ["", f"first kill that cost at most {ALLOWED} s, ms", "kill: seconds kept of what was heard by then"], rows,
        ["A take begins with seconds that were in memory until the press. What the processor can encode of them at once "
         "is on the card at once; until all of them are, a kill or a power cut costs what is left."])


def row(bench, form, held):
    first, kept = None, []
    for delay in KILLS[held]:
        seconds = take(bench, form, held, delay)
        kept.append(f"{delay}: {seconds:.2f}")
        if seconds >= held + delay / 1000 - ALLOWED:
            first = delay if first is None else first
        else:
            first = None
    return [str(first) if first is not None else f"after {KILLS[held][-1]}", "; ".join(kept)]


def take(bench, form, held, delay):
    """Seconds in the take of a program that was killed so many milliseconds after REC."""
    data = bench.path("data")
    # On a slow processor the microphone starts late.
    press = held + 2.5
    script = [
        f'0 call settings.set {{"recording.format":"{form}","recording.preRecordSeconds":{held}}}',
        f"{press} press REC", f"{press + 30} quit"]
    process = subprocess.Popen(
        bench.simulate(script, "real", bench.noise(held + 20), data), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True)
    for line in process.stdout:
        if b'"dictaphone.recording"' in line:
            break
    time.sleep(delay / 1000)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    subprocess.run([str(bench.mynah), "library", "repair", "--data", str(data)], capture_output=True)
    notes = sorted((data / "recordings").glob("*.json"))
    return json.loads(notes[0].read_text())["frames"] / 48_000 if notes else 0.0
