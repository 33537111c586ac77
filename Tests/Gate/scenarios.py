"""What the gate measures: scripts for the simulated device, each with the simulated seconds that count."""

from dataclasses import dataclass
import datetime
import glob
import os
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))

# Two seconds of 640x360 in H.264, 800 kbit/s, a keyframe every half second: a camera that encodes by itself.
CAMERA = os.path.join(HERE, "camera.h264")


@dataclass
class Scenario:
    name: str
    title: str
    script: str
    window: tuple  # simulated seconds, from and to
    camera: str = "none"
    # The name of another scenario's data directory to begin with, or a function that makes one.
    prepared: object = None


def subtitles(folder):
    """A sentence every four seconds, beside the first take, to be spoken."""
    take = sorted(glob.glob(os.path.join(folder, "recordings", "*.m4a")))[0]
    with open(take[: -len("m4a")] + "es.vtt", "w", encoding="utf-8") as file:
        file.write("WEBVTT\n")
        for start in range(1, 38, 4):
            file.write(f"\n00:{start:02d}.000 --> 00:{start + 3:02d}.500\nEl río baja lleno, y nadie lo cruza hoy.\n")
    return os.path.basename(take)


def many(folder, count=10_000):
    """So many takes of the one that is there: its sound under other names, its metadata with another name in it."""
    recordings = os.path.join(folder, "recordings")
    first = sorted(glob.glob(os.path.join(recordings, "*.m4a")))[0]
    stem = os.path.basename(first)[: -len(".m4a")]
    with open(os.path.join(recordings, stem + ".json"), encoding="utf-8") as file:
        metadata = file.read()
    for number in range(2, count + 1):
        time = datetime.datetime(2026, 1, 1) + datetime.timedelta(minutes=37 * number)
        name = f"{number:06d}_{time:%Y-%m-%dT%H-%M-%SZ}"
        os.link(first, os.path.join(recordings, name + ".m4a"))
        with open(os.path.join(recordings, name + ".json"), "w", encoding="utf-8") as file:
            file.write(metadata.replace(stem, name))
    # The index is made anew at the next start, and is not what is measured.
    os.remove(os.path.join(folder, "catalogue"))
    for name in glob.glob(os.path.join(folder, "state.json*")):
        os.remove(name)


# Data directories that scenarios begin with: a script, and what is done with it afterwards.
PREPARED = {
    "take": ("0.1 call settings.set {\"recording.preRecordSeconds\":0}\n1.0 press REC\n41.0 press STOP\n42.0 quit\n", None),
    "subtitled": ("take", subtitles),
    "many": (
        "0.1 call settings.set {\"recording.preRecordSeconds\":0}\n1.0 press REC\n1.4 press STOP\n2.0 quit\n", many),
}

# Somebody's key for sealed takes; nobody here has the other half.
RECIPIENT = "age1dldd27nv0ymzn6za02t9eev7lsl0c72405mvvm3vdflluze9auxse3sxpd"

SCENARIOS = [
    Scenario("armed", "armed, the seconds before REC kept", "21.0 quit\n", (10, 20)),
    Scenario("record-aac", "recording AAC", "1.0 press REC\n21.0 quit\n", (10, 20)),
    Scenario(
        "record-wav", "recording WAV",
        '0.1 call settings.set {"recording.format":"wav"}\n1.0 press REC\n21.0 quit\n', (10, 20)),
    Scenario(
        "record-aac-signed", "recording AAC, signed",
        '0.1 call settings.set {"recording.sign":true}\n1.0 press REC\n21.0 quit\n', (10, 20)),
    Scenario(
        "record-wav-signed", "recording WAV, signed",
        '0.1 call settings.set {"recording.format":"wav","recording.sign":true}\n1.0 press REC\n21.0 quit\n', (10, 20)),
    Scenario(
        "record-aac-sealed", "recording AAC, sealed",
        f'0.1 call settings.set {{"recording.encryptTo":"{RECIPIENT}"}}\n1.0 press REC\n21.0 quit\n', (10, 20)),
    Scenario(
        "record-wav-sealed", "recording WAV, sealed",
        f'0.1 call settings.set {{"recording.format":"wav","recording.encryptTo":"{RECIPIENT}"}}\n1.0 press REC\n21.0 quit\n',
        (10, 20)),
    Scenario(
        "clips-buffering", "keeping the camera's last five seconds",
        '0.1 call panel.mode {"mode":"clips"}\n5.0 expect mode clips.buffering\n21.0 quit\n', (10, 20), camera=CAMERA),
    Scenario(
        "clip-kept", "the same, and a clip of seven seconds kept",
        '0.1 call panel.mode {"mode":"clips"}\n'
        '0.2 call settings.set {"clips.durationSeconds":5,"clips.postRollSeconds":2}\n'
        "12.0 call clips.trigger\n19.0 expect mode clips.buffering\n21.0 quit\n", (10, 20), camera=CAMERA),
    Scenario(
        "playing", "playing AAC",
        "1.0 call player.play {\"id\":\"TAKE\"}\n2.0 expect mode dictaphone.playing\n21.0 quit\n", (10, 20), prepared="take"),
    Scenario(
        "dub", "a dub spoken on the device over a file",
        '1.0 call dub.start {"source":"TAKE","language":"es"}\n5.0 expect mode dub.playing\n21.0 quit\n', (10, 20),
        prepared="subtitled"),
    Scenario(
        "list-10000", "10,000 takes: the list opened and paged, listed and searched by console",
        "11.0 press DOWN\n"
        + "".join(f"{12 + i / 4} press DOWN\n" for i in range(8))
        + '15.0 call library.list {"limit":100}\n16.0 call library.list {"limit":100,"offset":9000}\n'
        + '17.0 call library.list {"query":"009999","limit":10}\n21.0 quit\n', (10, 20), prepared="many"),
]
