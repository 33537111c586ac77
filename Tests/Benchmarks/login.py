"""What a login takes: its time and the memory that it takes for that long, and whether a take beside it loses anything."""
import json
import os
import pathlib
import subprocess
import time

from console import Peer, connected
from process import field

LOGINS = int(os.environ.get("LOGINS", "20"))
PASSWORD = "the quick brown fox"


def measure(bench, page):
    data, path = bench.path("data"), bench.path("tty")
    # EMULATOR: what the program is run by, such as qemu-aarch64-static.
    emulator = os.environ.get("EMULATOR", "").split()
    device = subprocess.Popen(
        [*emulator, str(bench.mynah), "simulate", "--clock", "real", "--microphone", "noise", "--camera", "none", "--data", str(data),
         "--console", str(path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not path.exists():
            time.sleep(0.01)
        peer = Peer(connected(path))
        while not peer.call("recorder.status")["armed"]:
            time.sleep(0.05)
        peer.call("operators.add", name="ann", role="technician", password=PASSWORD)
        peer.call("auth.login", name="ann", password=PASSWORD)
        rows, taken = [], {}
        for state, begin, end in (("idle", None, None), ("recording", "recorder.start", "recorder.stop")):
            if begin:
                peer.call(begin)
                time.sleep(2)
            before = field(device.pid, "VmRSS")
            reset(device.pid)
            times = []
            for _ in range(LOGINS):
                begun = time.perf_counter()
                peer.call("auth.login", name="ann", password=PASSWORD)
                times.append((time.perf_counter() - begun) * 1000)
            after = field(device.pid, "VmRSS")
            peak = field(device.pid, "VmHWM")
            times.sort()
            taken[state] = times[len(times) // 2]
            rows.append([state, f"{times[len(times) // 2]:.0f}", f"{times[-1]:.0f}", f"{peak - before:.1f}",
                         f"{after - before:.1f}"])
            if end:
                peer.call(end)
        name = peer.call("library.list")["takes"][0]["id"]
        notes = json.loads((pathlib.Path(data) / "recordings" / name).with_suffix(".json").read_text())
        emulated = f" by {emulator[0]}" if emulator else ""
        page.section(
            "Login", f"`auth.login` on the socket, {LOGINS} times each{emulated}: Argon2id of 8 MiB and 20 passes, two writings of operators.json "
            "and one of the audit log. Memory is what was resident at most beyond what was before, and what stayed.",
            ["device", "p50, ms", "longest, ms", "memory at most, MiB", "that stayed, MiB"], rows,
            [f"Gaps in the take that was recorded meanwhile: {len(notes.get('gaps', []))}; its operator is {notes.get('operator')}."])
        page.goal("samples lost by logins beside a take", 0, len(notes.get("gaps", [])), "", 0)
    finally:
        device.terminate()
        device.wait()
        bench.discard(data)


def reset(pid):
    """The most so far begins anew (proc(5), clear_refs)."""
    try:
        pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")
    except OSError:
        pass
