"""The client for programs that wait for their answers. For asyncio see `mynah_client.aio`."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, Optional, Tuple, Union

from . import files, wire
from .conversation import Conversation, LogLine
from .errors import ConnectionLost, MynahError, NoAnswer
from .lines import DEFAULT_BAUD, Line, open_line
from .methods import Methods
from .streams import EventStream

Timeout = Optional[float]

HELLO_SECONDS = 2.0
"""A console that has not answered the greeting for so long is greeted again, more insistently."""


class Client(Methods):
    """A console of a device: `client.panel.press("REC")`, `client.library.list(limit=5)`.

    Any thread may use it; a thread of its own reads the line, so that nothing is lost while the program does other
    things. `timeout` is how long an answer is waited for, in seconds.
    """

    def __init__(self, line: Line, timeout: float = 20.0, on_log: Optional[Callable[[LogLine], None]] = None):
        self.timeout = timeout
        self.line = line
        self.info: Dict[str, Any] = {}
        """What `system.info` said at the greeting."""
        self._lock = threading.RLock()
        self._sending = threading.Lock()
        self._retuning = threading.Lock()
        self._conversation: Conversation["Future[Any]"] = Conversation(Future, on_log)
        self._streams: List[EventStream] = []
        self._reader = threading.Thread(target=self._read, name=f"mynah {line.name}", daemon=True)
        self._reader.start()

    @classmethod
    def connect(cls, address: str, baud: int = DEFAULT_BAUD, timeout: float = 20.0) -> "Client":
        """Opens the line (see `mynah_client.lines.open_line`) and makes sure that a device is at its other end."""
        client = cls(open_line(address, baud, timeout), timeout)
        try:
            client.hello()
        except BaseException:
            client.close()
            raise
        return client

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the line back. Events are taken off it first: a serial line goes on without us."""
        with self._lock:
            is_open = self._conversation.end is None
            has_listeners = self._conversation.topics != frozenset()
        if is_open and has_listeners:
            try:
                self.notify("events.unsubscribe")
            except MynahError:
                pass
        self._finish(ConnectionLost("this side has closed the line"))
        self.line.close()
        if self._reader is not threading.current_thread():
            self._reader.join(2)

    @property
    def is_open(self) -> bool:
        """Whether the line is, as far as is known."""
        return self._conversation.end is None

    # Calls.

    def hello(self, timeout: Timeout = None) -> Dict[str, Any]:
        """Makes the console talk to this program, whatever it was doing: a person's half line, a file transfer.

        Also after the device at the other end of a serial line was started again: events come again then.
        """
        patience = self.timeout if timeout is None else timeout
        end = time.monotonic() + patience
        insistent = False
        while True:
            with self._lock:
                id, reply, data = self._conversation.hello(insistent)
            self._send(data)
            left = end - time.monotonic()
            try:
                info = reply.result(max(0.01, min(HELLO_SECONDS, left)))
                self.info = info if isinstance(info, dict) else {}
                break
            except FutureTimeout:
                if left <= HELLO_SECONDS:
                    raise self._silence(id, "the greeting", patience) from None
                insistent = True
        if self._streams:
            self._retune()
        return self.info

    def call(self, method: str, params: wire.Params = None, timeout: Timeout = None) -> Any:
        """Calls a method by its name and returns its result, or raises what the device answers."""
        with self._lock:
            id, reply, data = self._conversation.call(method, params)
        self._send(data)
        return self._result(id, reply, method, self.timeout if timeout is None else timeout)

    _call = call

    def batch(
        self, calls: Iterable[Tuple[str, wire.Params]], timeout: Timeout = None
    ) -> List[Union[Any, MynahError]]:
        """Calls several methods in one line; what was refused is an exception in the list, and not raised."""
        wanted = list(calls)
        patience = self.timeout if timeout is None else timeout
        with self._lock:
            replies, data = self._conversation.batch(wanted)
        self._send(data)
        results: List[Union[Any, MynahError]] = []
        for (id, reply), (method, _) in zip(replies, wanted):
            try:
                results.append(self._result(id, reply, method, patience))
            except (NoAnswer, ConnectionLost):
                raise
            except MynahError as error:
                results.append(error)
        return results

    def notify(self, method: str, params: wire.Params = None) -> None:
        """Calls a method without waiting for an answer; there will be none, not even of a mistake."""
        self._send(self._conversation.notification(method, params))

    def _send(self, data: bytes) -> None:
        with self._sending:
            if self._conversation.end is not None:
                raise self._conversation.end
            self.line.write(data, self.timeout)

    def _result(self, id: str, reply: "Future[Any]", what: str, timeout: float) -> Any:
        try:
            return reply.result(timeout)
        except FutureTimeout:
            raise self._silence(id, what, timeout) from None

    def _silence(self, id: str, what: str, timeout: float) -> NoAnswer:
        with self._lock:
            self._conversation.forget(id)
            remarks = self._conversation.remarks()
        return NoAnswer(f"{self.line.name}: no answer to {what} within {timeout:g} s{remarks}")

    # Events.

    def subscribe(self, *topics: str) -> "EventStream":
        """What happens from now on, of these topics; of all without any.

        The console has one subscription. This client keeps it to what all its streams want, so that a slow line does
        not carry what nobody reads.
        """
        stream = EventStream(self, topics or None)
        with self._lock:
            self._conversation.add(stream._listener)
            self._streams.append(stream)
        try:
            self._retune()
        except BaseException:
            self._leave(stream)
            raise
        return stream

    @property
    def lost_events(self) -> int:
        """Events that did not get here, in all."""
        return self._conversation.lost

    def _leave(self, stream: "EventStream") -> None:
        with self._lock:
            before = self._conversation.topics
            self._conversation.remove(stream._listener)
            if stream in self._streams:
                self._streams.remove(stream)
            after = self._conversation.topics
        if before != after and self.is_open:
            try:
                self._retune()
            except ConnectionLost:
                pass

    def _retune(self) -> None:
        # One at a time: the last one that is answered has to be the one that is right.
        with self._retuning:
            with self._lock:
                topics = self._conversation.topics
            if topics is None:
                self.call("events.subscribe")
            elif topics:
                self.call("events.subscribe", {"topics": sorted(topics)})
            else:
                self.call("events.unsubscribe")

    # Files.

    def read_file(self, id: str, notes: bool = False) -> bytes:
        """The file of a take, of a part of one or of a clip; or the notes beside it. Checked by its hashes."""
        pieces: List[bytes] = []
        self._transfer(id, pieces.append, notes)
        return b"".join(pieces)

    def download(self, id: str, target: BinaryIO, notes: bool = False) -> str:
        """The same into an open file. Returns the SHA-256 of all of it, in hexadecimal digits."""
        return self._transfer(id, target.write, notes)

    def _transfer(self, id: str, sink: Callable[[bytes], Any], notes: bool) -> str:
        steps = files.pieces(id, sink, notes)
        outcome: Any = None
        try:
            while True:
                params = steps.send(outcome)
                try:
                    outcome = self.call("files.read", params)
                except NoAnswer as error:
                    outcome = error
        except StopIteration as end:
            return str(end.value)

    # The thread that reads.

    def _read(self) -> None:
        reason = ConnectionLost(f"{self.line.name}: the device has closed the line")
        try:
            while True:
                data = self.line.read()
                if not data:
                    break
                with self._lock:
                    self._conversation.receive(data)
        except Exception as error:  # Whoever waits has to hear of it, whatever it is.
            reason = ConnectionLost(f"{self.line.name}: {error}")
        self._finish(reason)
        self.line.close()

    def _finish(self, reason: Exception) -> None:
        with self._lock:
            self._conversation.ended(reason)
            for stream in self._streams:
                stream._end()
