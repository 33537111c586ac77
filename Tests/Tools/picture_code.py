#!/usr/bin/env python3
"""Reads the number and the clock that the simulated camera burns into its pictures.

    ffmpeg -v error -i CLIP -f rawvideo -pix_fmt gray - | picture_code.py WIDTH HEIGHT [FILE]
    picture_code.py --check

Prints one line a picture: its index, and then its number, nanoseconds since the origin and 1 if the flash is on, 0 if
not; or only the word unreadable. The pattern is described in Sources/SimulatedHardware/Camera/PictureCode.swift.
Exits with 1 if a picture is unreadable, 2 if the input ends within a picture or holds none.
"""
import random
import sys

COLUMNS, ROWS = 16, 7


def block_size(width, height):
    fitting = min(32, width // 20, height // 11)
    return max(2, fitting // 8 * 8 if fitting >= 8 else fitting // 2 * 2)


def checksum(data):
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def read(luma, width, height):
    """(number, nanoseconds, is_flash) of a picture of width * height bytes, or None."""
    block = block_size(width, height)
    bits = 0
    for index in range(COLUMNS * ROWS):
        left = block * (1 + index % COLUMNS)
        top = block * (1 + index // COLUMNS)
        total = sum(
            luma[(top + block * (1 + point // 3) // 4) * width + left + block * (1 + point % 3) // 4]
            for point in range(9)
        )
        bits = bits << 1 | (total > 9 * 128)
    data = bits.to_bytes(14, "big")
    if checksum(data[:12]) != int.from_bytes(data[12:], "big"):
        return None
    # Below code and text there are only bars, or white. One pixel in 64 is enough.
    below = luma[(height - max(2, height // 8)) * width :: 64]
    is_flash = sum(below) > 200 * len(below)
    return int.from_bytes(data[:4], "big"), int.from_bytes(data[4:12], "big", signed=True), is_flash


def draw(width, height, number, nanoseconds, flash):
    """A picture as the camera draws it, for the check."""
    block = block_size(width, height)
    data = number.to_bytes(4, "big") + nanoseconds.to_bytes(8, "big", signed=True)
    data += checksum(data).to_bytes(2, "big")
    luma = bytearray([235 if flash else 90]) * (width * height)
    for index in range(COLUMNS * ROWS):
        value = 235 if data[index // 8] & 0x80 >> index % 8 else 16
        for y in range(block):
            start = (block * (1 + index // COLUMNS) + y) * width + block * (1 + index % COLUMNS)
            luma[start : start + block] = bytes([value]) * block
    return luma


def check():
    generator = random.Random(4)
    for width, height in [(320, 180), (1280, 720), (128, 72)]:
        for turn in range(2):
            number = generator.getrandbits(32)
            nanoseconds = generator.getrandbits(62)
            luma = draw(width, height, number, nanoseconds, turn % 2 == 1)
            # The worst that a codec does: everything is off by up to 60.
            noisy = bytes(max(0, min(255, value + generator.randint(-60, 60))) for value in luma)
            assert read(noisy, width, height) == (number, nanoseconds, turn % 2 == 1), (width, height)
            # One bit that is wrong is never taken for another number.
            block = block_size(width, height)
            place = generator.randrange(COLUMNS * ROWS)
            left, top = block * (1 + place % COLUMNS), block * (1 + place // COLUMNS)
            for y in range(top, top + block):
                for x in range(left, left + block):
                    luma[y * width + x] = 251 - luma[y * width + x]
            assert read(luma, width, height) is None, (width, height)
        for grey in (0, 16, 128, 235, 255):
            assert read(bytes([grey]) * (width * height), width, height) is None
    print("ok")


def main(arguments):
    if arguments == ["--check"]:
        check()
        return 0
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 64
    width, height = int(arguments[0]), int(arguments[1])
    source = open(arguments[2], "rb") if len(arguments) == 3 else sys.stdin.buffer
    index, bad = 0, False
    while True:
        luma = source.read(width * height)
        if len(luma) < width * height:
            break
        found = read(luma, width, height)
        bad = bad or found is None
        print(index, "unreadable" if found is None else f"{found[0]} {found[1]} {int(found[2])}")
        index += 1
    if luma or index == 0:
        print("the input ends within a picture" if luma else "there is no picture", file=sys.stderr)
        return 2
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
