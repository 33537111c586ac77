"""What several of the tests use: a serial line with a mind of its own."""

import os
import select
import threading
import tty

import pytest

pytest_plugins = ["pytester"]


class SerialCable:
    """Two pseudo-terminals joined: what goes into `device` comes out of `host`, through `damage`."""

    def __init__(self):
        self.damage = lambda data: data
        """What becomes of bytes on their way from the device."""
        self._masters, names = [], []
        for _ in range(2):
            master, slave = os.openpty()
            tty.setraw(slave)
            # The slave stays open, so that the master outlives whoever comes and goes.
            self._masters.append((master, slave))
            names.append(os.ttyname(slave))
        self.device, self.host = names
        self._end, self._stop = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        (device, _), (host, _) = self._masters
        while True:
            ready, _, _ = select.select([device, host, self._end], [], [])
            if self._end in ready:
                return
            if device in ready:
                self._pass(host, self.damage(os.read(device, 4096)))
            if host in ready:
                self._pass(device, os.read(host, 4096))

    @staticmethod
    def _pass(target, data):
        while data:
            data = data[os.write(target, data) :]

    def cut(self):
        os.write(self._stop, b"x")
        self._thread.join()
        for descriptor in [*sum(self._masters, ()), self._end, self._stop]:
            os.close(descriptor)


@pytest.fixture
def cable():
    cable = SerialCable()
    yield cable
    cable.cut()
