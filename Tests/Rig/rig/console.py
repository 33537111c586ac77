"""The firmware's console, as a machine on the other end of the line sees it: JSON-RPC 2.0, one object a line."""

import contextlib
import json
import os
import socket
import threading
import time


class RemoteError(Exception):
    """The firmware refused; `code` is its stable code."""

    def __init__(self, method: str, error: dict):
        self.code = (error.get("data") or {}).get("code", "")
        super().__init__(f"{method}: {error.get('message')} ({self.code})")


class Silence(Exception):
    """The firmware did not answer in time."""


class Console:
    """Requests and events over a socket or a tty's descriptor. The line may go and come back under it."""

    def __init__(self, descriptor: int, owner: object = None):
        self.descriptor = descriptor
        self._owner = owner
        self._number = int(time.time()) % 1_000_000 * 1000
        self._answers: dict[int, dict] = {}
        self._events: list[dict] = []
        self._changed = threading.Condition()
        self.received = b""
        # Who has the line's bytes to himself.
        self._sink = None
        threading.Thread(target=self._read, daemon=True).start()

    @staticmethod
    def of_socket(path: str) -> "Console":
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        return Console(connection.fileno(), connection)

    def call(self, method: str, timeout: float = 20, **parameters):
        """Calls a method and returns its result."""
        with self._changed:
            self._number += 1
            number = self._number
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._answers, timeout):
                raise Silence(f"{method} was not answered within {timeout:.0f} s")
            answer = self._answers.pop(number)
        if "error" in answer:
            raise RemoteError(method, answer["error"])
        return answer["result"]

    def is_awake(self, timeout: float = 1) -> bool:
        try:
            self.call("system.info", timeout)
            return True
        except RemoteError:
            # A refusal is an answer, too: who has not logged in may not ask everything.
            return True
        except (Silence, OSError):
            return False

    def forget(self) -> None:
        with self._changed:
            self._events.clear()

    def events(self, topic: str) -> list[dict]:
        with self._changed:
            return [event for event in self._events if event["topic"] == topic]

    def wait_event(self, topic: str, timeout: float, match=lambda data: True) -> dict | None:
        """The data of the first event of this kind since `forget`, or None."""

        def found():
            return next((e for e in self._events if e["topic"] == topic and match(e["data"])), None)

        with self._changed:
            self._changed.wait_for(found, timeout)
            event = found()
            return event and event["data"]

    @contextlib.contextmanager
    def lent(self, sink):
        """Meanwhile whatever is received goes to `sink`, and nowhere else."""
        self._sink = sink
        try:
            yield
        finally:
            self._sink = None

    def write(self, content: bytes) -> None:
        while content:
            content = content[os.write(self.descriptor, content) :]

    def _send(self, message: dict) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def _read(self) -> None:
        left = b""
        while True:
            try:
                part = os.read(self.descriptor, 65536)
            except OSError:
                return
            if not part:
                return
            if sink := self._sink:
                # Who has what he wanted may be gone before the last word.
                with contextlib.suppress(OSError):
                    sink(part)
                continue
            self.received = (self.received + part)[-65536:]
            *lines, left = (left + part).split(b"\n")
            for line in lines:
                start = line.find(b'{"jsonrpc"')
                if start < 0:
                    continue
                try:
                    message = json.loads(line[start:])
                except ValueError:
                    continue
                with self._changed:
                    if "id" in message and ("result" in message or "error" in message):
                        self._answers[message["id"]] = message
                    elif message.get("method") == "event":
                        self._events.append(message["params"])
                    self._changed.notify_all()
