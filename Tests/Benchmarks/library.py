"""A hundred, a thousand, ten thousand takes, half of them other devices' files: the start, the list, the search, deleting."""
import datetime
import json
import os
import shutil
import socket
import statistics
import subprocess
import time

from report import ratio, spread

SIZES = (100, 1_000, 10_000)
# How often each question is asked.
ASKED = 20
DELETED = 50
EXPORTED, EXPORTED_SECONDS = 20, 60


def measure(bench, page):
    rows, found = [], {}
    for count in SIZES:
        result = found[count] = one(bench, made(bench, count), count)
        rows.append(
            [f"{count:,}", f"{result['armed']:.0f}", f"{result['known']:.1f}"]
            + [f"{result[name]:.1f}" for name in ("list", "search", "sort", "delete")] + [f"{result['control']:.1f}"])
    page.section(
        "Many takes",
        "Half of them are the device's own, half other devices' WAV, FLAC and MP3 files. From the start of the program on an unread "
        f"card; list, search and sort are the median of {ASKED} answers at the console, of up to 60 rows.",
        ["takes", "armed after, ms", "all looked at after, s", "list, ms", "search, ms", "sort by name, ms",
         f"delete {DELETED}, ms a take", "longest step of the control lane, CPU ms"], rows)
    most, few = found[SIZES[-1]], found[SIZES[0]]
    rows.append(
        [f"{SIZES[-1]:,} of {SIZES[0]}"]
        + [f"{most[name] / few[name]:.2f}×" for name in ("armed", "known", "list", "search", "sort", "delete", "control")])
    page.goal("10,000 takes: list", 50, most["list"], " ms")
    page.goal("10,000 takes: search", 10, most["search"], " ms")
    page.goal("10,000 takes: control lane", 5, most["control"], " ms")
    page.goal(
        "10,000 takes: start to armed, of that with 100", 1.5, most["armed"] / few["armed"])
    export(bench, page)


def export(bench, page):
    """Takes to a stick, which is a folder of the same disk, beside cp, sync and cmp."""
    times = {"mynah": [], "cp, sync": [], "cp, sync, cmp": []}
    for _ in range(bench.rounds):
        data = bench.path("data")
        (data / "recordings").mkdir(parents=True)
        content = bench.noise(EXPORTED_SECONDS).read_bytes()
        for number in range(EXPORTED):
            (data / "recordings" / f"Interview {number:02d}.wav").write_bytes(content)
        os.sync()
        target = bench.path("copies")
        target.mkdir()
        start = time.monotonic()
        subprocess.run(["cp", "-r", str(data / "recordings"), str(target)], check=True)
        subprocess.run(["sync", "-f", str(target)], check=True)
        times["cp, sync"].append(time.monotonic() - start)
        subprocess.run(["diff", "-rq", str(data / "recordings"), str(target / "recordings")], check=True)
        times["cp, sync, cmp"].append(time.monotonic() - start)
        shutil.rmtree(target)
        times["mynah"].append(exported(bench, data))
        shutil.rmtree(data)
    size = EXPORTED * len(content)
    page.section(
        "Takes to a stick",
        f"{EXPORTED} takes of {len(content) / 1e6:.0f} MB, to a folder that stands for the stick; mynah names, copies, syncs and "
        "reads back each, and lets go of the stick. *cmp* reads what the system still has in its memory.",
        ["", "s", "MB/s"],
        [[name, spread(values), spread([size / 1e6 / value for value in values], 0)] for name, values in times.items()])
    page.goal("takes to a stick: time, of cp's and sync's", 1.1, ratio(times["mynah"], times["cp, sync"]))


def exported(bench, data):
    path, stick = bench.path("tty"), bench.path("stick")
    stick.mkdir()
    device = subprocess.Popen(
        [str(bench.mynah), "simulate", "--microphone", "silence", "--clock", "real", "--data", str(data), "--console", str(path),
         "--stick", str(stick)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not path.exists():
            time.sleep(0.005)
        console = Client(path)
        while console.call("library.list", limit=1)["pending"] > 0:
            time.sleep(0.2)
        console.call("fault.inject", fault="stick in")
        while console.call("stick.status")["state"] == "absent":
            time.sleep(0.05)
        start = time.monotonic()
        answer = console.call("library.export", all=True)
        taken = time.monotonic() - start
        if answer["done"] != EXPORTED or not answer["safe"]:
            raise SystemExit(f"bench: {answer}")
        return taken
    finally:
        device.terminate()
        device.wait()
        shutil.rmtree(stick, ignore_errors=True)


def made(bench, count):
    """A data directory with so many takes, none of which the device has seen."""
    data = bench.path("data")
    recordings = data / "recordings"
    script = ['0.1 call settings.set {"recording.preRecordSeconds":0}', "1 press REC", "1.4 press STOP", "2 quit"]
    subprocess.run(bench.simulate(script, "virtual", "noise", data=data), check=True, capture_output=True)
    first = next(path for path in recordings.iterdir() if path.suffix == ".m4a")
    metadata = first.with_suffix(".json").read_text()
    source = bench.sound("short", "sine", "440", seconds=1)
    others = [source]
    for suffix in ("flac", "mp3"):
        others.append(bench.path("short", "." + suffix))
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", str(source), str(others[-1])], check=True)
    for number in range(2, count // 2 + 1):
        begun = datetime.datetime(2026, 1, 1) + datetime.timedelta(minutes=37 * number)
        name = f"{number:06d}_{begun:%Y-%m-%dT%H-%M-%SZ}"
        os.link(first, recordings / f"{name}.m4a")
        (recordings / f"{name}.json").write_text(metadata.replace(first.stem, name))
    for number in range(count - count // 2):
        other = others[number % len(others)]
        os.link(other, recordings / f"Interview {number:05d}{other.suffix}")
    (data / "catalogue").unlink(missing_ok=True)
    for path in data.glob("state.json*"):
        path.unlink()
    return data


def one(bench, data, count):
    path = bench.path("tty")
    start = time.monotonic()
    device = subprocess.Popen(
        [str(bench.mynah), "simulate", "--microphone", "noise", "--clock", "real", "--data", str(data), "--console", str(path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not path.exists():
            time.sleep(0.005)
        console = Client(path)
        while not console.call("recorder.status")["armed"]:
            time.sleep(0.005)
        armed = time.monotonic() - start
        while console.call("library.list", limit=1)["pending"] > 0:
            time.sleep(0.2)
        known = time.monotonic() - start
        listed = console.call("library.list", limit=1)["total"]
        if listed != count:
            raise SystemExit(f"bench: {listed} of {count} takes are listed")
        times = {
            "list": console.median("library.list", limit=60),
            "search": console.median("library.list", limit=60, query=f"{count // 2 - 1:05d}"),
            "sort": console.median("library.list", limit=60, sort="name")}
        ids = [take["id"] for take in console.call("library.list", limit=DELETED)["takes"]]
        begun = time.monotonic()
        console.call("library.delete", ids=ids)
        deleted = (time.monotonic() - begun) / len(ids)
        lanes = {lane["name"]: lane for lane in console.call("system.info")["lanes"]}
        return {
            "armed": armed * 1000, "known": known, "delete": deleted * 1000,
            "control": lanes["control"]["longestStepCPUMilliseconds"],
            **{name: value * 1000 for name, value in times.items()}}
    finally:
        device.terminate()
        device.wait()
        shutil.rmtree(data, ignore_errors=True)


class Client:
    """JSON-RPC over the console's socket."""

    def __init__(self, path):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(path))
        self._lines = connection.makefile("rwb")
        self._number = 0

    def call(self, method, **parameters):
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        self._lines.write(json.dumps(request).encode() + b"\n")
        self._lines.flush()
        while line := self._lines.readline():
            start = line.find(b"{")
            answer = json.loads(line[start:]) if start >= 0 else {}
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise SystemExit(f"bench: {method}: {answer['error']}")
                return answer["result"]
        raise SystemExit("bench: the console has closed")

    def median(self, method, **parameters):
        times = []
        for _ in range(ASKED):
            start = time.monotonic()
            self.call(method, **parameters)
            times.append(time.monotonic() - start)
        return statistics.median(times)
