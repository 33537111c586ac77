"""What everybody needs who plays a dub from outside: the servers of this folder, and how long nothing was heard."""

import array
import pathlib
import subprocess
import wave

FOLDER = pathlib.Path(__file__).resolve().parent
# Debian's, for which python3-websockets is packaged, whatever else is in the path.
PYTHON = "/usr/bin/python3"
RATE = 48_000
# Of 16 bits: -60 dB below full scale is silence; what begins is clearly louder.
QUIET, LOUD = 33, 200


class Peer:
    """A tool of this folder that serves on a port of loopback, until `end` or until this program ends."""

    def __init__(self, tool, *arguments, log=None):
        self.process = subprocess.Popen(
            [PYTHON, str(FOLDER / tool), *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening"):
            raise RuntimeError(f"{tool} did not start: {line}")
        self.port = int(line.split()[1])

    def end(self):
        self.process.kill()
        self.process.wait()


def silence(samples, tail=0.5):
    """When the first sound is, in seconds (None: there is none), and the longest silence after it, but for the tail.
    Samples: one channel of 16 bits at 48 kHz."""
    begin = next((place for place, value in enumerate(samples) if abs(value) > LOUD), None)
    if begin is None:
        return None, 0
    longest = run = 0
    for value in samples[begin : -round(tail * RATE)]:
        run = run + 1 if abs(value) < QUIET else 0
        longest = max(longest, run)
    return begin / RATE, longest / RATE


def heard(path):
    """The first channel of a WAV file of 16 bits."""
    with wave.open(str(path)) as file:
        return array.array("h", file.readframes(file.getnframes()))[:: file.getnchannels()]
