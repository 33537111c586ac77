"""The HTTP server of the streams of this folder. Needs only the standard library."""

import http.server
import sys
import threading


class Server(http.server.ThreadingHTTPServer):
    """Serves on loopback, and says nothing of clients that go in the middle or do not trust it.

    Tests do that on purpose, and what a server says of it would hide in their log what failed."""

    daemon_threads = True

    def __init__(self, port, handler):
        super().__init__(("127.0.0.1", port), handler)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def serve_until_input_ends(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        print(f"listening {self.server_address[1]}", flush=True)
        sys.stdin.read()
