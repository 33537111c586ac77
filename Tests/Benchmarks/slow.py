"""What a slow processor keeps: the program under user-mode emulation, some twenty times slower, with its pre-record full."""
import json
import os
import shutil
import subprocess
import sys

from bench import events, topic

# QEMU emulates AVX lane by lane, which takes four fifths of the time then (Tests/Rig/rig/qemu.py). No board has it.
EMULATED = "max,-avx,-avx2,-fma"
# Seconds of pre-record, and from REC to STOP.
CASES = [("aac", 60, 30), ("aac", 5, 15), ("wav", 60, 30)]


def measure(bench, page):
    emulator = shutil.which(f"qemu-{os.uname().machine}-static") or shutil.which(f"qemu-{os.uname().machine}")
    if not emulator:
        return print("bench: slow is left out, for it needs qemu-user-static", file=sys.stderr)
    processor = ["-cpu", EMULATED] if os.uname().machine == "x86_64" else []
    rows = []
    for form, held, length in CASES:
        data = bench.path("data")
        press = held + 15
        script = bench.recording_script(
            {"recording.format": form, "recording.preRecordSeconds": held}, press, press + length, press + 3 * length + 60)
        command = [emulator, *processor, *bench.simulate(script, "real", bench.noise(press + length + 30), data)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"bench: the emulated program ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        started, saved = (topic(events(done.stdout), name)[0]["t"] for name in ("onTakeStarted", "onTakeSaved"))
        notes = json.loads(sorted((data / "recordings").glob("*.json"))[0].read_text())
        lost = sum(gap.get("frames", 0) for gap in notes.get("gaps", []))
        rows.append([
            f"{form}, pre-record {held} s, {length} s from REC to STOP", f"{notes['frames'] / 48_000:.2f}",
            f"{lost / 48_000:.2f}", str(len(notes.get("gaps", []))), f"{saved - started - length:.1f}"])
        bench.discard(data)
    page.section(
        "A slow processor", f"Real clock, under {' '.join([os.path.basename(emulator), *processor])}.",
        ["", "seconds in the take", "of these lost, s", "gaps", "whole after STOP, s"], rows,
        ["Nothing of the past or of what is heard may be lost, however long the encoder takes."])
