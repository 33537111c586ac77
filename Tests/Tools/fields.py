#!/usr/bin/env python3
"""Writes H.264 whose frames are two field pictures each (PAFF), of macroblocks that are sent as they are.

    fields.py FRAMES FILE

192 x 96; the left half is white where the frame's number is odd.
"""
import sys

COLUMNS, ROWS = 12, 3


class Bits:
    def __init__(self):
        self.text = ""

    def number(self, count, value):
        self.text += format(value, f"0{count}b")

    def exponential(self, *values):
        for value in values:
            code = format(value + 1, "b")
            self.text += "0" * (len(code) - 1) + code

    def bytes(self, stop=True):
        text = self.text + ("1" if stop else "")
        text += "0" * (-len(text) % 8)
        return bytes(int(text[place : place + 8], 2) for place in range(0, len(text), 8))


def unit(header, content):
    """A NAL unit in which no start code appears."""
    escaped, zeros = bytearray([header]), 0
    for byte in content:
        if zeros >= 2 and byte <= 3:
            escaped.append(3)
            zeros = 0
        escaped.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return b"\0\0\0\1" + bytes(escaped)


def sequence():
    bits = Bits()
    for value in (77, 0, 30):
        bits.number(8, value)
    # Number 0; frame numbers of 4 bits; order counts of type 0 in 8 bits; one reference; no gaps.
    bits.exponential(0, 0, 0, 4, 1)
    bits.number(1, 0)
    bits.exponential(COLUMNS - 1, ROWS - 1)
    # Fields, not adaptive by macroblock; no cropping; nothing about use.
    bits.text += "00100"
    return unit(0x67, bits.bytes())


def picture_set():
    bits = Bits()
    bits.exponential(0, 0)
    bits.text += "00"
    bits.exponential(0, 0, 0)
    bits.text += "000"
    bits.exponential(0, 0, 0)
    bits.text += "100"
    return unit(0x68, bits.bytes())


def field(number, is_bottom, place, group):
    is_instant = place == 0 and not is_bottom
    bits = Bits()
    bits.exponential(0, 7, 0)
    bits.number(4, place)
    bits.text += "11" if is_bottom else "10"
    if is_instant:
        bits.exponential(group & 1)
    bits.number(8, 4 * place + is_bottom)
    bits.text += "00" if is_instant else "0"
    # The quantiser as the set has it; no filter.
    bits.exponential(0, 1)
    content = b""
    for _ in range(ROWS):
        for column in range(COLUMNS):
            # A macroblock of plain samples.
            bits.exponential(25)
            bits.text += "0" * (-len(bits.text) % 8)
            is_white = column < COLUMNS // 2 and number % 2 == 1
            content += bits.bytes(stop=False) + bytes([235 if is_white else 16]) * 256 + bytes([128]) * 128
            bits = Bits()
    return unit(0x65 if is_instant else 0x61, content + b"\x80")


def main():
    stream = b""
    for number in range(int(sys.argv[1])):
        group, place = divmod(number, 8)
        if place == 0:
            stream += sequence() + picture_set()
        stream += field(number, 0, place, group) + field(number, 1, place, group)
    with open(sys.argv[2], "wb") as file:
        file.write(stream)


main()
