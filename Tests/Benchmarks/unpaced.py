"""Recording as fast as it goes: the cost of the work itself."""
import rivals
from process import run
from report import ratio, spread

SECONDS = 300


def measure(bench, page):
    source = bench.noise(SECONDS)
    raw = rivals.raw(bench, source)
    samples = {}
    for number in range(bench.rounds):
        contestants = commands(bench, source, raw)
        names = list(contestants)
        # One after the other, in turn, and every other round backwards.
        for name in names if number % 2 == 0 else reversed(names):
            command, environment = contestants[name]
            samples.setdefault(name, []).append(run(command, environment=environment))
    minutes = SECONDS / 60
    rows = []
    for name, rival in (
        ("mynah AAC", "ffmpeg AAC"), ("mynah AAC, thorough", "ffmpeg AAC"), ("ffmpeg AAC", None), ("mynah WAV", "arecord WAV"), ("arecord WAV", None),
        ("sox WAV", None), ("ffmpeg WAV", None), ("mynah armed", None)):
        usages = samples[name]
        compared = "–"
        if rival:
            compared = f"{ratio([u.cpu for u in usages], [u.cpu for u in samples[rival]]):.2f}× {rival.split()[0]}"
        rows.append([
            name, spread([u.cpu / minutes for u in usages], 3), compared, spread([u.peak for u in usages], 1)])
    page.section(
        "Recording as fast as it goes",
        f"{SECONDS // 60} minutes of pink noise, 48 kHz stereo 16 bit; AAC at 128 kbit/s; `--clock virtual`.",
        ["", "CPU s/min", "ratio", "peak RSS, MiB"], rows,
        ["`mynah armed` meters and keeps the pre-record, and does not record. In virtual time the screen is drawn 4 "
         "times a second. ffmpeg without `-re`; arecord from ALSA's `file` plugin on a file, which does nothing but "
         "copy; sox from raw samples to WAV. Start-up is included. `thorough` is the coder of boards that can afford it, and what "
         "ffmpeg takes unless told otherwise. *Coding alone* is AAC less WAV, of either: without mynah's meters, loudness and true "
         "peak, screen and syncs."])
    cpu = {name: [usage.cpu for usage in usages] for name, usages in samples.items()}
    theirs = [coded - plain for coded, plain in zip(cpu["ffmpeg AAC"], cpu["ffmpeg WAV"])]
    for name, said in (("mynah AAC", "AAC unpaced"), ("mynah AAC, thorough", "AAC unpaced, thorough")):
        page.goal(f"{said}: CPU, of ffmpeg's", 1.0, ratio(cpu[name], cpu["ffmpeg AAC"]))
        page.goal(
            f"{said}: coding alone, of ffmpeg's", 1.0,
            ratio([coded - plain for coded, plain in zip(cpu[name], cpu["mynah WAV"])], theirs))


def commands(bench, source, raw):
    def mynah(settings, press=0.5, board="simulator"):
        script = bench.recording_script(settings, press, SECONDS + 0.5, SECONDS + 1)
        return bench.simulate(script, "virtual", source, board=board)

    return {
        "mynah AAC": (mynah({}), None),
        "mynah AAC, thorough": (mynah({}, board=bench.thorough()), None),
        "ffmpeg AAC": (rivals.ffmpeg_aac(source, bench.path("take", ".m4a"), SECONDS, paced=False), None),
        "ffmpeg WAV": (rivals.ffmpeg_wav(source, bench.path("take", ".wav"), SECONDS), None),
        "mynah WAV": (mynah({"recording.format": "wav"}), None),
        "arecord WAV": (
            rivals.arecord("bench", bench.path("take", ".wav"), SECONDS), rivals.file_pcm(bench, raw)),
        "sox WAV": (rivals.sox_wav(raw, bench.path("take", ".wav"), SECONDS), None),
        "mynah armed": (mynah({}, press=None), None),
    }
