"""What a dub is made of, on the host's loopback: a live stream with subtitles, and the service that speaks them; and
what a feed is.

The guest reaches them at one address and no other (see `Qemu`); `relay.py` tells them apart."""

import pathlib
import shutil
import socket
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tools"))
from peers import Peer  # noqa: E402


class Studio:
    def __init__(self, folder: pathlib.Path):
        self._folder = folder / "studio"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._stream: Peer | None = None
        self._service: Peer | None = None
        # Ports are the same after a restart.
        self.streamPort = free_port()
        self.servicePort = free_port()

    @property
    def relay(self) -> list[str]:
        """The command that carries a connection."""
        return [
            sys.executable, str(pathlib.Path(__file__).with_name("relay.py")), str(self.servicePort),
            str(self.streamPort)]

    def broadcast(self, *options: str) -> None:
        """Makes the stream (some seconds) and serves it; see Tests/Tools/dub_stream.py."""
        self.silence()
        shutil.rmtree(self._folder)
        self._folder.mkdir()
        self._stream = self._peer("dub_stream.py", self._folder, "--port", self.streamPort, *options)

    def feed(self) -> None:
        """Makes a feed and serves it in the stream's place; see Tests/Tools/feed_server.py."""
        self.silence()
        self._stream = self._peer("feed_server.py", self._folder, self.streamPort)

    def speak(self, *options: str) -> None:
        """Starts the service; see Tests/Tools/dub_service.py."""
        self.hush()
        self._service = self._peer("dub_service.py", "--port", self.servicePort, *options)

    def hush(self) -> None:
        if self._service:
            self._service.end()
        self._service = None

    def silence(self) -> None:
        if self._stream:
            self._stream.end()
        self._stream = None

    def _peer(self, tool: str, *arguments) -> Peer:
        with open(self._folder.parent / f"{tool}.log", "w") as log:
            return Peer(tool, *arguments, log=log)

    def close(self) -> None:
        self.hush()
        self.silence()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
