#!/usr/bin/env python3
"""Serves a file as an update on a port of loopback, with the faults of servers; by TLS.

    update_server.py FILE --certificate FILE --key FILE

/good.raucb is the file, whole and in ranges. /breaks.raucb hangs up in the middle, once; /moved/… leads to …, /open/… to it
without TLS. All else is 404.

Prints "listening PORT" when it is ready, and ends when its standard input does.
"""

import argparse
import http.server
import pathlib
import ssl

from loopback import Server


def handler(content):
    """Answers with this file."""
    broken = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def send(self, first, most):
            """The file from a byte on, as if there were more of it where `most` is less."""
            part = content[first:]
            self.send_response(206 if first else 200)
            self.send_header("Content-Length", str(len(part)))
            if first:
                self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
            self.end_headers()
            self.wfile.write(part[:most])
            self.close_connection = most < len(part)

        def do_GET(self):
            span = self.headers.get("Range", "bytes=0-").removeprefix("bytes=")
            first = int(span.split("-")[0])
            path = self.path.split("?")[0]
            if path.startswith(("/moved/", "/open/")):
                scheme = "https" if path.startswith("/moved/") else "http"
                self.send_response(302)
                name = path.split("/")[-1]
                self.send_header("Location", f"{scheme}://127.0.0.1:{self.server.server_address[1]}/{name}")
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif path == "/good.raucb":
                self.send(first, len(content))
            elif path == "/breaks.raucb":
                self.send(first, len(content) if broken else len(content) // 2)
                broken.append(first)
            else:
                self.send_error(404)

    return Handler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    options = parser.parse_args()
    server = Server(0, handler(pathlib.Path(options.file).read_bytes()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_until_input_ends()


main()
