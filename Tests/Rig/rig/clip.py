"""A saved clip, read by programs that are not the firmware's."""

import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile

from .reel import Reel
from .sound import RATE


@dataclasses.dataclass
class Shown:
    """The pictures that a player shows: which of the reel each is (None: none of it), and when, in seconds."""

    places: list[int | None]
    times: list[float]

    def steps(self) -> list[float]:
        return [after - before for before, after in zip(self.times, self.times[1:])]


class Clip:
    def __init__(self, content: bytes):
        self.content = content

    def shown(self, reel: Reel) -> Shown:
        """Its pictures by the bytes that are in the file; those before the edit list's start are not shown."""
        packets = self._probe("v:0", "packet=pts_time,pos,size,flags")["packets"]
        packets = [one for one in packets if float(one["pts_time"]) > -1e-6 and "D" not in one["flags"]]
        packets.sort(key=lambda one: float(one["pts_time"]))
        places = []
        for one in packets:
            at = int(one["pos"])
            places.append(reel.place(self.content[at : at + int(one["size"])]))
        return Shown(places, [float(one["pts_time"]) for one in packets])

    def brightness(self) -> list[float]:
        """How bright every picture is that a decoder gives, 0…255."""
        small = 64
        content = self._decoded(
            "-map", "0:v:0", "-vf", "scale=8:8:flags=area,format=gray", "-fps_mode", "passthrough", "-f", "rawvideo")
        return [sum(content[at : at + small]) / small for at in range(0, len(content), small)]

    def sound(self) -> tuple[float, memoryview]:
        """When the sound begins, in seconds, and its samples: one channel, 48 kHz, 16 bits."""
        start = float(self._probe("a:0", "stream=start_time")["streams"][0]["start_time"])
        content = self._decoded("-map", "0:a:0", "-ac", "1", "-ar", str(RATE), "-f", "s16le")
        return start, memoryview(content).cast("h")

    def complaints(self) -> list[str]:
        """What ffmpeg, mpv and GStreamer's demuxer (the one of WebKit's browsers) have against it."""
        found = []
        with self._file() as path:
            least, most = self._pictures_for_gstreamer()
            for name, command in PLAYERS.items():
                command = [part.replace("CLIP", str(path)).replace("FOLDER", str(path.parent)) for part in command]
                done = subprocess.run(command, capture_output=True, text=True, timeout=120)
                text = done.stdout + done.stderr
                if name == "GStreamer":
                    written = len(list(path.parent.glob("picture-*")))
                    if not least <= written <= most:
                        found.append(f"GStreamer finds {written} pictures of {most}")
                    text = "\n".join(re.findall(r"^(?:ERROR|WARNING).*", text, re.MULTILINE))
                if done.returncode != 0 or text.strip():
                    found.append(f"{name} (status {done.returncode}): {text[-400:]}")
        return found

    def _pictures_for_gstreamer(self) -> tuple[int, int]:
        """How many pictures GStreamer hands on at least and at most.

        Before the edit list's start it may hand on the hidden ones, too. At the end (qtdemux of 1.22) it stops after a
        keyframe if the next picture's time in the track, hidden pictures counted, is beyond the movie's end."""
        packets = self._probe("v:0", "packet=pts_time,flags")["packets"]
        shown = sorted((float(one["pts_time"]), "K" in one["flags"]) for one in packets if "D" not in one["flags"])
        hidden = -min(0.0, min(float(one["pts_time"]) for one in packets))
        beyond = shown[-1][0] + 1e-3 - hidden
        for place, ((_, isKeyframe), (time, _)) in enumerate(zip(shown, shown[1:]), 1):
            if isKeyframe and time > beyond:
                return place, len(packets)
        return len(shown), len(packets)

    def _probe(self, stream: str, entries: str) -> dict:
        with self._file() as path:
            done = subprocess.run(
                ["ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", entries, "-of", "json", path],
                capture_output=True, text=True)
        if done.returncode != 0 or done.stderr.strip():
            raise ValueError(f"ffprobe: {done.stderr[-500:]}")
        return json.loads(done.stdout)

    def _decoded(self, *options: str) -> bytes:
        with self._file() as path:
            done = subprocess.run(["ffmpeg", "-v", "error", "-i", path, *options, "-"], capture_output=True)
        if done.returncode != 0 or done.stderr.strip():
            raise ValueError(f"ffmpeg: {done.stderr.decode()[-500:]}")
        return done.stdout

    def _file(self):
        return _Stored(self.content)


class _Stored:
    def __init__(self, content: bytes):
        self._content = content

    def __enter__(self) -> pathlib.Path:
        self._folder = tempfile.TemporaryDirectory(prefix="mynah-clip-")
        path = pathlib.Path(self._folder.name) / "clip.mp4"
        path.write_bytes(self._content)
        return path

    def __exit__(self, *_) -> None:
        self._folder.cleanup()


PLAYERS = {
    # With the file's own times: in whole pictures, two may fall on one.
    "ffmpeg": [
        "ffmpeg", "-v", "warning", "-i", "CLIP", "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "null", "-"],
    # As fast as it can; that it is too slow for that is no complaint about the file.
    "mpv": [
        "mpv", "--no-config", "--vo=null", "--ao=null", "--ao-null-untimed=yes", "--untimed",
        "--msg-level=all=warn,cplayer=error", "--term-status-msg=", "CLIP"],
    "GStreamer": [
        "gst-launch-1.0", "-q", "filesrc", "location=CLIP", "!", "qtdemux", "name=file",
        "file.video_0", "!", "queue", "!", "multifilesink", "location=FOLDER/picture-%06d",
        "file.audio_0", "!", "queue", "!", "fakesink", "name=sound"],
}
