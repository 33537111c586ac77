"""Who gets which rate: every strategy, on devices that have one rate, for every client. The manual's table is made here."""

import array
import dataclasses
import pathlib

from .. import sound
from ..bench import Bench, Take, expect

STRATEGIES = ("baseline", "pre-initialised", "forced-rate", "locked")
PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs/manual/sessions.md"
BEGIN, END = "<!-- outcomes -->", "<!-- end -->"
# What `forced-rate` runs devices at, as the board file says.
FORCED = 8000
TONE = 1000
SECONDS = 2
# 48,000 and 8,000: what a client insists on.
RATES = (48000, 8000)


@dataclasses.dataclass
class Outcome:
    """What a client asked for and got, Hz, and whether it was told where that is not the same."""

    requested: int
    granted: int
    delivered: int

    @property
    def text(self) -> str:
        if self.delivered != self.requested:
            return f"{kilohertz(self.delivered)}, told"
        return kilohertz(self.delivered) + (", converted" if self.granted != self.delivered else "")


Table = dict[tuple[str, str], dict[str, str]]


def outcomes(bench: Bench) -> None:
    """Rates of microphone and speaker that differ, either way; and a USB microphone of one rate."""
    table: Table = {}
    try:
        for microphone, speaker in ((8000, 48000), (48000, 8000)):
            on_cables(bench, table, microphone, speaker)
        on_usb(bench, table, 16000)
    finally:
        bench.machine.hush()
        bench.stop()
    for (device, client), row in table.items():
        bench.measures[f"{device}, {client}"] = "; ".join(f"{name}: {text}" for name, text in row.items())
    if bench.isManual:
        write(table)


def on_cables(bench: Bench, table: Table, microphone: int, speaker: int) -> None:
    """The cables' other ends are opened first, each at its rate: the firmware finds nothing else."""
    machine = bench.machine
    bench.stop()
    machine.hush()
    machine.play(sound.tone(TONE, 5, microphone), microphone)
    with machine.ear(speaker) as heard:
        ready(bench, "rig")
        takes = {}
        # `locked` first: its takes are what is played.
        for strategy in reversed(STRATEGIES):
            for rate in RATES:
                outcome, take = recorded(bench, strategy, rate, microphone)
                enter(table, device("microphone", microphone), f"take of {kilohertz(rate)}", strategy, outcome)
                takes.setdefault(rate, take)
            for rate in RATES:
                outcome = recorded_by_program(bench, strategy, rate, microphone)
                enter(table, device("microphone", microphone), f"program that records {kilohertz(rate)}", strategy, outcome)
            for rate in RATES:
                outcome = played(bench, takes[rate], rate, speaker, heard)
                enter(table, device("speaker", speaker), f"file of {kilohertz(rate)}", strategy, outcome)
            for rate in RATES:
                outcome = played_by_program(bench, strategy, rate, speaker, heard)
                enter(table, device("speaker", speaker), f"program that plays {kilohertz(rate)}", strategy, outcome)
    bench.stop()


def on_usb(bench: Bench, table: Table, rate: int) -> None:
    machine = bench.machine
    machine.hush()
    machine.store("/run/rig-sound.raw", sound.tone(TONE, 5, rate))
    machine.replug("usb-microphone", rate)
    ready(bench, "usb")
    for strategy in reversed(STRATEGIES):
        for asked in RATES:
            outcome, _ = recorded(bench, strategy, asked, rate)
            enter(table, device("USB microphone", rate), f"take of {kilohertz(asked)}", strategy, outcome)
        for asked in RATES:
            outcome = recorded_by_program(bench, strategy, asked, rate)
            enter(table, device("USB microphone", rate), f"program that records {kilohertz(asked)}", strategy, outcome)
    bench.stop()
    machine.unplug("usb-microphone")


def ready(bench: Bench, board: str) -> None:
    bench.ready(board, isArmed=False, isPlaying=False, recording_preRecordSeconds=0, session_rateHz=FORCED)


def recorded(bench: Bench, strategy: str, rate: int, device: int) -> tuple[Outcome, Take]:
    """A take: its receipt, its file and what is in it agree with what is told."""
    bench.call("settings.set", **{"session.strategy": strategy, "recording.sampleRate": rate})
    bench.until(
        f"{strategy}: the microphone is open for {rate} Hz",
        lambda: one if (one := formats(bench, "capture")) and one.requested == rate else None, 15)
    bench.until("it is armed", lambda: bench.call("recorder.status")["armed"], 15)
    take = bench.record(SECONDS)
    state = formats(bench, "capture")
    told(bench, strategy, "microphone", state, rate, device)
    receipt = bench.meta(take)["receipt"]
    wave = bench.samples(take)
    expect(
        (receipt["requestedSampleRate"], receipt["grantedSampleRate"], wave.rate) == (rate, device, state.delivered),
        f"{strategy}: the take of {rate} Hz has {wave.rate} Hz, its receipt says {receipt}")
    is_tone(f"{strategy}: the take of {rate} Hz", array.array("h", wave.samples)[:: wave.channels], wave.rate)
    return state, take


def played(bench: Bench, take: Take, rate: int, device: int, heard) -> Outcome:
    strategy = bench.call("session.status")["strategy"]
    heard()
    bench.call("player.play", id=take.id)
    state = bench.until(
        f"{strategy}: a file of {rate} Hz plays",
        lambda: one if (one := formats(bench, "playback")) and one.requested else None, 15, 0.05)
    bench.until("it has played", lambda: bench.mode() == "dictaphone.idle", SECONDS + 20)
    bench.pause(0.5)
    told(bench, strategy, "speaker", state, rate, device)
    samples = array.array("h", heard())[:: sound.CHANNELS]
    is_tone(f"{strategy}: a file of {rate} Hz at the speaker", samples, device)
    return state


def recorded_by_program(bench: Bench, strategy: str, rate: int, granted: int) -> Outcome:
    """`mynah pcm record` on the board: what comes out of the pipe has the rate that was asked for, whatever the device has."""
    machine = bench.machine
    machine.check(
        f"{machine.program} pcm record --socket {machine.socket}.pcm --rate {rate} --seconds {SECONDS} >/run/program.raw",
        timeout=SECONDS + 30)
    samples = array.array("h", machine.fetch("/run/program.raw"))
    expect(len(samples) == SECONDS * rate, f"{strategy}: a program asked for {SECONDS * rate} frames, and got {len(samples)}")
    is_tone(f"{strategy}: what a program records at {rate} Hz", samples, rate, 20)
    state = formats(bench, "capture")
    expect(state and state.granted == granted, f"{strategy}: {state} is told beside a program, not {granted} Hz")
    return Outcome(rate, granted, rate)


def played_by_program(bench: Bench, strategy: str, rate: int, granted: int, heard) -> Outcome:
    machine = bench.machine
    machine.store("/run/program.raw", array.array("h", sound.tone(TONE, SECONDS, rate))[:: sound.CHANNELS].tobytes())
    # What was played before has come to the cable's other end.
    bench.pause(1)
    heard()
    machine.check(
        f"{machine.program} pcm play --socket {machine.socket}.pcm --rate {rate} </run/program.raw", timeout=SECONDS + 30)
    bench.pause(1)
    is_tone(f"{strategy}: what a program plays at {rate} Hz", array.array("h", heard())[:: sound.CHANNELS], granted, 20)
    return Outcome(rate, granted, rate)


def formats(bench: Bench, side: str) -> Outcome | None:
    """What is told now; None while the device is not open."""
    status = bench.call("session.status")
    found = [(status[name].get(side) or {}).get("sampleRate") for name in ("requested", "granted", "delivered")]
    return Outcome(*found) if all(found) else None


def told(bench: Bench, strategy: str, device: str, state: Outcome, rate: int, granted: int) -> None:
    converts = strategy in ("forced-rate", "locked")
    wanted = Outcome(rate, granted, rate if converts else granted)
    expect(state == wanted, f"{strategy}, {device}: {state} is told, and not {wanted}")
    if state.delivered != state.requested:
        said = [line for line in bench.machine.log().splitlines() if "session" in line and device in line]
        expect(
            any(f"requested {rate} Hz" in line and f"{granted} Hz" in line for line in said),
            f"{strategy}, {device}: the log does not tell of {state}: {said[-3:]}")


def is_tone(what: str, samples: array.array, rate: int, parts: int = 1) -> None:
    """A second in the middle of what is loud is the tone, and next to nothing else.

    A program's sound follows the system's clock, by some hundred ppm while it finds out how far the device's crystal is off:
    it is looked at in parts, each by its own pitch.
    """
    loud = [at for at, value in enumerate(samples) if abs(value) > 4000]
    expect(
        loud and loud[-1] - loud[0] > 1.2 * rate,
        f"{what}: of {len(samples)} samples {len(loud)} are loud, from {loud[:1]} to {loud[-1:]}")
    middle = (loud[0] + loud[-1]) // 2
    whole = samples[middle - rate // 2 : middle + rate // 2]
    hertz = sound.pitch(whole, rate)
    expect(abs(hertz - TONE) < 1, f"{what}: the tone is one of {hertz:.1f} Hz")
    for number in range(parts):
        part = whole[number * rate // parts : (number + 1) * rate // parts]
        level = sound.amplitude(part, TONE if parts == 1 else sound.pitch(part, rate), rate)
        rest = sum(value * value for value in part) / len(part) - level * level / 2
        # 30 dB below the tone: the pitch moves within a part, too.
        most = 1000 if parts == 1 else level * level / 2000
        expect(14000 < level < 18500 and rest < most, f"{what}: the tone is {level:.0f}, what is beside it {rest:.0f}")


def enter(table: Table, device: str, client: str, strategy: str, outcome: Outcome) -> None:
    table.setdefault((device, client), {})[strategy] = outcome.text


def device(name: str, rate: int) -> str:
    return f"{name} of {kilohertz(rate)}"


def kilohertz(rate: int) -> str:
    return f"{rate / 1000:g} kHz"


def write(table: Table) -> None:
    """Puts the table into the manual, between its marks."""
    head = ("device", "client", *(f"`{name}`" + (" 8 kHz" if name == "forced-rate" else "") for name in STRATEGIES))
    rows = [head, ("---",) * len(head)]
    rows += [(*names, *(row[strategy] for strategy in STRATEGIES)) for names, row in table.items()]
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END, 1)[1]
    lines = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    PAGE.write_text(f"{before}{BEGIN}\n{lines}\n{END}{after}")
