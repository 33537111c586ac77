"""Who has asked what, and who wants to hear of what: the part that the sync and the asyncio client share. No I/O."""

from __future__ import annotations

import secrets
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Callable, Deque, Dict, FrozenSet, Generic, Iterable, List, Optional, Protocol, Tuple, TypeVar

from . import wire
from .errors import ConnectionLost, remote_error


class Reply(Protocol):
    """What `concurrent.futures.Future` and `asyncio.Future` have in common."""

    def set_result(self, result: Any, /) -> None: ...
    def set_exception(self, exception: BaseException, /) -> None: ...
    def done(self) -> bool: ...


R = TypeVar("R", bound=Reply)


@dataclass(frozen=True)
class Event:
    """Something that has happened on the device."""

    topic: str
    data: Dict[str, Any] = field(default_factory=dict)
    t: float = 0.0
    """When, in seconds of the device's monotonic clock."""
    seq: int = 0
    """Counts what this console is told, from 1, without a hole."""
    lost: int = 0
    """Events before this one that did not get here: this side was too slow, or the line damaged them."""

    def matches(self, topic: Optional[str] = None, data: Optional[Dict[str, Any]] = None) -> bool:
        """Whether it is of this topic and has these members, with these values."""
        if topic is not None and topic != self.topic:
            return False
        return all(name in self.data and self.data[name] == value for name, value in (data or {}).items())


@dataclass(frozen=True)
class LogLine:
    """A line of the device's log, as `log.tail` has it."""

    data: Dict[str, Any]


class Listener:
    """Somebody who wants to hear of some topics; `None` is all of them."""

    def __init__(self, topics: Optional[Iterable[str]], sink: Callable[[Event], None]):
        self.topics: Optional[FrozenSet[str]] = None if topics is None else frozenset(topics)
        self.sink = sink

    def wants(self, topic: str) -> bool:
        return self.topics is None or topic in self.topics


class Conversation(Generic[R]):
    """One console's side of requests, answers and events. Not for several threads at once.

    Answers may come in another order than the requests. Ids begin with a token of this conversation's own: what a
    program before has asked on the same line, and what has been given up, is told apart.
    """

    def __init__(self, new_reply: Callable[[], R], on_log: Optional[Callable[[LogLine], None]] = None):
        self.token = secrets.token_hex(4)
        self.noise: Deque[str] = deque(maxlen=20)
        """The last lines that were no documents: the greeting, a kernel's messages, damage."""
        self.complaints: Deque[str] = deque(maxlen=5)
        """What the device said of lines that it did not understand."""
        self.on_log = on_log
        self.lost = 0
        """Events that did not get here, in all."""
        self._new_reply = new_reply
        self._splitter = wire.LineSplitter()
        self._waiting: Dict[str, Tuple[str, R]] = {}
        self._listeners: List[Listener] = []
        self._next_seq: Optional[int] = None
        self._number = 0
        self._end: Optional[Exception] = None

    # What goes out.

    def call(self, method: str, params: wire.Params = None) -> Tuple[str, R, bytes]:
        """A request: its id, where its result will be, and the bytes to send."""
        id = self._new_id()
        data = wire.encode(wire.request(method, params, id))
        return id, self._expect(id, method), data

    def batch(self, calls: Iterable[Tuple[str, wire.Params]]) -> Tuple[List[Tuple[str, R]], bytes]:
        """Several requests in a line; they are answered in a line, too."""
        wanted = [(self._new_id(), method, params) for method, params in calls]
        if not wanted:
            raise ValueError("an empty batch")
        data = wire.encode([wire.request(method, params, id) for id, method, params in wanted])
        return [(id, self._expect(id, method)) for id, method, _ in wanted], data

    def notification(self, method: str, params: wire.Params = None) -> bytes:
        """A request that is not answered."""
        return wire.encode(wire.request(method, params))

    def hello(self, insistent: bool = False) -> Tuple[str, R, bytes]:
        """What makes the console talk to a program. Sent again, insistently, it may be answered twice."""
        id, data = wire.greeting(self.token, insistent)
        self._next_seq = None
        if id in self._waiting:
            return id, self._waiting[id][1], data
        return id, self._expect(id, "system.info"), data

    def forget(self, id: str) -> None:
        """Nobody waits for this answer any more."""
        self._waiting.pop(id, None)

    def _new_id(self) -> str:
        self._number += 1
        return f"{self.token}-{self._number}"

    def _expect(self, id: str, method: str) -> R:
        reply = self._new_reply()
        if self._end is not None:
            reply.set_exception(self._end)
        else:
            self._waiting[id] = (method, reply)
        return reply

    # Who listens.

    def add(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def remove(self, listener: Listener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    @property
    def topics(self) -> Optional[FrozenSet[str]]:
        """What the device has to tell for all listeners; `None`: everything."""
        if any(listener.topics is None for listener in self._listeners):
            return None
        return frozenset(topic for listener in self._listeners for topic in listener.topics or ())

    # What comes in.

    def receive(self, data: bytes) -> None:
        """Takes bytes in any portions: answers go to who waits for them, events to who listens."""
        for line in self._splitter.feed(data):
            for message in wire.messages(line):
                if isinstance(message, wire.Answer):
                    self._answer(message)
                elif isinstance(message, wire.Notification):
                    self._notification(message)
                else:
                    self.noise.append(message.text[:500])

    def ended(self, reason: Optional[Exception] = None) -> None:
        """The line is closed: whoever waits is told, and whoever asks from now on."""
        if self._end is None:
            self._end = reason or ConnectionLost("the device has closed the line")
        waiting, self._waiting = self._waiting, {}
        for _, reply in waiting.values():
            if not reply.done():
                reply.set_exception(self._end)

    @property
    def end(self) -> Optional[Exception]:
        """Why the line is closed; `None` while it is open."""
        return self._end

    def remarks(self) -> str:
        """What may explain that an answer has not come, as the end of a sentence."""
        heard = list(self.complaints) + list(self.noise)
        rest = self._splitter.rest.decode("utf-8", "replace").strip()
        heard += [rest[:200]] if rest else []
        return f"; heard meanwhile: {' | '.join(heard[-3:])}" if heard else "; nothing was heard"

    def _answer(self, answer: wire.Answer) -> None:
        method, reply = self._waiting.pop(answer.id, (None, None)) if isinstance(answer.id, str) else (None, None)
        if method is None or reply is None:
            if answer.id is None and answer.error is not None:
                self.complaints.append(str(remote_error(answer.error)))
            return
        if answer.error is not None:
            result: Any = remote_error(answer.error, method)
        else:
            result = answer.result
            if method == "events.subscribe" and isinstance(result, dict):
                seq = result.get("seq")
                self._next_seq = seq if isinstance(seq, int) else None
        if reply.done():
            return
        if isinstance(result, Exception):
            reply.set_exception(result)
        else:
            reply.set_result(result)

    def _notification(self, message: wire.Notification) -> None:
        params = message.params if isinstance(message.params, dict) else {}
        if message.method == "log":
            if self.on_log is not None:
                self.on_log(LogLine(params))
            return
        event = self._event(params) if message.method == "event" else None
        if event is None:
            self.noise.append(f"notification {message.method}"[:500])
            return
        self.lost += event.lost
        for listener in list(self._listeners):
            if listener.wants(event.topic):
                listener.sink(event)

    def _event(self, params: Dict[str, Any]) -> Optional[Event]:
        topic, data, t, seq = (params.get(name) for name in ("topic", "data", "t", "seq"))
        if not (isinstance(topic, str) and isinstance(data, dict) and isinstance(seq, int)):
            return None
        dropped = params.get("lost", 0)
        lost = dropped if isinstance(dropped, int) else 0
        if self._next_seq is not None:
            lost += max(0, seq - self._next_seq)
        self._next_seq = seq + 1
        return Event(topic, data, float(t) if isinstance(t, (int, float)) else 0.0, seq, lost)
