"""Lines to a device: Unix sockets, serial lines and pseudo-terminals, TCP, and whatever pyserial knows by a URL."""

from __future__ import annotations

import errno
import os
import select
import socket
import stat
import sys
import threading
import time
from typing import Any, List, Optional, Protocol

from .errors import ConnectionLost

DEFAULT_BAUD = 115_200
_PORTION = 65_536
_RETRY_SECONDS = 0.05


class Line(Protocol):
    """Bytes both ways. One thread reads; any writes, one at a time; any closes."""

    name: str

    def read(self) -> bytes:
        """Waits for bytes; `b""` once the line is closed, by whichever side."""

    def write(self, data: bytes, timeout: float) -> None:
        """Sends all of it, or raises `ConnectionLost`."""

    def close(self) -> None:
        """Ends it; a `read` that waits comes back."""


class DescriptorLine:
    """A socket, a tty or a pseudo-terminal by its descriptor, which belongs to the line from now on.

    `owner` is kept as long as the line: a socket object closes its descriptor when it goes.
    """

    def __init__(self, descriptor: int, name: str, owner: Optional[socket.socket] = None):
        self.name = name
        self.descriptor = descriptor
        self._owner = owner
        os.set_blocking(descriptor, False)
        self._wake_reader, self._wake_writer = os.pipe()
        self._closed = False
        self._reading = False
        self._writing = threading.Lock()
        # Of the two above: who reads and who closes agree on which of them lets go of the line.
        self._state = threading.Lock()

    def read(self) -> bytes:
        with self._state:
            if self._closed:
                return b""
            self._reading = True
        try:
            while not self._closed:
                poll = select.poll()
                poll.register(self.descriptor, select.POLLIN)
                poll.register(self._wake_reader, select.POLLIN)
                poll.poll()
                if self._closed:
                    break
                try:
                    return os.read(self.descriptor, _PORTION)
                except (BlockingIOError, InterruptedError):
                    continue
                except OSError:
                    # EIO: the adapter was pulled, or the pseudo-terminal's other end is closed. ECONNRESET: killed.
                    break
            return b""
        finally:
            with self._state:
                self._reading = False
                is_closed = self._closed
            if is_closed:
                self._release()

    def write(self, data: bytes, timeout: float) -> None:
        end = time.monotonic() + timeout
        rest = memoryview(data)
        with self._writing:
            while rest:
                if self._closed:
                    raise ConnectionLost(f"{self.name}: the line is closed")
                try:
                    rest = rest[os.write(self.descriptor, rest) :]
                except (BlockingIOError, InterruptedError):
                    if time.monotonic() > end:
                        raise ConnectionLost(
                            f"{self.name}: nobody has taken what was sent for {timeout:g} s"
                        ) from None
                    # In turns, so that a line that is closed meanwhile is noticed.
                    poll = select.poll()
                    poll.register(self.descriptor, select.POLLOUT)
                    poll.poll(100)
                except OSError as error:
                    raise ConnectionLost(f"{self.name}: {error.strerror}") from error

    def close(self) -> None:
        with self._state:
            if self._closed:
                return
            self._closed = True
            if self._reading:
                os.write(self._wake_writer, b"x")
                return
        self._release()

    def _release(self) -> None:
        with self._writing:
            descriptors = [self._wake_reader, self._wake_writer]
            self._wake_reader = self._wake_writer = -1
            if descriptors[0] < 0:
                return
            if self._owner is not None:
                self._owner.close()
            else:
                descriptors.append(self.descriptor)
            for descriptor in descriptors:
                os.close(descriptor)


class PySerialLine:
    """What pyserial opens: `rfc2217://host:port`, `socket://host:port`, `COM3`."""

    def __init__(self, port: str, baud: int = DEFAULT_BAUD):
        try:
            import serial  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise ConnectionLost(
                f"{port} needs pyserial: pip install 'mynah-client[serial]'; a tty of this machine does without"
            ) from None
        self.name = port
        self._trouble = serial.SerialException
        try:
            self._port: Any = serial.serial_for_url(port, baudrate=baud, timeout=0.1)
        except (serial.SerialException, ValueError) as error:
            raise ConnectionLost(f"{port}: {error}") from error
        self._closed = False

    def read(self) -> bytes:
        try:
            while not self._closed:
                data = bytes(self._port.read(max(1, self._port.in_waiting)))
                if data:
                    return data
        except (self._trouble, OSError, TypeError):
            pass  # TypeError: closed while it was being read.
        return b""

    def write(self, data: bytes, timeout: float) -> None:
        try:
            self._port.write_timeout = timeout
            self._port.write(data)
        except (self._trouble, OSError) as error:
            raise ConnectionLost(f"{self.name}: {error}") from error

    def close(self) -> None:
        self._closed = True
        self._port.close()


def open_line(address: str, baud: int = DEFAULT_BAUD, timeout: float = 10.0) -> Line:
    """Opens the line to a console.

    - `/run/mynah/console`: a Unix socket, waited for until `timeout` if it is not there yet;
    - `/dev/ttyUSB0`, `/dev/pts/3`: a serial line or pseudo-terminal of this machine, by termios;
    - `tcp:HOST:PORT`: a plain TCP connection, such as ser2net's;
    - `rfc2217://HOST:PORT`, `socket://HOST:PORT`, `COM3`: whatever pyserial opens.
    """
    if "://" in address or sys.platform == "win32":
        return PySerialLine(address, baud)
    if address.startswith("tcp:"):
        host, _, port = address[4:].rpartition(":")
        if not port.isdigit():
            raise ValueError(f"{address}: write tcp:HOST:PORT")
        try:
            connection = socket.create_connection((host.strip("[]"), int(port)), timeout)
        except OSError as error:
            raise ConnectionLost(f"{address}: {error}") from error
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return DescriptorLine(connection.fileno(), address, connection)
    try:
        if stat.S_ISCHR(os.stat(address).st_mode):
            return _open_tty(address, baud)
    except FileNotFoundError:
        pass
    return _open_socket(address, timeout)


def _open_socket(path: str, timeout: float) -> DescriptorLine:
    end = time.monotonic() + timeout
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return DescriptorLine(connection.fileno(), path, connection)
        except OSError as error:
            connection.close()
            # Not there yet, or left by a device that was killed and is being started again.
            early = isinstance(error, (FileNotFoundError, ConnectionRefusedError))
            early = early and os.path.isdir(os.path.dirname(os.path.abspath(path)))
            if not early or time.monotonic() > end:
                raise ConnectionLost(f"{path}: {error.strerror or error}") from error
        time.sleep(_RETRY_SECONDS)


def _open_tty(path: str, baud: int) -> DescriptorLine:
    import termios

    speed = getattr(termios, f"B{baud}", None)
    if speed is None:
        raise ValueError(f"{path}: no serial line does {baud} bits a second")
    descriptor = -1
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        mode: List[Any] = termios.tcgetattr(descriptor)
        # Eight bits, no parity, one stop bit, no flow control, and no byte means anything to the line.
        mode[0] = mode[1] = mode[3] = 0
        mode[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
        mode[4] = mode[5] = speed
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        termios.tcsetattr(descriptor, termios.TCSANOW, mode)
        termios.tcflush(descriptor, termios.TCIFLUSH)
    except (OSError, termios.error) as error:
        if descriptor >= 0:
            os.close(descriptor)
        code = error.args[0] if error.args and isinstance(error.args[0], int) else errno.EIO
        raise ConnectionLost(f"{path}: {os.strerror(code)}") from error
    return DescriptorLine(descriptor, path)
