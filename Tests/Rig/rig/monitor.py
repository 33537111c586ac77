"""QEMU's monitor: what is done to a machine from outside, and what it tells of itself."""

import json
import pathlib
import socket
import threading
import time

# The USB controller that sticks and keypads are plugged into.
SOCKET = "usb"
# What QEMU is started by: it ends with the rig, however that ends. An orphan would take a processor for good.
BOUND = ("setpriv", "--pdeathsig", "KILL")


class Monitor:
    """The side of a machine that speaks QMP. Whoever inherits it starts QEMU, then calls `_open_monitor`."""

    def __init__(self):
        self._events: list[dict] = []
        self._returns: list[dict] = []
        self._qmp: socket.socket | None = None
        self._isThrottled = False

    def _open_monitor(self, path: pathlib.Path) -> None:
        self._qmp = socket.socket(socket.AF_UNIX)
        self._qmp.connect(str(path))
        threading.Thread(target=self._listen, daemon=True).start()
        self.control("qmp_capabilities")

    def control(self, command: str, **arguments) -> None:
        self._qmp.sendall((json.dumps({"execute": command, "arguments": arguments}) + "\n").encode())

    def plug(self, stick: pathlib.Path, isReadOnly: bool, speed: tuple[int, int] | None = None) -> None:
        """Plugs a USB stick in, whose content is this file; with `speed` it is written to and read from at no more than so
        many bytes a second."""
        file = {"driver": "file", "filename": str(stick), "read-only": isReadOnly}
        content = {"driver": "raw", "read-only": isReadOnly, "file": file}
        self._isThrottled = speed is not None
        if speed:
            limits = {"bps-write": speed[0], "bps-read": speed[1]}
            self.control("object-add", **{"qom-type": "throttle-group", "id": "stick-speed", "limits": limits})
            content = {"driver": "throttle", "throttle-group": "stick-speed", "file": content}
        self.control("blockdev-add", **{"node-name": "stick", "read-only": isReadOnly, **content})
        self.control("device_add", driver="usb-storage", id="stick", drive="stick", bus=f"{SOCKET}.0", removable=True)

    def pull(self) -> None:
        """Pulls it out: what the machine has not written to it is not on it."""
        self.forget_events()
        self.control("device_del", id="stick")
        self.wait_event("DEVICE_DELETED", 10)
        self.control("blockdev-del", **{"node-name": "stick"})
        if self._isThrottled:
            self.control("object-del", id="stick-speed")

    def plug_keypad(self) -> None:
        """Plugs a USB keyboard in."""
        self.control("device_add", driver="usb-kbd", id="keypad", bus=f"{SOCKET}.0")

    def pull_keypad(self) -> None:
        self.forget_events()
        self.control("device_del", id="keypad")
        self.wait_event("DEVICE_DELETED", 10)

    def tap(self, key: str, seconds: float = 0.15) -> None:
        """Presses a key of it, by QEMU's name (kp_enter), and lets it go."""
        for isDown in (True, False):
            event = {"type": "key", "data": {"down": isDown, "key": {"type": "qcode", "data": key}}}
            self.control("input-send-event", events=[event])
            time.sleep(seconds)

    def events(self, name: str) -> list[dict]:
        """QEMU's events of this name so far, each with the host's monotonic time as `at`."""
        return [event for event in self._events if event["event"] == name]

    def wait_event(self, name: str, timeout: float) -> dict | None:
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if found := self.events(name):
                return found[-1]
            time.sleep(0.02)
        return None

    def forget_events(self) -> None:
        self._events.clear()

    def _listen(self) -> None:
        try:
            for line in self._qmp.makefile("r"):
                message = json.loads(line)
                if "event" in message:
                    self._events.append(message | {"at": time.monotonic()})
                elif "return" in message or "error" in message:
                    self._returns.append(message)
        except (OSError, ValueError):
            pass
