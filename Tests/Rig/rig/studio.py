"""What a dub is made of, on the host's loopback: a live stream with subtitles, and the service that speaks them.

The guest reaches them at one address and no other (see `Qemu`); `relay.py` tells them apart."""

import pathlib
import shutil
import socket
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "Tools"
# Debian's, which has websockets.
PYTHON = "/usr/bin/python3"


class Studio:
    def __init__(self, folder: pathlib.Path):
        self._folder = folder / "studio"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._stream: subprocess.Popen | None = None
        self._service: subprocess.Popen | None = None
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
        self._stream = self._serve(
            "dub_stream.py", str(self._folder), "--port", str(self.streamPort), *options)

    def speak(self, *options: str) -> None:
        """Starts the service; see Tests/Tools/dub_service.py."""
        self.hush()
        self._service = self._serve("dub_service.py", "--port", str(self.servicePort), *options)

    def hush(self) -> None:
        self._service = self._end(self._service)

    def silence(self) -> None:
        self._stream = self._end(self._stream)

    def close(self) -> None:
        self.hush()
        self.silence()

    def _serve(self, tool: str, *arguments: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [PYTHON, TOOLS / tool, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=open(self._folder.parent / f"{tool}.log", "w"))
        line = process.stdout.readline().decode()
        if not line.startswith("listening"):
            raise RuntimeError(f"{tool} did not start: {line}")
        return process

    @staticmethod
    def _end(process: subprocess.Popen | None) -> None:
        if process:
            process.kill()
            process.wait()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
