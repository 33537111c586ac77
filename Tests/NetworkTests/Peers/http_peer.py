"""An HTTP server with every fault that a test needs: http_peer.py [CERTIFICATE KEY]

Prints its port. The path says what it does. Ends when its input does.
"""

import gzip
import http.server
import os
import socket
import ssl
import sys
import threading
import time
import urllib.parse
import zlib

BODY = bytes(index * 7 % 251 for index in range(100_000))
connections = 0


class Peer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        global connections
        connections += 1
        super().setup()

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        if "Transfer_Encoding" not in fields:
            self.send_header("Content-Length", fields.get("promised", str(len(body))))
        self.end_headers()
        self.wfile.write(body)

    def cut(self):
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/ok":
            self.answer(200, b"hello")
        elif path == "/body":
            span = self.headers.get("Range")
            if span:
                first, last = (int(part) for part in span.removeprefix("bytes=").split("-"))
                if first >= len(BODY):
                    return self.answer(416)
                part = BODY[first : last + 1]
                self.answer(206, part, Content_Range=f"bytes {first}-{first + len(part) - 1}/{len(BODY)}")
            else:
                self.answer(200, BODY)
        elif path in ("/breaks", "/breaks-no-ranges"):
            # Half of what is asked for.
            first = 0
            if path == "/breaks" and (span := self.headers.get("Range")):
                first = int(span.removeprefix("bytes=").split("-")[0])
            part = BODY[first:]
            self.send_response(206 if first else 200)
            self.send_header("Content-Length", str(len(part)))
            if first:
                self.send_header("Content-Range", f"bytes {first}-{len(BODY) - 1}/{len(BODY)}")
            self.end_headers()
            self.wfile.write(part if "Range" in self.headers else part[: len(part) // 2])
            self.cut()
        elif path == "/cookie":
            jar = self.headers.get("Cookie", "")
            if "seen=yes" in jar:
                self.answer(200, jar.encode())
            else:
                self.answer(302, Location="/cookie", Set_Cookie="seen=yes; Path=/")
        elif path.startswith("/many/") and not path.endswith("/jar"):
            # Forty cookies of a folder.
            folder = path.split("/")[2]
            self.send_response(200)
            for number in range(40):
                self.send_header("Set-Cookie", f"c{number}=x; Path=/many/{folder}; Max-Age=3600")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif path.endswith("/jar"):
            self.answer(200, self.headers.get("Cookie", "none").encode())
        elif path == "/station":
            # It claims a length, and has no parts.
            self.answer(200, BODY, icy_name="x")
        elif path == "/no-ranges":
            self.answer(200, BODY)
        elif path == "/until-closed":
            # As HTTP/1.0 had it.
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(BODY)
        elif path == "/chunked":
            self.answer(200, b"5\r\nhello\r\n0\r\n\r\n", Transfer_Encoding="chunked")
        elif path == "/wrong-range":
            self.answer(206, BODY[:10], Content_Range="bytes 0-9/100000")
        elif path == "/part":
            self.answer(206, BODY[:20_000], Content_Range=f"bytes 0-19999/{len(BODY)}")
        elif path.startswith("/status/"):
            self.answer(int(path[8:]), b"some words")
        elif path == "/long-404":
            self.answer(404, bytes(10_000_000))
        elif path == "/loop":
            self.answer(302, Location="/loop")
        elif path.startswith("/hop/"):
            left = int(path[5:])
            self.answer(302, Location="/ok" if left == 1 else f"/hop/{left - 1}")
        elif path == "/deep/relative":
            self.answer(307, Location="../ok")
        elif path.startswith("/to/"):
            self.answer(302, Location=path[4:])
        elif path == "/to-umlaut":
            # As UTF-8: the lines of a header are written as Latin-1.
            self.answer(302, Location="http://bücher.test/ok".encode().decode("latin-1"))
        elif path == "/to-file":
            self.answer(302, Location="file:///etc/passwd")
        elif path == "/stall":
            self.wfile.flush()
            time.sleep(3600)
        elif path == "/stall-in-body":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"some")
            self.wfile.flush()
            time.sleep(3600)
        elif path == "/slow":
            self.send_response(200)
            self.send_header("Content-Length", "20")
            self.end_headers()
            for _ in range(20):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.03)
        elif path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"some")
            self.cut()
        elif path == "/cut-chunk":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"10\r\nsome")
            self.cut()
        elif path == "/nothing":
            self.cut()
        elif path == "/gzip":
            packed = gzip.compress(b"#EXTM3U\n" * 1000)
            wants = "gzip" in self.headers.get("Accept-Encoding", "")
            self.answer(200, packed if wants else b"asked for no gzip", Content_Encoding="gzip" if wants else "identity")
        elif path == "/packed":
            # To whoever asks.
            self.answer(200, gzip.compress(b"#EXTM3U\n" * 1000), Content_Encoding="gzip")
        elif path.startswith("/encoded/"):
            # Called an encoding, whatever it is.
            self.answer(200, BODY, Content_Encoding=path[9:])
        elif path.startswith("/encoded-404/"):
            self.answer(404, BODY, Content_Encoding=path[13:])
        elif path == "/bomb":
            self.answer(200, BOMB, Content_Encoding="gzip")
        elif path == "/bomb-404":
            self.answer(404, BOMB, Content_Encoding="gzip")
        elif path == "/bad-gzip":
            self.answer(200, b"\x1f\x8b this is none", Content_Encoding="gzip")
        elif path == "/endless":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"4000\r\n" + bytes(0x4000) + b"\r\n")
            except OSError:
                pass
        elif path == "/headers":
            self.send_response(200)
            try:
                while True:
                    self.send_header("X-More", "x" * 1000)
                    self.flush_headers()
            except OSError:
                pass
        elif path == "/garbage":
            self.wfile.write(b"\x00\xff this is not HTTP\r\n\r\n")
            self.cut()
        elif path.startswith("/icy/"):
            # As old stations answer, which do not say HTTP.
            self.wfile.write(urllib.parse.unquote(path[5:]).encode() + b"\r\nicy-name: x\r\n\r\nsound")
            self.cut()
        elif path == "/who":
            self.answer(200, self.headers.get("Authorization", "nobody").encode())
        elif path == "/connections":
            self.answer(200, str(connections).encode())
        else:
            self.answer(404, b"not here")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


def bomb():
    """128 MiB that are 130 kB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(128)) + packer.flush()


BOMB = b""


def main():
    global BOMB
    BOMB = bomb()
    server = Server(("127.0.0.1", 0), Peer)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    os.read(0, 1)


main()
