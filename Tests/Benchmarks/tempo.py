"""Playing faster, slower, higher and lower: what that costs, beside sox and ffmpeg, which do the same with a file."""
import json

import bench as helpers
from process import run
from report import ratio, spread

SECONDS = 300
# Name, speed, cents; what sox and ffmpeg are asked for.
CHANGES = (
    ("1.5 times as fast", 1.5, 0, ["tempo", "-s", "1.5"], "atempo=1.5"),
    ("0.7 times as fast", 0.7, 0, ["tempo", "-s", "0.7"], "atempo=0.7"),
    # ffmpeg shifts by the rate at which samples are read, and makes up for the speed.
    ("300 cents higher", 1.0, 300, ["pitch", "300"], f"asetrate={48000 * 2 ** 0.25:.0f},aresample=48000,atempo={2 ** -0.25:.6f}"),
)


def measure(bench, page):
    rows = []
    for name, speed, cents, effects, chain in CHANGES:
        played = SECONDS / speed
        changed = prepared(bench, SECONDS)
        # As much sound as is heard in the end, as recorded.
        plain = prepared(bench, round(played))
        samples = {"ours": [], "sox": [], "ffmpeg": []}
        for _ in range(bench.rounds):
            samples["ours"].append(
                max(0, player(bench, changed, speed, cents, played) - player(bench, plain, 1.0, 0, played)))
            source = str(bench.speech(SECONDS))
            samples["sox"].append(
                cpu(["sox", source, "-t", "raw", "/dev/null", *effects]) - cpu(["sox", source, "-t", "raw", "/dev/null"]))
            samples["ffmpeg"].append(cpu(ffmpeg(source, ["-af", chain])) - cpu(ffmpeg(source, [])))
        minutes = SECONDS / 60
        compared = {other: ratio(samples["ours"], samples[other]) for other in ("sox", "ffmpeg")}
        rows.append(
            [name] + [spread([value / minutes for value in samples[who]], 3) for who in ("ours", "sox", "ffmpeg")]
            + [f"{compared[other]:.2f}×" for other in ("sox", "ffmpeg")])
        for other, value in compared.items():
            page.goal(f"{name}: CPU, of {other}'s", 1.0, value)
    page.section(
        "Speed and pitch",
        f"{SECONDS // 60} minutes of speech, 48 kHz stereo: CPU seconds for a minute of the take, without what it costs to play "
        "as recorded the sound that is heard in the end.",
        ["", "mynah", "sox", "ffmpeg", "of sox's", "of ffmpeg's"], rows,
        ["mynah plays in virtual time, and the limiter is at work whenever speed, pitch or volume is changed: its cost is in "
         "the first column. sox `tempo -s` and `pitch`, ffmpeg `atempo`, from WAV to nowhere, less the same without the effect."])


def prepared(bench, seconds):
    """A data directory in which the sound is the only take: the device's own, which it decodes itself."""
    data = bench.path("data")
    script = bench.recording_script({"recording.format": "wav"}, 0.5, 0.5 + seconds, 2 + seconds)
    run(bench.simulate(script, "virtual", bench.speech(seconds + 2), data))
    return data


def player(bench, data, speed, cents, played):
    """CPU seconds of playing all of it."""
    settings = json.dumps({"playback.rate": speed, "playback.pitchCents": cents})
    take = bench.takes(data)[0].name
    script = [
        f"0 call settings.set {settings}", f'1 call player.play {{"id":"{take}"}}', "3 call player.status",
        f"{played + 4:.1f} call player.status", f"{played + 5:.1f} quit"]
    usage = run(bench.simulate(script, "virtual", "silence", data=data))
    states = [
        event["data"]["result"]["state"] for event in helpers.topic(helpers.events(usage.output), "result")
        if event["data"].get("method") == "player.status"]
    if states != ["playing", "stopped"]:
        raise SystemExit(f"bench: the take was not played as it was to be: {states}")
    return usage.cpu


def cpu(command):
    return run(command).cpu


def ffmpeg(source, arguments):
    return ["ffmpeg", "-v", "error", "-nostdin", "-i", source, *arguments, "-f", "null", "-"]
