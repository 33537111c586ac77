"""Clips: what it costs to keep the last seconds of a camera, and how soon a clip is on the disk."""
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import time

from bench import check, events, topic
from process import Child
from report import spread

# What every program is given: 1280 × 720, 30 pictures a second, a keyframe every half second, 4 Mbit/s.
PICTURES = 30
KEYFRAME = 15
BITRATE = "4M"
PRE_ROLL, POST_ROLL = 5, 2
TRIGGERS = 10


def measure(bench, page):
    films = Films(bench)
    buffering(bench, page, films)
    saving(bench, page, films)


class Films:
    """The same pictures as a bare stream (for mynah) and with sound in Matroska (for the others)."""

    def __init__(self, bench):
        seconds = bench.seconds + 15
        self.bare = bench.path("film", ".h264")
        self.whole = bench.path("film", ".mkv")
        self.speech = bench.speech(seconds)
        # What the ring is made for.
        self.board = bench.path("board", ".toml")
        self.board.write_text(
            f'inherits = "simulator"\n[camera]\nwidth = 1280\nheight = 720\nbitrate_kbps = 4000\n'
            f"fps = {PICTURES}\nkeyframe_interval = {KEYFRAME}\n")
        check([
            "ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=size=1280x720:rate={PICTURES}",
            "-i", str(self.speech), "-t", str(seconds), "-c:v", "libx264", "-preset", "veryfast", "-b:v", BITRATE,
            "-maxrate", BITRATE, "-bufsize", BITRATE, "-g", str(KEYFRAME), "-bf", "0", "-sc_threshold", "0",
            "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k", str(self.whole)])
        check(["ffmpeg", "-loglevel", "error", "-y", "-i", str(self.whole), "-an", "-c", "copy", str(self.bare)])


def simulate(bench, films, script, data):
    return bench.simulate(script, "real", films.speech, data) + [
        "--camera", str(films.bare), "--speaker", "none", "--board", str(films.board)]


def setup():
    settings = {"clips.durationSeconds": PRE_ROLL, "clips.postRollSeconds": POST_ROLL, "clips.overlap": "independent"}
    return [f"0 call settings.set {json.dumps(settings)}", '0.1 call panel.mode {"mode":"clips"}']


def buffering(bench, page, films):
    """All of them at once, so that they share whatever else the machine does."""
    seconds = bench.seconds
    samples, rings = {}, []
    for number in range(bench.rounds):
        with contextlib.ExitStack() as stack:
            group = {
                "mynah": simulate(
                    bench, films, setup() + [f"{seconds + 2:.1f} call clips.status", f"{seconds + 2.5:.1f} quit"],
                    bench.path("data")),
                "ffmpeg, segments": ffmpeg_segments(bench, films, seconds + 3),
            }
            if shutil.which("gst-launch-1.0"):
                group["GStreamer, splitmuxsink"] = splitmuxsink(bench, films)
            if shutil.which("motion"):
                group["Motion, pass-through"] = stack.enter_context(Motion(bench, films)).command
            names = list(group)
            names = names[number % len(names):] + names[:number % len(names)]
            children = {
                name: Child(group[name], steady=(seconds * 0.3, seconds * 0.95)) for name in names}
            for name, child in children.items():
                if name in ("mynah", "ffmpeg, segments"):
                    continue
                # They have no end of their own.
                time.sleep(max(0, child.started + seconds + 1 - time.monotonic()))
                child.process.terminate()
            for name, child in children.items():
                child.thread.join()
                if name == "mynah" and child.usage.status != 0:
                    raise SystemExit(f"bench: mynah ended with {child.usage.status}: {child.errors}")
                samples.setdefault(name, []).append(child.usage)
                if name == "mynah":
                    rings.append(ring_bytes(child.usage.output))
    rows = [
        [name, spread([percent(usage) for usage in usages if usage.rate is not None]),
         spread([usage.peak for usage in usages], 1),
         spread([usage.private for usage in usages if usage.private is not None], 1)]
        for name, usages in samples.items()]
    rows.insert(1, [
        "mynah without its simulated devices",
        spread([percent(usage) - usage.threads.get("mynah-devices", 0) / 60 * 100 for usage in samples["mynah"]]),
        "–", "–"])
    missing = [name for name, program in (("Motion", "motion"), ("GStreamer", "gst-launch-1.0"))
               if not shutil.which(program)]
    notes = [
        f"`mynah simulate` in clip mode with a window of {PRE_ROLL} s; its simulated camera and microphone are among its "
        "threads, and on a thread of their own: reading the film is theirs, as it is ffmpeg's. ffmpeg: segments of 0.5 s, `-c copy`, 20 of them kept on the disk. GStreamer: the same by splitmuxsink. "
        f"Motion: `movie_passthrough`, `pre_capture` of {PRE_ROLL} s, its detection switched off as far as it goes; it "
        "decodes every picture all the same.",
        "*The ring* of the goal is all memory for pictures: of the window, and of the ten seconds that a card may take to answer."]
    if missing:
        notes.append(f"Not installed, so not measured: {', '.join(missing)}.")
    page.section(
        "Keeping the last seconds of a camera",
        f"1280 × 720 at {PICTURES} pictures a second, H.264 at 4 Mbit/s, with sound, for {seconds} s in real time.",
        ["", "% of a core", "peak RSS, MiB", "private, MiB"], rows, notes)
    own = statistics.median(percent(usage) for usage in samples["mynah"])
    ffmpeg = statistics.median(percent(usage) for usage in samples["ffmpeg, segments"])
    page.goal("clips: CPU while buffering, of ffmpeg's segmenter", 1.0, own / ffmpeg)
    page.goal("clips: CPU while buffering", 1.3, own, " % of a core", 2)
    ring = statistics.median(rings) / (1 << 20)
    peak = max(usage.peak for usage in samples["mynah"])
    page.goal("clips: peak RSS without the ring", 25, peak - ring, " MiB", 1)


def percent(usage):
    return usage.rate / 60 * 100


def ring_bytes(output):
    status = topic(events(output), "result")[-1]["data"]
    return status["result"]["capacityBytes"] + status["result"]["reserveBytes"]


def ffmpeg_segments(bench, films, seconds):
    folder = bench.path("segments")
    folder.mkdir()
    return [
        "ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-i", str(films.whole), "-t", str(seconds), "-c", "copy",
        "-f", "segment", "-segment_time", "0.5", "-segment_wrap", "20", "-reset_timestamps", "0", "-segment_format",
        "mpegts", str(folder / "%03d.ts")]


def splitmuxsink(bench, films):
    folder = bench.path("splitmux")
    folder.mkdir()
    return [
        "gst-launch-1.0", "-q", "filesrc", f"location={films.whole}", "!", "matroskademux", "name=d",
        "d.video_0", "!", "queue", "!", "h264parse", "!", "identity", "sync=true", "!", "s.video",
        "d.audio_0", "!", "queue", "!", "aacparse", "!", "s.audio_0",
        "splitmuxsink", "name=s", "max-size-time=500000000", "max-files=20", f"location={folder}/%05d.mp4"]


class Motion:
    port = 18099

    def __init__(self, bench, films):
        self.folder = bench.path("motion")
        self.folder.mkdir()
        conf = self.folder / "motion.conf"
        conf.write_text("\n".join([
            "daemon off", "setup_mode off", "log_level 4", f"log_file {self.folder}/log", f"target_dir {self.folder}",
            f"netcam_url file://{films.whole}", "width 1280", "height 720", f"framerate {PICTURES}",
            f"pre_capture {PRE_ROLL * PICTURES}", f"post_capture {POST_ROLL * PICTURES}", "movie_output on",
            "movie_passthrough on", "picture_output off", "threshold 900000", f"webcontrol_port {self.port}",
            "webcontrol_localhost on", "event_gap 2"]) + "\n")
        self.command = ["motion", "-n", "-c", str(conf)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def saving(bench, page, films):
    """How long after the last picture a clip is durable, and what is in it."""
    data = bench.path("data")
    times = [8 + number * (POST_ROLL + 1.37) for number in range(TRIGGERS)]
    script = setup() + [f"{time_:.2f} press REC" for time_ in times] + [f"{times[-1] + POST_ROLL + 2:.1f} quit"]
    child = Child(simulate(bench, films, script, data))
    usage = child.result()
    receipts = [event["data"] for event in topic(events(usage.output), "onCaptureCompleted")]
    clips = sorted((pathlib.Path(data) / "clips").glob("*.mp4"))
    if len(receipts) != TRIGGERS or len(clips) != TRIGGERS:
        raise SystemExit(f"bench: of {TRIGGERS} triggers {len(clips)} clips came")
    saved = [1000 * (receipt["durableAt"] - receipt["lastMediaAt"]) for receipt in receipts]
    plain = [1000 * plain_write(bench, clip.stat().st_size) for clip in clips]
    joined, seconds = ffmpeg_join(bench, films)
    probes = [probe(clip) for clip in clips]
    wanted = PRE_ROLL + POST_ROLL
    lost = sum(sum(receipt["pictures"]["dropped"].values()) for receipt in receipts)
    started = [1000 * receipt["startErrorSeconds"] for receipt in receipts]
    rows = [
        ["mynah", spread(saved, 1), spread(started, 1), str(sum(found["irregular"] for found in probes)), str(lost),
         spread([found["duration"] - wanted for found in probes], 3)],
        ["the same bytes, written and synced", spread(plain, 1), "–", "–", "–", "–"],
    ]
    found = probe(joined)
    rows.append(["ffmpeg, 14 segments of 0.5 s joined", f"{1000 * seconds:.1f}", "up to 500", str(found["irregular"]),
                 "0", f"{found['duration'] - 7:.3f}"])
    page.section(
        "From the last picture to a durable clip",
        f"{TRIGGERS} clips of {PRE_ROLL} s before and {POST_ROLL} s after the key.",
        ["", "ms to the file", "start off by, ms", "irregular steps of time", "pictures lost", "seconds longer than asked for"],
        rows,
        ["*Irregular steps*: presentation times of pictures, and of sound, whose distance is not the usual one by more than "
         "a sample (ffprobe). A clip is written while its post-roll runs, so that only its end is left to write.",
         "The clip begins with the picture that was to be seen at the start that was asked for, and ends with the one at its "
         "end: up to a picture's duration more than asked for."])
    page.goal(
        "clips: durable after the last picture, beyond writing the same bytes", 50,
        statistics.median(saved) - statistics.median(plain), " ms", 1)
    page.goal("clips: irregular steps of time", 0, sum(found["irregular"] for found in probes), "", 0)


def plain_write(bench, size):
    path = bench.path("plain")
    content = os.urandom(size)
    start = time.monotonic()
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fdatasync(file.fileno())
    return time.monotonic() - start


def ffmpeg_join(bench, films):
    """Segments that ffmpeg has written, joined by ffmpeg."""
    folder = bench.path("parts")
    folder.mkdir()
    check([
        "ffmpeg", "-loglevel", "error", "-i", str(films.whole), "-t", "7", "-c", "copy", "-f", "segment", "-segment_time",
        "0.5", "-segment_format", "mpegts", str(folder / "%03d.ts")])
    names = folder / "list.txt"
    names.write_text("".join(f"file '{part}'\n" for part in sorted(folder.glob("*.ts"))))
    target = bench.path("joined", ".mp4")
    start = time.monotonic()
    check(["ffmpeg", "-loglevel", "error", "-f", "concat", "-safe", "0", "-i", str(names), "-c", "copy", str(target)])
    with open(target, "rb+") as file:
        os.fdatasync(file.fileno())
    return target, time.monotonic() - start


def probe(path):
    irregular = 0
    kinds = check(["ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", str(path)]).stdout
    for stream in ("v:0", "a:0") if "audio" in kinds else ("v:0",):
        text = check([
            "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts,flags", "-of", "csv=p=0",
            str(path)]).stdout
        # Packets before the start by the edit list are marked for discarding; the rest is what a player shows.
        rows = [line.split(",") for line in text.split() if line]
        stamps = sorted(int(row[0]) for row in rows if row[0] not in ("N/A", "") and "D" not in row[1])
        steps = [later - earlier for earlier, later in zip(stamps, stamps[1:])]
        usual = statistics.mode(steps)
        # The last packet of sound may be a short one.
        irregular += sum(1 for step in steps if abs(step - usual) > 1)
    duration = float(check([
        "ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", str(path)]).stdout)
    return {"irregular": irregular, "duration": duration}
