"""Events as they are awaited: for `mynah_client.AsyncClient`."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Deque, Iterable, List, Optional

from .conversation import Event, Listener
from .errors import ConnectionLost, NoEvent

if TYPE_CHECKING:
    from .aio import AsyncClient

Timeout = Optional[float]


class AsyncEventStream:
    """What has happened and has not been asked for yet: `async for event in stream`."""

    MOST = 65_536
    """Events that are kept; of more the oldest go, and `dropped` counts them."""

    def __init__(self, client: AsyncClient, topics: Optional[Iterable[str]]):
        self.dropped = 0
        self._client = client
        self._events: Deque[Event] = deque()
        self._ended = False
        self._waiters: List["asyncio.Future[None]"] = []
        self._listener = Listener(topics, self._take)

    async def __aenter__(self) -> "AsyncEventStream":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wants no more events; those that are there can still be taken."""
        await self._client._leave(self)
        self._end()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            while not self._events:
                if self._ended:
                    return
                await self._change()
            yield self._events.popleft()

    async def next(self, timeout: Timeout = None) -> Event:
        """The next event, whatever it is."""
        return await self.wait(timeout=timeout)

    async def wait(
        self,
        topic: Optional[str] = None,
        timeout: Timeout = None,
        where: Optional[Callable[[Event], bool]] = None,
        **data: Any,
    ) -> Event:
        """The first event of this topic, with these members in its data, that nobody was given yet."""
        patience = self._client.timeout if timeout is None else timeout

        async def found() -> Event:
            while True:
                for index, event in enumerate(self._events):
                    if event.matches(topic, data) and (where is None or where(event)):
                        del self._events[index]
                        return event
                if self._ended:
                    raise ConnectionLost(f"{self._client.line.name}: closed, without {topic or 'an event'}")
                await self._change()

        try:
            return await asyncio.wait_for(found(), patience)
        except asyncio.TimeoutError:
            raise NoEvent(f"no {topic or 'event'} {data or ''} within {patience:g} s") from None

    def pending(self) -> List[Event]:
        """What has come and was not asked for; it stays."""
        return list(self._events)

    def clear(self) -> None:
        """Forgets what has come so far."""
        self._events.clear()

    async def _change(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    def _take(self, event: Event) -> None:
        self._events.append(event)
        if len(self._events) > self.MOST:
            self._events.popleft()
            self.dropped += 1
        self._wake()

    def _end(self) -> None:
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
