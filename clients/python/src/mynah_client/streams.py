"""Events as they are waited for: for `mynah_client.Client`."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Callable, Deque, Iterable, Iterator, List, Mapping, Optional

from .conversation import Event, Listener
from .errors import ConnectionLost, NoEvent

if TYPE_CHECKING:
    from .client import Client

Timeout = Optional[float]


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
