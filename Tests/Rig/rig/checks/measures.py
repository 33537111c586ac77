"""Numbers: start to armed, memory, and processor time while recording, beside arecord on the same machine."""

import re

from ..bench import Bench, expect

# The same sound into the same kind of file, on the loopback's other pair.
ARECORD = "chroot /tools arecord -q -D hw:mynah,0,0 -t wav -f S16_LE -r 48000 -c 2 /run/arecord.wav"


def measures(bench: Bench) -> None:
    machine = bench.machine
    seconds = 30 if bench.isFull else 10
    bench.launch("rig")
    ready = "microphone: ready"
    bench.until("it is armed", lambda: ready in machine.run("tail -n 3 /run/service/log").text, 30, 0.05)
    started = float(machine.check("cat /run/service/started"))
    lines = [line for line in machine.log().splitlines() if ready in line]
    armed = float(lines[-1].split()[0]) - started
    bench.measures["start to armed"] = f"{armed * 1000:.0f} ms"
    bench.ready()
    process = machine.process()
    rows = {}
    rows["mynah, armed"] = usage(bench, process, seconds)
    for name in ("wav", "aac"):
        bench.ready(recording_format=name)
        bench.begin()
        bench.pause(1)
        rows[f"mynah, recording {name}"] = usage(bench, process, seconds)
        bench.finish()
    bench.stop()
    machine.play(bench.noise)
    machine.check(f"{ARECORD} </dev/null >/dev/null 2>&1 & sleep 1")
    other = machine.run("pidof arecord").text.split()
    expect(other, "arecord does not run")
    rows["arecord, recording wav"] = usage(bench, int(other[0]), seconds)
    machine.run("killall arecord; rm -f /run/arecord.wav")
    for name, (cpu, rss) in rows.items():
        bench.measures[name] = f"{cpu:.1f} % of a core, {rss / 1024:.1f} MiB resident"
    expect(armed < 10, f"from start to armed it took {armed:.1f} s")


def usage(bench: Bench, process: int, seconds: float) -> tuple[float, int]:
    """Percent of a core over some seconds, and KiB that are resident (the most that ever were)."""
    text = bench.machine.check(
        f"cat /proc/{process}/stat; cut -d' ' -f1 /proc/uptime; sleep {seconds:.0f}; cat /proc/{process}/stat;"
        f" cut -d' ' -f1 /proc/uptime; grep VmHWM /proc/{process}/status", timeout=seconds + 30).splitlines()

    def ticks(line: str) -> int:
        fields = line.rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    spent = (ticks(text[2]) - ticks(text[0])) / 100
    return 100 * spent / (float(text[3]) - float(text[1])), int(re.findall(r"\d+", text[4])[0])
