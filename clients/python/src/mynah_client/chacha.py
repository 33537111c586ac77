"""X25519 and ChaCha20-Poly1305 (RFC 7748, RFC 8439) in plain Python: for files, not where somebody could time it."""
from __future__ import annotations
import hmac
import struct
from array import array
from typing import Optional

P = 2**255 - 19

def x25519(secret: bytes, point: bytes) -> bytes:
    k = int.from_bytes(secret, "little") & ~7 & (1 << 255) - 1 | 1 << 254
    u = int.from_bytes(point, "little") & (1 << 255) - 1
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for bit in reversed(range(255)):
        now = k >> bit & 1
        if swap ^ now:
            x2, z2, x3, z3 = x3, z3, x2, z2
        swap = now
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb, aa, bb = d * a, c * b, a * a, b * b
        e = aa - bb
        x2, z2, x3, z3 = aa * bb % P, e * (aa + 121665 * e) % P, (da + cb) ** 2 % P, u * (da - cb) ** 2 % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")

def keystream(key: bytes, nonce: bytes, counter: int, count: int) -> bytes:
    """All blocks at once: a number has one word of each, 64 bits apart, so that sums do not run into the next."""
    blocks = (count + 63) // 64
    ones = int.from_bytes(b"\1\0\0\0\0\0\0\0" * blocks, "little")
    mask = ones * 0xFFFFFFFF
    start = [word * ones for word in struct.unpack("<12I", b"expand 32-byte k" + key)]
    start.append(int.from_bytes(struct.pack(f"<{blocks}Q", *range(counter, counter + blocks)), "little"))
    start += [word * ones for word in struct.unpack("<3I", nonce)]
    x = start[:]

    def mix(a: int, b: int, c: int, d: int) -> None:
        for first, second, third, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[first] = x[first] + x[second] & mask
            turned = x[third] ^ x[first]
            x[third] = (turned << bits | turned >> 32 - bits) & mask

    for _ in range(10):
        for places in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)):
            mix(*places)
        for places in ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            mix(*places)
    out = array("I", bytes(64 * blocks))
    for word in range(16):
        out[word::16] = array("I", (x[word] + start[word] & mask).to_bytes(8 * blocks, "little"))[::2]
    return out.tobytes()[:count]

def poly1305(key: bytes, text: bytes) -> bytes:
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for place in range(0, len(text), 16):
        piece = text[place : place + 16]
        total = (total + int.from_bytes(piece + b"\1", "little")) * r % ((1 << 130) - 5)
    return (total + int.from_bytes(key[16:], "little") & (1 << 128) - 1).to_bytes(16, "little")

def opened(key: bytes, nonce: bytes, sealed: bytes, head: bytes = b"") -> Optional[bytes]:
    """What was sealed by ChaCha20-Poly1305; None if it was not sealed so."""
    text, tag = sealed[:-16], sealed[-16:]
    if len(tag) < 16:
        return None
    padded = b"".join(part + bytes(-len(part) % 16) for part in (head, text))
    sums = struct.pack("<QQ", len(head), len(text))
    if not hmac.compare_digest(poly1305(keystream(key, nonce, 0, 32), padded + sums), tag):
        return None
    stream = keystream(key, nonce, 1, len(text))
    return (int.from_bytes(text, "little") ^ int.from_bytes(stream, "little")).to_bytes(len(text), "little")
