"""What AAC leaves of the sound: noise below the signal, mynah's encoder settings beside ffmpeg's defaults."""
import re

import rivals
from bench import check
from process import run

SECONDS = 20
START = 0.5
BITRATES = (128, 192, 256)


def measure(bench, page):
    rows = []
    voice, noise = bench.speech(SECONDS + 2), bench.noise(SECONDS + 2)
    both = bench.path("both", ".wav")
    check(["sox", "-m", "-v", "0.8", str(voice), "-v", "0.05", str(noise), str(both)])
    for name, source in (("clean speech", voice), ("speech in pink noise", both), ("pink noise", noise)):
        heard = cut(bench, source, START)
        for kbps in BITRATES:
            ours = decoded(bench, mynah(bench, source, kbps))
            theirs = decoded(bench, ffmpeg(bench, heard, kbps))
            rows.append([f"{name}, {kbps} kbit/s", f"{ratio(bench, heard, ours):.1f}", f"{ratio(bench, heard, theirs):.1f}"])
    page.section(
        "Sound of AAC", "Signal to noise in dB after encoding and decoding; more is better.",
        ["", "mynah", "ffmpeg's defaults"], rows,
        ["Both use libavcodec's AAC encoder. mynah asks it for the coder `fast`, ffmpeg takes `twoloop` unless told "
         "otherwise, which costs two to three times the CPU time. Noise is the difference, sample by sample; it is "
         "not weighted by what an ear would mask."])


def mynah(bench, source, kbps):
    data = bench.path("data")
    script = bench.recording_script(
        {"recording.bitrateKbps": kbps}, START, START + SECONDS, START + SECONDS + 1)
    run(bench.simulate(script, "virtual", source, data))
    return bench.takes(data)[0]


def ffmpeg(bench, source, kbps):
    target = bench.path("take", ".m4a")
    command = rivals.ffmpeg_aac(source, target, SECONDS, paced=False)
    command[command.index("128k")] = f"{kbps}k"
    check(command)
    return target


def cut(bench, source, start):
    path = bench.path("heard", ".wav")
    check(["sox", str(source), str(path), "trim", str(start), str(SECONDS)])
    return path


def decoded(bench, take):
    path = bench.path("decoded", ".wav")
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
