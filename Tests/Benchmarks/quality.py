"""What AAC and Opus leave of the sound, mynah's encoder settings beside ffmpeg's defaults and opusenc's: as a model of hearing
judges it, and as noise below the signal."""
import array
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import wave

import rivals
from bench import check
from process import run

SECONDS = 20
START = 0.5
BITRATES = (128, 192, 256)
OPUS_BITRATES = (32, 64, 96, 128)
# Zimtohrli, a kept model of hearing that is published as a wheel: https://github.com/google/zimtohrli
MODEL = ["zimtohrli==0.2.1.post1", "soundfile==0.14.0"]
LISTEN = """
import sys, numpy, soundfile, zimtohrli
first, second = (soundfile.read(path, dtype="float32", always_2d=True)[0] for path in sys.argv[1:])
count = min(len(first), len(second))
print(min(zimtohrli.mos_from_signals(*(numpy.ascontiguousarray(s[:count, channel]) for s in (first, second)))
          for channel in range(first.shape[1])))
"""


def measure(bench, page):
    listener = model()
    recorded = sounds(bench)
    aac(bench, page, listener, recorded)
    opus(bench, page, listener, recorded)


def aac(bench, page, listener, recorded):
    rows, behind = [], []
    for name, source in recorded:
        heard = cut(bench, source, START)
        for kbps in BITRATES:
            files = (
                mynah(bench, source, kbps, board=bench.thorough()), mynah(bench, source, kbps), ffmpeg(bench, heard, kbps))
            takes = [decoded(bench, file, "decoded") for file in files]
            said = [opinion(listener, heard, take) for take in takes]
            behind.append(said[2] - said[0])
            rows.append([f"{name}, {kbps} kbit/s"] + [f"{one:.2f}" for one in said]
                        + [f"{ratio(bench, heard, take):.1f}" for take in takes]
                        + [f"{rate(file):.0f}" for file in (files[0], files[2])])
    page.section(
        "Sound of AAC",
        "Opinion: what listeners would say on a scale of 1 to 5, by a model of hearing (Zimtohrli), of the worse channel. Noise: "
        "signal to difference in dB. More is better.",
        ["", "opinion, thorough", "fast", "ffmpeg's defaults", "noise, thorough", "fast", "ffmpeg's defaults", "kbit/s, thorough",
         "ffmpeg"], rows,
        ["All use libavcodec's AAC encoder, mynah without temporal noise shaping and intensity stereo: `thorough` with the coder "
         "`twoloop`, as ffmpeg takes it unless told otherwise, where a board can afford it; `fast` everywhere else. Noise is "
         "the difference, sample by sample; it is not weighted by what an ear would mask. Differences of opinion below 0.1 are "
         "below what such models tell apart."])
    page.goal("AAC, thorough: opinion, worst case behind ffmpeg's defaults at equal rate", 0.1, max(behind), "")


def opus(bench, page, listener, recorded):
    rows, behind = [], []
    for name, source in recorded:
        heard = cut(bench, source, START)
        for kbps in OPUS_BITRATES:
            takes = mynah(bench, source, kbps, "opus"), opusenc(bench, heard, kbps)
            said = [opinion(listener, heard, decoded(bench, take, "opus")) for take in takes]
            behind.append(said[1] - said[0])
            rows.append([f"{name}, {kbps} kbit/s"] + [f"{one:.2f}" for one in said]
                        + [f"{rate(take):.0f}" for take in takes])
    page.section(
        "Sound of Opus", "Opinion as above; the rate is that of the packets, for both vary it with the sound.",
        ["", "opinion, mynah", "opusenc", "kbit/s, mynah", "opusenc"], rows,
        ["Both use libopus; opusenc as it is when nothing but the rate is said."])
    page.goal("Opus: opinion, worst case behind opusenc", 0.1, max(behind), "")


def sounds(bench):
    """What is recorded, with half a second before it and some after."""
    length = SECONDS + 2
    voice, noise = bench.speech(length), bench.noise(length)
    both = bench.path("both", ".wav")
    check(["sox", "-m", "-v", "0.8", str(voice), "-v", "0.05", str(noise), str(both)])
    music = bench.path("music", ".wav")
    strings = [part for note in ("G2", "B2", "D3", "G3", "D4", "G4") for part in ("pluck", note)]
    check(["sox", "-q", "-n", "-r", "48000", "-c", "2", "-b", "16", str(music), "synth", "4", *strings, "delay", "0", ".05", ".1",
           ".15", ".2", ".25", "remix", "1-3", "4-6", "fade", "0", "4", ".1", "norm", "-1", "repeat", str(length // 4)])
    return (("clean speech", voice), ("speech in pink noise", both), ("pink noise", noise), ("birds", birds(bench, length)),
            ("plucked strings", music))


def birds(bench, seconds, rate=48_000):
    """Whistles that glide and tremble, over the hiss of a morning; the same each time."""
    chance = random.Random(1)
    samples = [chance.gauss(0, 0.002) for _ in range(seconds * rate)]
    place = 0
    while place < len(samples) - rate:
        first, last = chance.uniform(2000, 6000), chance.uniform(2000, 9000)
        count, phase = int(chance.uniform(0.05, 0.25) * rate), 0.0
        for index in range(count):
            pitch = first + (last - first) * index / count + 300 * math.sin(index / rate * 2 * math.pi * 40)
            phase += 2 * math.pi * pitch / rate
            samples[place + index] += 0.4 * math.sin(math.pi * index / count) * math.sin(phase)
        place += count + int(chance.uniform(0.02, 0.4) * rate)
    path = bench.path("birds", ".wav")
    with wave.open(str(path), "wb") as file:
        file.setparams((2, 2, rate, 0, "NONE", ""))
        pairs = (value for sample in samples for value in (int(sample * 32_000), int(sample * 28_000)))
        file.writeframes(array.array("h", pairs).tobytes())
    return path


def model():
    """A Python that has the model of hearing, kept outside of the tree."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    place = cache / "mynah" / "hearing" / MODEL[0]
    if not (place / "ready").exists():
        check([sys.executable, "-m", "venv", "--clear", str(place)])
        check([str(place / "bin/pip"), "install", "-q", *MODEL])
        (place / "ready").touch()
    return place / "bin/python"


def opinion(listener, heard, take):
    said = subprocess.run(
        [str(listener), "-c", LISTEN, str(heard), str(take)], check=True, capture_output=True, text=True)
    return float(said.stdout)


def mynah(bench, source, kbps, form="aac", board="simulator"):
    data = bench.path("data")
    script = bench.recording_script(
        {"recording.format": form, "recording.opusKbps" if form == "opus" else "recording.bitrateKbps": kbps},
        START, START + SECONDS, START + SECONDS + 1)
    run(bench.simulate(script, "virtual", source, data, board))
    return bench.takes(data)[0]


def ffmpeg(bench, source, kbps):
    target = bench.path("take", ".m4a")
    command = rivals.ffmpeg_aac(source, target, SECONDS, paced=False)
    command[command.index("128k")] = f"{kbps}k"
    check(command)
    return target


def opusenc(bench, source, kbps):
    target = bench.path("take", ".opus")
    check(["opusenc", "--quiet", "--bitrate", str(kbps), str(source), str(target)])
    return target


def rate(take):
    """kbit/s of the coded sound, without its container."""
    sizes = check(["ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "packet=size", "-of", "csv=p=0", str(take)]).stdout
    return sum(int(size.strip(",")) for size in sizes.split()) * 8 / SECONDS / 1000


def cut(bench, source, start):
    path = bench.path("heard", ".wav")
    check(["sox", str(source), str(path), "trim", str(start), str(SECONDS)])
    return path


def decoded(bench, take, name):
    path = bench.path(name, ".wav")
    check(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(take), "-c:a", "pcm_s16le", str(path)])
    return path


def level(arguments):
    said = check(["sox", *map(str, arguments), "-n", "stats"]).stderr
    return float(re.search(r"^RMS lev dB\s+(\S+)", said, re.MULTILINE).group(1))


def ratio(bench, heard, decoded):
    difference = bench.path("difference", ".wav")
    # In 32 bits, so that small differences are not rounded away.
    check(["sox", "-m", "-v", "1", str(heard), "-v", "-1", str(decoded), "-b", "32", str(difference), "trim", "0", str(SECONDS)])
    return level([heard]) - level([difference])
