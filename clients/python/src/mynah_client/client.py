"""The client for programs that wait for their answers. For asyncio see `mynah_client.aio`."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, BinaryIO, Callable, Deque, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from . import files, wire
from .conversation import Conversation, Event, Listener, LogLine
from .errors import ConnectionLost, MynahError, NoAnswer, NoEvent
from .lines import DEFAULT_BAUD, Line, open_line
from .methods import Methods

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


class EventStream:
    """What has happened and has not been asked for yet. Any thread; iterating waits for the next one, for ever."""

    MOST = 65_536
    """Events that are kept; of more the oldest go, and `dropped` counts them."""

    def __init__(self, client: Client, topics: Optional[Iterable[str]]):
        self.dropped = 0
        self._client = client
        self._events: Deque[Event] = deque()
        self._changed = threading.Condition()
        self._ended = False
        self._listener = Listener(topics, self._take)

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Wants no more events; those that are there can still be taken."""
        self._client._leave(self)
        self._end()

    def __iter__(self) -> Iterator[Event]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._events or self._ended)
                if not self._events:
                    return
                event = self._events.popleft()
            yield event

    def next(self, timeout: Timeout = None) -> Event:
        """The next event, whatever it is."""
        return self.wait(timeout=timeout)

    def wait(
        self,
        topic: Optional[str] = None,
        timeout: Timeout = None,
        where: Optional[Callable[[Event], bool]] = None,
        **data: Any,
    ) -> Event:
        """The first event of this topic, with these members in its data, that nobody was given yet.

        Those before it stay: `stream.wait("onTakeSaved", stopReason="user")`. Raises `NoEvent` after `timeout` seconds.
        """
        patience = self._client.timeout if timeout is None else timeout
        end = time.monotonic() + patience
        with self._changed:
            while True:
                for index, event in enumerate(self._events):
                    if event.matches(topic, data) and (where is None or where(event)):
                        del self._events[index]
                        return event
                if self._ended:
                    raise ConnectionLost(f"{self._client.line.name}: closed, without {self._wanted(topic, data)}")
                left = end - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    seen = ", ".join(event.topic for event in list(self._events)[-5:]) or "none"
                    raise NoEvent(f"no {self._wanted(topic, data)} within {patience:g} s; others: {seen}")

    def pending(self) -> List[Event]:
        """What has come and was not asked for; it stays."""
        with self._changed:
            return list(self._events)

    def clear(self) -> None:
        """Forgets what has come so far."""
        with self._changed:
            self._events.clear()

    def _wait_for_change(self, count: int, timeout: float) -> None:
        """Waits until something comes beside what was pending, or the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._events) != count or self._ended, timeout)

    def _take(self, event: Event) -> None:
        with self._changed:
            self._events.append(event)
            if len(self._events) > self.MOST:
                self._events.popleft()
                self.dropped += 1
            self._changed.notify_all()

    def _end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    @staticmethod
    def _wanted(topic: Optional[str], data: Mapping[str, Any]) -> str:
        members = ", ".join(f"{name}={value!r}" for name, value in data.items())
        return f"{topic or 'event'}{f' with {members}' if members else ''}"
