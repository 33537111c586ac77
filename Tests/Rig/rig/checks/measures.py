"""Numbers: start to armed, memory, and processor time while recording, beside arecord and ffmpeg in the same guest."""

import re

from ..bench import Bench, expect

# The same sound into the same kind of file, by the same end of the cable.
ARECORD = "chroot /tools arecord -q -D hw:mynah,0,0 -t wav -f S16_LE -r 48000 -c 2 /run/other.wav"
BITRATE = 128
FFMPEG = (
    "-v error -nostdin -y -f alsa -channels 2 -sample_rate 48000 -i hw:mynah,0,0"
    f" -c:a aac -b:a {BITRATE}k /run/other.m4a")


def measures(bench: Bench) -> None:
    machine = bench.machine
    seconds = 30 if bench.isFull else 4
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
        bench.ready(recording_format=name, recording_bitrateKbps=BITRATE)
        bench.begin()
        bench.pause(1)
        rows[f"mynah, recording {name}"] = usage(bench, process, seconds)
        bench.finish()
    bench.stop()
    machine.play(bench.noise)
    rows["arecord, recording wav"] = other(bench, "arecord", ARECORD, seconds)
    what = "ffmpeg, recording aac"
    if machine.ffmpeg:
        rows[what] = other(bench, "ffmpeg", f"{machine.ffmpeg} {FFMPEG}", seconds)
    else:
        bench.measures[what] = "not measured: this host has no ffmpeg with ALSA to lend"
        bench.log(f"      {what}: {bench.measures[what]}")
    for name, (cpu, rss) in rows.items():
        bench.measures[name] = f"{cpu:.1f} % of a core, {rss / 1024:.1f} MiB resident"
    expect(armed < 10, f"from start to armed it took {armed:.1f} s")


def other(bench: Bench, name: str, command: str, seconds: float) -> tuple[float, int]:
    """What another recorder uses, from a second after it began to hear."""
    machine = bench.machine
    machine.check(f"{command} </dev/null >/run/other.log 2>&1 & true")
    try:
        hears = "grep -q RUNNING /proc/asound/mynah/pcm0c/sub0/status"
        bench.until(f"{name} records", lambda: machine.run(hears).status == 0, 60, 0.3)
        bench.pause(1)
        process = machine.run(f"pidof {name}").text.split()
        expect(process, f"{name} ended: {machine.run('cat /run/other.log').text[-500:]}")
        used = usage(bench, int(process[0]), seconds)
        expect(machine.run(hears).status == 0, f"{name} ended: {machine.run('cat /run/other.log').text[-500:]}")
    finally:
        machine.run(f"killall {name}; while pidof {name}; do sleep 0.1; done >/dev/null; rm -f /run/other.*")
    return used


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
