"""What a slow processor keeps: the program under user-mode emulation, some twenty times slower, with its pre-record full."""
import json
import os
import shutil
import subprocess
import sys

from bench import events, topic

# QEMU emulates AVX lane by lane, which takes four fifths of the time then (Tests/Rig/rig/qemu.py). No board has it.
EMULATED = "max,-avx,-avx2,-fma"
SHAPED = {"recording.agc": True, "recording.limiter": True, "recording.lowCutHz": 80}
# Format, seconds of pre-record, from REC to STOP, and what else is set.
CASES = [
    ("aac", 60, 30, {}), ("aac", 5, 15, {}), ("wav", 60, 30, {}), ("flac", 30, 20, {}), ("alac", 30, 20, {}), ("opus", 30, 20, {}),
    ("aac", 5, 20, SHAPED), ("flac", 5, 20, {**SHAPED, "recording.safetyTake": True}),
    ("opus", 5, 20, {**SHAPED, "recording.safetyTake": True, "recording.voiceOperated": "mark"}),
]
SAID = {"recording.agc": "automatic gain, limiter, low-cut", "recording.safetyTake": "safety take", "recording.voiceOperated": "by voice"}


def measure(bench, page):
    emulator = shutil.which(f"qemu-{os.uname().machine}-static") or shutil.which(f"qemu-{os.uname().machine}")
    if not emulator:
        return print("bench: slow is left out, for it needs qemu-user-static", file=sys.stderr)
    processor = ["-cpu", EMULATED] if os.uname().machine == "x86_64" else []
    rows, missing = [], 0.0
    for form, held, length, settings in CASES:
        data = bench.path("data")
        press = held + 15
        script = bench.recording_script(
            {"recording.format": form, "recording.preRecordSeconds": held, **settings}, press, press + length,
            press + 2 * length + 40)
        # Voices with their pauses, where these count.
        sound = bench.speech if "recording.voiceOperated" in settings else bench.noise
        command = [emulator, *processor, *bench.simulate(script, "real", sound(press + length + 30), data)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"bench: the emulated program ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        started, saved = (topic(events(done.stdout), name)[0]["t"] for name in ("onTakeStarted", "onTakeSaved"))
        frames, lost, gaps, steps, safe = 0, 0, 0, 0, 0
        for path in sorted((data / "recordings").glob("*.json")):
            notes = json.loads(path.read_text())
            if ".safety" in path.name:
                safe += notes["frames"]
                continue
            # A take that has gone on as WAV is in two files.
            frames += notes["frames"]
            lost += sum(gap.get("frames", 0) for gap in notes.get("gaps", []))
            gaps += len(notes.get("gaps", []))
            steps += len(notes.get("receipt", {}).get("coderSteps", []) or [])
        missing = max(missing, held + length - frames / 48_000 + lost / 48_000)
        rows.append([
            ", ".join([form, f"pre-record {held} s", f"{length} s from REC to STOP", *(SAID[key] for key in settings if key in SAID)]),
            f"{frames / 48_000:.2f}", f"{safe / 48_000:.2f}" if "recording.safetyTake" in settings else "–",
            f"{lost / 48_000:.2f}", str(gaps), str(steps), f"{saved - started - length:.1f}"])
        bench.discard(data)
    page.section(
        "A slow processor", f"Real clock, under {' '.join([os.path.basename(emulator), *processor])}.",
        ["", "seconds in the take", "in the safety take", "of these lost, s", "gaps", "cheaper coders", "whole after STOP, s"], rows,
        ["Nothing of the past or of what is heard may be lost, however long the encoder takes. A safety take ends before it costs "
         "the take anything."])
    page.goal("a slow processor: seconds missing of any take", 0.01, missing, " s", 3)
