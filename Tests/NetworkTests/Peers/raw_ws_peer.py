"""A WebSocket server that does it wrong, by hand: prints its port; the path says how. Ends when its input does."""

import base64
import hashlib
import os
import socket
import struct
import threading
import time


def frame(opcode, payload, final=True, masked=False, promised=None):
    length = len(payload) if promised is None else promised
    mask = 0x80 if masked else 0
    head = bytes([(0x80 if final else 0) | opcode])
    if length < 126:
        head += bytes([mask | length])
    elif length < 65536:
        head += bytes([mask | 126]) + struct.pack(">H", length)
    else:
        head += bytes([mask | 127]) + struct.pack(">Q", length)
    return head + (bytes(4) if masked else b"") + payload


def serve(connection):
    request = b""
    while b"\r\n\r\n" not in request:
        piece = connection.recv(4096)
        if not piece:
            return
        request += piece
    lines = request.decode("latin-1").split("\r\n")
    path = lines[0].split(" ")[1]
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:] if ": " in line)}
    key = fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
    good = f"{answer}{accept}\r\n\r\n".encode()
    if path == "/wrong-key":
        connection.sendall(f"{answer}{accept[::-1]}\r\n\r\n".encode())
    elif path == "/extension":
        connection.sendall(f"{answer}{accept}\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n".encode())
    elif path == "/protocol":
        connection.sendall(f"{answer}{accept}\r\nSec-WebSocket-Protocol: other\r\n\r\n".encode())
    elif path == "/not-http":
        connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
    elif path == "/404":
        connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    elif path == "/long-answer":
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n" + b"X: y\r\n" * 10_000)
    elif path == "/silent-handshake":
        pass
    elif path == "/dribble":
        for byte in good + frame(1, b"first"):
            connection.sendall(bytes([byte]))
    elif path == "/bad-text":
        connection.sendall(good + frame(1, b"fine \xc3\x28 not"))
    elif path == "/masked":
        connection.sendall(good + frame(2, b"abc", masked=True))
    elif path == "/reserved":
        connection.sendall(good + b"\xf2\x01a")
    elif path == "/opcode":
        connection.sendall(good + frame(3, b"abc"))
    elif path == "/mid-frame":
        connection.sendall(good + frame(2, b"abc", promised=1000))
        connection.shutdown(socket.SHUT_RDWR)
        connection.close()
        return
    elif path == "/huge-promise":
        connection.sendall(good + frame(2, b"abc", promised=1 << 40))
    elif path == "/empty-close":
        connection.sendall(good + frame(8, b""))
    elif path == "/bad-close":
        connection.sendall(good + frame(8, struct.pack(">H", 999)))
    elif path == "/half-open":
        # Open, but from now on nobody reads and nobody answers: what a vanished peer looks like.
        connection.sendall(good)
    elif path == "/never-reads":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(good)
    kept.append(connection)
    time.sleep(3600)


kept = []


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    os.read(0, 1)


main()
