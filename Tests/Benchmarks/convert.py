"""From one rate to another: what the session's filter costs beside sox and soxr at equal quality."""
import pathlib
import statistics

from bench import check
from process import run
from report import spread

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "Sources/Hardware/Sound"
PAIRS = ((48000, 8000), (8000, 48000), (44100, 48000), (48000, 44100))
SECONDS = 300


def measure(bench, page):
    tool = bench.path("convert")
    check(["swiftc", "-O", "-parse-as-library", "-enable-upcoming-feature", "InternalImportsByDefault",
           "-I", str(SOURCES.parents[1] / "CSwresample"), "-lavutil", "-o", str(tool),
           str(pathlib.Path(__file__).with_suffix(".swift")),
           *(str(SOURCES / f"{name}.swift") for name in ("RateFilter", "RateStage", "RateKernel"))])
    rows, worst = [], {"sox": 0.0, "soxr": 0.0}
    for one, other in PAIRS:
        source = bench.path("noise", ".f32")
        check(["sox", "-R", "-n", "-r", str(one), "-c", "2", "-e", "float", "-b", "32", "-t", "raw", str(source),
               "synth", str(SECONDS), "pinknoise", "vol", "0.5"])
        raw = ["-t", "raw", "-e", "float", "-b", "32", "-c", "2"]
        # A pass band up to 0.9 of the lower Nyquist frequency and 110 dB are what sox calls -v (very high); soxr's 20 bits
        # are 120 dB.
        commands = {
            "mynah": ["sh", "-c", f"{tool} {one} {other} 2 <{source} >/dev/null"],
            "sox": ["sox", "-R", "-D", *raw, "-r", str(one), str(source), *raw, "-r", str(other),
                    "/dev/null", "rate", "-v"],
            "soxr": ["ffmpeg", "-nostdin", "-v", "error", "-y", "-threads", "1", "-f", "f32le", "-ar", str(one), "-ac", "2",
                     "-i", str(source), "-af", f"aresample={other}:resampler=soxr:precision=20", "-f", "f32le",
                     "/dev/null"],
        }
        samples = {}
        for number in range(bench.rounds):
            for name in list(commands) if number % 2 == 0 else reversed(commands):
                samples.setdefault(name, []).append(run(commands[name]).cpu / SECONDS * 60)
        middle = {name: statistics.median(values) for name, values in samples.items()}
        rows.append([f"{one / 1000:g} to {other / 1000:g} kHz", *(spread(samples[name], 3) for name in commands)])
        for name in worst:
            worst[name] = max(worst[name], middle["mynah"] / middle[name])
        source.unlink()
    page.section(
        "From one rate to another",
        f"{SECONDS // 60} minutes of pink noise, stereo, 32-bit float, from a file to nowhere; seconds of processor a minute of sound.",
        ["", "mynah", "sox rate -v", "soxr (ffmpeg, 20 bits)"], rows,
        ["The filter alone, by the code that sessions use and the options of the release build, and the reading of a file that "
         "all three do. What each lets through is in the manual (sessions)."])
    for name, value in worst.items():
        page.goal(f"conversion: CPU, of {'sox rate -v' if name == 'sox' else 'soxr'}'s, the worst of the rates", 1.0, value)
