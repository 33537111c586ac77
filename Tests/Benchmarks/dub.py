"""Dubbed playback: what it costs beside players that only play, and how well it keeps time."""
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time

from bench import events, topic
from process import Child
from report import spread

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Tools"))
import peers  # noqa: E402
from peers import Peer  # noqa: E402

# What the service takes for an answer; it is asked some seconds before.
DELAYS = (0, 1, 4, 8, 10, 12)
UTTERANCES = 20


def measure(bench, page):
    with Studio(bench) as studio:
        playing(bench, page, studio)
        starting(bench, page, studio)
        delays(bench, page, studio)
    restart(bench, page)


class Studio:
    """A stream of HLS with subtitles, and services that speak them; all end with this program."""

    def __init__(self, bench, *options, seconds=None):
        self.bench = bench
        self.folder = bench.path("stream")
        self.folder.mkdir()
        length = seconds or max(bench.seconds + 20, 4 * UTTERANCES + 8)
        stream = Peer("dub_stream.py", self.folder, "--seconds", length, "--voice", *options)
        self.address = f"http://127.0.0.1:{stream.port}/master.m3u8"
        self.children = [stream]

    def service(self, *options):
        """A service of its own; `end` ends it."""
        self.children.append(Peer("dub_service.py", "--languages", "es", *options))
        return self.children[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.end()


def simulate(bench, studio, port, script, *, speaker="none", language="es"):
    settings = {"dub.sources": f"Evening={studio.address}"}
    if port:
        settings["dub.service"] = f"ws://127.0.0.1:{port}/"
    lines = [f"0.2 call settings.set {json.dumps(settings)}",
             f'0.5 call dub.start {json.dumps({"source": "Evening", "language": language})}'] + script
    return bench.simulate(lines, "real", "silence") + ["--speaker", str(speaker), "--camera", "none"]


def status(output):
    """The answers to `dub.status`, in their order."""
    return [one["data"]["result"] for one in topic(events(output), "result") if one["data"]["method"] == "dub.status"]


def quiet_environment():
    return {**os.environ, "SDL_AUDIODRIVER": "dummy", "SDL_VIDEODRIVER": "dummy"}


def playing(bench, page, studio):
    """All of them at once."""
    seconds = bench.seconds
    port = studio.service().port
    end = [f"{seconds + 1:.1f} quit"]
    samples = {}
    for number in range(bench.rounds):
        group = {
            "mynah, the stream alone": simulate(bench, studio, None, end, language="en"),
            "mynah, dubbed by the service": simulate(bench, studio, port, end),
            "mynah, dubbed by its own voice": simulate(bench, studio, None, end),
            "mpv --no-video": ["mpv", "--no-config", "--no-video", "--ao=null", "--really-quiet", studio.address],
            "ffplay": ["ffplay", "-loglevel", "error", "-nodisp", "-vn", studio.address],
        }
        names = list(group)
        names = names[number % len(names):] + names[:number % len(names)]
        children = {
            name: Child(group[name], steady=(seconds * 0.3, seconds * 0.95), environment=quiet_environment())
            for name in names}
        for name, child in children.items():
            if not name.startswith("mynah"):
                time.sleep(max(0, child.started + seconds + 1 - time.monotonic()))
                child.process.terminate()
        for name, child in children.items():
            child.thread.join()
            if name.startswith("mynah") and child.usage.status != 0:
                raise SystemExit(f"bench: mynah ended with {child.usage.status}: {child.errors}")
            samples.setdefault(name, []).append(child.usage)
    rows = [
        [name, spread([percent(usage) for usage in usages if usage.rate is not None]),
         spread([percent(usage) - devices(usage) for usage in usages if usage.rate is not None])
         if name.startswith("mynah") else "",
         spread([usage.peak for usage in usages], 1),
         spread([usage.private for usage in usages if usage.private is not None], 1)]
        for name, usages in samples.items()]
    page.section(
        "Playing a stream, dubbed or not",
        f"HLS, AAC at 96 kbit/s, subtitles, for {seconds} s in real time; the speaker is simulated, mpv's and ffplay's null.",
        ["", "% of a core", "without devices", "peak RSS, MiB", "private, MiB"], rows,
        ["mynah decodes, mixes and limits all the time, dubbed or not: falling back is a change of gain. Its simulated "
         "microphone and speaker are a thread of its own; the others' have none."])
    alone = statistics.median(percent(one) - devices(one) for one in samples["mynah, the stream alone"])
    own = statistics.median(percent(one) for one in samples["mynah, dubbed by the service"])
    peak = max(one.peak for one in samples["mynah, dubbed by the service"])
    mpv = samples["mpv --no-video"]
    others = statistics.median(percent(one) for one in mpv)
    page.goal("a stream alone: CPU without simulated devices, of mpv's", 1.0, alone / others)
    page.goal("dub: CPU, of mpv's", 1.0, own / others)
    page.goal("dub: peak RSS, of mpv's", 0.4, peak / max(one.peak for one in mpv))
    page.goal("dub: peak RSS", 48, peak, " MiB", 1)


def percent(usage):
    return usage.rate / 60 * 100


def devices(usage):
    """What the simulated devices took of it."""
    return usage.threads.get("mynah-devices", 0) / 60 * 100


def starting(bench, page, studio):
    """From the order to the first sound: both run already, and are told to play."""
    port = studio.service().port
    own, others = [], []
    for _ in range(max(5, bench.rounds)):
        usage = Child(simulate(bench, studio, port, ["4.0 call dub.status", "4.1 quit"])).result()
        own.append(status(usage.output)[-1]["startMs"])
        others.append(1000 * mpv_start(bench, studio.address))
    page.section(
        "From the order to sound",
        "The program runs, and is told to play the stream; the stream's server is on the same machine.",
        ["", "ms"], [["mynah, dubbed", spread(own, 0)], ["mpv --no-video", spread(others, 0)]],
        ["mpv's is the time from `loadfile` to its event `playback-restart`."])
    page.goal("dub: start, of mpv's", 1.0, statistics.median(own) / statistics.median(others))


def mpv_start(bench, address):
    path = bench.path("mpv", ".sock")
    child = subprocess.Popen([
        "mpv", "--no-config", "--idle=yes", "--no-video", "--ao=null", "--really-quiet", f"--input-ipc-server={path}"])
    try:
        with socket.socket(socket.AF_UNIX) as line:
            end = time.monotonic() + 20
            while True:
                try:
                    line.connect(str(path))
                    break
                except OSError:
                    if time.monotonic() > end:
                        raise SystemExit("bench: mpv does not answer")
                    time.sleep(0.02)
            time.sleep(0.5)
            began = time.monotonic()
            line.sendall(json.dumps({"command": ["loadfile", address]}).encode() + b"\n")
            for row in line.makefile():
                if json.loads(row).get("event") == "playback-restart":
                    return time.monotonic() - began
    finally:
        child.kill()
        child.wait()
    raise SystemExit("bench: mpv did not play")


def delays(bench, page, studio):
    """How much of the dub is in time, against how long the service takes."""
    seconds = 4 * UTTERANCES
    children = {}
    for delay in DELAYS:
        port = studio.service(*(("--fault", "slow", "--seconds", delay) if delay else ())).port
        # After the first answer, which the slowest gives late.
        looks = [f"{number}.0 call dub.status" for number in range(20, seconds + 1)]
        children[delay] = Child(simulate(bench, studio, port, looks + [f"{seconds + 0.1:.1f} quit"]))
    rows = []
    for delay, child in children.items():
        looks = status(child.result().output)
        last = looks[-1]
        share = sum(look["rung"] == "service" for look in looks) / len(looks)
        rows.append([
            f"{delay}", f"{last['onTime']} of {last['utterances']}",
            f"{last['onTimePercent'] or 0:.0f}", f"{share * 100:.0f}", str(last["fallbacks"])])
    page.section(
        "In time, against the service's delay",
        f"An utterance every 4 s, for {seconds} s; what is not there 200 ms before its time is spoken by the device itself.",
        ["the service takes, s", "in time, by whomever", "%", "by the service, % of the time", "fallbacks"], rows)


def restart(bench, page):
    """The service is gone for three seconds, twice."""
    rows, gaps = [], []
    with Studio(bench, "--live", seconds=48) as studio:
        for _ in range(2):
            service = studio.service()
            heard = bench.path("heard", ".wav")
            child = Child(simulate(
                bench, studio, service.port, ["29.5 call dub.status", "30.0 quit"], speaker=heard))
            time.sleep(10)
            service.end()
            time.sleep(3)
            studio.service("--port", service.port)
            # The clock of events is this one.
            returned = time.monotonic()
            usage = child.result()
            back = next(
                (one["t"] for one in topic(events(usage.output), "onDubbingStatus")
                 if one["data"]["rung"] == "service" and one["t"] > returned), None)
            gap = peers.silence(peers.heard(heard))[1]
            gaps.append(gap)
            last = status(usage.output)[-1]
            rows.append([
                f"{gap * 1000:.1f}", "–" if back is None else f"{back - returned:.1f}",
                f"{last['onTime']} of {last['utterances']}"])
    page.section(
        "A service that goes away for three seconds",
        "A live stream, 30 s; what the speaker was given is looked at sample by sample.",
        ["longest silence, ms", "dubbed again, s after the service is back", "in time"], rows)
    page.goal("dub: silence at a fallback", 40, 1000 * max(gaps), " ms", 1)


def drift(bench, page):
    """A live stream on speakers whose crystals are off: how far the sound is from the system's clock, twice a second.

    It is followed by a loop of seconds; DRIFT=3600 takes the hour."""
    seconds = int(os.environ.get("DRIFT", "120"))
    looks = [f"{10 + number / 2:.1f} call dub.status" for number in range(2 * (seconds - 10))]
    children = {}
    with Studio(bench, "--live", seconds=48) as studio:
        for parts in (0, 100, -100, 500):
            port = studio.service().port
            script = [f"0.6 fault speaker drift {parts}", *looks, f"{seconds + 0.1:.1f} quit"]
            children[parts] = Child(simulate(bench, studio, port, script))
        found = {parts: status(child.result().output) for parts, child in children.items()}
    rows = []
    worst = 0
    for parts, answers in found.items():
        errors = sorted(abs(one["driftMs"]) for one in answers)
        p99 = errors[len(errors) * 99 // 100]
        if abs(parts) <= 100:
            worst = max(worst, p99)
        rows.append([
            f"{parts:+}", str(len(errors)), f"{statistics.median(errors):.3f}", f"{p99:.3f}", f"{errors[-1]:.3f}",
            f"{answers[-1]['speakerPPM']:+.1f}", f"{answers[-1]['longestGapMs']:.1f}"])
    page.section(
        "A live stream on a speaker whose crystal is off",
        f"For {seconds} s, from the tenth second on; a file is not held against any clock but the speaker's.",
        ["crystal, ppm", "looks", "p50, ms", "p99, ms", "max, ms", "measured, ppm", "longest gap, ms"], rows,
        ["A gap, which only a machine that is too busy makes, is no drift: what follows is held against a clock of its own."])
    page.goal("dub: speaker against the clock at ±100 ppm, p99", 2, worst, " ms", 3)
