"""Pictures: PNGs of several makers, read alike; damaged ones refused."""

import io
import random
import struct
import zlib

import pytest
from mynah_client import Screen
from mynah_client.picture import read_png


def png(width, height, depth, colour, rows):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + body


def test_bits_are_dots():
    screen = Screen(png(10, 2, 1, 0, bytes([0, 0b10000001, 0b11000000, 0, 0, 0])), "idle", ["Ready"])
    assert (screen.width, screen.height, screen.lit) == (10, 2, 4)
    assert [x for x in range(10) if screen[x, 0]] == [0, 7, 8, 9]
    assert not any(screen[x, 1] for x in range(10))
    assert screen.art() == "\u2801\u2800\u2800\u2808\u2809"
    assert screen == Screen(screen.png) and screen.differences(screen) == []
    with pytest.raises(ValueError):
        screen.differences(Screen(png(1, 1, 1, 0, b"\0\0")))


@pytest.mark.parametrize("kind", range(5))
def test_every_filter_is_undone(kind):
    PIL = pytest.importorskip("PIL.Image")
    generator = random.Random(kind)
    rows = b"".join(bytes([kind]) + bytes(generator.randrange(256) for _ in range(3 * 20)) for _ in range(15))
    data = png(20, 15, 8, 2, rows)
    judged = PIL.open(io.BytesIO(data)).convert("RGB")
    expected = [[sum(judged.getpixel((x, y))) // 3 for x in range(20)] for y in range(15)]
    assert read_png(data) == (20, 15, expected)


@pytest.mark.parametrize("seed", range(300))
def test_damaged_pictures_are_refused_or_read_and_nothing_else(seed):
    generator = random.Random(seed)
    data = bytearray(png(16, 16, 1, 0, bytes(16 * 3)))
    for _ in range(generator.randrange(1, 4)):
        data[generator.randrange(len(data))] = generator.randrange(256)
    data = data[: generator.choice([len(data), generator.randrange(len(data))])]
    try:
        read_png(bytes(data))
    except ValueError:
        pass


def test_a_picture_that_claims_to_be_huge_is_refused():
    with pytest.raises(ValueError, match="pixels"):
        read_png(png(1 << 20, 1 << 20, 8, 2, b""))
    with pytest.raises(ValueError, match="too early"):
        read_png(png(16, 16, 1, 0, b""))


def test_numpy_and_pillow_take_it_where_they_are():
    screen = Screen(png(10, 2, 1, 0, bytes([0, 0b10000001, 0b11000000, 0, 0, 0])))
    numpy = pytest.importorskip("numpy")
    assert numpy.asarray(screen).shape == (2, 10) and numpy.asarray(screen).sum() == 4
    pytest.importorskip("PIL.Image")
    assert screen.image().size == (10, 2)
