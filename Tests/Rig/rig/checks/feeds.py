"""A feed over the guest's network: tones, of which it is known at the speaker which one plays."""

import array
import itertools

from .. import sound
from ..bench import Bench, expect
from .dubbing import silence

# Of what feed_server.py makes: HLS, MP4, MP3, and WAV behind what is not there.
TONES = {"Tone 900": 900, "Tone 500": 500, "Tone 600": 600, "Tone 700": 700}
LOUD = 2000
# 20 ms are promised (F2), and shown in virtual time; an emulated processor takes longer to decode.
CHANGE_LIMIT = 0.5
STEP = 0.05


def feed(bench: Bench) -> None:
    """By keys, from the dictaphone into it and out of it by REC; by the console; and without the cable."""
    machine = bench.machine
    machine.studio.feed()
    try:
        bench.ready(isArmed=False)
        bench.call("settings.set", **{
            "feed.sources": f"Tones=http://{machine.address}/kinds.json", "feed.source": "", "feed.startMuted": True})
        by_keys(bench)
        by_console(bench)
        without_network(bench)
    finally:
        machine.set_link(True)
        machine.studio.close()


def by_keys(bench: Bench) -> None:
    machine = bench.machine
    for _ in range(5):
        machine.press("STOP", 0.9)
        bench.pause(0.3)
        if bench.mode().startswith("feed."):
            break
    expect(bench.mode().startswith("feed."), f"holding STOP leads to {bench.mode()}, and not to the feed")
    # The options' second row is which feed.
    machine.press("CENTRE", 0.9)
    bench.until("the options are open", lambda: bench.state()["screen"] == "options", 5)
    machine.press("DOWN")
    machine.press("RIGHT")
    plays(bench, "Tone 900")
    machine.press("STOP")
    bench.until("the options are closed", lambda: bench.state()["screen"] != "options", 5)
    expect((now := status(bench))["muted"], f"it is heard before CENTRE: {now}")
    heard = machine.listen(24)
    bench.pause(1)
    machine.press("CENTRE")
    bench.until("it is not muted", lambda: not status(bench)["muted"], 5)
    bench.pause(2)
    starts = []
    for title in ("Tone 500", "Tone 600"):
        machine.press("DOWN")
        starts.append(plays(bench, title)["startMs"])
        bench.pause(1.5)
    machine.press("DOWN")
    card = bench.until("the card of what is not there", lambda: failed(bench), 5)
    expect(card["code"] == "http-404" and "404" in card["reason"], f"the card says {card}")
    bench.expect_picture("a card of the feed")
    machine.press("DOWN")
    starts.append(plays(bench, "Tone 700")["startMs"])
    bench.pause(1)
    bench.expect_picture("an item of the feed")
    recording = heard()
    bench.files["feed.raw"] = recording
    tones = order(recording)
    expect(tones == [900, 500, 600, 700], f"at the speaker one after the other: {tones}")
    changes = [gap(recording, one, other) for one, other in ((900, 500), (500, 600))]
    bench.log(f"      press to sound {starts} ms, silence at the changes {[round(one * 1000, 1) for one in changes]} ms")
    expect(max(changes) <= CHANGE_LIMIT, f"{max(changes) * 1000:.0f} ms of silence at a change")
    bench.measures["feed, press to sound (next, next, after a card)"] = ", ".join(f"{one} ms" for one in starts)
    bench.measures["feed, silence at a change"] = f"{max(changes) * 1000:.1f} ms"
    machine.press("DOWN", 0.9)
    bench.until("it is a favourite", lambda: status(bench)["favourite"], 5)


def by_console(bench: Bench) -> None:
    # What is not there is between them.
    bench.call("feed.previous")
    bench.until("the card", lambda: failed(bench), 5)
    bench.call("feed.previous")
    plays(bench, "Tone 600")
    # All of it is fetched while it plays: three files of five seconds.
    for method, title in (("feed.previous", "Tone 500"), ("feed.next", "Tone 600")):
        before = status(bench)["cachedBytes"]
        bench.call(method)
        plays(bench, title)
        bench.until("it is kept", lambda: status(bench)["cachedBytes"] >= before, 5)
    bench.call("feed.pause")
    expect(status(bench)["state"] == "paused", "it is not paused")
    bench.call("feed.resume")
    bench.call("feed.seek", seconds=2)
    plays(bench, "Tone 600")
    bench.until("two files at least are kept", lambda: status(bench)["cachedBytes"] > 100_000, 10)


def without_network(bench: Bench) -> None:
    """The cable is pulled, and the feed opened anew: what was kept is there."""
    machine = bench.machine
    bench.call("feed.stop")
    bench.call("panel.mode", mode="dictaphone")
    machine.set_link(False)
    bench.call("feed.open")
    bench.until("what was kept plays", lambda: status(bench)["state"] == "playing", 10)
    now = status(bench)
    expect(now["offline"], f"it does not say that there is no network: {now}")
    bench.call("feed.mute", on=False)
    heard = machine.listen(5)
    bench.pause(2)
    machine.press("DOWN")
    other = bench.until(
        "the other one plays", lambda: one if (one := status(bench)).get("title") != now["title"] and one["state"] == "playing"
        else None, 5)
    tones = order(heard())
    expect(tones == [TONES[now["title"]], TONES[other["title"]]], f"without a network one hears {tones}")
    bench.begin()
    expect(bench.mode() == "dictaphone.recording", f"REC leads to {bench.mode()}")
    bench.pause(1)
    bench.finish()


def status(bench: Bench) -> dict:
    return bench.call("feed.status")


def failed(bench: Bench) -> dict | None:
    now = status(bench)
    return now if now["state"] == "failed" else None


def plays(bench: Bench, title: str) -> dict:
    return bench.until(
        f"{title} plays",
        lambda: one if (one := status(bench)).get("title") == title and one["state"] == "playing" and one["startMs"] is not None
        else None, 10)


def order(recording: bytes) -> list[int]:
    """The tones one after the other."""
    return [tone for tone, _ in itertools.groupby(tone for _, tone in spans(recording) if tone)]


def spans(recording: bytes):
    """Time and tone of each twentieth of a second; None where there is not one alone."""
    samples = left(recording)
    step = int(STEP * sound.RATE)
    for at in range(0, len(samples) - step, step):
        loud = [tone for tone in TONES.values() if sound.amplitude(samples[at : at + step], tone) > LOUD]
        yield at / sound.RATE, loud[0] if len(loud) == 1 else None


def gap(recording: bytes, one: int, other: int) -> float:
    """The longest silence from where the first tone was last alone to where the second one is, in seconds."""
    found = list(spans(recording))
    begin = max(at for at, tone in found if tone == one)
    end = min(at for at, tone in found if tone == other) + STEP
    frames = slice(int(begin * sound.RATE) * sound.FRAME, int(end * sound.RATE) * sound.FRAME)
    # The end of what is given is not looked at.
    return silence(recording[frames] + bytes(sound.RATE // 2 * sound.FRAME))[1]


def left(recording: bytes) -> array.array:
    return array.array("h", recording)[:: sound.CHANNELS]
