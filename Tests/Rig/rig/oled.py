"""What an OLED shows, from what it was told: an SSD1306 or SH1106 that is nothing but its memory.

Sources: Solomon Systech SSD1306 rev 1.1, section 10; Sino Wealth SH1106 V2.3. Written for the checks, and apart from
the firmware's own driver, so that the two can disagree.
"""

import copy
import pathlib
import struct
import zlib

WIDTH, HEIGHT = 128, 64
# Bytes that follow a command; all others stand alone.
OPERANDS = {
    0x20: 1, 0x21: 2, 0x22: 2, 0x26: 6, 0x27: 6, 0x29: 5, 0x2A: 5, 0x81: 1, 0x8D: 1, 0xA3: 2, 0xA8: 1, 0xAD: 1,
    0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1,
}


class Display:
    def __init__(self) -> None:
        self.isOn = False
        self.isInverted = False
        self.isRotated = False
        self.contrast = 0x7F
        self.messages = 0
        self.lastWrite = 0.0
        self._memory = bytearray(WIDTH * HEIGHT // 8)
        self._mode = 2  # page addressing, as after reset
        self._columns = (0, WIDTH - 1)
        self._pages = (0, HEIGHT // 8 - 1)
        self._column = 0
        self._page = 0

    def feed(self, log: bytes) -> int:
        """Takes the module's log; returns the bytes that were whole records."""
        at = 0
        while at + 10 <= len(log):
            time, length = struct.unpack_from("<QH", log, at)
            if at + 10 + length > len(log):
                break
            self.lastWrite = time / 1e9
            self.message(log[at + 10 : at + 10 + length])
            at += 10 + length
        return at

    def copy(self) -> "Display":
        return copy.deepcopy(self)

    def reached(self, log: bytes, since: float) -> tuple[float | None, int]:
        """From here, with these records of the log: when the last picture in them was there, at 400 kHz, and the bytes that
        were written for it after an instant; None if it was there before."""
        final = copy.deepcopy(self)
        final.feed(log)
        wanted, at, count, end = final.picture(), 0, 0, None
        while at + 10 <= len(log) and self.picture() != wanted:
            time, length = struct.unpack_from("<QH", log, at)
            self.message(log[at + 10 : at + 10 + length])
            if time / 1e9 >= since:
                end = time / 1e9 + (9 * (length + 1) + 2) / 400_000
                count += length
            at += 10 + length
        return end, count

    def message(self, content: bytes) -> None:
        """One I2C write, after the address."""
        self.messages += 1
        if not content:
            return
        if content[0] == 0x40:
            for byte in content[1:]:
                self._data(byte)
        elif content[0] == 0x00:
            at = 1
            while at < len(content):
                count = OPERANDS.get(content[at], 0)
                self._command(content[at], content[at + 1 : at + 1 + count])
                at += 1 + count

    def picture(self) -> "Picture":
        rows = []
        for y in range(HEIGHT):
            row = [self._memory[(y // 8) * WIDTH + x] >> (y % 8) & 1 for x in range(WIDTH)]
            rows.append(row)
        if self.isInverted:
            rows = [[1 - dot for dot in row] for row in rows]
        if self.isRotated:
            rows = [row[::-1] for row in rows[::-1]]
        if not self.isOn:
            rows = [[0] * WIDTH for _ in rows]
        return Picture(rows)

    def _command(self, code: int, operands: bytes) -> None:
        if code in (0xAE, 0xAF):
            self.isOn = code == 0xAF
        elif code in (0xA6, 0xA7):
            self.isInverted = code == 0xA7
        elif code in (0xA0, 0xA1):
            # Modules are wired so that the remapped order is upright.
            self.isRotated = code == 0xA0
        elif code == 0x81:
            self.contrast = operands[0]
        elif code == 0x20:
            self._mode = operands[0] & 3
        elif code == 0x21:
            self._columns = (operands[0] & 0x7F, operands[1] & 0x7F)
            self._column = self._columns[0]
        elif code == 0x22:
            self._pages = (operands[0] & 7, operands[1] & 7)
            self._page = self._pages[0]
        elif 0xB0 <= code <= 0xB7:
            self._page = code & 7
        elif code <= 0x0F:
            self._column = self._column & 0xF0 | code
        elif 0x10 <= code <= 0x1F:
            self._column = self._column & 0x0F | (code & 0x0F) << 4

    def _data(self, byte: int) -> None:
        if self._column < WIDTH:
            self._memory[self._page * WIDTH + self._column] = byte
        if self._mode == 2:
            self._column += 1
        elif self._mode == 0:
            self._column += 1
            if self._column > self._columns[1]:
                self._column = self._columns[0]
                self._page = self._pages[0] if self._page == self._pages[1] else self._page + 1


class Picture:
    """Rows of dots, 1 is lit."""

    def __init__(self, rows: list[list[int]]):
        self.rows = rows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Picture) and self.rows == other.rows

    @property
    def lit(self) -> int:
        return sum(map(sum, self.rows))

    def differing(self, other: "Picture") -> int:
        return sum(a != b for mine, theirs in zip(self.rows, other.rows) for a, b in zip(mine, theirs))

    def text(self) -> str:
        """In half blocks, two rows a line."""
        lines = []
        for y in range(0, len(self.rows), 2):
            pairs = zip(self.rows[y], self.rows[y + 1])
            lines.append("".join(" ▀▄█"[top + 2 * bottom] for top, bottom in pairs).rstrip())
        return "\n".join(lines)

    def write(self, path: pathlib.Path, scale: int = 4) -> None:
        """As a PNG, 8 bits of grey."""
        lines = []
        for row in self.rows:
            wide = b"".join((b"\xff" if dot else b"\0") * scale for dot in row)
            lines += [b"\0" + wide] * scale
        width, height = len(self.rows[0]) * scale, len(self.rows) * scale

        def chunk(kind: bytes, content: bytes) -> bytes:
            return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

        path.write_bytes(
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"".join(lines))) + chunk(b"IEND", b""))

    @staticmethod
    def of_png(content: bytes) -> "Picture":
        """Reads what the firmware's console gives: grey or palette of 1 or 8 bits a dot, filters of any kind."""
        at, packed, head = 8, b"", None
        while at < len(content):
            length, kind = struct.unpack_from(">I4s", content, at)
            body = content[at + 8 : at + 8 + length]
            if kind == b"IHDR":
                head = struct.unpack(">IIBBBBB", body)
            elif kind == b"IDAT":
                packed += body
            at += 12 + length
        width, height, depth, colour = head[:4]
        if colour not in (0, 3) or depth not in (1, 8):
            raise ValueError(f"a PNG of colour type {colour} and {depth} bits")
        stride = (width * depth + 7) // 8
        raw = zlib.decompress(packed)
        rows, above = [], bytearray(stride)
        for y in range(height):
            kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
            for x in range(stride):
                left = line[x - 1] if x else 0
                corner = above[x - 1] if x else 0
                line[x] = line[x] + _predict(kind, left, above[x], corner) & 0xFF
            above = line
            if depth == 8:
                rows.append([1 if value else 0 for value in line])
            else:
                rows.append([line[x // 8] >> (7 - x % 8) & 1 for x in range(width)])
        return Picture(rows)


def _predict(kind: int, left: int, up: int, corner: int) -> int:
    """PNG (ISO/IEC 15948), section 9.2."""
    if kind == 4:
        guess = left + up - corner
        return min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
    return (0, left, up, (left + up) // 2)[kind]
