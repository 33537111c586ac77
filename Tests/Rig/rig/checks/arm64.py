"""The static program for aarch64 on Debian's arm64 kernel, with nothing beside it but busybox."""

import json

from .. import sound
from ..bench import Bench, expect
from .measures import usage
from .sounds import expect_played

BOARD = "arm64"
# Where what is played comes from; the machine's own data directory is the recorder's.
PLAYER = "/data/player"
SECONDS = 10
NOISE = f"""\
0.1 call settings.set {{"recording.format":"wav","recording.preRecordSeconds":0}}
1.0 press REC
{1 + SECONDS}.0 press STOP
{2 + SECONDS}.0 quit
"""


def boot(bench: Bench) -> None:
    machine = bench.machine
    armed(bench)
    command_line(bench)
    original = noise(bench)
    bench.ready(BOARD, isPlaying=False, recording_preRecordSeconds=0)
    before = bench.call("recorder.status")["xruns"]
    bench.begin()
    machine.check(
        f"({machine.program} simulate --board {machine.board_file(BOARD)} --clock real --script /run/play.mynah"
        f" --microphone silence --speaker alsa:hw:mynah,0,0 --data {PLAYER} </dev/null >/run/player.log 2>&1;"
        " echo $? >/run/player.ended) & true")
    cpu, rss = usage(bench, machine.process(), SECONDS)
    ended = "[ -s /run/player.ended ] && cat /run/player.ended"
    status = bench.until("the player has played", lambda: machine.run(ended).text.strip(), 120, 0.5)
    take = bench.finish()
    said = machine.run("tail -n 5 /run/player.log").text
    expect(status == "0", f"the player ended with {status}: {said}")
    xruns = bench.call("recorder.status")["xruns"] - before
    match = expect_played(bench.samples(take).samples, original)
    expect(not bench.meta(take).get("gaps"), f"the take has gaps: {bench.meta(take).get('gaps')}")
    expect(xruns == 0, f"{xruns} xruns")
    expect(machine.stop() == 0, "SIGTERM did not end the firmware in order")
    for data in (machine.data, PLAYER):
        problems = bench.verify(data)
        expect(not problems, f"library verify --data {data}: {problems}")
    frames = len(original) // sound.FRAME
    bench.measures["arm64: played and recorded"] = f"{match.frames} of {frames} frames bit-true, {xruns} xruns"
    bench.measures["arm64: recording wav"] = f"{cpu:.1f} % of a core, {rss / 1024:.1f} MiB resident"


def armed(bench: Bench) -> None:
    """The firmware is the first thing that runs on a machine that has just been started."""
    machine = bench.machine
    bench.launch(BOARD)
    ready = "microphone: ready"
    bench.until("it is armed", lambda: ready in machine.log(), 60, 0.05)
    at = next(float(line.split()[0]) for line in machine.log().splitlines() if ready in line)
    started = float(machine.check("cat /run/service/started"))
    bench.measures["arm64: power on to shell"] = f"{machine.boot_seconds:.1f} s"
    bench.measures["arm64: start to armed"] = f"{(at - started) * 1000:.0f} ms"
    bench.stop()


def command_line(bench: Bench) -> None:
    """What needs no running firmware."""
    machine = bench.machine
    kernel = machine.check("uname -m").strip()
    expect(kernel == "aarch64", f"the machine is {kernel}")
    for words in ("version", f"board check {machine.board_file(BOARD)}"):
        result = machine.run(f"{machine.program} {words}")
        expect(result.status == 0, f"mynah {words} ends with {result.status}: {result.text[-1000:]}")
    arguments = f"--board {machine.board_file(BOARD)} --data {machine.data} --json"
    result = machine.run(f"{machine.program} doctor {arguments}", timeout=180)
    expect(result.status == 0, f"doctor ends with {result.status}: {result.text[-3000:]}")


def noise(bench: Bench) -> bytes:
    """A take of simulated noise, made on the machine; leaves a script that plays it."""
    machine = bench.machine
    machine.store("/run/noise.mynah", NOISE.encode())
    machine.check(
        f"mkdir -p {PLAYER} && {machine.program} simulate --script /run/noise.mynah --clock virtual --microphone noise"
        f" --speaker none --data {PLAYER} 2>&1", timeout=180)
    path = machine.check(f"ls {PLAYER}/recordings/*.wav").strip()
    wave = sound.wave(machine.fetch(path))
    expect((wave.rate, wave.channels, wave.bits) == (48000, 2, 16), "the take of noise is no 48 kHz stereo of 16 bits")
    name = json.dumps(path.rsplit("/", 1)[1])
    machine.store("/run/play.mynah", f'1.0 call player.play {{"id":{name}}}\n{3 + SECONDS}.0 quit\n'.encode())
    return wave.samples
