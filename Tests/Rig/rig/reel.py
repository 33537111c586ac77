"""Pictures that can be found again: a reel of encoded ones, no two alike, for the camera that the rig feeds."""

import dataclasses
import functools
import struct
import subprocess

WIDTH, HEIGHT = 1280, 720
# Once a second, this many of its pictures are white.
FLASH = 1


@dataclasses.dataclass(frozen=True)
class Reel:
    """Pictures as a camera gives them, in their order; they are shown round and round."""

    codec: str
    rate: int
    pictures: list[bytes]
    places: dict[bytes, int]

    @property
    def board(self) -> str:
        """The board file whose camera shows it."""
        return f"reel-{self.codec}"

    def packed(self) -> bytes:
        """As guest/feeder.c reads it."""
        kind = {"h264": b"H264", "mjpeg": b"MJPG"}[self.codec]
        head = kind + struct.pack("<IIII", WIDTH, HEIGHT, self.rate, len(self.pictures))
        return head + b"".join(struct.pack("<I", len(picture)) + picture for picture in self.pictures)

    def place(self, sample: bytes) -> int | None:
        """Which picture a sample of an MP4 file is, byte by byte; None if it is none."""
        return self.places.get(sample if self.codec == "mjpeg" else b"".join(slices(prefixed(sample))))


@functools.cache
def reel(codec: str, rate: int, seconds: int = 20) -> Reel:
    """A test picture that moves, with a white one at the beginning of every second."""
    source = f"testsrc2=size={WIDTH}x{HEIGHT}:rate={rate}:duration={seconds}"
    # What moves below shows that no two white ones are alike.
    flash = f"drawbox=w={WIDTH}:h={HEIGHT * 3 // 4}:color=white:thickness=fill:enable='lt(mod(n,{rate}),{FLASH})'"
    encoder = {
        # No picture refers to a later one, as a camera's does not; each begins with a delimiter, at which they part.
        "h264": [
            "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-b:v", "3M", "-maxrate", "3M",
            "-bufsize", "1M", "-x264-params", "keyint=15:scenecut=0:aud=1:threads=1:repeat-headers=1", "-f", "h264"],
        "mjpeg": ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", "12", "-threads", "1", "-f", "mjpeg"],
    }[codec]
    done = subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"{source},{flash},format=yuv420p", *encoder, "-"],
        capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"ffmpeg makes no pictures: {done.stderr.decode()[-500:]}")
    pictures = parted(done.stdout, b"\0\0\0\1\x09" if codec == "h264" else b"\xff\xd8\xff")
    if len(pictures) != rate * seconds:
        raise RuntimeError(f"ffmpeg made {len(pictures)} pictures, not {rate * seconds}")
    keys = [b"".join(slices(started(picture))) if codec == "h264" else picture for picture in pictures]
    places = {key: place for place, key in enumerate(keys)}
    if len(places) != len(pictures):
        raise RuntimeError("some pictures are alike")
    return Reel(codec, rate, pictures, places)


def parted(stream: bytes, mark: bytes) -> list[bytes]:
    """A stream, parted before every mark."""
    starts, at = [], stream.find(mark)
    while at >= 0:
        starts.append(at)
        at = stream.find(mark, at + len(mark))
    return [stream[start:end] for start, end in zip(starts, [*starts[1:], len(stream)])]


def started(picture: bytes) -> list[bytes]:
    """The units of a byte stream (ITU-T H.264, annex B)."""
    return [unit.rstrip(b"\0") for unit in picture.split(b"\0\0\1") if unit.rstrip(b"\0")]


def prefixed(sample: bytes) -> list[bytes]:
    """The units of an MP4 sample, each with its length before it (ISO/IEC 14496-15)."""
    units, at = [], 0
    while at + 4 <= len(sample):
        length = int.from_bytes(sample[at : at + 4], "big")
        units.append(sample[at + 4 : at + 4 + length].rstrip(b"\0"))
        at += 4 + length
    return units


def slices(units: list[bytes]) -> list[bytes]:
    """Those that hold the picture itself; parameter sets may come and go between camera and file."""
    return [unit for unit in units if unit and 1 <= unit[0] & 31 <= 5]
