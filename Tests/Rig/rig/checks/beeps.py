"""A beep a second, and where it is in a recording."""

import math
import struct

from ..sound import RATE

SECONDS, PITCH = 0.02, 1000
# From a second's beginning to the middle of its beep.
CENTRE = SECONDS / 2


def _track() -> bytes:
    count = int(SECONDS * RATE)
    # Rises and falls: an encoder smears it evenly.
    beep = [
        int(24000 * math.sin(math.pi * (n + 0.5) / count) * math.sin(2 * math.pi * PITCH * n / RATE))
        for n in range(count)
    ]
    return b"".join(struct.pack("<hh", value, value) for value in beep) + bytes(4 * (RATE - count))


# S16_LE stereo; a second of its own would have the rig's player start anew too often.
TRACK = _track() * 20


def find(start: float, samples: memoryview) -> list[float]:
    """The middles of the beeps in a recording that begins at `start`: the centres of their energy. In seconds."""
    block = RATE // 1000
    loud = [at for at in range(0, len(samples) - block, block) if max(map(abs, samples[at : at + block])) > 2000]
    groups: list[list[int]] = []
    for at in loud:
        if groups and at - groups[-1][-1] < RATE // 10:
            groups[-1].append(at)
        else:
            groups.append([at])
    found = []
    for group in groups:
        first, after = max(0, group[0] - RATE // 100), min(len(samples), group[-1] + block + RATE // 100)
        weights = [value * value for value in samples[first:after]]
        middle = sum(n * weight for n, weight in enumerate(weights)) / sum(weights)
        found.append(start + (first + middle) / RATE)
    return found
