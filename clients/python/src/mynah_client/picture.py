"""The picture on the device's screen, out of its PNG, without anything but the standard library."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any, Iterator, List, Optional, Sequence, Tuple, Union

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MOST_PIXELS = 1 << 24
# What Unicode's Braille patterns have for the dots of a cell, 2 wide and 4 high.
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


class Screen:
    """What the OLED shows: dots that are lit or not, the first row at the top.

    `numpy.asarray(screen)` is an array of bool, `screen.image()` a picture of Pillow's, where these are installed.
    """

    def __init__(self, png: bytes, name: str = "", texts: Sequence[str] = ()):
        self.png = png
        """The picture as a PNG file, a pixel for a dot."""
        self.name = name
        """The name of the screen, such as `recording`."""
        self.texts = tuple(texts)
        """The texts on it, top to bottom."""
        width, height, rows = read_png(png)
        self.width = width
        self.height = height
        self.rows: Tuple[Tuple[bool, ...], ...] = tuple(tuple(value >= 128 for value in row) for row in rows)

    def __getitem__(self, place: Tuple[int, int]) -> bool:
        """Whether the dot of this column and row is lit: `screen[0, 0]` is the upper left one."""
        x, y = place
        return self.rows[y][x]

    def __eq__(self, other: object) -> bool:
        """Whether every dot is the same."""
        return self.rows == other.rows if isinstance(other, Screen) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.rows)

    def __repr__(self) -> str:
        return f"<Screen {self.name} {self.width}x{self.height}, {self.lit} lit>"

    @property
    def lit(self) -> int:
        """How many dots are lit."""
        return sum(map(sum, self.rows))

    def differences(self, other: "Screen") -> List[Tuple[int, int]]:
        """Columns and rows of the dots that differ. Raises ValueError for a screen of another size."""
        if (self.width, self.height) != (other.width, other.height):
            raise ValueError(f"{self.width}x{self.height} dots, and {other.width}x{other.height}")
        return [
            (x, y)
            for y, (mine, others) in enumerate(zip(self.rows, other.rows))
            for x, (one, another) in enumerate(zip(mine, others))
            if one != another
        ]

    def art(self) -> str:
        """The picture in lines of text, for reports and terminals: Braille patterns, 2 by 4 dots each."""
        return "\n".join(self._art())

    def _art(self) -> Iterator[str]:
        for top in range(0, self.height, 4):
            cells = []
            for left in range(0, self.width, 2):
                bits = 0
                for y, row in enumerate(self.rows[top : top + 4]):
                    for x, is_lit in enumerate(row[left : left + 2]):
                        bits |= _BRAILLE[y][x] if is_lit else 0
                cells.append(chr(0x2800 + bits))
            yield "".join(cells)

    def save(self, path: Union[str, Path]) -> Path:
        """Writes the PNG."""
        target = Path(path)
        target.write_bytes(self.png)
        return target

    def image(self) -> Any:
        """As `PIL.Image.Image`, where Pillow is installed."""
        import io

        from PIL import Image

        return Image.open(io.BytesIO(self.png))

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        import numpy

        return numpy.array(self.rows, dtype=bool if dtype is None else dtype)


def read_png(data: bytes) -> Tuple[int, int, List[List[int]]]:
    """Width, height and brightness (0 to 255) of a PNG, row by row.

    Grey of 1 to 8 bits and colours of 8, not interlaced. Raises ValueError for what is none, or is damaged.
    """
    if not data.startswith(_SIGNATURE):
        raise ValueError("not a PNG file")
    header, compressed = b"", b""
    for kind, content in _chunks(data):
        if kind == b"IHDR":
            header = content
        elif kind == b"IDAT":
            compressed += content
    if len(header) != 13:
        raise ValueError("a PNG file without a header")
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    samples = {0: 1, 2: 3, 4: 2, 6: 4}.get(colour)
    if samples is None or interlaced or depth not in ((1, 2, 4, 8) if colour == 0 else (8,)):
        raise ValueError(f"a PNG file of colour type {colour}, {depth} bits, interlaced {interlaced}")
    if not 0 < width * height <= _MOST_PIXELS:
        raise ValueError(f"a PNG file of {width} by {height} pixels")
    stride = (width * samples * depth + 7) // 8
    try:
        raw = zlib.decompressobj().decompress(compressed, (stride + 1) * height)
    except zlib.error as error:
        raise ValueError(f"a damaged PNG file: {error}") from error
    if len(raw) != (stride + 1) * height:
        raise ValueError("a PNG file that ends too early")
    above = bytearray(stride)
    rows = []
    for y in range(height):
        start = y * (stride + 1)
        row = bytearray(raw[start + 1 : start + 1 + stride])
        above = _unfiltered(raw[start], row, above, max(1, samples * depth // 8))
        rows.append(_brightness(above, width, depth, samples))
    return width, height, rows


def _chunks(data: bytes) -> Iterator[Tuple[bytes, bytes]]:
    place = len(_SIGNATURE)
    while place + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        content = data[place + 8 : place + 8 + length]
        check = data[place + 8 + length : place + 12 + length]
        if len(check) != 4 or struct.unpack(">I", check)[0] != zlib.crc32(kind + content):
            raise ValueError("a damaged PNG file")
        yield kind, content
        place += 12 + length


def _unfiltered(kind: int, row: bytearray, above: bytearray, step: int) -> bytearray:
    # Clause 9.2 of the PNG specification.
    for index in range(len(row)):
        left = row[index - step] if index >= step else 0
        up = above[index]
        corner = above[index - step] if index >= step else 0
        if kind == 1:
            row[index] = (row[index] + left) & 255
        elif kind == 2:
            row[index] = (row[index] + up) & 255
        elif kind == 3:
            row[index] = (row[index] + (left + up) // 2) & 255
        elif kind == 4:
            distances = (abs(up - corner), abs(left - corner), abs(left + up - 2 * corner))
            nearest = (left, up, corner)[distances.index(min(distances))]
            row[index] = (row[index] + nearest) & 255
        elif kind:
            raise ValueError(f"a PNG file with filter {kind}")
    return row


def _brightness(row: bytearray, width: int, depth: int, samples: int) -> List[int]:
    if samples >= 3:
        return [sum(row[x * samples : x * samples + 3]) // 3 for x in range(width)]
    if depth == 8:
        return list(row[::samples])
    most = (1 << depth) - 1
    return [(row[x * depth // 8] >> (8 - depth - x * depth % 8) & most) * 255 // most for x in range(width)]
