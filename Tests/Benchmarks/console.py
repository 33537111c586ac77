"""How long the console takes: a command's way there and back on the socket and on a serial line of 115200 bit/s, while the
device records and while it keeps the ring of pictures; and how many events it tells a second."""
import json
import os
import pty
import select
import socket
import subprocess
import threading
import time
import tty

# Ten bits a byte.
BYTES_PER_SECOND = 11_520
ASKED = 200
EVENT_SECONDS = 5


def measure(bench, page):
    data, path = bench.path("data"), bench.path("tty")
    master, line = serial(bench)
    device = subprocess.Popen(
        [str(bench.mynah), "simulate", "--clock", "real", "--microphone", "noise", "--data", str(data), "--camera", "bars",
         "--console", str(path), "--console", line],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rows = []
    try:
        while not path.exists():
            time.sleep(0.01)
        near, far = Peer(connected(path)), Peer(paced(master))
        while not near.call("recorder.status")["armed"]:
            time.sleep(0.01)
        limits = {}
        for state, begin, end in (
                ("idle", None, None), ("recording", ("recorder.start", {}), ("recorder.stop", {})),
                ("buffering clips", ("panel.mode", {"mode": "clips"}), ("panel.mode", {"mode": "dictaphone"}))):
            if begin:
                near.call(begin[0], **begin[1])
                time.sleep(2)
            for name, peer in (("socket", near), ("serial line, 115200", far)):
                taken = sorted(trip(peer) for _ in range(ASKED))
                wire = 0 if peer is near else peer.bytes / BYTES_PER_SECOND * 1000
                middle, late = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
                limits[state, name] = (middle, late, wire)
                rows.append([f"{state}, {name}", f"{middle:.2f}", f"{late:.2f}", f"{wire:.1f}"])
            if end:
                near.call(end[0], **end[1])
                time.sleep(2)
        told, lost = events(path)
        device_lanes = {lane["name"]: lane for lane in near.call("system.info")["lanes"]}
        page.section(
            "Console",
            f"`player.status`, {ASKED} times each, from the first byte of the request to the last of the answer; what the bytes "
            "themselves need on the line is in the last column.",
            ["device, console", "p50, ms", "p99, ms", "on the wire, ms"], rows,
            [f"Events told to one subscriber on the socket: {told:,.0f} a second for {EVENT_SECONDS} s, {lost} lost. Longest step of the "
             f"control lane meanwhile: {device_lanes['control']['longestStepCPUMilliseconds']:.1f} ms of the processor."])
        for state in ("recording", "buffering clips"):
            page.goal(f"console on the socket, {state}: p99", 20, limits[state, "socket"][1], " ms", 1)
            middle, late, wire = limits[state, "serial line, 115200"]
            page.goal(f"console at 115200, {state}: p99 beyond the bytes' own time", 20, late - wire, " ms", 1)
        page.goal("events that a reader lost who kept up", 0, lost, "", 0)
    finally:
        device.terminate()
        device.wait()
        bench.discard(data)


def trip(peer):
    begun = time.perf_counter()
    peer.call("player.status")
    return (time.perf_counter() - begun) * 1000


def events(path):
    """Marks as fast as they are answered, in batches, by one console; another one subscribes."""
    listener, writer = Peer(connected(path)), Peer(connected(path))
    listener.call("events.subscribe", topics=["onMark"])
    writer.call("recorder.start")
    time.sleep(1)
    counts = {"events": 0, "lost": 0}
    stopping = threading.Event()

    def listen():
        while not stopping.is_set():
            message = listener.receive(0.2)
            if message and message.get("method") == "event":
                counts["events"] += 1
                counts["lost"] += message["params"].get("lost", 0)

    thread = threading.Thread(target=listen)
    thread.start()
    begun = time.monotonic()
    while time.monotonic() - begun < EVENT_SECONDS:
        writer.batch([("recorder.mark", {})] * 50)
    elapsed = time.monotonic() - begun
    time.sleep(1)
    stopping.set()
    thread.join()
    writer.call("recorder.stop")
    return counts["events"] / elapsed, counts["lost"]


def connected(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    return connection


def serial(bench):
    """A pseudo-terminal: its master, and the name of the device's end."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    tty.setraw(master)
    # Kept open: the line does not vanish before the device has opened it.
    bench.__dict__.setdefault("_lines", []).append(slave)
    return master, os.ttyname(slave)


def paced(master):
    """A socket whose bytes go to and from a line no faster than a serial line takes them."""
    here, there = socket.socketpair()

    def pump(read, write):
        due = time.monotonic()
        while True:
            bytes_ = read()
            if not bytes_:
                return
            for start in range(0, len(bytes_), 32):
                piece = bytes_[start:start + 32]
                due = max(due, time.monotonic()) + len(piece) / BYTES_PER_SECOND
                time.sleep(max(0, due - time.monotonic()))
                write(piece)

    def from_line():
        try:
            return os.read(master, 4096)
        except OSError:
            return b""

    for pair in ((from_line, there.sendall), (lambda: there.recv(4096), lambda piece: os.write(master, piece))):
        threading.Thread(target=pump, args=pair, daemon=True).start()
    return here


class Peer:
    """JSON-RPC over a connection."""

    def __init__(self, connection):
        self._connection = connection
        self._rest = b""
        self._number = 0
        # Of the last call, both ways.
        self.bytes = 0

    def receive(self, seconds):
        """The next message; None if there is none in time."""
        while b"\n" not in self._rest:
            if not select.select([self._connection], [], [], seconds)[0]:
                return None
            more = self._connection.recv(65536)
            if not more:
                raise SystemExit("bench: the console has closed")
            self._rest += more
        line, self._rest = self._rest.split(b"\n", 1)
        self.bytes += len(line) + 1
        # What comes before the first answer is a prompt.
        starts = [place for place in (line.find(b"{"), line.find(b"[{")) if place >= 0]
        return json.loads(line[min(starts):]) if starts else {}

    def call(self, method, **parameters):
        answer = self._ask(self._request(method, parameters))
        if "error" in answer:
            raise SystemExit(f"bench: {method}: {answer['error']}")
        return answer["result"]

    def batch(self, calls):
        # The first line of a connection has to begin with a brace: a call was made before.
        requests = [self._request(*call) for call in calls]
        return self._ask(requests)

    def _request(self, method, parameters):
        self._number += 1
        return {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}

    def _ask(self, request):
        line = json.dumps(request).encode() + b"\n"
        self._connection.sendall(line)
        self.bytes = len(line)
        while True:
            answer = self.receive(60)
            if answer is None:
                raise SystemExit("bench: the console does not answer")
            if isinstance(request, list) and isinstance(answer, list):
                return answer
            if isinstance(request, dict) and answer.get("id") == request["id"]:
                return answer
