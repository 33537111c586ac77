#!/usr/bin/env python3
"""Writes an H.264 stream anew with picture order counts of type 1 in place of type 0.

usage: picture_order.py IN OUT

For streams of x264 without CABAC: what follows a slice's head is only moved by bits. Counts are told by a cycle of two
pictures and by how far each is off, as H.264, 8.2.1.2 has it.
"""
import sys

STEPS = (4, 8)
UNREFERRED = -3


class Bits:
    def __init__(self, data):
        self.bits = "".join(f"{byte:08b}" for byte in data)
        self.place = 0

    def take(self, count):
        self.place += count
        return self.bits[self.place - count : self.place]

    def number(self, count):
        return int(self.take(count), 2)

    def ue(self):
        zeros = self.bits.index("1", self.place) - self.place
        self.place += zeros
        return self.number(zeros + 1) - 1


def ue(value):
    text = f"{value + 1:b}"
    return "0" * (len(text) - 1) + text


def se(value):
    return ue(2 * value - 1 if value > 0 else -2 * value)


def unescaped(unit):
    return unit.replace(b"\0\0\3", b"\0\0")


def escaped(data):
    out, zeros = bytearray(), 0
    for byte in data:
        if zeros >= 2 and byte <= 3:
            out.append(3)
            zeros = 0
        out.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return bytes(out)


def packed(bits, rest):
    """Bits, the rest of the unit's up to its stop bit, and a stop bit anew."""
    text = bits + rest[: rest.rindex("1")] + "1"
    text += "0" * (-len(text) % 8)
    return bytes(int(text[place : place + 8], 2) for place in range(0, len(text), 8))


class Writer:
    def __init__(self):
        self.high = self.low = self.offset = self.last = 0

    def sequence(self, unit):
        bits = Bits(unescaped(unit))
        profile = bits.number(8), bits.number(8), bits.number(8), bits.number(8)
        bits.ue()
        if profile[1] >= 100:
            assert (bits.ue(), bits.ue(), bits.ue(), bits.number(2)) == (1, 0, 0, 0)
        self.number_bits = bits.ue() + 4
        front = bits.bits[: bits.place]
        assert bits.ue() == 0, "the counts are not of type 0"
        self.order_bits = bits.ue() + 4
        cycle = ue(1) + "0" + se(UNREFERRED) + se(0) + ue(len(STEPS)) + "".join(se(step) for step in STEPS)
        return packed(front + cycle, bits.bits[bits.place :])

    def slice(self, unit):
        bits = Bits(unescaped(unit))
        head = bits.number(8)
        is_instant, is_referred = head & 31 == 5, head >> 5 != 0
        for _ in range(3):
            bits.ue()
        number = bits.number(self.number_bits)
        if is_instant:
            bits.ue()
            self.high = self.low = self.offset = self.last = 0
        front = bits.bits[: bits.place]
        low, size = bits.number(self.order_bits), 1 << self.order_bits
        high = self.high
        if low < self.low and self.low - low >= size // 2:
            high += size
        elif low > self.low and low - self.low > size // 2:
            high -= size
        if is_referred:
            self.high, self.low = high, low
        if number < self.last:
            self.offset += 1 << self.number_bits
        self.last = number
        count = self.offset + number
        if not is_referred and count > 0:
            count -= 1
        expected = 0
        if count > 0:
            expected = (count - 1) // len(STEPS) * sum(STEPS) + sum(STEPS[: (count - 1) % len(STEPS) + 1])
        if not is_referred:
            expected += UNREFERRED
        return packed(front + se(high + low - expected), bits.bits[bits.place :])


def main():
    with open(sys.argv[1], "rb") as file:
        stream = file.read()
    writer = Writer()
    with open(sys.argv[2], "wb") as file:
        for unit in stream.split(b"\0\0\1")[1:]:
            unit = unit.rstrip(b"\0")
            kind = unit[0] & 31
            if kind == 7:
                unit = escaped(writer.sequence(unit))
            elif kind in (1, 5):
                unit = escaped(writer.slice(unit))
            file.write(b"\0\0\0\1" + unit)


main()
