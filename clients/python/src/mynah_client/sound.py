"""The sound of a take as numbers: WAV files by the standard library alone, all others by ffmpeg where it is."""

from __future__ import annotations

import math
import shutil
import struct
import subprocess
import sys
from array import array
from pathlib import Path
from typing import Any, Optional, Sequence, Tuple, Union

from .errors import UnsupportedFormat

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_SILENCE_DB = -120.0


class Samples(Sequence[float]):
    """Sound: numbers from -1 to 1, of all channels in turn.

    `numpy.asarray(samples)` is an array of (frames, channels) where numpy is installed; `channel(0)` needs nothing.
    """

    def __init__(self, values: "array[float]", rate: int, channels: int):
        self.values = values
        self.rate = rate
        """Frames a second."""
        self.channels = channels

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __repr__(self) -> str:
        return f"<Samples {self.frames} frames at {self.rate} Hz, {self.channels} channels>"

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        import numpy

        table = numpy.frombuffer(self.values, dtype=numpy.float32).reshape(-1, self.channels)
        return table.astype(dtype) if dtype is not None and dtype != table.dtype else table.copy()

    @property
    def frames(self) -> int:
        return len(self.values) // self.channels

    @property
    def seconds(self) -> float:
        return self.frames / self.rate

    def channel(self, number: int) -> "array[float]":
        """The numbers of one channel; 0 is the left one."""
        return self.values[number :: self.channels]

    def between(self, start: float, end: float) -> "Samples":
        """The stretch from second `start` to second `end`."""
        first, last = (max(0, round(second * self.rate)) * self.channels for second in (start, end))
        return Samples(self.values[first:last], self.rate, self.channels)

    @property
    def peak_db(self) -> float:
        """The highest sample, in dB below full scale."""
        return _decibels(max((abs(value) for value in self.values), default=0.0))

    @property
    def rms_db(self) -> float:
        """The average level, in dB below full scale: a full sine reads -3."""
        return _decibels(math.sqrt(math.fsum(value * value for value in self.values) / max(1, len(self.values))))

    def tone_db(self, hertz: float, channel: int = 0) -> float:
        """How loud this one frequency is, in dB below a full sine of it (Goertzel's algorithm)."""
        values = self.channel(channel)
        factor = 2 * math.cos(2 * math.pi * hertz / self.rate)
        before, now = 0.0, 0.0
        for value in values:
            before, now = now, value + factor * now - before
        power = before * before + now * now - factor * before * now
        return _decibels(2 * math.sqrt(max(0.0, power)) / max(1, len(values)))


def _decibels(value: float) -> float:
    return max(_SILENCE_DB, 20 * math.log10(value)) if value > 0 else _SILENCE_DB


def read_samples(data: bytes, name: str = "the file") -> Samples:
    """The sound in a file: WAV (RF64 and extensible, too) by itself, all else by ffmpeg. Raises UnsupportedFormat."""
    if data[:4] in (b"RIFF", b"RF64") and data[8:12] == b"WAVE":
        return read_wav(data, name)
    program = shutil.which("ffmpeg")
    if program is None:
        raise UnsupportedFormat(
            f'{name} is no WAV file: set recording.format to "wav", or install ffmpeg, which reads all others'
        )
    # Through a file: an M4A cannot be read from a pipe, where nobody goes back to its index.
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=Path(name).suffix) as file:
        file.write(data)
        file.flush()
        run = subprocess.run(
            [program, "-v", "error", "-i", file.name, "-map", "0:a:0", "-c:a", "pcm_f32le", "-f", "wav", "-"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    if run.returncode != 0:
        raise UnsupportedFormat(f"{name}: {run.stderr.decode(errors='replace').strip()}")
    return read_wav(run.stdout, name)


def read_wav(data: bytes, name: str = "the file") -> Samples:
    """The sound of a WAV file: integers of 8 to 32 bits, or floating point of 32 or 64. One that still grows, too."""
    if data[:4] not in (b"RIFF", b"RF64") or data[8:12] != b"WAVE":
        raise UnsupportedFormat(f"{name} is no WAV file")
    layout: Optional[Tuple[int, int, int, int]] = None
    long_size: Optional[int] = None
    place = 12
    while place + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, place)
        start = place + 8
        if kind == b"ds64" and len(data) >= start + 16:
            long_size = struct.unpack_from("<Q", data, start + 8)[0]
        elif kind == b"fmt ":
            layout = _layout(data[start : start + size], name)
        elif kind == b"data":
            if layout is None:
                raise UnsupportedFormat(f"{name}: its samples come before their format")
            if size == 0xFFFFFFFF:
                size = len(data) - start if long_size is None else long_size
            return _samples(data[start : start + size], *layout, name)
        place = start + size + size % 2
    raise UnsupportedFormat(f"{name}: a WAV file without samples")


def _layout(chunk: bytes, name: str) -> Tuple[int, int, int, int]:
    if len(chunk) < 16:
        raise UnsupportedFormat(f"{name}: a WAV file without a format")
    kind, channels, rate, _, block, bits = struct.unpack_from("<HHIIHH", chunk)
    if kind == _EXTENSIBLE and len(chunk) >= 26:
        kind = struct.unpack_from("<H", chunk, 24)[0]
    if not channels or not rate or block % channels:
        raise UnsupportedFormat(f"{name}: {channels} channels at {rate} Hz in {block} bytes")
    width = block // channels
    if (kind, width) not in [(_PCM, 1), (_PCM, 2), (_PCM, 3), (_PCM, 4), (_FLOAT, 4), (_FLOAT, 8)]:
        raise UnsupportedFormat(f"{name}: WAV of kind {kind} with {bits} bits")
    return kind, channels, rate, width


def _samples(data: bytes, kind: int, channels: int, rate: int, width: int, name: str) -> Samples:
    data = data[: len(data) - len(data) % (channels * width)]
    if kind == _PCM and width == 1:
        return Samples(array("f", [(value - 128) / 128 for value in data]), rate, channels)
    if kind == _PCM and width == 3:
        # As the upper three bytes of four.
        wide = bytearray(len(data) // 3 * 4)
        for byte in range(3):
            wide[byte + 1 :: 4] = data[byte::3]
        data, width = bytes(wide), 4
    values: "array[Any]" = array({(_PCM, 2): "h", (_PCM, 4): "i", (_FLOAT, 4): "f", (_FLOAT, 8): "d"}[kind, width])
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    if kind == _FLOAT:
        return Samples(array("f", values), rate, channels)
    full = float(1 << (8 * width - 1))
    return Samples(array("f", [value / full for value in values]), rate, channels)


def samples_of(path: Union[str, Path]) -> Samples:
    """The sound of a file of this machine."""
    return read_samples(Path(path).read_bytes(), str(path))
