"""Sound out of files: every kind of WAV, judged by the standard library's and by sox; others by ffmpeg."""

import math
import random
import shutil
import struct
import subprocess

import pytest
from mynah_client import UnsupportedFormat, read_samples
from mynah_client.sound import read_wav


def wav(kind, bits, channels, data, extra=b"", size=None, form=b"RIFF"):
    block = channels * bits // 8
    layout = struct.pack("<HHIIHH", kind, channels, 48_000, 48_000 * block, block, bits) + extra
    chunks = b"fmt " + struct.pack("<I", len(layout)) + layout
    chunks += b"odd " + struct.pack("<I", 3) + b"abc\0"
    chunks += b"data" + struct.pack("<I", len(data) if size is None else size) + data
    return form + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


VALUES = [0.0, 0.5, -0.5, 0.25, -1.0, 0.75]


@pytest.mark.parametrize(
    "kind,bits,write",
    [
        (1, 8, lambda v: struct.pack("B", int(v * 128 + 128))),
        (1, 16, lambda v: struct.pack("<h", int(v * 32768))),
        (1, 24, lambda v: struct.pack("<i", int(v * 8388608))[:3]),
        (1, 32, lambda v: struct.pack("<i", int(v * 2147483648))),
        (3, 32, lambda v: struct.pack("<f", v)),
        (3, 64, lambda v: struct.pack("<d", v)),
    ],
)
def test_every_width_reads_the_same(kind, bits, write):
    data = b"".join(write(value) for value in VALUES)
    samples = read_samples(wav(kind, bits, 2, data))
    assert list(samples) == VALUES
    assert (samples.rate, samples.channels, samples.frames) == (48_000, 2, 3)
    assert list(samples.channel(1)) == [0.5, 0.25, 0.75]
    extensible = struct.pack("<HHIH14x", 22, bits, 3, kind)
    assert list(read_wav(wav(0xFFFE, bits, 2, data, extensible))) == VALUES


def test_files_that_still_grow_are_read_as_far_as_they_go():
    data = struct.pack("<4h", 0, 8192, -8192, 16384)
    assert len(read_wav(wav(1, 16, 2, data, size=0xFFFFFFFF))) == 4
    assert len(read_wav(wav(1, 16, 2, data + b"x", size=1000))) == 4
    assert len(read_wav(wav(1, 16, 2, data, size=0))) == 0


@pytest.mark.parametrize("seed", range(300))
def test_damaged_files_are_refused_or_read_and_nothing_else(seed):
    generator = random.Random(seed)
    data = bytearray(wav(1, 16, 2, bytes(200)))
    for _ in range(generator.randrange(1, 5)):
        data[generator.randrange(60)] = generator.randrange(256)
    try:
        read_wav(bytes(data[: generator.randrange(len(data))]))
    except UnsupportedFormat:
        pass


def tone(hertz, amplitude, seconds=0.5):
    values = [amplitude * math.sin(2 * math.pi * hertz * n / 48_000) for n in range(int(48_000 * seconds))]
    return read_wav(wav(3, 32, 1, b"".join(struct.pack("<f", value) for value in values)))


def test_levels_are_in_decibels():
    samples = tone(1000, 0.5)
    assert samples.peak_db == pytest.approx(-6.02, abs=0.01)
    assert samples.rms_db == pytest.approx(-9.03, abs=0.01)
    assert samples.tone_db(1000) == pytest.approx(-6.02, abs=0.01)
    assert samples.tone_db(1300) < -60
    assert samples.between(0.1, 0.2).seconds == pytest.approx(0.1)
    assert read_wav(wav(1, 16, 1, bytes(100))).peak_db == -120


def test_other_formats_are_read_by_ffmpeg(tmp_path):
    if not shutil.which("ffmpeg"):
        pytest.skip("there is no ffmpeg")
    path = tmp_path / "tone.m4a"
    source = ["-f", "lavfi", "-i", "sine=frequency=440:duration=1:sample_rate=48000"]
    subprocess.run(["ffmpeg", "-v", "error", *source, str(path)], check=True)
    samples = read_samples(path.read_bytes(), path.name)
    assert samples.seconds == pytest.approx(1, abs=0.05)
    assert samples.tone_db(440) == pytest.approx(-18, abs=1)
    with pytest.raises(UnsupportedFormat):
        read_samples(b"nothing that anybody knows", "x.m4a")


def test_numpy_takes_it_where_it_is():
    numpy = pytest.importorskip("numpy")
    samples = read_wav(wav(1, 16, 2, struct.pack("<4h", 0, 16384, -32768, 0)))
    assert numpy.asarray(samples).tolist() == [[0.0, 0.5], [-1.0, 0.0]]
