"""Recording at the pace of the sound: what a device does all day."""
import contextlib

import rivals
from bench import events, topic
from process import Child
from report import ratio, spread


def measure(bench, page):
    seconds = bench.seconds
    samples = {}
    with contextlib.ExitStack() as stack:
        pulse = None
        if rivals.PulseAudio.missing() is None:
            pulse = stack.enter_context(rivals.PulseAudio(bench))
        file_pcm = rivals.file_pcm(bench, rivals.raw(bench, bench.speech(bench.seconds + 5)))
        has_alsa = can_capture(bench, file_pcm)
        has_pulse = bool(pulse) and can_capture(bench, pulse.environment(bench))
        for number in range(bench.rounds):
            # Two groups, so that few processes share the cores; who starts first alternates.
            for group in (aac_group(bench), wav_group(bench, pulse, has_alsa, has_pulse)):
                for name, usage in together(group, number, seconds).items():
                    samples.setdefault(name, []).append(usage)
    minutes = seconds / 60
    table(page, samples, minutes, seconds, reasons(pulse, has_alsa, has_pulse))
    goals(page, samples, minutes)


def together(group, number, seconds):
    """Runs every command of the group at the same time and checks that a recording came of it."""
    names = list(group)
    names = names[number % len(names):] + names[:number % len(names)]
    steady = (min(10, seconds * 0.2), seconds * 0.9)
    children = {name: Child(group[name][0], steady=steady, environment=group[name][1]) for name in names}
    return {name: child.result() for name, child in children.items()}


def mynah(bench, settings, press=1, microphone=None):
    """mynah that records for as long as the others do, or that is only armed."""
    stop = 1 + bench.seconds
    script = bench.recording_script(settings, press, stop, stop + 0.5)
    return bench.simulate(script, "real", microphone or bench.speech(bench.seconds + 5))


def aac_group(bench):
    source = bench.speech(bench.seconds + 5)
    return {
        "mynah AAC": (mynah(bench, {}), None),
        "ffmpeg AAC": (rivals.ffmpeg_aac(source, bench.path("take", ".m4a"), bench.seconds, paced=True), None),
        "mynah armed": (mynah(bench, {}, press=None), None),
    }


def wav_group(bench, pulse, has_alsa, has_pulse):
    raw = rivals.raw(bench, bench.speech(bench.seconds + 5))
    wav = {"recording.format": "wav"}
    group = {
        "mynah WAV": (mynah(bench, wav), None),
        "arecord, pipe": (
            rivals.arecord(
                "bench", bench.path("take", ".wav"), bench.seconds, "--period-size=480", "--buffer-size=24000"),
            rivals.file_pcm(bench, rivals.Feeder(bench, raw).path)),
        "sox, pipe": (
            rivals.sox_wav(rivals.Feeder(bench, raw).path, bench.path("take", ".wav"), bench.seconds), None),
    }
    if has_alsa:
        group["mynah WAV, pipe"] = (
            mynah(bench, wav, microphone="alsa:bench"), rivals.file_pcm(bench, rivals.Feeder(bench, raw).path))
    if pulse:
        group["arecord, PulseAudio"] = (
            rivals.arecord(
                "bench", bench.path("take", ".wav"), bench.seconds, "--period-size=480", "--buffer-size=24000"),
            pulse.environment(bench))
        if has_pulse:
            group["mynah WAV, PulseAudio"] = (mynah(bench, wav, microphone="alsa:bench"), pulse.environment(bench))
    return group


def can_capture(bench, environment):
    """Whether this mynah takes sound from ALSA's PCM `bench` of an environment. A static one knows no plug-ins."""
    script = bench.recording_script({"recording.format": "wav"}, None, None, 0.3)
    child = Child(bench.simulate(script, "real", "alsa:bench"), environment=environment)
    child.thread.join()
    ready = topic(events(child.usage.output), "onDeviceReturned")
    return child.usage.status == 0 and any(event["data"].get("device") == "microphone" for event in ready)


def reasons(pulse, has_alsa, has_pulse):
    notes = [
        "Processes of one group (AAC; WAV) run at the same time. CPU is the whole process from start to end, divided "
        "by the minutes recorded; *rate* is taken between two instants while recording, without start and end. "
        "Nothing is subtracted: mynah also meters, measures loudness, keeps the pre-record, draws its screen 30 times "
        "a second and syncs the take to the medium, and its simulated microphone is one of its threads.",
        "`arecord, pipe`: PCM of ALSA's `file` plugin on a named pipe that another process feeds with 10 ms of sound "
        "at a time, period 480 frames. `arecord, PulseAudio`: monitor of a null sink (silence), the same period; the "
        "server's own time is not counted. There is no kernel sound card in it. `sox, pipe`: raw samples from such a "
        "pipe."]
    if pulse is None:
        notes.append(f"Not measured with PulseAudio: {rivals.PulseAudio.missing()}.")
    if not has_alsa:
        notes.append("This mynah does not capture from ALSA in `simulate`; where it does, the table has that row.")
    if pulse and not has_pulse:
        notes.append("This mynah is static and knows no ALSA plug-ins: it has no row on PulseAudio, and is compared "
                     "with arecord's by its simulated microphone.")
    return notes


def table(page, samples, minutes, seconds, notes):
    rows = []
    for name, usages in samples.items():
        rows.append([
            name, spread([usage.cpu / minutes for usage in usages]),
            spread([usage.rate for usage in usages if usage.rate is not None]),
            spread([usage.peak for usage in usages], 1),
            spread([usage.private for usage in usages if usage.private is not None], 1)])
    page.section(
        "Recording in real time", f"{seconds} s of speech, 48 kHz stereo 16 bit; AAC at 128 kbit/s.",
        ["", "CPU s/min", "rate, CPU s/min", "peak RSS, MiB", "private, MiB"], rows, notes)
    threads = {}
    for name in ("mynah AAC", "mynah WAV", "mynah armed"):
        for usage in samples[name]:
            for thread, rate in (usage.threads or {}).items():
                threads.setdefault(thread, {}).setdefault(name, []).append(rate)
    page.section(
        "Where mynah's time goes", "CPU s/min by thread, at the rate.",
        ["thread", "AAC", "WAV", "armed"],
        [[thread] + [spread(by.get(name, []), 3) for name in ("mynah AAC", "mynah WAV", "mynah armed")]
         for thread, by in threads.items()],
        ["`mynah` is the control thread; `mynah-devices` is the simulated microphone and speaker, which a device does "
         "not have."])


def goals(page, samples, minutes):
    def cpu(name):
        return [usage.cpu for usage in samples[name]]

    def peak(name):
        return [usage.peak for usage in samples[name]]

    page.goal("AAC in real time: CPU, of ffmpeg's", 1.0, ratio(cpu("mynah AAC"), cpu("ffmpeg AAC")))
    page.goal("AAC in real time: peak RSS, of ffmpeg's", 0.4, ratio(peak("mynah AAC"), peak("ffmpeg AAC")), digits=3)
    piped = "mynah WAV, pipe" if "mynah WAV, pipe" in samples else "mynah WAV"
    page.goal("WAV in real time: CPU, of arecord's on a pipe", 1.5, ratio(cpu(piped), cpu("arecord, pipe")))
    if "arecord, PulseAudio" in samples:
        ours = "mynah WAV, PulseAudio" if "mynah WAV, PulseAudio" in samples else "mynah WAV"
        page.goal(
            "WAV in real time: CPU, of arecord's on PulseAudio", 1.5, ratio(cpu(ours), cpu("arecord, PulseAudio")))
