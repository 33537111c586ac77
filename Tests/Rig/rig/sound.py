"""Sound that can be found again: noise of which no two places are alike, and where it is in a recording."""

import array
import cmath
import dataclasses
import io
import math
import random
import struct
import wave as wave_file

RATE, CHANNELS, FRAME = 48000, 2, 4


def noise(seed: int, seconds: float) -> bytes:
    """S16_LE stereo noise at about -12 dB of full scale, the same for the same seed."""
    content = bytearray(random.Random(seed).randbytes(int(seconds * RATE) * FRAME))
    # High bytes from -32 to 31: a quarter of full scale.
    table = bytes((value % 64 - 32) & 0xFF for value in range(256))
    content[1::2] = content[1::2].translate(table)
    return bytes(content)


def tone(hertz: int, seconds: int, rate: int = RATE) -> bytes:
    """A sine at half of full scale, S16_LE stereo, which begins anew without a step every second."""
    once = array.array("h")
    for at in range(rate):
        value = round(16384 * math.sin(2 * math.pi * hertz * at / rate))
        once.extend((value, value))
    return once.tobytes() * seconds


def pitch(samples: array.array, rate: int = RATE) -> float:
    """Hz, by how often a tone rises through zero; between two samples by a straight line."""
    rises = [
        at + samples[at] / (samples[at] - samples[at + 1]) for at in range(len(samples) - 1)
        if samples[at] < 0 <= samples[at + 1]]
    return (len(rises) - 1) * rate / (rises[-1] - rises[0]) if len(rises) > 1 else 0.0


def amplitude(samples: array.array, hertz: float, rate: int = RATE) -> float:
    """Of a tone, in samples' units."""
    turn = cmath.exp(-2j * math.pi * hertz / rate)
    place, sum_ = 1 + 0j, 0j
    for value in samples:
        sum_ += value * place
        place *= turn
    return 2 * abs(sum_) / max(1, len(samples))


@dataclasses.dataclass
class Match:
    """A stretch of a recording that is the original, sample by sample. In frames."""

    start: int
    frames: int
    original: int


def locate(recording: bytes, original: bytes, at: int | None = None) -> Match | None:
    """Where a recording is the same as an original that is played round and round, around the frame `at`; None if
    nothing of it is there."""
    total = len(recording) // FRAME
    if at is None:
        at = total // 2
    looped = original + original[: 64 * FRAME]
    place = -1
    probe = recording[at * FRAME : (at + 32) * FRAME]
    if len(probe) < 32 * FRAME or not any(probe):
        return None
    while True:
        place = looped.find(probe, place + 1)
        if place < 0:
            return None
        if place % FRAME == 0:
            break
    period = len(original)
    origin = (place - at * FRAME) % period
    first = at * FRAME - _common(_Backward(recording, at * FRAME), _Backward(original, place % period, True))
    after = at * FRAME + _common(_Forward(recording, at * FRAME), _Forward(original, place % period, True))
    first += -first % FRAME
    after -= after % FRAME
    return Match(first // FRAME, (after - first) // FRAME, (origin + first) % period // FRAME)


def describe(recording: bytes, original: bytes) -> str:
    """What a recording consists of: stretches of the original, of silence, and of something else. In frames."""
    total, at, parts = len(recording) // FRAME, 0, []
    while at < total and len(parts) < 12:
        silent = _common(_Forward(recording, at * FRAME), _Forward(bytes(len(recording)), 0)) // FRAME
        match = locate(recording, original, at) if silent < 32 else None
        if silent >= 32:
            parts.append(f"{silent} of silence")
            at += silent
        elif match:
            parts.append(f"{match.start + match.frames - at} of the original's {match.original + at - match.start}")
            at = match.start + match.frames
        else:
            begun = at
            while at < total and any(recording[at * FRAME : at * FRAME + 128]) and not locate(recording, original, at):
                at += 16
            parts.append(f"{at - begun} of something else")
            at = max(at, begun + 1)
    return ", ".join(parts)


def file(samples: bytes) -> bytes:
    """A WAV file of these frames."""
    packed = io.BytesIO()
    with wave_file.open(packed, "wb") as writer:
        writer.setparams((CHANNELS, FRAME // CHANNELS, RATE, 0, "NONE", ""))
        writer.writeframes(samples)
    return packed.getvalue()


class _Forward:
    def __init__(self, content: bytes, at: int, isLooped: bool = False):
        self.content, self.at, self.isLooped = content, at, isLooped

    def take(self, count: int) -> bytes:
        if self.isLooped:
            self.at %= len(self.content)
        part = self.content[self.at : self.at + count]
        return part

    def advance(self, count: int) -> None:
        self.at += count


class _Backward(_Forward):
    def take(self, count: int) -> bytes:
        if self.isLooped and self.at == 0:
            self.at = len(self.content)
        return self.content[max(0, self.at - count) : self.at][::-1]

    def advance(self, count: int) -> None:
        self.at -= count


def _common(one: _Forward, other: _Forward) -> int:
    """How many bytes the two have in common from where they stand."""
    total = 0
    while True:
        a, b = one.take(65536), other.take(65536)
        count = min(len(a), len(b))
        if count == 0:
            return total
        if a[:count] == b[:count]:
            one.advance(count)
            other.advance(count)
            total += count
            continue
        return total + next(i for i in range(count) if a[i] != b[i])


@dataclasses.dataclass
class Wave:
    rate: int
    channels: int
    bits: int
    samples: bytes


def wave(content: bytes) -> Wave:
    """A WAV, BWF or RF64 file (EBU Tech 3306); of a `data` chunk whose size is wrong, what is there."""
    if content[:4] not in (b"RIFF", b"RF64") or content[8:12] != b"WAVE":
        raise ValueError("this is no WAV file")
    at, shape, large = 12, None, None
    while at + 8 <= len(content):
        kind, size = content[at : at + 4], struct.unpack_from("<I", content, at + 4)[0]
        body = at + 8
        if kind == b"ds64":
            large = struct.unpack_from("<Q", content, body + 8)[0]
        elif kind == b"fmt ":
            _, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", content, body)
            shape = (rate, channels, bits)
        elif kind == b"data":
            if size == 0xFFFFFFFF and large is not None:
                size = large
            if shape is None:
                raise ValueError("a WAV file without a format")
            return Wave(*shape, content[body : body + size])
        at = body + size + size % 2
    raise ValueError("a WAV file without sound")
