"""The front panel on a pseudo-terminal: when does its picture change?"""
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import latency
from report import spread

ROUNDS = 8
# Instant of the sound after the start; the panel has long been quiet by then.
AT = 1.6


def picture(bench):
    """Rows of the table: sound that begins, to the first change on the terminal.

    The panel's clock starts when the microphone does, some milliseconds after exec. That start is not visible from
    outside, so it is bracketed: the delay from exec is an upper limit, and the start to armed of the same run a part
    of it.
    """
    delays = []
    for number in range(ROUNDS):
        at = AT + number * 0.0031
        delay = watch(bench, latency.onset(bench, at), at)
        if delay is not None:
            delays.append(1000 * delay)
    if not delays:
        return [["sound to picture on the terminal", "this mynah shows no front panel", "0"]]
    return [["exec + sound to picture on the terminal, start-up included", spread(delays, 1), str(len(delays))]]


def watch(bench, sound, at):
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(str(bench.mynah), [
            str(bench.mynah), "simulate", "--microphone", str(sound), "--data", str(bench.path("data"))])
    started = time.monotonic()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    changed = None
    seen = False
    try:
        while changed is None and time.monotonic() < started + at + 1:
            ready, _, _ = select.select([terminal], [], [], 0.005)
            if not ready:
                continue
            now = time.monotonic()
            try:
                text = os.read(terminal, 65536)
            except OSError:
                break
            seen = seen or bool(text)
            if text and now >= started + at:
                changed = now
    finally:
        os.kill(child, signal.SIGTERM)
        deadline = time.monotonic() + 3
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
            try:
                if select.select([terminal], [], [], 0.01)[0]:
                    os.read(terminal, 65536)
            except OSError:
                pass
        os.close(terminal)
    return changed - started - at if changed and seen else None
