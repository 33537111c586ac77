"""Signatures by Ed25519 (RFC 8032), checked in plain Python: a few milliseconds each, and for public data only."""
from __future__ import annotations
import hashlib
from typing import Optional

Point = tuple[int, int, int, int]
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

def add(a: Point, b: Point) -> Point:
    """The sum of two points of the curve (RFC 8032, 5.1.4)."""
    low, high = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    c, d = 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = high - low, d - c, d + c, high + low
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(scalar: int, point: Point) -> Point:
    result: Point = (0, 1, 1, 0)
    while scalar:
        result = add(result, point) if scalar & 1 else result
        point, scalar = add(point, point), scalar >> 1
    return result

def decompress(data: bytes) -> Optional[Point]:
    """A point from its 32 bytes (RFC 8032, 5.1.3)."""
    y, sign = int.from_bytes(data, "little") & ((1 << 255) - 1), data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P

def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether this key's owner has signed this (RFC 8032, 5.1.7)."""
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r, base = decompress(public), decompress(signature[:32]), decompress(bytes([0x58] + 31 * [0x66]))
    s = int.from_bytes(signature[32:64], "little")
    if a is None or r is None or base is None or s >= ORDER:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    left, right = times(s, base), add(r, times(h, a))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))
