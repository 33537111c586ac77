#!/usr/bin/env python3
"""One connection of the guest's, carried to the host's loopback: QEMU starts this for each, with the connection as its
standard input and output. What asks for a WebSocket goes to the first port, everything else to the second.

    relay.py SERVICE-PORT STREAM-PORT
"""

import os
import select
import socket
import sys

GUEST = 0
LONGEST_HEAD = 64 << 10


def head() -> bytes:
    """The first request up to its empty line: it tells where the connection goes."""
    content = b""
    while b"\r\n\r\n" not in content and len(content) < LONGEST_HEAD:
        more = os.read(GUEST, 4096)
        if not more:
            break
        content += more
    return content


def carry(content: bytes, port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as host:
        host.settimeout(None)
        host.sendall(content)
        while True:
            for one in select.select([GUEST, host], [], [])[0]:
                more = os.read(GUEST, 65536) if one == GUEST else host.recv(65536)
                if not more:
                    return
                if one == GUEST:
                    host.sendall(more)
                else:
                    while more:
                        more = more[os.write(GUEST, more) :]


def main() -> None:
    content = head()
    isService = b"upgrade: websocket" in content.lower()
    try:
        carry(content, int(sys.argv[1 if isService else 2]))
    except OSError:
        # Whoever it was for is gone; the guest sees its connection end.
        pass


if __name__ == "__main__":
    main()
