"""The client for asyncio: the same conversation, awaited."""

from __future__ import annotations

import asyncio
import os
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, Optional, Tuple, Union

from . import files, wire
from .aiostreams import AsyncEventStream
from .client import HELLO_SECONDS
from .conversation import Conversation, LogLine
from .errors import ConnectionLost, MynahError, NoAnswer
from .lines import DEFAULT_BAUD, DescriptorLine, open_line
from .methods import AsyncMethods

Timeout = Optional[float]


class AsyncClient(AsyncMethods):
    """A console of a device: `await client.panel.press("REC")`. For one event loop, and not for other threads.

    Lines that have a descriptor: sockets, ttys, TCP. What only pyserial opens is for `mynah_client.Client`.
    """

    def __init__(
        self, line: DescriptorLine, timeout: float = 20.0, on_log: Optional[Callable[[LogLine], None]] = None
    ):
        self.timeout = timeout
        self.line = line
        self.info: Dict[str, Any] = {}
        """What `system.info` said at the greeting."""
        self._loop = asyncio.get_running_loop()
        self._conversation: Conversation["asyncio.Future[Any]"] = Conversation(self._loop.create_future, on_log)
        self._streams: List[AsyncEventStream] = []
        self._unsent = bytearray()
        self._retuning = asyncio.Lock()
        self._loop.add_reader(line.descriptor, self._readable)

    @classmethod
    async def connect(cls, address: str, baud: int = DEFAULT_BAUD, timeout: float = 20.0) -> "AsyncClient":
        """Opens the line (see `mynah_client.lines.open_line`) and makes sure that a device is at its other end."""
        line = await asyncio.get_running_loop().run_in_executor(None, open_line, address, baud, timeout)
        if not isinstance(line, DescriptorLine):
            line.close()
            raise ConnectionLost(f"{address}: asyncio can wait for sockets and ttys only; use mynah_client.Client")
        client = cls(line, timeout)
        try:
            await client.hello()
        except BaseException:
            await client.close()
            raise
        return client

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Gives the line back. Events are taken off it first: a serial line goes on without us."""
        if self.is_open and self._conversation.topics != frozenset():
            try:
                await self.call("events.unsubscribe", timeout=2)
            except MynahError:
                pass
        self._finish(ConnectionLost("this side has closed the line"))

    @property
    def is_open(self) -> bool:
        """Whether the line is, as far as is known."""
        return self._conversation.end is None

    # Calls.

    async def hello(self, timeout: Timeout = None) -> Dict[str, Any]:
        """Makes the console talk to this program; see `mynah_client.Client.hello`."""
        patience = self.timeout if timeout is None else timeout
        end = self._loop.time() + patience
        insistent = False
        while True:
            id, reply, data = self._conversation.hello(insistent)
            self._send(data)
            left = end - self._loop.time()
            done, _ = await asyncio.wait([reply], timeout=max(0.01, min(HELLO_SECONDS, left)))
            if done:
                info = reply.result()
                self.info = info if isinstance(info, dict) else {}
                break
            if left <= HELLO_SECONDS:
                raise self._silence(id, "the greeting", patience)
            insistent = True
        if self._streams:
            await self._retune()
        return self.info

    async def call(self, method: str, params: wire.Params = None, timeout: Timeout = None) -> Any:
        """Calls a method by its name and returns its result, or raises what the device answers."""
        id, reply, data = self._conversation.call(method, params)
        self._send(data)
        return await self._result(id, reply, method, self.timeout if timeout is None else timeout)

    _call = call

    async def batch(
        self, calls: Iterable[Tuple[str, wire.Params]], timeout: Timeout = None
    ) -> List[Union[Any, MynahError]]:
        """Calls several methods in one line; what was refused is an exception in the list, and not raised."""
        wanted = list(calls)
        patience = self.timeout if timeout is None else timeout
        replies, data = self._conversation.batch(wanted)
        self._send(data)
        results: List[Union[Any, MynahError]] = []
        for (id, reply), (method, _) in zip(replies, wanted):
            try:
                results.append(await self._result(id, reply, method, patience))
            except (NoAnswer, ConnectionLost):
                raise
            except MynahError as error:
                results.append(error)
        return results

    def notify(self, method: str, params: wire.Params = None) -> None:
        """Calls a method without waiting for an answer; there will be none, not even of a mistake."""
        self._send(self._conversation.notification(method, params))

    async def _result(self, id: str, reply: "asyncio.Future[Any]", what: str, timeout: float) -> Any:
        try:
            return await asyncio.wait_for(reply, timeout)
        except asyncio.TimeoutError:
            raise self._silence(id, what, timeout) from None
        finally:
            self._conversation.forget(id)

    def _silence(self, id: str, what: str, timeout: float) -> NoAnswer:
        self._conversation.forget(id)
        return NoAnswer(f"{self.line.name}: no answer to {what} within {timeout:g} s{self._conversation.remarks()}")

    # Events.

    async def subscribe(self, *topics: str) -> "AsyncEventStream":
        """What happens from now on, of these topics; of all without any. See `mynah_client.Client.subscribe`."""
        stream = AsyncEventStream(self, topics or None)
        self._conversation.add(stream._listener)
        self._streams.append(stream)
        try:
            await self._retune()
        except BaseException:
            await self._leave(stream)
            raise
        return stream

    @property
    def lost_events(self) -> int:
        """Events that did not get here, in all."""
        return self._conversation.lost

    async def _leave(self, stream: "AsyncEventStream") -> None:
        before = self._conversation.topics
        self._conversation.remove(stream._listener)
        if stream in self._streams:
            self._streams.remove(stream)
        if before != self._conversation.topics and self.is_open:
            try:
                await self._retune()
            except ConnectionLost:
                pass

    async def _retune(self) -> None:
        async with self._retuning:
            topics = self._conversation.topics
            if topics is None:
                await self.call("events.subscribe")
            elif topics:
                await self.call("events.subscribe", {"topics": sorted(topics)})
            else:
                await self.call("events.unsubscribe")

    # Files.

    async def read_file(self, id: str, notes: bool = False) -> bytes:
        """The file of a take, of a part of one or of a clip; or the notes beside it. Checked by its hashes."""
        pieces: List[bytes] = []
        await self._transfer(id, pieces.append, notes)
        return b"".join(pieces)

    async def download(self, id: str, target: BinaryIO, notes: bool = False) -> str:
        """The same into an open file. Returns the SHA-256 of all of it, in hexadecimal digits."""
        return await self._transfer(id, target.write, notes)

    async def _transfer(self, id: str, sink: Callable[[bytes], Any], notes: bool) -> str:
        steps = files.pieces(id, sink, notes)
        outcome: Any = None
        while True:
            try:
                params = steps.send(outcome)
            except StopIteration as end:
                return str(end.value)
            try:
                outcome = await self.call("files.read", params)
            except NoAnswer as error:
                outcome = error

    # The line.

    def _readable(self) -> None:
        try:
            data = os.read(self.line.descriptor, 65_536)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            return self._finish(ConnectionLost(f"{self.line.name}: {error.strerror}"))
        if not data:
            return self._finish(ConnectionLost(f"{self.line.name}: the device has closed the line"))
        self._conversation.receive(data)

    def _send(self, data: bytes) -> None:
        if self._conversation.end is not None:
            raise self._conversation.end
        self._unsent += data
        self._flush()
        if self._unsent:
            self._loop.add_writer(self.line.descriptor, self._flush)

    def _flush(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self.line.descriptor, self._unsent)]
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            return self._finish(ConnectionLost(f"{self.line.name}: {error.strerror}"))
        self._loop.remove_writer(self.line.descriptor)

    def _finish(self, reason: Exception) -> None:
        if self._conversation.end is not None:
            return
        self._conversation.ended(reason)
        self._loop.remove_reader(self.line.descriptor)
        self._loop.remove_writer(self.line.descriptor)
        self.line.close()
        for stream in self._streams:
            stream._end()
