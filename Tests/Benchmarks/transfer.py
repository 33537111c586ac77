"""A take to a computer's rz: `send` of the console beside `sz`, over lines of the same speed."""
import pathlib
import socket
import subprocess
import threading
import time

from report import ratio, spread

# Name, bytes a second, bytes sent. A serial line carries ten bits for a byte.
LINES = (("115,200 baud", 11_520, 120_000), ("921,600 baud", 92_160, 1_000_000))
GREETING = b"B00000000000000"


def measure(bench, page):
    rows = []
    for name, speed, size in LINES:
        data = bench.path("data")
        (data / "recordings").mkdir(parents=True)
        take = data / "recordings" / "talk.wav"
        # What a file of sound is to a line: no byte like the one before.
        content = bench.noise(size // 192_000 + 1).read_bytes()[:size]
        take.write_bytes(content)
        times = {"ours": [], "sz": []}
        for _ in range(bench.rounds):
            times["sz"].append(by_sz(bench, take, speed))
            times["ours"].append(by_console(bench, data, take.name, speed))
        rows.append(
            [name, spread([size / value for value in times["ours"]], 0), spread([size / value for value in times["sz"]], 0)])
        page.goal(f"files over {name}: time, of sz's", 1.05, ratio(times["ours"], times["sz"]), "×", 3)
    page.section(
        "Files over a line",
        "Bytes a second of a file that `rz` of lrzsz receives over a line of that speed (a relay between two sockets that "
        "sleeps), every byte compared.", ["", "mynah, send", "sz"], rows)


def by_sz(bench, file, speed):
    near, far = line(speed)
    start = time.monotonic()
    receiver, target = receive(bench, far)
    sender = subprocess.Popen(["sz", "-b", "-q", str(file)], stdin=near, stdout=near, stderr=subprocess.DEVNULL)
    near.close()
    finish(receiver, target, file)
    sender.wait()
    return time.monotonic() - start


def by_console(bench, data, name, speed):
    path = bench.path("tty")
    command = [str(bench.mynah), "simulate", "--microphone", "noise", "--clock", "real", "--data", str(data), "--console", str(path)]
    device = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not path.exists():
            time.sleep(0.05)
        console = socket.socket(socket.AF_UNIX)
        console.connect(str(path))
        wait(console, b"mynah> ")
        near, far = line(speed)
        console.sendall(f"send {name}\r".encode())
        wait(console, GREETING)
        start = time.monotonic()
        relay(console, near, None)
        relay(near, console, None)
        receiver, target = receive(bench, far)
        finish(receiver, target, data / "recordings" / name)
        return time.monotonic() - start
    finally:
        device.terminate()
        device.wait()


def line(speed):
    """Two ends of a line that takes its time, with little room within."""
    (near, one), (other, far) = socket.socketpair(), socket.socketpair()
    for end in (near, one, other, far):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    relay(one, other, speed)
    relay(other, one, speed)
    return near, far


def relay(source, target, speed):
    def carry():
        try:
            while piece := source.recv(max(1, speed // 100) if speed else 65_536):
                if speed:
                    time.sleep(len(piece) / speed)
                target.sendall(piece)
        except OSError:
            pass

    threading.Thread(target=carry, daemon=True).start()


def receive(bench, end):
    target = bench.path("received")
    target.mkdir()
    receiver = subprocess.Popen(["rz", "-b", "-q"], cwd=target, stdin=end, stdout=end, stderr=subprocess.DEVNULL)
    end.close()
    return receiver, target


def finish(receiver, target: pathlib.Path, file):
    receiver.wait(timeout=600)
    if (target / file.name).read_bytes() != file.read_bytes():
        raise SystemExit("bench: what rz has is not what was sent")


def wait(connection, end):
    got = b""
    while end not in got:
        piece = connection.recv(1)
        if not piece:
            raise SystemExit(f"bench: the console has closed: {got}")
        got += piece
